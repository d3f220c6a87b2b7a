"""What a question asks for, and which words mean the same: heads on the encoder, fitted to rows.

The operation is told by a multinomial logistic regression over the vector of the question (`operations.json`). What is
asked of documents has been read as a query already when it comes here: its operation is told by that vector, and by
what the encoder's lower layers made of it, so that nothing is encoded anew.
Words are compared in a space in which the other names of one thing (`subjects.json`, two languages) are near each
other: vectors are multiplied with what whitens the scatter within the things, as linear discriminant analysis does.
Whether a word names a thing, or only belongs to the way of asking, is a logistic regression over its vector.

Source: for the space, Hastie, Tibshirani and Friedman 2009, The Elements of Statistical Learning, 4.3.2.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from classifier.head_files import check, read_arrays, write_arrays
from engine.generation.extractive.account_figures.vocabulary import subjects

Vectors = NDArray[np.float32]
#: The head of the bundled encoder.
SHIPPED = Path(__file__).parent / "heads.npz"
_WHAT = "The head of the account questions"
_MEND = "fit it anew with python -m scripts.fitting.account_figures, or restore the file from the release"
_ARRAYS = (
    "mean",
    "weights",
    "bias",
    "query_mean",
    "query_weights",
    "query_bias",
    "word_mean",
    "word_map",
    "thing",
    "subjects",
)
#: The difference from which a head is sure which end a question asks for.
_CLOSE = 0.15


@dataclass(frozen=True, slots=True)
class FigureHeads:
    """Reads questions and words from vectors.

    Attributes:
        encoder: Id of the encoder whose vectors it reads.
        operations: In the order of the rows of `weights`.
        mean: Of the example questions, shape (dimensions,).
        weights: Shape (operations, dimensions).
        bias: Shape (operations,).
        query_mean: Of `numbers_of` the example questions, shape (numbers,).
        query_weights: Shape (operations, numbers).
        query_bias: Shape (operations,).
        word_mean: Of the words, shape (dimensions,).
        word_map: To the space of words, shape (dimensions, width).
        thing: Weights for "names a thing" with the bias behind them, shape (dimensions + 1,).
        subjects: The vectors of the first names of `vocabulary.subjects()`, by `embed_names`, shape (subjects,
            dimensions). They are stored because encoding them would hold up the first question that needs them.
    """

    encoder: str
    operations: tuple[str, ...]
    mean: Vectors
    weights: Vectors
    bias: Vectors
    query_mean: Vectors
    query_weights: Vectors
    query_bias: Vectors
    word_mean: Vectors
    word_map: Vectors
    thing: Vectors
    subjects: Vectors

    def read(self, vector: Vectors) -> dict[str, float]:
        """The probability of each operation, by the vector of a question, shape (dimensions,); likeliest first."""
        return self._chances(self.weights @ (vector - self.mean) + self.bias)

    def read_query(self, numbers: Vectors) -> dict[str, float]:
        """The same of a question as it was typed, by `numbers_of` it, shape (numbers,)."""
        return self._chances(self.query_weights @ (numbers - self.query_mean) + self.query_bias)

    def _chances(self, logits: Vectors) -> dict[str, float]:
        odds = np.exp(logits - logits.max())
        chances = {name: float(odd / odds.sum()) for name, odd in zip(self.operations, odds, strict=True)}
        return dict(sorted(chances.items(), key=lambda one: -one[1]))

    def words(self, vectors: Vectors) -> Vectors:
        """Words in their space: from shape (n, dimensions) to unit rows of shape (n, width)."""
        mapped = (vectors - self.word_mean) @ self.word_map
        found: Vectors = mapped / np.maximum(np.linalg.norm(mapped, axis=1, keepdims=True), 1e-9)
        return found

    def names_things(self, vectors: Vectors) -> Vectors:
        """The probability of each word, shape (n, dimensions), that it names a thing."""
        chances: Vectors = 1.0 / (1.0 + np.exp(-((vectors - self.word_mean) @ self.thing[:-1] + self.thing[-1])))
        return chances

    def save(self, path: Path) -> None:
        """Writes the head to `path` in half precision, without pickle."""
        arrays = {name: getattr(self, name).astype(np.float16) for name in _ARRAYS}
        write_arrays(path, self.encoder, self.operations, arrays)

    @classmethod
    def load(cls, path: Path, encoder: str) -> Self:
        """The head of `path`, for the vectors of `encoder`.

        Raises:
            HeadError: There is none, it is damaged, or it is for another encoder.
        """
        stored = read_arrays(path, encoder, _ARRAYS, _WHAT, _MEND)
        width, count = stored.arrays["mean"].size, len(stored.names)
        expected = {"weights": (count, width), "bias": (count,), "word_mean": (width,), "thing": (width + 1,)}
        expected |= {"query_weights": (count, stored.arrays["query_mean"].size), "query_bias": (count,)}
        expected["subjects"] = (len(subjects()), width)
        fits = all(stored.arrays[name].shape == shape for name, shape in expected.items())
        check(fits and len(stored.arrays["word_map"]) == width, path, _WHAT, _MEND)
        return cls(encoder, stored.names, **stored.arrays)


def numbers_of(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """What operations of queries are told by: their vectors, and behind them what the lower layers make of them.

    The vector is made to tell the topic, and tells "dear" from "cheap"; what is asked for shows in the lower layers.
    Shape (len(texts), numbers).
    """
    return np.hstack([embedder.embed_queries(texts), embedder.embed_pooled(texts)])


def by_its_word(chances: dict[str, float], folded: str) -> dict[str, float]:
    """The probabilities with the most before the least, or behind it, as a folded question says, where they are close.

    The head hardly tells "más" from "menos" in a question for a month. "Más barato" asks for the least all the same,
    and the head is sure of that.
    """
    most, least = (re.search(rf"\b(?:{words})\b", folded) is not None for words in ("most|mas", "least|fewest|menos"))
    above = chances["highest"] - chances["lowest"]
    turned = most is not least and (above < 0) is most and abs(above) < _CLOSE
    return {**chances, "highest": chances["lowest"], "lowest": chances["highest"]} if turned else chances
