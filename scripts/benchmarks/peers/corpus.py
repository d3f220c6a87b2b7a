"""Generated passages with known answers: each question is a passage's own vector with noise, and some of its words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scripts.benchmarks.retrieval import words

DIMENSIONS = 384
_TOPICS, _PASSAGE_WORDS, _QUESTION_WORDS = 300, 60, 6
#: How far passages lie from their topic and questions from their passage, against a vector's length.
_SPREAD, _NOISE = 0.8, 0.4

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Passages and questions.

    Attributes:
        vectors: Of the passages, unit length, shape (passages, dimensions).
        asked: Of the questions, likewise.
        nearest: Of each question the ten nearest passages, exactly; shape (questions, 10).
    """

    texts: list[str]
    vectors: Vectors
    questions: list[str]
    asked: Vectors
    nearest: NDArray[np.intp]


def generated(passages: int, questions: int, seed: int = 7) -> Corpus:
    """The same for the same arguments."""
    random = np.random.default_rng(seed)
    topics = _noise(random, _TOPICS)
    vectors = _unit(topics[random.integers(0, _TOPICS, passages)] + _SPREAD * _noise(random, passages))
    texts = [" ".join(line) for line in words(seed, passages, _PASSAGE_WORDS)]
    answers = random.choice(passages, questions, replace=False)
    asked = _unit(vectors[answers] + _NOISE * _noise(random, questions))
    lines = [" ".join(random.choice(texts[place].split(), _QUESTION_WORDS)) for place in answers]
    nearest = np.argsort(-(asked @ vectors.T), axis=1, kind="stable")[:, :10]
    return Corpus(texts, vectors, lines, asked, nearest)


def recall(found: list[list[int]], nearest: NDArray[np.intp]) -> float:
    """The share of the exact ten nearest that was found."""
    shares = [len(set(own) & set(exact.tolist())) / len(exact) for own, exact in zip(found, nearest, strict=True)]
    return float(np.mean(shares))


def _noise(random: np.random.Generator, rows: int) -> Vectors:
    return _unit(random.standard_normal((rows, DIMENSIONS), dtype=np.float32))


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit
