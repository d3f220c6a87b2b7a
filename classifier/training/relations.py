"""Fits the head of the relations to the dialogues, and to what people have corrected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import classifier
from classifier.relation.features import GRAM_COLUMNS, Told, dense, grams
from classifier.relation.head import Encoders, RelationHead
from classifier.relation.relations import Relation, together
from classifier.training.dialogues import FOLDS, Example, dialogue_files, examples, read_dialogues

#: Penalty of the logistic regression.
_C = 0.3
#: Most steps of its solver, and texts that are encoded at once.
_STEPS, _BATCH = 300, 64


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A message with what was asked before it, and its relation.

    Attributes:
        text: The message.
        earlier: Oldest first.
        relation: What it is to them.
        weight: What an error on it counts; 1 for a row of the dialogues.
        language: For figures by language.
        fold: The part that it is judged in, from 0; -1: it is never judged.
    """

    text: str
    earlier: tuple[str, ...]
    relation: Relation
    weight: float = 1.0
    language: str = ""
    fold: int = -1

    @property
    def together(self) -> str:
        """What layers of the encoder read of it, as one key."""
        return together(self.text, self.earlier)


@dataclass(frozen=True, slots=True)
class Encoded:
    """Messages as the encoder reads them.

    Attributes:
        encoder: Ids of what encoded them.
        vectors: By text, unit vectors as queries.
        relations: By `RelationRow.together`, logits of the relations.
        intents: By text, logits of the types.
    """

    encoder: str
    vectors: dict[str, NDArray[np.float32]]
    relations: dict[str, NDArray[np.float32]]
    intents: dict[str, NDArray[np.float32]]

    def told(self, row: RelationRow) -> Told:
        """A row as the head reads it."""
        together = self.relations[row.together]
        return Told(row.text, row.earlier, self.vectors[row.text], together, self.intents[row.text])


def dialogue_rows() -> list[RelationRow]:
    """The rows of the dialogues that ship.

    Raises:
        DialogueError: A file is malformed.
    """
    return rows_of(examples(read_dialogues(dialogue_files(classifier.DATA / "dialogues"))))


def rows_of(examples: Iterable[Example]) -> list[RelationRow]:
    """The messages of dialogues as rows."""
    return [
        RelationRow(
            one.turn.text, one.earlier, one.turn.relation, language=one.dialogue.language, fold=one.dialogue.fold
        )
        for one in examples
    ]


def encode(rows: Sequence[RelationRow], encoders: Encoders) -> Encoded:
    """All messages of `rows`, each once."""
    texts = sorted({row.text for row in rows})
    vectors: dict[str, NDArray[np.float32]] = {}
    logits: dict[str, NDArray[np.float32]] = {}
    for start in range(0, len(texts), _BATCH):
        batch = texts[start : start + _BATCH]
        vectors.update(zip(batch, encoders.queries.embed_queries(batch), strict=True))
        logits.update(zip(batch, encoders.intents.embed(batch), strict=True))
    told = {row.together: encoders.relations.unseen(row.text, row.earlier) for row in rows}
    return Encoded(encoders.id, vectors, told, logits)


def fit_head(rows: Sequence[RelationRow], encoded: Encoded) -> RelationHead:
    """The head that tells the relations of `rows` apart.

    Args:
        rows: Of at least three relations.
        encoded: All of their texts.
    """
    from scipy.sparse import csr_matrix, hstack
    from sklearn.linear_model import LogisticRegression

    mean: NDArray[np.float32] = np.stack([encoded.vectors[row.text] for row in rows]).mean(axis=0)
    solid = np.stack([dense(encoded.told(row), mean) for row in rows])
    words = [grams(row.text) for row in rows]
    ends = np.cumsum([0, *(one.columns.size for one in words)])
    columns, values = (np.concatenate([getattr(one, name) for one in words]) for name in ("columns", "values"))
    used, columns = np.unique(columns, return_inverse=True)  # a column that no row has gets no weight
    table = csr_matrix((values, columns, ends), shape=(len(rows), used.size))
    model = LogisticRegression(C=_C, max_iter=_STEPS)
    model.fit(
        hstack([csr_matrix(solid), table], format="csr"),
        [str(row.relation) for row in rows],
        sample_weight=[row.weight for row in rows],
    )
    weights = model.coef_.astype(np.float32)
    width = solid.shape[1]
    sparse = np.zeros((GRAM_COLUMNS, len(weights)), dtype=np.float32)
    sparse[used] = weights[:, width:].T
    return RelationHead(
        encoded.encoder,
        tuple(Relation(str(name)) for name in model.classes_),
        mean,
        weights[:, :width],
        model.intercept_.astype(np.float32),
        sparse,
    )


def read_rows(head: RelationHead, rows: Sequence[RelationRow], encoded: Encoded) -> list[Relation]:
    """What `head` takes each row for."""
    readings = (head.read(encoded.told(row)) for row in rows)
    return [relation for reading in readings if (relation := reading.relation) is not None]


def judged(rows: Sequence[RelationRow], encoded: Encoded, folds: int = FOLDS) -> list[tuple[RelationRow, Relation]]:
    """The rows of each fold with what a head that was fitted to the others takes them for."""
    found: list[tuple[RelationRow, Relation]] = []
    for fold in range(folds):
        out = [row for row in rows if row.fold == fold]
        head = fit_head([row for row in rows if row.fold != fold], encoded)
        found += zip(out, read_rows(head, out, encoded), strict=True)
    return found


def f1_by_relation(wanted: Sequence[Relation], found: Sequence[Relation]) -> dict[Relation, float]:
    """F1 of every relation that is wanted or found."""
    counts: dict[Relation, list[int]] = defaultdict(lambda: [0, 0, 0])  # right, wanted, found
    for want, find in zip(wanted, found, strict=True):
        counts[want][1] += 1
        counts[find][2] += 1
        counts[want][0] += want is find
    return {one: 2 * right / (asked + told) for one, (right, asked, told) in sorted(counts.items())}
