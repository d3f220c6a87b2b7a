from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.decision import QueryType
from classifier.embedder import Embedder
from classifier.learning.labels import Label, Provenance
from classifier.learning.relation_promotion import JUDGE, WEIGHT, Learnt, learn, rows_of
from classifier.relation.head import Encoders, RelationHead
from classifier.relation.relations import Relation
from classifier.training.relations import RelationRow, encode, read_rows

TOPICS = ("plants", "trains", "rivers", "metals", "clouds", "bridges", "islands", "candles", "kettles", "mirrors")
PATTERNS = {
    Relation.STANDS_ALONE: "What are {} made of?",
    Relation.FOLLOW_UP: "and how old are they",
    Relation.REWORDING: "that in fewer words",
    Relation.RECALL: "what did I ask before",
    Relation.COURTESY: "thanks a lot",
}


class Letters(Embedder):
    """Encodes a text as its counts of letters."""

    id, dimensions = "letters", 26

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        counts = np.array([[text.lower().count(chr(97 + at)) for at in range(26)] for text in texts], np.float32)
        lengths: NDArray[np.float32] = np.maximum(np.float32(1e-6), np.linalg.norm(counts, axis=1, keepdims=True))
        unit: NDArray[np.float32] = counts / lengths
        return unit


class NoRelations:
    """Layers that tell nothing of any message."""

    id = "none"

    def relations_of(self, text: str, earlier: Sequence[str]) -> NDArray[np.float32]:
        return np.zeros(len(Relation), np.float32)

    unseen = relations_of


ENCODERS = Encoders(Letters(), Letters(), NoRelations())


def base() -> list[RelationRow]:
    return [
        RelationRow(pattern.format(topic), (f"What is known about {topic}?",), relation, fold=at % 2)
        for at, topic in enumerate(TOPICS)
        for relation, pattern in PATTERNS.items()
    ]


def word(number: int) -> str:
    """A word for a number: digits are all the same where labels are compared."""
    return "".join(chr(97 + int(digit)) for digit in str(number))


def label(text: str, relation: Relation, principal: str = "ana", earlier: str = "What is a tram?") -> Label:
    return Label(
        text, QueryType.RETRIEVAL, Provenance.LAYER_2, principal, "s", language="en", relation=str(relation),
        earlier=earlier,
    )  # fmt: skip


def test_corrections_become_rows_that_weigh_more() -> None:
    (row,) = rows_of([label("zap zap", Relation.RECALL, earlier="What is it?\nWho made it?")], base())
    assert row == RelationRow("zap zap", ("What is it?", "Who made it?"), Relation.RECALL, WEIGHT, "en")
    assert row.fold != JUDGE


def test_one_principal_gives_no_more_than_its_share() -> None:
    flood = [label(f"flood number {word(at)} of many", Relation.COURTESY, "mallory") for at in range(1000)]
    assert len(rows_of(flood, base())) == 1
    crowd = [label(f"flood number {word(at)} of many", Relation.COURTESY, f"person {at}") for at in range(30)]
    assert len(rows_of(crowd, base())) == 30


def test_what_two_people_disagree_on_is_left_out() -> None:
    told = [label("zap zap", Relation.RECALL), label("zap zap", Relation.COURTESY, "bob")]
    assert rows_of(told, base()) == []
    elsewhere = label("zap zap", Relation.COURTESY, "bob", earlier="What is a bus?")
    assert len(rows_of([told[0], elsewhere], base())) == 2


def test_what_was_corrected_is_learnt_and_carries_to_other_words(tmp_path: Path) -> None:
    target = tmp_path / "relations.npz"
    told = [label(f"zizzy quux {word(at)}", Relation.RECALL, f"person {at}") for at in range(12)]
    learnt = learn(told, ENCODERS, target, base())
    assert (learnt.labels, learnt.promoted) == (12, True)
    head = RelationHead.load(target, ENCODERS.id)
    other = RelationRow("quux zizzy then", ("What is a tram?",), Relation.RECALL)
    assert read_rows(head, [other], encode([other], ENCODERS)) == [Relation.RECALL]
    assert [path.name for path in tmp_path.iterdir()] == ["relations.npz"]


def test_corrections_that_spoil_the_rest_are_refused(tmp_path: Path) -> None:
    target = tmp_path / "relations.npz"
    told = [
        label("thanks a lot", Relation.FOLLOW_UP, f"person {at}", earlier=f"What is known about {topic}? {word(at)}")
        for topic in TOPICS
        for at in range(20)
    ]
    learnt = learn(told, ENCODERS, target, base())
    assert not learnt.promoted
    assert learnt.after < learnt.before
    assert not target.exists()


def test_without_corrections_nothing_is_written(tmp_path: Path) -> None:
    learnt = learn([], ENCODERS, tmp_path / "relations.npz", base())
    assert learnt.labels == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("after", "promoted"), [(0.9, True), (0.896, True), (0.89, False), (0.95, True)])
def test_a_little_may_be_lost(after: float, promoted: bool) -> None:
    assert Learnt(3, 0.9, after).promoted is promoted
