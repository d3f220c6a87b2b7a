from __future__ import annotations

from collections import defaultdict

import pytest

from classifier.decision import QueryType
from classifier.relation.relations import Relation as Label
from classifier.training.dialogues import DialogueTurn
from engine.domain import Relation
from scripts.evaluation.conversations import Counts, Figures, Found, judge

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
    figures: Figures = defaultdict(Counts)
    assert judge(labelled, found, figures) == wrong
    assert ("follow-up" in figures) is (labelled.type.searches and labelled.relation is not Label.RECALL)


def test_figures_of_what_was_counted() -> None:
    counts = Counts()
    assert counts.f1 == 1.0
    for wanted, found in ((True, True), (True, False), (False, False), (False, False)):
        counts.add(wanted=wanted, found=found)
    assert counts.f1 == pytest.approx(2 / 3)
    assert counts.accuracy == 0.75
