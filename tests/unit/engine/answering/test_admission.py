from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from pathlib import Path
from threading import Barrier

import pytest
from structlog.testing import capture_logs

from engine import metrics
from engine.answering import admission as module
from engine.answering.admission import Admission, Ticket
from engine.answering.engine import AnswerEngine, Times
from engine.answering.nodes import Limits, Models, Nodes
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Completed, Event, Passage, Progress, Turn
from engine.errors import DeadlineExceeded, Overloaded, SessionBusy
from engine.generation.port import ChatModel, Done, Prompt, Token
from engine.planning.workflow import Workflow
from engine.testing import FixedClock, ListRetriever, ScriptedModel, ScriptedRouter, counting_ids
from tests.metered import metered, shown


async def steps(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


class Line:
    """Turns that wait for an admission; the names of those that run, in the order they began."""

    def __init__(self, admission: Admission) -> None:
        self.admission = admission
        self.began: list[str] = []
        self.places: dict[str, list[int]] = {}
        self.tickets: dict[str, Ticket] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, *names: str) -> None:
        """Turns called as their caller with a number behind: `a1`."""
        for name in names:
            ticket = self.tickets[name] = self.admission.enter(name[0])
            self.tasks[name] = asyncio.create_task(self._wait(name, ticket))
            ticket.on_refusal(self.tasks[name].cancel)
            await steps(2)

    async def end(self, *names: str) -> None:
        for name in names:
            self.tickets[name].leave()
            await steps(2)

    async def _wait(self, name: str, ticket: Ticket) -> None:
        await ticket.granted(self.places.setdefault(name, []).append)
        self.began.append(name)


async def test_so_many_run_and_the_next_wait_in_order() -> None:
    line = Line(Admission(2, 3))
    await line.come("a1", "a2", "a3", "a4")
    assert line.began == ["a1", "a2"]
    assert (line.admission.running, line.admission.waiting) == (2, 2)
    await line.end("a2", "a1")
    assert line.began == ["a1", "a2", "a3", "a4"]


async def test_what_does_not_wait_has_no_place_in_the_queue() -> None:
    line = Line(Admission(1, 3))
    await line.come("a1", "a2", "a3")
    assert line.places == {"a1": [], "a2": [1], "a3": [2]}


async def test_how_many_run_and_wait_and_how_long_they_waited_are_metrics() -> None:
    clock = FixedClock()
    line = Line(Admission(1, 3, clock=clock))
    with metered() as counted:
        await line.come("a1", "a2", "a3")
        assert [shown(metrics.RUNNING), shown(metrics.WAITING)] == [{"": 1}, {"": 2}]
        clock.move(4)
        await line.end("a1")
        assert counted["engine_queue_wait_seconds_count"] == 2
        assert counted["engine_queue_wait_seconds_sum"] == pytest.approx(4)
        await line.end("a2", "a3")
    assert [shown(metrics.RUNNING), shown(metrics.WAITING)] == [{"": 0}, {"": 0}]


async def test_a_caller_may_have_so_many_turns_that_run_or_wait_and_others_are_let_in() -> None:
    line = Line(Admission(1, 9, each=2))
    await line.come("a1", "a2", "b1")
    with pytest.raises(Overloaded, match=r"ENGINE_CALLER_TURNS") as caught:
        line.admission.enter("a")
    assert (caught.value.cause, caught.value.retry_after > 0) == ("caller", True)
    assert line.admission.refused == 1
    await line.end("a1")
    await line.come("a3")
    await line.end("a2", "b1")
    assert line.began == ["a1", "a2", "b1", "a3"]


async def test_a_changed_place_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REPORT_EVERY", 0.001)
    line = Line(Admission(1, 3))
    await line.come("a1", "a2", "a3")
    line.tickets["a1"].leave()
    while line.places["a3"] != [2, 1]:  # noqa: ASYNC110  # the report comes by a timer
        await asyncio.sleep(0)
    assert line.began == ["a1", "a2"]


async def test_callers_take_turns() -> None:
    line = Line(Admission(1, 9))
    await line.come("a1", "a2", "a3", "a4", "b1", "b2", "c1")
    assert {name: places[0] for name, places in line.places.items() if places} == {
        "a2": 1,
        "a3": 2,
        "a4": 3,
        "b1": 2,
        "b2": 4,
        "c1": 3,
    }
    for name in ["a1", "a2", "b1", "c1", "a3", "b2"]:
        assert line.began[-1] == name
        await line.end(name)
    assert line.began[-1] == "a4"


async def test_who_has_fewer_running_is_served_first() -> None:
    line = Line(Admission(2, 9))
    await line.come("a1", "a2", "a3", "b1", "b2")
    await line.end("a1")
    await line.end("b1")
    assert line.began == ["a1", "a2", "b1", "b2"]


async def test_the_one_too_many_is_refused_at_once_with_a_hint_and_counted() -> None:
    line = Line(Admission(2, 1))
    await line.come("a1", "a2", "a3")
    with pytest.raises(
        Overloaded, match=r"2 turns are running and 1 wait.*ENGINE_MAX_TURNS and ENGINE_QUEUE"
    ) as caught:
        line.admission.enter("a")
    assert caught.value.retry_after >= 1
    assert line.admission.refused == 1
    await line.end("a1")
    await line.come("a4")
    assert line.admission.refused == 1


async def test_the_hint_is_what_the_turns_before_are_likely_to_take() -> None:
    clock = FixedClock()
    line = Line(Admission(1, 2, clock=clock))
    for number in range(60):
        await line.come(f"a{number}")
        clock.move(4.0)
        await line.end(f"a{number}")
    await line.come("b1", "b2", "b3")
    with pytest.raises(Overloaded) as caught:
        line.admission.enter("b")
    assert caught.value.retry_after == pytest.approx(12.0, abs=0.1)


async def test_refusals_are_logged_together() -> None:
    clock = FixedClock()
    line = Line(Admission(1, 0, clock=clock))
    await line.come("a1")
    with capture_logs() as said:
        for seconds in (0.0, 1.0, 20.0):
            clock.move(seconds)
            with pytest.raises(Overloaded):
                line.admission.enter("a")
    events = [entry["event"] for entry in said if "[admission]" in entry["event"]]
    assert [event.split("[admission] ")[1].split(" refused")[0] for event in events] == ["1", "2"]


async def test_a_caller_without_a_place_takes_one_of_who_has_most() -> None:
    line = Line(Admission(1, 3))
    await line.come("a1", "a2", "a3", "a4", "b1")
    assert line.tasks["a4"].cancelled()
    assert isinstance(line.tickets["a4"].refusal, Overloaded)
    with pytest.raises(Overloaded):
        line.admission.enter("b")  # two of a, one of b: b would have as many as a had
    await line.end("a1", "a2")
    assert line.began == ["a1", "a2", "b1"]
    assert line.admission.refused == 2


async def test_a_place_is_given_up_once() -> None:
    line = Line(Admission(1, 3))
    await line.come("a1", "a2", "a3")
    await line.end("a2", "a2", "a1", "a1")
    assert (line.began, line.admission.waiting, line.admission.running) == (["a1", "a3"], 0, 1)


# In front of answers.


class GatedModel(ScriptedModel):
    """Says its words when the gate is open."""

    def __init__(self) -> None:
        super().__init__("It adds [1].")
        self.gate = asyncio.Event()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        await self.gate.wait()
        async with aclosing(super().stream(prompt)) as pieces:
            async for piece in pieces:
                yield piece


Build = Callable[..., AnswerEngine]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[SqlSessionStore]:
    made = SqlSessionStore(tmp_path / "sessions.sqlite3")
    yield made
    await made.close()


@pytest.fixture
def build(store: SqlSessionStore) -> Build:
    def make(model: ChatModel, turns: int, places: int, times: Times | None = None) -> AnswerEngine:
        retriever = ListRetriever([Passage("add", "doc.md", "Variables", "addVar", "addVar adds a variable")])
        nodes = Nodes(ScriptedRouter(), retriever, store, Models(model, model), Limits(), Workflow.by_rules(retriever))
        return AnswerEngine(nodes, new_id=counting_ids(), times=times, admission=Admission(turns, places))

    return make


def turn(session_id: str, **more: object) -> Turn:
    return Turn("addVar variable", session_id, principal="ana", **more)  # type: ignore[arg-type]


async def events_of(engine: AnswerEngine, asked: Turn) -> list[Event]:
    async with aclosing(engine.answer(asked)) as events:
        return [event async for event in events]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110  # there is no event for it
            await asyncio.sleep(0)


async def test_a_burst_is_answered_or_refused(build: Build, store: SqlSessionStore) -> None:
    model = GatedModel()
    engine = build(model, 2, 3)
    asked = [asyncio.create_task(events_of(engine, turn(f"s{number}"))) for number in range(50)]
    await until(lambda: sum(task.done() for task in asked) == 45)
    model.gate.set()
    ended = await asyncio.gather(*asked, return_exceptions=True)
    answered = [one for one in ended if isinstance(one, list)]
    assert [type(one[-1]) for one in answered] == [Completed] * 5
    assert sum(isinstance(one, Overloaded) for one in ended) == 45
    assert engine.admission.refused == 45
    assert len((await store.sessions("ana", size=100)).sessions) == 5  # the refused are not stored


async def test_a_place_in_the_queue_is_the_first_event(build: Build) -> None:
    model = GatedModel()
    engine = build(model, 1, 1)
    first = asyncio.create_task(events_of(engine, turn("s1")))
    await until(lambda: engine.admission.running == 1)
    async with aclosing(engine.answer(turn("s2"))) as events:
        assert await anext(events) == Progress("queue", "1")
        model.gate.set()
        rest = [event async for event in events]
    assert isinstance(rest[-1], Completed)
    await first


async def test_a_turn_whose_deadline_passes_in_the_queue_is_not_stored(build: Build, store: SqlSessionStore) -> None:
    model = GatedModel()
    engine = build(model, 1, 1)
    first = asyncio.create_task(events_of(engine, turn("s1")))
    await until(lambda: engine.admission.running == 1)
    with pytest.raises(DeadlineExceeded):
        await events_of(engine, turn("s2", deadline=asyncio.get_running_loop().time() + 0.01))
    assert engine.admission.waiting == 0
    model.gate.set()
    await first
    assert [summary.session_id for summary in (await store.sessions("ana", size=9)).sessions] == ["s1"]


async def test_a_caller_who_leaves_the_queue_makes_room(build: Build, store: SqlSessionStore) -> None:
    model = GatedModel()
    engine = build(model, 1, 1)
    first = asyncio.create_task(events_of(engine, turn("s1")))
    second = asyncio.create_task(events_of(engine, turn("s2")))
    await until(lambda: engine.admission.waiting == 1)
    second.cancel()
    await asyncio.wait([second])
    assert engine.admission.waiting == 0
    third = asyncio.create_task(events_of(engine, turn("s3")))
    model.gate.set()
    await asyncio.gather(first, third)
    assert {one.session_id for one in (await store.sessions("ana", size=9)).sessions} == {"s1", "s3"}


async def test_a_turn_that_waits_for_its_session_keeps_nobody_from_running(build: Build) -> None:
    model = GatedModel()
    engine = build(model, 2, 4, Times(session_wait=60))
    busy = [asyncio.create_task(events_of(engine, turn("s1"))) for _ in range(3)]
    await until(lambda: engine.admission.running == 1 and engine.admission.waiting == 2)
    other = asyncio.create_task(events_of(engine, turn("s2")))
    await until(lambda: engine.admission.running == 2)
    model.gate.set()
    await asyncio.gather(*busy, other)


async def test_a_turn_that_its_session_has_no_time_for_gives_its_place_back(build: Build) -> None:
    model = GatedModel()
    engine = build(model, 1, 1, Times(session_wait=0.01))
    first = asyncio.create_task(events_of(engine, turn("s1")))
    await until(lambda: engine.admission.running == 1)
    with pytest.raises(SessionBusy):
        await events_of(engine, turn("s1"))
    assert engine.admission.waiting == 0
    model.gate.set()
    await first


async def test_a_turn_that_was_sent_away_before_it_began_says_so(build: Build, store: SqlSessionStore) -> None:
    engine = build(ScriptedModel("words"), 1, 1)
    places = [engine.enter("flood"), engine.enter("flood")]
    engine.enter("other")  # takes the place of the flood's newest turn
    with pytest.raises(Overloaded):
        async with asyncio.timeout(30), aclosing(places[1].answer(turn("s1"))) as events:
            await anext(events)
    assert not (await store.sessions("ana", size=9)).sessions
    assert (engine.admission.running, engine.admission.waiting) == (0, 2)


async def test_a_place_that_was_not_used_is_given_up(build: Build) -> None:
    engine = build(ScriptedModel("words"), 1, 0)
    place = engine.enter("a")
    with pytest.raises(Overloaded):
        engine.enter("b")
    place.leave()
    assert isinstance((await events_of(engine, turn("s1")))[-1], Completed)


def test_threads_that_enter_at_once_get_no_more_places_than_there_are() -> None:
    admission, gate = Admission(2, 60), Barrier(8)
    got: list[int] = []

    def enter(caller: int) -> None:
        gate.wait()
        entered = 0
        for _ in range(50):
            with suppress(Overloaded):
                admission.enter(str(caller))
                entered += 1
        got.append(entered)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(enter, range(8)))
    assert admission.waiting == 62
    assert sum(got) - 62 + sum(50 - one for one in got) == admission.refused  # sent away later, or at once


async def test_another_callers_turn_comes_before_a_flood(build: Build) -> None:
    model = GatedModel()
    engine = build(model, 1, 8)
    flood = [asyncio.create_task(events_of(engine, turn(f"s{number}", caller="flood"))) for number in range(20)]
    await until(lambda: sum(task.done() for task in flood) == 11)
    ended: list[str] = []
    waiting = [task for task in flood if not task.done()]
    for task in waiting:
        task.add_done_callback(lambda _: ended.append("flood"))
    other = asyncio.create_task(events_of(engine, turn("other", caller="other")))
    other.add_done_callback(lambda _: ended.append("other"))
    await until(lambda: len(ended) == 1)  # one of the flood gave its place up
    model.gate.set()
    outcomes = await asyncio.gather(*waiting, other, return_exceptions=True)
    assert sum(isinstance(one, Overloaded) for one in outcomes) == 1
    assert isinstance(outcomes[-1], list)
    assert ended.index("other") <= 3


async def test_a_model_that_is_full_refuses_and_nothing_is_stored(build: Build, store: SqlSessionStore) -> None:
    engine = build(ScriptedModel("x", fail_after=0, error=Overloaded("ollama: full", 2.0)), 4, 4)
    with pytest.raises(Overloaded):
        await events_of(engine, turn("s1"))
    assert engine.admission.refused == 1
    assert (await store.sessions("ana", size=9)).sessions == ()
