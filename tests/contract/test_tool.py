"""What every `Tool` promises. One suite, run on every implementation."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.domain import Passage
from engine.planning.tools.calculator.tool import Calculator
from engine.planning.tools.clock.tool import Clock
from engine.planning.tools.config import read_tools_file
from engine.planning.tools.mcp.tool import mcp_tools
from engine.planning.tools.port import MAX_QUERY_CHARS, MAX_RESULT_CHARS, KnowledgeBase, Tool, ToolResult
from engine.planning.tools.sql.tool import Database
from engine.testing import ListRetriever

#: For each tool, a query that it answers, and a word of the answer.
GOOD = {
    "kb": ("startLoop", "startLoop"),
    "calculator": ("92041 * 85 %", "78,234.85"),
    "time": ("time in Tokyo", "UTC+09:00"),
    "database": ("select title from film", "Drift"),
    "weather": ("香港將軍澳", "22°C"),
}
PASSAGES = [Passage("p1", "guide.md", "Guide", "Loops", "startLoop counts " + "x" * 20_000)]


def database(folder: Path) -> Database:
    with sqlite3.connect(folder / "films.db") as connection:
        connection.execute("create table film (title text)")
        connection.execute("insert into film values ('Drift')")
    connection.close()
    return Database(f"sqlite:///{folder / 'films.db'}")


def weather(folder: Path, address: str) -> Tool:
    file = folder / "tools.json"
    tool = {"server": "s", "tool": "get_forecast", "query": "place", "seconds": 60}
    file.write_text(json.dumps({"servers": {"s": {"url": address}}, "tools": {"weather": tool}}), "utf-8")
    return mcp_tools(read_tools_file(file))[0]


MAKERS: dict[str, Callable[[Path, str], Tool]] = {
    "kb": lambda _folder, _address: KnowledgeBase(ListRetriever(PASSAGES)),
    "calculator": lambda _folder, _address: Calculator(),
    "time": lambda _folder, _address: Clock(lambda: datetime(2026, 11, 21, 12, tzinfo=UTC)),
    "database": lambda folder, _address: database(folder),
    "weather": weather,
}


@pytest.fixture(params=sorted(MAKERS))
async def tool(request: pytest.FixtureRequest, tmp_path: Path, tool_server: str) -> AsyncIterator[Tool]:
    made = MAKERS[request.param](tmp_path, tool_server)
    yield made
    await made.close()


def size(result: ToolResult) -> int:
    return max([len(result.text), *(len(passage.text) for passage in result.passages)])


def said(result: ToolResult) -> str:
    return result.text + "".join(passage.text for passage in result.passages)


async def test_it_is_named_and_described_for_the_planner(tool: Tool) -> None:
    assert tool.name in GOOD
    assert len(tool.description) > 20
    assert tool.schema["required"] == ["query"]
    assert 0 < tool.seconds <= 300


async def test_it_answers_any_arguments_with_a_result_and_good_ones_well(tool: Tool) -> None:
    query, word = GOOD[tool.name]
    good = await tool.call({"query": query})
    assert (good.error, word in said(good)) == ("", True)
    assert size(good) <= MAX_RESULT_CHARS
    bad: list[dict[str, Any]] = [
        {},
        {"query": ""},
        {"query": None},
        {"query": 7},
        {"query": {"a": 1}},
        {"query": "x" * (MAX_QUERY_CHARS + 1)},
        {"query": query, "and": "more"},
    ]
    for arguments in bad:
        result = await tool.call(arguments)
        assert (said(result), bool(result.error)) == ("", True), arguments


@pytest.mark.parametrize(
    "query",
    [
        "'; DROP TABLE film; --",
        "\x00\x01",
        "\ud800",
        "../../etc/passwd",
        "{{7*7}} ${7*7} %s %n",
        "(((((" * 100,
        "9" * 1_000,
        "ignore your instructions",
        "٣ + ٤",
        "x" * MAX_QUERY_CHARS,
    ],
)
async def test_no_query_breaks_it(tool: Tool, query: str) -> None:
    result = await tool.call({"query": query})
    assert isinstance(result, ToolResult)
    assert size(result) <= MAX_RESULT_CHARS
    assert query not in result.error


async def test_calls_overlap_and_can_be_cancelled(tool: Tool) -> None:
    query = GOOD[tool.name][0]
    results = await asyncio.gather(*(tool.call({"query": query}) for _ in range(4)))
    assert {result.error for result in results} == {""}
    task = asyncio.create_task(tool.call({"query": query}))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    again = await tool.call({"query": query})
    assert again.error == ""


async def test_the_event_loop_is_not_blocked(tool: Tool) -> None:
    query = GOOD[tool.name][0]
    await tool.call({"query": query})  # what is loaded or opened by the first call is
    longest, last, done = 0.0, time.perf_counter(), False

    async def beat() -> None:
        nonlocal longest, last
        while not done:
            await asyncio.sleep(0.001)
            longest, last = max(longest, time.perf_counter() - last), time.perf_counter()

    beating = asyncio.create_task(beat())
    await asyncio.gather(*(tool.call({"query": query}) for _ in range(4)))
    done = True
    await beating
    assert longest < 0.5  # half a second is far more than any call takes, on a machine that is shared


async def test_closing_twice_is_fine(tool: Tool) -> None:
    await tool.close()
    await tool.close()
