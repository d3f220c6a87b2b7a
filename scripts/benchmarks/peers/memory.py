"""What a turn of a long session costs: the engine's store beside LangGraph's SQLite checkpointer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, TypedDict

from scripts.benchmarks.peers.chats import WORDS, Ours

#: Turns of the session that are reported, each as the median of itself and of those around it.
PLACES = (10, 100, 500)
_AROUND = 4
_QUERY = "And what was that about, in your own words?"

Turn = Callable[[], Awaitable[None]]


async def by_place(turn: Turn, last: int) -> dict[str, float]:
    """Milliseconds of the turns at `PLACES` up to `last`, of one session."""
    taken = []
    for _ in range(last + _AROUND):
        started = time.perf_counter()
        await turn()
        taken.append((time.perf_counter() - started) * 1000)
    return {str(n): sorted(taken[n - _AROUND : n + _AROUND])[_AROUND] for n in PLACES if n <= last}


async def ours(folder: Path, last: int) -> dict[str, float]:
    """Whole turns of talk, which search nothing."""
    chat = Ours(folder)
    await chat.start(())

    async def turn() -> None:
        async for _ in chat.answer(_QUERY, "long"):
            pass

    try:
        return await by_place(turn, last)
    finally:
        await chat.close()


async def langgraph(folder: Path, last: int) -> dict[str, float]:
    """A graph of one node that appends a reply, with its state in a SQLite file."""
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.graph import END, START, StateGraph
    from langgraph.graph.message import add_messages

    async def reply(_: dict[str, Any]) -> dict[str, Any]:
        return {"messages": [("ai", "".join(WORDS))]}

    # Not as a class: its annotations would be read by names that only this function knows.
    graph: Any = StateGraph(TypedDict("State", {"messages": Annotated[list[Any], add_messages]}))  # type: ignore[operator]
    graph.add_node("reply", reply)
    graph.add_edge(START, "reply")
    graph.add_edge("reply", END)
    async with AsyncSqliteSaver.from_conn_string(str(folder / "checkpoints.sqlite")) as saver:
        compiled = graph.compile(checkpointer=saver)

        async def turn() -> None:
            config: Any = {"configurable": {"thread_id": "long"}}
            await compiled.ainvoke({"messages": [("user", _QUERY)]}, config)

        return await by_place(turn, last)


MEMORIES: dict[str, Callable[[Path, int], Awaitable[dict[str, float]]]] = {
    "this engine": ours,
    "LangGraph + SQLite": langgraph,
}


def measured(name: str, folder: Path, last: int) -> dict[str, float]:
    """See `by_place`, of one of `MEMORIES`."""
    return asyncio.run(_awaited(MEMORIES[name](folder, last)))


async def _awaited(found: Awaitable[dict[str, float]]) -> dict[str, float]:
    return await found
