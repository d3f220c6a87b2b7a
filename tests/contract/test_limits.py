"""Limits of callers, connections and readers, over real connections."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from pathlib import Path

import grpc
import httpx
import pytest

from engine.domain import Event, TextDelta, Turn
from engine.service.access import Access
from engine.service.calls import SERVICE
from engine.service.limits import Rates, ServerLimits
from engine.testing import FixedClock
from engine.v1 import engine_pb2 as pb
from engine.web import connections
from tests.metered import metered
from tests.serving import Served, serving
from tests.transports import TRANSPORTS, UNREAD

PATH = f"/{SERVICE.full_name}/AskAgentStream"
HI = pb.AgentRequest(query="hi").SerializeToString()


async def flood(_turn: Turn) -> AsyncGenerator[Event]:
    """An answer that never ends, of more than any buffer takes."""
    while True:
        yield TextDelta("x" * 50_000)


async def one_word(_turn: Turn) -> AsyncGenerator[Event]:
    yield TextDelta("word")


@pytest.fixture
async def flooding(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(tmp_path, flood, limits=ServerLimits(stall=0.2)) as served:
        yield served


async def test_who_does_not_read_a_stream_of_grpc_is_ended_and_told_so_when_it_does(flooding: Served) -> None:
    async with grpc.aio.insecure_channel(flooding.grpc.address) as channel:
        with metered() as counted:
            call = channel.unary_stream(PATH, None, None)(HI)
            read = aiter(call)
            await anext(read)
            async with asyncio.timeout(60):
                await flooding.answers.ended.wait()  # the turn is over although the call is not
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                async for _ in read:
                    pass
            assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
            assert "was not read for 0.2 s" in str(caught.value.details())
            assert counted["engine_stalled_readers_total{method=AskAgentStream}"] == 1
            assert counted["engine_calls_total{code=DEADLINE_EXCEEDED,method=AskAgentStream}"] == 1
            assert counted["engine_streams_in_flight"] == 0


def unread(address: str) -> socket.socket:
    """A connection over which an answer is asked for and never read."""
    host, _, port = address.rpartition(":")
    connected = socket.create_connection((host, int(port)))
    body = b"\0" + len(HI).to_bytes(4, "big") + HI
    head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/grpc-web\r\n"
    connected.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    return connected


async def test_the_turn_of_who_does_not_read_a_response_of_http_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(socket, "TCP_USER_TIMEOUT", raising=False)  # as where the system cannot end the connection
    async with serving(tmp_path, flood, limits=ServerLimits(stall=0.2)) as served:
        connected = unread(served.web.address)
        async with asyncio.timeout(60):
            await served.answers.ended.wait()
        connected.close()


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux ends such a connection by itself")
async def test_the_connection_of_who_does_not_read_a_response_of_http_is_closed(flooding: Served) -> None:
    connected = unread(flooding.web.address)
    async with asyncio.timeout(60):
        await flooding.answers.ended.wait()
        while flooding.web._server.server_state.connections:  # noqa: ASYNC110  # the system ends it, and tells nobody
            await asyncio.sleep(0.01)
    connected.close()


async def test_who_reads_slowly_but_reads_is_left_alone(tmp_path: Path) -> None:
    async def long(_turn: Turn) -> AsyncGenerator[Event]:
        for _ in range(40):
            yield TextDelta("x" * 50_000)

    async with (
        serving(tmp_path, long, limits=ServerLimits(stall=30)) as served,
        grpc.aio.insecure_channel(served.grpc.address) as channel,
    ):
        call, read = channel.unary_stream(PATH, None, None)(HI), 0
        async for _ in call:
            await asyncio.sleep(0.005)
            read += 1
        assert (read, await call.code()) == (40, grpc.StatusCode.OK)


@pytest.mark.parametrize("name", TRANSPORTS)
async def test_a_caller_over_its_rate_is_refused_by_every_transport_with_a_hint(tmp_path: Path, name: str) -> None:
    class OneCaller(Rates):
        """All connections of this machine count as one caller, as those of another machine do."""

        def take(self, caller: str) -> None:
            super().take(caller and "one")

    access = Access(rates=OneCaller(2, clock=FixedClock()))
    async with serving(tmp_path, one_word, access=access) as served:
        request = pb.ListSessionsRequest()
        replies = [
            await TRANSPORTS[name](served.grpc.address, served.web.address, "ListSessions", request) for _ in range(3)
        ]
    assert [reply.code for reply in replies] == ["OK", "OK", "RESOURCE_EXHAUSTED"]
    assert replies[2].metadata["retry-after-ms"] == "30000"


async def closed(connected: socket.socket) -> None:
    """Returns when the other side has closed the connection."""
    loop = asyncio.get_running_loop()
    connected.settimeout(0)
    with suppress(ConnectionError):
        while await loop.sock_recv(connected, 100):
            pass


@pytest.mark.parametrize("which", ["grpc", "web"])
async def test_connections_over_the_limit_are_closed_and_those_before_are_served(tmp_path: Path, which: str) -> None:
    async with serving(tmp_path, one_word, limits=ServerLimits(connections=3)) as served:
        address = served.grpc.address if which == "grpc" else served.web.address
        host, _, port = address.rpartition(":")
        async with (
            grpc.aio.insecure_channel(served.grpc.address) as channel,
            httpx.AsyncClient(base_url=served.url, trust_env=False, verify=UNREAD) as http,
        ):

            async def answered() -> bool:
                if which == "web":
                    return (await http.get("/healthz")).status_code == 200
                call = channel.unary_unary(f"/{SERVICE.full_name}/ListSessions", None, None)(b"")
                return await call.code() is grpc.StatusCode.OK

            assert await answered()  # the first of three
            idle = [socket.create_connection((host, int(port))) for _ in range(20)]
            async with asyncio.timeout(60):
                await asyncio.gather(*(closed(one) for one in idle[2:]))
            assert await answered()
            for one in idle:
                one.close()


async def test_a_connection_that_sends_no_request_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.05)
    async with serving(tmp_path, one_word) as served:
        host, _, port = served.web.address.rpartition(":")
        silent, slow = (socket.create_connection((host, int(port))) for _ in range(2))
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: loc")
        async with asyncio.timeout(60):
            await asyncio.gather(closed(silent), closed(slow))
        silent.close()
        slow.close()


async def test_a_connection_whose_request_is_being_answered_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.05)
    turns = 5

    async def slow(_turn: Turn) -> AsyncGenerator[Event]:
        for _ in range(turns):
            await asyncio.sleep(0.03)
            yield TextDelta("word")

    async with serving(tmp_path, slow) as served:
        reply = await TRANSPORTS["connect-json"](
            served.grpc.address, served.web.address, "AskAgentStream", pb.AgentRequest(query="hi")
        )
    assert (reply.code, len(reply.messages)) == ("OK", turns)
