"""Cancels at every moment of a turn while the loop is busy: in peace, a lost one is hardly ever seen."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import pytest

from engine.answering.admission import Admission
from engine.answering.cancellation import raise_if_cancelled, to_the_end
from engine.answering.engine import AnswerEngine
from engine.answering.nodes import Limits, Models, Nodes
from engine.conversation.store.port import Conversation, TurnRecord
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Passage, Turn
from engine.errors import DeadlineExceeded
from engine.generation.port import Done, Prompt, Token
from engine.planning.workflow import Workflow
from engine.testing import ListRetriever, ScriptedRouter, counting_ids

#: Cancels, and the steps of the loop among which each falls: a turn over doubles takes about forty.
_CANCELS, _STEPS = 500, 60
_LEFT = 10.0


class EndlessModel:
    """A `ChatModel` that never ends by itself, and knows how many of its answers are being made."""

    name = "endless"
    pace = None
    busy = False
    running = 0

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        self.running += 1
        try:
            yield Token("One ")
            await asyncio.Event().wait()
        finally:
            self.running -= 1

    async def ping(self) -> None:
        return

    async def close(self) -> None:
        return


class MemoryStore(SqlSessionStore):
    """Keeps nothing and waits for no disk, so that cancels fall on the turn's own steps."""

    async def load(self, principal: str, session_id: str, *, turns: int) -> Conversation:
        return Conversation()

    async def append(self, record: TurnRecord, new_evidence: Any = (), *, began: float | None = None) -> TurnRecord:
        return record


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[MemoryStore]:
    made = MemoryStore(tmp_path / "sessions.sqlite3")
    yield made
    await made.close()


def build(store: MemoryStore, model: EndlessModel) -> AnswerEngine:
    retriever = ListRetriever([Passage("add", "doc.md", "Variables", "addVar", "addVar adds a variable")])
    nodes = Nodes(ScriptedRouter(), retriever, store, Models(model, model), Limits(), Workflow.by_rules(retriever))
    return AnswerEngine(nodes, new_id=counting_ids(), admission=Admission(64, 0))


async def consume(engine: AnswerEngine, turn: Turn) -> None:
    async with aclosing(engine.answer(turn)) as events:
        async for _ in events:
            pass


async def spin() -> None:
    while True:  # noqa: ASYNC110  # a loop that is busy is what the tests need
        await asyncio.sleep(0)


async def test_no_cancel_is_lost_while_the_loop_is_busy(store: MemoryStore) -> None:
    model = EndlessModel()
    engine, chance = build(store, model), random.Random(7)
    noise = [asyncio.create_task(spin()) for _ in range(20)]
    callers: set[asyncio.Task[None]] = set()
    for number in range(_CANCELS):
        caller = asyncio.create_task(consume(engine, Turn("addVar variable", f"s{number}")))
        callers.add(caller)
        for _ in range(chance.randrange(_STEPS)):
            await asyncio.sleep(0)
        caller.cancel()
        callers = {task for task in callers if not task.done()}
        if len(callers) > 16:
            await asyncio.wait(callers, timeout=_LEFT, return_when=asyncio.FIRST_COMPLETED)
    if callers:
        await asyncio.wait(callers, timeout=_LEFT)
    lost = [task for task in callers if not task.done()]
    for task in [*noise, *lost]:
        task.cancel()
    assert (len(lost), model.running, engine.admission.running) == (0, 0, 0)


async def test_no_deadline_is_lost_while_the_loop_is_busy(store: MemoryStore) -> None:
    model = EndlessModel()
    engine, loop, chance = build(store, model), asyncio.get_running_loop(), random.Random(7)
    noise = [asyncio.create_task(spin()) for _ in range(20)]

    async def late(number: int) -> BaseException | None:
        deadline = loop.time() + chance.random() * 0.02
        try:
            await consume(engine, Turn("addVar variable", f"s{number}", deadline=deadline))
        except DeadlineExceeded as error:
            return error
        return None

    for batch in range(20):
        turns = [asyncio.create_task(late(batch * 20 + number)) for number in range(20)]
        _, lost = await asyncio.wait(turns, timeout=_LEFT)
        assert not lost
        assert all(task.result() for task in turns)
    for task in noise:
        task.cancel()
    assert model.running == 0


async def test_a_swallowed_cancel_is_raised_again() -> None:
    async def swallowing() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        raise_if_cancelled()
        pytest.fail("the cancel is lost")

    task = asyncio.create_task(swallowing())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_limit_of_time_that_has_passed_is_no_cancel() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await asyncio.Event().wait()
    raise_if_cancelled()


async def test_work_is_finished_although_its_task_is_cancelled() -> None:
    begun, gate, done = asyncio.Event(), asyncio.Event(), []

    async def work() -> None:
        begun.set()
        await gate.wait()
        done.append(True)

    task = asyncio.create_task(to_the_end(work()))
    await begun.wait()
    task.cancel()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == [True]
