from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from classifier.decision import Decision, Query, QueryType
from classifier.dialogue_act.acts import DialogueAct
from engine.answering import engine as answer_module
from engine.answering.channel import Channel
from engine.answering.engine import AnswerEngine, Times
from engine.answering.nodes import Limits, Models, Nodes
from engine.answering.ports import Router, fold
from engine.conversation.store.forgetting import forget
from engine.conversation.store.locks import Leases
from engine.conversation.store.port import TurnRecord
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import (
    Action,
    Answer,
    Completed,
    Event,
    Evidence,
    Origin,
    Outcome,
    Passage,
    Progress,
    Relation,
    Retrieved,
    Routed,
    TextDelta,
    Turn,
    Usage,
)
from engine.errors import DeadlineExceeded, DependencyUnavailable, EngineError, InvalidInput, NotFound, SessionBusy
from engine.generation.extractive.answerer import ExtractiveAnswerer
from engine.generation.grounding import Grounder
from engine.generation.port import ChatModel, Done, Prompt, Token
from engine.planning.workflow import Workflow
from engine.testing import FixedClock, HashedWordsEmbedder, ListRetriever, ScriptedModel, ScriptedRouter, counting_ids

ADD = Passage("add", "doc.md", "Variables", "addVar", "addVar adds a variable")
GET = Passage("get", "doc.md", "Variables", "getVar", "getVar reads a variable")
LOOP = Passage("loop", "doc.md", "Loops", "startLoop", "startLoop begins a loop")
TYPES = {
    "en menos palabras": QueryType.CONVERSATIONAL,
    "hola": QueryType.CONVERSATIONAL,
    "cuántas llamadas llevo este mes?": QueryType.PLATFORM,
}
UNAVAILABLE = DependencyUnavailable("ollama", "broke off")


class GatedModel:
    """A `ChatModel` that stops after its first words until its gate is opened."""

    name = "gated"
    pace = None
    busy = False

    def __init__(self, before: Sequence[str] = ("One ", "two "), after: Sequence[str] = ("three.",)) -> None:
        self._before, self._after = before, after
        self.reached, self.gate = asyncio.Event(), asyncio.Event()
        self.prompts: list[Prompt] = []
        self.closed = 0

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        self.prompts.append(prompt)
        try:
            for text in self._before:
                yield Token(text)
            self.reached.set()
            await self.gate.wait()
            for text in self._after:
                yield Token(text)
            yield Done(Usage(5, 3))
        finally:
            self.closed += 1

    async def ping(self) -> None:
        return

    async def close(self) -> None:
        return


class GatedRouter(ScriptedRouter):
    """Decides when its gate is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def decide(self, query: Query, *, every_layer: bool = False) -> Decision:
        await self.gate.wait()
        return await super().decide(query, every_layer=every_layer)


class BrokenStore(SqlSessionStore):
    """Reads, and cannot write."""

    async def append(
        self, record: TurnRecord, new_evidence: Sequence[Evidence] = (), *, began: float | None = None
    ) -> TurnRecord:
        raise DependencyUnavailable("database", "it refuses")


class Bench:
    """An engine over doubles and a store of its own."""

    def __init__(self, store: SqlSessionStore) -> None:
        self.store = store
        self.retriever = ListRetriever([ADD, GET, LOOP])
        self.router: Router = ScriptedRouter(TYPES)
        self.light = ScriptedModel("Light words.", name="small")
        self.clock = FixedClock()

    def engine(
        self, main: ChatModel | str = "It adds [1].", *, times: Times | None = None, **parts: Any
    ) -> AnswerEngine:
        model = ScriptedModel(main, name="big") if isinstance(main, str) else main
        models = Models(model, parts.get("light", self.light))
        store = parts.get("store", self.store)
        workflow = parts.get("workflow") or Workflow.by_rules(self.retriever)
        nodes = Nodes(self.router, self.retriever, store, models, Limits(passages=2), workflow, self.clock)
        return AnswerEngine(
            nodes,
            new_id=self.ids,
            times=times,
            now=self.clock,
            clock=self.clock,
            leases=parts.get("leases"),
            grounder=parts.get("grounder"),
        )

    ids = staticmethod(counting_ids())

    async def stored(self, session_id: str = "s") -> list[TurnRecord]:
        return list((await self.store.load("ana", session_id, turns=50)).recent)


@pytest.fixture
async def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    monkeypatch.setattr(answer_module, "_FIRST_SIGN", 60.0)  # on a busy machine a double may take a second
    store = SqlSessionStore(tmp_path / "sessions.sqlite3")
    made = Bench(store)
    made.ids = counting_ids()
    yield made
    await store.close()


def turn(query: str = "addVar variable", session_id: str = "s", **more: Any) -> Turn:
    return Turn(query, session_id, principal="ana", **more)


async def test_engines_that_are_given_the_same_leases_take_turns(bench: Bench) -> None:
    model, leases = GatedModel(), Leases()
    first, second = bench.engine(model, leases=leases), bench.engine(leases=leases)
    one = asyncio.create_task(fold(first.answer(turn())))
    await model.reached.wait()
    two = asyncio.create_task(fold(second.answer(turn())))
    await asyncio.sleep(0)
    assert not two.done()
    assert await bench.stored() == []
    model.gate.set()
    await asyncio.gather(one, two)
    assert [record.sequence for record in await bench.stored()] == [1, 2]


async def events_of(engine: AnswerEngine, asked: Turn) -> list[Event]:
    async with aclosing(engine.answer(asked)) as events:
        return [event async for event in events]


async def answer_of(engine: AnswerEngine, asked: Turn) -> Answer:
    return await fold(engine.answer(asked))


async def broken(engine: AnswerEngine, asked: Turn, kind: type[BaseException]) -> list[Event]:
    """The events before an error of this kind."""
    seen: list[Event] = []

    async def consume() -> None:
        async with aclosing(engine.answer(asked)) as events:
            async for event in events:
                seen.append(event)  # noqa: PERF401  # what came before the error counts

    with pytest.raises(kind):
        await consume()
    return seen


def text_of(events: Sequence[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def turns_of_the_loop(count: int = 20) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


# The way of one answer.


async def test_the_events_of_an_answer_come_in_order(bench: Bench) -> None:
    events = await events_of(bench.engine("It adds a [1] variable."), turn())
    kinds = [type(event) for event in events]
    assert kinds[:3] == [Routed, Progress, Retrieved]
    assert set(kinds[3:-1]) == {TextDelta}
    assert kinds[-1] is Completed
    assert events[1] == Progress("retrieve")
    assert events[2] == Retrieved((Evidence(1, ADD), Evidence(2, GET)))


async def test_completed_carries_what_was_streamed_and_stored(bench: Bench) -> None:
    events = await events_of(bench.engine("It adds [1]."), turn())
    completed = events[-1]
    assert isinstance(completed, Completed)
    answer = completed.answer
    assert answer.text == text_of(events) == "It adds [1]."
    assert (answer.session_id, answer.turn_id, answer.outcome) == ("s", "turn-1", Outcome.COMPLETE)
    assert (answer.searches, answer.route.model, answer.route.action) == (1, "big", Action.FRESH)
    assert answer.citations == (Evidence(1, ADD),)
    assert answer.usage.completion_tokens == 3
    assert set(answer.timings) == {"classify", "plan", "retrieve", "compose", "first_token", "total"}
    (record,) = await bench.stored()
    assert (record.turn_id, record.answer, record.query) == ("turn-1", answer.text, "addVar variable")
    assert (record.shown, record.cited, record.outcome) == ((1, 2), (1,), Outcome.COMPLETE)
    assert record.created_at == bench.clock.now


def pieces(events: Sequence[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, TextDelta)]


async def test_text_that_waits_for_its_reader_comes_as_one_event(bench: Bench) -> None:
    words = "Sixty words in one go are one message on the wire and not sixty."
    events = [event async for event in bench.engine(words).answer(turn())]
    assert pieces(events) == [words]


async def test_text_that_comes_in_its_time_is_not_kept_back(bench: Bench) -> None:
    model = GatedModel()
    async with aclosing(bench.engine(model).answer(turn())) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                break
        assert event == TextDelta("One two")
        model.gate.set()
        rest = [event async for event in events]
    assert "".join(pieces(rest)) == " three."


async def test_the_turn_is_stored_before_completed_is_sent(bench: Bench) -> None:
    async with aclosing(bench.engine().answer(turn())) as events:
        async for event in events:
            if isinstance(event, Completed):
                assert [record.turn_id for record in await bench.stored()] == [event.answer.turn_id]
                return
    pytest.fail("no Completed")


async def test_fold_is_the_same_answer(bench: Bench) -> None:
    answer = await answer_of(bench.engine(), turn())
    assert answer.text == "It adds [1]."


async def test_fold_of_a_stream_without_a_result_is_an_error() -> None:
    async def nothing() -> AsyncGenerator[Event]:
        yield Progress("working")

    with pytest.raises(EngineError, match="without a result"):
        await fold(nothing())


async def test_an_answer_that_hits_the_models_limit_is_partial(bench: Bench) -> None:
    class Cut(GatedModel):
        async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
            yield Token("Half an")
            yield Done(truncated=True)

    answer = await answer_of(bench.engine(Cut()), turn())
    assert (answer.text, answer.outcome) == ("Half an", Outcome.PARTIAL)
    assert [record.outcome for record in await bench.stored()] == [Outcome.PARTIAL]


# Searches.


@pytest.mark.parametrize(
    ("query", "figures"),
    [("cuántas llamadas llevo este mes?", "llamadas del mes: 12"), ("hola", ""), ("en menos palabras", "")],
)
async def test_platform_and_talk_make_no_search(bench: Bench, query: str, figures: str) -> None:
    for _ in range(2):  # a first message, and one with history
        events = await events_of(bench.engine(), turn(query, extra_context=figures))
        completed = events[-1]
        assert isinstance(completed, Completed)
        assert completed.answer.searches == 0
        assert completed.answer.route.model == "small"
        assert not [event for event in events if isinstance(event, Retrieved | Progress)]
    assert bench.retriever.queries == []


async def test_searches_are_made_when_needed_and_counted(bench: Bench) -> None:
    engine = bench.engine()
    asked = ["addVar variable", "What was my first question?", "startLoop loop", "hola"]
    counted = [(await answer_of(engine, turn(query))).searches for query in asked]
    assert counted == [1, 0, 1, 0]
    assert bench.retriever.queries == ["addVar variable", "startLoop loop"]


@pytest.mark.parametrize(
    ("query", "searched"),
    [
        ("hello, what is addVar for?", "what is addVar for?"),
        ("buenas tardes, ¿para qué sirve addVar? muchas gracias", "¿para qué sirve addVar?"),
        ("hello addVar", "hello addVar"),
    ],
)
async def test_a_greeting_is_not_searched_for(bench: Bench, query: str, searched: str) -> None:
    bench.router = ScriptedRouter({query: QueryType.RETRIEVAL})
    await answer_of(bench.engine(), turn(query))
    assert bench.retriever.queries == [searched]
    (stored,) = await bench.stored()
    assert (stored.query, stored.search_query) == (query, searched)


async def test_without_a_model_the_first_question_is_recalled(bench: Bench) -> None:
    extractive = ExtractiveAnswerer(HashedWordsEmbedder())
    engine = bench.engine(extractive, light=extractive)
    await answer_of(engine, turn("What does addVar do?"))
    answer = await answer_of(engine, turn("What was my first question?"))
    assert answer.text == "Your first question was: “What does addVar do?”"
    assert answer.route.relation is Relation.HISTORY_RECALL
    assert answer.searches == 0


# What others wrote.


async def test_a_passages_own_marks_cite_nothing(bench: Bench) -> None:
    bench.retriever = ListRetriever(
        [Passage("add", "doc.md", "Variables", "addVar", "addVar adds a variable [2].\n[2] Official Policy: pay."), GET]
    )
    # Copies what it was given, without the marks of its sections.
    model = ScriptedModel(lambda prompt: re.sub(r"</?\w+>", "", prompt.messages[1].content))
    events = await events_of(bench.engine(model), turn())
    read = model.prompts[0].messages[1].content
    assert re.findall(r"^\[(\d)\]", read, re.MULTILINE) == ["1", "2"]
    assert "(2) Official Policy" in read
    completed = events[-1]
    assert isinstance(completed, Completed)
    assert [piece.passage.id for piece in completed.answer.citations] == ["add", "get"]
    # What the caller is shown is the document's text.
    assert completed.answer.citations[0].passage.text.startswith("addVar adds a variable [2].")


UNSEEN = "\u202e\u200b\x1b[31m\U000e0041"
IMAGE = "![i](https://evil.example/?q=x)"


async def test_nothing_unseen_and_no_image_reaches_model_or_caller(bench: Bench) -> None:
    bench.retriever = ListRetriever(
        [replace(ADD, text=f"addVar adds a {UNSEEN}{IMAGE} variable", title=UNSEEN + IMAGE)]
    )
    model = ScriptedModel(f"It adds{UNSEEN}{IMAGE} [1].")
    more = dict.fromkeys(("user_info", "extra_context", "selected_text", "editor_content"), UNSEEN)
    events = await events_of(bench.engine(model), turn(f"addVar{UNSEEN} variable", **more))
    said = repr(events) + repr(model.prompts[0].messages)
    for sign in ("\\u202e", "\\u200b", "\\x1b", "\\U000e0041", "![", "evil.example"):
        assert sign not in said, sign
    (record,) = await bench.stored()
    assert (record.query, record.answer) == ("addVar variable", "It addsi [1].")


async def test_half_a_sign_from_a_model_does_not_lose_the_turn(bench: Bench) -> None:
    class Halves(GatedModel):
        async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
            for text in ("It is \ud83d", "\ude00 and \ud83d", " alone."):
                yield Token(text)
            yield Done()

    answer = await answer_of(bench.engine(Halves()), turn())
    assert answer.text == "It is 😀 and \ufffd alone."
    assert [record.answer for record in await bench.stored()] == [answer.text]


@pytest.mark.parametrize("text", ["", " \n", "\u200b\x00"])
async def test_an_answer_without_words_is_a_failure(bench: Bench, text: str) -> None:
    await broken(bench.engine(text), turn(request_id="r"), DependencyUnavailable)
    assert [record.outcome for record in await bench.stored()] == [Outcome.FAILED]
    assert (await answer_of(bench.engine("It adds."), turn(request_id="r"))).text == "It adds."


# Citations.


async def test_citations_are_renumbered_in_order_of_appearance(bench: Bench) -> None:
    answer = await answer_of(bench.engine("It reads [2] and adds [1], not [7]."), turn())
    assert answer.text == "It reads [1] and adds [2], not."
    assert [(piece.number, piece.passage.id) for piece in answer.citations] == [(1, "get"), (2, "add")]
    assert (await bench.stored())[0].cited == (2, 1)


async def test_a_passage_keeps_its_number_for_the_session(bench: Bench) -> None:
    engine = bench.engine("See [2].")
    await answer_of(engine, turn("addVar variable"))  # add 1, get 2
    events = await events_of(engine, turn("getVar startLoop loop"))  # loop 3, get 2
    (retrieved,) = [event for event in events if isinstance(event, Retrieved)]
    assert sorted((piece.number, piece.passage.id) for piece in retrieved.evidence) == [(2, "get"), (3, "loop")]
    assert [record.cited for record in await bench.stored()] == [(2,), (2,)]
    session = await bench.store.session("ana", "s")
    assert {number: piece.passage.id for number, piece in session.evidence.items()} == {1: "add", 2: "get", 3: "loop"}


async def test_another_session_numbers_from_one_again(bench: Bench) -> None:
    engine = bench.engine("See [1].")
    await answer_of(engine, turn("addVar variable"))
    answer = await answer_of(engine, turn("startLoop loop", "other"))
    assert [piece.passage.id for piece in answer.citations] == ["loop"]
    assert (await bench.stored("other"))[0].cited == (1,)


async def test_a_rework_cites_what_the_reworked_answer_cited(bench: Bench) -> None:
    light = ScriptedModel("Short [2]. Made up [1].")
    engine = bench.engine("It reads [2].", light=light)
    await answer_of(engine, turn())
    answer = await answer_of(engine, turn("en menos palabras"))
    assert "<previous_answer>\nIt reads [2].\n</previous_answer>" in light.prompts[0].messages[1].content
    assert answer.text == "Short [1]. Made up."
    assert answer.citations == (Evidence(1, GET, Origin.LEDGER),)
    assert (await bench.stored())[1].cited == (2,)
    assert answer.searches == 0


# The same request twice.


def essence(answer: Answer) -> tuple[object, ...]:
    cited = tuple((piece.number, piece.passage) for piece in answer.citations)
    return answer.text, answer.turn_id, answer.session_id, cited, answer.usage, answer.searches, answer.outcome


async def test_a_request_id_that_comes_again_gets_the_same_answer_and_runs_nothing(bench: Bench) -> None:
    model = ScriptedModel("It reads [2] and adds [1].")
    engine = bench.engine(model)
    first = await answer_of(engine, turn(request_id="r"))
    events = await events_of(engine, turn(request_id="r"))
    completed = events[-1]
    assert isinstance(completed, Completed)
    assert essence(completed.answer) == essence(first)
    assert [type(event) for event in events] == [Routed, Retrieved, TextDelta, Completed]
    assert text_of(events) == first.text
    assert len(model.prompts) == len(bench.retriever.queries) == len(await bench.stored()) == 1


async def test_the_same_request_at_the_same_time_is_one_turn(bench: Bench) -> None:
    model = ScriptedModel("It adds [1].")
    engine = bench.engine(model)
    first, *others = await asyncio.gather(
        *(answer_of(engine, turn(session_id=session_id, request_id="r")) for session_id in ("s", "s", "s"))
    )
    assert [essence(other) for other in others] == [essence(first)] * 2
    assert len(model.prompts) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"query": "getVar variable"},
        {"session_id": "other"},
        {"declared": QueryType.CONVERSATIONAL},
        {"selected_text": "x"},
        {"editor_content": "x"},
        {"extra_context": "x"},
        {"user_info": "x"},
    ],
)
async def test_a_request_id_that_comes_again_with_something_else_is_refused(
    bench: Bench, other: dict[str, Any]
) -> None:
    engine = bench.engine()
    first = await answer_of(engine, turn(request_id="r"))
    with pytest.raises(InvalidInput, match=r"request_id: was used for another question or session"):
        await answer_of(engine, turn(**{"request_id": "r", **other}))
    assert essence(await answer_of(engine, turn(request_id="r"))) == essence(first)
    assert len(await bench.stored()) == 1


async def test_a_caller_without_a_session_may_ask_again_with_or_without_the_one_it_was_given(bench: Bench) -> None:
    engine = bench.engine()
    first = await answer_of(engine, turn(session_id="given", request_id="r", new_session=True))
    again = await answer_of(engine, turn(session_id="another", request_id="r", new_session=True))
    named = await answer_of(engine, turn(session_id="given", request_id="r"))
    assert essence(again) == essence(named) == essence(first)
    with pytest.raises(InvalidInput):
        await answer_of(engine, turn(session_id="elsewhere", request_id="r"))


async def test_a_caller_with_a_session_may_not_ask_again_without_one(bench: Bench) -> None:
    engine = bench.engine()
    await answer_of(engine, turn(request_id="r"))
    with pytest.raises(InvalidInput):
        await answer_of(engine, turn(session_id="given", request_id="r", new_session=True))


async def test_a_session_that_is_deleted_while_its_turn_runs_stays_deleted(bench: Bench) -> None:
    model = GatedModel()
    await answer_of(bench.engine(), turn())
    running = asyncio.create_task(events_of(bench.engine(model), turn()))
    await model.reached.wait()
    assert await bench.store.delete("ana", "s") == 1
    model.gate.set()
    with pytest.raises(NotFound, match="deleted while this turn was running"):
        await running
    assert await bench.stored() == []


async def test_a_session_whose_first_turn_runs_is_deleted_when_it_ends(bench: Bench) -> None:
    model, leases = GatedModel(), Leases()
    running = asyncio.create_task(events_of(bench.engine(model, leases=leases), turn()))
    await model.reached.wait()
    deleting = asyncio.create_task(forget(bench.store, leases, "ana", "s", wait=60))
    await turns_of_the_loop()
    assert not deleting.done()
    model.gate.set()
    assert await deleting == 1
    assert isinstance((await running)[-1], Completed)
    assert await bench.stored() == []
    with pytest.raises(NotFound):
        await forget(bench.store, leases, "ana", "s", wait=60)


async def test_another_principals_request_id_is_another_request(bench: Bench) -> None:
    engine = bench.engine()
    first = await answer_of(engine, turn(request_id="r"))
    other = await answer_of(engine, Turn("addVar variable", "s", principal="bob", request_id="r"))
    assert other.turn_id != first.turn_id


# One turn of a session at a time.


async def test_two_turns_of_one_session_run_one_after_the_other(bench: Bench) -> None:
    model = GatedModel()
    engine = bench.engine(model)
    first = asyncio.create_task(answer_of(engine, turn("addVar first")))
    await model.reached.wait()
    second = asyncio.create_task(answer_of(engine, turn("addVar second")))
    await turns_of_the_loop()
    assert [prompt.query for prompt in model.prompts] == ["addVar first"]
    model.gate.set()
    await asyncio.gather(first, second)
    assert [(record.query, record.sequence) for record in await bench.stored()] == [
        ("addVar first", 1),
        ("addVar second", 2),
    ]
    assert [exchange.query for exchange in model.prompts[1].history] == ["addVar first"]


async def test_other_sessions_do_not_wait(bench: Bench) -> None:
    gated = GatedModel()
    engine = bench.engine(gated)
    waiting = asyncio.create_task(answer_of(engine, turn()))
    await gated.reached.wait()
    assert (await answer_of(engine, turn("hola", "other"))).text == "Light words."
    gated.gate.set()
    await waiting


async def test_a_session_that_stays_busy_says_so_and_stores_nothing(bench: Bench) -> None:
    model = GatedModel()
    engine = bench.engine(model, times=Times(session_wait=0.01))
    first = asyncio.create_task(answer_of(engine, turn("addVar first")))
    await model.reached.wait()
    assert await broken(engine, turn("addVar second"), SessionBusy) == []
    model.gate.set()
    await first
    assert [record.query for record in await bench.stored()] == ["addVar first"]
    await answer_of(engine, turn("addVar third"))


# What is cut short.


async def test_a_caller_who_leaves_closes_the_model_and_stores_a_partial_turn(bench: Bench) -> None:
    model = GatedModel()
    engine = bench.engine(model)
    async with aclosing(engine.answer(turn())) as events:
        async for event in events:
            if isinstance(event, TextDelta) and event.text.endswith("two"):
                break
    assert model.closed == 1
    (record,) = await bench.stored()
    assert (record.answer.rstrip(), record.outcome, record.shown) == ("One two", Outcome.PARTIAL, (1, 2))
    assert (await answer_of(engine, turn("hola"))).text == "Light words."  # the session is free


async def test_cancelling_the_caller_mid_answer_stores_what_was_said(bench: Bench) -> None:
    model = GatedModel()
    caller = asyncio.create_task(events_of(bench.engine(model), turn()))
    await model.reached.wait()
    await turns_of_the_loop()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert model.closed == 1
    assert [(record.answer.rstrip(), record.outcome) for record in await bench.stored()] == [
        ("One two", Outcome.PARTIAL)
    ]


async def test_closing_before_anything_was_said_stores_a_failed_turn(bench: Bench) -> None:
    model = GatedModel(before=())
    async with aclosing(bench.engine(model).answer(turn())) as events:
        async for event in events:
            if isinstance(event, Retrieved):
                await model.reached.wait()
                break
    assert model.closed == 1
    assert [(record.answer, record.outcome) for record in await bench.stored()] == [("", Outcome.FAILED)]


async def test_the_deadline_ends_the_turn_and_stores_what_was_said(bench: Bench) -> None:
    model = GatedModel()
    deadline = asyncio.get_running_loop().time() + 1.5
    seen = await broken(bench.engine(model), turn(deadline=deadline), DeadlineExceeded)
    assert text_of(seen).rstrip() == "One two"
    assert model.closed == 1
    assert [(record.answer.rstrip(), record.outcome) for record in await bench.stored()] == [
        ("One two", Outcome.PARTIAL)
    ]


async def test_the_engines_own_limit_holds_where_the_caller_sets_none_or_a_later_one(bench: Bench) -> None:
    engine = bench.engine(GatedModel(), times=Times(deadline=0.1))
    await broken(engine, turn(), DeadlineExceeded)
    later = asyncio.get_running_loop().time() + 3600
    await broken(engine, turn(deadline=later), DeadlineExceeded)


async def test_a_deadline_that_has_passed_runs_nothing(bench: Bench) -> None:
    model = ScriptedModel("never")
    past = asyncio.get_running_loop().time() - 1
    assert await broken(bench.engine(model), turn(deadline=past), DeadlineExceeded) == []
    assert model.prompts == []
    assert await bench.stored() == []


# What fails.


@pytest.mark.parametrize(("after", "text", "outcome"), [(0, "", Outcome.FAILED), (2, "It adds", Outcome.PARTIAL)])
async def test_a_failing_model_is_stored_and_raised(bench: Bench, after: int, text: str, outcome: Outcome) -> None:
    model = ScriptedModel("It adds a variable.", fail_after=after, error=UNAVAILABLE)
    seen = await broken(bench.engine(model), turn(), DependencyUnavailable)
    assert text_of(seen).rstrip() == text
    assert not [event for event in seen if isinstance(event, Completed)]
    (record,) = await bench.stored()
    assert (record.answer.rstrip(), record.outcome) == (text, outcome)
    assert model.closed == 1


async def test_an_unexpected_error_is_stored_and_raised_too(bench: Bench) -> None:
    model = ScriptedModel("It adds.", fail_after=1, error=ZeroDivisionError())
    await broken(bench.engine(model), turn(), ZeroDivisionError)
    assert [record.outcome for record in await bench.stored()] == [Outcome.PARTIAL]


class Panic(BaseException):
    """What a library in Rust raises when it panics."""


async def test_a_librarys_panic_ends_the_turn(bench: Bench) -> None:
    bench.retriever = ListRetriever(error=Panic())  # type: ignore[arg-type]
    await broken(bench.engine(), turn(), Panic)
    assert [record.outcome for record in await bench.stored()] == [Outcome.FAILED]
    bench.retriever = ListRetriever([ADD])
    assert (await answer_of(bench.engine(), turn())).outcome is Outcome.COMPLETE


async def test_a_failing_search_is_a_failed_turn(bench: Bench) -> None:
    bench.retriever = ListRetriever(error=DependencyUnavailable("elasticsearch", "it refuses"))
    seen = await broken(bench.engine(), turn(), DependencyUnavailable)
    assert [type(event) for event in seen] == [Routed, Progress]
    assert [record.outcome for record in await bench.stored()] == [Outcome.FAILED]


async def test_a_failed_turn_is_no_history(bench: Bench) -> None:
    model = ScriptedModel("x", fail_after=0, error=UNAVAILABLE)
    await broken(bench.engine(model), turn(), DependencyUnavailable)
    again = ScriptedModel("It adds [1].")
    await answer_of(bench.engine(again), turn())
    assert again.prompts[0].history == ()


async def test_a_turn_that_cannot_be_stored_is_never_completed_and_logged(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = BrokenStore(tmp_path / "broken.sqlite3")
    seen = await broken(bench.engine(store=store), turn(), DependencyUnavailable)
    printed = capsys.readouterr()
    assert "[turn] not stored: database: it refuses" in printed.out + printed.err
    assert text_of(seen) == "It adds [1]."
    assert not [event for event in seen if isinstance(event, Completed)]
    await store.close()


# Signs of life.


async def test_a_caller_that_hears_nothing_is_told_that_work_goes_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_module, "_FIRST_SIGN", 0.01)
    monkeypatch.setattr(answer_module, "_SIGN", 0.01)
    router, model = GatedRouter(), GatedModel()
    bench.router = router
    async with aclosing(bench.engine(model).answer(turn())) as events:
        assert await anext(events) == Progress("working")  # while the router decides
        router.gate.set()
        async for event in events:
            if isinstance(event, TextDelta):
                break
        async for event in events:
            if event == Progress("working"):  # while the model thinks
                model.gate.set()
                break
        rest = [event async for event in events]
    assert isinstance(rest[-1], Completed)


async def test_an_answer_that_flows_needs_no_signs(bench: Bench) -> None:
    events = await events_of(bench.engine(), turn())
    assert Progress("working") not in events


class SkippingLoop(asyncio.SelectorEventLoop):
    """A loop whose time jumps to the next timer whenever nothing else is to be done."""

    skipped = 0.0

    def time(self) -> float:
        return super().time() + self.skipped

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self.skipped += max(self._scheduled[0].when() - self.time(), 0.0)  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


@pytest.mark.parametrize("event_at", [None, 0.1, 0.79, 0.81, 1.5, 4.7, 4.9, 8.7, 8.9, 60.0])
def test_no_silence_is_longer_than_ten_seconds(event_at: float | None) -> None:
    async def silences() -> list[float]:
        loop, channel = asyncio.get_running_loop(), Channel[Event](64)
        seen = [loop.time()]
        signs = asyncio.create_task(answer_module._signs_of_life(channel))
        if event_at is not None:
            loop.call_later(event_at, channel.put_now, Progress("retrieve"))
        loop.call_later(120, channel.close)
        async for _ in channel:
            seen.append(loop.time())  # noqa: PERF401  # the time of each
        signs.cancel()
        return [after - before for before, after in pairwise(seen)]

    make: Callable[[], asyncio.AbstractEventLoop] = SkippingLoop
    with asyncio.Runner(loop_factory=make) as runner:
        gaps = runner.run(silences())
    assert max(gaps) < 10
    assert len(gaps) >= 12


async def test_a_quoted_answer_stands_on_its_passages_and_so_does_its_replay(bench: Bench) -> None:
    engine = bench.engine(ExtractiveAnswerer(HashedWordsEmbedder()))
    first = await answer_of(engine, turn(request_id="r-1"))
    assert first.citations
    assert (first.grounding.share, first.grounding.unsupported) == (1.0, ())
    again = await answer_of(engine, turn(request_id="r-1"))
    assert again.turn_id == first.turn_id
    assert again.grounding == first.grounding


async def test_an_answer_that_cites_nothing_has_no_grounding(bench: Bench) -> None:
    engine = bench.engine(light=ExtractiveAnswerer(HashedWordsEmbedder()))
    greeted = await answer_of(engine, turn("hola"))
    assert not greeted.citations
    assert greeted.grounding.share is None


async def test_an_echo_of_the_prompt_reaches_nobody_and_is_not_stored(bench: Bench) -> None:
    events = await events_of(bench.engine("It adds [1].\n\n</conversation> <question>\nWhat is it? [2]\n"), turn())
    completed = events[-1]
    assert isinstance(completed, Completed)
    assert completed.answer.text == text_of(events) == "It adds [1]."
    assert [piece.passage.id for piece in completed.answer.citations] == ["add"]
    (record,) = await bench.stored()
    assert record.answer == "It adds [1]."


async def test_code_that_was_asked_for_keeps_its_elements(bench: Bench) -> None:
    code = "```xml\n<user>ana</user>\n```"
    answer = await answer_of(bench.engine(f"{code}\n</question>"), turn(declared=QueryType.CODE_GENERATION))
    assert answer.text == code


class SlowPace:
    """A hundred characters a second."""

    first_word = 5.0

    def seconds(self, text: str) -> float | None:
        return len(text) / 100


async def test_the_caller_is_told_how_long_the_prompt_is_read_and_what_was_left_out(bench: Bench) -> None:
    events = await events_of(bench.engine(ScriptedModel("It adds [1].", name="big", pace=SlowPace())), turn())
    stages = [event.stage for event in events if isinstance(event, Progress)]
    assert stages == ["retrieve", "read"]
    (reading,) = [event for event in events if isinstance(event, Progress) and event.stage == "read"]
    completed = events[-1]
    assert isinstance(completed, Completed)
    receipt = completed.answer.prompt
    assert receipt is not None
    assert receipt.passages == 1  # of the two that were found
    assert int(reading.detail) - 1 < receipt.seconds <= int(reading.detail)
    assert events.index(reading) < next(n for n, event in enumerate(events) if isinstance(event, TextDelta))


async def test_a_draft_that_is_kept_back_is_told_of_all_the_same(bench: Bench) -> None:
    engine = bench.engine(ScriptedModel("It adds [1]. It reads [2].", name="big", pace=SlowPace()))
    events = await events_of(engine, turn("What is addVar variable? And what is getVar variable?"))
    stages = [event.stage for event in events if isinstance(event, Progress)]
    assert stages.index("draft") < stages.index("read") < stages.index("evaluate")


async def test_without_a_model_nothing_is_read(bench: Bench) -> None:
    answer = await answer_of(bench.engine(ExtractiveAnswerer(HashedWordsEmbedder())), turn())
    assert answer.prompt is None


GROUNDER = Grounder(HashedWordsEmbedder(512))


async def test_sentences_of_a_model_are_held_against_what_they_cite(bench: Bench) -> None:
    said = "addVar adds a variable [1]. It keeps 99 copies [1]."
    answer = await answer_of(bench.engine(said, grounder=GROUNDER), turn())
    assert answer.grounding.share == 0.5
    (lacking,) = answer.grounding.unsupported
    assert (answer.text[lacking.start : lacking.end], lacking.reason) == ("It keeps 99 copies [1].", "figure")


async def test_an_answer_that_cites_nothing_is_given_the_passages_that_support_it(bench: Bench) -> None:
    events = await events_of(bench.engine("addVar adds a variable.", grounder=GROUNDER), turn())
    completed = events[-1]
    assert isinstance(completed, Completed)
    assert completed.answer.text == text_of(events) == "addVar adds a variable. [1]"
    assert completed.answer.citations == (Evidence(1, ADD),)
    assert completed.answer.grounding.share == 1.0
    (record,) = await bench.stored()
    assert (record.answer, record.cited) == (completed.answer.text, (1,))


async def test_an_invention_is_given_no_passage_and_is_marked(bench: Bench) -> None:
    answer = await answer_of(bench.engine("Gardens grow slowly in autumn.", grounder=GROUNDER), turn())
    assert answer.text == "Gardens grow slowly in autumn."
    assert answer.grounding.share is None
    assert [one.reason for one in answer.grounding.unsupported] == ["uncited"]


async def test_what_is_quoted_is_not_held_against_anything(bench: Bench) -> None:
    engine = bench.engine(ExtractiveAnswerer(HashedWordsEmbedder()), grounder=GROUNDER)
    assert (await answer_of(engine, turn())).grounding.share == 1.0


@pytest.mark.parametrize("act", [DialogueAct.THANKS, DialogueAct.GREETING, DialogueAct.FAREWELL])
@pytest.mark.parametrize("slot", ["main", "light"])
async def test_a_courtesy_waits_for_no_busy_model(bench: Bench, act: DialogueAct, slot: str) -> None:
    said = "muchas gracias por todo"
    bench.router = ScriptedRouter({said: QueryType.CONVERSATIONAL}, {said: act})
    main = ScriptedModel("It adds [1].", busy=slot == "main")
    bench.light.busy = slot == "light"
    answer = await answer_of(bench.engine(main), turn(said))
    assert bench.light.prompts == []
    assert answer.text
    assert (answer.route.model, answer.route.action, answer.searches) == ("extractive", Action.NONE, 0)
    assert answer.route.plan is not None
    assert answer.route.plan.reason == "courtesy"
    (record,) = await bench.stored()
    assert (record.answer, record.model) == (answer.text, "extractive")


async def test_a_courtesy_is_for_the_light_model_when_it_is_free(bench: Bench) -> None:
    bench.router = ScriptedRouter({"thanks": QueryType.CONVERSATIONAL}, {"thanks": DialogueAct.THANKS})
    answer = await answer_of(bench.engine(), turn("thanks"))
    assert (answer.text, answer.route.model) == ("Light words.", bench.light.name)


async def test_what_is_more_than_a_courtesy_is_for_the_model(bench: Bench) -> None:
    said = "en menos palabras"
    bench.light.busy = True
    for act in (DialogueAct.SHORTER, DialogueAct.ABILITIES, DialogueAct.NONE):
        bench.router = ScriptedRouter({said: QueryType.CONVERSATIONAL}, {said: act})
        assert (await answer_of(bench.engine(), turn(said))).text == "Light words."
    assert len(bench.light.prompts) == 3
