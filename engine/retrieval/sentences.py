"""What the encoder made of the sentences that answers are quoted from, when their passage was indexed.

That is a vector of each, and its states: a vector of each of its tokens, by the encoder's lower layers. A row is found
by a digest of the sentence, so whoever has its text, from a search or from an earlier turn, has them; what is not there
is encoded by whoever needs it. The vectors are kept as whole numbers up to 127 with one scale each: a quarter of
float32, and a cosine is off by some thousandths.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder, PassingOn
from engine.retrieval.embedding.cache import text_digest

#: Rows of `row_type`.
SentenceRows = NDArray[np.void]
_MOST = np.float32(127)
_DIGEST_BYTES = 8


class EncodedSentences(NamedTuple):
    """What is kept of the sentences of a passage.

    Attributes:
        vectors: A row for each.
        states: A row for each token, those of a sentence together and in order.
    """

    vectors: SentenceRows
    states: SentenceRows


class SentenceVectors(Protocol):
    """What has vectors of sentences. Never raises: what cannot be read is not there."""

    def sentence_vectors(self, texts: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Which of `texts` are known, shape (n,), and their vectors, shape (known, dimensions), unit length."""
        ...

    def sentence_states(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The states of those of `texts` that they are known of, each of shape (tokens, width)."""
        ...


def row_type(dimensions: int) -> np.dtype[np.void]:
    """How a vector is kept: digest of the text, key of the passage that it is of, scale, whole numbers."""
    fields: list[Any] = [("digest", "<u8"), ("owner", "<u8"), ("scale", "<f4"), ("numbers", "i1", (dimensions,))]
    return np.dtype(fields)


def digests_of(texts: Sequence[str]) -> NDArray[np.uint64]:
    """What texts are found by; shape (n,)."""
    return np.frombuffer(b"".join(text_digest(text)[:_DIGEST_BYTES] for text in texts), dtype="<u8")


def rows_of(texts: Sequence[str], vectors: NDArray[np.float32]) -> SentenceRows:
    """Rows without an owner.

    Args:
        texts: n of them.
        vectors: Theirs, shape (n, dimensions), of numbers.
    """
    return _rows(digests_of(texts), vectors)


def state_rows_of(texts: Sequence[str], states: Sequence[NDArray[np.float32] | None]) -> SentenceRows:
    """Rows without an owner of the tokens of each text; those of a text that comes twice once.

    Args:
        texts: n of them.
        states: Theirs, each of shape (tokens, width); None where they are not kept.
    """
    known = {text: read for text, read in zip(texts, states, strict=True) if read is not None}
    if not known:
        return np.zeros(0, row_type(0))
    return _rows(np.repeat(digests_of([*known]), [*map(len, known.values())]), np.concatenate([*known.values()]))


def _rows(digests: NDArray[np.uint64], vectors: NDArray[np.float32]) -> SentenceRows:
    rows = np.zeros(len(digests), row_type(vectors.shape[1]))
    if len(digests):
        peaks = np.abs(vectors).max(axis=1)
        rows["digest"] = digests
        rows["scale"] = np.where(peaks > 0, peaks / _MOST, np.float32(1))
        rows["numbers"] = np.rint(vectors / rows["scale"][:, None])
    return rows


def vectors_of(rows: SentenceRows) -> NDArray[np.float32]:
    """The vectors of `rows`, unit length; shape (n, dimensions)."""
    vectors = rows["numbers"].astype(np.float32)  # the scale goes with the length
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: NDArray[np.float32] = vectors / np.maximum(lengths, np.float32(1e-6))
    return found


def states_of(rows: SentenceRows) -> NDArray[np.float32]:
    """The states that `rows` are of, shape (n, width)."""
    states: NDArray[np.float32] = rows["numbers"] * rows["scale"][:, None]
    return states


class StoredSentences(PassingOn):
    """An embedder of passages that takes from an index what it has and encodes the rest.

    Args:
        stored: Asked first; its vectors are those of `inner`.
        inner: What encodes.
    """

    def __init__(self, stored: SentenceVectors, inner: Embedder) -> None:
        super().__init__(inner)
        self._stored = stored

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.embed`."""
        known, vectors = self._stored.sentence_vectors(texts)
        found = np.empty((len(texts), self.dimensions), dtype=np.float32)
        found[known] = vectors
        missing = [text for text, is_known in zip(texts, known, strict=True) if not is_known]
        if missing:
            found[~known] = self.inner.embed(missing)
        return found

    def answers_in(
        self, question: str, sentences: Sequence[str], states: Mapping[str, NDArray[np.float32]] | None = None
    ) -> NDArray[np.float32] | None:
        """See `Embedder.answers_in`: the states are those that the index has."""
        return self.inner.answers_in(question, sentences, {**self._stored.sentence_states(sentences), **(states or {})})
