"""What a message wants of the code that is shown: to understand it, its parts, faults, a change, or documents.

A message is of the kind whose examples in `wishes.json` lie in its direction, by the encoder: a new example is a row.

Source: nearest-centroid classification, Tibshirani et al., PNAS 2002, without the shrinking.
"""

from __future__ import annotations

import json
from enum import StrEnum
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder

Vector = NDArray[np.float32]
#: What the documents have to be ahead by, in cosine, of what is done with the code as a whole: it is asked about rather
#: than they.
_LEAD = 0.04
#: What its parts have to be ahead of the documents by: "which commands are there?" is asked of these.
_BEHIND = 0.01


class Wish(StrEnum):
    """What is wanted of code that is shown."""

    UNDERSTAND = "understand"
    """To be told what it does."""
    CHANGE = "change"
    """Other code in its place, or tests, comments and names for it: a language model's work."""
    PARTS = "parts"
    """Which lines, imports, functions, variables or calls it has."""
    FAULTS = "faults"
    """What is wrong with it."""
    DOCUMENTS = "documents"
    """How something is done or what something is, which the documents say."""


class Wishes:
    """Tells wishes apart by the encoder.

    Args:
        embedder: Reads the examples once, at the first message, and each message; may block.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def of(self, text: str) -> Wish:
        """The wish of one message."""
        mean, centroids = self._centroids
        asked = self._embedder.embed_queries([text])[0] - mean
        near = {wish: float(asked @ centroid) for wish, centroid in centroids.items()}
        near[Wish.UNDERSTAND] += _LEAD
        near[Wish.CHANGE] += _LEAD
        near[Wish.PARTS] -= _BEHIND
        return max(near, key=lambda wish: near[wish])

    @cached_property
    def _centroids(self) -> tuple[Vector, dict[Wish, Vector]]:
        """The mean of all examples, and the direction from it to each kind's own mean; each of shape (dimensions,)."""
        rows = json.loads((Path(__file__).parent / "wishes.json").read_text("utf-8"))
        vectors = {wish: self._embedder.embed_queries(rows[wish]) for wish in Wish}
        mean: Vector = np.vstack(list(vectors.values())).mean(axis=0)
        apart = {wish: given.mean(axis=0) - mean for wish, given in vectors.items()}
        return mean, {wish: one / np.linalg.norm(one) for wish, one in apart.items()}
