"""One turn of a session at a time: in the order they arrive in this process, one by one across processes.

Those of this process queue up here first, so a process never waits for one session in more than one place. The one at
the head of the queue then takes the lock that processes share, where the store has one.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager
from typing import Protocol

from engine.errors import SessionBusy

#: Seconds between two looks at a lock that another process holds: at first, and at most.
_SHORTEST, _LONGEST = 0.002, 0.032


class SharedLocks(Protocol):
    """Locks by number that all processes on one store share.

    Promise: a lock whose process has died is free. The first that is refused is next in line: until it gets the lock or
    leaves, nobody else gets it, so a process that has just left cannot take it again before one that waits. Within one
    process, a number is used by one caller at a time. Raises `DependencyUnavailable("database", ...)` when the store
    cannot be asked.
    """

    async def enter(self, number: int) -> bool:
        """Whether the lock is held now; returns at once, waiting is up to the caller.

        Args:
            number: An even number of 63 bits.
        """
        ...

    def leave(self, number: int) -> None:
        """Gives up the lock, or the place in line. Never waits, never raises."""
        ...


class Leases:
    """A lock for each key that is in use, and none for those that are not.

    Args:
        shared: The locks of all processes on the same store; None where there is one process.
    """

    def __init__(self, shared: SharedLocks | None = None) -> None:
        self._shared = shared
        self._locks: dict[Hashable, asyncio.Lock] = {}
        self._users: dict[Hashable, int] = {}

    def __len__(self) -> int:
        """Keys in use."""
        return len(self._locks)

    @asynccontextmanager
    async def lease(self, key: Hashable, *, wait: float) -> AsyncGenerator[None]:
        """Holds `key`; those that wait get it in the order they came.

        Args:
            key: Has the same `repr` in every process.
            wait: Seconds to wait for it at most.

        Raises:
            SessionBusy: Another holds it for longer than `wait`.
            DependencyUnavailable: The locks that processes share cannot be asked.
        """
        until = asyncio.get_running_loop().time() + wait
        lock = self._locks.setdefault(key, asyncio.Lock())
        self._users[key] = self._users.get(key, 0) + 1
        try:
            await self._acquire(lock, wait)
            try:
                async with self._across_processes(key, until, wait):
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
            raise _busy(wait) from None

    @asynccontextmanager
    async def _across_processes(self, key: Hashable, until: float, wait: float) -> AsyncGenerator[None]:
        if self._shared is None:
            yield
            return
        number, pause = lock_number(key), _SHORTEST
        try:
            while not await self._shared.enter(number):
                if asyncio.get_running_loop().time() + pause > until:
                    raise _busy(wait)
                await asyncio.sleep(random.uniform(pause / 2, pause))
                pause = min(pause * 2, _LONGEST)
            yield
        finally:
            self._shared.leave(number)


def lock_number(key: Hashable) -> int:
    """The even number of 63 bits that stands for `key` among shared locks."""
    digest = hashlib.blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 2 << 1


def _busy(wait: float) -> SessionBusy:
    return SessionBusy(
        f"session_id: another turn of this session is still running after {wait:g} s; try again when it ends"
    )
