"""Files and folders into documents."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InvalidInput
from engine.retrieval.analysis import well_formed
from engine.retrieval.ingestion import limits
from engine.retrieval.ingestion.formats.by_suffix import content_of
from engine.retrieval.ingestion.formats.json_lines import JSON_LINES, read_json_lines
from engine.retrieval.ingestion.limits import UnusableError
from engine.retrieval.port import Document, LeftOut, StoredDocument

#: Reads the file at a path as the document of a name; raises `UnusableError` where there is none in it.
FileReader = Callable[[Path, str], Document]
_FIELD = "path"
_LINK = "is a symbolic link, which only --follow-links follows"


@dataclass(frozen=True, slots=True)
class _File:
    """A file to read.

    Attributes:
        name: What its document will be called.
        size: Bytes, when it was found.
    """

    path: Path
    name: str
    size: int


class Documents:
    """The documents in files and folders, read one by one as they are asked for, and what was left out. Once.

    A folder is read with all folders in it, in the order of the names. Hidden files and folders are passed over.
    Symbolic links in a folder are left out, or followed; nothing is read twice. What cannot be read, or holds nothing
    to index, is a `LeftOut` in its place, and the others go on.

    A document is named by its path from the folder that was given, that folder's own name first, with `/`; by its file
    name when the file was given, unless it lies in a folder that others were named from; by its id when it is a JSON
    line (`id` or `_id`, `title`, `text`), which is kept whole. Its source is the absolute path, of a JSON line with `#`
    and the id behind it.

    Attributes:
        size: Bytes of all files that were found.

    Args:
        paths: Files and folders. All are looked for before the first is read.
        follow_links: Read what symbolic links within folders lead to.
        read: Reads one file.
        folders: Those that documents in the index were named from; see `named_from`.

    Raises:
        InvalidInput: A path does not exist.
    """

    def __init__(
        self,
        paths: Iterable[str | Path],
        *,
        follow_links: bool = False,
        read: FileReader | None = None,
        folders: Sequence[Path] = (),
    ) -> None:
        given = [Path(path) for path in paths]
        for path in given:
            if not path.exists():
                raise InvalidInput(_FIELD, f"{path} does not exist")
        self._read = read or read_file
        self._found = list(_found(given, folders, follow_links=follow_links))
        self.size = sum(found.size for found in self._found)
        self._documents = self._all()

    def __iter__(self) -> Iterator[Document | LeftOut]:
        return self._documents

    def _all(self) -> Iterator[Document | LeftOut]:
        for found in self._found:
            if isinstance(found, LeftOut):
                yield found
            elif found.path.suffix.lower() in JSON_LINES:
                yield from read_json_lines(found.path)
            else:
                yield self._one(found)

    def _one(self, found: _File) -> Document | LeftOut:
        try:
            return self._read(found.path, found.name)
        except UnusableError as error:
            return _left_out(found.path, str(error), keeps=error.keeps, size=found.size)


def named_from(documents: Iterable[StoredDocument]) -> list[Path]:
    """The folders that documents in the index were named from: `/home/me/club` of `club/fleet.csv` in `/home/me`."""
    folders = (
        Path(found.source.removesuffix(found.name), found.name.partition("/")[0])
        for found in documents
        if "/" in found.name and found.source.endswith(f"/{found.name}")
    )
    return sorted(set(folders))


def index_roots(paths: Iterable[str | Path]) -> list[str]:
    """What `Indexer.index` takes as `roots` when `paths` are indexed: their absolute paths.

    A document that is gone from any of them leaves the index.
    """
    return [str(Path(path).resolve()) for path in paths]


def gone_beside(paths: Iterable[str | Path], sources: Iterable[str]) -> list[str]:
    """The sources whose file has gone from the folder of a file among `paths`: removed, or called otherwise now.

    Args:
        paths: As they were given, files and folders, some of which may be gone themselves.
        sources: Of the documents in the index.
    """
    folders = {path.resolve().parent for path in map(Path, paths) if not path.is_dir()}
    return [source for source in sources if (file := _file_of(source)).parent in folders and not file.exists()]


def read_file(file: Path, name: str) -> Document:
    """The document in a file.

    Raises:
        UnusableError: There is none, or it cannot be read.
    """
    try:
        if not file.is_file():
            raise UnusableError("is not a file that can be read")
        status = file.stat()
        if status.st_size > limits.MOST_BYTES:
            raise UnusableError(f"is larger than {limits.MOST_BYTES // 1_000_000} MB")
        content = content_of(file.suffix, file.read_bytes())
    except OSError as error:
        raise UnusableError(f"cannot be read ({error.strerror})", keeps=True) from error
    if not content.text.strip():
        raise UnusableError("holds no text")
    title = well_formed(content.title or Path(name).name)
    digest = hashlib.sha256(f"{content.kind}\0{title}\0{content.text}".encode()).hexdigest()
    return Document(
        name=well_formed(name),
        title=title,
        text=content.text,
        kind=content.kind,
        source=well_formed(str(file)),
        digest=digest,
        size=status.st_size,
        modified=status.st_mtime,
    )


def _file_of(source: str) -> Path:
    """The file that a document was read from."""
    files = (Path(source[:at]) for at, mark in enumerate(source) if mark == "#")
    return next((file for file in files if file.suffix.lower() in JSON_LINES), Path(source))


def _found(given: list[Path], folders: Sequence[Path], *, follow_links: bool) -> Iterator[_File | LeftOut]:
    roots = [path.resolve() for path in given]
    seen: set[str] = set()
    for path, root in zip(given, roots, strict=True):
        if not root.is_dir():
            files: Iterable[Path | LeftOut] = (root,)
        else:
            files = _files_under(root, roots, follow_links=follow_links)
        for file in files:
            if isinstance(file, LeftOut):
                yield file
                continue
            identity = os.path.realpath(file)
            if identity not in seen:
                seen.add(identity)
                base = root if root.is_dir() else next((one for one in folders if file.is_relative_to(one)), None)
                name = f"{base.name}/{file.relative_to(base).as_posix()}" if base else path.name
                yield _File(file, name, _size(file))


def _files_under(root: Path, roots: list[Path], *, follow_links: bool) -> Iterator[Path | LeftOut]:
    """The visible files below `root`, by name; a folder that links lead to twice is entered once."""
    entered: set[str] = set()
    refused: list[LeftOut] = []

    def refuse(error: OSError) -> None:
        refused.append(_left_out(Path(str(error.filename)), f"cannot be read ({error.strerror})", keeps=True))

    for folder, folders, files in os.walk(root, followlinks=follow_links, onerror=refuse):
        yield from refused
        refused.clear()
        identity = os.path.realpath(folder)
        if identity in entered:
            folders.clear()
            continue
        entered.add(identity)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        visible = [Path(folder, name) for name in (*folders, *sorted(files)) if not name.startswith(".")]
        for path in visible:
            if path.is_symlink() and not follow_links:
                # One that leads to what is read anyway takes nothing away.
                target = Path(os.path.realpath(path))
                if not (target.exists() and any(target.is_relative_to(other) for other in roots)):
                    yield _left_out(path, _LINK)
            elif path.name not in folders:
                yield path
    yield from refused


def _left_out(path: Path, reason: str, *, keeps: bool = False, size: int = 0) -> LeftOut:
    return LeftOut(well_formed(str(path)), reason, well_formed(str(path)), keeps, size)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0  # whoever reads it says why it cannot be read
