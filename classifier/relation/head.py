"""The head that reads the relation: multinomial logistic regression over `features`, kept as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from classifier.head_files import HeadError, check, read_arrays, write_arrays
from classifier.relation.features import GRAM_COLUMNS, MEASURES, Floats, Told, dense, grams
from classifier.relation.relations import Relation, RelationReading

#: What mends a file that is refused.
MEND = "fit it anew with python -m scripts.fitting.relations, or restore the file from the release"
_WHAT = "The head of the relations"
_ARRAYS = ("mean", "weights", "bias", "columns", "grams")


class RelationEncoder(Protocol):
    """What layers of the encoder, fitted to the relations, make of messages. Thread-safe; may block."""

    @property
    def id(self) -> str:
        """Names the encoder and its layers: logits of others mean something else."""
        ...

    def relations_of(self, text: str, earlier: Sequence[str]) -> NDArray[np.float32]:
        """Logits in the order of `Relation`, of a message and the last `TOGETHER` questions before it."""
        ...

    def unseen(self, text: str, earlier: Sequence[str]) -> NDArray[np.float32]:
        """The same, but of a message of the dialogues as if the layers had not been fitted on it; for trainings."""
        ...


@dataclass(frozen=True, slots=True)
class Encoders:
    """What messages are read by.

    Attributes:
        queries: The encoder, of messages as queries.
        intents: Its logits of the types.
        relations: Its logits of the relations.
    """

    queries: Embedder
    intents: Embedder
    relations: RelationEncoder

    @property
    def id(self) -> str:
        """Names all of them: a head that was fitted to others reads nothing."""
        return f"{self.queries.id} {self.intents.id} {self.relations.id}"

    def told(self, text: str, vector: Floats, earlier: Sequence[str]) -> Told:
        """A message as the head reads it.

        Args:
            text: As it was typed.
            vector: Of it as a query.
            earlier: What was asked before it, oldest first.
        """
        return Told(text, earlier, vector, self.relations.relations_of(text, earlier), self.intents.embed([text])[0])


@dataclass(frozen=True, slots=True)
class RelationHead:
    """Reads relations from what the encoder makes of messages.

    Attributes:
        encoder: Ids of the encoder's layers whose logits it reads.
        relations: In the order of the rows of `weights`.
        mean: What is taken off a vector first, shape (dimensions,).
        weights: Of the dense features, in the order that `features.dense` gives them: shape (relations, features).
        bias: Shape (relations,).
        grams: Of the hashed words, shape (columns of the hash, relations).
    """

    encoder: str
    relations: tuple[Relation, ...]
    mean: Floats
    weights: Floats
    bias: Floats
    grams: Floats

    def read(self, message: Told) -> RelationReading:
        """The relation of `message` to the questions before it."""
        words = grams(message.text)
        logits = self.weights @ dense(message, self.mean) + self.bias + words.values @ self.grams[words.columns]
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
        least = mean.size + len(Relation) + MEASURES  # the types' logits follow
        known = mean.ndim == 1 and weights.ndim == 2 and weights.shape[1] > least
        sizes = known and (weights.shape[0], arrays["bias"].shape) == (count, (count,))
        columns: NDArray[np.int64] = arrays["columns"].astype(np.int64)
        inside = columns.ndim == 1 and arrays["grams"].shape == (columns.size, count)
        inside = inside and bool(((columns >= 0) & (columns < GRAM_COLUMNS)).all())
        check(bool(sizes and inside and count), path, _WHAT, MEND)
        table = np.zeros((GRAM_COLUMNS, count), np.float32)
        table[columns] = arrays["grams"]
        return cls(encoder, relations, mean, weights, arrays["bias"], table)
