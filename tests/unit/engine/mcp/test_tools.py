"""The tools over doubles: what a search costs others, and answers that are not whole."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from engine.domain import Answer, Completed, Event, Outcome, Passage, Turn
from engine.errors import EngineError, Overloaded
from engine.mcp.tools import Tools
from engine.retrieval.port import Half
from engine.service.calls import Call
from tests.serving import ROUTE, ListIndex, Script, endless, serving

CALL = Call("Mcp", "r-1", "ana", None, caller="ana")


async def silent(_stage: str) -> None:
    """Nobody wants to know."""


async def asked(folder: Path, script: Script, **arguments: Any) -> Any:
    async with serving(folder, script) as served:
        result = await Tools(served.service, ListIndex([])).run("ask", {"query": "q", **arguments}, CALL, silent)
    return result.structured_content


async def test_an_answer_that_was_cut_says_so_and_has_no_figures_that_nobody_measured(tmp_path: Path) -> None:
    async def cut(turn: Turn) -> AsyncGenerator[Event]:
        yield Completed(Answer("half", turn.session_id, "t", ROUTE, outcome=Outcome.PARTIAL))

    found = await asked(tmp_path, cut)
    assert (found["text"], found["outcome"], found["citations"]) == ("half", "partial", [])
    assert found["answerability"] is None
    assert found["grounding"] is None
    assert found["route"]["runner_up"] is None


async def test_an_answer_without_an_end_is_an_error(tmp_path: Path) -> None:
    async def nothing(_turn: Turn) -> AsyncGenerator[Event]:
        none: tuple[Event, ...] = ()
        for event in none:
            yield event

    with pytest.raises(EngineError, match="ended without a result"):
        await asked(tmp_path, nothing)


async def test_lone_surrogates_of_json_reach_nobody(tmp_path: Path) -> None:
    seen = []

    async def noting(turn: Turn) -> AsyncGenerator[Event]:
        seen.append((turn.query, turn.session_id))
        yield Completed(Answer("a", turn.session_id, "t", ROUTE))

    await asked(tmp_path, noting, query="what is \ud800 this", session="\ud800")
    assert seen == [("what is ? this", "?")]


class Slow(ListIndex):
    """An index whose searches end when they may."""

    def __init__(self) -> None:
        super().__init__([Passage("p", "a.md", "", "", "text")])
        self.may_end = asyncio.Event()

    async def search(self, query: str, *, k: int = 8, half: Half = Half.BOTH) -> list[Passage]:
        await self.may_end.wait()
        return await super().search(query, k=k, half=half)


async def test_more_searches_than_run_at_a_time_are_refused_until_some_have_ended(tmp_path: Path) -> None:
    index = Slow()
    async with serving(tmp_path, endless) as served:
        tools = Tools(served.service, index)
        running = [asyncio.ensure_future(tools.run("search", {"query": "text"}, CALL, silent)) for _ in range(16)]
        await asyncio.sleep(0)
        with pytest.raises(Overloaded, match="too many searches"):
            await tools.run("search", {"query": "text"}, CALL, silent)
        index.may_end.set()
        results = [*await asyncio.gather(*running), await tools.run("search", {"query": "text"}, CALL, silent)]
    assert [len(one.structured_content["hits"]) for one in results] == [1] * 17
