"""Lines from a descriptor: as they come, until its end, or until they are not wanted any more."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import pytest

from engine.mcp.stdio import _Lines


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(writing)


async def test_lines_come_one_by_one_until_the_end(pipe: tuple[int, int]) -> None:
    lines = _Lines(pipe[0], asyncio.Event())
    os.write(pipe[1], "één\ntwee".encode())
    assert await anext(lines) == "één\n"
    waiting = asyncio.ensure_future(anext(lines))
    os.write(pipe[1], b"\n")
    async with asyncio.timeout(60):
        assert await waiting == "twee\n"


async def test_bytes_that_are_no_utf_8_do_not_end_the_lines(pipe: tuple[int, int]) -> None:
    lines = _Lines(pipe[0], asyncio.Event())
    os.write(pipe[1], b"\xff\nnext\n")
    assert [await anext(lines), await anext(lines)] == ["\ufffd\n", "next\n"]


async def test_the_end_of_the_file_is_the_end_of_the_lines() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"last\n")
    os.close(writing)
    async with asyncio.timeout(60):
        assert [line async for line in _Lines(reading, asyncio.Event())] == ["last\n"]


async def test_a_stop_ends_them_while_a_line_is_waited_for(pipe: tuple[int, int]) -> None:
    stop = asyncio.Event()
    waiting = asyncio.ensure_future(anext(_Lines(pipe[0], stop), ""))
    await asyncio.sleep(0)
    stop.set()
    async with asyncio.timeout(60):
        assert await waiting == ""
    os.write(pipe[1], b"late\n")  # the thread gives it to nobody
