"""A bounded channel from the task that makes an answer's events to the caller that reads them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Channel(Generic[_T]):
    """One writer, one reader, on one event loop. A full channel makes the writer wait: a slow reader slows the model.

    Args:
        limit: Items that may wait for the reader.
        join: One item in place of two that wait behind each other, or None where they stay two.
    """

    def __init__(self, limit: int, join: Callable[[_T, _T], _T | None] | None = None) -> None:
        self._items: deque[_T] = deque()
        self._limit = limit
        self._join = join
        self._changed = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._closed = False
        self._error: BaseException | None = None
        self._written = 0

    @property
    def written(self) -> int:
        """Items that have been put in so far."""
        return self._written

    async def put(self, item: _T) -> None:
        """Adds an item, when there is room."""
        while len(self._items) >= self._limit:
            self._room.clear()
            await self._room.wait()
        self.put_now(item)

    def put_now(self, item: _T) -> None:
        """Adds an item over the limit if need be; nothing once the channel is closed."""
        if not self._closed:
            self._items.append(item)
            self._written += 1
            self._changed.set()

    def close(self, error: BaseException | None = None) -> None:
        """Ends the channel; the reader gets what is in it, then `error` if there is one."""
        self._closed, self._error = True, error
        self._changed.set()

    async def __aiter__(self) -> AsyncIterator[_T]:
        """The items, until the channel is closed and empty."""
        while True:
            while self._items:
                item = self._taken()
                self._room.set()
                yield item
            if self._closed:
                break
            self._changed.clear()
            await self._changed.wait()
        if self._error is not None:
            raise self._error

    def _taken(self) -> _T:
        """The next item, with those behind it that can be joined to it."""
        item = self._items.popleft()
        while self._join and self._items and (joined := self._join(item, self._items[0])) is not None:
            self._items.popleft()
            item = joined
        return item
