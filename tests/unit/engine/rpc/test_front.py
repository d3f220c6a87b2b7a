"""GRPC's loop beside the engine's: what is refused waits for no turn, and a call's work ends with the call."""

from __future__ import annotations

import asyncio
import selectors
import socket
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2

from engine.domain import Event, TextDelta, Turn
from engine.errors import DeadlineExceeded, Overloaded
from engine.rpc.front import Front, Relay, Send
from engine.v1 import engine_pb2 as pb
from tests.serving import Full, Placed, endless, serving

_ASK = "/engine.v1.AssistanceService/AskAgent"
_STREAM = "/engine.v1.AssistanceService/AskAgentStream"
_HEALTH = "/grpc.health.v1.Health/Check"
_SECONDS = 60.0

NAME: ContextVar[str] = ContextVar("NAME", default="")


@pytest.fixture
async def front() -> AsyncGenerator[Front]:
    made = Front()
    made.start()
    yield made
    await made.stop()


class Sent:
    """What came through a relay that begins on gRPC's loop, and whether its work ended."""

    def __init__(self) -> None:
        self.engine = asyncio.get_running_loop()
        self.texts: list[str] = []
        self.ended = asyncio.Event()

    async def by(self, work: Callable[[Send], Awaitable[None]]) -> None:
        """To be run on gRPC's loop."""
        relay = Relay(self.engine)
        relay.begin(work, self.ended.set)
        async for message in relay:
            assert isinstance(message, pb.AgentEvent)
            self.texts.append(message.text_delta)
            if message.text_delta == "late":
                relay.give_up(DeadlineExceeded("not read"))


def text(of: str) -> pb.AgentEvent:
    return pb.AgentEvent(text_delta=of)


async def test_messages_come_in_order_from_the_engines_loop(front: Front) -> None:
    sent, threads = Sent(), set()

    async def work(send: Send) -> None:
        for number in range(20):
            threads.add(threading.current_thread())
            await send(text(str(number)))

    await front.run(sent.by(work))
    assert sent.texts == [str(number) for number in range(20)]
    assert threads == {threading.current_thread()}
    assert sent.ended.is_set()


async def test_the_next_message_is_made_when_the_one_before_was_taken(front: Front) -> None:
    made: list[str] = []
    seen_at: list[int] = []

    class Watching(Sent):
        async def by(self, work: Callable[[Send], Awaitable[None]]) -> None:
            relay = Relay(self.engine)
            relay.begin(work, self.ended.set)
            async for _ in relay:
                seen_at.append(len(made))  # noqa: PERF401  # the list is seen to grow

    async def work(send: Send) -> None:
        for number in range(5):
            made.append(str(number))
            await send(text(str(number)))

    await front.run(Watching().by(work))
    assert seen_at == [1, 2, 3, 4, 5]


async def test_what_the_work_raises_is_raised_after_its_messages(front: Front) -> None:
    sent = Sent()

    async def work(send: Send) -> None:
        await send(text("one"))
        raise Overloaded("full", 1.0)

    with pytest.raises(Overloaded, match="full"):
        await front.run(sent.by(work))
    assert sent.texts == ["one"]
    assert sent.ended.is_set()


async def test_a_message_that_nobody_reads_fails_where_it_was_made(front: Front) -> None:
    sent, failed = Sent(), asyncio.Event()

    async def work(send: Send) -> None:
        try:
            await send(text("late"))
        except DeadlineExceeded:
            failed.set()
            raise

    with pytest.raises(DeadlineExceeded, match="not read"):
        await front.run(sent.by(work))
    assert failed.is_set()


async def test_work_that_is_left_before_it_began_ends_all_the_same() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def work(send: Send) -> None:
        began.set()
        await send(text("never"))

    relay = Relay(asyncio.get_running_loop())
    relay.begin(work, ended.set)
    relay.leave()
    async with asyncio.timeout(_SECONDS):
        await ended.wait()
    assert not began.is_set()


async def test_the_work_sees_the_variables_of_the_call(front: Front) -> None:
    sent, seen = Sent(), []

    async def work(send: Send) -> None:
        seen.append(NAME.get())
        await send(text("one"))

    async def named() -> None:
        NAME.set("call 7")
        await sent.by(work)

    await front.run(named())
    assert seen == ["call 7"]
    assert NAME.get() == ""


async def test_a_front_stops_twice_and_without_a_start() -> None:
    await Front().stop()
    front = Front()
    front.start()
    await front.stop()
    await front.stop()


async def test_what_arrives_is_seen_while_the_loop_has_something_to_do(front: Front) -> None:
    near, far = socket.socketpair()
    near.setblocking(False)  # noqa: FBT003  # the library's own

    async def until_it_came() -> bytes:
        loop = asyncio.get_running_loop()
        came = loop.create_task(loop.sock_recv(near, 1))
        await asyncio.sleep(0)
        far.send(b"x")
        while not came.done():  # noqa: ASYNC110  # the loop is never idle
            await asyncio.sleep(0)
        return came.result()

    with near, far:
        async with asyncio.timeout(_SECONDS):
            assert await front.run(until_it_came()) == b"x"


async def test_a_busy_loop_gives_the_interpreter_away_at_every_few_steps_only(
    front: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float | None] = []

    def counted(selector: Any, timeout: float | None = None) -> Any:
        asked.append(timeout)
        return select(selector, timeout)

    select = selectors.DefaultSelector.select
    monkeypatch.setattr(selectors.DefaultSelector, "select", counted)

    async def steps() -> int:
        before = asked.count(0)
        for _ in range(90):
            await asyncio.sleep(0)
        return asked.count(0) - before

    assert await front.run(steps()) <= 11


def refused_by(address: str, method: str) -> tuple[grpc.StatusCode, dict[str, Any]]:
    """How a call of another thread ends."""
    channel: Any = grpc.insecure_channel(address)
    with channel:
        request = pb.AgentRequest(query="hi").SerializeToString()
        try:
            if method == _STREAM:
                list(channel.unary_stream(method)(request, timeout=_SECONDS))
            else:
                channel.unary_unary(method)(request, timeout=_SECONDS)
        except grpc.RpcError as error:
            call: Any = error
            return call.code(), dict(call.trailing_metadata())
    raise AssertionError("it was answered")


def health_by(address: str) -> int:
    channel: Any = grpc.insecure_channel(address)
    with channel:
        answer = channel.unary_unary(_HEALTH)(health_pb2.HealthCheckRequest().SerializeToString(), timeout=_SECONDS)
    return int(health_pb2.HealthCheckResponse.FromString(answer).status)


@pytest.mark.parametrize("method", [_ASK, _STREAM])
async def test_a_refusal_does_not_wait_for_the_loop_of_the_turns(tmp_path: Path, method: str) -> None:
    async with serving(tmp_path, kind=Full) as served:
        with ThreadPoolExecutor(1) as caller:
            asked = caller.submit(refused_by, served.grpc.address, method)
            code, told = asked.result()  # this thread's loop, which turns run on, stands still
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert told["retry-after-ms"] == "2000"
    assert told["x-request-id"]


async def test_health_is_told_while_the_loop_of_the_turns_stands_still(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        with ThreadPoolExecutor(1) as caller:
            status = caller.submit(health_by, served.grpc.address).result()
    assert status == health_pb2.HealthCheckResponse.SERVING


async def one_word(_turn: Turn) -> AsyncGenerator[Event]:
    yield TextDelta("one")


@pytest.mark.parametrize(
    ("request_", "ends"),
    [
        (pb.AgentRequest(query="hi"), "OK"),
        (pb.AgentRequest(), "INVALID_ARGUMENT"),
        (pb.AgentRequest(query="hi"), "CANCELLED"),
    ],
)
async def test_a_call_gives_its_place_up_however_it_ends(tmp_path: Path, request_: pb.AgentRequest, ends: str) -> None:
    async with serving(tmp_path, endless if ends == "CANCELLED" else one_word, kind=Placed) as served:
        answers = served.answers
        assert isinstance(answers, Placed)
        channel: Any = grpc.aio.insecure_channel(served.grpc.address)
        async with channel:
            call = channel.unary_stream(_STREAM)(request_.SerializeToString())
            with suppress(grpc.aio.AioRpcError):
                await call.read()
            if ends == "CANCELLED":
                call.cancel()
            code = await call.code()
        async with asyncio.timeout(_SECONDS):
            while not answers.left:  # noqa: ASYNC110  # there is no event for it
                await asyncio.sleep(0)
        assert (code.name, answers.taken, answers.left) == (ends, 1, 1)


async def test_bytes_that_are_no_request_give_their_place_back(tmp_path: Path) -> None:
    async with serving(tmp_path, kind=Placed) as served:
        answers = served.answers
        assert isinstance(answers, Placed)
        channel: Any = grpc.aio.insecure_channel(served.grpc.address)
        async with channel:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await channel.unary_unary(_ASK)(b"\xff\xff")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert (answers.taken, answers.left) == (1, 1)


async def test_a_call_is_refused_before_its_request_has_come(tmp_path: Path) -> None:
    async with serving(tmp_path, kind=Full) as served:
        channel: Any = grpc.aio.insecure_channel(served.grpc.address)
        async with channel, asyncio.timeout(_SECONDS):
            assert await channel.stream_stream(_STREAM)().code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_call_without_a_request_is_told_so_and_gives_its_place_back(tmp_path: Path) -> None:
    async with serving(tmp_path, kind=Placed) as served:
        answers = served.answers
        assert isinstance(answers, Placed)
        channel: Any = grpc.aio.insecure_channel(served.grpc.address)
        async with channel, asyncio.timeout(_SECONDS):
            call = channel.stream_stream(_STREAM)()
            await call.done_writing()
            assert await call.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert await call.details() == "request: is missing; send one message"
    assert (answers.taken, answers.left) == (1, 1)
