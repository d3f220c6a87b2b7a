"""The documents of the index for callers: listed, put in as files that they send, and taken out."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from engine.errors import ConfigurationError, InvalidInput, NotFound
from engine.retrieval.ingestion.limits import MOST_BYTES
from engine.retrieval.port import Document, Index, IndexReport, LeftOut, StoredDocument

_T = TypeVar("_T")
#: Bytes of the name of a file that is sent.
_NAME_BYTES = 200


@dataclass(frozen=True, slots=True)
class Library:
    """The documents of one index. One change at a time; what is searched meanwhile finds the state before it.

    Attributes:
        index: Its calls block, so they run in threads.
        embedder: The name of what its vectors were made by.
        uploads: The folder that files are kept in, made when there is a first one; None where the index cannot be
            changed from here.
    """

    index: Index
    embedder: str
    uploads: Path | None = None
    _changes: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="documents"))

    async def close(self) -> None:
        """Waits for the change that is being made, if there is one."""
        await asyncio.to_thread(self._changes.shutdown)

    async def documents(self) -> list[StoredDocument]:
        """All documents, by name. Raises `DependencyUnavailable`."""
        return await asyncio.to_thread(self.index.documents)

    async def changed_at(self) -> float:
        """When a run last changed something, in Unix seconds; 0 where that is not known."""
        return await asyncio.to_thread(self.index.changed_at)

    async def add(self, name: str, content: bytes) -> IndexReport:
        """Puts a file in, in place of the one that was sent under that name before.

        Raises:
            InvalidInput: The name is none for a file, or there is nothing to index in it; names the file.
            ConfigurationError: The index cannot be changed from here.
            DependencyUnavailable: Another process writes to the index, or it cannot be written to.
        """
        folder = self._folder("add PATH")
        if not _is_file_name(name):
            raise InvalidInput("name", f"must be that of a file, of at most {_NAME_BYTES} bytes, without a folder")
        if len(content) > MOST_BYTES:
            raise InvalidInput(name, f"is larger than {MOST_BYTES // 1_000_000} MB")
        return await self._changed(lambda: self._put_in(folder, name, content))

    async def remove(self, name: str) -> int:
        """Takes the documents of a name out, and the file away that was sent under it; how many there were.

        Raises:
            NotFound: There is none.
            ConfigurationError, DependencyUnavailable: See `add`.
        """
        folder = self._folder("remove NAME")
        sources = [document.source for document in await self.documents() if document.name == name]
        if not sources:
            raise NotFound("document: the index has none of this name")
        report = await self._changed(lambda: self.index.index([], roots=sources))
        if _is_file_name(name) and str((folder / name).resolve()) in sources:
            (folder / name).unlink(missing_ok=True)
        return report.removed

    def _folder(self, command: str) -> Path:
        if self.uploads is None:
            raise ConfigurationError(
                f"index: it is in Elasticsearch, filled where the files are: `assistance-engine documents {command}`"
            )
        return self.uploads

    async def _changed(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._changes, work)

    def _put_in(self, folder: Path, name: str, content: bytes) -> IndexReport:
        """Reads the file beside its place, as another program may not be able to; what was there stays until it can."""
        folder.mkdir(parents=True, exist_ok=True)
        place = folder.resolve() / name
        with tempfile.TemporaryDirectory(prefix=".", dir=folder.resolve()) as beside:
            file = Path(beside) / name
            file.write_bytes(content)
            found = _read(file, place)
            documents = [one for one in found if isinstance(one, Document)]
            left_out = tuple(one for one in found if isinstance(one, LeftOut))
            if not documents:
                raise InvalidInput(name, left_out[0].reason if left_out else "holds no text")
            report = self.index.index(documents, roots=[str(place)])
            file.replace(place)
        return replace(report, left_out=left_out)


def _read(file: Path, place: Path) -> list[Document | LeftOut]:
    """What is in `file`, as if it were read from `place`."""
    from engine.retrieval.ingestion.isolation import IsolatedReader
    from engine.retrieval.ingestion.reading import Documents

    with IsolatedReader() as reader:
        found = list(Documents([file], read=reader))
    return [_moved(one, str(file), str(place)) for one in found]


def _moved(one: Document | LeftOut, file: str, place: str) -> Document | LeftOut:
    if isinstance(one, LeftOut):
        name = Path(place).name
        return replace(one, path=one.path.replace(file, name, 1), source=one.source.replace(file, place, 1))
    return replace(one, source=one.source.replace(file, place, 1))


def _is_file_name(name: str) -> bool:
    """Whether `name` is one of a file that is not hidden, without a way to another folder."""
    plain = name == Path(name).name and name.isprintable() and not name.startswith(".") and "\\" not in name
    return plain and 0 < len(name.encode("utf-8", "replace")) <= _NAME_BYTES
