"""A proxy in front of an Ollama server, real or not, that makes one of fourteen things go wrong with its answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing, asynccontextmanager, suppress
from enum import Enum
from typing import Any

import httpx

from tests.ollama_server import CANARY

#: Lines of an answer that pass before something goes wrong in its middle.
_BEFORE = 1


class Fault(Enum):
    """What goes wrong with requests for an answer."""

    REFUSED = "nobody listens"
    HANG_FIRST = "silence before the headers"
    HANG_LATER = "silence in mid-answer"
    RESET = "the connection is reset in mid-answer"
    NO_DONE = "the answer ends without its last line"
    MISSING = "404"
    ERROR = "500"
    FULL = "503"
    ERROR_LINE = "an error in mid-answer, with status 200"
    GARBAGE = "a line that is no JSON"
    ONLY_LOADED = "nothing but done_reason=load"
    LENGTH = "done_reason=length"
    THINKING = "thinking text beside the answer"
    SLOW = "a token at a time, slowly"


_STATUS = {Fault.MISSING: 404, Fault.ERROR: 500, Fault.FULL: 503}
#: What follows the lines that pass, and whether it is the end.
_INSTEAD = {Fault.ERROR_LINE: json.dumps({"error": CANARY}).encode(), Fault.GARBAGE: CANARY.encode()}
_ENDING = (Fault.HANG_LATER, Fault.RESET, Fault.ERROR_LINE)
_SILENT = (Fault.HANG_FIRST, Fault.HANG_LATER)


class OllamaFaults:
    """Passes everything on to `upstream`, and spoils answers while `fault` is set.

    Attributes:
        host: Its address.
        fault: What goes wrong from the next request on; None: nothing.
        pause: Seconds between two lines of a slow answer.
        gone: Set when a client has left a silent answer.
    """

    def __init__(self, upstream: str) -> None:
        self._upstream = upstream
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._port = 0
        self.host = ""
        self.fault: Fault | None = None
        self.pause = 1.0
        self.gone = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[OllamaFaults]:
        """Listens on a free port."""
        await self._listen()
        try:
            async with httpx.AsyncClient(timeout=120) as self._client:
                yield self
        finally:
            self._close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def set(self, fault: Fault | None) -> None:
        """Makes `fault` happen from now on."""
        self.fault = fault
        self.gone.clear()
        if fault is Fault.REFUSED:
            self._close()
        elif self._server is None:
            await self._listen()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        self.host = f"http://127.0.0.1:{self._port}"

    def _close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            sizes = [line.split(":")[1] for line in head.splitlines() if line.lower().startswith("content-length:")]
            body = await reader.readexactly(int(sizes[0])) if sizes else b""
            method, path = head.split()[:2]
            if path == "/api/chat" and self.fault is not None:
                answered = self._spoil(self.fault, body, writer)
            else:
                answered = self._pass(method, path, body, writer)
            if await _gone_before(answered, reader):
                self.gone.set()
        except (ConnectionError, asyncio.IncompleteReadError):
            self.gone.set()
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _pass(self, method: str, path: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        async with self._client.stream(method, f"{self._upstream}{path}", content=body) as answer:
            _head(writer, answer.status_code)
            async for content in answer.aiter_raw():
                await _chunk(writer, content)
        writer.write(b"0\r\n\r\n")

    async def _spoil(self, fault: Fault, body: bytes, writer: asyncio.StreamWriter) -> None:
        if fault is not Fault.HANG_FIRST:
            _head(writer, _STATUS.get(fault, 200))
            async with aclosing(self._lines(fault, body)) as lines:
                async for line in lines:
                    await _chunk(writer, line + b"\n")
        if fault in _SILENT:
            await asyncio.Event().wait()  # until the client leaves
        elif fault is Fault.RESET:
            writer.transport.abort()
        else:
            writer.write(b"0\r\n\r\n")
            await writer.drain()

    async def _lines(self, fault: Fault, body: bytes) -> AsyncGenerator[bytes]:
        if fault in _STATUS:
            yield json.dumps({"error": CANARY}).encode()
            return
        if fault is Fault.ONLY_LOADED:
            yield _line("", done=True, done_reason="load")
            return
        place = 0
        async with aclosing(self._answer(body)) as answer:  # an answer that is left open keeps the model's one slot
            async for line in answer:
                if fault is Fault.SLOW:
                    await asyncio.sleep(self.pause)
                changed = _changed(fault, json.loads(line))
                if changed is not None:
                    yield json.dumps(changed).encode()
                place += 1
                if place == _BEFORE and fault in _INSTEAD:
                    yield _INSTEAD[fault]
                if place == _BEFORE and fault in _ENDING:
                    return

    async def _answer(self, body: bytes) -> AsyncGenerator[bytes]:
        """The lines of the answer that the server gives, whatever the client asked about streaming."""
        async with self._client.stream("POST", f"{self._upstream}/api/chat", content=body) as answer:
            async for line in answer.aiter_lines():
                if line:
                    yield line.encode()


async def _gone_before(answering: Coroutine[None, None, None], reader: asyncio.StreamReader) -> bool:
    """Whether the client leaves before it is answered; the answering stops then, as a server behind it would.

    What were left open would keep the model busy, and a model that is busy would keep this from seeing the client leave.
    """
    answered, left = asyncio.ensure_future(answering), asyncio.ensure_future(reader.read())
    try:
        await asyncio.wait((answered, left), return_when=asyncio.FIRST_COMPLETED)
        gone = not answered.done()
    finally:
        answered.cancel()
        left.cancel()
        await asyncio.gather(answered, left, return_exceptions=True)
    return gone


def _changed(fault: Fault, line: dict[str, Any]) -> dict[str, Any] | None:
    """What becomes of one line of an answer."""
    if fault is Fault.THINKING:
        line["message"]["thinking"] = CANARY
    if line["done"] and fault is Fault.LENGTH:
        line["done_reason"] = "length"
    return None if line["done"] and fault is Fault.NO_DONE else line


def _line(text: str, **more: Any) -> bytes:
    message = {"role": "assistant", "content": text}
    return json.dumps({"model": "m", "created_at": "2026-11-01T00:00:00Z", "message": message} | more).encode()


def _head(writer: asyncio.StreamWriter, status: int) -> None:
    writer.write(
        f"HTTP/1.1 {status} Status\r\nContent-Type: application/x-ndjson\r\n"
        "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n".encode()
    )


async def _chunk(writer: asyncio.StreamWriter, content: bytes) -> None:
    if content:
        writer.write(b"%x\r\n%s\r\n" % (len(content), content))
        await writer.drain()
