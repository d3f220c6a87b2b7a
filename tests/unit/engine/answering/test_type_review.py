"""What a message's type becomes once the figures at hand and the documents are looked at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from classifier.decision import Decision, Layer, QueryType
from classifier.dialogue_act.acts import ActReading, DialogueAct
from classifier.relation.relations import Relation as Related
from classifier.relation.relations import RelationReading
from engine.answering.type_review import (
    DOCUMENTED,
    DOCUMENTED_ALONE,
    PLATFORM_CERTAIN,
    PLATFORM_SURE,
    RETRIEVAL_SURE,
    TypeReview,
)
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Outcome, Passage, Turn
from engine.errors import DependencyUnavailable
from engine.retrieval.answerability import THRESHOLD
from engine.testing import ListRetriever

RETRIEVAL, TALK, PLATFORM = QueryType.RETRIEVAL, QueryType.CONVERSATIONAL, QueryType.PLATFORM
BARRIER = Passage("p", "parking.md", "Parking", "Barrier", "Hold the card flat and wait for the green light.")
FOLLOWS = RelationReading(Related.FOLLOW_UP, 0.97)
FIGURES = "stays this month: 4"


@dataclass
class Documents:
    """How well the documents answer, by query; 0 for every other one."""

    of: dict[str, float] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def read(
        self, query: str, passages: Sequence[Passage], carried: Collection[str] = (), message: str = ""
    ) -> float | None:
        del passages, carried, message
        self.asked.append(query)
        return self.of.get(query, 0.0)


@dataclass
class Told:
    """What the figures say to a question."""

    sure: bool = False
    likely: bool = False
    carried: bool = False
    text: str = ""


@dataclass
class Figures:
    """Says the same of every question, and keeps what it was asked."""

    told: Told
    asked: list[str] = field(default_factory=list)

    def answered(self, question: str, context: str, *, before: Sequence[str] = ()) -> Told:
        del context, before
        self.asked.append(question)
        return self.told


def said(query: str, type_: QueryType) -> Conversation:
    record = TurnRecord("t1", "ana", "s", query, "So it is.", type_, Layer.EMBEDDING, Outcome.COMPLETE, 1.0, 1)
    searched = replace(record, search_query=query) if type_.searches else record
    return Conversation((searched,), 1, 0)


async def reviewed(
    query: str,
    decision: Decision,
    *,
    documents: Documents | None = None,
    told: Told | None = None,
    conversation: Conversation | None = None,
    context: str = "",
    error: Exception | None = None,
) -> Decision:
    known: Any = documents or Documents()
    figures: Any = Figures(told) if told is not None else None
    retriever = ListRetriever([replace(BARRIER, text=f"{BARRIER.text} {query}")], error=error)
    review = TypeReview(retriever, known, figures, 8)
    turn = Turn(query, "s", principal="ana", extra_context=context)
    found, _ = await review.reviewed(turn, decision, conversation or Conversation((), 0, 0))
    return found


def platform(confidence: float, **more: Any) -> Decision:
    return Decision(PLATFORM, Layer.EMBEDDING, confidence, "confident", **more)


REFUSED = "my card is refused at the barrier"


class TestWithoutFigures:
    """A message about the account by its words, of which nothing is at hand."""

    @pytest.mark.parametrize(
        ("confidence", "answers", "type_"),
        [
            (PLATFORM_SURE - 0.01, DOCUMENTED, RETRIEVAL),
            (PLATFORM_SURE - 0.01, DOCUMENTED - 0.01, PLATFORM),
            (PLATFORM_SURE, DOCUMENTED_ALONE, RETRIEVAL),  # the surer it is, the better documents have to answer
            (PLATFORM_SURE, DOCUMENTED_ALONE - 0.01, PLATFORM),
            (PLATFORM_CERTAIN, 1.0, PLATFORM),
        ],
    )
    async def test_documents_answer_it_the_better_the_surer_it_is(
        self, confidence: float, answers: float, type_: QueryType
    ) -> None:
        found = await reviewed(REFUSED, platform(confidence), documents=Documents({REFUSED: answers}))
        assert found.type is type_
        if type_ is RETRIEVAL:
            assert (found.reason, found.runner_up, found.runner_up_confidence) == (
                "without_figures",
                PLATFORM,
                confidence,
            )

    async def test_what_is_certain_is_not_looked_up(self) -> None:
        documents = Documents({REFUSED: 1.0})
        await reviewed(REFUSED, platform(PLATFORM_CERTAIN), documents=documents)
        assert documents.asked == []

    async def test_what_follows_a_question_about_the_account_stays_so(self) -> None:
        decision = platform(0.97, relation=FOLLOWS)
        documents = Documents({REFUSED: 1.0})
        found = await reviewed(REFUSED, decision, documents=documents, conversation=said("what do I owe?", PLATFORM))
        assert (found.type, documents.asked) == (PLATFORM, [])

    async def test_what_follows_a_question_about_documents_is_looked_up_with_its_words(self) -> None:
        still = "I did that and it still beeps"
        documents = Documents({f"{still} open barrier card": 0.8})
        decision = platform(PLATFORM_CERTAIN, relation=FOLLOWS)
        before = said("how do I open the barrier with my card?", RETRIEVAL)
        found = await reviewed(still, decision, documents=documents, conversation=before)
        assert (found.type, found.reason) == (RETRIEVAL, "without_figures")
        assert documents.asked[0] == still

    @pytest.mark.parametrize("layer", [Layer.DECLARED, Layer.PREFIX])
    async def test_what_the_caller_says_is_not_doubted(self, layer: Layer) -> None:
        decision = Decision(PLATFORM, layer, 1.0, "declared")
        assert await reviewed(REFUSED, decision, documents=Documents({REFUSED: 1.0})) == decision

    async def test_an_index_that_cannot_be_asked_changes_nothing(self) -> None:
        error = DependencyUnavailable("index", "down")
        decision = platform(0.5)
        assert await reviewed(REFUSED, decision, documents=Documents({REFUSED: 1.0}), error=error) == decision


class TestWithFigures:
    """A message that comes with figures of the account."""

    @pytest.mark.parametrize(
        ("told", "answers", "type_"),
        [
            (Told(), DOCUMENTED_ALONE, RETRIEVAL),  # the figures say nothing at all to it
            (Told(), DOCUMENTED_ALONE - 0.01, PLATFORM),
            (Told(likely=True), 1.0, PLATFORM),
            (Told(sure=True), 1.0, PLATFORM),
        ],
    )
    async def test_what_they_do_not_answer_is_looked_up(self, told: Told, answers: float, type_: QueryType) -> None:
        documents = Documents({REFUSED: answers})
        found = await reviewed(REFUSED, platform(0.999), documents=documents, told=told, context=FIGURES)
        assert found.type is type_

    @pytest.mark.parametrize(
        ("confidence", "told", "answers", "type_"),
        [
            (0.7, Told(sure=True), 1.0, PLATFORM),
            (RETRIEVAL_SURE, Told(sure=True), 1.0, PLATFORM),  # figures that are brought along count more
            (PLATFORM_SURE, Told(sure=True), DOCUMENTED, RETRIEVAL),
            (PLATFORM_SURE, Told(sure=True), DOCUMENTED - 0.01, PLATFORM),
            (0.7, Told(), 0.0, PLATFORM),  # neither answers: what the figures lack is said
            (0.7, Told(), DOCUMENTED - 0.01, PLATFORM),  # documents say something like it, and do not answer it
            (0.7, Told(), DOCUMENTED, RETRIEVAL),
            (RETRIEVAL_SURE, Told(), THRESHOLD, RETRIEVAL),
        ],
    )
    async def test_a_question_for_documents_is_theirs_where_they_surely_answer_it(
        self, confidence: float, told: Told, answers: float, type_: QueryType
    ) -> None:
        decision = Decision(RETRIEVAL, Layer.EMBEDDING, confidence, "confident")
        documents = Documents({"how many stays?": answers})
        found = await reviewed("how many stays?", decision, documents=documents, told=told, context=FIGURES)
        assert found.type is type_

    async def test_sure_talk_is_not_held_against_them(self) -> None:
        talk = Decision(TALK, Layer.EMBEDDING, 0.9, "confident")
        assert await reviewed("thanks", talk, told=Told(sure=True), context=FIGURES) == talk

    @pytest.mark.parametrize(("told", "type_"), [(Told(sure=True), PLATFORM), (Told(likely=True), TALK)])
    async def test_sure_talk_that_names_one_is_theirs_where_they_surely_answer_it(
        self, told: Told, type_: QueryType
    ) -> None:
        talk = Decision(TALK, Layer.EMBEDDING, 0.97, "confident")
        named = f"and {FIGURES.partition(' ')[0]}?"
        documents = Documents({named: 0.0})
        assert (await reviewed(named, talk, documents=documents, told=told, context=FIGURES)).type is type_

    @pytest.mark.parametrize(("query", "type_"), [("stays this month?", PLATFORM), ("stays this winter?", RETRIEVAL)])
    async def test_what_names_nothing_but_what_they_name_is_theirs(self, query: str, type_: QueryType) -> None:
        decision = Decision(RETRIEVAL, Layer.EMBEDDING, 0.99, "confident")
        context = "stays reported: month 4"
        documents = Documents({query: 1.0})
        found = await reviewed(query, decision, documents=documents, told=Told(likely=True), context=context)
        assert found.type is type_


class TestTalk:
    """A message that is talk by its words."""

    @pytest.mark.parametrize(("answers", "type_"), [(DOCUMENTED, RETRIEVAL), (DOCUMENTED - 0.01, TALK)])
    async def test_a_first_message_that_does_nothing_may_be_a_question(self, answers: float, type_: QueryType) -> None:
        talk = Decision(TALK, Layer.EMBEDDING, 0.6, "confident", act=ActReading(DialogueAct.NONE, 0.9))
        assert (await reviewed("barrier", talk, documents=Documents({"barrier": answers}))).type is type_

    @pytest.mark.parametrize(("sure", "answers", "type_"), [(0.9, 0.6, RETRIEVAL), (0.9, 0.3, TALK), (0.97, 0.6, TALK)])
    async def test_a_first_message_that_hardly_asks_what_the_assistant_can_do_may_be_a_question(
        self, sure: float, answers: float, type_: QueryType
    ) -> None:
        talk = Decision(TALK, Layer.EMBEDDING, sure, "dialogue_act", act=ActReading(DialogueAct.ABILITIES, sure))
        documents = Documents({"how do I enter?": answers})
        assert (await reviewed("how do I enter?", talk, documents=documents)).type is type_

    async def test_a_greeting_is_none(self) -> None:
        talk = Decision(TALK, Layer.EMBEDDING, 0.9, "confident", act=ActReading(DialogueAct.GREETING, 0.9))
        documents = Documents({"hello barrier": 1.0})
        assert (await reviewed("hello barrier", talk, documents=documents)).type is TALK
        assert documents.asked == []
