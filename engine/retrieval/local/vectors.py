"""Vectors on disk: immutable segment files, searched exactly through memory maps.

A segment file is a 64-byte header (magic, format, dimensions, rows, checksum of what follows), then the keys (uint64),
then from the next multiple of 64 bytes the matrix (float32, rows by dimensions). It is written beside its name, synced
and renamed, so it is there whole or not at all, and it is never changed afterwards. Two segments may hold the same key
(after a merge was interrupted), never with different vectors. float32 although float16 would halve the file: BLAS
multiplies float32 straight from the map, and converting float16 first takes 8 times as long (100 against 12 ms at 100
thousand vectors). A search of many rows reads a quarter of that, which is made in memory, and gives the same result
(`quantised`).
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier.files import replacing
from engine.retrieval.local.integrity import DamagedError
from engine.retrieval.local.quantised import Sketching, largest

SUFFIX = ".vectors"
_MAGIC = b"AEVECTOR"
_FORMAT = 2
_HEADER = struct.Struct("<8sIIQI")
_ALIGNMENT = 64

Keys = NDArray[np.uint64]
Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class VectorSegment:
    """One file of vectors, mapped.

    Attributes:
        keys: Shape (rows,).
        matrix: Shape (rows, dimensions), unit length rows.
        size: Bytes of the file.
        sketching: Of the matrix.
    """

    path: Path
    keys: Keys
    matrix: Matrix
    size: int = 0
    sketching: Sketching = field(default_factory=Sketching, compare=False, repr=False)


def _matrix_offset(rows: int) -> int:
    return -(-(_ALIGNMENT + rows * 8) // _ALIGNMENT) * _ALIGNMENT


def write_segment(path: Path, keys: Keys, matrix: Matrix) -> None:
    """Writes a segment that is on the disk, whole and under its name, when this returns.

    Args:
        path: Where; its folder exists.
        keys: Shape (rows,), at least one row.
        matrix: Shape (rows, dimensions), of numbers.
    """
    rows, dimensions = matrix.shape
    body = np.ascontiguousarray(keys, dtype="<u8").tobytes()
    padding = b"\0" * (_matrix_offset(rows) - _ALIGNMENT - len(body))
    vectors = np.ascontiguousarray(matrix, dtype="<f4").data.cast("B")
    checksum = zlib.crc32(vectors, zlib.crc32(padding, zlib.crc32(body)))
    head = _HEADER.pack(_MAGIC, _FORMAT, dimensions, rows, checksum).ljust(_ALIGNMENT, b"\0")
    with replacing(path) as file:
        file.writelines((head, body, padding, vectors))


def open_segment(path: Path) -> VectorSegment:
    """Maps a segment; the map outlives the file's name.

    Raises:
        OSError: The file is gone or cannot be read.
        DamagedError: It is not what was written.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(_ALIGNMENT)
        magic, version, dimensions, rows, checksum = _HEADER.unpack_from(head.ljust(_ALIGNMENT, b"\0"))
        if (magic, version) != (_MAGIC, _FORMAT):
            raise DamagedError(path, f"is no vector segment of format {_FORMAT}")
        # Before anything of that length is asked for.
        expected = _matrix_offset(rows) + rows * dimensions * 4
        if size != expected or not rows or not dimensions:
            raise DamagedError(path, f"has {size} bytes instead of {expected}")
        whole = np.memmap(file, dtype=np.uint8, mode="r")
    # Plain arrays over the same memory: memmap's own __array_finalize__ costs microseconds at every slice.
    mapped = np.asarray(whole)
    if zlib.crc32(mapped[_ALIGNMENT:].data) != checksum:
        raise DamagedError(path, "is damaged: its checksum is another")
    keys = mapped[_ALIGNMENT : _ALIGNMENT + rows * 8].view("<u8")
    matrix = mapped[_matrix_offset(rows) :].view("<f4").reshape(rows, dimensions)
    if not np.isfinite(matrix.sum()):
        raise DamagedError(path, "holds what is no number")
    return VectorSegment(path, keys, matrix, size)


def segment_paths(folder: Path) -> list[Path]:
    """The segment files of `folder`, oldest first."""
    return sorted(folder.glob(f"*{SUFFIX}"))


def nearest(
    segments: Iterable[VectorSegment], query: NDArray[np.float32], dead: NDArray[np.intp], k: int
) -> list[tuple[int, float]]:
    """The rows closest to `query`, none that is closer left out.

    Args:
        segments: In the order in which their rows are counted.
        query: Unit vector, shape (dimensions,).
        dead: Rows that are not to be found, ascending.
        k: The most rows to return.

    Returns:
        (row, cosine), best first; equal cosines by row.
    """
    rows: list[NDArray[np.intp]] = []
    scores: list[NDArray[np.float32]] = []
    first = 0
    for segment in segments:
        last = first + len(segment.keys)
        begin, end = np.searchsorted(dead, (first, last))
        found, theirs = _scored(segment, query, dead[begin:end] - first, k)
        rows.append(found + first)
        scores.append(theirs)
        first = last
    if not rows:
        return []
    row, score = np.concatenate(rows), np.concatenate(scores)
    best = largest(score, min(k, first - len(dead)))
    best = best[np.lexsort((row[best], -score[best]))]
    return list(zip(row[best].tolist(), score[best].tolist(), strict=True))


def _scored(
    segment: VectorSegment, query: NDArray[np.float32], dead: NDArray[np.intp], k: int
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Rows of one segment, ascending, with its `k` closest among them, and their cosines; -inf for the dead."""
    sketch = segment.sketching.get(segment.matrix)
    rows = sketch.candidates(query, dead, k) if sketch and k > 0 else None
    if rows is not None:
        # Not by BLAS, whose threads take longer to meet than so few rows take, the more so where cores are shared.
        return rows, np.einsum("ij,j->i", segment.matrix[rows], query)
    scores = segment.matrix @ query
    scores[dead] = -np.inf
    return np.arange(len(scores)), scores
