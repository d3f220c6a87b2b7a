"""A head of the relations that has learnt from corrections, and whether it may take the place of the one before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from classifier.learning.labels import Label, select_relations
from classifier.relation.head import Encoders
from classifier.relation.relations import Relation
from classifier.training.relations import (
    Encoded,
    RelationRow,
    dialogue_rows,
    encode,
    f1_by_relation,
    fit_head,
    read_rows,
)

#: What an error on a corrected message counts against one on a message of the dialogues.
WEIGHT = 3.0
#: Macro-F1 that may be lost on the dialogues that are left out to judge.
LOSS = 0.005
#: The fold of the dialogues that judges.
JUDGE = 0


@dataclass(frozen=True, slots=True)
class Learnt:
    """What came of it.

    Attributes:
        labels: Corrections that were learnt from.
        before: Macro-F1 on the left-out dialogues without them.
        after: The same with them.
    """

    labels: int
    before: float
    after: float

    @property
    def promoted(self) -> bool:
        """Whether nothing to speak of was lost."""
        return self.after >= self.before - LOSS


def rows_of(labels: Sequence[Label], base: Sequence[RelationRow]) -> list[RelationRow]:
    """The rows that corrections come to; of one principal no more than its share of `base` and themselves."""
    chosen = select_relations(labels, Counter(str(row.relation) for row in base))
    return [
        RelationRow(one.text, tuple(one.earlier.splitlines()), Relation(one.relation), WEIGHT, one.language)
        for one in chosen
    ]


def learn(
    labels: Sequence[Label], encoders: Encoders, target: Path, base: Sequence[RelationRow] | None = None
) -> Learnt:
    """Fits a head to the dialogues and the corrections, and writes it to `target` if it is no worse.

    Args:
        labels: As exported.
        encoders: What the messages are read by.
        target: What is replaced.
        base: Rows of dialogues; None: of those that ship.
    """
    base = dialogue_rows() if base is None else base
    told = rows_of(labels, base)
    encoded = encode([*base, *told], encoders)
    judging = [row for row in base if row.fold == JUDGE]
    fitted = [row for row in base if row.fold != JUDGE]
    learnt = Learnt(
        len(told), _score(fitted, judging, encoded), _score([*fitted, *told], judging, encoded) if told else 0.0
    )
    if told and learnt.promoted:
        fit_head([*base, *told], encoded).save(target)
    return learnt


def _score(rows: Sequence[RelationRow], judging: Sequence[RelationRow], encoded: Encoded) -> float:
    """Macro-F1 of a head fitted to `rows` on others."""
    found = read_rows(fit_head(rows, encoded), judging, encoded)
    return float(np.mean(list(f1_by_relation([row.relation for row in judging], found).values())))
