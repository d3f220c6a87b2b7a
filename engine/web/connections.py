"""Connections of the web server: how many there are, and how long the head of a request may take."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

#: Seconds for the head of a request, from the connection's beginning or the head's first byte. A client that sends it
#: byte by byte, or nothing, would hold its connection for ever (known as Slowloris).
HEAD_SECONDS = 20.0


class _Limited(H11Protocol):
    """A connection of Uvicorn's that is closed when there are too many, or when no request comes."""

    most: ClassVar[int]
    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as Uvicorn has it
        """Begins, if there is room."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.abort()
            return
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Reads; the time of a head ends when it is whole, and begins with the first byte of the next."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._expect_head()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        if self._due is None:
            self._due = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


def limited(connections: int) -> type[asyncio.Protocol]:
    """The protocol of a server that holds so many connections at a time."""
    return type("Limited", (_Limited,), {"most": connections})
