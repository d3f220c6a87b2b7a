from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from classifier.decision import Layer, QueryType
from engine.answering.graph import PATHS
from engine.conversation.followup.relation import read, relate
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Action, Outcome, Relation

RETRIEVAL, CODE, TALK, PLATFORM = (
    QueryType.RETRIEVAL,
    QueryType.CODE_GENERATION,
    QueryType.CONVERSATIONAL,
    QueryType.PLATFORM,
)
EMPTY = Conversation()
ONE_TURN = Conversation(
    (TurnRecord("t", "ana", "s", "What is feature 1?", "It.", RETRIEVAL, Layer.LLM, Outcome.COMPLETE, 1.0),), 1
)


def related(query: str, type_: QueryType, conversation: Conversation) -> tuple[Relation | None, Action]:
    return relate(read(query, conversation), type_, conversation)


@pytest.mark.parametrize(
    "query",
    [
        "What was my first question?",
        "what did I ask you before?",
        "What did you say about addVar?",
        "which command did you mention?",
        "What have we talked about so far?",
        "do you remember what we talked about?",
        "¿qué te pregunté antes?",
        "que te pregunte antes",
        "¿Cuál fue mi primera pregunta?",
        "¿cuáles fueron mis primeras preguntas?",
        "¿de qué hablamos?",
        "¿qué me dijiste sobre addVar?",
        "¿te acuerdas de lo de antes?",
    ],
)
def test_asks_what_was_said_before(query: str) -> None:
    assert read(query, ONE_TURN).recall is not None
    assert read(query, EMPTY).recall is None


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
    assert read(query, ONE_TURN).recall is None


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
        "interest on loans",
        "Do lenders need a licence?",
    ],
)
def test_a_follow_up_is_rewritten_before_the_search(query: str) -> None:
    assert related(query, RETRIEVAL, SEARCHED) == (Relation.CONTEXTUAL_FOLLOW_UP, Action.REWRITE)


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
