"""The web server over doubles: leaving, limits, probes, stops, and what is not served."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.protobuf.message import Message

from engine.domain import Event, TextDelta, Turn
from engine.errors import ConfigurationError, InvalidInput
from engine.v1 import engine_pb2 as pb
from engine.web import exchange
from engine.web.exchange import BODY_BYTES
from engine.web.server import WebServer
from tests.serving import Full, Placed, Served, failing, serving
from tests.transports import TRANSPORTS, UNREAD, framed, frames_while_they_come

ASK = "/engine.v1.AssistanceService/AskAgent"
STREAM = "/engine.v1.AssistanceService/AskAgentStream"
HI: Message = pb.AgentRequest(query="hi")


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(tmp_path) as running:
        yield running


@pytest.fixture
async def http(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=served.url, timeout=60, trust_env=False, verify=UNREAD) as client:
        yield client


@pytest.mark.parametrize("kind", ["application/connect+proto", "application/grpc-web"])
async def test_text_comes_while_it_is_made_and_leaving_ends_the_turn(
    served: Served, http: httpx.AsyncClient, kind: str
) -> None:
    body = framed(HI.SerializeToString())
    async with http.stream("POST", STREAM, content=body, headers={"content-type": kind}) as response:
        assert response.headers["cache-control"] == "no-store"
        _, payload = await anext(frames_while_they_come(response))
        assert pb.AgentEvent.FromString(payload).text_delta == "first"
        assert not served.answers.ended.is_set()
    async with asyncio.timeout(60):
        await served.answers.ended.wait()


@pytest.mark.parametrize(
    ("path", "kind", "body"),
    [(ASK, "application/proto", HI.SerializeToString()), (ASK, "application/grpc-web", framed(HI.SerializeToString()))],
)
async def test_leaving_a_whole_answer_ends_the_turn_too(served: Served, path: str, kind: str, body: bytes) -> None:
    reader, writer = await asyncio.open_connection(*served.web.address.split(":"))
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    async with httpx.AsyncClient(trust_env=False, verify=UNREAD) as client:
        while not served.answers.turns:
            await client.get(f"{served.url}/healthz")
    writer.close()
    async with asyncio.timeout(60):
        await served.answers.ended.wait()
    assert reader is not None


async def test_a_body_that_is_too_large_is_not_read(http: httpx.AsyncClient) -> None:
    answered = await http.post(ASK, content=b"x" * (BODY_BYTES + 1), headers={"content-type": "application/proto"})
    assert answered.status_code == 429
    assert answered.json()["code"] == "resource_exhausted"

    async def endless_body() -> AsyncGenerator[bytes]:
        for _ in range(BODY_BYTES // 65_536 + 1):
            yield b"x" * 65_536

    answered = await http.post(ASK, content=endless_body(), headers={"content-type": "application/proto"})
    assert answered.json() == {
        "code": "resource_exhausted",
        "message": "request: is too large; a body may have 1048576 bytes",
    }


async def test_a_body_that_does_not_come_is_not_waited_for(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_BODY_SECONDS", 0.05)
    reader, writer = await asyncio.open_connection(*served.web.address.split(":"))
    head = f"POST {ASK} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/proto\r\nContent-Length: 9\r\n\r\nx"
    writer.write(head.encode())
    async with asyncio.timeout(60):
        assert b" 504 " in await reader.readline()
    writer.close()


async def first_line(served: Served, path: str, kind: str) -> bytes:
    """Of the response to a request whose body does not come."""
    _, writer = opened = await asyncio.open_connection(*served.web.address.split(":"))
    writer.write(
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: 9\r\n\r\n".encode()
    )
    async with asyncio.timeout(60):
        line = await opened[0].readline()
    writer.close()
    return line


@pytest.mark.parametrize(
    ("path", "kind", "status"),
    [
        (ASK, "application/json", b" 429 "),
        (STREAM, "application/connect+proto", b" 200 "),  # HTTP's status of a stream; its own stands in the last frame
        ("/v1/chat/completions", "application/json", b" 429 "),
    ],
)
async def test_a_call_is_refused_before_its_body_has_come(tmp_path: Path, path: str, kind: str, status: bytes) -> None:
    async with serving(tmp_path, kind=Full) as served:
        assert status in await first_line(served, path, kind)
        assert served.answers.turns == []


@pytest.mark.parametrize("path", [ASK, STREAM, "/v1/chat/completions"])
@pytest.mark.parametrize("body", [b"{}", b"no JSON", None])
async def test_an_exchange_gives_its_place_up_however_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, body: bytes | None
) -> None:
    monkeypatch.setattr(exchange, "_BODY_SECONDS", 60 if body else 0.05)
    kind = "application/connect+json" if path == STREAM else "application/json"
    async with serving(tmp_path, failing(InvalidInput("query", "is empty")), kind=Placed) as served:
        if body is None:
            await first_line(served, path, kind)
        else:
            async with httpx.AsyncClient(base_url=served.url, timeout=60, trust_env=False, verify=UNREAD) as client:
                sent = framed(body) if path == STREAM else body
                await client.post(path, content=sent, headers={"content-type": kind})
        answers = served.answers
    assert isinstance(answers, Placed)
    assert (answers.taken, answers.left) == (1, 1)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (ASK, "text/plain"),
        (ASK, ""),
        (ASK, "application/connect+json"),
        (STREAM, "application/json"),
        (ASK, "application/grpc"),
    ],
)
async def test_another_content_type_is_told_which_are_served(http: httpx.AsyncClient, path: str, kind: str) -> None:
    answered = await http.post(path, content=b"{}", headers={"content-type": kind})
    assert answered.status_code == 415
    assert "application/grpc-web-text" in answered.headers["accept-post"]
    assert ("application/json" in answered.headers["accept-post"]) is (path == ASK)


async def test_parameters_of_a_content_type_do_not_matter(http: httpx.AsyncClient) -> None:
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    assert (await http.post("/engine.v1.AssistanceService/ListSessions", content=b"", headers=headers)).json() == {
        "sessions": [],
        "nextPageToken": "",
    }


async def test_a_compressed_body_is_refused_by_name(http: httpx.AsyncClient) -> None:
    for name in ("content-encoding", "connect-content-encoding", "grpc-encoding"):
        answered = await http.post(ASK, content=b"{}", headers={"content-type": "application/json", name: "gzip"})
        assert answered.status_code == 501
        assert answered.json()["message"].startswith(f"{name}: gzip is not supported")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("POST", "/engine.v1.AssistanceService/Unknown", 404, "unimplemented"),
        ("GET", ASK, 405, "unimplemented"),
        ("GET", "/nothing", 404, "not_found"),
        ("POST", "/healthz", 405, "unimplemented"),
    ],
)
async def test_what_is_not_served_says_so(
    http: httpx.AsyncClient, method: str, path: str, status: int, code: str
) -> None:
    answered = await http.request(method, path)
    assert (answered.status_code, answered.json()["code"]) == (status, code)


async def test_probes_tell_life_readiness_and_each_dependency(tmp_path: Path) -> None:
    async def works() -> None:
        return

    async def fails() -> None:
        raise ValueError("canary")

    async with (
        serving(tmp_path, index=works, ollama=fails) as served,
        httpx.AsyncClient(trust_env=False, verify=UNREAD) as client,
    ):
        assert (await client.get(f"{served.url}/healthz")).json() == {"status": "ok"}
        ready = await client.get(f"{served.url}/readyz")
        assert ready.status_code == 200
        assert ready.json() == {"status": "SERVING", "dependencies": {"index": "SERVING", "ollama": "NOT_SERVING"}}
        served.web._in_flight.close()
        ready = await client.get(f"{served.url}/readyz")
        assert (ready.status_code, ready.json()["status"]) == (503, "NOT_SERVING")


async def test_stopping_waits_for_a_running_answer(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def gated(_turn: Turn) -> AsyncGenerator[Event]:
        yield TextDelta("one")
        await gate.wait()
        yield TextDelta("two")

    async with (
        serving(tmp_path, gated) as served,
        httpx.AsyncClient(timeout=60, trust_env=False, verify=UNREAD) as client,
    ):
        body = framed(HI.SerializeToString())
        headers = {"content-type": "application/connect+proto"}
        async with client.stream("POST", served.url + STREAM, content=body, headers=headers) as response:
            frames = frames_while_they_come(response)
            await anext(frames)
            stopping = asyncio.create_task(served.web.stop(60))
            while not served.web._in_flight.closed:
                await asyncio.wait([stopping], timeout=0)
            gate.set()
            _, payload = await anext(frames)
            assert pb.AgentEvent.FromString(payload).text_delta == "two"
            assert await anext(frames) == (2, b"{}")
        await stopping


async def test_a_stop_in_a_hurry_ends_what_another_waits_for(served: Served, http: httpx.AsyncClient) -> None:
    body = framed(HI.SerializeToString())
    async with http.stream("POST", STREAM, content=body, headers={"content-type": "application/grpc-web"}) as response:
        frames = frames_while_they_come(response)
        await anext(frames)
        waiting = asyncio.create_task(served.web.stop(600))
        while not served.web._in_flight.closed:
            await asyncio.wait([waiting], timeout=0)
        waiting.cancel()
        await served.web.stop(0)
        assert served.answers.ended.is_set()
        flags, trailers = await anext(frames)
        assert flags == 0x80
        assert trailers.startswith(b"grpc-status: 14")


async def test_a_port_in_use_is_named(served: Served) -> None:
    second = WebServer(
        served.service,
        address=served.web.address,
        dependencies=served.grpc.dependencies,
    )
    with pytest.raises(ConfigurationError, match=f"ENGINE_WEB_ADDRESS: cannot listen on {served.web.address}"):
        await second.start()


async def test_an_event_does_not_wait_for_the_acknowledgement_of_the_one_before(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted: list[socket.socket] = []
    taken = socket.socket.accept

    def accept(listening: socket.socket) -> tuple[socket.socket, Any]:
        connection, address = taken(listening)
        accepted.append(connection)
        return connection, address

    monkeypatch.setattr(socket.socket, "accept", accept)
    _, writer = await asyncio.open_connection(*served.web.address.split(":"))
    async with httpx.AsyncClient(trust_env=False) as client:
        assert (await client.get(f"{served.url}/healthz")).status_code == 200  # by now both were accepted
        ours = [one for one in accepted if one.getsockname()[1] == int(served.web.address.split(":")[1])]
        assert ours
        assert all(one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for one in ours)
    writer.close()


async def test_it_listens_on_ipv6_too(served: Served) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    server = WebServer(served.service, address="[::1]:0", dependencies=served.grpc.dependencies)
    await server.start()
    async with httpx.AsyncClient(trust_env=False, verify=UNREAD) as client:
        assert (await client.get(f"http://{server.address}/healthz")).status_code == 200
    await server.stop(0)


async def test_an_error_that_no_endpoint_expected_keeps_its_words(
    served: Served, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(served.grpc.dependencies, "working", 7)  # what no probe expects
    answered = await http.get("/readyz")
    assert (answered.status_code, answered.json()) == (500, {"code": "internal", "message": "internal error"})
    printed = capsys.readouterr()
    assert "AttributeError" in printed.out + printed.err
    assert "no attribute" not in printed.out + printed.err


async def test_pages_of_other_sites_and_other_names_are_kept_out(http: httpx.AsyncClient) -> None:
    headers = {"content-type": "application/json", "origin": "https://other.example.com"}
    assert (await http.post(ASK, content=b"{}", headers=headers)).status_code == 403
    assert (await http.get("/healthz", headers={"host": "rebound.example.com"})).status_code == 421


async def test_fifty_streams_at_a_time_hold(tmp_path: Path) -> None:
    everyone = asyncio.Event()
    here = 0

    async def together(_turn: Turn) -> AsyncGenerator[Event]:
        nonlocal here
        here += 1
        if here == 50:
            everyone.set()
        await everyone.wait()
        for place in range(20):
            yield TextDelta(f"{place} ")

    async with serving(tmp_path, together) as served:
        call = TRANSPORTS["connect-proto"]
        replies = await asyncio.gather(*(call("", served.web.address, "AskAgentStream", HI) for _ in range(50)))
    assert {"".join(item.text_delta for item in reply.messages) for reply in replies} == {
        "".join(f"{place} " for place in range(20))
    }
    assert {reply.code for reply in replies} == {"OK"}
