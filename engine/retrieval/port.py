"""The Protocols of looking things up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from engine.domain import Passage
from engine.errors import DependencyUnavailable


class Half(StrEnum):
    """Which half of a hybrid search to use."""

    BOTH = "both"
    TEXT = "text"
    DENSE = "dense"


@dataclass(frozen=True, slots=True)
class Document:
    """Something to index.

    Attributes:
        name: How passages and citations name it: a path relative to what was indexed.
        title: For people.
        text: The content as plain text, Markdown or source code.
        kind: How it is split: `markdown`, `text`, `rows`, `code`, `code:` and a language whose grammar is installed, or
            `passage` (kept whole under its name as id).
        source: Where it was read from, an absolute path; the identity that re-indexing replaces.
        digest: sha256 of the content in hex: unchanged documents are not encoded again.
        size: Bytes of what it was read from; 0 where that is not known.
        modified: When that was last changed, in seconds since 1970; 0 where that is not known.
        chunks: Its passages, where the reader has cut it already; None: whoever indexes it cuts it.
    """

    name: str
    title: str
    text: str
    kind: str
    source: str
    digest: str
    size: int = 0
    modified: float = 0.0
    chunks: tuple[Chunk, ...] | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage before it is stored, with the text that is embedded and analysed (heading path and title before it)."""

    passage: Passage
    searchable: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that was to be indexed and is not.

    Attributes:
        path: For people: a file or folder, or a line of a file.
        reason: Why, as a sentence without its subject: "is a damaged or locked PDF".
        source: As in `Document.source`: what its documents' sources are, or begin with.
        keeps: The passages that the index has of it stay, as nobody knows what it holds now.
        size: Bytes that were not read for it.
    """

    path: str
    reason: str
    source: str
    keeps: bool = False
    size: int = 0


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an indexing run did, in documents and passages, and what it left out."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    passages: int = 0
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as an index holds it.

    Attributes:
        name: See `Document.name`.
        source: See `Document.source`.
        passages: How many there are of it.
        size: See `Document.size`, as it was put in.
        modified: See `Document.modified`, as it was put in.
        fingerprint: The index's own name for this state of it.
    """

    name: str
    source: str
    passages: int
    size: int
    modified: float
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an indexing run is.

    Attributes:
        documents: That are in, unchanged ones included.
        passages: That were encoded.
        size: Bytes of what was read and is in, or was left out; of a document that is being encoded its share.
        name: Of the latest document.
    """

    documents: int
    passages: int
    size: int
    name: str


class Retriever(Protocol):
    """Finds the passages that answer a query.

    Promise: never blocks the event loop; the result is sorted by falling score and holds no passage twice; an empty
    index gives an empty list. Raises `DependencyUnavailable` when the index cannot be asked, and nothing else: any
    Unicode text is a valid query, query syntax included (it is text to be found, not a language).
    """

    async def search(self, query: str, *, k: int = 8, half: Half = Half.BOTH) -> list[Passage]:
        """The best `k` passages for `query`."""
        ...

    async def count(self) -> int:
        """Passages in the index."""
        ...

    async def ping(self) -> None:
        """Returns when the index can be asked, raises `DependencyUnavailable` otherwise."""
        ...

    async def close(self) -> None:
        """Gives back what it holds. Idempotent."""
        ...


class ProgressBar(Protocol):
    """Told how far an indexing run is, whenever passages were encoded or a document is done.

    What it raises ends the run as a failure does: the documents that are complete are kept.
    """

    def __call__(self, progress: Progress, /) -> None:
        """Called in the thread that indexes, between two writes."""
        ...


class Indexer(Protocol):
    """Puts documents into an index that a `Retriever` reads.

    Promise: incremental by `Document.digest`; a reader sees the index as it was before or as it is after, never
    between; a run that was killed leaves the former state and the next run carries on.
    """

    def index(
        self, documents: Iterable[Document | LeftOut], *, roots: Sequence[str] = (), progress: ProgressBar | None = None
    ) -> IndexReport:
        """Adds and replaces `documents`, and removes those that lie under `roots` but are not among them.

        Args:
            documents: With what was left out in their place.
            roots: Absolute paths of folders and files whose removed documents are to leave the index.
            progress: See `ProgressBar`.
        """
        ...


class Catalogue(Protocol):
    """Says what documents an index holds. Blocks."""

    def documents(self) -> list[StoredDocument]:
        """All of them, by name.

        Raises:
            DependencyUnavailable: The index cannot be read.
        """
        ...

    def changed_at(self) -> float:
        """When a run last changed something, in Unix seconds; 0 where that is not known."""
        ...

    def passages_of(self, document: StoredDocument) -> list[Passage]:
        """The passages of one of `documents()`, in their order; none when it has left or changed meanwhile.

        Raises:
            DependencyUnavailable: The index cannot be read.
        """
        ...


def names_of_documents(catalogue: Catalogue | None) -> tuple[str, ...]:
    """The names of what an index holds; none where that cannot be told. Blocks."""
    try:
        return () if catalogue is None else tuple(one.name for one in catalogue.documents())
    except DependencyUnavailable:
        return ()


class Index(Retriever, Indexer, Catalogue, Protocol):
    """All doors of one index."""
