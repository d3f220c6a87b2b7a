from __future__ import annotations

import pytest

from classifier.decision import QueryType
from classifier.relation.relations import Relation as Label
from classifier.training.dialogues import DialogueTurn
from engine.domain import Relation
from scripts.evaluation.conversations import Found, judge

FOLLOWS, NEW, RECALLS = Relation.CONTEXTUAL_FOLLOW_UP, Relation.NEW_TOPIC_INFORMATIONAL, Relation.HISTORY_RECALL


def turn(relation: Label, type_: QueryType = QueryType.RETRIEVAL) -> DialogueTurn:
    return DialogueTurn("how much", type_, relation)


@pytest.mark.parametrize(
    ("labelled", "found", "wrong"),
    [
        (turn(Label.FOLLOW_UP), Found(QueryType.RETRIEVAL, FOLLOWS, searches=True), []),
        (turn(Label.FOLLOW_UP), Found(QueryType.RETRIEVAL, NEW, searches=True), ["follow-up"]),
        (turn(Label.STANDS_ALONE), Found(QueryType.RETRIEVAL, FOLLOWS, searches=True), ["follow-up"]),
        (turn(Label.STANDS_ALONE), Found(QueryType.PLATFORM, NEW, searches=False), ["type", "search"]),
        (turn(Label.FOLLOW_UP, QueryType.PLATFORM), Found(QueryType.PLATFORM, NEW, searches=False), []),
        (turn(Label.RECALL, QueryType.CONVERSATIONAL), Found(QueryType.CONVERSATIONAL, RECALLS, searches=False), []),
        (
            turn(Label.RECALL, QueryType.CONVERSATIONAL),
            Found(QueryType.RETRIEVAL, NEW, searches=True),
            ["type", "search", "recall"],
        ),
        (
            turn(Label.REWORDING, QueryType.CONVERSATIONAL),
            Found(QueryType.CONVERSATIONAL, RECALLS, searches=False),
            ["recall"],
        ),
    ],
)
def test_a_message_is_held_against_its_labels(labelled: DialogueTurn, found: Found, wrong: list[str]) -> None:
    pairs = judge(labelled, found)
    assert [question for question, (decided, true) in pairs.items() if decided is not true] == wrong
    assert ("follow-up" in pairs) is (labelled.type.searches and labelled.relation is not Label.RECALL)


@pytest.mark.parametrize(
    ("relation", "leans"),
    [(FOLLOWS, True), (RECALLS, True), (NEW, False), (Relation.NEW_TOPIC_PROCEDURAL, False), (None, False)],
)
def test_what_needs_the_conversation(relation: Relation | None, *, leans: bool) -> None:
    assert Found(QueryType.RETRIEVAL, relation, searches=True).leans is leans
