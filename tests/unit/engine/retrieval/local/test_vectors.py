from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.retrieval.local.integrity import DamagedError
from engine.retrieval.local.quantised import LEAST_ROWS, Sketch
from engine.retrieval.local.vectors import SUFFIX, VectorSegment, nearest, open_segment, segment_paths, write_segment

NOBODY = np.empty(0, dtype=np.intp)


def unit_rows(rows: int, dimensions: int = 8, seed: int = 0) -> NDArray[np.float32]:
    matrix = np.random.default_rng(seed).standard_normal((rows, dimensions)).astype(np.float32)
    normal: NDArray[np.float32] = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return normal


def keys_from(first: int, rows: int) -> NDArray[np.uint64]:
    return np.arange(first, first + rows, dtype=np.uint64)


def segment(matrix: NDArray[np.float32]) -> VectorSegment:
    return VectorSegment(Path("nowhere"), keys_from(1, len(matrix)), matrix)


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 100])
@pytest.mark.parametrize("dimensions", [1, 3, 384])
def test_what_is_written_is_read(tmp_path: Path, rows: int, dimensions: int) -> None:
    path = tmp_path / f"1{SUFFIX}"
    matrix = unit_rows(rows, dimensions)
    write_segment(path, keys_from(5, rows), matrix)
    opened = open_segment(path)
    np.testing.assert_array_equal(opened.matrix, matrix)
    np.testing.assert_array_equal(opened.keys, keys_from(5, rows))
    assert opened.path == path


def test_the_matrix_is_aligned_for_the_processor(tmp_path: Path) -> None:
    path = tmp_path / f"1{SUFFIX}"
    write_segment(path, keys_from(1, 13), unit_rows(13))
    assert open_segment(path).matrix.ctypes.data % 64 == 0


def test_large_keys_are_kept(tmp_path: Path) -> None:
    path = tmp_path / f"1{SUFFIX}"
    keys = np.array([2**63, 2**64 - 1], dtype=np.uint64)
    write_segment(path, keys, unit_rows(2))
    np.testing.assert_array_equal(open_segment(path).keys, keys)


def test_a_mapped_segment_outlives_its_file(tmp_path: Path) -> None:
    path = tmp_path / f"1{SUFFIX}"
    matrix = unit_rows(50)
    write_segment(path, keys_from(1, 50), matrix)
    opened = open_segment(path)
    path.unlink()
    np.testing.assert_array_equal(opened.matrix, matrix)


def test_a_mapped_segment_cannot_be_changed(tmp_path: Path) -> None:
    path = tmp_path / f"1{SUFFIX}"
    write_segment(path, keys_from(1, 3), unit_rows(3))
    with pytest.raises(ValueError, match="read-only"):
        open_segment(path).matrix[0, 0] = 1.0


@pytest.mark.parametrize(
    "content",
    [b"", b"short", b"x" * 64, b"AEVECTOR" + b"\xff" * 56],
    ids=["empty", "short", "other magic", "other format"],
)
def test_what_is_no_segment_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / f"1{SUFFIX}"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="no vector segment"):
        open_segment(path)


def test_a_cut_segment_is_refused(tmp_path: Path) -> None:
    path = tmp_path / f"1{SUFFIX}"
    write_segment(path, keys_from(1, 10), unit_rows(10))
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(ValueError, match="bytes instead of"):
        open_segment(path)


HEADER = struct.Struct("<8sIIQI")


@pytest.mark.parametrize(("rows", "dimensions"), [(2**60, 8), (2**64 - 1, 2**32 - 1), (11, 8), (9, 8), (0, 8), (10, 0)])
def test_a_header_that_promises_another_length_is_refused_before_it_is_mapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int, dimensions: int
) -> None:
    path = tmp_path / f"1{SUFFIX}"
    write_segment(path, keys_from(1, 10), unit_rows(10))
    content = bytearray(path.read_bytes())
    HEADER.pack_into(content, 0, b"AEVECTOR", 2, dimensions, rows, 0)
    path.write_bytes(content)

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("mapped")

    monkeypatch.setattr(np, "memmap", never)
    with pytest.raises(DamagedError, match="bytes instead of"):
        open_segment(path)


@pytest.mark.parametrize("place", [64, 100, 160, -1])
def test_a_byte_that_is_another_is_noticed(tmp_path: Path, place: int) -> None:
    path = tmp_path / f"1{SUFFIX}"
    write_segment(path, keys_from(1, 10), unit_rows(10))
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    with pytest.raises(DamagedError, match="its checksum is another"):
        open_segment(path)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_refused(tmp_path: Path, value: float) -> None:
    path = tmp_path / f"1{SUFFIX}"
    matrix = unit_rows(10)
    matrix[3, 2] = value
    write_segment(path, keys_from(1, 10), matrix)
    with pytest.raises(DamagedError, match="no number"):
        open_segment(path)


def test_segments_are_listed_by_age(tmp_path: Path) -> None:
    for name in ("00000002-b", "00000001-c", "00000010-a"):
        (tmp_path / f"{name}{SUFFIX}").touch()
    (tmp_path / f"00000003-d{SUFFIX}.partial").touch()
    assert [path.name.split("-")[0] for path in segment_paths(tmp_path)] == ["00000001", "00000002", "00000010"]


def test_the_nearest_come_first() -> None:
    matrix = np.eye(4, dtype=np.float32)
    query = np.array([0.1, 0.9, 0.3, 0.0], dtype=np.float32)
    assert [row for row, _ in nearest([segment(matrix)], query, NOBODY, 3)] == [1, 2, 0]


def test_rows_are_counted_through_all_segments() -> None:
    segments = [segment(np.eye(3, dtype=np.float32)[:2]), segment(np.eye(3, dtype=np.float32)[2:])]
    query = np.array([0.0, 0.0, 1.0], dtype=np.float32)
    assert nearest(segments, query, NOBODY, 1) == [(2, 1.0)]


def test_the_dead_are_not_found() -> None:
    matrix = np.eye(3, dtype=np.float32)
    found = nearest([segment(matrix)], matrix[0], np.array([0], dtype=np.intp), 3)
    assert sorted(row for row, _ in found) == [1, 2]


@pytest.mark.parametrize("k", [0, -1])
def test_none_are_asked_for(k: int) -> None:
    assert nearest([segment(unit_rows(3))], unit_rows(1)[0], NOBODY, k) == []


def test_no_segments_and_all_dead_find_nothing() -> None:
    query = unit_rows(1)[0]
    assert nearest([], query, NOBODY, 5) == []
    assert nearest([segment(unit_rows(2))], query, np.array([0, 1], dtype=np.intp), 5) == []


def test_equal_rows_come_in_their_order() -> None:
    matrix = np.full((6, 4), 0.5, dtype=np.float32)
    assert [row for row, _ in nearest([segment(matrix)], matrix[0], NOBODY, 6)] == list(range(6))


@pytest.mark.parametrize("k", [1, 5, 50])
@pytest.mark.parametrize("rows", [6_400, 6_401, 6_463, 10_000])
def test_it_is_exact_where_blocks_are_skipped(rows: int, k: int) -> None:
    matrix, query = unit_rows(rows, 4, rows), unit_rows(1, 4, k)[0]
    dead = np.arange(0, rows, 3, dtype=np.intp)
    scores = matrix @ query
    scores[dead] = -np.inf
    expected = np.argsort(-scores, kind="stable")[:k].tolist()
    assert [row for row, _ in nearest([segment(matrix)], query, dead, k)] == expected


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.integers(1, 70), st.sets(st.integers(0, 59)), st.integers(0, 1000))
def test_it_is_exact(rows: int, k: int, dead: set[int], seed: int) -> None:
    matrix, query = unit_rows(rows, 5, seed), unit_rows(1, 5, seed + 1)[0]
    gone = np.array(sorted(row for row in dead if row < rows), dtype=np.intp)
    expected = sorted((float(-(matrix[row] @ query)), row) for row in range(rows) if row not in dead)[:k]
    found = nearest([segment(matrix[: rows // 2]), segment(matrix[rows // 2 :])], query, gone, k)
    assert len(found) == len(expected)
    np.testing.assert_allclose([score for _, score in found], [-score for score, _ in expected], atol=1e-5)


def big(rows: int, seed: int) -> VectorSegment:
    """A segment whose sketch is made."""
    made = segment(unit_rows(rows, 64, seed))
    made.sketching.get(made.matrix)
    made.sketching.wait()
    assert made.sketching.get(made.matrix) is not None
    return made


@pytest.mark.parametrize("k", [1, 8, 100])
@pytest.mark.parametrize("every", [0, 3])
def test_many_rows_give_what_the_plain_scan_gives(k: int, every: int) -> None:
    segments = [big(LEAST_ROWS, 1), segment(unit_rows(700, 64, 2)), big(LEAST_ROWS + 77, 3)]
    matrix = np.concatenate([one.matrix for one in segments])
    dead = np.arange(0, len(matrix), every, dtype=np.intp) if every else NOBODY
    for query in unit_rows(10, 64, 4):
        scores = matrix @ query
        scores[dead] = -np.inf
        expected = np.argsort(-scores, kind="stable")[:k]
        found = nearest(segments, query, dead, k)
        assert [row for row, _ in found] == expected.tolist()
        np.testing.assert_allclose([cosine for _, cosine in found], scores[expected], atol=1e-6)


def test_the_sketch_is_what_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    one = big(LEAST_ROWS, 1)
    query = unit_rows(1, 64, 4)[0]
    expected = nearest([one], query, NOBODY, 10)
    read = Sketch.candidates
    left: list[int] = []

    def counted(self: Sketch, *arguments: Any) -> NDArray[np.intp] | None:
        rows = read(self, *arguments)
        left.append(-1 if rows is None else len(rows))
        return rows

    monkeypatch.setattr(Sketch, "candidates", counted)
    assert nearest([one], query, NOBODY, 10) == expected
    assert len(left) == 1
    assert 10 <= left[0] < LEAST_ROWS / 16


def test_equal_rows_of_many_come_in_their_order() -> None:
    matrix = np.tile(unit_rows(LEAST_ROWS // 4, 64), (4, 1))
    one = segment(matrix)
    one.sketching.get(matrix)
    one.sketching.wait()
    step = LEAST_ROWS // 4
    assert [row for row, _ in nearest([one], matrix[5], NOBODY, 4)] == [5, 5 + step, 5 + 2 * step, 5 + 3 * step]
