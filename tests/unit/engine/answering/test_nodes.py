from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from classifier.decision import Decision, IntentEntry, Layer, Query, QueryType
from classifier.dialogue_act.acts import UNREAD, ActReading, DialogueAct
from classifier.relation.relations import UNRELATED, RelationReading
from classifier.relation.relations import Relation as Related
from engine.answering.nodes import NEAR, Limits, Models, Nodes, query_of
from engine.conversation.store.port import Conversation, TurnRecord
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import (
    Action,
    Event,
    Evidence,
    Exchange,
    Origin,
    Outcome,
    Passage,
    PlanMode,
    Progress,
    Relation,
    Retrieved,
    Routed,
    Turn,
)
from engine.errors import DependencyUnavailable
from engine.planning.workflow import Workflow
from engine.retrieval.port import StoredDocument, names_of_documents
from engine.testing import FixedClock, ListRetriever, ScriptedModel, ScriptedRouter
from engine.text.language import Language

RETRIEVAL, CODE, TALK, PLATFORM = (
    QueryType.RETRIEVAL,
    QueryType.CODE_GENERATION,
    QueryType.CONVERSATIONAL,
    QueryType.PLATFORM,
)
ADD = Passage("add", "doc.md", "Variables", "addVar", "addVar adds a variable")
GET = Passage("get", "doc.md", "Variables", "getVar", "getVar reads a variable")
EMPTY = Conversation()


def decided(type_: QueryType, *, editor: bool = False) -> Decision:
    return Decision(type_, Layer.EMBEDDING, 0.9, "confident", editor=editor, milliseconds={"embedding": 2.0})


def turn(query: str = "addVar variable", **more: Any) -> Turn:
    return Turn(query, "s", principal="ana", **more)


def record(number: int, query: str, answer: str, *, cited: tuple[int, ...] = ()) -> TurnRecord:
    return TurnRecord(
        f"t{number}", "ana", "s", query, answer, RETRIEVAL, Layer.LLM, Outcome.COMPLETE, 1.0, number, cited=cited
    )


class Bench:
    """The nodes over doubles, and the events that they wrote."""

    def __init__(self, store: SqlSessionStore) -> None:
        self.store = store
        self.retriever = ListRetriever([ADD, GET])
        self.router = ScriptedRouter()
        self.clock = FixedClock()
        self.events: list[Event] = []
        models = Models(ScriptedModel("main", name="big"), ScriptedModel("light", name="small"))
        self.nodes = Nodes(
            self.router,
            self.retriever,
            store,
            models,
            Limits(passages=1),
            Workflow.by_rules(self.retriever),
            self.clock,
        )

    def write(self, event: Any) -> None:
        self.events.append(event)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    store = SqlSessionStore(tmp_path / "sessions.sqlite3")
    yield Bench(store)
    await store.close()


async def test_classify_asks_the_router_with_the_intent_history(bench: Bench) -> None:
    conversation = Conversation((record(1, "What is addVar?", "It."),), 1)
    state = await bench.nodes.classify({"turn": turn(declared=PLATFORM), "conversation": conversation})
    assert state["decision"].type is PLATFORM
    assert state["classify_history"] == (IntentEntry(RETRIEVAL, "What is addVar?"),)
    assert bench.router.asked[0].history == state["classify_history"]
    assert state["timings"] == {"classify": 0.0}


@pytest.mark.parametrize(("earlier", "language"), [("¿Qué hace addVar?", "es"), ("What does addVar do?", "en")])
async def test_the_language_is_decided_once_and_the_answer_is_told(bench: Bench, earlier: str, language: str) -> None:
    conversation = Conversation((record(1, earlier, "..."),), 1)
    state = await bench.nodes.classify({"turn": turn("getVar"), "conversation": conversation})
    assert state["decision"].language == language
    state |= {"turn": turn("getVar"), "conversation": conversation}
    state |= await bench.nodes.relate(state, bench.write)
    prompt = (await bench.nodes.compose(state))["prompt"]
    assert (prompt.language, prompt.spoken) == (language, Language(language))


@pytest.mark.parametrize("platform", [True, False])
def test_the_router_knows_whether_the_caller_may_speak_as_the_platform(platform: bool) -> None:
    assert query_of(turn(platform=platform), ()).platform is platform


def test_the_router_sees_what_stands_beside_the_text_not_its_content() -> None:
    asked = query_of(turn(selected_text="x", editor_content=" \n", extra_context="{}", declared=CODE), ())
    assert (asked.has_selection, asked.has_editor, asked.has_context, asked.declared) == (True, False, True, CODE)


@pytest.mark.parametrize(
    ("type_", "action", "mode", "search", "model"),
    [
        (RETRIEVAL, Action.FRESH, PlanMode.SINGLE_RETRIEVAL, "addVar variable", "big"),
        (CODE, Action.FRESH, PlanMode.SINGLE_RETRIEVAL, "addVar variable", "big"),
        (TALK, Action.NONE, PlanMode.DIRECT_LLM, "", "small"),
        (PLATFORM, Action.NONE, PlanMode.DIRECT_LLM, "", "small"),
    ],
)
async def test_relate_writes_the_receipt(
    bench: Bench, type_: QueryType, action: Action, mode: PlanMode, search: str, model: str
) -> None:
    given: Any = asked() | {"conversation": EMPTY, "decision": decided(type_), "timings": {"classify": 1.0}}
    route = (await bench.nodes.relate(given, bench.write))["route"]
    assert (route.action, route.plan_mode, route.search_query, route.model) == (action, mode, search, model)
    assert route.milliseconds == {"embedding": 2.0, "classify": 1.0, "plan": 0.0}
    assert bench.events == [Routed(route)]


def asked(*query: str, **more: Any) -> Any:
    """A turn and what it asks, as `classify` leaves them."""
    return {"turn": (one := turn(*query, **more)), "asked": one}


async def related(bench: Bench, conversation: Conversation = EMPTY, type_: QueryType = RETRIEVAL, **more: Any) -> Any:
    given = asked(**more) | {"conversation": conversation, "decision": decided(type_), "timings": {}}
    state = {**given, **await bench.nodes.relate(given, bench.write)}
    bench.events.clear()
    return state


async def test_retrieve_searches_once_and_numbers_what_it_finds(bench: Bench) -> None:
    state = await bench.nodes.retrieve(await related(bench), bench.write)
    expected = (Evidence(1, ADD, Origin.SEARCH),)
    assert state["evidence"] == expected
    assert state["searches"] == 1
    assert bench.retriever.queries == ["addVar variable"]
    assert bench.events == [Progress("retrieve"), Retrieved(expected)]
    assert state["timings"] == {"plan": 0.0, "retrieve": 0.0}


async def test_a_passage_that_was_shown_keeps_its_number(bench: Bench) -> None:
    stored = await bench.store.append(record(1, "q", "a"), [Evidence(1, GET), Evidence(2, ADD)])
    state = await bench.nodes.retrieve(await related(bench, Conversation((stored,), 1, 2)), bench.write)
    assert [(piece.number, piece.passage.id) for piece in state["evidence"]] == [(2, "add")]


async def test_remember_brings_what_the_last_answer_cited(bench: Bench) -> None:
    first = await bench.store.append(record(1, "What is it?", "It [1].", cited=(1,)), [Evidence(1, ADD)])
    last = await bench.store.append(
        record(2, "And?", "Both [1][2].", cited=(3, 2)), [Evidence(2, GET), Evidence(3, ADD_2)]
    )
    conversation = Conversation((first, last), 2, 3)
    state = await related(bench, conversation, type_=TALK, query="as a list")
    state |= await bench.nodes.remember(state, bench.write)
    assert [(piece.number, piece.origin) for piece in state["evidence"]] == [(3, Origin.LEDGER), (2, Origin.LEDGER)]
    assert bench.events == [Retrieved(state["evidence"])]
    assert "searches" not in state
    assert bench.retriever.queries == []


ADD_2 = Passage("add-2", "doc.md", "Variables", "", "More about addVar")


async def test_nothing_cited_is_nothing_retrieved(bench: Bench) -> None:
    past = Conversation((record(1, "hi", "Hello."),), 1)
    state = await bench.nodes.remember(await related(bench, past, type_=TALK, query="hi"), bench.write)
    assert state["evidence"] == ()
    assert bench.events == []


async def test_the_first_question_may_lie_before_the_window(bench: Bench) -> None:
    for number in range(1, 4):
        await bench.store.append(record(number, f"Question {number}?", "A."))
    window = await bench.store.load("ana", "s", turns=1)
    state = await related(bench, window, query="What was my first question?")
    assert state["route"].relation is Relation.HISTORY_RECALL
    state |= await bench.nodes.remember(state, bench.write)
    prompt = (await bench.nodes.compose(state))["prompt"]
    assert [exchange.query for exchange in prompt.history] == ["Question 1?"]
    assert "Turn 1\nUser: Question 1?" in prompt.messages[1].content
    assert "Question 3?" not in prompt.messages[1].content


async def test_compose_gives_the_model_everything_with_the_sessions_numbers(bench: Bench) -> None:
    conversation = Conversation((record(1, "What?", "It [1] `x[1]`.", cited=(7,)),), 1, 7)
    state = await related(bench, conversation, extra_context="c", user_info="u", selected_text="s", editor_content="e")
    evidence = (Evidence(8, ADD),)
    state |= {"evidence": evidence}
    prompt = (await bench.nodes.compose(state))["prompt"]
    assert prompt.history == (Exchange("What?", "It [7] `x[1]`.", 1),)
    assert prompt.evidence == evidence
    assert prompt.relation is Relation.NEW_TOPIC_INFORMATIONAL
    assert (prompt.extra_context, prompt.user_info) == ("c", "u")
    assert (prompt.selected_text, prompt.editor_content) == ("s", "e")
    assert [message.role for message in prompt.messages] == ["system", "user"]


async def test_stages_are_timed(bench: Bench) -> None:
    class Slow(ScriptedRouter):
        async def decide(self, *args: Any, **more: Any) -> Decision:
            bench.clock.move(0.25)
            return await super().decide(*args, **more)

    nodes = Nodes(Slow(), bench.retriever, bench.store, bench.nodes.models, Limits(), bench.nodes.workflow, bench.clock)
    state = await nodes.classify({"turn": turn(), "conversation": EMPTY})
    assert state["timings"] == {"classify": 250.0}


def test_documents_are_answered_by_the_main_model() -> None:
    models = Models(ScriptedModel("", name="big"), ScriptedModel("", name="small"))
    assert {type_: models.of(type_).name for type_ in QueryType} == {
        RETRIEVAL: "big",
        CODE: "big",
        TALK: "small",
        PLATFORM: "small",
    }


class Unsure(ScriptedRouter):
    """A router that is `confidence` sure of PLATFORM."""

    def __init__(self, confidence: float, layer: Layer = Layer.EMBEDDING) -> None:
        super().__init__()
        self.said = Decision(PLATFORM, layer, confidence, "confident")

    async def decide(self, query: Query, *, every_layer: bool = False) -> Decision:
        del query, every_layer
        return self.said


async def classified(bench: Bench, router: ScriptedRouter, near: float, **more: Any) -> Decision:
    found = replace(ADD, similarity=near)
    nodes = replace(bench.nodes, router=router, retriever=ListRetriever([found]))
    state = await nodes.classify({"turn": turn("How does addVar add a variable?", **more), "conversation": EMPTY})
    return state["decision"]


async def test_what_may_be_about_the_account_is_looked_up_where_documents_answer_it(bench: Bench) -> None:
    decision = await classified(bench, Unsure(0.7), 0.93)
    assert (decision.type, decision.reason) == (RETRIEVAL, "without_figures")
    assert (decision.runner_up, decision.runner_up_confidence) == (PLATFORM, 0.7)


@pytest.mark.parametrize(
    ("confidence", "layer", "near", "more"),
    [
        (0.998, Layer.EMBEDDING, 0.93, {}),
        (0.97, Layer.EMBEDDING, 0.7, {}),
        (0.7, Layer.DECLARED, 0.93, {}),
        (0.7, Layer.PREFIX, 0.93, {}),
        (0.7, Layer.EMBEDDING, 0.7, {}),
        (0.7, Layer.EMBEDDING, 0.93, {"extra_context": "calls: 7"}),
        (0.7, Layer.EMBEDDING, 0.93, {"user_info": "plan: free"}),
    ],
)
async def test_what_is_surely_about_the_account_stays_so(
    bench: Bench, confidence: float, layer: Layer, near: float, more: dict[str, str]
) -> None:
    decision = await classified(bench, Unsure(confidence, layer), near, **more)
    assert (decision.type, decision.reason) == (PLATFORM, "confident")


@pytest.mark.parametrize(
    ("related", "before", "sure", "type_"),
    [
        (Related.FOLLOW_UP, RETRIEVAL, 0.998, RETRIEVAL),
        (Related.FOLLOW_UP, PLATFORM, 0.97, PLATFORM),
        (Related.STANDS_ALONE, RETRIEVAL, 0.998, PLATFORM),
        (Related.STANDS_ALONE, RETRIEVAL, 0.97, RETRIEVAL),
    ],
)
async def test_what_follows_a_question_about_documents_is_looked_up_where_no_figures_were_seen(
    bench: Bench, related: Related, before: QueryType, sure: float, type_: QueryType
) -> None:
    router = Unsure(sure)
    router.said = replace(router.said, relation=RelationReading(related, 0.96))
    past = Conversation((replace(record(1, "what is addVar?", "A command."), type=before),), 1)
    nodes = replace(bench.nodes, router=router, retriever=ListRetriever([replace(ADD, similarity=0.93)]))
    given = {"turn": turn("How does addVar add a variable?"), "conversation": past}
    decision = (await nodes.classify(given))["decision"]  # type: ignore[arg-type]
    assert decision.type is type_


async def test_what_names_its_trouble_with_the_question_before_is_looked_up_with_it(bench: Bench) -> None:
    """No word of "did that already" is in the documents; those of the question that it follows are."""
    router = Unsure(0.998)
    router.said = replace(router.said, relation=RelationReading(Related.FOLLOW_UP, 0.96))
    past = Conversation((record(1, "How does addVar add a variable?", "A command."),), 1)
    nodes = replace(bench.nodes, router=router, retriever=ListRetriever([replace(ADD, similarity=0.93)]))
    decided_on = []
    for conversation in (past, EMPTY):
        given = {"turn": turn("did that already"), "conversation": conversation}
        decided_on.append((await nodes.classify(given))["decision"].type)  # type: ignore[arg-type]
    assert decided_on == [RETRIEVAL, PLATFORM]


LIKELY_RECALL, SURE_RECALL = (RelationReading(Related.RECALL, sure) for sure in (0.7, 0.95))


def talk(
    act: ActReading = UNREAD, related: RelationReading = LIKELY_RECALL, layer: Layer = Layer.EMBEDDING
) -> ScriptedRouter:
    router = Unsure(0.9)
    router.said = Decision(TALK, layer, 0.9, "confident", act=act, relation=related)
    return router


ASKED = Conversation((record(1, "what is addVar?", "A command.", cited=(1,)),), 1)
UNSURE_ACT, SURE_ACT = ActReading(DialogueAct.SIMPLIFY, 0.55), ActReading(DialogueAct.SIMPLIFY, 0.9)


@pytest.mark.parametrize(
    ("router", "conversation", "near", "type_"),
    [
        (talk(), ASKED, 0.93, RETRIEVAL),
        (talk(UNSURE_ACT, RelationReading(Related.REWORDING, 0.95)), ASKED, 0.93, RETRIEVAL),
        (talk(SURE_ACT), ASKED, 0.93, TALK),
        (talk(related=SURE_RECALL), ASKED, 0.93, TALK),
        (talk(related=UNRELATED), ASKED, 0.93, TALK),
        (talk(layer=Layer.DECLARED), ASKED, 0.93, TALK),
        (talk(), ASKED, 0.7, TALK),
        (talk(ActReading(DialogueAct.NONE, 0.7)), EMPTY, 0.93, RETRIEVAL),  # nothing was said that it could be about
        (talk(), EMPTY, 0.93, TALK),
        (talk(SURE_ACT), EMPTY, 0.93, RETRIEVAL),  # nor an answer to be put in another form
        (talk(), EMPTY, 0.7, TALK),
    ],
)
async def test_talk_that_may_be_a_question_is_one_where_documents_answer_it(
    bench: Bench, router: ScriptedRouter, conversation: Conversation, near: float, type_: QueryType
) -> None:
    nodes = replace(bench.nodes, router=router, retriever=ListRetriever([replace(ADD, similarity=near)]))
    given = {"turn": turn("addVar adding variables then"), "conversation": conversation}
    decision = (await nodes.classify(given))["decision"]  # type: ignore[arg-type]
    assert decision.type is type_
    assert (decision.reason == "documented") is (type_ is RETRIEVAL)


@pytest.mark.parametrize(
    ("query", "near", "type_"),
    [
        ("sum up the addVar adding", 0.93, RETRIEVAL),
        ("sum up the addVar adding", 0.7, TALK),
        ("sum up the loops", 0.93, TALK),  # the last answer has told of them
        ("sum that up", 0.93, TALK),
    ],
)
async def test_a_summary_of_what_the_last_answer_has_not_told_of_is_looked_up(
    bench: Bench, query: str, near: float, type_: QueryType
) -> None:
    router = talk(ActReading(DialogueAct.SHORTER, 0.9), RelationReading(Related.REWORDING, 0.97))
    nodes = replace(bench.nodes, router=router, retriever=ListRetriever([replace(ADD, similarity=near)]))
    past = Conversation((record(1, "how do loops end?", "They end [1].", cited=(1,)),), 1)
    decision = (await nodes.classify({"turn": turn(query), "conversation": past}))["decision"]
    assert decision.type is type_


@pytest.mark.parametrize("act", [DialogueAct.CONVERT, DialogueAct.EXAMPLE])
async def test_a_question_is_no_wish_for_the_last_answer_anew_or_an_example_unless_that_is_sure(
    bench: Bench, act: DialogueAct
) -> None:
    given = await related(bench)
    for confidence, read in ((0.6, DialogueAct.NONE), (0.9, act)):
        asked = replace(given["decision"], act=ActReading(act, confidence))
        state: Any = {**given, "decision": asked, "evidence": ()}
        assert (await bench.nodes.compose(state))["prompt"].act is read


async def test_a_search_that_fails_leaves_the_account(bench: Bench) -> None:
    broken = ListRetriever([], error=DependencyUnavailable("index", "gone"))
    nodes = replace(bench.nodes, router=Unsure(0.7), retriever=broken)
    state = await nodes.classify({"turn": turn("How is it billed?"), "conversation": EMPTY})
    assert state["decision"].type is PLATFORM


async def test_what_the_passages_probably_do_not_answer_is_said_to_the_generator(bench: Bench) -> None:
    for near, answerable in ((0.93, True), (0.5, False)):
        nodes = replace(bench.nodes, retriever=ListRetriever([replace(ADD, similarity=near)]))
        given = await related(bench)
        state: Any = {**given, **await nodes.retrieve(given, bench.write)}
        assert (state["answerability"] > 0.5) is answerable
        prompt = (await nodes.compose(state))["prompt"]
        assert prompt.answerable is answerable
        assert prompt.near is (state["answerability"] >= NEAR)
        assert ("probably do not answer" in prompt.given) is not answerable


@pytest.mark.parametrize(
    ("more", "searched", "corrections"),
    [
        ({}, ["adds of adVar", "adds of addVar"], (("adVar", "addVar"),)),
        ({"editor_content": "adVar(x)"}, ["adds of adVar"], ()),
    ],
    ids=["a question", "a question beside code that has names of its own"],
)
async def test_a_misspelt_name_is_searched_for_as_the_documents_write_it(
    bench: Bench, more: dict[str, str], searched: list[str], corrections: tuple[tuple[str, str], ...]
) -> None:
    conversation = Conversation()
    state: Any = {
        **asked("adds of adVar", **more),
        "conversation": conversation,
        "decision": decided(RETRIEVAL),
        "timings": {},
    }
    state |= await bench.nodes.relate(state, bench.write)
    state |= await bench.nodes.retrieve(state, bench.write)
    assert bench.retriever.queries == searched
    assert state["searches"] == len(searched)
    assert state["route"].search_query == searched[-1]
    prompt = (await bench.nodes.compose(state))["prompt"]
    assert prompt.corrections == corrections
    assert prompt.question == (searched[-1] if corrections else "")


class OfQuery:
    """Takes queries without slips for those that are answered."""

    def __init__(self) -> None:
        self.carried: list[object] = []
        self.messages: list[str] = []

    async def read(self, query: str, passages: object, carried: object = (), message: str = "") -> float:
        self.carried.append(carried)
        self.messages.append(message)
        return 0.1 if "adss" in query else 0.9

    async def that_answer(self, query: str, passages: object, *more: object) -> tuple[float, object]:
        return await self.read(query, passages, *more), passages  # type: ignore[arg-type]


async def test_a_question_is_answered_as_it_was_meant(bench: Bench) -> None:
    respelling: Any = lambda text, _language, _knows: text.replace("adss", "adds")  # noqa: E731
    reader: Any = OfQuery()
    nodes = replace(bench.nodes, respelling=respelling, answerability=reader)
    state: Any = {
        **asked("what adss"),
        "conversation": Conversation(),
        "decision": decided(RETRIEVAL),
        "timings": {},
    }
    state |= await nodes.relate(state, bench.write)
    state |= await nodes.retrieve(state, bench.write)
    assert bench.retriever.queries == ["what adss", "what adds"]
    assert (state["route"].search_query, state["searches"]) == ("what adds", 2)
    prompt = (await nodes.compose(state))["prompt"]
    assert (prompt.question, prompt.corrections) == ("what adds", ())
    assert reader.carried == [(), (), set()]  # no word is from the conversation


async def test_words_of_the_conversation_are_told_from_the_messages_own(bench: Bench) -> None:
    reader: Any = OfQuery()
    given = await related(bench)
    given["route"] = replace(given["route"], search_query=f"{given['turn'].query} kilns glazes")
    await replace(bench.nodes, answerability=reader).retrieve(given, bench.write)
    assert reader.carried == [{"kiln", "glaz"}]
    assert reader.messages == [given["turn"].query]
    given["route"] = replace(given["route"], search_query="kilns of addVar")
    await replace(bench.nodes, answerability=reader).retrieve(given, bench.write)
    assert reader.messages[1:] == [""]


async def test_a_table_of_all_rows_stands_before_what_was_found(bench: Bench) -> None:
    whole = Passage("all", "kilns.csv", "Kilns", "", "| Kiln | Price |\n| --- | --- |\n| Tall | 90 |")

    class Tables:
        def rows_asked(self, query: str) -> str:
            return ""

        async def of_all_rows(self, query: str, passages: list[Passage], last: str) -> Passage | None:
            assert passages == [ADD]
            assert not last  # it goes on from nothing
            return whole if query == "which addVar variable is the cheapest?" else None

    class Reader:
        async def read(self, query: str, passages: list[Passage], *_: object, **__: object) -> float:
            return 0.8 if whole in passages else 0.3

        async def that_answer(self, query: str, passages: list[Passage], *_: object) -> tuple[float, list[Passage]]:
            return await self.read(query, passages), passages

    doubles: Any = {"tables": Tables(), "answerability": Reader()}
    nodes = replace(bench.nodes, **doubles)
    for query, ids, answerable in (
        ("which addVar variable is the cheapest?", ["all", "add"], 0.8),
        ("addVar variable", ["add"], 0.3),
    ):
        state: Any = {**asked(query), "conversation": EMPTY, "decision": decided(RETRIEVAL), "timings": {}}
        state |= await nodes.relate(state, bench.write)
        state |= await nodes.retrieve(state, bench.write)
        assert [piece.passage.id for piece in state["evidence"]] == ids
        assert state["answerability"] == answerable


async def test_a_table_is_looked_for_by_the_name_of_its_rows_where_nothing_else_found_it(bench: Bench) -> None:
    whole = Passage("all", "kilns.csv", "Kilns", "", "| Kiln | Price |\n| --- | --- |\n| Tall | 90 |")
    row = Passage("row", "kilns.csv", "Kilns", "", "Tall is one of the kilns")
    retriever = ListRetriever([ADD, row])

    class Tables:
        def rows_asked(self, query: str) -> str:
            return "kilns" if "how many" in query else ""

        async def of_all_rows(self, query: str, passages: list[Passage], last: str = "") -> Passage | None:
            return whole if passages[:1] == [row] else None

    doubles: Any = {"tables": Tables(), "retriever": retriever}
    nodes = replace(bench.nodes, **doubles)
    for query, ids in (("how many addVar variable", ["all", "add"]), ("addVar variable", ["add"])):
        state: Any = {**asked(query), "conversation": EMPTY, "decision": decided(RETRIEVAL), "timings": {}}
        state |= await nodes.relate(state, bench.write)
        state |= await nodes.retrieve(state, bench.write)
        assert [piece.passage.id for piece in state["evidence"]] == ids


async def test_what_the_assistant_can_do_is_told_with_the_documents_that_there_are(bench: Bench) -> None:
    class Shelf:
        def documents(self) -> list[StoredDocument]:
            return [StoredDocument(name, name, 3, 90, 0.0, name) for name in ("kilns.md", "clay.pdf")]

    shelf: Any = Shelf()
    abilities = replace(decided(TALK), act=ActReading(DialogueAct.ABILITIES, 0.97))
    for catalogue, decision, names in (
        (shelf, abilities, ("kilns.md", "clay.pdf")),
        (shelf, decided(TALK), ()),
        (None, abilities, ()),
    ):
        nodes = replace(bench.nodes, catalogue=catalogue)
        state: Any = {**asked("what can you read?"), "conversation": EMPTY, "decision": decision, "timings": {}}
        state |= await nodes.relate(state, bench.write)
        state |= await nodes.compose(state)
        assert state["prompt"].documents == names


def test_no_documents_are_named_where_the_index_cannot_be_read() -> None:
    class Lost:
        def documents(self) -> list[StoredDocument]:
            raise DependencyUnavailable("index", "it is gone")

    lost: Any = Lost()
    assert names_of_documents(lost) == names_of_documents(None) == ()
