"""How long one waits for a model: what is heard of its requests, and when it has been silent for too long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

from engine.generation.ollama.pace import Reading, ReadingPace
from engine.generation.ollama.residency import SilentTooLong

T = TypeVar("T")
#: A prompt may be read for so many times as long as expected: the machine may have become busier.
_MARGIN = 2.0


class Heard:
    """What is heard of one request: its pieces, each within the time that it may take, and the server's report."""

    def __init__(self, pace: ReadingPace, patience: Patience, reading: Reading) -> None:
        self._pace = pace
        self._patience = patience
        self._reading = reading

    @property
    def expected(self) -> float:
        """Seconds that the prompt is read for, as far as it is known."""
        return self._reading.seconds or 0.0

    def report(self, metadata: Mapping[str, Any]) -> None:
        """Learns from the last message's figures."""
        self._pace.learn(self._reading, metadata)

    async def pieces(self, chunks: AsyncIterator[T]) -> AsyncGenerator[T]:
        """`chunks` as they come.

        Raises:
            SilentTooLong: None has come for as long as one may take.
        """
        while True:
            async with self._patience.limited(self):
                chunk = await anext(chunks, None)
            if chunk is None:
                return
            yield chunk


class Patience:
    """How long requests of one model wait for its next word.

    As long as the model may be silent, and on top of it twice the time that it is expected to read the prompts that
    it has not begun to answer yet: they may stand in its queue before one's own. Every word that it says to anybody
    begins the wait anew.

    Args:
        silence: Seconds that a model may be silent.
    """

    def __init__(self, silence: float) -> None:
        self._silence = silence
        self._unread: set[Heard] = set()
        self._limits: set[asyncio.Timeout] = set()

    @contextmanager
    def waiting(self, heard: Heard) -> Iterator[None]:
        """While a request is at the server and has no word yet."""
        self._unread.add(heard)
        try:
            yield
        finally:
            self._unread.discard(heard)

    @asynccontextmanager
    async def limited(self, heard: Heard) -> AsyncGenerator[None]:
        """Waits for one piece."""
        seconds = self._seconds()
        limit = asyncio.timeout(seconds)
        self._limits.add(limit)
        try:
            async with limit:
                yield
        except TimeoutError:
            raise SilentTooLong(seconds) from None
        finally:
            self._limits.discard(limit)
        self._unread.discard(heard)
        self._begin_anew()

    def _begin_anew(self) -> None:
        end = asyncio.get_running_loop().time() + self._seconds()
        for limit in self._limits:
            if not limit.expired():
                limit.reschedule(end)

    def _seconds(self) -> float:
        return self._silence + _MARGIN * sum(heard.expected for heard in self._unread)
