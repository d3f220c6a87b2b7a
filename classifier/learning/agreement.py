"""Which labels more than one person stands behind, and which layer 2 may remember.

One person alone can be wrong, or mean harm. What one says teaches the heads nothing, is remembered only where layer 2
was not sure of another type, and decides only where layer 2 would abstain: docs/adr/0034-corrections-are-remembered.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from classifier.learning.labels import Label
from classifier.linear.memory import Memory

#: How alike two messages are that say nearly the same: a part of the way from unrelated texts (0) to equal ones (1).
ALIKE = 0.68
#: Labels that are compared with all others at once.
_AT_ONCE = 512


def remember(
    labels: Sequence[Label], vectors: NDArray[np.float32], contradicting: Sequence[bool], floor: float
) -> tuple[Memory, list[Label]]:
    """What is kept of labels.

    Args:
        labels: As they were selected, the oldest first.
        vectors: Unit vectors of their texts, shape (n, d).
        contradicting: Whether layer 2, without what it remembers, is sure of another type.
        floor: The cosine of texts that have nothing to do with each other.

    Returns:
        What layer 2 remembers, and the labels that its heads are fitted to.
    """
    least = floor + ALIKE * (1.0 - floor)
    backed = vouched(labels, vectors, least)
    keep = backed | ~np.asarray(contradicting, bool)
    types = [str(label.type) for label, kept in zip(labels, keep, strict=True) if kept]
    memory = Memory.of(vectors[keep], types, backed[keep], least)
    return memory, [label for label, two in zip(labels, backed, strict=True) if two]


def vouched(labels: Sequence[Label], vectors: NDArray[np.float32], least: float) -> NDArray[np.bool_]:
    """Whether another principal gives the same type to the same or a like message, shape (n,)."""
    types = np.asarray([str(label.type) for label in labels])
    principals = np.asarray([label.principal for label in labels])
    found = np.zeros(len(labels), dtype=bool)
    for start in range(0, len(labels), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        seconds = (types[part, None] == types) & (principals[part, None] != principals)
        found[part] = (seconds & (vectors[part] @ vectors.T >= least)).any(axis=1)
    return found
