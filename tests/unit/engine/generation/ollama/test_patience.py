"""Waits for a model, without a server: pieces come from events, and limits are far apart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from engine.generation.ollama.pace import Reading, ReadingPace
from engine.generation.ollama.patience import Heard, Patience
from engine.generation.ollama.residency import SilentTooLong

#: A wait that no test sits out.
LONG = 300.0


def request(patience: Patience, seconds: float | None) -> Heard:
    return Heard(ReadingPace(20.0), patience, Reading(100, seconds))


async def never() -> AsyncGenerator[str]:
    await asyncio.Event().wait()
    yield "too late"


async def after(gate: asyncio.Event, *words: str) -> AsyncGenerator[str]:
    await gate.wait()
    for word in words:
        yield word


async def heard(patience: Patience, one: Heard, pieces: AsyncGenerator[str]) -> list[str]:
    with patience.waiting(one):
        async with aclosing(pieces), aclosing(one.pieces(pieces)) as whole:
            return [piece async for piece in whole]


async def test_pieces_come_as_they_are() -> None:
    gate = asyncio.Event()
    gate.set()
    patience = Patience(LONG)
    assert await heard(patience, request(patience, None), after(gate, "a", "b")) == ["a", "b"]


async def test_a_silence_has_its_limit_where_nothing_is_known() -> None:
    patience = Patience(0.01)
    with pytest.raises(SilentTooLong) as silent:
        await heard(patience, request(patience, None), never())
    assert silent.value.seconds == pytest.approx(0.01)


async def test_the_limit_before_the_first_word_holds_the_time_of_reading_twice() -> None:
    patience = Patience(0.01)
    with pytest.raises(SilentTooLong) as silent:
        await heard(patience, request(patience, 0.02), never())
    assert silent.value.seconds == pytest.approx(0.05)


async def test_a_prompt_that_is_read_for_long_is_waited_for() -> None:
    patience, gate = Patience(0.001), asyncio.Event()
    waiting = asyncio.create_task(heard(patience, request(patience, LONG), after(gate, "a")))
    await asyncio.sleep(0.02)  # twenty times as long as the silence that is allowed
    assert not waiting.done()
    gate.set()
    assert await waiting == ["a"]


async def test_behind_the_first_word_only_silence_counts() -> None:
    patience = Patience(0.01)

    async def breaks_off() -> AsyncGenerator[str]:
        yield "a"
        await asyncio.Event().wait()

    with pytest.raises(SilentTooLong) as silent:
        await heard(patience, request(patience, LONG), breaks_off())
    assert silent.value.seconds == pytest.approx(0.01)


async def test_a_short_prompt_waits_for_the_long_one_before_it() -> None:
    patience, gate = Patience(0.001), asyncio.Event()
    long = asyncio.create_task(heard(patience, request(patience, LONG), after(gate, "a")))
    await asyncio.sleep(0)
    short = asyncio.create_task(heard(patience, request(patience, 0.001), after(gate, "b")))
    await asyncio.sleep(0.02)
    assert not short.done()
    gate.set()
    assert (await long, await short) == (["a"], ["b"])


async def test_a_word_to_anybody_begins_the_waits_anew() -> None:
    patience, gate, end = Patience(LONG), asyncio.Event(), asyncio.Event()
    waiting = asyncio.create_task(heard(patience, request(patience, None), after(end, "b")))
    await asyncio.sleep(0)
    (limit,) = patience._limits
    before = limit.when()
    gate.set()
    assert await heard(patience, request(patience, None), after(gate, "a")) == ["a"]
    after_it = limit.when()
    assert before is not None
    assert after_it is not None
    assert after_it > before
    end.set()
    assert await waiting == ["b"]


async def test_whoever_leaves_is_waited_for_no_longer() -> None:
    patience = Patience(0.01)
    left = asyncio.create_task(heard(patience, request(patience, LONG), never()))
    await asyncio.sleep(0)
    left.cancel()
    await asyncio.wait([left])
    with pytest.raises(SilentTooLong) as silent:
        await heard(patience, request(patience, None), never())
    assert silent.value.seconds == pytest.approx(0.01)
