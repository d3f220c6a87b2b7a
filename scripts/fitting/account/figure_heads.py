"""Fitting the heads of the account questions: operations, words that name things, and the space of names.

The heads and what they read are in `engine/generation/extractive/account_figures/asking/heads.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cache

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder, Vectors
from engine.generation.extractive.account_figures.asking.heads import SHIPPED, FigureHeads, numbers_of
from engine.generation.extractive.account_figures.vocabulary import light_words, subjects
from engine.text.language import Language, language_of
from engine.text.words import COMMON

#: What centred unit vectors are multiplied with, so that the penalty acts on numbers of order one.
_SCALE = 5.0
#: About how long each of the two parts is that operations of queries are told by.
_LENGTH = np.float32(2)
#: Inverse strength of the penalty, as in scikit-learn.
_C = 5.0
_STEPS = 400
#: Share of the mean variance that is added to each direction before whitening.
_SHRINKAGE = 0.3
#: Dimensions of the space of words.
_WIDTH = 160


@cache
def operation_rows() -> dict[str, list[str]]:
    """Example questions by operation."""
    found: dict[str, list[str]] = json.loads((SHIPPED.parent / "operations.json").read_text("utf-8"))
    return found


def fitted(embedder: Embedder, without: AbstractSet[str] = frozenset()) -> FigureHeads:
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
    return FigureHeads(embedder.name_id, names, mean, *told, word_mean, space, thing, firsts)


def as_typed(texts: Sequence[str]) -> list[str]:
    """Questions in bare words as people write them: a third each with a capital, with its marks, and with both."""
    found = []
    for place, text in enumerate(texts):
        capital = text if place % 3 == 0 else f"{text[0].upper()}{text[1:]}"
        opening = "¿" if place % 2 and language_of(text) is Language.SPANISH else ""
        found.append(capital if place % 3 == 1 else f"{opening}{capital}?")
    return found


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
