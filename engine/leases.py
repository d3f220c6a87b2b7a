"""One turn of a session at a time: in the order they arrive, in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager

from engine.errors import SessionBusy


class Leases:
    """A lock for each key that is in use, and none for those that are not."""

    def __init__(self) -> None:
        self._locks: dict[Hashable, asyncio.Lock] = {}
        self._users: dict[Hashable, int] = {}

    def __len__(self) -> int:
        """Keys in use."""
        return len(self._locks)

    @asynccontextmanager
    async def lease(self, key: Hashable, *, wait: float) -> AsyncGenerator[None]:
        """Holds `key`; those that wait get it in the order they came.

        Args:
            wait: Seconds to wait for it at most.

        Raises:
            SessionBusy: Another holds it for longer than `wait`.
        """
        lock = self._locks.setdefault(key, asyncio.Lock())
        self._users[key] = self._users.get(key, 0) + 1
        try:
            await self._acquire(lock, wait)
            try:
                yield
            finally:
                lock.release()
        finally:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key], self._locks[key]

    @staticmethod
    async def _acquire(lock: asyncio.Lock, wait: float) -> None:
        try:
            async with asyncio.timeout(wait):
                await lock.acquire()
        except TimeoutError:
            raise SessionBusy(
                f"session_id: another turn of this session is still running after {wait:g} s; try again when it ends"
            ) from None
