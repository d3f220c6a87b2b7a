"""What an embedder has where it says nothing else, and what stands before one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.embedder import Embedder, PassingOn, words_alike
from engine.testing import HashedWordsEmbedder


class KnowingWords(Embedder):
    """Every word is at .65 to every other, and at 1 to itself."""

    id, dimensions = "words", 8

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 8), dtype=np.float32)

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.eye(8, dtype=np.float32)[[ord(word[0]) % 7 for word in words]] * np.float32(0.35**0.5)
        vectors[:, 7] = 0.65**0.5
        return vectors


def test_words_are_alike_from_where_they_have_something_to_do_with_each_other() -> None:
    alike = words_alike(KnowingWords(), ["a", "b"], ["a", "c", "d"])
    assert alike is not None
    assert alike.shape == (2, 3)
    assert alike[0, 0] == pytest.approx(1)
    assert alike[1] == pytest.approx([0.5, 0.5, 0.5])


def test_words_are_alike_to_nobody_who_knows_none() -> None:
    assert words_alike(HashedWordsEmbedder(), ["a"], ["b"]) is None
    assert words_alike(KnowingWords(), [], ["b"]) is None
    assert words_alike(KnowingWords(), ["a"], []) is None


def test_an_encoder_of_texts_alone_reads_all_texts_in_one_way_and_knows_nothing_else() -> None:
    encoder = HashedWordsEmbedder(8)
    (vector,) = encoder.embed(["one fish"]).tolist()
    assert encoder.embed_queries(["one fish"]).tolist() == encoder.embed_names(["one fish"]).tolist() == [vector]
    vectors, states = encoder.embed_with_states(["one fish", "two fish"])
    assert (vectors[0].tolist(), states) == (vector, [None, None])
    assert encoder.embed_pooled(["one fish", "two fish"]).shape == (2, 0)
    assert encoder.answers_in("one?", ["one fish"]) is encoder.language_offset is encoder.word_vectors(["one"]) is None
    assert (encoder.name_id, encoder.unrelated) == (encoder.id, 0.0)


def test_what_stands_before_an_encoder_passes_all_of_it_on() -> None:
    public = {name for name in vars(Embedder) if not name.startswith("_")}
    assert public <= vars(PassingOn).keys()
    encoder = KnowingWords()
    before = PassingOn(PassingOn(encoder))
    assert (before.id, before.dimensions, before.name_id, before.unrelated) == ("words", 8, "words", 0.0)
    for way in ("embed", "embed_queries", "embed_names", "embed_pooled"):
        np.testing.assert_array_equal(getattr(before, way)(["a"]), getattr(encoder, way)(["a"]))
    np.testing.assert_array_equal(words_alike(before, ["a"], ["b"]), words_alike(encoder, ["a"], ["b"]))
    assert before.answers_in("a?", ["a"]) is before.language_offset is None
    assert before.embed_with_states(["a"])[1] == [None]
