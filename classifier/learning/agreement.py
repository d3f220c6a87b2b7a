"""Which labels more than one person stands behind, and which layer 2 may remember.

One person alone can be wrong, or mean harm. What one says teaches the heads nothing, is remembered only where layer 2
was not sure of another type, and decides only where layer 2 would abstain: docs/adr/0034-corrections-are-remembered.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from classifier.decision import Embedder, Query, embed_queries, unrelated_cosine
from classifier.learning.labels import Label
from classifier.linear.artifact import Artifact
from classifier.linear.layer import LinearLayer
from classifier.linear.memory import Memory
from classifier.linear.scoring import as_remembered

#: How alike two messages are that say nearly the same: a part of the way from unrelated texts (0) to equal ones (1).
ALIKE = 0.68
#: Labels that are compared with all others at once.
_AT_ONCE = 512


def remember(labels: Sequence[Label], current: Artifact | None, embedder: Embedder) -> tuple[Memory, list[Label], int]:
    """What is kept of labels.

    Args:
        labels: As they were selected, the oldest first.
        current: The artifact in use; None is sure of nothing.
        embedder: Of layer 2.

    Returns:
        What layer 2 remembers, the labels that its heads are fitted to, and how many are left out altogether.
    """
    if not labels:
        return Memory.empty(), [], 0
    least = least_cosine(embedder)
    vectors = embed_queries(embedder, as_remembered([label.text for label in labels]))
    backed = vouched(labels, vectors, least)
    keep = backed | ~_contradicting(labels, current, embedder)
    types = [str(label.type) for label, kept in zip(labels, keep, strict=True) if kept]
    memory = Memory.of(vectors[keep], types, backed[keep], least)
    return memory, [label for label, two in zip(labels, backed, strict=True) if two], len(labels) - len(types)


def least_cosine(embedder: Embedder) -> float:
    """The cosine from which two messages say nearly the same to `embedder`."""
    floor = unrelated_cosine(embedder)
    return floor + ALIKE * (1.0 - floor)


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


def _contradicting(labels: Sequence[Label], current: Artifact | None, embedder: Embedder) -> NDArray[np.bool_]:
    """Whether layer 2, without what it remembers, is sure of another type; shape (n,)."""
    if current is None:
        return np.zeros(len(labels), dtype=bool)
    opinions = LinearLayer(current.forgetful(), embedder).decide_many([Query(label.text) for label in labels])
    pairs = zip(opinions, labels, strict=True)
    return np.asarray([opinion.type not in (None, label.type) for opinion, label in pairs])
