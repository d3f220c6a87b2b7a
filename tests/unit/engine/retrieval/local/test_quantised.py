from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.retrieval.local import quantised
from engine.retrieval.local.quantised import LEAST_ROWS, Sketch, Sketching, largest

NOBODY = np.empty(0, dtype=np.intp)


def like_texts(rows: int, dimensions: int = 32, seed: int = 0) -> NDArray[np.float32]:
    """Unit vectors in clusters, with a few directions that hold most: as those of texts are."""
    random = np.random.default_rng(seed)
    spectrum = 1 / np.sqrt(np.arange(1, dimensions + 1))
    centres = random.standard_normal((rows // 50 + 1, dimensions)) * spectrum
    vectors = centres[random.integers(0, len(centres), rows)] + 0.6 * random.standard_normal((rows, dimensions))
    unit: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def best(matrix: NDArray[np.float32], query: NDArray[np.float32], dead: NDArray[np.intp], k: int) -> set[int]:
    scores = matrix.astype(np.float64) @ query.astype(np.float64)
    scores[dead] = -np.inf
    return set(np.argsort(-scores)[: min(k, len(matrix) - len(dead))].tolist())


@pytest.fixture
def any_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantised, "_MOST_LEFT", 1.0)


@pytest.mark.usefixtures("any_share")
@pytest.mark.parametrize("k", [1, 10, 100])
@pytest.mark.parametrize("rows", [4_095, 4_096, 9_001])
def test_the_best_are_left_and_few_others(rows: int, k: int) -> None:
    matrix, queries = like_texts(rows, 96), like_texts(20, 96, 1)
    made = Sketch.of(matrix)
    for query in queries:
        left = made.candidates(query, NOBODY, k)
        assert left is not None
        assert best(matrix, query, NOBODY, k) <= set(left.tolist())
        assert len(left) < max(k * 4, rows / 20)


@pytest.mark.usefixtures("any_share")
@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 300),
    st.integers(1, 40),
    st.integers(1, 60),
    st.sets(st.integers(0, 299)),
    st.floats(1e-3, 1e3),
    st.integers(0, 1000),
)
def test_nothing_that_is_among_the_best_is_lost(
    rows: int, dimensions: int, k: int, gone: set[int], size: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    # Not of unit length, and some components far larger than the others: the worst that rounding meets.
    matrix = (random.standard_normal((rows, dimensions)) ** 3 * size).astype(np.float32)
    query = (random.standard_normal(dimensions) ** 3).astype(np.float32)
    dead = np.array(sorted(row for row in gone if row < rows), dtype=np.intp)
    left = Sketch.of(matrix).candidates(query, dead, k)
    assert (left is None) == (k > rows - len(dead))
    if left is not None:
        assert best(matrix, query, dead, k) <= set(left.tolist())
        assert set(left.tolist()).isdisjoint(dead.tolist())
        assert np.array_equal(left, np.sort(left))


def test_the_bounds_hold_for_every_row() -> None:
    matrix, queries = like_texts(500, 64), like_texts(30, 64, 2)
    made = Sketch.of(matrix)
    rounded = made.columns.T * made.scales[:, None]
    np.testing.assert_allclose(np.linalg.norm(matrix - rounded, axis=1), made.differences, rtol=1e-4)
    assert np.linalg.norm(rounded, axis=1).max() <= made.longest * (1 + 1e-6)
    for query in queries:
        off = np.abs((matrix - rounded) @ query)
        assert (off <= made.differences + 1e-6).all()


def test_it_takes_little_more_than_a_quarter() -> None:
    matrix = like_texts(2_000, 384)
    made = Sketch.of(matrix)
    held = made.columns.nbytes + made.scales.nbytes + made.raised.nbytes + made.differences.nbytes
    assert held < 0.26 * matrix.nbytes


@pytest.mark.usefixtures("any_share")
def test_equal_rows_are_left_together() -> None:
    matrix = np.repeat(like_texts(100), 5, axis=0)
    for row in range(0, 500, 50):
        left = Sketch.of(matrix).candidates(matrix[row], NOBODY, 2)
        assert left is not None
        assert set(range(row, row + 5)) <= set(left.tolist())


@pytest.mark.usefixtures("any_share")
def test_rows_of_zeros_are_rows_like_others() -> None:
    matrix = like_texts(100)
    matrix[10:20] = 0
    query = matrix[0]
    left = Sketch.of(matrix).candidates(query, NOBODY, 100)
    assert left is not None
    assert left.tolist() == list(range(100))


@pytest.mark.parametrize("number", [0.0, np.nan, np.inf])
def test_a_query_that_points_nowhere_is_not_for_it(number: float) -> None:
    query = np.full(32, number, dtype=np.float32)
    assert Sketch.of(like_texts(2_000)).candidates(query, NOBODY, 1) is None


def test_where_all_rows_are_alike_it_is_no_gain() -> None:
    matrix = like_texts(1) + 1e-4 * like_texts(2_000)
    assert Sketch.of(matrix).candidates(matrix[0], NOBODY, 5) is None


def test_a_matrix_that_is_not_a_number_is_not_for_it() -> None:
    matrix = like_texts(2_000)
    matrix[7] = np.nan
    with np.errstate(invalid="ignore"):
        made = Sketch.of(matrix)
    assert made.candidates(matrix[0], NOBODY, 5) is None


def test_it_is_made_once_in_a_thread_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = like_texts(LEAST_ROWS, 4)
    go_on, made = threading.Event(), []
    of = Sketch.of

    def slow(matrix: NDArray[np.float32]) -> Sketch:
        assert go_on.wait(10)
        made.append(threading.current_thread())
        return of(matrix)

    monkeypatch.setattr(Sketch, "of", slow)
    sketching = Sketching()
    assert [sketching.get(matrix) for _ in range(3)] == [None, None, None]
    go_on.set()
    sketching.wait()
    first = sketching.get(matrix)
    assert first is not None
    assert sketching.get(matrix) is first
    assert [(thread.name, thread.daemon) for thread in made] == [("sketch", True)]


def test_few_rows_have_none() -> None:
    sketching = Sketching()
    assert sketching.get(like_texts(LEAST_ROWS - 1, 4)) is None
    sketching.wait()
    assert sketching.get(like_texts(LEAST_ROWS - 1, 4)) is None


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_failure_leaves_the_plain_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: NDArray[np.float32]) -> Sketch:
        raise MemoryError

    monkeypatch.setattr(Sketch, "of", fails)
    sketching = Sketching()
    sketching.get(like_texts(LEAST_ROWS, 4))
    sketching.wait()
    assert sketching.get(like_texts(LEAST_ROWS, 4)) is None


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 20_000), st.integers(0, 60), st.integers(0, 1000))
def test_the_largest_are_the_largest(size: int, k: int, seed: int) -> None:
    scores = np.random.default_rng(seed).standard_normal(size).astype(np.float32)
    k = min(k, size)
    assert sorted(scores[largest(scores, k)].tolist()) == sorted(scores.tolist())[size - k :]
