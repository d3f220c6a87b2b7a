"""What is kept of sentences on disk: immutable files beside those of the passages, written and tidied with them.

Vectors are in files of one suffix, states in files of another. A file is a 64-byte header (magic, format, dimensions,
rows, checksum of what follows) and the rows (`row_type`), by rising digest, those of one text as they were given. A row
whose passage is gone does no harm: it is still of its text.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier.files import replacing
from engine.retrieval.local.integrity import DamagedError
from engine.retrieval.sentences import SentenceRows, digests_of, row_type, states_of, vectors_of

SENTENCE_SUFFIX, STATE_SUFFIX = ".sentences", ".states"
_MAGIC = b"AESENTEN"
_FORMAT = 1
_HEADER = struct.Struct("<8sIIQI")
_HEAD_BYTES = 64
#: Rows that are read at a time when a file is looked at; what is mapped and read counts as the process's memory.
_CHUNK = 16_384


@dataclass(frozen=True, slots=True)
class SentenceSegment:
    """One file of sentences.

    Attributes:
        digests: Of the texts, rising; in memory. Shape (rows,).
        rows: Mapped.
        size: Bytes of the file.
    """

    path: Path
    digests: NDArray[np.uint64]
    rows: SentenceRows
    size: int


def write_sentences(path: Path, rows: SentenceRows) -> None:
    """Writes a file that is on the disk, whole and under its name, when this returns; none for no rows.

    Args:
        path: Where; its folder exists.
        rows: In any order, each with its owner.
    """
    if not len(rows):
        return
    ordered = rows[np.argsort(rows["digest"], kind="stable")]
    body = ordered.view(np.uint8).data  # no copy: states are many
    dimensions = rows.dtype["numbers"].shape[0]
    head = _HEADER.pack(_MAGIC, _FORMAT, dimensions, len(rows), zlib.crc32(body)).ljust(_HEAD_BYTES, b"\0")
    with replacing(path) as file:
        file.writelines((head, body))


def open_sentences(path: Path) -> SentenceSegment:
    """Maps a file; the map outlives the file's name.

    Raises:
        OSError: The file is gone or cannot be read.
        DamagedError: It is not what was written.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        magic, version, dimensions, count, checksum = _HEADER.unpack_from(file.read(_HEAD_BYTES).ljust(_HEAD_BYTES))
        if (magic, version) != (_MAGIC, _FORMAT):
            raise DamagedError(path, f"is no file of sentences of format {_FORMAT}")
        # Before anything of that length is asked for.
        if not count or not dimensions or size != (expected := _HEAD_BYTES + count * _row_bytes(dimensions)):
            raise DamagedError(path, f"has {size} bytes instead of {expected if count and dimensions else 'more'}")
        kind, digests, found = row_type(dimensions), np.empty(count, dtype=np.uint64), 0
        for start in range(0, count, _CHUNK):
            part = file.read(min(_CHUNK, count - start) * kind.itemsize)
            found = zlib.crc32(part, found)
            digests[start : start + _CHUNK] = np.frombuffer(part, kind)["digest"]
        if found != checksum:
            raise DamagedError(path, "is damaged: its checksum is another")
        rows = np.asarray(np.memmap(file, dtype=kind, mode="r", offset=_HEAD_BYTES, shape=(count,)))
    return SentenceSegment(path, digests, rows, size)


def sentence_paths(folder: Path, suffix: str = SENTENCE_SUFFIX) -> list[Path]:
    """The files of sentences in `folder`, oldest first."""
    return sorted(folder.glob(f"*{suffix}"))


def known_vectors(
    segments: Iterable[SentenceSegment], texts: Sequence[str], dimensions: int
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """See `SentenceVectors.sentence_vectors`."""
    wanted = digests_of(texts)
    rows = np.zeros(len(texts), row_type(dimensions))
    known = np.zeros(len(texts), dtype=np.bool_)
    for segment in segments:
        places = np.minimum(np.searchsorted(segment.digests, wanted), len(segment.digests) - 1)
        here = segment.digests[places] == wanted
        rows[here] = segment.rows[places[here]]
        known |= here
    return known, vectors_of(rows[known])


def known_states(segments: Sequence[SentenceSegment], texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    """See `SentenceVectors.sentence_states`."""
    found = {}
    for text, digest in zip(texts, digests_of(texts), strict=True):
        for segment in segments:
            first, last = np.searchsorted(segment.digests, digest), np.searchsorted(segment.digests, digest, "right")
            if first < last:
                rows = segment.rows[first:last]
                found[text] = states_of(rows[rows["owner"] == rows["owner"][0]])  # several passages may have it
                break
    return found


def _row_bytes(dimensions: int) -> int:
    return 8 + 8 + 4 + int(dimensions)
