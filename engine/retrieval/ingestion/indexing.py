"""One indexing run: which documents changed, their passages encoded in batches, commits in between."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from classifier.decision import Embedder
from engine.retrieval.analysis import well_formed
from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.port import Chunk, Document, IndexReport, ProgressBar

#: Passages that are given to the embedder at once.
EMBED_BATCH = 64
#: Passages after which is committed, at the next border of documents: what a kill can cost, some 20 s of encoding.
COMMIT_PASSAGES = 2_000


class PassageWriter(Protocol):
    """What an indexing run writes to. Not thread-safe.

    Attributes:
        known: Per source, the fingerprint of the document as the next commit will have it; another text than any
            fingerprint where it is not whole.
    """

    known: dict[str, str]

    @property
    def pending(self) -> int:
        """Passages that the next commit adds."""
        ...

    def put(self, document: Document, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
        """Adds a document, in place of what its source had before; without chunks it is only removed.

        Args:
            document: What the passages are of.
            chunks: Its passages.
            vectors: Theirs, shape (len(chunks), dimensions).
        """
        ...

    def remove(self, source: str) -> None:
        """Takes the document of `source` out, when it is there."""
        ...

    def commit(self) -> None:
        """Makes sure that what was put and removed is kept, whatever happens to this process."""
        ...

    def close(self) -> None:
        """Ends; what was not committed is forgotten."""
        ...


def fingerprint_of(document: Document) -> str:
    """The state of a document: where it is from, what it is called, what is in it."""
    return json.dumps([well_formed(document.source), well_formed(document.name), document.digest])


def source_of(fingerprint: str) -> str:
    """The source in a fingerprint."""
    return str(json.loads(fingerprint)[0])


def state_of(document: Document, known: Mapping[str, str]) -> str:
    """`added`, `updated` or `unchanged`: what putting `document` in would be.

    Args:
        document: To be put in.
        known: See `PassageWriter.known`.
    """
    former = known.get(well_formed(document.source))
    if former is None:
        return "added"
    return "unchanged" if former == fingerprint_of(document) else "updated"


@dataclass(slots=True)
class _Run:
    """The state of one run."""

    writer: PassageWriter
    embedder: Embedder
    progress: ProgressBar | None
    total: int
    counts: Counter[str] = field(default_factory=Counter)
    done: int = 0
    waiting: list[tuple[Document, str, list[Chunk]]] = field(default_factory=list)
    waiting_passages: int = 0

    def take(self, document: Document) -> None:
        """Sorts a document into unchanged or waiting, and encodes when a batch is full."""
        state = state_of(document, self.writer.known)
        chunks = [] if state == "unchanged" else chunk(document)
        if state == "unchanged" or (state == "added" and not chunks):
            self._ended(document, "unchanged" if state == "unchanged" else "")
            return
        self.waiting.append((document, state, chunks))
        self.waiting_passages += len(chunks)
        if self.waiting_passages >= EMBED_BATCH:
            self.flush()

    def flush(self) -> None:
        """Encodes what waits and gives it to the writer; commits when enough has come together."""
        vectors = self._embed([part.searchable for _, _, chunks in self.waiting for part in chunks])
        start = 0
        for document, state, chunks in self.waiting:
            self.writer.put(document, chunks, vectors[start : start + len(chunks)])
            start += len(chunks)
            self.counts["passages"] += len(chunks)
            self._ended(document, state)
        self.waiting, self.waiting_passages = [], 0
        if self.writer.pending >= COMMIT_PASSAGES:
            self.writer.commit()

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        batches = [self.embedder.embed(texts[at : at + EMBED_BATCH]) for at in range(0, len(texts), EMBED_BATCH)]
        return np.concatenate([np.empty((0, self.embedder.dimensions), dtype=np.float32), *batches])

    def _ended(self, document: Document, state: str) -> None:
        self.counts[state] += 1
        self.done += 1
        if self.progress:
            self.progress(self.done, self.total, document.name)


def index_documents(
    writer: PassageWriter,
    embedder: Embedder,
    documents: Iterable[Document],
    roots: Sequence[str],
    progress: ProgressBar | None,
    total: int,
) -> IndexReport:
    """Brings what `writer` writes to the state of `documents`, and closes it.

    A failure (of a file that is read lazily, of the embedder) keeps the documents that were complete: they are
    committed before it is passed on. Nothing is removed then, as nobody knows what would still have come.

    Args:
        writer: Fresh; closed when this returns.
        embedder: Of the passages.
        documents: May be lazy.
        roots: See `Indexer.index`.
        progress: See `Indexer.index`.
        total: Documents to come, 0 where not known.
    """
    run = _Run(writer, embedder, progress, total)
    before = set(writer.known)
    came: set[str] = set()
    try:
        for document in documents:
            came.add(well_formed(document.source))
            run.take(document)
        run.flush()
        for source in sorted(before - came):
            if any(is_under(source, root) for root in roots):
                writer.remove(source)
                run.counts["removed"] += 1
        writer.commit()
    except Exception:
        # Not for an interrupt: that may come in the middle of a document.
        writer.commit()
        raise
    finally:
        writer.close()
    counts = {name: run.counts[name] for name in ("added", "updated", "unchanged", "removed", "passages")}
    return IndexReport(**counts)


def is_under(source: str, root: str) -> bool:
    """Whether `source` is `root`, lies in the folder `root`, or is a line of the file `root` (`root#id`)."""
    root = well_formed(root).rstrip("/")
    return source == root or source.startswith((f"{root}/", f"{root}#"))
