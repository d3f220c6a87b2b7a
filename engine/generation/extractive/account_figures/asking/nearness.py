"""How near the names of a context are to a question, by the encoder's layers that were adapted to names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder

Vectors = NDArray[np.float32]
#: What cosines are multiplied with before names are weighed against each other, as where the layers were adapted.
_SHARPNESS = 20.0
#: What is added to probabilities before their logarithm, and before they are held against the likeliest.
_FAINT, _BEHIND = 1e-4, 0.02


@dataclass(frozen=True, slots=True)
class Nearness:
    """Names beside a question.

    Attributes:
        names: How near each is, in deviations above what subjects in general are.
        shares: The probability that each is the one that is meant, if one of them is.
        best: The nearest of `names`.
        clearest: The highest of `shares`.
        general: The nearest of the subjects.
    """

    names: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    best: float = 0.0
    clearest: float = 0.0
    general: float = 0.0

    @classmethod
    def of(cls, text: str, names: Sequence[str], subjects: Vectors, embedder: Embedder) -> Self:
        """Of a question.

        Args:
            text: The question.
            names: Each once.
            subjects: Vectors of subjects of all kinds, of the same layers; shape (subjects, dimensions).
            embedder: Reads names and question.
        """
        if not names:
            return cls()
        scores, general = near_to(text, names, subjects, embedder)
        odds = np.exp(_SHARPNESS * (scores.cosines - scores.cosines.max()))
        near, shares = (dict(zip(names, told.tolist(), strict=True)) for told in (scores.scaled, odds / odds.sum()))
        return cls(near, shares, max(near.values()), max(shares.values()), float(general.max()))

    def name(self, called: str) -> float:
        """How near a name is; of one that was not read, less than any."""
        return self.names.get(called, self.best - 1)

    def signs(self, called: str) -> dict[str, float]:
        """How near a name is, among all subjects and among the names of the context, as the ranking counts it."""
        near, meant = self.name(called), self.shares.get(called, 0.0)
        return {
            "near": max((near - self.best) / 2, -2.0),
            "near_abs": min(max(near / 3, -1.0), 1.5),
            "meant": meant,
            "meant_log": max(math.log(meant + _FAINT), -6.0) / 3,
            "meant_behind": math.log((meant + _BEHIND) / (self.clearest + _BEHIND)) / 3,
        }


@dataclass(frozen=True, slots=True)
class Scores:
    """Of names: cosines with the question, and deviations above what subjects have, each of shape (names,)."""

    cosines: Vectors
    scaled: Vectors


def near_to(text: str, names: Sequence[str], subjects: Vectors, embedder: Embedder) -> tuple[Scores, Vectors]:
    """The scores of names beside a question, and the deviations of the subjects, shape (subjects,)."""
    question = embedder.embed_names([text])[0]
    cosines, general = embedder.embed_names(names) @ question, subjects @ question
    middle, spread = float(general.mean()), float(general.std()) or 1.0
    return Scores(cosines, (cosines - middle) / spread), (general - middle) / spread
