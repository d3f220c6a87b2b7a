"""A text of secrets in every field that a caller has, and errors forced in every part: it is told and kept nowhere."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from engine import metrics, telemetry, tracing
from engine.answering.engine import AnswerEngine
from engine.answering.nodes import Limits, Models, Nodes
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Passage
from engine.errors import DependencyUnavailable
from engine.generation.port import Done, Prompt, Token
from engine.planning.workflow import Workflow
from engine.testing import ListRetriever, ScriptedModel, ScriptedRouter, counting_ids
from engine.v1 import engine_pb2 as pb
from tests.serving import Served, serving
from tests.sizes import sized
from tests.transports import TRANSPORTS

CANARY = "canary0123456789"
REQUESTS = sized(84, 5000)


def unexpected() -> list[Exception]:
    """Errors as libraries raise them, with what they work on in their words; the last says what it stands on."""
    caused = DependencyUnavailable("database", "it cannot be reached")
    caused.__cause__ = OSError(5, CANARY, CANARY)
    decoding = UnicodeDecodeError("utf-8", CANARY.encode(), 0, 1, CANARY)
    return [
        ValueError(CANARY),
        KeyError(CANARY),
        RuntimeError(f"of {CANARY}"),
        decoding,
        RecursionError(CANARY),
        caused,
    ]


class Fragile:
    """A part whose method raises when it is told to; as it was otherwise."""

    def __init__(self, part: Any, method: str) -> None:
        self.error: Exception | None = None
        self._part, self._method = part, method

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        return self._raising if name == self._method and self.error else found

    async def _raising(self, *_given: object, **_named: object) -> None:
        assert self.error is not None
        raise self.error


class FragileModel(ScriptedModel):
    """A model that fails after so many words, when it is told to."""

    error: Exception | None = None
    after = 0

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        for word in range(3):
            if self.error and word == self.after:
                raise self.error
            yield Token(f"{CANARY} {word} ")
        yield Done()


class House:
    """An engine of fragile parts: by the stage that fails, the part that does."""

    def __init__(self, folder: Path) -> None:
        self.store = SqlSessionStore(folder / "turns.sqlite3")
        retriever = Fragile(ListRetriever([Passage("a", "a.md", CANARY, "", f"what is {CANARY}")]), "search")
        router, model = Fragile(ScriptedRouter(), "decide"), FragileModel("")
        loading = Fragile(self.store, "load")
        storing = Fragile(loading, "append")
        self.stages: dict[str, Any] = {"route": router, "search": retriever, "load": loading, "store": storing}
        self.stages |= {"first word": model, "mid-answer": model}
        parts: Any = (router, retriever, storing, Models(model, model), Limits(), Workflow.by_rules(retriever))
        self.engine = AnswerEngine(Nodes(*parts), new_id=counting_ids())

    def fail(self, stage: str, error: Exception) -> None:
        """Lets one stage fail, or none."""
        for part in self.stages.values():
            part.error = None
        if stage in self.stages:
            self.stages[stage].error = error
            self.stages[stage].after = 2 * (stage == "mid-answer")


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracing.use(provider.get_tracer("tests"))
    yield exporter
    tracing.use(None)


def requests(number: int) -> dict[str, Message]:
    """By method, a request whose every text is the canary; some are refused for what they ask."""
    filled: dict[str, Any] = dict.fromkeys(("editor_content", "selected_text", "extra_context", "user_info"), CANARY)
    ask = pb.AgentRequest(query=f"what is {CANARY} {number}", session_id=f"{CANARY}-{number % 7}", **filled)
    return {
        "AskAgent": ask,
        "AskAgentStream": ask,
        "Classify": pb.ClassifyRequest(query=CANARY, history=[pb.IntentHistoryEntry(type="PLATFORM", query=CANARY)]),
        "EvaluateRAG": pb.EvaluateRagRequest(
            cases=[pb.GoldenCase(id=CANARY, query=CANARY, type="PLATFORM", facts=[CANARY])]
        ),
        "GetSession": pb.GetSessionRequest(session_id=f"{CANARY}-none", page_token=CANARY),
        "ListSessions": pb.ListSessionsRequest(page_token=CANARY),
        "DeleteSession": pb.DeleteSessionRequest(session_id=f"{CANARY}-none"),
        "RenameSession": pb.RenameSessionRequest(session_id=f"{CANARY}-none", name=CANARY),
        "CorrectTurn": pb.CorrectTurnRequest(turn_id=CANARY, type=pb.PLATFORM),
        "RateTurn": pb.RateTurnRequest(turn_id=CANARY, rating=pb.UP, reason=CANARY),
        "RemoveDocument": pb.RemoveDocumentRequest(document=CANARY),
        "ListDocuments": pb.ListDocumentsRequest(page_token=CANARY),
    }


async def told(served: Served, number: int, method: str) -> tuple[str, str]:
    """The code of a request, and what the caller is told beside an answer."""
    transport = list(TRANSPORTS)[number % 3]
    headers = {"authorization": f"Bearer {CANARY}", "traceparent": CANARY, "x-request-id": f"{CANARY} {CANARY}"}
    message: Any = requests(number)[method]
    reply = await TRANSPORTS[transport](served.grpc.address, served.web.address, method, message, **headers)
    return str(reply.code), f"{reply.text} {reply.metadata}"


@pytest.mark.timeout(3600)
async def test_what_is_secret_is_in_no_log_span_metric_or_error(
    tmp_path: Path,
    spans: InMemorySpanExporter,
    capsys: pytest.CaptureFixture[str],
    record_property: Callable[[str, object], None],
) -> None:
    telemetry.configure_logging("text", "debug")
    house, codes, failed, dice = House(tmp_path), Counter[str](), Counter[str](), random.Random(16)
    methods, kept, lines = list(requests(0)), 0, 0
    stages = [*house.stages, "none"]
    async with serving(tmp_path) as served:
        served.answers.answer = house.engine.answer  # type: ignore[method-assign]  # the real engine behind both servers
        for number in range(REQUESTS):
            stage = stages[number % len(stages)]
            house.fail(stage, dice.choice(unexpected()))
            method = "AskAgent" if stage != "none" else methods[number // len(stages) % len(methods)]
            code, said = await told(served, number, method)
            assert CANARY not in said, (stage, method)
            codes[code] += 1
            failed[stage] += code != "OK"
            printed, finished = "".join(capsys.readouterr()), spans.get_finished_spans()
            assert CANARY not in printed, (stage, method)
            assert CANARY not in "".join(span.to_json() for span in finished), (stage, method)
            kept, lines = kept + len(finished), lines + printed.count("\n")
            spans.clear()
    await house.store.close()
    assert CANARY.encode() not in metrics.exposition()
    assert set(stages) <= set(failed)
    assert {"INTERNAL", "UNAVAILABLE", "OK"} <= set(codes)
    assert min(kept, lines) > REQUESTS
    record_property(
        "figure", f"{REQUESTS} requests, {sum(failed.values())} failed; none in {lines} lines, {kept} spans"
    )
