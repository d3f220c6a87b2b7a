"""Subqueries side by side: by priority, each within its tool's budget, all within one deadline."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.domain import Evidence, Origin, Passage, Progress, Subquery, ToolCall
from engine.planning.tools.port import Tool, ToolResult, Tools, limited, tool_passage
from engine.text.material import harmless, harmless_passage

#: Subqueries that run at a time.
CONCURRENCY = 4
#: The stage of the progress events.
STAGE = "tool"


@dataclass(frozen=True, slots=True)
class Found:
    """A subquery with what came of it.

    Attributes:
        call: Its line on the receipt.
        passages: What it found, to be numbered and cited; empty where `call.error` says why.
    """

    subquery: Subquery
    call: ToolCall
    passages: tuple[Passage, ...] = ()

    @property
    def origin(self) -> Origin:
        """Where its passages are from."""
        return Origin.SEARCH if self.subquery.tool == "kb" else Origin.TOOL


@dataclass(frozen=True, slots=True)
class Executed:
    """The last event of an execution: every subquery with its result or failure, in the plan's order."""

    found: tuple[Found, ...]


async def execute(
    subqueries: Sequence[Subquery],
    tools: Tools,
    *,
    seconds: float,
    concurrency: int = CONCURRENCY,
) -> AsyncGenerator[Progress | Executed]:
    """Runs `subqueries` and tells how it goes.

    A tool that fails or is late is a `Found` with an error: others go on, and nothing is raised but cancellation.
    Closing the generator cancels what still runs and waits until it has ended; consume it under `aclosing`.

    Args:
        seconds: The time for all of them.

    Yields:
        A `Progress` when a subquery begins (`q1 weather`) and ends (`q1 weather: 120 ms`, or `q1 weather: failed`),
        then one `Executed`.
    """
    events: asyncio.Queue[Progress] = asyncio.Queue()
    room = asyncio.Semaphore(concurrency)
    deadline = asyncio.get_running_loop().time() + seconds

    async def run(subquery: Subquery) -> Found:
        async with room:
            name = f"{subquery.id} {subquery.tool}"
            events.put_nowait(Progress(STAGE, name))
            found = await _asked(subquery, tools, deadline)
            took = "failed" if found.call.error else f"{found.call.milliseconds:.0f} ms"
            events.put_nowait(Progress(STAGE, f"{name}: {took}"))
            return found

    # A semaphore lets in whoever came first, so the order in which tasks are made is the order of priority.
    tasks = {one: asyncio.create_task(run(one)) for one in sorted(subqueries, key=lambda one: one.priority)}
    every = asyncio.gather(*tasks.values())
    try:
        while not every.done() or not events.empty():
            event = await _next(events, every)
            if event is not None:
                yield event
        every.result()
        yield Executed(tuple(tasks[one].result() for one in subqueries))
    finally:
        every.cancel()
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(every, *tasks.values(), return_exceptions=True)


async def _next(events: asyncio.Queue[Progress], every: asyncio.Future[list[Found]]) -> Progress | None:
    """The next event; None when all has ended instead."""
    if not events.empty():
        return events.get_nowait()
    getting = asyncio.ensure_future(events.get())
    try:
        waited: set[asyncio.Future[Any]] = {getting, every}
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        return getting.result() if getting.done() else None
    finally:
        getting.cancel()


async def _asked(subquery: Subquery, tools: Tools, deadline: float) -> Found:
    started = time.perf_counter()
    tool = tools.get(subquery.tool)
    result = await _called(tool, subquery, deadline) if tool else ToolResult(error="this tool is not configured")
    passages = () if result.error else tuple(harmless_passage(passage) for passage in result.passages)
    if result.text and not result.error:
        text = limited(harmless(result.text))
        passages = (*passages, tool_passage(subquery.tool, subquery.description, text))
    error = result.error or ("" if passages else "nothing was found")
    characters = sum(len(passage.text) for passage in passages)
    call = ToolCall(subquery.id, subquery.tool, (time.perf_counter() - started) * 1000, error, characters)
    return Found(subquery, call, passages)


async def _called(tool: Tool, subquery: Subquery, deadline: float) -> ToolResult:
    left = deadline - asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout(min(tool.seconds, left)) as limit:
            return await tool.call({"query": subquery.query})
    except TimeoutError:
        if not limit.expired():  # the tool's own, which it promised to keep to itself
            return ToolResult(error="the tool failed")
        return ToolResult(error=f"no answer within {round(max(0.0, min(tool.seconds, left)), 2):g} s")
    except Exception:  # noqa: BLE001  # a tool that breaks its promise costs its own result, not the answer
        return ToolResult(error="the tool failed")


def merged(found: Sequence[Found]) -> tuple[tuple[Passage, Origin], ...]:
    """The passages of all subqueries, each once.

    The first of each subquery, then the second of each, and so on: a prompt that is cut short at its end then loses the
    least of every part.
    """
    ranked = sorted(
        (
            (rank, order, passage, one.origin)
            for order, one in enumerate(found)
            for rank, passage in enumerate(one.passages)
        ),
        key=lambda item: item[:2],
    )
    unique: dict[str, tuple[Passage, Origin]] = {}
    for _, _, passage, origin in ranked:
        unique.setdefault(passage.id, (passage, origin))
    return tuple(unique.values())


def of_origin(evidence: Sequence[Evidence], merged_passages: Sequence[tuple[Passage, Origin]]) -> tuple[Evidence, ...]:
    """Numbered evidence with the origin that each passage came from."""
    origins = {passage.id: origin for passage, origin in merged_passages}
    return tuple(
        Evidence(piece.number, piece.passage, origins.get(piece.passage.id, piece.origin)) for piece in evidence
    )
