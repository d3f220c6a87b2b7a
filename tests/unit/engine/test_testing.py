from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from classifier.embedder import Embedder
from engine.testing import HashedWordsEmbedder


def test_it_is_an_embedder() -> None:
    embedder: Embedder = HashedWordsEmbedder()
    assert embedder.id == "hashed-words-64"
    assert embedder.dimensions == 64


@pytest.mark.parametrize("text", ["one two", "", "？？？", "\ud800 lone", "x" * 10_000])
def test_every_text_has_a_unit_vector(text: str) -> None:
    vectors = HashedWordsEmbedder(16).embed([text])
    assert vectors.shape == (1, 16)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-6)


def test_shared_words_are_close() -> None:
    red, ruby, sky = HashedWordsEmbedder().embed(["red apple pie", "red apple tart", "cloudy heaven above"])
    assert red @ ruby > red @ sky


def test_no_texts_are_no_rows() -> None:
    assert HashedWordsEmbedder(8).embed([]).shape == (0, 8)


def test_the_texts_are_counted() -> None:
    embedder = HashedWordsEmbedder()
    embedder.embed(["a", "b"])
    embedder.embed(["c"])
    assert embedder.embedded == ["a", "b", "c"]


def test_another_process_makes_the_same_vectors() -> None:
    code = "from engine.testing import HashedWordsEmbedder as E;print(E(8).embed(['one two three'])[0].tolist())"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == str(HashedWordsEmbedder(8).embed(["one two three"])[0].tolist())
