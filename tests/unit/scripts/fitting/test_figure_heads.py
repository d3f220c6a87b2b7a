"""Fitting the heads of the account questions."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from engine.generation.extractive.account_figures.asking.heads import numbers_of
from engine.testing import HashedWordsEmbedder
from scripts.fitting.account.figure_heads import (
    as_typed,
    fitted,
    logistic,
    operation_rows,
    scale_of,
    within_whitening,
)


def test_questions_are_fitted_to_as_they_are_typed() -> None:
    bare = ["how many", "cuántos coches hay", "qué día es hoy", "cuántos coches quedan"]
    assert as_typed(bare) == ["how many?", "Cuántos coches hay", "Qué día es hoy?", "¿cuántos coches quedan?"]


def test_a_vector_counts_as_much_as_what_the_lower_layers_make_of_a_query() -> None:
    drawn = np.random.default_rng(0).normal(size=(400, 8)) * np.array([1, 9, 1, 1, 5, 1, 1, 1]) + 3
    scaled = (drawn - drawn.mean(axis=0)) * scale_of(drawn.astype(np.float32), 2)
    vector, pooled = (np.linalg.norm(part, axis=1).mean() for part in (scaled[:, :2], scaled[:, 2:]))
    assert vector == pytest.approx(pooled, rel=0.15)
    assert numbers_of(HashedWordsEmbedder(), ["a", "b"]).shape == (2, HashedWordsEmbedder().dimensions)


def test_logistic_regression_separates_what_can_be_separated() -> None:
    vectors = np.array([[2, 0], [3, 1], [-2, 0], [-3, 1], [0, 4]], np.float32)
    labels = np.array([0, 0, 1, 1, 2])
    weights, bias = logistic(vectors, labels)
    assert ((vectors @ weights.T + bias).argmax(axis=1) == labels).all()


def test_whitening_makes_what_differs_within_groups_count_less() -> None:
    vectors = np.array([[9, 0], [-9, 0.1], [9, 5], [-9, 5.1]], np.float32)
    mapped = (vectors - vectors.mean(axis=0)) @ within_whitening(vectors, np.array([0, 0, 1, 1]))
    within, between = np.linalg.norm(mapped[0] - mapped[1]), np.linalg.norm(mapped[0] - mapped[2])
    assert between / within > 2 * np.linalg.norm(vectors[0] - vectors[2]) / np.linalg.norm(vectors[0] - vectors[1])


def test_a_head_is_fitted_to_whatever_encoder() -> None:
    embedder = HashedWordsEmbedder()
    heads = fitted(embedder)
    assert heads.encoder == embedder.id
    assert next(iter(heads.read(embedder.embed(["how many messages do I have left"])[0]))) == "left"
    with pytest.raises(FrozenInstanceError):
        heads.encoder = "another"  # type: ignore[misc]


def test_rows_may_be_left_out_of_the_fit() -> None:
    gone = frozenset(text for rows in operation_rows().values() for text in rows[2:])
    embedder = HashedWordsEmbedder()
    kept = embedder.embed([text for rows in operation_rows().values() for text in rows[:2]])
    np.testing.assert_allclose(fitted(embedder, gone).mean, kept.mean(axis=0), atol=1e-6)
