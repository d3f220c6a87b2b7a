"""Which labels more than one person stands behind, and which layer 2 may remember.

One person alone can be wrong, or mean harm: what nobody else vouches for changes nothing, unless a training is told
that it may (docs/adr/0034-corrections-are-remembered.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from classifier.learning.labels import Label
from classifier.linear.memory import SPEAKS_FOR, Memory

#: Labels that are compared with all others at once.
_AT_ONCE = 512


def remember(
    labels: Sequence[Label], vectors: NDArray[np.float32], unwanted: Sequence[bool], floor: float
) -> tuple[Memory, list[Label]]:
    """What is kept of labels.

    Args:
        labels: As they were selected, the oldest first.
        vectors: Unit vectors of their texts, shape (n, d).
        unwanted: Whether each is left out where nobody else vouches for it.
        floor: The cosine of texts that have nothing to do with each other.

    Returns:
        What layer 2 remembers, and the labels that its heads are fitted to.
    """
    backed = vouched(labels, vectors, floor + SPEAKS_FOR * (1.0 - floor))
    keep = backed | ~np.asarray(unwanted, bool)
    types = [str(label.type) for label, kept in zip(labels, keep, strict=True) if kept]
    memory = Memory.of(vectors[keep], types, backed[keep])
    return memory, [label for label, two in zip(labels, backed, strict=True) if two]


def vouched(labels: Sequence[Label], vectors: NDArray[np.float32], least: float) -> NDArray[np.bool_]:
    """Whether what is most like each label's message, among what other principals labelled, has its type; shape (n,).

    Nothing that is less alike than `least` speaks for anything.
    """
    types = np.asarray([str(label.type) for label in labels])
    principals = np.asarray([label.principal for label in labels])
    found = np.zeros(len(labels), dtype=bool)
    for start in range(0, len(labels), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        others = np.where(principals[part, None] != principals, vectors[part] @ vectors.T, -1.0)
        nearest = others.argmax(axis=1)
        found[part] = (others.max(axis=1) >= least) & (types[nearest] == types[part])
    return found
