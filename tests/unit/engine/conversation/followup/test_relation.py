from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest

from classifier.decision import Decision, Layer, QueryType
from classifier.dialogue_act.acts import ActReading, DialogueAct
from classifier.relation.relations import ConversationReading, RelationReading, RelationReason
from classifier.relation.relations import Relation as Related
from engine.answering.graph import PATHS
from engine.conversation.followup.dependence import Dependence
from engine.conversation.followup.relation import (
    COUNTED,
    SURE_OF_RECALL,
    SURE_OF_WHY,
    SURE_OVER_WORDS,
    needs_by,
    read,
    relate,
)
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Action, Outcome, Part, Relation

RETRIEVAL, CODE, TALK, PLATFORM = (
    QueryType.RETRIEVAL,
    QueryType.CODE_GENERATION,
    QueryType.CONVERSATIONAL,
    QueryType.PLATFORM,
)
EMPTY = Conversation()
DECISION = Decision(RETRIEVAL, Layer.EMBEDDING, 0.9, "confident")
ONE_TURN = Conversation(
    (TurnRecord("t", "ana", "s", "What is feature 1?", "It.", RETRIEVAL, Layer.LLM, Outcome.COMPLETE, 1.0),), 1
)


def related(query: str, type_: QueryType, conversation: Conversation) -> tuple[Relation | None, Action]:
    return relate(read(query, conversation, DECISION), type_, conversation)


@pytest.mark.parametrize(
    "query",
    [
        "What was my first question?",
        "what did I ask you before?",
        "What did you say about addVar?",
        "which command did you mention?",
        "What have we talked about so far?",
        "¿qué te pregunté antes?",
        "que te pregunte antes",
        "¿Cuál fue mi primera pregunta?",
        "¿cuáles fueron mis primeras preguntas?",
        "¿qué me dijiste sobre addVar?",
        "¿te acuerdas de lo de antes?",
    ],
)
def test_asks_what_was_said_before(query: str) -> None:
    assert read(query, ONE_TURN, DECISION).recall is not None
    assert read(query, EMPTY, DECISION).recall is None


@pytest.mark.parametrize(
    "query",
    [
        "What is feature 1?",
        "What about CrossLab?",
        "How do I register an endpoint?",
        "What does the question mark operator do?",
        "Tell me more about the first one.",
        "¿qué es una pregunta parametrizada?",
        "¿Cómo respondo a una petición?",
        "what is your answer format",
        "",
        "？？？？",
    ],
)
def test_asks_something_else(query: str) -> None:
    assert read(query, ONE_TURN, DECISION).recall is None


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("run the first thing of mine by me again", Part.TOPICS),
        ("do you remember what we talked about?", Part.TOPICS),
        ("¿de qué hablamos?", Part.TOPICS),
        ("bring back your take on addVar", Part.ANSWER),
        ("我剛才問了你什麼？", Part.QUESTION),
    ],
)
def test_what_the_head_takes_for_a_recall_is_one_in_any_words(query: str, part: Part) -> None:
    unsure, sure = (decided(Related.RECALL, confidence) for confidence in (0.4, SURE_OF_RECALL))
    for decision in (replace(unsure, type=TALK), sure):  # of a question for the documents it has to be sure
        recall = read(query, ONE_TURN, decision).recall
        assert recall is not None
        assert recall.part is part
        assert read(query, EMPTY, decision).recall is None


def test_a_question_for_the_documents_is_no_recall_where_the_head_is_not_sure() -> None:
    decision = decided(Related.RECALL, SURE_OF_RECALL - 0.01)
    assert read("I cannot come, so how is it cancelled?", ONE_TURN, decision).recall is None
    assert read("what did I ask you first?", ONE_TURN, decision).recall is not None


@pytest.mark.parametrize(
    ("query", "sure", "more"),
    [
        ("why?", 0.6, True),  # names nothing
        ("why is the kiln cold then", SURE_OF_WHY, True),
        ("and if it is because the kiln moves?", SURE_OF_WHY - 0.01, False),
    ],
)
def test_a_reason_alone_is_asked_for_where_that_is_sure(query: str, sure: float, more: bool) -> None:
    decision = decided(Related.FOLLOW_UP, 0.97, ActReading(DialogueAct.WHY, sure))
    assert read(query, ONE_TURN, decision).more is more


@pytest.mark.parametrize("act", sorted(COUNTED))
def test_what_is_counted_of_the_session_is_no_recall_where_that_is_surer(act: DialogueAct) -> None:
    surer, less = (decided(Related.RECALL, 0.9, ActReading(act, sure)) for sure in (0.95, 0.85))
    assert read("how many things did I ask?", ONE_TURN, surer).recall is None
    assert read("how many things did I ask?", ONE_TURN, less).recall is not None


@pytest.mark.parametrize(
    ("query", "sure", "recalls"),
    [
        ("make me a list of the discounts", 0.9, False),
        ("make me a list of the discounts", 0.5, True),
        ("what did I ask you, as a list?", 0.9, True),
    ],
)
def test_a_form_is_no_recall_where_its_act_is_surer_unless_its_words_ask_back(
    query: str, sure: float, recalls: bool
) -> None:
    said = replace(decided(Related.RECALL, 0.6, ActReading(DialogueAct.LIST, sure)), type=TALK)
    assert (read(query, ONE_TURN, said).recall is not None) is recalls


def test_a_correction_is_no_recall_unless_its_words_ask_back() -> None:
    corrects = decided(Related.RECALL, 0.95, ActReading(DialogueAct.CORRECTION, 0.8))
    assert read("no wait, joining them is what i was after", ONE_TURN, corrects).recall is None
    assert read("no, what did I ask you first?", ONE_TURN, corrects).recall is not None


def test_recall_is_answered_from_history() -> None:
    expected = (Relation.HISTORY_RECALL, Action.HISTORY)
    assert related("What was my first question?", RETRIEVAL, ONE_TURN) == expected
    assert related("¿qué te pregunté antes?", TALK, ONE_TURN) == expected


def test_a_first_message_has_nothing_to_recall() -> None:
    assert related("What was my first question?", RETRIEVAL, EMPTY) == (
        Relation.NEW_TOPIC_INFORMATIONAL,
        Action.FRESH,
    )


def test_the_platform_is_never_answered_from_history() -> None:
    assert related("what was my last question's cost?", PLATFORM, ONE_TURN) == (
        Relation.NEW_TOPIC_INFORMATIONAL,
        Action.NONE,
    )


def test_talk_uses_the_conversation_when_there_is_one() -> None:
    assert related("en menos palabras", TALK, ONE_TURN) == (Relation.CONTEXTUAL_FOLLOW_UP, Action.HISTORY)
    assert related("hola", TALK, EMPTY) == (None, Action.NONE)


@pytest.mark.parametrize(
    ("query", "type_", "relation"),
    [
        ("How do I register an endpoint?", RETRIEVAL, Relation.NEW_TOPIC_PROCEDURAL),
        ("¿cómo registro un endpoint?", RETRIEVAL, Relation.NEW_TOPIC_PROCEDURAL),
        ("What about CrossLab?", RETRIEVAL, Relation.NEW_TOPIC_INFORMATIONAL),
        ("a loop over a list", CODE, Relation.NEW_TOPIC_PROCEDURAL),
    ],
)
@pytest.mark.parametrize("conversation", [EMPTY, ONE_TURN])
def test_a_new_topic_is_searched(query: str, type_: QueryType, relation: Relation, conversation: Conversation) -> None:
    assert related(query, type_, conversation) == (relation, Action.FRESH)


QUERIES = ["", "What was my first question?", "shorter", "How do I write a loop?", "？？？？", "mi cuota"]


@pytest.mark.parametrize(("query", "type_", "conversation"), list(product(QUERIES, QueryType, [EMPTY, ONE_TURN])))
def test_every_action_has_a_path_and_only_documents_are_searched(
    query: str, type_: QueryType, conversation: Conversation
) -> None:
    _, action = related(query, type_, conversation)
    assert action in PATHS[type_]
    assert type_.searches or not action.searches


@pytest.mark.parametrize(
    "query",
    [
        "explain this",
        "Tell me more about the first one.",
        "Elaborate on that.",
        "what does it do?",
        "and how do I use that?",
        "explica esto",
        "cuéntame más",
        "¿y lo anterior?",
        "explícalo",
        "háblame de la primera",
    ],
)
def test_what_points_back_is_searched_with_its_topic(query: str) -> None:
    searched = replace(ONE_TURN.recent[0], action=Action.FRESH, search_query="What is feature 1?")
    past = Conversation((searched,), 1)
    assert related(query, RETRIEVAL, past) == (Relation.CONTEXTUAL_FOLLOW_UP, Action.REWRITE)
    assert related(query, RETRIEVAL, EMPTY)[1] is Action.FRESH


@pytest.mark.parametrize(
    "query",
    [
        "What about CrossLab?",
        "How do I register an endpoint?",
        "addVar example",
        "write a function that adds two numbers and returns the result as JSON",
        "is it possible to call an external service from inside a loop in AVAP?",
        "qué hace startLoop",
    ],
)
def test_what_says_its_own_topic_is_searched_as_it_is(query: str) -> None:
    searched = replace(ONE_TURN.recent[0], action=Action.FRESH, search_query="What is feature 1?")
    assert related(query, RETRIEVAL, Conversation((searched,), 1))[1] is Action.FRESH


SEARCHED = Conversation(
    (replace(ONE_TURN.recent[0], query="How do student loans work?", answer="A lender pays the college."),), 1
)


@pytest.mark.parametrize(
    "query",
    [
        "Who may apply for it?",
        "requirements?",
        "¿y eso cuánto cuesta?",
    ],
)
def test_a_follow_up_is_rewritten_before_the_search(query: str) -> None:
    assert related(query, RETRIEVAL, SEARCHED) == (Relation.CONTEXTUAL_FOLLOW_UP, Action.REWRITE)


@pytest.mark.parametrize("query", ["interest on loans", "Do lenders need a licence?"])
def test_what_goes_on_about_the_topic_in_full_is_searched_for_as_a_topic(query: str) -> None:
    assert related(query, RETRIEVAL, SEARCHED) == (Relation.NEW_TOPIC_INFORMATIONAL, Action.FRESH)


def test_a_request_for_code_on_the_same_topic_names_what_is_wanted() -> None:
    assert related("a table of student loans", CODE, SEARCHED) == (Relation.NEW_TOPIC_PROCEDURAL, Action.FRESH)
    assert related("document it", CODE, SEARCHED) == (Relation.CONTEXTUAL_FOLLOW_UP, Action.REWRITE)


def test_figures_before_are_nothing_to_follow_up_in_the_documents() -> None:
    figures = Conversation((replace(SEARCHED.recent[0], type=PLATFORM),), 1)
    assert related("Who may apply for it?", RETRIEVAL, figures)[1] is Action.FRESH


@pytest.mark.parametrize(
    ("asked", "then", "searched"),
    [
        ("What is feature 1?", "What about CrossLab?", Action.FRESH),
        ("What is feature 1?", "Tell me more about the first one.", Action.REWRITE),
        ("What is feature 1?", "Elaborate on that.", Action.REWRITE),
        ("What is feature 1?", "What was my first question?", Action.HISTORY),
        ("¿Qué es la función 1?", "¿Y CrossLab?", Action.FRESH),
        ("¿Qué es la función 1?", "Cuéntame más sobre la primera.", Action.REWRITE),
        ("¿Qué es la función 1?", "¿Cuál fue mi primera pregunta?", Action.HISTORY),
    ],
)
def test_the_change_requests_conversations(asked: str, then: str, searched: Action) -> None:
    past = Conversation((replace(ONE_TURN.recent[0], query=asked, answer="A thing."),), 1)
    assert related(then, RETRIEVAL, past)[1] is searched


def decided(related: Related, confidence: float, act: ActReading | None = None) -> Decision:
    return replace(
        DECISION, relation=RelationReading(related, confidence), act=act or ActReading(DialogueAct.NONE, 0.9)
    )


@pytest.mark.parametrize(
    ("related", "needs"),
    [
        (Related.FOLLOW_UP, Dependence.INCOMPLETE),
        (Related.REWORDING, Dependence.INCOMPLETE),
        (Related.STANDS_ALONE, Dependence.STANDALONE),
        (Related.COURTESY, Dependence.STANDALONE),
        (Related.RECALL, Dependence.STANDALONE),
    ],
)
def test_the_head_decides_whatever_the_words_are(related: Related, needs: Dependence) -> None:
    for query, sure in product(("What are loans?", "tell me more about that"), (0.8, 0.95)):
        reading = read(query, SEARCHED, decided(related, sure))
        assert (reading.dependence, reading.confidence, reading.reason) == (needs, sure, RelationReason.HEAD)


def test_a_follow_up_that_says_enough_is_searched_for_as_it_is() -> None:
    query = "Which banks in Canada offer lower interest to graduate students?"
    assert read(query, SEARCHED, decided(Related.FOLLOW_UP, 0.9)).dependence is Dependence.TOPICAL
    pointing = "Which banks in Canada offer it to graduate students of medicine?"
    assert read(pointing, SEARCHED, decided(Related.FOLLOW_UP, 0.9)).dependence is Dependence.INCOMPLETE


def test_the_words_decide_alone_where_nothing_was_read_or_there_is_nothing_to_refer_to() -> None:
    assert read("Who may apply for it?", SEARCHED, DECISION).reason is RelationReason.WORDS
    alone = read("Who may apply for it?", EMPTY, decided(Related.FOLLOW_UP, 0.99))
    assert (alone.dependence, alone.reason) == (Dependence.STANDALONE, RelationReason.WORDS)


def test_words_that_point_are_overruled_only_by_a_head_that_is_sure() -> None:
    pointing, whole = "Who may apply for it?", "What is a mortgage?"
    unsure = read(pointing, SEARCHED, decided(Related.STANDS_ALONE, SURE_OVER_WORDS - 0.01))
    assert (unsure.dependence, unsure.reason) == (Dependence.INCOMPLETE, RelationReason.WORDS)
    assert unsure.confidence == pytest.approx(1.01 - SURE_OVER_WORDS)
    sure = read(pointing, SEARCHED, decided(Related.STANDS_ALONE, SURE_OVER_WORDS))
    assert (sure.dependence, sure.reason) == (Dependence.STANDALONE, RelationReason.HEAD)
    alone = read(whole, SEARCHED, decided(Related.STANDS_ALONE, 0.45))
    assert (alone.dependence, alone.reason) == (Dependence.STANDALONE, RelationReason.HEAD)


def test_an_act_that_goes_on_from_an_answer_says_so_itself() -> None:
    more = ActReading(DialogueAct.MORE, 0.8)
    for related_, sure in ((Related.FOLLOW_UP, 0.9), (Related.COURTESY, 0.9), (Related.STANDS_ALONE, 0.4)):
        reading = read("and then?", SEARCHED, decided(related_, sure, more))
        assert (reading.dependence, reading.confidence) == (Dependence.INCOMPLETE, 0.8)
        assert reading.reason is RelationReason.ACT
    of_its_own = read("tell me more about lists", SEARCHED, decided(Related.STANDS_ALONE, 0.6, more))
    assert of_its_own.reason is not RelationReason.ACT


def test_what_only_sounds_like_a_recall_is_none_where_the_head_is_sure() -> None:
    query = "what was my first question?"
    assert read(query, SEARCHED, decided(Related.STANDS_ALONE, SURE_OF_RECALL)).recall is None
    unsure = read(query, SEARCHED, decided(Related.STANDS_ALONE, SURE_OF_RECALL - 0.01))
    assert unsure.recall is not None
    sure = read(query, SEARCHED, decided(Related.RECALL, 0.55))
    assert sure.recall is not None
    assert (sure.confidence, sure.reason) == (0.55, RelationReason.HEAD)


class Reader:
    """Takes every message for what it is told."""

    def __init__(self, relation: Related) -> None:
        self.relation = relation
        self.asked: list[tuple[str, Sequence[str] | None]] = []

    def read(self, texts: Sequence[str], earlier: Sequence[Sequence[str] | None]) -> list[ConversationReading]:
        self.asked += zip(texts, earlier, strict=True)
        return [ConversationReading(relation=RelationReading(self.relation, 0.98)) for _ in texts]


@pytest.mark.parametrize(
    ("relation", "needs"),
    [
        (Related.FOLLOW_UP, Dependence.INCOMPLETE),
        (Related.REWORDING, Dependence.INCOMPLETE),
        (Related.STANDS_ALONE, Dependence.STANDALONE),
    ],
)
def test_a_reader_says_what_a_question_needs(relation: Related, needs: Dependence) -> None:
    reader = Reader(relation)
    assert needs_by(reader)("Who lends them?", SEARCHED) is needs
    assert reader.asked == [("Who lends them?", ["How do student loans work?"])]
    assert needs_by(Reader(relation))("Who lends them?", EMPTY) is Dependence.STANDALONE
    assert needs_by(None)("Who lends them?", SEARCHED) is Dependence.INCOMPLETE


@pytest.mark.parametrize("query", ["What about addThing?", "¿Y delThing?", "how about the QX Suite?"])
def test_what_turns_to_a_name_is_a_topic_of_its_own(query: str) -> None:
    assert read(query, SEARCHED, decided(Related.FOLLOW_UP, 0.99)).dependence is Dependence.STANDALONE
    about = read("what about the price?", SEARCHED, decided(Related.FOLLOW_UP, 0.99))
    assert about.dependence is Dependence.INCOMPLETE
