import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classifier.linear.features import (
    BLOCK_BITS,
    COLUMNS,
    RECIPE_VERSION,
    Sparse,
    characters,
    join,
    project,
    word_grams,
)


def cosine(left: Sparse, right: Sparse) -> float:
    dense = np.zeros((2, COLUMNS))
    for row, sparse in enumerate((left, right)):
        np.add.at(dense[row], sparse.columns, sparse.values)
    return float(dense[0] @ dense[1])


def test_like_texts_have_like_vectors() -> None:
    text = characters("how many calls have I made this month")
    assert cosine(text, text) == pytest.approx(1.0, abs=0.02)
    assert cosine(text, characters("how many cals have i made this month")) > 0.75
    assert abs(cosine(text, characters("write quicksort in rust"))) < 0.15


def test_case_accents_and_digits_make_no_difference() -> None:
    left, right = characters("¿Cuántas llamadas, 20?"), characters("¿CUANTAS llamadas, 35?")
    assert np.array_equal(left.columns, right.columns)
    assert np.array_equal(left.values, right.values)


GOLDEN_CHARACTERS = [366, 1057, 40023, 57406, 61651, 62593]
GOLDEN_WORDS = [72440, 98268, 101953, 127021]


def test_the_hash_is_fixed_for_ever() -> None:
    """Weights are found by it: another hash needs another `RECIPE_VERSION`."""
    assert RECIPE_VERSION == 1
    assert sorted(characters("ab").columns.tolist()) == GOLDEN_CHARACTERS
    assert sorted(word_grams(["ab", "c"]).columns.tolist()) == GOLDEN_WORDS


def test_blocks_do_not_overlap() -> None:
    assert characters("some text").columns.max() < 1 << BLOCK_BITS
    tail = word_grams(["some", "text"]).columns
    assert tail.min() >= 1 << BLOCK_BITS
    assert tail.max() < COLUMNS


def test_words_pairs_and_the_first_word_count() -> None:
    assert len(word_grams(["a", "b", "c"]).columns) == 3 + 2 + 1
    assert len(word_grams([]).columns) == 1
    repeated = word_grams(["a", "a", "a"])
    assert len(repeated.columns) == 3
    assert np.linalg.norm(repeated.values) == pytest.approx(1.0)


def test_join_keeps_both() -> None:
    left, right = characters("x y"), word_grams(["x", "y"])
    both = join(left, right)
    assert len(both.columns) == len(left.columns) + len(right.columns) == len(both.values)


def test_project_is_a_sparse_product() -> None:
    rng = np.random.default_rng(0)
    weights, bias = rng.normal(size=(COLUMNS, 3)).astype(np.float32), np.asarray([1, 2, 3], np.float32)
    texts = [characters("one"), characters("another one")]
    dense = np.zeros((2, COLUMNS))
    for row, sparse in enumerate(texts):
        np.add.at(dense[row], sparse.columns, sparse.values)
    assert np.allclose(project(texts, weights, bias), dense @ weights + bias, atol=1e-4)
    assert project([], weights, bias).shape == (0, 3)


@given(st.text(max_size=200))
def test_every_text_is_a_unit_vector(text: str) -> None:
    sparse = characters(text)
    assert np.linalg.norm(sparse.values) == pytest.approx(1.0, abs=1e-3)
    assert sparse.values.dtype == np.float32
    assert (sparse.columns >= 0).all()


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800 lone surrogate", "🏳️‍🌈" * 50, "\u0301" * 20, "a" * 100_000])
def test_odd_texts_are_fine(text: str) -> None:
    assert len(characters(text).columns) >= 1
