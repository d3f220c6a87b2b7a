"""Messages whose type people have said, as layer 2 remembers them: what is asked nearly alike gets the same type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classifier.decision import QueryType
from classifier.linear.card import OUTPUTS

#: How near the nearest message of another type may come, as a cosine, before nothing is recalled.
CLOSE = 0.01
#: Messages that are remembered; of more, the newest.
MOST_REMEMBERED = 20_000

_REJECT = OUTPUTS[-1]
#: Columns of the stored array before the vector: type, whether a second person says so, least cosine.
_BEFORE = 3


@dataclass(frozen=True, slots=True)
class Recalled:
    """What is remembered of a message like the one asked.

    Attributes:
        type: What people have said of it.
        vouched: More than one person says so of it and its like.
        likeness: Cosine of the two messages.
    """

    type: QueryType
    vouched: bool
    likeness: float


@dataclass(frozen=True, slots=True)
class Memory:
    """Remembered messages; n of them, the oldest first.

    Attributes:
        vectors: Unit vectors of the messages as queries, shape (n, d).
        types: Places in `OUTPUTS`, shape (n,).
        vouched: Whether more than one person says so, shape (n,).
        least: The cosine from which a message is alike, shape (n,).
    """

    vectors: NDArray[np.float32]
    types: NDArray[np.int64]
    vouched: NDArray[np.bool_]
    least: NDArray[np.float32]

    @classmethod
    def of(cls, vectors: NDArray[np.float32], types: Sequence[str], vouched: NDArray[np.bool_], least: float) -> Memory:
        """The newest of these messages, one `least` for all."""
        places = np.asarray([OUTPUTS.index(name) for name in types], np.int64)
        bound = np.full(len(types), least, np.float32)
        newest = slice(-MOST_REMEMBERED, None)
        return cls(vectors[newest], places[newest], vouched[newest], bound[newest])

    @classmethod
    def empty(cls) -> Memory:
        """Nothing is remembered."""
        return cls.from_array(np.zeros((0, _BEFORE), np.float32))

    @classmethod
    def from_array(cls, array: NDArray[np.float32]) -> Memory:
        """What `to_array` gave.

        Raises:
            ValueError: It is something else.
        """
        if array.shape[1] < _BEFORE:
            raise ValueError("its array memory has too few columns")
        types, vouched, least, vectors = array[:, 0], array[:, 1], array[:, 2], array[:, _BEFORE:]
        if not np.isin(types, np.arange(OUTPUTS.index(_REJECT))).all() or not np.isin(vouched, (0, 1)).all():
            raise ValueError("its array memory has a type that is none, or says neither yes nor no")
        return cls(vectors, types.astype(np.int64), vouched.astype(bool), least)

    def to_array(self) -> NDArray[np.float32]:
        """All of it as one array, shape (n, 3 + d)."""
        return np.column_stack([self.types, self.vouched, self.least, self.vectors]).astype(np.float32)

    def __len__(self) -> int:
        return len(self.types)

    def recall(self, vectors: NDArray[np.float32]) -> list[Recalled | None]:
        """For each of `vectors`, shape (m, d), the nearest message that is alike.

        None where nothing is alike, or where messages of two types are as good as equally near.
        """
        if not len(self):
            return [None] * len(vectors)
        cosines = vectors @ self.vectors.T
        alike = np.where(cosines >= self.least, cosines, -1.0)
        return [self._recalled(row) for row in alike]

    def _recalled(self, alike: NDArray[np.float32]) -> Recalled | None:
        best = int(alike.argmax())
        others = alike[self.types != self.types[best]]
        if alike[best] < 0 or alike[best] - others.max(initial=-1.0) < CLOSE:
            return None
        kind = QueryType(OUTPUTS[self.types[best]])
        return Recalled(kind, bool(self.vouched[best]), min(1.0, float(alike[best])))
