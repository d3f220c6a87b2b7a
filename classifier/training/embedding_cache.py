"""Vectors that are made once, for trainings and judgements that meet the same texts again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from classifier.embedder import Embedder, PassingOn, Vectors


class FittedEmbedder(Embedder):
    """An embedder that was itself fitted on the seed, and knows its texts by heart."""

    def embed_unseen(self, texts: Sequence[str]) -> Vectors:
        """As `Embedder.embed`, but texts of the seed as if it had not been fitted on their domains."""
        raise NotImplementedError


class KnownEmbedder(PassingOn, FittedEmbedder):
    """An embedder that is asked for each text once: trainings on overlapping rows share their vectors.

    Args:
        inner: What encodes; its vectors are all kept.
    """

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self._vectors: dict[str, Vectors] = {}
        self._queries: dict[str, Vectors] = {}
        self._unseen: dict[str, Vectors] = {} if isinstance(inner, FittedEmbedder) else self._vectors

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        return self._find(texts, self._queries, self.inner.embed_queries)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of `texts`, shape (len(texts), dimensions), in the order given."""
        return self._find(texts, self._vectors, self.inner.embed)

    def embed_unseen(self, texts: Sequence[str]) -> Vectors:
        """See `FittedEmbedder`; the same as `embed` where the inner embedder was not fitted."""
        return self._find(texts, self._unseen, unseen(self.inner).embed)

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


class _Unseen(PassingOn):
    def __init__(self, inner: FittedEmbedder) -> None:
        super().__init__(inner)
        self._fitted = inner

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._fitted.embed_unseen(texts)
