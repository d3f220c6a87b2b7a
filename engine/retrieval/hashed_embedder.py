"""An embedder without a model: the double that tests and examples use where no meaning is needed."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"\w+")


class HashedWordsEmbedder:
    """A bag of words, hashed: texts that share words are close, others are not.

    Deterministic in every process, and thread-safe. A text without words gets the first unit vector.

    Args:
        dimensions: Length of a vector, at least 1.
        name: Beginning of the id, to stand for different models.

    Attributes:
        embedded: Texts that were embedded so far, in order.
    """

    def __init__(self, dimensions: int = 64, name: str = "hashed-words") -> None:
        self._dimensions = dimensions
        self._name = name
        self.embedded: list[str] = []

    @property
    def id(self) -> str:
        """Names the double and its size."""
        return f"{self._name}-{self._dimensions}"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of `texts`, shape (len(texts), dimensions), in the order given."""
        self.embedded.extend(texts)
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in _WORD.findall(text.lower()):
                row[zlib.crc32(word.encode("utf-8", "replace")) % self._dimensions] += 1.0
            if not row.any():
                row[0] = 1.0
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit
