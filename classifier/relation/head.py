"""The head that reads the relation: multinomial logistic regression over `features`, kept as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from classifier.head_files import HeadError, check, read_arrays, write_arrays
from classifier.relation.features import GRAM_COLUMNS, MEASURES, Floats, Told, dense, grams
from classifier.relation.relations import Relation, RelationReading

#: What mends a file that is refused.
MEND = "fit it anew with python -m scripts.fitting.relations, or restore the file from the release"
_WHAT = "The head of the relations"
_ARRAYS = ("mean", "weights", "bias", "columns", "grams")


@dataclass(frozen=True, slots=True)
class RelationHead:
    """Reads relations from what the encoder makes of messages.

    Attributes:
        encoder: Ids of the encoder whose vectors and intents it reads.
        relations: In the order of the rows of `weights`.
        mean: What is taken off a vector first, shape (dimensions,).
        weights: Of the dense features, shape (relations, dimensions + measures + types).
        bias: Shape (relations,).
        grams: Of the hashed words, shape (columns of the hash, relations).
    """

    encoder: str
    relations: tuple[Relation, ...]
    mean: Floats
    weights: Floats
    bias: Floats
    grams: Floats

    def told(self, text: str, vector: Floats, intents: Floats) -> Told:
        """A message as the head reads it, from its unit vector as a query."""
        return Told(text, vector - self.mean, intents)

    def read(self, message: Told, earlier: Sequence[Told]) -> RelationReading:
        """The relation of `message` to the questions before it, oldest first."""
        words = grams(message.text)
        logits = self.weights @ dense(message, earlier) + self.bias + words.values @ self.grams[words.columns]
        odds = np.exp(logits - logits.max())
        best = int(odds.argmax())
        return RelationReading(self.relations[best], float(odds[best] / odds.sum()))

    def save(self, path: Path) -> None:
        """Writes the head to `path`, without pickle; of the hash only the columns that were seen."""
        columns = np.flatnonzero(self.grams.any(axis=1))
        arrays: dict[str, NDArray[Any]] = {"mean": self.mean, "weights": self.weights, "bias": self.bias}
        arrays |= {"columns": columns.astype(np.int32), "grams": self.grams[columns].astype(np.float16)}
        write_arrays(path, self.encoder, [str(one) for one in self.relations], arrays)

    @classmethod
    def load(cls, path: Path, encoder: str) -> Self:
        """The head of `path`, for the vectors of `encoder`.

        Raises:
            HeadError: There is none, it is damaged, or it is for another encoder.
        """
        stored = read_arrays(path, encoder, _ARRAYS, _WHAT, MEND)
        try:
            relations = tuple(Relation(name) for name in stored.names)
        except ValueError as error:
            raise HeadError(f"{_WHAT}, {path}, names a relation that there is not: {MEND}.") from error
        arrays, count = stored.arrays, len(relations)
        mean, weights = arrays["mean"], arrays["weights"]
        known = weights.ndim == 2 and weights.shape[1] > mean.size + MEASURES  # the types' logits follow
        sizes = known and (weights.shape[0], arrays["bias"].shape) == (count, (count,)) and mean.ndim == 1
        columns: NDArray[np.int64] = arrays["columns"].astype(np.int64)
        inside = columns.ndim == 1 and arrays["grams"].shape == (columns.size, count)
        inside = inside and bool(((columns >= 0) & (columns < GRAM_COLUMNS)).all())
        check(bool(sizes and inside and count), path, _WHAT, MEND)
        table = np.zeros((GRAM_COLUMNS, count), np.float32)
        table[columns] = arrays["grams"]
        return cls(encoder, relations, mean, weights, arrays["bias"], table)
