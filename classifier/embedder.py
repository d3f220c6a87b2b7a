"""Text to vectors: what an encoder gives, and what one that stands before another passes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
#: The likeness of words up to which they have nothing to do with each other, by what the nearest of some hundred is.
_UNLIKE = 0.3


class Embedder:
    """Text to vectors. Implementations are thread-safe and may block: call them in a worker thread.

    An encoder has `id`, `dimensions` and `embed`; what else it does not have stays as it is here.
    """

    @property
    def id(self) -> str:
        """Names the model and its variant; artifacts and indexes refuse another embedder's vectors."""
        raise NotImplementedError

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        raise NotImplementedError

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of `texts`, shape (len(texts), dimensions), in the order given."""
        raise NotImplementedError

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As `embed`, for texts that are to find others: some encoders read them with another prefix."""
        return self.embed(texts)

    @property
    def name_id(self) -> str:
        """As `id`, of the vectors of `embed_names`."""
        return self.id

    def embed_names(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors in which a question is near the name of the figure that it means, shape (n, dimensions)."""
        return self.embed(texts)

    def word_vectors(self, words: Sequence[str]) -> Vectors | None:
        """Unit vectors of words for themselves, in no sentence, shape (len(words), n), or zeros; None: not known.

        Words of like meaning are near, in one language and in two; a word that has nothing to do with another is at 0.
        """
        del words
        return None

    def answers_in(
        self, question: str, sentences: Sequence[str], states: Mapping[str, Vectors] | None = None
    ) -> Vectors | None:
        """How far each sentence answers a question: logits, shape (len(sentences),); None: not known.

        Args:
            question: As a person asks it.
            sentences: At least one.
            states: By sentence, what `embed_with_states` made of it before; the others are read.
        """
        del question, sentences, states
        return None

    def embed_with_states(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors | None]]:
        """The vectors of `embed`, and what the lower layers make of each text, which `answers_in` reads.

        That is of shape (tokens, width); None of a longer text, and of an encoder without that.
        """
        return self.embed(texts), [None] * len(texts)

    def embed_pooled(self, texts: Sequence[str]) -> Vectors:
        """What the lower layers make of texts as queries, where what one asks for shows; shape (len(texts), n).

        Of each number of a token's state the mean, the greatest and the least over the tokens, one behind the other; no
        numbers of an encoder without that.
        """
        return np.empty((len(texts), 0), dtype=np.float32)

    @property
    def unrelated(self) -> float:
        """The cosine of a query and a passage that have nothing to do with each other."""
        return 0.0

    @property
    def language_offset(self) -> Vectors | None:
        """From passages in English to those in Spanish that say the same, shape (dimensions,); None: not known.

        An encoder has it that finds a query nearer to passages in its own language than to those in the other.
        """
        return None

    @property
    def query_mean(self) -> Vectors | None:
        """The mean of the vectors of queries, shape (dimensions,); None: not known.

        An encoder has it that finds some passages near to whatever is asked.
        """
        return None


class PassingOn(Embedder):
    """What stands before an encoder and passes everything on.

    Attributes:
        inner: What encodes.
    """

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner

    @property
    def id(self) -> str:
        """The same as that of `inner`, as its vectors are."""
        return self.inner.id

    @property
    def dimensions(self) -> int:
        """See `Embedder`."""
        return self.inner.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        return self.inner.embed(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        return self.inner.embed_queries(texts)

    @property
    def name_id(self) -> str:
        """See `Embedder`."""
        return self.inner.name_id

    def embed_names(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        return self.inner.embed_names(texts)

    def word_vectors(self, words: Sequence[str]) -> Vectors | None:
        """See `Embedder`."""
        return self.inner.word_vectors(words)

    def answers_in(
        self, question: str, sentences: Sequence[str], states: Mapping[str, Vectors] | None = None
    ) -> Vectors | None:
        """See `Embedder`."""
        return self.inner.answers_in(question, sentences, states)

    def embed_with_states(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors | None]]:
        """See `Embedder`."""
        return self.inner.embed_with_states(texts)

    def embed_pooled(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        return self.inner.embed_pooled(texts)

    @property
    def unrelated(self) -> float:
        """See `Embedder`."""
        return self.inner.unrelated

    @property
    def language_offset(self) -> Vectors | None:
        """See `Embedder`."""
        return self.inner.language_offset

    @property
    def query_mean(self) -> Vectors | None:
        """See `Embedder`."""
        return self.inner.query_mean


def words_alike(embedder: Embedder, words: Sequence[str], others: Sequence[str]) -> Vectors | None:
    """How like each of `words` is to each of `others` in meaning, shape (len(words), len(others)); at most 1.

    0 or less is of words that have nothing to do with each other. None where `embedder` knows no words, or there are
    none.
    """
    vectors = embedder.word_vectors([*words, *others]) if words and others else None
    if vectors is None:
        return None
    alike: Vectors = (vectors[: len(words)] @ vectors[len(words) :].T - _UNLIKE) / (1 - _UNLIKE)
    return alike


def likeness(cosines: Vectors, floor: float) -> Vectors:
    """Cosines as shares of the way from texts that have nothing to do with each other to the same text, 0 to 1."""
    shares: Vectors = np.clip((cosines - floor) / (1 - floor), 0.0, 1.0)
    return shares
