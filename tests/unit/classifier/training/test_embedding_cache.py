"""A text is encoded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifier.training.embedding_cache import FittedEmbedder, KnownEmbedder, unseen


class Fitted(FittedEmbedder):
    """Knows its texts by heart: one for each, where it would have said nought."""

    id, dimensions = "fitted", 1

    def __init__(self) -> None:
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        return np.ones((len(texts), 1), np.float32)

    def embed_unseen(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        return np.zeros((len(texts), 1), np.float32)


class TestKnownEmbedder:
    def test_a_text_is_encoded_once(self, embedder: Any) -> None:
        known = KnownEmbedder(embedder)
        first = known.embed(["a b", "c", "a b"])
        second = known.embed(["c", "d"])
        assert embedder.calls == [["a b", "c"], ["d"]]
        assert np.array_equal(first[0], first[2])
        assert np.array_equal(first[1], second[0])

    def test_a_text_is_encoded_once_for_both_where_the_encoder_was_not_fitted(self, embedder: Any) -> None:
        known = KnownEmbedder(embedder)
        assert np.array_equal(known.embed(["a", "b"]), known.embed_unseen(["a", "b"]))
        assert embedder.calls == [["a", "b"]]

    def test_it_is_the_inner_embedder_to_an_artifact(self, embedder: Any) -> None:
        known = KnownEmbedder(embedder)
        assert (known.id, known.dimensions) == (embedder.id, embedder.dimensions)
        assert known.embed([]).shape == (0, embedder.dimensions)

    def test_a_query_is_encoded_once_and_apart_from_passages(self) -> None:
        class Asking(Fitted):
            unrelated = 0.75

            def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
                self.calls += 1
                return np.full((len(texts), 2), 7, np.float32)

        inner = Asking()
        known = KnownEmbedder(inner)
        assert [known.embed_queries(["a"]).tolist() for _ in range(2)] == [[[7.0, 7.0]]] * 2
        assert unseen(known).embed_queries(["a"]).tolist() == [[7.0, 7.0]]
        assert unseen(known).unrelated == known.unrelated == 0.75
        assert (inner.calls, known.unrelated) == (1, 0.75)
        assert known.embed(["a"]).tolist() == [[1.0]]

    def test_it_is_asked_of_either_kind_once(self) -> None:
        fitted = Fitted()
        known = KnownEmbedder(KnownEmbedder(fitted))
        for _ in range(2):
            assert known.embed(["a"]).tolist() == [[1.0]]
            assert known.embed_unseen(["a"]).tolist() == [[0.0]]
        assert fitted.calls == 2


class TestUnseen:
    def test_what_was_fitted_on_the_seed_is_read_as_if_it_had_not_seen_it(self) -> None:
        reading = unseen(KnownEmbedder(Fitted()))
        assert (reading.id, reading.dimensions) == ("fitted", 1)
        assert reading.embed(["a"]).tolist() == [[0.0]]

    def test_another_embedder_is_read_as_it_is(self, embedder: Any) -> None:
        assert unseen(embedder) is embedder
        assert np.array_equal(unseen(KnownEmbedder(embedder)).embed(["a"]), embedder.embed(["a"]))
