"""The vectors of words by the encoder's table of pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from engine.bootstrap import MODEL_DIR
from engine.retrieval.embedding import words
from engine.retrieval.embedding.cache import MemoEmbedder
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.retrieval.embedding.words import WordTable, dequantised
from engine.retrieval.sentences import StoredSentences
from engine.testing import HashedWordsEmbedder


def blocks(rows: int) -> NDArray[np.uint8]:
    """A table of so many pieces with 32 numbers each."""
    made = np.random.default_rng(7).integers(0, 256, (rows, 1, 18), dtype=np.uint8)
    made[..., :2] = np.asarray([0.5], "<f2").view(np.uint8)
    return made


@pytest.fixture
def table() -> WordTable:
    tokenizer = Tokenizer(WordLevel({"zero": 0, "one": 1, "two": 2, "?": 3}, unk_token="?"))
    tokenizer.pre_tokenizer = Whitespace()
    return WordTable(tokenizer, blocks(4))


def centred(*pieces: int) -> NDArray[np.float32]:
    """The vector that a word of these pieces must have."""
    rows = dequantised(blocks(4))
    mean: NDArray[np.float32] = rows[list(pieces)].mean(axis=0) - rows.mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_a_words_vector_is_the_mean_of_its_pieces_without_what_all_pieces_share(table: WordTable) -> None:
    found = table.vectors(["one", "zero two", "one"])
    np.testing.assert_allclose(found, [centred(1), centred(0, 2), centred(1)], atol=1e-5)


def test_a_word_without_pieces_is_like_nothing(table: WordTable) -> None:
    found = table.vectors(["one", "", "two"])
    assert not found[1].any()
    np.testing.assert_allclose(found[2], centred(2), atol=1e-5)
    assert not WordTable.vectors(table, [" "]).any()
    assert table.vectors([]).shape == (0, 32)


def test_only_so_many_words_are_kept_and_the_latest_of_them(table: WordTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "MOST_WORDS", 2)
    made: list[str] = []

    def noted(missing: Sequence[str]) -> NDArray[np.float32]:
        made.extend(missing)
        return np.ones((len(missing), 32), dtype=np.float32)

    monkeypatch.setattr(table, "_made", noted)
    for asked in (["one", "two"], ["one"], ["zero"], ["one"], ["two"]):
        assert table.vectors(asked).shape == (len(asked), 32)
    assert made == ["one", "two", "zero", "two"]


def test_words_of_like_meaning_are_near_in_one_language_and_in_two() -> None:
    encoder = OnnxEmbedder(MODEL_DIR)
    known = encoder.word_vectors(["variable", "variables", "kiln", "loop", "horno"])
    np.testing.assert_allclose(np.linalg.norm(known, axis=1), 1.0, atol=1e-5)
    alike = known @ known.T
    assert alike[0, 1] > 0.6
    assert alike[0, 2] < 0.3
    assert abs(alike[2, 3]) < 0.3


def test_what_stands_before_an_encoder_has_its_words() -> None:
    class Knowing(HashedWordsEmbedder):
        def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
            return np.full((len(words), 2), len(words[0]), dtype=np.float32)

        def answers_in(
            self, question: str, sentences: Sequence[str], states: Mapping[str, NDArray[np.float32]] | None = None
        ) -> NDArray[np.float32]:
            return np.array([len(question) + len(one) for one in sentences], dtype=np.float32)

        def embed_pooled(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.full((len(texts), 6), len(texts[0]), dtype=np.float32)

    class Nothing:
        def sentence_vectors(self, texts: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
            return np.zeros(len(texts), dtype=np.bool_), np.zeros((0, 64), dtype=np.float32)

        def sentence_states(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
            return {}

    for inner, known in ((Knowing(), [[3, 3]]), (HashedWordsEmbedder(), None)):
        behind = StoredSentences(Nothing(), MemoEmbedder(inner))
        found = behind.word_vectors(["abc"])
        assert (None if found is None else found.tolist()) == known
        answers = behind.answers_in("abc", ["a", "ab"])
        assert (None if answers is None else answers.tolist()) == ([4, 5] if known else None)
        assert behind.embed_pooled(["abc"]).tolist() == [[3] * 6 if known else []]
