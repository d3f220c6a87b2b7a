"""From stored turns to labels."""

from __future__ import annotations

from typing import Any

import pytest

from classifier.decision import Layer, QueryType
from classifier.learning.labels import Provenance
from engine.conversation.store.port import TurnRecord
from engine.domain import Outcome, Rating, Relation
from engine.routing.turn_labels import labels_of, relation_of, type_and_source

KEY = b"a key"


def turn(query: str = "how many calls have I made", layer: Layer = Layer.EMBEDDING, **more: Any) -> TurnRecord:
    values: dict[str, Any] = {"type": QueryType.RETRIEVAL, "principal": "ana", "session_id": "s", "created_at": 0.0}
    values |= more
    return TurnRecord("t", query=query, answer="An answer.", layer=layer, outcome=Outcome.COMPLETE, **values)


PLATFORM = QueryType.PLATFORM


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (turn(layer=Layer.DECLARED, type=PLATFORM), (PLATFORM, Provenance.DECLARED)),
        (turn(layer=Layer.DECLARED, corrected_type=PLATFORM), (QueryType.RETRIEVAL, Provenance.DECLARED)),
        (turn(corrected_type=PLATFORM), (PLATFORM, Provenance.CORRECTED)),
        (turn(layer=Layer.LLM, corrected_type=PLATFORM), (PLATFORM, Provenance.CORRECTED)),
        (turn(layer=Layer.LLM), (QueryType.RETRIEVAL, Provenance.LAYER_3)),
        (turn(layer=Layer.PREFIX, type=PLATFORM), (PLATFORM, Provenance.LAYER_1)),
        (turn(), (QueryType.RETRIEVAL, Provenance.LAYER_2)),
        (turn(layer=Layer.DEFAULT), None),
        (turn(layer=Layer.DEFAULT, corrected_type=PLATFORM), (PLATFORM, Provenance.CORRECTED)),
    ],
)
def test_the_best_source_of_a_turn_alone(record: TurnRecord, expected: object) -> None:
    assert type_and_source(record) == expected


AGAIN = [
    turn("How many calls have I made?", Layer.DECLARED, type=PLATFORM),
    turn("how many calls have i made!!", corrected_type=PLATFORM),
    turn("how many calls have I made so far", Layer.DECLARED, type=PLATFORM),
]


@pytest.mark.parametrize("following", AGAIN)
@pytest.mark.parametrize("layer", [Layer.EMBEDDING, Layer.LLM, Layer.PREFIX, Layer.DEFAULT])
def test_a_message_that_is_asked_again_has_the_type_of_the_second_time(following: TurnRecord, layer: Layer) -> None:
    assert type_and_source(turn(layer=layer), following) == (PLATFORM, Provenance.ASKED_AGAIN)


@pytest.mark.parametrize(
    "following",
    [
        turn("How many calls have I made?", Layer.DECLARED),  # the same type
        turn("How many calls have I made?", type=PLATFORM),  # nobody said so
        turn("Write a loop in AVAP", Layer.DECLARED, type=PLATFORM),  # another message
        turn("How many calls have I made?", Layer.DECLARED, type=PLATFORM, session_id="other"),
        turn("How many calls have I made?", Layer.DECLARED, type=PLATFORM, principal="bob"),
    ],
)
def test_what_is_not_asked_again(following: TurnRecord) -> None:
    assert type_and_source(turn(), following) == (QueryType.RETRIEVAL, Provenance.LAYER_2)


def test_what_a_person_said_of_the_turn_itself_comes_first() -> None:
    own = turn(corrected_type=QueryType.CONVERSATIONAL)
    assert type_and_source(own, AGAIN[0]) == (QueryType.CONVERSATIONAL, Provenance.CORRECTED)


def test_labels_are_scrubbed_and_name_nobody() -> None:
    record = turn(
        "me llamo Ana, ¿cuánto llevo? ana@example.org", corrected_type=PLATFORM, artifact_id="linear-1",
        created_at=1_795_219_200.0,
    )  # fmt: skip
    (label,) = labels_of([record], KEY)
    assert label.text == "me llamo [name], ¿cuánto llevo? [mail]"
    assert (label.type, label.provenance) == (PLATFORM, Provenance.CORRECTED)
    assert (label.language, label.artifact_id, label.day) == ("es", "linear-1", "2026-11-21")
    assert "ana" not in label.principal
    assert label.principal != label.session
    assert "An answer" not in str(label)


def test_turns_are_seen_with_the_one_behind_them_and_those_without_a_label_give_none() -> None:
    found = list(labels_of([turn(layer=Layer.DEFAULT), AGAIN[0], turn("Hello there", Layer.DEFAULT)], KEY))
    assert [(label.type, label.provenance) for label in found] == [
        (PLATFORM, Provenance.ASKED_AGAIN),
        (PLATFORM, Provenance.DECLARED),
    ]
    assert list(labels_of([], KEY)) == []


def test_two_principals_sessions_of_one_name_are_two() -> None:
    pair = [turn(layer=Layer.LLM), turn(layer=Layer.LLM, principal="bob")]
    assert len({label.session for label in labels_of(pair, KEY)}) == 2


FOLLOW_UP, RECALL = Relation.CONTEXTUAL_FOLLOW_UP, Relation.HISTORY_RECALL


@pytest.mark.parametrize(
    ("record", "relation"),
    [
        (turn(), None),
        (turn(corrected_relation=FOLLOW_UP), "follow_up"),
        (turn(corrected_relation=FOLLOW_UP, type=QueryType.CONVERSATIONAL), "rewording"),
        (turn(corrected_relation=FOLLOW_UP, corrected_type=QueryType.CONVERSATIONAL), "rewording"),
        (turn(corrected_relation=RECALL), "recall"),
        (turn(corrected_relation=Relation.NEW_TOPIC_PROCEDURAL), "stands_alone"),
        (turn(corrected_relation=Relation.NEW_TOPIC_INFORMATIONAL), "stands_alone"),
    ],
)
def test_a_corrected_relation_in_the_terms_of_the_head(record: TurnRecord, relation: str | None) -> None:
    assert relation_of(record) == relation


def test_a_relation_is_told_with_the_questions_before_it_scrubbed() -> None:
    turns = [
        turn("Where does ana@example.org\nlive?"),
        turn("thanks", type=QueryType.CONVERSATIONAL),
        turn("and since when?", Layer.DEFAULT, corrected_relation=FOLLOW_UP),
        turn("hello", session_id="other", corrected_relation=RECALL),
    ]
    by_text = {label.text: label for label in labels_of(turns, KEY)}
    told = by_text["and since when?"]
    assert (told.relation, told.earlier) == ("follow_up", "Where does [mail] live?")
    assert not told.provenance.trains  # nobody has said anything of its type
    assert (by_text["hello"].relation, by_text["hello"].earlier) == ("recall", "")
    assert by_text["thanks"].relation == by_text["thanks"].earlier == ""


def test_a_rated_turn_is_told_with_its_rating_and_what_was_said_of_it_scrubbed() -> None:
    turns = [
        turn("where do loops end", Layer.LLM, rating=Rating.DOWN, rating_reason="ask ana@example.org"),
        turn("what a nice day it is", Layer.DEFAULT, rating=Rating.UP),
        turn("which commands are there", Layer.DEFAULT),
    ]
    disliked, liked = labels_of(turns, KEY)
    assert (disliked.rating, disliked.remark, disliked.provenance) == ("DOWN", "ask [mail]", Provenance.LAYER_3)
    assert (liked.rating, liked.remark, liked.trains) == ("UP", "", False)  # liking an answer says no type
