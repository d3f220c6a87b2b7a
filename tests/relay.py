"""A wire between a client and a real server, that a test can break: refused, silent, cut in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress


class Relay:
    """Passes bytes on, both ways, as long as it is told to.

    Attributes:
        port: Where it listens on loopback.
        connections: How many it has accepted so far.
    """

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._server: asyncio.Server | None = None
        self._open = asyncio.Event()
        self._open.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0
        self.connections = 0

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Relay]:
        """Listens on a free port."""
        await self.listen()
        try:
            yield self
        finally:
            await self.refuse()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def listen(self) -> None:
        """Takes connections again, on the same port."""
        self._open.set()
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def refuse(self) -> None:
        """Cuts every connection and takes no more."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.cut()
        await asyncio.sleep(0)

    def cut(self) -> None:
        """Cuts every connection; new ones are taken."""
        for writer in self._writers:
            writer.transport.abort()

    def hold(self) -> None:
        """Passes nothing on from now, and cuts nothing."""
        self._open.clear()

    def resume(self) -> None:
        """Passes on what was held, and what comes."""
        self._open.set()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.ensure_future(self._join(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        ours = [writer]
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._target)
            self._writers.add(far_writer)
            ours.append(far_writer)
            await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))
        except ConnectionError:
            pass
        finally:
            for one in ours:
                self._writers.discard(one)
                one.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while content := await reader.read(65_536):
            await self._open.wait()
            writer.write(content)
            await writer.drain()
        with suppress(OSError):
            writer.write_eof()
