"""The promise of `SharedLocks`, kept by both databases. Each object stands for a process."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from engine.conversation.store.locks import Leases, SharedLocks, lock_number
from engine.conversation.store.postgres import AdvisoryLocks
from engine.conversation.store.sqlite import FileLocks
from engine.errors import SessionBusy

ROOT = Path(__file__).resolve().parents[2]
A, B = lock_number("a"), lock_number("b")
Open = Callable[[], SharedLocks]


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.backends)])
async def process(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    """Opens one more process's locks on the same store."""
    opened: list[FileLocks | AdvisoryLocks] = []
    url = request.getfixturevalue("postgres") if request.param == "postgres" else ""

    def one() -> SharedLocks:
        locks = AdvisoryLocks(lambda: create_engine(url), 5) if url else FileLocks(tmp_path / "lock")
        opened.append(locks)
        return locks

    yield one
    for locks in opened:
        await asyncio.to_thread(locks.close)
        locks.close()


async def entered(locks: SharedLocks, number: int) -> None:
    """Waits until the lock is had."""
    async with asyncio.timeout(5):
        while not await locks.enter(number):  # noqa: ASYNC110  # another process's lock has no event
            await asyncio.sleep(0)


async def test_one_process_has_it_until_it_leaves(process: Open) -> None:
    one, two = process(), process()
    assert await one.enter(A)
    assert not await two.enter(A)
    one.leave(A)
    await entered(two, A)
    assert not await one.enter(A)


async def test_other_numbers_are_free(process: Open) -> None:
    one, two = process(), process()
    assert await one.enter(A)
    assert await two.enter(B)
    assert await one.enter(lock_number(("ana", "session", "ñ")))


async def test_the_next_in_line_comes_before_the_one_that_just_left(process: Open) -> None:
    one, two, three = process(), process(), process()
    assert await one.enter(A)
    assert not await two.enter(A)
    assert not await three.enter(A)
    one.leave(A)
    for _ in range(20):
        assert not await one.enter(A)
        assert not await three.enter(A)
    await entered(two, A)


async def test_leaving_the_line_lets_others_in(process: Open) -> None:
    one, two, three = process(), process(), process()
    assert await one.enter(A)
    assert not await two.enter(A)
    two.leave(A)
    one.leave(A)
    await entered(three, A)


async def test_leaving_what_is_not_held_takes_it_from_nobody(process: Open) -> None:
    one, two = process(), process()
    assert await one.enter(A)
    two.leave(A)
    assert not await two.enter(A)
    two.leave(A)
    two.leave(A)
    assert not await process().enter(A)


async def test_a_wait_that_is_cancelled_holds_nobody_up(process: Open) -> None:
    one, two, three = (Leases(process()) for _ in range(3))
    async with one.lease("a", wait=5):
        waiting = asyncio.create_task(two.lease("a", wait=5).__aenter__())
        await asyncio.sleep(0.02)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    async with three.lease("a", wait=5):
        assert len(three) == 1


async def test_a_wait_that_is_too_long_is_busy(process: Open) -> None:
    one, two = Leases(process()), Leases(process())
    async with one.lease("a", wait=5):
        with pytest.raises(SessionBusy, match=r"after 0\.05 s"):
            async with two.lease("a", wait=0.05):
                pytest.fail("two at a time")
    async with two.lease("a", wait=5):
        assert len(two) == 1


async def test_one_at_a_time_and_nobody_waits_for_ever(process: Open) -> None:
    inside: list[int] = []
    book: list[int] = []

    async def visit(name: int, leases: Leases) -> None:
        for _ in range(5):
            async with leases.lease("a", wait=30):
                inside.append(name)
                assert inside == [name]
                await asyncio.sleep(0.001)
                book.append(inside.pop())

    many = [Leases(process()) for _ in range(3)]
    await asyncio.gather(*(visit(name, leases) for name, leases in enumerate(many) for _ in range(2)))
    assert sorted(book) == sorted([0, 1, 2] * 10)


class Watched:
    """Locks that say when they have been refused once."""

    def __init__(self, locks: SharedLocks) -> None:
        self._locks = locks
        self.refused = asyncio.Event()

    async def enter(self, number: int) -> bool:
        got = await self._locks.enter(number)
        if not got:
            self.refused.set()
        return got

    def leave(self, number: int) -> None:
        self._locks.leave(number)


async def test_a_process_that_asks_again_at_once_stands_behind_the_one_that_waits(process: Open) -> None:
    book: list[str] = []
    watched = Watched(process())
    one, two = Leases(process()), Leases(watched)

    async def visit(name: str, leases: Leases) -> None:
        async with leases.lease("a", wait=30):
            book.append(name)

    for _ in range(5):
        async with asyncio.TaskGroup() as visits, one.lease("a", wait=30):
            watched.refused.clear()
            visits.create_task(visit("two", two))
            await watched.refused.wait()
            for _ in range(3):
                visits.create_task(visit("one", one))
    assert [book[start] for start in range(0, 20, 4)] == ["two"] * 5


HOLDS = """
import asyncio, sys
from pathlib import Path
from engine.conversation.store.sqlite import FileLocks
from engine.conversation.store.postgres import AdvisoryLocks
from sqlalchemy import create_engine

async def main(where, number):
    locks = AdvisoryLocks(lambda: create_engine(where), 5) if "://" in where else FileLocks(Path(where))
    print(await locks.enter(number), flush=True)
    await asyncio.sleep(600)

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


def holding(place: str) -> subprocess.Popen[str]:
    """A process that holds the lock A."""
    return subprocess.Popen([sys.executable, "-c", HOLDS, place, str(A)], cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("where", ["file", pytest.param("postgres", marks=pytest.mark.backends)])
async def test_a_process_that_is_killed_holds_nothing(
    where: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    place = request.getfixturevalue("postgres") if where == "postgres" else str(tmp_path / "lock")
    locks = AdvisoryLocks(lambda: create_engine(place), 5) if where == "postgres" else FileLocks(Path(place))
    with holding(place) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "True\n"
        assert not await locks.enter(A)
        holder.kill()
    killed = time.monotonic()
    await entered(locks, A)
    assert time.monotonic() - killed < 5
    with contextlib.closing(locks):
        locks.leave(A)


def test_a_key_has_one_number_in_every_process() -> None:
    code = "from engine.conversation.store.locks import lock_number; print(lock_number(('ana', 'session', 'ñ\\udc80')))"
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert int(said) == lock_number(("ana", "session", "ñ\udc80"))


def test_numbers_are_even_and_fit_a_signed_word() -> None:
    numbers = {lock_number(("ana", "session", str(n))) for n in range(1000)}
    assert len(numbers) == 1000
    assert all(number % 2 == 0 and 0 <= number < 2**63 - 1 for number in numbers)


async def test_a_file_that_takes_no_locks_any_more_gives_none(tmp_path: Path) -> None:
    locks = FileLocks(tmp_path / "lock")
    assert await locks.enter(A)
    locks.close()
    locks.leave(A)
    assert not await locks.enter(B)
    assert (tmp_path / "lock").stat().st_size == 0
