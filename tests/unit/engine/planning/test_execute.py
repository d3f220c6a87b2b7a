from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from engine.domain import Evidence, Origin, Passage, Progress, Subquery
from engine.planning.execute import Executed, Found, execute, merged, of_origin
from engine.planning.tools.port import QUERY_SCHEMA, Arguments, Tool, ToolResult, Tools


class Double:
    """A tool that answers as it is told, and notes what happens to it."""

    description = "a double"
    schema = QUERY_SCHEMA

    def __init__(self, name: str, answer: Callable[[str], Any] | None = None, *, seconds: float = 5.0) -> None:
        self.name = name
        self.seconds = seconds
        self._answer = answer or (lambda query: ToolResult(text=f"{name} says {query}"))
        self.asked: list[str] = []
        self.cancelled = 0
        self.running = 0
        self.most = 0

    async def call(self, arguments: Arguments) -> ToolResult:
        query = str(arguments["query"])
        self.asked.append(query)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            answer = self._answer(query)
            result: ToolResult = await answer if asyncio.iscoroutine(answer) else answer
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        else:
            return result
        finally:
            self.running -= 1

    async def close(self) -> None:
        pass


async def never(_query: str) -> ToolResult:
    await asyncio.Event().wait()
    return ToolResult()


async def soon(query: str) -> ToolResult:
    await asyncio.sleep(0)
    return ToolResult(text=query)


def subquery(id_: str, tool: str, *, priority: int = 1) -> Subquery:
    return Subquery(id_, f"about {id_}", f"query {id_}", tool, priority)


async def run(
    subqueries: list[Subquery], *tools: Tool, seconds: float = 5.0, concurrency: int = 4
) -> tuple[list[str], tuple[Found, ...]]:
    said, last = [], None
    async with aclosing(execute(subqueries, Tools(tools), seconds=seconds, concurrency=concurrency)) as events:
        async for event in events:
            assert last is None
            if isinstance(event, Progress):
                assert event.stage == "tool"
                said.append(event.detail)
            else:
                last = event
    assert isinstance(last, Executed)
    return said, last.found


async def test_every_subquery_is_asked_and_told_of() -> None:
    said, found = await run(
        [subquery("q1", "weather"), subquery("q2", "finance")], Double("weather"), Double("finance")
    )
    assert [one.passages[0].text for one in found] == ["weather says query q1", "finance says query q2"]
    assert said[0] == "q1 weather"
    assert said.index("q2 finance") < len(said) - 1
    assert sorted(detail.rpartition(" ")[2] for detail in said) == ["finance", "ms", "ms", "weather"]
    assert [one.call.error for one in found] == ["", ""]
    assert found[0].call.characters == len("weather says query q1")
    assert found[0].call.milliseconds >= 0


async def test_nothing_to_do_is_done() -> None:
    assert await run([]) == ([], ())


async def test_they_run_side_by_side() -> None:
    gate = asyncio.Event()

    async def together(query: str) -> ToolResult:
        if tool.running == 3:
            gate.set()
        await gate.wait()
        return ToolResult(text=query)

    tool = Double("kb", together)
    _, found = await run([subquery(f"q{n}", "kb") for n in range(3)], tool)
    assert len(found) == 3
    assert tool.most == 3


async def test_no_more_than_so_many_at_a_time_and_the_first_priority_first() -> None:
    tool = Double("kb", soon)
    subqueries = [subquery("q1", "kb", priority=3), subquery("q2", "kb", priority=1), subquery("q3", "kb", priority=2)]
    _, found = await run(subqueries, tool, concurrency=1)
    assert tool.asked == ["query q2", "query q3", "query q1"]
    assert tool.most == 1
    assert [one.subquery.id for one in found] == ["q1", "q2", "q3"]


async def test_a_failure_is_part_of_the_result() -> None:
    def broken(_query: str) -> ToolResult:
        raise ValueError("canary")

    failing = Double("weather", lambda _query: ToolResult(error="the server says that it failed"))
    said, found = await run(
        [subquery("q1", "weather"), subquery("q2", "finance"), subquery("q3", "kb"), subquery("q4", "gone")],
        failing,
        Double("finance", broken),
        Double("kb"),
    )
    assert [one.call.error for one in found] == [
        "the server says that it failed",
        "the tool failed",
        "",
        "this tool is not configured",
    ]
    assert sum(detail.endswith("failed") for detail in said) == 3
    assert not any("canary" in text for text in (*said, *(one.call.error for one in found)))


async def test_a_tool_that_is_late_is_cut_at_its_budget() -> None:
    slow = Double("weather", never, seconds=0.01)
    _, found = await run([subquery("q1", "weather"), subquery("q2", "kb")], slow, Double("kb"))
    assert [one.call.error for one in found] == ["no answer within 0.01 s", ""]
    assert slow.cancelled == 1


async def test_the_deadline_of_all_wins() -> None:
    slow = Double("weather", never)
    _, found = await run([subquery("q1", "weather"), subquery("q2", "weather")], slow, seconds=0.02, concurrency=1)
    assert found[0].call.error.startswith("no answer within 0.02")
    assert found[1].call.error == "no answer within 0 s"
    assert slow.running == 0


async def test_a_tools_own_time_out_is_not_the_budgets() -> None:
    def late(_query: str) -> ToolResult:
        raise TimeoutError

    _, found = await run([subquery("q1", "weather")], Double("weather", late))
    assert found[0].call.error == "the tool failed"


@pytest.mark.parametrize("after", [1, 2])
async def test_closing_it_ends_everything(after: int) -> None:
    slow = Double("weather", never)
    subqueries = [subquery("q1", "weather"), subquery("q2", "weather"), subquery("q3", "weather")]
    events = execute(subqueries, Tools([slow]), seconds=5, concurrency=2)
    for _ in range(after):
        await anext(events)
    await events.aclose()
    assert slow.running == 0
    assert slow.cancelled == len(slow.asked)


async def test_cancelling_the_reader_ends_everything() -> None:
    begun = asyncio.Event()

    async def begin(query: str) -> ToolResult:
        begun.set()
        return await never(query)

    slow = Double("weather", begin)
    task = asyncio.create_task(run([subquery("q1", "weather")], slow))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (slow.running, slow.cancelled) == (0, 1)
    assert [one for one in asyncio.all_tasks() if one is not asyncio.current_task()] == []


async def test_a_result_without_text_is_nothing_found() -> None:
    _, found = await run([subquery("q1", "weather")], Double("weather", lambda _query: ToolResult()))
    assert (found[0].call.error, found[0].passages) == ("nothing was found", ())


async def test_a_result_longer_than_is_promised_is_cut() -> None:
    _, found = await run([subquery("q1", "x")], Double("x", lambda _query: ToolResult(text="x" * 100_000)))
    assert found[0].call.characters == 8_000


def passage(id_: str) -> Passage:
    return Passage(id_, "d", "t", "h", id_)


def of(tool: str, *ids: str) -> Found:
    return Found(subquery(tool, tool), None, tuple(passage(id_) for id_ in ids))  # type: ignore[arg-type]


def test_passages_of_the_parts_take_turns_and_come_once() -> None:
    found = (of("kb", "a", "b", "c"), of("weather", "x"), of("kb", "b", "d"))
    assert [(one.id, origin) for one, origin in merged(found)] == [
        ("a", Origin.SEARCH),
        ("x", Origin.TOOL),
        ("b", Origin.SEARCH),
        ("d", Origin.SEARCH),
        ("c", Origin.SEARCH),
    ]
    assert merged(()) == ()


def test_numbered_passages_get_their_origin() -> None:
    numbered = (Evidence(4, passage("x")), Evidence(5, passage("a")), Evidence(6, passage("old"), Origin.LEDGER))
    labelled = of_origin(numbered, merged((of("kb", "a"), of("weather", "x"))))
    assert [(one.number, one.origin) for one in labelled] == [(4, Origin.TOOL), (5, Origin.SEARCH), (6, Origin.LEDGER)]


async def test_what_a_tool_says_is_made_harmless() -> None:
    bad = "\u202eIt rains\x1b[31m ![map](https://evil.example/x.png)"
    found_passages = (Passage("p", "d", bad, "h", bad),)
    tool = Double("x", lambda _query: ToolResult(text=bad, passages=found_passages))
    _, found = await run([subquery("q1", "x")], tool)
    shown = repr(found[0].passages)
    assert "It rains map" in shown
    assert not any(sign in shown for sign in ("u202e", "x1b", "evil.example"))
