from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from engine.answering.channel import Channel


async def everything(channel: Channel[int]) -> list[int]:
    return [item async for item in channel]


async def turns_of_the_loop(count: int = 10) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_items_come_in_order_and_end_with_the_channel() -> None:
    channel: Channel[int] = Channel(2)
    reader = asyncio.create_task(everything(channel))
    for number in range(100):
        await channel.put(number)
    channel.close()
    assert await reader == list(range(100))
    assert channel.written == 100


async def test_a_full_channel_makes_the_writer_wait() -> None:
    channel: Channel[int] = Channel(2)
    await channel.put(1)
    await channel.put(2)
    writer = asyncio.create_task(channel.put(3))
    await turns_of_the_loop()
    assert not writer.done()
    assert channel.written == 2
    items: AsyncIterator[int] = aiter(channel)
    assert await anext(items) == 1
    await writer
    assert channel.written == 3
    channel.close()
    assert [item async for item in items] == [2, 3]


def _pair(first: int, second: int) -> int | None:
    """Joins two numbers where both are even."""
    return None if first % 2 or second % 2 else first + second


async def test_what_waits_is_joined_where_it_can_be() -> None:
    channel: Channel[int] = Channel(10, _pair)
    for number in (1, 2, 4, 6, 7, 8):
        await channel.put(number)
    channel.close()
    assert await everything(channel) == [1, 12, 7, 8]
    assert channel.written == 6


async def test_a_reader_that_keeps_up_gets_each_item() -> None:
    channel: Channel[int] = Channel(10, _pair)
    items = aiter(channel)
    for number in (2, 4, 6):
        await channel.put(number)
        assert await anext(items) == number


async def test_joining_makes_room_for_the_writer() -> None:
    channel: Channel[int] = Channel(3, _pair)
    for number in (2, 4, 6):
        await channel.put(number)
    writer = asyncio.create_task(channel.put(8))
    await turns_of_the_loop()
    items = aiter(channel)
    assert await anext(items) == 12
    await turns_of_the_loop()
    assert writer.done()


async def test_put_now_goes_over_the_limit() -> None:
    channel: Channel[int] = Channel(1)
    await channel.put(1)
    channel.put_now(2)
    channel.close()
    assert await everything(channel) == [1, 2]


async def test_the_error_comes_after_what_was_written() -> None:
    channel: Channel[int] = Channel(4)
    await channel.put(1)
    channel.close(ValueError("late"))
    items: AsyncIterator[int] = aiter(channel)
    assert await anext(items) == 1
    with pytest.raises(ValueError, match="late"):
        await anext(items)


async def test_a_closed_channel_takes_nothing() -> None:
    channel: Channel[int] = Channel(4)
    channel.close()
    channel.put_now(1)
    await channel.put(2)
    assert await everything(channel) == []
    assert channel.written == 0


async def test_a_waiting_reader_is_woken_by_the_end() -> None:
    channel: Channel[int] = Channel(4)
    reader = asyncio.create_task(everything(channel))
    await turns_of_the_loop()
    channel.close()
    async with asyncio.timeout(5):
        assert await reader == []


async def test_a_cancelled_writer_leaves_the_channel_usable() -> None:
    channel: Channel[int] = Channel(1)
    await channel.put(1)
    writer = asyncio.create_task(channel.put(2))
    await turns_of_the_loop()
    writer.cancel()
    with suppress(asyncio.CancelledError):
        await writer
    channel.close()
    assert await everything(channel) == [1]
