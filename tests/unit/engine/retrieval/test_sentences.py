"""Vectors of sentences as they are kept, and the embedder that takes them from an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.retrieval.embedding.cache import MemoEmbedder
from engine.retrieval.sentences import (
    StoredSentences,
    digests_of,
    row_type,
    rows_of,
    state_rows_of,
    states_of,
    vectors_of,
)
from engine.testing import HashedWordsEmbedder


def unit_rows(rows: int, dimensions: int = 384) -> NDArray[np.float32]:
    matrix = np.random.default_rng(3).standard_normal((rows, dimensions)).astype(np.float32)
    normal: NDArray[np.float32] = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return normal


class Kept:
    """Has the vectors of some texts."""

    def __init__(self, embedder: HashedWordsEmbedder, *texts: str) -> None:
        self._texts = texts
        self._embedder = embedder

    def sentence_vectors(self, texts: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        known = np.array([text in self._texts for text in texts], dtype=np.bool_)
        return known, HashedWordsEmbedder(16).embed([text for text in texts if text in self._texts])

    def sentence_states(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        return {text: np.full((2, 4), len(text), dtype=np.float32) for text in texts if text in self._texts}


def test_a_vector_comes_back_with_a_cosine_of_nearly_one() -> None:
    vectors = unit_rows(50)
    back = vectors_of(rows_of([str(n) for n in range(50)], vectors))
    assert np.einsum("ij,ij->i", back, vectors).min() > 0.999
    np.testing.assert_allclose(np.linalg.norm(back, axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(back @ back.T, vectors @ vectors.T, atol=0.01)


def test_a_row_takes_a_quarter_of_what_its_vector_does() -> None:
    assert row_type(384).itemsize == 404


@pytest.mark.parametrize("vector", [np.zeros(8), np.full(8, 1e-30)])
def test_a_vector_of_no_length_is_no_harm(vector: NDArray[np.float64]) -> None:
    assert np.isfinite(vectors_of(rows_of(["a"], vector[None].astype(np.float32)))).all()


def test_states_come_back_in_their_order_and_once_for_a_text_that_comes_twice() -> None:
    one, two = unit_rows(3, 8) * 4, unit_rows(2, 8)
    rows = state_rows_of(["a", "long", "b", "a"], [one, None, two, one])
    assert rows["digest"].tolist() == np.repeat(digests_of(["a", "b"]), [3, 2]).tolist()
    np.testing.assert_allclose(states_of(rows), np.concatenate([one, two]), atol=4 / 127)
    assert len(state_rows_of(["long"], [None])) == len(state_rows_of([], [])) == 0


def test_texts_are_told_apart_by_their_digests() -> None:
    texts = ["a", "A", "a ", "\udce9", "", "a" * 10_000]
    assert len(set(digests_of(texts).tolist())) == len(texts)
    assert digests_of(["a"]) == digests_of(["b", "a"])[1]
    assert rows_of([], np.empty((0, 8), dtype=np.float32)).shape == (0,)


def test_only_what_is_not_kept_is_encoded() -> None:
    inner = HashedWordsEmbedder(16)
    embedder = StoredSentences(Kept(inner, "one fish", "two fish"), MemoEmbedder(inner))
    texts = ["two fish", "red fish", "one fish", "blue fish"]
    np.testing.assert_array_equal(embedder.embed(texts), HashedWordsEmbedder(16).embed(texts))
    assert inner.embedded == ["red fish", "blue fish"]
    assert embedder.embed([]).shape == (0, 16)
    assert embedder.embed(["one fish"]).shape == (1, 16)
    assert inner.embedded == ["red fish", "blue fish"]


def test_an_answer_is_told_by_the_states_that_are_kept() -> None:
    class Answering(HashedWordsEmbedder):
        def answers_in(
            self, question: str, sentences: Sequence[str], states: Mapping[str, NDArray[np.float32]] | None = None
        ) -> NDArray[np.float32]:
            return np.array([(states or {})[one].sum() if one in (states or {}) else -1 for one in sentences])

    inner = Answering(16)
    for behind in (inner, MemoEmbedder(inner)):
        embedder = StoredSentences(Kept(inner, "one fish", "two"), behind)
        np.testing.assert_array_equal(embedder.answers_in("?", ["red fish", "one fish", "two"]), [-1, 64, 24])
        own = {"two": np.zeros((1, 4), dtype=np.float32)}
        np.testing.assert_array_equal(embedder.answers_in("?", ["red fish", "one fish", "two"], own), [-1, 64, 0])
    assert StoredSentences(Kept(inner, "two"), HashedWordsEmbedder(16)).answers_in("?", ["two"]) is None


def test_a_question_is_encoded_and_the_rest_is_the_inner_embedders() -> None:
    inner = HashedWordsEmbedder(16)
    embedder = StoredSentences(Kept(inner, "one fish"), inner)
    assert embedder.embed_queries(["one fish"]).shape == (1, 16)
    assert inner.embedded == ["one fish"]
    assert (embedder.id, embedder.dimensions, embedder.unrelated) == (inner.id, 16, 0.0)
