"""Messages whose type people have said, as layer 2 remembers them: what is asked nearly alike gets the same type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classifier.decision import QueryType
from classifier.linear.card import OUTPUTS

#: How alike two messages are that say nearly the same: a part of the way from unrelated texts (0) to equal ones (1).
ALIKE = 0.68
#: How alike two messages have to be for the one's type to speak for the other's, where nothing speaks against it.
SPEAKS_FOR = 0.6
#: How near the nearest message of another type may come, as a cosine, before nothing is recalled.
CLOSE = 0.01
#: Messages that are remembered; of more, the newest.
MOST_REMEMBERED = 20_000

_REJECT = OUTPUTS[-1]
#: Columns of the stored array before the vector: type, whether a second person says so.
_BEFORE = 2


@dataclass(frozen=True, slots=True)
class Recalled:
    """What is remembered of a message like the one asked.

    Attributes:
        type: What people have said of it.
        vouched: More than one person says so of it and its like.
        alike: The two say nearly the same; else the one speaks for the other.
        likeness: Cosine of the two messages.
    """

    type: QueryType
    vouched: bool
    alike: bool
    likeness: float


@dataclass(frozen=True, slots=True)
class Memory:
    """Remembered messages; n of them, the oldest first.

    Attributes:
        vectors: Unit vectors of the messages as queries, shape (n, d).
        types: Places in `OUTPUTS`, shape (n,).
        vouched: Whether more than one person says so, shape (n,).
    """

    vectors: NDArray[np.float32]
    types: NDArray[np.int64]
    vouched: NDArray[np.bool_]

    @classmethod
    def of(cls, vectors: NDArray[np.float32], types: Sequence[str], vouched: NDArray[np.bool_]) -> Memory:
        """The newest of these messages."""
        places = np.asarray([OUTPUTS.index(name) for name in types], np.int64)
        newest = slice(-MOST_REMEMBERED, None)
        return cls(vectors[newest], places[newest], vouched[newest])

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
            raise ValueError("its array remembered has too few columns")
        types, vouched, vectors = array[:, 0], array[:, 1], array[:, _BEFORE:]
        if not np.isin(types, np.arange(OUTPUTS.index(_REJECT))).all() or not np.isin(vouched, (0, 1)).all():
            raise ValueError("its array remembered has a type that is none, or says neither yes nor no")
        return cls(vectors, types.astype(np.int64), vouched.astype(bool))

    def to_array(self) -> NDArray[np.float32]:
        """All of it as one array, shape (n, 2 + d)."""
        return np.column_stack([self.types, self.vouched, self.vectors]).astype(np.float32)

    def __len__(self) -> int:
        return len(self.types)

    def recall(self, vectors: NDArray[np.float32], unrelated: float = 0.0) -> list[Recalled | None]:
        """For each of `vectors`, shape (m, d), the nearest message that speaks for it.

        None where none does, or where messages of two types are as good as equally near.

        Args:
            vectors: Of messages as queries; unit vectors.
            unrelated: The cosine of texts that have nothing to do with each other.
        """
        if not len(self):
            return [None] * len(vectors)
        bounds = [unrelated + part * (1.0 - unrelated) for part in (SPEAKS_FOR, ALIKE)]
        return [self._recalled(row, *bounds) for row in vectors @ self.vectors.T]

    def _recalled(self, cosines: NDArray[np.float32], speaks: float, alike: float) -> Recalled | None:
        best = int(cosines.argmax())
        likeness, others = float(cosines[best]), cosines[self.types != self.types[best]]
        if likeness < speaks or likeness - others.max(initial=-1.0) < CLOSE:
            return None
        kind = QueryType(OUTPUTS[self.types[best]])
        return Recalled(kind, bool(self.vouched[best]), likeness >= alike, min(1.0, likeness))
