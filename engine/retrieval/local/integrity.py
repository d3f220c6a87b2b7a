"""Whether the files of an index are what was written: looked at before they are mapped, and while they are.

What is mapped and damaged is worse than what is missing: a length that is read from it asks for all the memory, a file
that has become shorter ends the process, and tantivy panics past every `except Exception`.
"""

from __future__ import annotations

import json
import os
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.errors import ENDINGS, DependencyUnavailable
from engine.retrieval.manifest import mend

META = "meta.json"
#: The files that tantivy writes for every segment.
_PARTS = ("fast", "fieldnorm", "idx", "pos", "store", "term")
_SEGMENT_ID = re.compile(r"^[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$")
#: Length of the footer, and a number that tells that there is one. Source: tantivy 0.27, `directory/footer.rs`.
_TAIL = struct.Struct("<II")
_MAGIC = 1337
_LONGEST_FOOTER = 50_000
_CHUNK = 1 << 20


class DamagedError(ValueError):
    """A file of an index is not what was written.

    Args:
        path: The file.
        problem: What is wrong with it, as a sentence without its subject.
    """

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path} {problem}")


def damaged(folder: Path, error: BaseException | None = None) -> DependencyUnavailable:
    """What is said of a damaged index in `folder`, with the command that makes it anew."""
    what = str(error) if isinstance(error, DamagedError) else f"{folder} cannot be read: it is damaged"
    return DependencyUnavailable("index", f"{what}. {mend(folder)}")


@contextmanager
def panics_told(folder: Path) -> Iterator[None]:
    """A panic of tantivy within is `DependencyUnavailable`: it is no `Exception`, and nobody else would take it."""
    try:
        yield
    except (Exception, *ENDINGS):
        raise
    except BaseException as panic:
        raise damaged(folder, panic) from panic


def check_text(folder: Path, known: Mapping[str, int]) -> dict[str, int]:
    """Looks at the files that tantivy's last commit names: all there, as long as they were, and with their checksums.

    Args:
        folder: Of the tantivy index.
        known: What an earlier look found: files that are never changed need no second one.

    Returns:
        Paths with their sizes, in bytes.

    Raises:
        DamagedError: Names the first that is not what was written.
        FileNotFoundError: One is missing, which may be because a newer commit has removed it.
    """
    sizes: dict[str, int] = {}
    for name in _files_of(folder / META):
        path = folder / name
        sizes[str(path)] = known[str(path)] if str(path) in known else _checked(path)
    return sizes


def check_sizes(sizes: Mapping[str, int]) -> None:
    """Looks whether files that are mapped are as long as they were; one that has been removed is whole for its readers.

    Raises:
        DamagedError: One is not; reading the map would end the process.
    """
    for path, size in sizes.items():
        try:
            now = os.stat(path).st_size  # noqa: PTH116  # before every search: a Path costs more than the call
        except FileNotFoundError:
            continue
        if now != size:
            raise DamagedError(Path(path), f"has {now} bytes instead of {size}")


def _files_of(meta: Path) -> Iterator[str]:
    """Names of the files that a commit consists of."""
    try:
        for segment in json.loads(meta.read_bytes())["segments"]:
            stem, deletes = _SEGMENT_ID.findall(segment["segment_id"])[0].replace("-", ""), segment["deletes"]
            yield from (f"{stem}.{part}" for part in _PARTS)
            if deletes is not None:
                yield f"{stem}.{int(deletes['opstamp'])}.del"
    except (ValueError, LookupError, TypeError, RecursionError, OverflowError) as error:
        raise DamagedError(meta, "is damaged") from error


def _checked(path: Path) -> int:
    """The size of one of tantivy's files, which ends with the checksum of what is before it."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        footer, length = _footer(file, size, path)
        left, checksum = size - length, 0
        file.seek(0)
        while left > 0 and (part := file.read(min(_CHUNK, left))):
            checksum = zlib.crc32(part, checksum)
            left -= len(part)
    if left or checksum != footer:
        raise DamagedError(path, "is damaged: its checksum is another")
    return size


def _footer(file: Any, size: int, path: Path) -> tuple[int, int]:
    """(checksum, bytes of the footer)."""
    if size >= _TAIL.size:
        file.seek(size - _TAIL.size)
        length, magic = _TAIL.unpack(file.read(_TAIL.size))
        if magic == _MAGIC and length <= min(_LONGEST_FOOTER, size - _TAIL.size):
            file.seek(size - _TAIL.size - length)
            try:
                return int(json.loads(file.read(length))["crc"]), length + _TAIL.size
            except (ValueError, KeyError, TypeError, RecursionError):
                pass
    raise DamagedError(path, "is damaged: it has no end, or another one")
