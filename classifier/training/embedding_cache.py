"""Vectors that are made once, for trainings and judgements that meet the same texts again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from classifier.decision import Embedder, embed_queries, unrelated_cosine

Vectors = NDArray[np.float32]


@runtime_checkable
class FittedEmbedder(Embedder, Protocol):
    """An embedder that was itself fitted on the seed, and knows its texts by heart."""

    def embed_unseen(self, texts: Sequence[str]) -> Vectors:
        """As `Embedder.embed`, but texts of the seed as if it had not been fitted on their domains."""
        ...


class KnownEmbedder:
    """An embedder that is asked for each text once: trainings on overlapping rows share their vectors.

    Args:
        inner: What encodes; its vectors are all kept.
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._vectors: dict[str, Vectors] = {}
        self._queries: dict[str, Vectors] = {}
        self._unseen: dict[str, Vectors] = {} if isinstance(inner, FittedEmbedder) else self._vectors

    @property
    def id(self) -> str:
        """The inner embedder's."""
        return self._inner.id

    @property
    def dimensions(self) -> int:
        """The inner embedder's."""
        return self._inner.dimensions

    @property
    def unrelated(self) -> float:
        """The inner embedder's."""
        return unrelated_cosine(self._inner)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `QueryEmbedder`."""
        return self._find(texts, self._queries, lambda missing: embed_queries(self._inner, missing))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of `texts`, shape (len(texts), dimensions), in the order given."""
        return self._find(texts, self._vectors, self._inner.embed)

    def embed_unseen(self, texts: Sequence[str]) -> Vectors:
        """See `FittedEmbedder`; the same as `embed` where the inner embedder was not fitted."""
        return self._find(texts, self._unseen, unseen(self._inner).embed)

    def _find(
        self, texts: Sequence[str], made: dict[str, Vectors], make: Callable[[Sequence[str]], Vectors]
    ) -> Vectors:
        missing = [text for text in dict.fromkeys(texts) if text not in made]
        if missing:
            made.update(zip(missing, make(missing), strict=True))
        found = [made[text] for text in texts]
        return np.stack(found) if found else np.zeros((0, self.dimensions), dtype=np.float32)


def unseen(embedder: Embedder) -> Embedder:
    """`embedder` as trainings have to read it: texts of the seed as if it had not been fitted on their domains."""
    return _Unseen(embedder) if isinstance(embedder, FittedEmbedder) else embedder


class _Unseen:
    def __init__(self, inner: FittedEmbedder) -> None:
        self._inner = inner
        self.id = inner.id
        self.dimensions = inner.dimensions
        self.unrelated = unrelated_cosine(inner)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._inner.embed_unseen(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return embed_queries(self._inner, texts)
