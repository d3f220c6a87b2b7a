"""A stand-in for an Ollama server on loopback: real HTTP, so that the adapter is tested with its own client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from enum import Enum, auto
from typing import Any

#: Words of the other side that must never come out of the adapter.
CANARY = "canary-5177"


_ABOUT_MODELS = ("/api/tags", "/api/ps", "/api/generate")


class Ending(Enum):
    """What the server does after its last line."""

    CLEAN = auto()
    """Ends the response as HTTP wants it."""
    CUT = auto()
    """Closes the connection in the middle of the response."""
    HANG = auto()
    """Keeps the connection until the client closes it."""


def word(text: str, *, thinking: str = "") -> dict[str, Any]:
    """A line of a streamed answer."""
    message = {"role": "assistant", "content": text} | ({"thinking": thinking} if thinking else {})
    return {"model": "m", "created_at": "2026-11-01T00:00:00Z", "message": message, "done": False}


def done(reason: str = "stop") -> dict[str, Any]:
    """The last line of a streamed answer."""
    return word("") | {"done": True, "done_reason": reason, "prompt_eval_count": 11, "eval_count": 7}


class FakeOllama:
    """Answers every request with `status` and `lines`, then does what `ending` says.

    Attributes:
        requests: Path and body of each request, in order, those about models apart.
        models: Names that it has, each with its tag or as `latest`.
        loaded: Names in memory; None: all of them.
        probes: Paths of the requests about models, in order.
        read: What it reports of a prompt that a model reads when it is loaded.
        loading: A model is in memory when this is set.
        unloading: A model that is to be taken out of memory is out when this is set.
        asked: Set with the first request.
        gone: Set when a client has closed its connection while the server kept it open.
    """

    def __init__(self) -> None:
        self.status = 200
        self.lines: Sequence[dict[str, Any] | bytes] = (word("Hello"), word(" world"), done())
        self.ending = Ending.CLEAN
        self.models = ["m", "qwen3:1.7b", "qwen3:0.6b"]
        self.loaded: list[str] | None = None
        self.probes: list[str] = []
        self.read: dict[str, Any] = {}
        self.loading = asyncio.Event()
        self.loading.set()
        self.unloading = asyncio.Event()
        self.unloading.set()
        self._leaving = False
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.asked = asyncio.Event()
        self.gone = asyncio.Event()
        self.host = ""
        self._serving: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[FakeOllama]:
        """Listens on a free port."""
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.host = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            await server.wait_closed()
            for task in self._serving:
                task.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._serving.add(task)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            path = await self._receive(reader)
            if path in _ABOUT_MODELS:
                await self._tell(path, writer)
                return
            await self._respond(writer)
            if self.ending is Ending.HANG:
                await reader.read()
                self.gone.set()
        except ConnectionError:
            self.gone.set()
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _receive(self, reader: asyncio.StreamReader) -> str:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        sizes = [line.split(":")[1] for line in head.splitlines() if line.lower().startswith("content-length:")]
        body = await reader.readexactly(int(sizes[0])) if sizes else b"{}"
        path = head.split()[1]
        if path in _ABOUT_MODELS:
            self.probes.append(path)
            self._leaving |= json.loads(body).get("keep_alive") == 0
        else:
            self.requests.append((path, json.loads(body)))
            self.asked.set()
        return path

    async def _tell(self, path: str, writer: asyncio.StreamWriter) -> None:
        if self._leaving and self.unloading.is_set():
            self.loaded, self._leaving = [], False
        elif path == "/api/generate" and not self._leaving:
            await self.loading.wait()
            self.loaded = None
        names = self.models if self.loaded is None or path == "/api/tags" else self.loaded
        listed = {"models": [{"name": n if ":" in n else f"{n}:latest"} for n in names]}
        content = json.dumps(self.read if path == "/api/generate" else listed).encode()
        status = self.status if path == "/api/tags" else 200
        head = f"HTTP/1.1 {status} Status\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + content)
        await writer.drain()

    async def _respond(self, writer: asyncio.StreamWriter) -> None:
        writer.write(
            f"HTTP/1.1 {self.status} Status\r\nContent-Type: application/x-ndjson\r\n"
            "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n".encode()
        )
        for line in self.lines:
            content = line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
            writer.write(b"%x\r\n%s\r\n" % (len(content), content))
            await writer.drain()
        if self.ending is Ending.CLEAN:
            writer.write(b"0\r\n\r\n")
        await writer.drain()
