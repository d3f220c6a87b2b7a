"""One indexing run: which documents changed, their passages encoded in batches, commits in between."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.errors import DependencyUnavailable
from engine.retrieval.analysis import well_formed
from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.port import Chunk, Document, IndexReport, LeftOut, Progress, ProgressBar, StoredDocument
from engine.retrieval.sentences import EncodedSentences, rows_of, state_rows_of
from engine.text.quotation import texts_weighed

#: Passages that are given to the embedder at once.
EMBED_BATCH = 64
#: Passages after which is committed, at the next border of documents: what a kill can cost, some 20 s of encoding.
COMMIT_PASSAGES = 2_000


class PassageWriter(Protocol):
    """What an indexing run writes to. Not thread-safe.

    Attributes:
        known: Per source, the fingerprint of the document as the next commit will have it; another text than any
            fingerprint where it is not whole.
        keeps_sentences: Whether it is given what was made of what may be quoted.
    """

    known: dict[str, str]
    keeps_sentences: bool

    @property
    def pending(self) -> int:
        """Passages that the next commit adds."""
        ...

    def put(
        self,
        document: Document,
        chunks: Sequence[Chunk],
        vectors: NDArray[np.float32],
        sentences: Sequence[EncodedSentences] = (),
    ) -> None:
        """Adds a document, in place of what its source had before; without chunks it is only removed.

        Args:
            document: What the passages are of.
            chunks: Its passages.
            vectors: Theirs, shape (len(chunks), dimensions).
            sentences: Those of each chunk, where they are kept.
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
    """The state of a document: where it is from, what it is called, what is in it; its size and time beside that."""
    identity = [well_formed(document.source), well_formed(document.name), document.digest]
    return json.dumps([*identity, document.size, document.modified])


def source_of(fingerprint: str) -> str:
    """The source in a fingerprint."""
    return str(json.loads(fingerprint)[0])


def stored_document(fingerprint: str, passages: int) -> StoredDocument:
    """The document of a fingerprint; one that was written before sizes were kept has none."""
    source, name, _digest, *measures = json.loads(fingerprint)
    size, modified = measures if len(measures) == 2 else (0, 0.0)
    return StoredDocument(str(name), str(source), passages, int(size), float(modified), fingerprint)


def state_of(document: Document, known: Mapping[str, str]) -> str:
    """`added`, `updated` or `unchanged`: what putting `document` in would be.

    Args:
        document: To be put in.
        known: See `PassageWriter.known`.
    """
    former = known.get(well_formed(document.source))
    if former is None:
        return "added"
    same = former and json.loads(former)[:3] == json.loads(fingerprint_of(document))[:3]
    return "unchanged" if same else "updated"


@dataclass(slots=True)
class _Run:
    """The state of one run."""

    writer: PassageWriter
    embedder: Embedder
    progress: ProgressBar | None
    counts: Counter[str] = field(default_factory=Counter)
    left_out: list[LeftOut] = field(default_factory=list)
    done: int = 0
    size: int = 0
    encoded: int = 0
    waiting: list[tuple[Document, str, Sequence[Chunk]]] = field(default_factory=list)
    waiting_passages: int = 0

    def take(self, document: Document) -> None:
        """Sorts a document into unchanged or waiting, and encodes when a batch is full."""
        state = state_of(document, self.writer.known)
        chunks: Sequence[Chunk] = ()
        if state != "unchanged":
            chunks = chunk(document) if document.chunks is None else document.chunks
        if state == "unchanged" or (state == "added" and not chunks):
            self._ended(document, "unchanged" if state == "unchanged" else "")
            self._tell(document.name)
            return
        self.waiting.append((document, state, chunks))
        self.waiting_passages += len(chunks)
        if self.waiting_passages >= EMBED_BATCH:
            self.flush()

    def leave_out(self, left_out: LeftOut) -> None:
        """Remembers what is not indexed."""
        self.left_out.append(left_out)
        self.size += left_out.size
        self._tell(left_out.path)

    def flush(self) -> None:
        """Encodes what waits and gives it to the writer; commits when enough has come together."""
        vectors, sentences = self._embed()
        start = 0
        for document, state, chunks in self.waiting:
            here = slice(start, start + len(chunks))
            self.writer.put(document, chunks, vectors[here], sentences[here])
            start += len(chunks)
            self.counts["passages"] += len(chunks)
            self._ended(document, state)
        last = self.waiting[-1][0].name if self.waiting else ""
        self.waiting, self.waiting_passages = [], 0
        if self.writer.pending >= COMMIT_PASSAGES:
            self.writer.commit()
        if last:
            self._tell(last)

    def _embed(self) -> tuple[NDArray[np.float32], list[EncodedSentences]]:
        """Vectors of what waits, shape (passages, dimensions), and each passage's sentences where they are kept."""
        parts = [part for _, _, chunks in self.waiting for part in chunks]
        sentences: list[EncodedSentences] = []
        size, name = sum(document.size for document, _, _ in self.waiting), ""
        batches = [np.empty((0, self.embedder.dimensions), dtype=np.float32)]
        for at in range(0, len(parts), EMBED_BATCH):
            vectors, own = self._vectors(parts[at : at + EMBED_BATCH])
            batches.append(vectors)
            sentences += own
            self.encoded += len(vectors)
            if at + EMBED_BATCH < len(parts):
                name = name or self.waiting[-1][0].name
                self._tell(name, size * (at + EMBED_BATCH) // len(parts))
        return np.concatenate(batches), sentences

    def _vectors(self, batch: Sequence[Chunk]) -> tuple[NDArray[np.float32], list[EncodedSentences]]:
        """Vectors of passages, and the sentences of each where they are kept; no text is encoded twice."""
        weighed = [texts_weighed(part.passage) if self.writer.keeps_sentences else [] for part in batch]
        searched = [part.searchable for part in batch]
        places = {text: place for place, text in enumerate(dict.fromkeys(itertools.chain(searched, *weighed)))}
        texts = list(places)
        starts = range(0, len(texts), EMBED_BATCH)
        made = [self.embedder.embed_with_states(texts[at : at + EMBED_BATCH]) for at in starts]
        vectors = np.concatenate([found for found, _ in made])
        states = [one for _, read in made for one in read]
        if not np.isfinite(vectors).all():
            raise DependencyUnavailable("embedder", "it has made a vector of what is no number; nothing finds that")
        own = []
        for said in weighed if self.writer.keeps_sentences else ():
            rows = [places[text] for text in said]
            own.append(
                EncodedSentences(rows_of(said, vectors[rows]), state_rows_of(said, [states[row] for row in rows]))
            )
        return vectors[[places[text] for text in searched]], own

    def _ended(self, document: Document, state: str) -> None:
        self.counts[state] += 1
        self.done += 1
        self.size += document.size

    def _tell(self, name: str, begun: int = 0) -> None:
        """Reports, with the `begun` bytes of what is being encoded."""
        if self.progress:
            self.progress(Progress(self.done, self.encoded, self.size + begun, name))


def index_documents(
    writer: PassageWriter,
    embedder: Embedder,
    documents: Iterable[Document | LeftOut],
    roots: Sequence[str],
    progress: ProgressBar | None,
) -> IndexReport:
    """Brings what `writer` writes to the state of `documents`, and closes it.

    A failure (of the embedder, of whoever is told the progress) keeps the documents that were complete: they are
    committed before it is passed on. Nothing is removed then, as nobody knows what would still have come.

    Args:
        writer: Fresh; closed when this returns.
        embedder: Of the passages.
        documents: May be lazy.
        roots: See `Indexer.index`.
        progress: See `Indexer.index`.
    """
    run = _Run(writer, embedder, progress)
    before = set(writer.known)
    came: set[str] = set()
    try:
        for document in documents:
            if isinstance(document, LeftOut):
                run.leave_out(document)
                continue
            came.add(well_formed(document.source))
            run.take(document)
        run.flush()
        leaves, stays = under(roots), under(left_out.source for left_out in run.left_out if left_out.keeps)
        for source in sorted(before - came):
            if leaves(source) and not stays(source):
                writer.remove(source)
                run.counts["removed"] += 1
        run.left_out = _as_kept(run.left_out, writer.known)
        writer.commit()
    except Exception:
        # Not for an interrupt: that may come in the middle of a document.
        writer.commit()
        raise
    finally:
        writer.close()
    counts = {name: run.counts[name] for name in ("added", "updated", "unchanged", "removed", "passages")}
    return IndexReport(**counts, left_out=tuple(run.left_out))


def _as_kept(left_out: Sequence[LeftOut], sources: Iterable[str]) -> list[LeftOut]:
    """What was left out, of which only that keeps passages which the index has any of."""
    kept = {one.source.rstrip("/") for one in left_out if one.keeps}
    there = kept.intersection(root for source in sources for root in _roots_of(source)) if kept else kept
    return [replace(one, keeps=one.keeps and one.source.rstrip("/") in there) for one in left_out]


def under(roots: Iterable[str]) -> Callable[[str], bool]:
    """Tells of a source whether it is one of `roots`, lies in one, or is a line of one (`root#id`).

    Takes time by the source's length, however many roots there are.
    """
    known = {well_formed(root).rstrip("/") for root in roots}

    def is_under(source: str) -> bool:
        return any(root in known for root in _roots_of(source))

    return is_under


def _roots_of(source: str) -> Iterator[str]:
    """A source, and what it may lie in or be a line of."""
    yield source
    yield from (source[:at] for at, mark in enumerate(source) if mark in "/#")
