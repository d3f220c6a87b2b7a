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

import json
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from classifier.head_files import HeadError, check, read_arrays, write_arrays
from engine.generation.extractive.account_figures.vocabulary import light_words, subjects
from engine.text.language import Language, language_of
from engine.text.words import COMMON

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
#: What centred unit vectors are multiplied with, so that the penalty acts on numbers of order one.
_SCALE = 5.0
#: About how long each of the two parts is that operations of queries are told by.
_LENGTH = np.float32(2)
#: Inverse strength of the penalty, as in scikit-learn.
_C = 5.0
_STEPS = 400
#: Share of the mean variance that is added to each direction before whitening.
_SHRINKAGE = 0.3
#: The difference from which a head is sure which end a question asks for.
_CLOSE = 0.15
#: Dimensions of the space of words.
_WIDTH = 160


@cache
def operation_rows() -> dict[str, list[str]]:
    """Example questions by operation."""
    found: dict[str, list[str]] = json.loads((Path(__file__).parent / "operations.json").read_text("utf-8"))
    return found


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

    @classmethod
    def fitted(cls, embedder: Embedder, without: AbstractSet[str] = frozenset()) -> Self:
        """The head for the vectors of `embedder`, fitted to the rows; encodes some 20,000 texts.

        Args:
            without: Questions that are left out, as the rows have them.
        """
        names = tuple(operation_rows())
        kept = {name: [text for text in rows if text not in without] for name, rows in operation_rows().items()}
        texts = [text for rows in kept.values() for text in rows]
        labels = np.repeat(np.arange(len(names)), [len(rows) for rows in kept.values()])
        vectors = embedder.embed(texts)
        mean = vectors.mean(axis=0)
        weights, bias = logistic((vectors - mean) * _SCALE, labels)
        numbers = numbers_of(embedder, [*texts, *as_typed(texts)])
        query_mean, scale = numbers.mean(axis=0), scale_of(numbers, embedder.dimensions)
        query_weights, query_bias = logistic((numbers - query_mean) * scale, np.tile(labels, 2))
        things = [name for group in subjects() for name in group]
        groups = np.repeat(np.arange(len(subjects())), [len(group) for group in subjects()])
        named = embedder.embed(things)
        word_mean = named.mean(axis=0)
        single = sorted({word for name in things for word in name.split()} - COMMON - light_words())
        asking = sorted(light_words() | COMMON)
        words = (embedder.embed([*single, *asking]) - word_mean) * _SCALE
        two, sure = logistic(words, np.repeat([1, 0], [len(single), len(asking)]))
        thing = np.append((two[1] - two[0]) * _SCALE, sure[1] - sure[0]).astype(np.float32)
        space = within_whitening(named, groups)
        firsts = embedder.embed_names([group[0] for group in subjects()])
        told = weights * np.float32(_SCALE), bias, query_mean, query_weights * scale, query_bias
        return cls(embedder.name_id, names, mean, *told, word_mean, space, thing, firsts)


def as_typed(texts: Sequence[str]) -> list[str]:
    """Questions in bare words as people write them: a third each with a capital, with its marks, and with both."""
    found = []
    for place, text in enumerate(texts):
        capital = text if place % 3 == 0 else f"{text[0].upper()}{text[1:]}"
        opening = "¿" if place % 2 and language_of(text) is Language.SPANISH else ""
        found.append(capital if place % 3 == 1 else f"{opening}{capital}?")
    return found


def numbers_of(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """What operations of queries are told by: their vectors, and behind them what the lower layers make of them.

    The vector is made to tell the topic, and tells "dear" from "cheap"; what is asked for shows in the lower layers.
    Shape (len(texts), numbers).
    """
    return np.hstack([embedder.embed_queries(texts), embedder.embed_pooled(texts)])


def scale_of(numbers: Vectors, dimensions: int) -> Vectors:
    """What centred rows are multiplied with, so that each column counts alike, and the vector as much as the rest.

    Args:
        numbers: Of the examples, as `numbers_of` has them.
        dimensions: How many of them are the vector.
    """
    count = np.full(numbers.shape[1], max(numbers.shape[1] - dimensions, 1), np.float32)
    count[:dimensions] = dimensions
    found: Vectors = _LENGTH / np.sqrt(count) / np.maximum(numbers.std(axis=0), np.float32(1e-6))
    return found


def by_its_word(chances: dict[str, float], folded: str) -> dict[str, float]:
    """The probabilities with the most before the least, or behind it, as a folded question says, where they are close.

    The head hardly tells "más" from "menos" in a question for a month. "Más barato" asks for the least all the same,
    and the head is sure of that.
    """
    most, least = (re.search(rf"\b(?:{words})\b", folded) is not None for words in ("most|mas", "least|fewest|menos"))
    above = chances["highest"] - chances["lowest"]
    turned = most is not least and (above < 0) is most and abs(above) < _CLOSE
    return {**chances, "highest": chances["lowest"], "lowest": chances["highest"]} if turned else chances


def heads_for(embedder: Embedder) -> FigureHeads:
    """The shipped head where it reads the vectors of `embedder`, else one that is fitted to them."""
    try:
        return FigureHeads.load(SHIPPED, embedder.name_id)
    except HeadError:
        return FigureHeads.fitted(embedder)


def logistic(vectors: Vectors, labels: NDArray[np.intp]) -> tuple[Vectors, Vectors]:
    """Multinomial logistic regression with classes of equal weight, by accelerated gradient descent.

    Args:
        vectors: Shape (n, dimensions).
        labels: From 0 to the number of classes, shape (n,).

    Returns:
        The weights, shape (classes, dimensions), and the bias, shape (classes,).

    Source:
        Nesterov 1983, A method of solving a convex programming problem with convergence rate O(1/k²).
    """
    given = np.hstack([vectors, np.ones((len(vectors), 1), np.float32)])
    sizes = np.bincount(labels)
    wanted = np.eye(len(sizes), dtype=np.float32)[labels]
    worth = (len(labels) / (len(sizes) * sizes[labels])).astype(np.float32)[:, None]
    penalty = np.full(given.shape[1], 1.0 / _C, np.float32)
    penalty[-1] = 0.0
    step = 1.0 / (0.5 * float(np.linalg.norm(given * np.sqrt(worth), ord=2)) ** 2 + 1.0 / _C)
    found = ahead = np.zeros((len(sizes), given.shape[1]), np.float32)
    for number in range(_STEPS):
        logits = given @ ahead.T
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        slope = ((chances - wanted) * worth).T @ given + ahead * penalty
        following = (ahead - step * slope).astype(np.float32)
        ahead = following + np.float32(number / (number + 3)) * (following - found)
        found = following
    return found[:, :-1], found[:, -1]


def within_whitening(vectors: Vectors, groups: NDArray[np.intp]) -> Vectors:
    """What maps centred vectors to a space in which those of one group scatter alike in all directions.

    Returns:
        Shape (dimensions, width): the directions of that space in which all vectors scatter most.
    """
    means = np.stack([vectors[groups == group].mean(axis=0) for group in range(int(groups.max()) + 1)])
    within = vectors - means[groups]
    values, axes = np.linalg.eigh(within.T @ within / len(within))
    whitening = axes * (values + _SHRINKAGE * values.mean() + 1e-9) ** -0.5 @ axes.T
    scatter = (vectors - vectors.mean(axis=0)) @ whitening
    _, directions = np.linalg.eigh(scatter.T @ scatter)
    found: Vectors = (whitening @ directions[:, -_WIDTH:]).astype(np.float32)
    return found
