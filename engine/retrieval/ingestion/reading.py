"""Files and folders into documents."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NoReturn

from engine.errors import InvalidInput
from engine.retrieval.analysis import well_formed
from engine.retrieval.ingestion.formats import content_of
from engine.retrieval.port import Document

#: Bytes of the largest file that is read, and of the longest line of JSON lines; a file of JSON lines may be larger.
MOST_BYTES = 20_000_000
_JSON_LINES = frozenset({".jsonl", ".ndjson"})
_FIELD = "path"

#: Told of a file that was left out, and why.
SkipReport = Callable[[Path, str], None]


def read_documents(paths: Iterable[str | Path], on_skip: SkipReport | None = None) -> Iterator[Document]:
    """The documents in files and folders, read one by one as they are asked for.

    A folder is read with all folders in it, in the order of the names. Hidden files and folders are passed over;
    binary, empty and too large ones are reported. Links are followed, and nothing is read twice.

    A document is named by its path from the folder that was given, that folder's own name first, with `/`; by its file
    name when the file was given; by its id when it is a JSON line (`id` or `_id`, `title`, `text`), which is kept
    whole. Its source is the absolute path, of a JSON line with `#` and the id behind it.

    Args:
        paths: Files and folders. All are looked for before the first is read.
        on_skip: Called for every file that is left out, hidden ones aside.

    Raises:
        InvalidInput: A path does not exist, a file cannot be read or is damaged, a file that was named is binary or too
            large, a JSON line is not as described; names the file and the line.
    """
    given = [Path(path) for path in paths]
    for path in given:
        if not path.exists():
            raise InvalidInput(_FIELD, f"{path} does not exist")
    return _read_all(given, on_skip or _ignore)


def index_roots(paths: Iterable[str | Path]) -> list[str]:
    """What `Indexer.index` takes as `roots` when `paths` are indexed: folders, and files of JSON lines.

    A document that is gone from any of them leaves the index.
    """
    resolved = (Path(path).resolve() for path in paths)
    return [str(path) for path in resolved if path.is_dir() or path.suffix.lower() in _JSON_LINES]


def _ignore(_path: Path, _reason: str) -> None:
    """Nobody asked."""


def _read_all(given: list[Path], on_skip: SkipReport) -> Iterator[Document]:
    read: set[str] = set()
    for path in given:
        root = path.resolve()
        files = _files_under(root) if root.is_dir() else iter([root])
        for file in files:
            identity = os.path.realpath(file)
            if identity in read:
                continue
            read.add(identity)
            name = f"{root.name}/{file.relative_to(root).as_posix()}" if root.is_dir() else path.name
            yield from _read_file(file, name, on_skip, named=not root.is_dir())


def _files_under(root: Path) -> Iterator[Path]:
    """The visible files below `root`, by name; a folder that links lead to twice is entered once."""
    entered: set[str] = set()

    def refuse(error: OSError) -> NoReturn:
        raise InvalidInput(_FIELD, f"{error.filename} cannot be read ({error.strerror})") from error

    for folder, folders, files in os.walk(root, followlinks=True, onerror=refuse):
        identity = os.path.realpath(folder)
        if identity in entered:
            folders.clear()
            continue
        entered.add(identity)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(files) if not name.startswith("."))


def _read_file(file: Path, name: str, on_skip: SkipReport, *, named: bool) -> Iterator[Document]:
    if file.suffix.lower() in _JSON_LINES:
        yield from _read_json_lines(file)
        return
    document = _document(file, name)
    if isinstance(document, Document):
        yield document
    elif named:
        raise InvalidInput(_FIELD, f"{file} {document}")
    else:
        on_skip(file, document)


def _document(file: Path, name: str) -> Document | str:
    """The document in a file, or why there is none: a sentence without its subject."""
    try:
        if not file.is_file():
            return "is not a file that can be read"
        size = file.stat().st_size
        if size > MOST_BYTES:
            return f"is larger than {MOST_BYTES // 1_000_000} MB"
        content = content_of(file.suffix, file.read_bytes())
    except OSError as error:
        raise InvalidInput(_FIELD, f"{file} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise InvalidInput(_FIELD, f"{file} is {error}") from error
    if content is None:
        return "is neither text nor of a known format"
    if not content.text.strip():
        return "holds no text"
    return _make(well_formed(name), content.title or Path(name).name, content.text, content.kind, str(file))


def _make(name: str, title: str, text: str, kind: str, source: str) -> Document:
    title = well_formed(title)
    digest = hashlib.sha256(f"{kind}\0{title}\0{text}".encode()).hexdigest()
    return Document(name=name, title=title, text=text, kind=kind, source=well_formed(source), digest=digest)


def _read_json_lines(file: Path) -> Iterator[Document]:
    seen: dict[str, str] = {}
    try:
        with file.open("rb") as lines:
            number = 0
            while line := lines.readline(MOST_BYTES + 1):
                number += 1
                if not line.strip():
                    continue
                document = _json_line(file, number, line)
                former = seen.setdefault(document.name, document.digest)
                if former is document.digest:
                    yield document
                elif former != document.digest:
                    _refuse_line(file, number, "its id was used before, with another text")
    except OSError as error:
        raise InvalidInput(_FIELD, f"{file} cannot be read ({error.strerror})") from error


def _json_line(file: Path, number: int, line: bytes) -> Document:
    if len(line) > MOST_BYTES:
        _refuse_line(file, number, f"longer than {MOST_BYTES // 1_000_000} MB")
    try:
        value = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        _refuse_line(file, number, "not JSON")
    if not isinstance(value, dict):
        _refuse_line(file, number, "not an object")
    identity = value.get("id", value.get("_id"))
    if not isinstance(identity, str | int) or isinstance(identity, bool) or not str(identity).strip():
        _refuse_line(file, number, "no `id`, which is a text or a whole number")
    title, text = value.get("title") or "", value.get("text")
    if not isinstance(text, str) or not isinstance(title, str):
        _refuse_line(file, number, "no `text`, or a `title` that is not a text")
    name = well_formed(str(identity))
    return _make(name, title, well_formed(text), "passage", f"{file}#{name}")


def _refuse_line(file: Path, number: int, problem: str) -> NoReturn:
    raise InvalidInput(_FIELD, f'{file}, line {number}: {problem}; expected {{"id": ..., "title": ..., "text": ...}}')
