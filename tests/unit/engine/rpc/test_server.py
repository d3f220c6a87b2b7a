"""The server over doubles: what the boundary does with errors, stops, deadlines and callers who leave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from structlog.testing import capture_logs

from engine.client import AssistanceClient
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Event, TextDelta, Turn
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
from engine.rpc.boundary import Boundary
from engine.rpc.server import GrpcServer
from engine.service.calls import Call, InFlight
from engine.service.methods import AssistanceService
from engine.testing import ScriptedRouter
from engine.v1 import engine_pb2 as pb
from tests.serving import Script, ScriptedAnswers, endless, failing


@pytest.fixture
def serve(tmp_path: Path) -> Any:
    @asynccontextmanager
    async def serving(
        script: Script, **checks: Any
    ) -> AsyncIterator[tuple[GrpcServer, AssistanceClient, ScriptedAnswers]]:
        store = SqlSessionStore(tmp_path / "sessions.sqlite3")
        answers = ScriptedAnswers(script)
        service = AssistanceService(answers, ScriptedRouter(), store, tmp_path / "none.jsonl")
        server = GrpcServer(service, address="127.0.0.1:0", checks=checks, reflection_on=False)
        await server.start()
        async with AssistanceClient(server.address) as client:
            yield server, client, answers
        await server.stop(0)
        await store.close()

    return serving


@pytest.mark.parametrize(
    "error",
    [
        InvalidInput("query", "is odd"),
        NotFound("session_id: there is no such session"),
        SessionBusy("session_id: busy"),
        Overloaded("full", 0.5),
        DeadlineExceeded("late"),
        DependencyUnavailable("ollama", "gone"),
        ConfigurationError("wrong"),
    ],
)
async def test_an_error_reaches_the_client_as_itself(serve: Any, error: EngineError) -> None:
    async with serve(failing(error)) as (_, client, _):
        with pytest.raises(type(error)) as asked:
            await client.ask("hi")
        with pytest.raises(type(error)) as streamed:
            [event async for event in client.stream("hi")]
    assert str(asked.value) == str(streamed.value) == str(error)


async def test_the_hint_of_an_overload_arrives(serve: Any) -> None:
    async with serve(failing(Overloaded("full", 0.5))) as (_, client, _):
        with pytest.raises(Overloaded) as caught:
            await client.ask("hi")
    assert caught.value.retry_after == 0.5


@pytest.mark.parametrize("method", ["ask", "stream"])
async def test_an_unexpected_errors_words_stay_inside(serve: Any, method: str, capsys: Any) -> None:
    async with serve(failing(ValueError("canary-words"))) as (_, client, _):
        call = client.ask("hi") if method == "ask" else anext(client.stream("hi"))
        with pytest.raises(EngineError, match=r"internal error; request id [0-9a-f]{32}") as caught:
            await call
    assert "canary" not in str(caught.value)
    printed = capsys.readouterr()
    assert "canary" not in printed.out + printed.err


class Panic(BaseException):
    """What a library in Rust raises when it panics."""


async def test_a_librarys_panic_is_an_internal_error_and_no_call_that_hangs(serve: Any) -> None:
    async with serve(failing(Panic("canary-words"))) as (_, client, _):
        with pytest.raises(EngineError, match=r"internal error; request id") as asked:
            await client.ask("hi")
        with pytest.raises(EngineError, match=r"internal error; request id"):
            await anext(client.stream("hi"))
    assert "canary" not in str(asked.value)


async def test_a_caller_who_leaves_closes_the_answer(serve: Any) -> None:
    async with serve(endless) as (_, client, answers):
        stream = client.stream("hi")
        assert (await anext(stream)).text_delta == "first"
        await stream.aclose()
        async with asyncio.timeout(5):
            await answers.ended.wait()


class Gone:
    """What gRPC gives a handler whose caller leaves while a message is being sent."""

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return ()

    def time_remaining(self) -> None:
        return None

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"

    async def read(self) -> bytes:
        return pb.AgentRequest(query="hi").SerializeToString()

    async def send_initial_metadata(self, metadata: object) -> None:
        del metadata

    async def write(self, message: object) -> None:
        raise grpc.aio.InternalError(f"{message} was not sent")

    async def abort(self, *said: object) -> None:
        raise AssertionError(f"nobody is there to be told {said}")


class GoneAtOnce(Gone):
    """The same where the caller leaves before anything is sent."""

    async def send_initial_metadata(self, metadata: object) -> None:
        raise grpc.aio.InternalError(f"{metadata} was not sent")


class Silent(Gone):
    """The same for a caller who stays and sends nothing."""

    def __init__(self) -> None:
        self.told: tuple[object, ...] = ()

    async def read(self) -> bytes:
        await asyncio.Event().wait()
        return b""

    async def abort(self, *said: object) -> None:
        self.told = said


def handler_of(answers: ScriptedAnswers, tmp_path: Path) -> Any:
    """What gRPC calls for AskAgentStream."""
    service = AssistanceService(answers, ScriptedRouter(), None, tmp_path)  # type: ignore[arg-type]  # not asked
    boundary = Boundary(service, InFlight(), 30.0, asyncio.get_running_loop())
    found = boundary.handlers().service(SimpleNamespace(method="/engine.v1.AssistanceService/AskAgentStream"))
    return found.stream_stream


async def test_a_caller_who_leaves_in_mid_message_is_no_error(tmp_path: Path) -> None:
    answers = ScriptedAnswers(endless)
    with capture_logs() as lines:
        await handler_of(answers, tmp_path)(None, Gone())
        async with asyncio.timeout(30):
            await answers.ended.wait()
    assert [line for line in lines if line["log_level"] == "error"] == []


async def test_a_caller_who_leaves_before_the_first_message_is_no_error(tmp_path: Path) -> None:
    with capture_logs() as lines:
        await handler_of(ScriptedAnswers(endless), tmp_path)(None, GoneAtOnce())
    assert [line for line in lines if line["log_level"] == "error"] == []


async def test_a_request_that_does_not_come_is_waited_for_for_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.rpc.boundary._REQUEST", 0)
    caller, answers = Silent(), ScriptedAnswers(endless)
    async with asyncio.timeout(30):
        await handler_of(answers, tmp_path)(None, caller)
    assert caller.told[:2] == (grpc.StatusCode.DEADLINE_EXCEEDED, "the request did not come within 0 s")
    assert answers.turns == []


async def test_a_deadline_reaches_the_turn_and_ends_it(serve: Any) -> None:
    async with serve(endless) as (server, _, answers):
        async with AssistanceClient(server.address, timeout=0.3) as hurried:
            with pytest.raises(DeadlineExceeded):
                await hurried.ask("hi")
        async with asyncio.timeout(5):
            await answers.ended.wait()
        remaining = answers.turns[0].deadline - asyncio.get_running_loop().time()
        assert remaining < 0.3


async def test_stopping_waits_for_a_running_answer(serve: Any) -> None:
    gate = asyncio.Event()

    async def gated(_turn: Turn) -> AsyncGenerator[Event]:
        yield TextDelta("one")
        await gate.wait()
        yield TextDelta("two")

    async with serve(gated) as (server, client, _):
        stream = client.stream("hi")
        assert (await anext(stream)).text_delta == "one"
        stopping = asyncio.create_task(server.stop(10))
        with pytest.raises(DependencyUnavailable, match="engine: it is stopping"):
            await client.ask("another")
        gate.set()
        assert [event.text_delta async for event in stream] == ["two"]
        await stopping


async def test_stopping_cuts_what_outlasts_the_grace(serve: Any) -> None:
    async with serve(endless) as (server, client, answers):
        stream = client.stream("hi")
        await anext(stream)
        async with asyncio.timeout(10):
            await server.stop(0.05)
        assert answers.ended.is_set()
        with pytest.raises(EngineError):
            await anext(stream)


async def test_a_health_watch_does_not_hold_the_stop_up(serve: Any) -> None:
    async with serve(endless) as (server, _, _), grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest(service=""))
        assert (await watch.read()).status == health_pb2.HealthCheckResponse.SERVING
        async with asyncio.timeout(10):
            await server.stop(60)


async def test_a_failing_dependency_shows_under_its_name_only(serve: Any) -> None:
    async def fails() -> None:
        raise DependencyUnavailable("ollama", "gone")

    async def works() -> None:
        return

    async with serve(endless, ollama=fails, index=works) as (_, client, _):
        assert await client.serving()
        assert await client.serving("index")
        assert not await client.serving("ollama")


async def test_a_second_server_on_the_port_is_refused(serve: Any) -> None:
    async with serve(endless) as (server, _, _), serve(endless) as (other, _, _):
        assert other.address != server.address
        service = AssistanceService(ScriptedAnswers(endless), ScriptedRouter(), None, Path("x"))  # type: ignore[arg-type]
        second = GrpcServer(service, address=server.address, checks={}, reflection_on=False)
        with pytest.raises(ConfigurationError, match=f"cannot listen on {server.address}"):
            await second.start()
        await second.stop(0)


async def test_a_missing_golden_set_says_how_to_name_one(serve: Any) -> None:
    async with serve(endless) as (_, client, _):
        with pytest.raises(NotFound, match="ENGINE_GOLDEN_SET"):
            [event async for event in client.evaluate()]


async def test_classify_of_an_unknown_session_is_not_found(serve: Any) -> None:
    async with serve(endless) as (_, client, _):
        with pytest.raises(NotFound, match="session_id"):
            await client.classify("hi", session_id="unknown")


def case() -> pb.GoldenCase:
    return pb.GoldenCase(query="What is it?", type="RETRIEVAL")


async def test_one_evaluation_runs_at_a_time(serve: Any) -> None:
    async with serve(endless) as (_, client, answers):
        running = asyncio.ensure_future(anext(client.evaluate([case()])))
        while not answers.turns:  # noqa: ASYNC110  # there is no event for it
            await asyncio.sleep(0)
        with pytest.raises(Overloaded, match="an evaluation is running already") as caught:
            await anext(client.evaluate([case()]))
        assert caught.value.retry_after > 1
        running.cancel()
        await asyncio.wait([running])
        async with asyncio.timeout(5):
            await answers.ended.wait()


async def test_an_evaluation_has_a_deadline_of_its_own(tmp_path: Path) -> None:
    store = SqlSessionStore(tmp_path / "sessions.sqlite3")
    answers = ScriptedAnswers(endless)
    service = AssistanceService(answers, ScriptedRouter(), store, tmp_path / "none", evaluation_seconds=60.0)
    now = asyncio.get_running_loop().time()
    for theirs, expected in ((None, now + 60), (now + 3600, now + 60), (now + 9, now + 9)):
        run = service.evaluate_rag(pb.EvaluateRagRequest(cases=[case()]), Call("EvaluateRAG", "r", "local", theirs))
        begun = asyncio.ensure_future(anext(run))
        while not answers.turns:  # noqa: ASYNC110  # there is no event for it
            await asyncio.sleep(0)
        begun.cancel()
        await asyncio.wait([begun])
        await run.aclose()
        deadline = answers.turns.pop().deadline
        assert deadline is not None
        assert abs(deadline - expected) < 30
    await store.close()
