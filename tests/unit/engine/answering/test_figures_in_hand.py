"""Figures said in an earlier turn of a session answer the follow-ups that bring none along."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from classifier.decision import Decision, Layer, Query, QueryType
from engine.answering.engine import AnswerEngine
from engine.answering.nodes import Limits, Models, Nodes
from engine.answering.ports import fold
from engine.answering.type_review import RETRIEVAL_SURE
from engine.conversation.followup.dependence import goes_on
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Answer, Passage, Turn
from engine.errors import DependencyUnavailable
from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.answerer import ExtractiveAnswerer
from engine.planning.workflow import Workflow
from engine.testing import ListRetriever, ScriptedModel, ScriptedRouter, counting_ids
from tests.account_cases import encoder

RETRIEVAL, TALK, PLATFORM = QueryType.RETRIEVAL, QueryType.CONVERSATIONAL, QueryType.PLATFORM
GUIDE = Passage("guide", "doc.md", "Crossings", "Crossings", "A crossing takes an hour. Seven are left each evening.")
FERRY = '{"crossings": {"used": 30, "limit": 40}, "pass": {"name": "Skipper", "renewsOn": "2027-04-02"}}'
FIRST = "How many crossings have I used?"


@dataclass
class Judge(ScriptedRouter):
    """A router that is sure of what comes with figures, and says of all else what it is told to."""

    type_: QueryType = RETRIEVAL
    confidence: float = 0.74
    layer: Layer = Layer.EMBEDDING

    async def decide(self, query: Query, *, every_layer: bool = False) -> Decision:
        del every_layer
        if query.has_context and query.text == FIRST:
            return Decision(PLATFORM, Layer.EMBEDDING, 0.99, "confident")
        return Decision(self.type_, self.layer, self.confidence, "confident")


class Session:
    """A session over doubles, without a model."""

    def __init__(
        self,
        store: SqlSessionStore,
        judge: Judge,
        *,
        model: ScriptedModel | None = None,
        similarity: float = 0.5,
        error: Exception | None = None,
    ) -> None:
        self.retriever = ListRetriever([replace(GUIDE, similarity=similarity)], error=error)
        figures = AccountFigures(encoder())
        answerer = model or ExtractiveAnswerer(encoder(), figures)
        flow = Workflow.by_rules(self.retriever)
        models = Models(answerer, answerer)
        self.nodes = Nodes(judge, self.retriever, store, models, Limits(), flow, figures=figures)
        self.engine = AnswerEngine(self.nodes, new_id=counting_ids())

    async def say(self, query: str, **more: Any) -> Answer:
        return await fold(self.engine.answer(Turn(query, "s", principal="ana", **more)))

    async def say_all(self, queries: Sequence[str]) -> Answer:
        await self.say(FIRST, extra_context=FERRY)
        for query in queries:
            answer = await self.say(query)
        return answer


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlSessionStore]:
    opened = SqlSessionStore(tmp_path / "sessions.sqlite3")
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("and how many are left?", "10 left (40 − 30)"),
        ("what percentage is that?", "75% used (30 of 40)"),
        ("when does the pass renew?", "April 2, 2027"),
        ("¿y cuántos me quedan?", "quedan 10 (40 − 30)"),
    ],
)
async def test_a_follow_up_is_answered_from_the_figures_of_before(
    store: SqlSessionStore, query: str, says: str
) -> None:
    answer = await Session(store, Judge()).say_all([query])
    decision = answer.route.decision
    assert says in answer.text
    assert (decision.type, decision.reason) == (PLATFORM, "figures_in_hand")
    assert (decision.runner_up, decision.runner_up_confidence) == (RETRIEVAL, 0.74)
    assert answer.searches == 0


class TestBrought:
    """A question that comes with figures of its own, whose type the router takes for another one."""

    @pytest.mark.parametrize(
        ("query", "says"),
        [
            ("how many crossings are left?", "10 left (40 − 30)"),
            ("¿cuándo se renueva el pass?", "2 de abril de 2027"),
            ("what is the pass called?", "Skipper"),
        ],
    )
    @pytest.mark.parametrize(
        "judge", [Judge(confidence=0.99), Judge(TALK, 0.6), Judge(QueryType.CODE_GENERATION, 0.5)], ids=str
    )
    async def test_is_answered_from_them_where_the_documents_do_not(
        self, store: SqlSessionStore, query: str, says: str, judge: Judge
    ) -> None:
        answer = await Session(store, judge, similarity=0.5).say(query, extra_context=FERRY)
        assert answer.route.decision.type is PLATFORM
        assert answer.route.decision.reason == "figures_in_hand"
        assert says in answer.text

    async def test_is_answered_from_the_documents_where_they_do(self, store: SqlSessionStore) -> None:
        session = Session(store, Judge(confidence=0.99), similarity=0.99)
        answer = await session.say("how many crossings are left each evening?", extra_context=FERRY)
        assert answer.route.decision.type is RETRIEVAL

    @pytest.mark.parametrize(
        ("query", "judge"),
        [
            ("how many are left?", Judge(TALK, 0.95)),  # names nothing that the request brings
            ("how many crossings are left?", Judge(QueryType.CODE_GENERATION, 0.9)),
        ],
        ids=str,
    )
    async def test_stays_the_talk_or_code_that_the_router_is_sure_of(
        self, store: SqlSessionStore, query: str, judge: Judge
    ) -> None:
        answer = await Session(store, judge, similarity=0.5).say(query, extra_context=FERRY)
        assert answer.route.decision.type is judge.type_

    @pytest.mark.parametrize("layer", [Layer.DECLARED, Layer.PREFIX])
    async def test_stays_what_the_caller_declares(self, store: SqlSessionStore, layer: Layer) -> None:
        judge = Judge(confidence=0.5, layer=layer)
        answer = await Session(store, judge, similarity=0.5).say("how many crossings are left?", extra_context=FERRY)
        assert answer.route.decision.type is RETRIEVAL

    async def test_with_no_figure_that_is_meant_is_searched_for(self, store: SqlSessionStore) -> None:
        answer = await Session(store, Judge(confidence=0.99), similarity=0.5).say(
            "who painted the ceiling of the chapel?", extra_context=FERRY
        )
        assert answer.route.decision.type is RETRIEVAL

    async def test_a_search_that_fails_leaves_the_type_as_it_is(self, store: SqlSessionStore) -> None:
        session = Session(store, Judge(confidence=0.99), error=DependencyUnavailable("elasticsearch", "it is down"))
        with pytest.raises(DependencyUnavailable):
            await session.say("how many crossings are left?", extra_context=FERRY)


async def test_one_that_names_nothing_is_so_however_sure_the_router_is(store: SqlSessionStore) -> None:
    answer = await Session(store, Judge(confidence=0.99)).say_all(["and how many are left?"])
    assert "10 left" in answer.text


@pytest.mark.parametrize(
    ("query", "judge"),
    [
        ("how long does a crossing take?", Judge()),
        ("how many ferries are there?", Judge()),
        ("when does the pass renew?", Judge(confidence=RETRIEVAL_SURE)),
        ("and how many are left?", Judge(layer=Layer.DECLARED)),
    ],
)
async def test_what_the_figures_do_not_answer_or_is_surely_about_documents_is_searched_for(
    store: SqlSessionStore, query: str, judge: Judge
) -> None:
    answer = await Session(store, judge).say_all([query])
    assert answer.route.decision.type is RETRIEVAL
    assert answer.searches == 1


class Near:
    """Figures that answer whatever is asked, as what is near to everything does."""

    sure, carried, likely = True, False, False

    def answered(self, query: str, *contexts: str, before: Sequence[str] = ()) -> Near:
        del query, contexts, before
        return self


@pytest.mark.parametrize(
    ("query", "similarity", "type_"),
    [
        ("by the way, how long does the tour of an evening take?", 0.99, RETRIEVAL),
        ("by the way, how long does the tour of an evening take?", 0.5, PLATFORM),
        ("how many crossings are left each evening?", 0.99, PLATFORM),
        ("and how many are left?", 0.99, PLATFORM),
    ],
)
async def test_what_names_no_figure_of_before_is_about_the_documents_that_answer_it(
    store: SqlSessionStore, query: str, similarity: float, type_: QueryType
) -> None:
    session = Session(store, Judge(), similarity=similarity)
    session.engine = AnswerEngine(replace(session.nodes, figures=Near()), new_id=counting_ids())
    answer = await session.say_all([query])
    assert answer.route.decision.type is type_


@pytest.mark.parametrize("query", ["thanks!", "and how many are left?"])
async def test_talk_stays_talk(store: SqlSessionStore, query: str) -> None:
    answer = await Session(store, Judge(TALK, 0.95)).say_all([query])
    assert answer.route.decision.type is TALK


async def test_thanks_is_no_question_for_figures(store: SqlSessionStore) -> None:
    answer = await Session(store, Judge()).say_all(["thanks!"])
    assert answer.route.decision.reason == "confident"


async def test_a_question_about_documents_ends_what_a_bare_follow_up_goes_on_from(store: SqlSessionStore) -> None:
    session = Session(store, Judge(confidence=0.9))
    answer = await session.say_all(["how long does a crossing take?", "and how many are left?"])
    assert answer.route.decision.type is RETRIEVAL


async def test_a_platform_question_without_figures_has_those_of_before(store: SqlSessionStore) -> None:
    answer = await Session(store, Judge(PLATFORM, 0.6)).say_all(["How many crossings are left?"])
    assert "10 left" in answer.text
    assert answer.route.decision.reason == "confident"


async def test_new_figures_take_the_place_of_the_old_ones(store: SqlSessionStore) -> None:
    session = Session(store, Judge())
    await session.say(FIRST, extra_context=FERRY)
    await session.say(FIRST, extra_context=FERRY.replace("30", "31"))
    assert "9 left (40 − 31)" in (await session.say("and how many are left?")).text


@pytest.mark.parametrize("own", [{"extra_context": "boats: 3"}, {"user_info": "boats: 3"}])
async def test_figures_of_the_request_itself_come_first(store: SqlSessionStore, own: dict[str, str]) -> None:
    session = Session(store, Judge(PLATFORM))
    await session.say(FIRST, extra_context=FERRY)
    assert "3" in (await session.say("how many boats?", **own)).text
    assert "no figure for crossings" in (await session.say("how many crossings are left?", **own)).text


async def test_they_are_another_sessions_no_more_than_another_callers(store: SqlSessionStore) -> None:
    session = Session(store, Judge())
    await session.say(FIRST, extra_context=FERRY)
    for other in (Turn("how many are left?", "other", principal="ana"), Turn("how many are left?", "s", "bob")):
        assert (await fold(session.engine.answer(other))).route.decision.type is RETRIEVAL


async def test_they_are_forgotten_with_the_session(store: SqlSessionStore) -> None:
    session = Session(store, Judge())
    await session.say(FIRST, extra_context=FERRY)
    await store.delete("ana", "s")
    assert (await session.say("how many are left?")).route.decision.type is RETRIEVAL


async def test_no_figure_is_in_a_log_line(store: SqlSessionStore) -> None:
    with capture_logs() as lines:
        await Session(store, Judge()).say_all(["and how many are left?"])
    assert lines
    assert not any("Skipper" in str(line) or "crossings" in str(line) for line in lines)


async def test_a_model_reads_them_in_its_prompt(store: SqlSessionStore) -> None:
    model = ScriptedModel("Ten.", name="small")
    await Session(store, Judge(), model=model).say_all(["and how many are left?"])
    assert "Skipper" in "\n".join(message.content for message in model.prompts[-1].messages)


@pytest.mark.parametrize(
    ("query", "confidence", "type_"),
    [
        ("How many crossings are left?", 0.9, PLATFORM),
        ("How long does a crossing take?", 0.9, RETRIEVAL),
        ("How long does a crossing take?", 0.5, PLATFORM),  # documents do not tell it either
    ],
)
async def test_what_a_request_brings_along_answers_what_the_router_is_not_sure_of(
    store: SqlSessionStore, query: str, confidence: float, type_: QueryType
) -> None:
    answer = await Session(store, Judge(confidence=confidence)).say(query, extra_context=FERRY)
    assert answer.route.decision.type is type_


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("and the storage?", True),
        ("what about October?", True),
        ("¿y el almacenamiento?", True),
        ("the storage", False),
        ("how much storage is there?", False),
        ("and then I would like to know how the storage of such a large archive is paid for", False),
    ],
)
def test_how_a_message_opens_says_that_it_goes_on(query: str, holds: bool) -> None:
    assert goes_on(query) is holds
