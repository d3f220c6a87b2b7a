"""Every RPC by every transport: the same requests, the same events, the same codes and words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.protobuf.message import Message

from classifier.decision import QueryType
from engine.domain import (
    Evidence,
    Passage,
)
from engine.errors import (
    ConfigurationError,
    DeadlineExceeded,
    DependencyUnavailable,
    EngineError,
    InvalidInput,
    NotFound,
    Overloaded,
    SessionBusy,
)
from engine.v1 import engine_pb2 as pb
from tests.serving import Served, endless, failing, serving, telling
from tests.transports import SERVICE, TRANSPORTS, UNREAD, Reply

METHODS = [method.name for method in SERVICE.methods]
WEB = sorted(set(TRANSPORTS) - {"grpc"})
PASSAGE = Evidence(1, Passage("p-1", "guía.md", "Guía", "Bucles > startLoop", "Repite con `startLoop`. 循環"))
DELTAS = ("Se repite ", 'con "startLoop" [1].\n\ud800 循環')
whole = telling(PASSAGE, *DELTAS, text="Se repite [1].", note="qué", timings={"total": 1.5})


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(tmp_path, whole) as running:
        yield running


async def by(transport: str, served: Served, method: str, body: bytes | Message, **headers: str) -> Reply:
    reply: Reply = await TRANSPORTS[transport](served.grpc.address, served.web.address, method, body, **headers)
    return reply


def request_of(method: str) -> Message:
    """A request that is in order, and names something where there is nothing yet."""
    return {
        "AskAgent": pb.AgentRequest(query="¿cómo itero?", session_id="s-1", query_type=pb.RETRIEVAL),
        "AskAgentStream": pb.AgentRequest(query="¿cómo itero?", session_id="s-1"),
        "Classify": pb.ClassifyRequest(query="hi", history=[pb.IntentHistoryEntry(type=pb.PLATFORM, query="usage")]),
        "EvaluateRAG": pb.EvaluateRagRequest(limit=1),
        "GetSession": pb.GetSessionRequest(session_id="unknown"),
        "ListSessions": pb.ListSessionsRequest(page_size=3),
        "DeleteSession": pb.DeleteSessionRequest(session_id="unknown"),
        "RenameSession": pb.RenameSessionRequest(session_id="unknown", name="Loops"),
        "RateTurn": pb.RateTurnRequest(turn_id="unknown", rating=pb.DOWN, reason="wrong"),
        "ListDocuments": pb.ListDocumentsRequest(page_size=3),
        "RemoveDocument": pb.RemoveDocumentRequest(document="unknown"),
        "GetRouter": pb.GetRouterRequest(),
        "CorrectTurn": pb.CorrectTurnRequest(turn_id="unknown", type=pb.PLATFORM),
    }[method]


@pytest.mark.parametrize("transport", WEB)
async def test_every_method_says_what_it_says_by_grpc(served: Served, transport: str) -> None:
    for method in METHODS:
        expected = await by("grpc", served, method, request_of(method))
        reply = await by(transport, served, method, request_of(method))
        assert (reply.messages, reply.code, reply.text) == (expected.messages, expected.code, expected.text), method
        assert reply.messages or reply.code == "NOT_FOUND"


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_the_turn_is_the_one_that_was_asked_for(served: Served, transport: str) -> None:
    asked = pb.AgentRequest(
        query='a "b"\n¿ñ? 循環',
        session_id="s-9",
        editor_content="var x",
        selected_text="x",
        extra_context='{"calls": 7}',
        user_info="Ana",
        query_type=pb.CODE_GENERATION,
        request_id="r-1",
    )
    await by(transport, served, "AskAgentStream", asked)
    (turn,) = served.answers.turns
    assert (turn.query, turn.session_id, turn.request_id) == (asked.query, "s-9", "r-1")
    assert (turn.editor_content, turn.selected_text) == ("var x", "x")
    assert (turn.extra_context, turn.user_info, turn.declared) == ('{"calls": 7}', "Ana", QueryType.CODE_GENERATION)
    assert turn.deadline is None
    assert "127.0.0.1:" in turn.caller  # on one machine each connection counts for itself
    assert turn.principal == "local"


@pytest.mark.parametrize("method", ["AskAgent", "AskAgentStream"])
@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"query": " \n"}, "query: is empty"),
        ({"query": "ñ" * 20_000}, "query: has 40000 bytes; at most 32768 are allowed"),
        ({"query": "hi", "query_type": 99}, "query_type: 99 is not a query type"),
        ({"query": "hi", "session_id": "s" * 201}, "session_id: has 201 bytes"),
        ({"query": "hi", "extra_context": "x" * 131_072, "editor_content": "x" * 131_072}, "request: has 262"),
    ],
)
async def test_bad_input_names_the_field(served: Served, method: str, fields: dict[str, Any], told: str) -> None:
    for transport in TRANSPORTS:
        reply = await by(transport, served, method, pb.AgentRequest(**fields))
        assert reply.code == "INVALID_ARGUMENT", transport
        assert reply.text.startswith(told), transport
    assert not served.answers.turns


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_bytes_that_are_no_request_are_refused(served: Served, transport: str) -> None:
    for method in METHODS:
        reply = await by(transport, served, method, b"\xff\xff\xff")
        assert reply.code == "INVALID_ARGUMENT", method
        assert reply.text.startswith("request: is not "), method


@pytest.mark.parametrize(
    "error",
    [
        InvalidInput("query", "is odd: ñ % 循"),
        NotFound("session_id: there is no such session"),
        SessionBusy("session_id: busy"),
        Overloaded("full", 0.5),
        DeadlineExceeded("late"),
        DependencyUnavailable("ollama", "gone"),
        ConfigurationError("wrong"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("method", ["AskAgent", "AskAgentStream"])
async def test_an_error_is_the_same_by_every_transport(tmp_path: Path, method: str, error: EngineError) -> None:
    async with serving(tmp_path, failing(error)) as served:
        expected = await by("grpc", served, method, pb.AgentRequest(query="hi"))
        for transport in WEB:
            reply = await by(transport, served, method, pb.AgentRequest(query="hi"))
            assert (reply.code, reply.text) == (expected.code, expected.text), transport
            assert reply.metadata.get("retry-after-ms") == expected.metadata.get("retry-after-ms"), transport


class Panic(BaseException):
    """What a library in Rust raises when it panics."""


@pytest.mark.parametrize("kind", [ValueError, Panic])
@pytest.mark.parametrize("method", ["AskAgent", "AskAgentStream"])
async def test_an_unexpected_errors_words_stay_inside(
    tmp_path: Path, method: str, kind: type[BaseException], capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path, failing(kind("canary-words"))) as served:
        for transport in TRANSPORTS:
            reply = await by(transport, served, method, pb.AgentRequest(query="hi"), **{"x-request-id": "mine-7"})
            assert (reply.code, reply.text) == ("INTERNAL", "internal error; request id mine-7"), transport
            printed = capsys.readouterr()
            assert "canary" not in str(reply) + printed.out + printed.err
            assert "unexpected error in" in printed.out + printed.err, transport


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_request_id_of_the_caller_comes_back_if_it_may_stand_in_a_log(served: Served, transport: str) -> None:
    for given, kept in (("mine-7", True), ("a b [classify] L1", False)):
        reply = await by(transport, served, "ListSessions", pb.ListSessionsRequest(), **{"x-request-id": given})
        assert (reply.metadata["x-request-id"] == given) is kept


@pytest.mark.parametrize("method", ["AskAgent", "AskAgentStream"])
@pytest.mark.parametrize("transport", WEB)
async def test_a_deadline_of_the_caller_ends_the_turn(tmp_path: Path, transport: str, method: str) -> None:
    header = {"connect-timeout-ms": "50"} if transport.startswith("connect") else {"grpc-timeout": "50m"}
    async with serving(tmp_path, endless) as served:
        reply = await by(transport, served, method, pb.AgentRequest(query="hi"), **header)
        assert reply.code == "DEADLINE_EXCEEDED"
        assert served.answers.turns[0].deadline is not None
        assert served.answers.ended.is_set()


@pytest.mark.parametrize("transport", WEB)
async def test_a_deadline_that_is_none_is_named(served: Served, transport: str) -> None:
    name = "connect-timeout-ms" if transport.startswith("connect") else "grpc-timeout"
    reply = await by(transport, served, "ListSessions", pb.ListSessionsRequest(), **{name: "soon"})
    assert reply.code == "INVALID_ARGUMENT"
    assert reply.text.startswith(f"{name}: must be ")


@pytest.mark.parametrize("transport", WEB)
async def test_a_stopping_server_lets_nobody_in(served: Served, transport: str) -> None:
    served.web._in_flight.close()
    reply = await by(transport, served, "ListSessions", pb.ListSessionsRequest())
    assert reply.code == "UNAVAILABLE"
    assert reply.text.startswith("engine: it is stopping")


@pytest.mark.parametrize("method", ["AskAgent", "AskAgentStream"])
@pytest.mark.parametrize("transport", WEB)
async def test_what_outlasts_the_grace_is_cut_and_told(tmp_path: Path, transport: str, method: str) -> None:
    async with serving(tmp_path, endless) as served:
        asking = asyncio.create_task(by(transport, served, method, pb.AgentRequest(query="hi")))
        async with httpx.AsyncClient(trust_env=False, verify=UNREAD) as client:
            while not served.answers.turns:
                await client.get(f"{served.url}/healthz")
        await served.web.stop(0.01)
        reply = await asking
        assert served.answers.ended.is_set()
    assert reply.code == "UNAVAILABLE"
    assert [getattr(message, "text_delta", "") for message in reply.messages] in ([], ["first"])


async def test_the_suite_asks_every_method_there_is() -> None:
    assert all(isinstance(request_of(method), Message) for method in METHODS)
    assert len(METHODS) == 13
