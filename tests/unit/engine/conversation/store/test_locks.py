from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from engine.conversation.store.locks import Leases
from engine.errors import SessionBusy


async def turns_of_the_loop(count: int = 10) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


class Visitor:
    """Takes a lease, notes when it has it, and keeps it until it is told to go."""

    def __init__(self, leases: Leases, key: str, name: str, book: list[str]) -> None:
        self.go = asyncio.Event()
        self._leases, self._key, self._name, self._book = leases, key, name, book

    async def visit(self) -> None:
        async with self._leases.lease(self._key, wait=60):
            self._book.append(self._name)
            await self.go.wait()


async def test_those_that_wait_get_it_in_the_order_they_came() -> None:
    leases, book = Leases(), list[str]()
    visitors = [Visitor(leases, "s", name, book) for name in "abcd"]
    tasks = [asyncio.create_task(visitor.visit()) for visitor in visitors]
    for place, visitor in enumerate(visitors):
        await turns_of_the_loop()
        assert book == list("abcd")[: place + 1]
        visitor.go.set()
    await asyncio.gather(*tasks)


async def test_other_keys_do_not_wait() -> None:
    leases = Leases()
    async with leases.lease("a", wait=0.01), leases.lease("b", wait=0.01):
        assert len(leases) == 2


async def test_nothing_is_kept_of_keys_that_are_not_in_use() -> None:
    leases = Leases()
    for number in range(100):
        async with leases.lease(number, wait=1):
            pass
    assert len(leases) == 0


async def test_a_lease_that_does_not_come_free_is_busy() -> None:
    leases = Leases()
    async with leases.lease("s", wait=1):
        with pytest.raises(SessionBusy, match=r"session_id: another turn .* after 0\.01 s") as raised:
            async with leases.lease("s", wait=0.01):
                pytest.fail("two at a time")
        assert raised.value.retryable
        assert len(leases) == 1
    assert len(leases) == 0


async def test_a_free_lease_needs_no_wait() -> None:
    async with Leases().lease("s", wait=0) as held:
        assert held is None


async def test_an_error_inside_gives_it_back() -> None:
    leases = Leases()
    with pytest.raises(ValueError, match="inside"):
        async with leases.lease("s", wait=1):
            raise ValueError("inside")
    async with leases.lease("s", wait=0.01):
        assert len(leases) == 1


async def test_one_that_stops_waiting_does_not_hold_up_the_next() -> None:
    leases, book = Leases(), list[str]()
    first, second, third = (Visitor(leases, "s", name, book) for name in "abc")
    tasks = [asyncio.create_task(visitor.visit()) for visitor in (first, second, third)]
    await turns_of_the_loop()
    tasks[1].cancel()
    first.go.set()
    third.go.set()
    with suppress(asyncio.CancelledError):
        await tasks[1]
    await asyncio.gather(tasks[0], tasks[2])
    assert book == ["a", "c"]
    assert len(leases) == 0
