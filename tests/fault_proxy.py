"""A proxy over HTTP that spoils what it is told to, in front of a real server (Elasticsearch, Ollama) on loopback.

It runs in a thread of its own, so that synchronous and asynchronous tests can use it alike. What it does to a request is
decided by `fault`, which may be changed at any time.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx


@dataclass(frozen=True, slots=True)
class Hang:
    """Takes the request and says nothing, until the client goes."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Breaks the connection, after `lines` lines of the real answer."""

    lines: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """Answers by itself, without asking the server."""

    status: int
    body: Any = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Asks the server and changes the JSON of its answer."""

    change: Callable[[Any], Any]


Fault = Hang | Reset | Reply | Rewrite | None


@dataclass(frozen=True, slots=True)
class Request:
    """What a client has asked."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class FaultProxy:
    """See the module.

    Attributes:
        fault: What to do with a request; None passes it on.
        requests: Those that came, in order.
        address: Where it listens, the same after `listen` as before.
        gone: How many clients have left a request that hung.
    """

    def __init__(self, upstream: str) -> None:
        self.fault: Callable[[Request], Fault] = lambda _: None
        self.requests: list[Request] = []
        self.gone = 0
        self._upstream = upstream
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fault-proxy", daemon=True)
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self._port = 0
        self._changed = threading.Condition()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @contextmanager
    def running(self) -> Iterator[FaultProxy]:
        """Listens until the end."""
        self._thread.start()
        try:
            self._do(self._start())
            yield self
            self.deaf()
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    @contextmanager
    def failing(self, fault: Fault, *, of: str = "") -> Iterator[FaultProxy]:
        """Spoils every request whose path holds `of`."""
        self.fault = lambda request: fault if of in request.path else None
        try:
            yield self
        finally:
            self.fault = lambda _: None

    def deaf(self) -> None:
        """Refuses connections and breaks those there are."""
        self._do(self._stop())

    def listen(self) -> None:
        """Listens again."""
        self._do(self._start())

    def wait(self, until: Callable[[FaultProxy], bool], *, seconds: float = 5.0) -> None:
        """Blocks until `until` holds, looking at each request that comes and each client that goes."""
        with self._changed:
            if not self._changed.wait_for(lambda: until(self), seconds):
                raise TimeoutError

    def paths(self, word: str = "") -> list[str]:
        """The paths that were asked for and hold `word`."""
        return [request.path for request in self.requests if word in request.path]

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _start(self) -> None:
        self._client = httpx.AsyncClient(base_url=self._upstream, timeout=600, trust_env=False)
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port, reuse_address=True)
        self._port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        if self._server is None:
            return
        server, self._server = self._server, None
        server.close()
        tasks = list(self._serving)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
        await self._client.aclose()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await _request(reader):
                with self._changed:
                    self.requests.append(request)
                    self._changed.notify_all()
                if not await self._answer(request, reader, writer):
                    break
        except (ConnectionError, httpx.HTTPError):
            pass
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection may go on."""
        match self.fault(request):
            case Hang():
                await reader.read()
                with self._changed:
                    self.gone += 1
                    self._changed.notify_all()
                return False
            case Reset(lines):
                if lines:
                    await self._forward(request, writer, lines)
                _abort(writer)
                return False
            case Reply(status) as reply:
                _respond(writer, status, {"x-elastic-product": "Elasticsearch"}, reply.content)
            case Rewrite(change):
                answer = await self._client.send(self._asked(request))
                content = json.dumps(change(answer.json())).encode()
                _respond(writer, answer.status_code, dict(answer.headers), content)
            case None:
                await self._forward(request, writer)
        await writer.drain()
        return True

    async def _forward(self, request: Request, writer: asyncio.StreamWriter, lines: int = -1) -> None:
        """Passes the answer on as it comes, at most `lines` lines of it."""
        answer = await self._client.send(self._asked(request), stream=True)
        try:
            writer.write(_head(answer.status_code, dict(answer.headers), "transfer-encoding: chunked"))
            async for chunk in answer.aiter_bytes():
                if lines == 0:
                    return
                if chunk and request.method != "HEAD":
                    writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                    await writer.drain()
                lines -= chunk.count(b"\n") if lines > 0 else 0
            if request.method != "HEAD":
                writer.write(b"0\r\n\r\n")
        finally:
            await answer.aclose()

    def _asked(self, request: Request) -> httpx.Request:
        kept = {k: v for k, v in request.headers.items() if k not in ("host", "connection", "accept-encoding")}
        return self._client.build_request(request.method, request.path, headers=kept, content=request.body)


async def _request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        method, path, _ = head.split("\r\n")[0].split(" ", 2)
        pairs = [line.split(":", 1) for line in head.split("\r\n")[1:] if ":" in line]
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        return Request(method, path, headers, await reader.readexactly(int(headers.get("content-length", "0"))))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def _head(status: int, headers: dict[str, str], length: str) -> bytes:
    kept = [
        f"{name}: {value}"
        for name, value in headers.items()
        if name.lower() not in ("content-length", "transfer-encoding", "content-encoding", "connection")
    ]
    return "\r\n".join([f"HTTP/1.1 {status} Status", *kept, length, "", ""]).encode("latin-1")


def _respond(writer: asyncio.StreamWriter, status: int, headers: dict[str, str], content: bytes) -> None:
    headers = {"content-type": "application/json"} | headers
    writer.write(_head(status, headers, f"content-length: {len(content)}") + content)


def _abort(writer: asyncio.StreamWriter) -> None:
    """Ends the connection by a reset, not by a farewell."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
