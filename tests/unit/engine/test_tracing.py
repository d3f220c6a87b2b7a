"""Spans as OpenTelemetry's SDK has them when they have ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, suppress
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from structlog.contextvars import get_contextvars

from classifier.decision import QueryType
from engine import tracing
from engine.answering.engine import AnswerEngine
from engine.answering.nodes import Limits, Models, Nodes
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Passage
from engine.errors import DependencyUnavailable, EngineError
from engine.planning.workflow import Workflow
from engine.testing import ListRetriever, ScriptedModel, ScriptedRouter, counting_ids
from engine.v1 import engine_pb2 as pb
from tests.serving import Served, serving
from tests.transports import TRANSPORTS

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
HEADERS = {"traceparent": f"00-{TRACE}-{PARENT}-01", "tracestate": "vendor=opaque"}
CANARY = "canary0123456789"


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracing.use(provider.get_tracer("tests"))
    yield exporter
    tracing.use(None)


def by_name(spans: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name.rpartition("/")[2]: span for span in spans.get_finished_spans()}


def parents(spans: InMemorySpanExporter) -> dict[str, str]:
    """The name of each span's parent by its own; of one from elsewhere its id."""
    names = {span.context.span_id: name for name, span in by_name(spans).items()}
    found = {}
    for name, span in by_name(spans).items():
        above = span.parent
        found[name] = "" if above is None else names.get(above.span_id, f"{above.span_id:016x}")
    return found


async def asked(served: Served, transport: str, **headers: str) -> str:
    request = pb.AgentRequest(query=f"what is {CANARY}", session_id=CANARY, extra_context=CANARY, user_info=CANARY)
    reply = await TRANSPORTS[transport](served.grpc.address, served.web.address, "AskAgent", request, **headers)
    return str(reply.code)


def engine_over(folder: Path, model: ScriptedModel) -> AnswerEngine:
    retriever = ListRetriever([Passage("a", "a.md", "A", "", f"{CANARY} is a word")])
    store = SqlSessionStore(folder / "turns.sqlite3")
    router = ScriptedRouter(dict.fromkeys([f"what is {CANARY}"], QueryType.RETRIEVAL))
    nodes = Nodes(router, retriever, store, Models(model, model), Limits(), Workflow.by_rules(retriever))
    return AnswerEngine(nodes, new_id=counting_ids())


@pytest.mark.parametrize("transport", ["grpc", "connect-json", "grpc-web"])
async def test_a_turn_is_a_trace_below_the_callers_own_by_every_transport(
    spans: InMemorySpanExporter, tmp_path: Path, transport: str
) -> None:
    engine = engine_over(tmp_path, ScriptedModel(f"{CANARY} is a word [1]."))
    async with serving(tmp_path) as served:
        served.answers.answer = engine.answer  # type: ignore[method-assign]  # the real engine behind both servers
        assert await asked(served, transport, **HEADERS) == "OK"
    assert parents(spans) == {
        "AskAgent": PARENT,
        "turn": "AskAgent",
        "queue": "turn",
        "route": "turn",
        "plan": "turn",
        "search": "turn",
        "compose": "turn",
        "generate": "turn",
        "store": "turn",
    }
    assert {f"{span.context.trace_id:032x}" for span in spans.get_finished_spans()} == {TRACE}
    call = by_name(spans)["AskAgent"]
    assert call.kind is SpanKind.SERVER
    assert call.context.trace_state.get("vendor") == "opaque"
    noted = dict(call.attributes or {})
    assert (noted["rpc.method"], noted["engine.type"], noted["engine.outcome"]) == ("AskAgent", "RETRIEVAL", "COMPLETE")
    assert noted["engine.searches"] == 1


async def test_no_span_has_a_word_of_a_caller_a_document_or_a_model(
    spans: InMemorySpanExporter, tmp_path: Path
) -> None:
    failing = ScriptedModel(f"{CANARY} is", fail_after=1, error=DependencyUnavailable("ollama", CANARY))
    for model, code in ((ScriptedModel(f"{CANARY} is a word [1]."), "OK"), (failing, "UNAVAILABLE")):
        engine = engine_over(tmp_path / code, model)
        async with serving(tmp_path) as served:
            served.answers.answer = engine.answer  # type: ignore[method-assign]
            assert await asked(served, "grpc") == code
    finished = spans.get_finished_spans()
    assert len(finished) == 18
    assert CANARY not in "".join(span.to_json() for span in finished)
    failed = {span.name.rpartition("/")[2] for span in finished if span.status.status_code is StatusCode.ERROR}
    assert failed == {"AskAgent", "turn", "generate"}
    assert {
        span.attributes["error.type"] for span in finished if span.attributes and "error.type" in span.attributes
    } == {"DependencyUnavailable"}


async def test_a_call_without_a_trace_of_its_callers_begins_one_and_a_broken_header_does_too(
    spans: InMemorySpanExporter, tmp_path: Path
) -> None:
    async with serving(tmp_path) as served:
        for headers in ({}, {"traceparent": "00-not-a-trace"}):
            request = pb.ListSessionsRequest()
            reply = await TRANSPORTS["grpc"](served.grpc.address, "", "ListSessions", request, **headers)
            assert reply.code == "OK"
    first, second = spans.get_finished_spans()
    assert (first.parent, second.parent) == (None, None)
    assert first.context.trace_id != second.context.trace_id


async def test_a_caller_who_leaves_ends_the_span_which_is_no_error(spans: InMemorySpanExporter) -> None:
    async def pieces() -> AsyncGenerator[int]:
        with tracing.call_span("AskAgentStream"):
            yield 1
            yield 2

    async with aclosing(pieces()) as stream:  # closed by another task than the one that began it
        await asyncio.create_task(_first(stream))
    (span,) = spans.get_finished_spans()
    assert dict(span.attributes or {})["error.type"] == "GeneratorExit"
    assert span.status.status_code is StatusCode.UNSET


async def _first(stream: AsyncGenerator[int]) -> None:
    await anext(stream)


async def test_steps_lie_side_by_side_and_within_one_another(spans: InMemorySpanExporter) -> None:
    @tracing.traced("inner")
    async def inner() -> int:
        return 7

    @tracing.traced("outer")
    async def outer() -> int:
        return await inner() + await asyncio.create_task(inner())

    @tracing.traced("broken")
    async def broken() -> None:
        raise EngineError

    with tracing.call_span("Classify"):
        assert await outer() == 14
        with suppress(EngineError):
            await broken()
    assert parents(spans) == {"Classify": "", "outer": "Classify", "inner": "outer", "broken": "Classify"}
    assert len(spans.get_finished_spans()) == 5


async def test_log_lines_of_a_call_have_the_id_of_its_trace(spans: InMemorySpanExporter) -> None:
    tracing.called_from(HEADERS.items())
    with tracing.call_span("Classify"):
        assert get_contextvars()["trace_id"] == TRACE


async def test_without_a_tracer_nothing_is_made() -> None:
    tracing.called_from(HEADERS.items())

    @tracing.traced("step")
    async def step() -> int:
        tracing.note({"engine.searches": 1})
        return 7

    with tracing.call_span("Classify"):
        assert await step() == 7
        assert "trace_id" not in get_contextvars()
