"""JSON lines of `{"id", "title", "text"}` as documents that are kept whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.retrieval.analysis import well_formed
from engine.retrieval.ingestion import limits
from engine.retrieval.port import Document, LeftOut

#: Suffixes of such files.
JSON_LINES = frozenset({".jsonl", ".ndjson"})
_EXPECTED = 'expected {"id": ..., "title": ..., "text": ...}'
_USED = "has the id of a line before it, with another text"
#: Bytes of a line that is too long which are passed over at once.
_PIECE = 1_000_000


class _BadLineError(ValueError):
    """What is wrong with a line."""


def read_json_lines(file: Path) -> Iterator[Document | LeftOut]:
    """The documents in a file, one a line, and the lines that hold none, each with its number.

    The same line twice is one document; another text under an id that was used is left out.
    """
    source = well_formed(str(file))
    seen: dict[str, str] = {}
    try:
        with file.open("rb") as lines:
            modified = file.stat().st_mtime
            for number, line, size in _numbered(lines):
                if not line.strip():
                    continue
                try:
                    document = _document(source, line, size, modified)
                except _BadLineError as problem:
                    # Which document the line should be is not known, so none of the file's is kept for it.
                    yield LeftOut(f"{source}, line {number}", f"{problem}; {_EXPECTED}", f"{source}#", size=size)
                    continue
                former = seen.setdefault(document.name, document.digest)
                if former is document.digest:
                    yield document
                elif former != document.digest:
                    yield LeftOut(f"{source}, line {number}", _USED, f"{source}#", size=size)
    except OSError as error:
        yield LeftOut(source, f"cannot be read ({error.strerror})", source, keeps=True)


def _numbered(lines: Any) -> Iterator[tuple[int, bytes, int]]:
    """(number, line, its bytes); of a line that is too long no more is held than tells that it is."""
    number = 0
    while line := lines.readline(limits.MOST_BYTES + 1):
        number += 1
        size = len(line)
        if size > limits.MOST_BYTES:
            ended = line.endswith(b"\n")
            while not ended and (rest := lines.readline(_PIECE)):
                size += len(rest)
                ended = rest.endswith(b"\n")
        yield number, line, size


def _document(source: str, line: bytes, size: int, modified: float) -> Document:
    if size > limits.MOST_BYTES:
        raise _BadLineError(f"is longer than {limits.MOST_BYTES // 1_000_000} MB")
    try:
        value = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        raise _BadLineError("is not JSON") from None
    if not isinstance(value, dict):
        raise _BadLineError("is not an object")
    identity = value.get("id", value.get("_id"))
    if not isinstance(identity, str | int) or isinstance(identity, bool) or not str(identity).strip():
        raise _BadLineError("has no `id`, which is a text or a whole number")
    title, text = value.get("title") or "", value.get("text")
    if not isinstance(text, str) or not isinstance(title, str):
        raise _BadLineError("has no `text`, or a `title` that is not a text")
    name, title, text = well_formed(str(identity)), well_formed(title), well_formed(text)
    digest = hashlib.sha256(f"passage\0{title}\0{text}".encode()).hexdigest()
    return Document(name, title, text, "passage", f"{source}#{name}", digest, size, modified)
