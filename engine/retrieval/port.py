"""The Protocols of looking things up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from classifier.decision import Embedder
from engine.domain import Passage


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
        kind: How it is split: `markdown`, `text`, `code`, or `passage` (kept whole under its name as id).
        source: Where it was read from, an absolute path; the identity that re-indexing replaces.
        digest: sha256 of the content in hex: unchanged documents are not encoded again.
    """

    name: str
    title: str
    text: str
    kind: str
    source: str
    digest: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage before it is stored, with the text that is embedded and analysed (heading path and title before it)."""

    passage: Passage
    searchable: str


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an indexing run did, in documents and passages."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    passages: int = 0


@runtime_checkable
class QueryEmbedder(Protocol):
    """An embedder that reads queries otherwise than passages, with another prefix."""

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `Embedder.embed`, for texts that are to find others."""
        ...


def embed_queries(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors of queries, shape (len(texts), dimensions), by whatever embedder."""
    if isinstance(embedder, QueryEmbedder):
        return embedder.embed_queries(texts)
    return embedder.embed(texts)


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
    """Told about passages as they are encoded."""

    def __call__(self, done: int, total: int, name: str) -> None:
        """`done` of `total` documents are in; `name` is the one just done."""
        ...


class Indexer(Protocol):
    """Puts documents into an index that a `Retriever` reads.

    Promise: incremental by `Document.digest`; a reader sees the index as it was before or as it is after, never
    between; a run that was killed leaves the former state and the next run carries on.
    """

    def index(
        self, documents: Iterable[Document], *, roots: Sequence[str] = (), progress: ProgressBar | None = None
    ) -> IndexReport:
        """Adds and replaces `documents`, and removes those that lie under `roots` but are not among them.

        Args:
            roots: Absolute folders whose removed files are to leave the index.
            progress: Called after each document.
        """
        ...


class Index(Retriever, Indexer, Protocol):
    """Both doors of one index."""
