"""One client on stdin and stdout.

The SDK's own reader of stdin waits in a thread that cannot be cancelled, so a signal would end the process only with
the client's next line. This one can be left.

Source: Model Context Protocol, "Transports: stdio".
"""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from mcp.server import Server
from mcp.server.stdio import stdio_server


async def serve_stdio(server: Server, stop: asyncio.Event) -> None:
    """Serves until the client closes stdin or `stop` is set; stdout carries nothing but the protocol."""
    lines: Any = _Lines(os.dup(0), stop)  # all that the SDK does with a file is to go through its lines
    async with stdio_server(stdin=lines) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


class _Lines:
    """The lines of a file, read by a thread of their own when they are asked for.

    Args:
        descriptor: Of the file; the thread may still be reading from it when nobody waits any more, so it stays open.
        stop: Ends the lines.
    """

    def __init__(self, descriptor: int, stop: asyncio.Event) -> None:
        self._file = os.fdopen(descriptor, "rb", closefd=False)
        self._stop = stop
        self._loop = asyncio.get_running_loop()
        self._wanted: SimpleQueue[asyncio.Future[bytes]] = SimpleQueue()
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def __aiter__(self) -> _Lines:
        return self

    async def __anext__(self) -> str:
        line: asyncio.Future[bytes] = self._loop.create_future()
        self._wanted.put(line)
        stopping = asyncio.ensure_future(self._stop.wait())
        either: tuple[asyncio.Future[Any], ...] = (line, stopping)
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
        if not line.done() or not line.result():
            raise StopAsyncIteration
        return line.result().decode("utf-8", "replace")

    def _read(self) -> None:
        while True:
            line = self._wanted.get()
            data = self._file.readline()
            with suppress(RuntimeError):  # the loop has been closed meanwhile
                self._loop.call_soon_threadsafe(_give, line, data)
            if not data:
                return


def _give(line: asyncio.Future[bytes], data: bytes) -> None:
    if not line.done():
        line.set_result(data)
