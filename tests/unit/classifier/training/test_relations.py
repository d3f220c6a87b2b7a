from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier import DATA
from classifier.embedder import Embedder
from classifier.relation.head import Encoders
from classifier.relation.relations import EARLIER, Relation, together
from classifier.training.dialogues import dialogue_files, examples, read_dialogues
from classifier.training.relations import RelationRow, encode, f1_by_relation, fit_head, read_rows, rows_of

TOPICS = ("plants", "trains", "rivers", "metals", "clouds", "bridges", "islands", "candles")
#: What is said of a topic, or of nothing, and what that is to the question before it.
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

    def __init__(self, id_: str = "letters") -> None:
        self.id = id_
        self.encoded: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.encoded += texts
        counts = np.array([[text.lower().count(chr(97 + at)) for at in range(26)] for text in texts], np.float32)
        lengths: NDArray[np.float32] = np.maximum(np.float32(1e-6), np.linalg.norm(counts, axis=1, keepdims=True))
        unit: NDArray[np.float32] = counts / lengths
        return unit


class Layers:
    """Layers that know which messages they were asked for as unseen."""

    id = "layers"

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def relations_of(self, text: str, earlier: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError("a training reads what layers make of messages that they were not fitted on")

    def unseen(self, text: str, earlier: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append((text, tuple(earlier)))
        return np.zeros(len(Relation), np.float32)


def encoders() -> Encoders:
    return Encoders(Letters(), Letters("intents"), Layers())


def rows() -> list[RelationRow]:
    return [
        RelationRow(pattern.format(topic), (f"What is known about {topic}?",), relation, fold=at % 2)
        for at, topic in enumerate(TOPICS)
        for relation, pattern in PATTERNS.items()
    ]


def test_a_text_is_encoded_once() -> None:
    queries, intents, layers = Letters(), Letters("intents"), Layers()
    encoded = encode(rows(), Encoders(queries, intents, layers))
    assert encoded.encoder == "letters intents layers"
    assert len(queries.encoded) == len(set(queries.encoded)) == len(encoded.vectors)
    assert {row.text for row in rows()} == set(encoded.intents) == set(encoded.vectors)
    assert set(layers.asked) == {(row.text, row.earlier) for row in rows()}


def test_what_is_read_together_is_one_key() -> None:
    row = RelationRow("and why?", ("one", "two", "three"), Relation.FOLLOW_UP)
    assert row.together == together("and why?", ("two", "three")) != together("and why?", ("three", "two"))
    assert encode([row], encoders()).told(row).earlier == row.earlier


def test_the_head_tells_left_out_topics_apart() -> None:
    encoded = encode(rows(), encoders())
    head = fit_head([row for row in rows() if row.fold], encoded)
    out = [row for row in rows() if not row.fold]
    assert read_rows(head, out, encoded) == [row.relation for row in out]
    assert head.encoder == "letters intents layers"


def test_a_row_counts_as_much_as_it_weighs() -> None:
    text, earlier = "and the price", ("What is a tram?",)
    for weight, relation in ((0.01, Relation.STANDS_ALONE), (100.0, Relation.FOLLOW_UP)):
        told = [
            *(RelationRow(text, earlier, Relation.STANDS_ALONE) for _ in range(4)),
            RelationRow(text, earlier, Relation.FOLLOW_UP, weight),
            RelationRow("thank you so much", earlier, Relation.COURTESY),
        ]
        encoded = encode(told, encoders())
        assert read_rows(fit_head(told, encoded), told[:1], encoded) == [relation]


def test_f1_by_relation() -> None:
    follow, alone, recall = Relation.FOLLOW_UP, Relation.STANDS_ALONE, Relation.RECALL
    found = f1_by_relation([follow, follow, alone, alone], [follow, alone, alone, recall])
    assert found == {follow: pytest.approx(2 / 3), alone: pytest.approx(0.5), recall: 0.0}


def test_the_dialogues_have_rows_of_every_relation_language_and_fold() -> None:
    found = rows_of(examples(read_dialogues(dialogue_files(DATA / "dialogues"))))
    kinds = {(row.relation, row.language, row.fold) for row in found}
    assert len(kinds) == len(Relation) * 3 * 5
    assert max(len(row.earlier) for row in found) == EARLIER
    assert {row.weight for row in found} == {1.0}
