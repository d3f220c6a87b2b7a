"""One commit of the embedded index as a reader sees it: whole, and the same for as long as it is held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tantivy
from numpy.typing import NDArray

from engine.domain import Passage
from engine.retrieval.analysis import build_query, passage_of, register_analysers
from engine.retrieval.ingestion.indexing import stored_document
from engine.retrieval.local.integrity import check_text
from engine.retrieval.local.sentences import (
    SENTENCE_SUFFIX,
    STATE_SUFFIX,
    SentenceSegment,
    open_sentences,
    sentence_paths,
)
from engine.retrieval.local.vectors import Keys, VectorSegment, nearest, open_segment, segment_paths
from engine.retrieval.port import StoredDocument

TEXT_FOLDER = "text"
VECTOR_FOLDER = "vectors"

#: A passage within one snapshot: the number of its tantivy segment and its number there.
Address = tuple[int, int]


class TornSnapshotError(Exception):
    """A writer tidied up while the snapshot was being taken; the next try will see the newer commit."""


def open_text_index(folder: Path) -> tantivy.Index:
    """The tantivy index of a generation, reloaded only when asked.

    Raises:
        ValueError: There is none, or it cannot be read.
    """
    index = tantivy.Index.open(str(folder / TEXT_FOLDER))
    register_analysers(index)
    # The other policy polls the folder from a thread of its own; LocalIndex looks when there is a search.
    index.config_reader("manual")
    index.reload()
    return index


def living(searcher: tantivy.Searcher) -> tuple[list[tantivy.DocAddress], Keys]:
    """Every passage that is not deleted: where it is, and its key, shape (passages,)."""
    if not searcher.num_docs:
        return [], np.empty(0, dtype=np.uint64)
    hits = searcher.search(tantivy.Query.all_query(), limit=searcher.num_docs, count=False).hits
    addresses = [address for _, address in hits]
    return addresses, np.array(searcher.fast_field_values("key", addresses), dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A searchable state of one generation. Immutable and thread-safe.

    Attributes:
        index: For its schema, and to reload from.
        searcher: Tantivy's view of the commit.
        segments: The vectors of at least the passages of this commit.
        owners: For every row of the segments, counted through, the place in `addresses` of the passage that it
            belongs to, or -1 where none does; shape (rows,).
        dead: The rows that belong to none; shape (dead rows,).
        addresses: Of the living passages.
        sizes: Of every file that is mapped, in bytes, by path.
        sentences: The vectors of what may be quoted.
        states: The states of as much of it as there was room for.
    """

    index: tantivy.Index
    searcher: tantivy.Searcher
    segments: tuple[VectorSegment, ...]
    owners: NDArray[np.intp]
    dead: NDArray[np.intp]
    addresses: list[tantivy.DocAddress]
    sizes: Mapping[str, int]
    sentences: tuple[SentenceSegment, ...] = ()
    states: tuple[SentenceSegment, ...] = ()

    @classmethod
    def take(cls, folder: Path, former: Snapshot | None = None) -> Snapshot:
        """The newest commit of the generation in `folder`.

        The searcher first, the vectors second: vectors reach the disk before the commit that names them, so they are
        there. What is missing all the same was removed by a newer commit, which the next try will see.

        Args:
            folder: Of the generation.
            former: An older snapshot of the same generation, whose files need not be opened again.

        Raises:
            TornSnapshotError: Try again.
            DamagedError: A file is not what was written.
            OSError, ValueError: It cannot be read.
        """
        sizes = _checked_text(folder / TEXT_FOLDER, former)
        index = former.index if former else open_text_index(folder)
        if former:
            index.reload()
        searcher = index.searcher()
        if _checked_text(folder / TEXT_FOLDER, sizes) != sizes:
            raise TornSnapshotError  # what was opened may be of a commit that nobody has looked at
        addresses, keys = living(searcher)
        segments = _open_segments(folder / VECTOR_FOLDER, former)
        owners = _owners(segments, keys)
        sentences = _open_sentences(folder / VECTOR_FOLDER, SENTENCE_SUFFIX, former.sentences if former else ())
        states = _open_sentences(folder / VECTOR_FOLDER, STATE_SUFFIX, former.states if former else ())
        sizes |= {str(segment.path): segment.size for segment in segments}
        sizes |= {str(segment.path): segment.size for segment in (*sentences, *states)}
        return cls(index, searcher, segments, owners, np.flatnonzero(owners < 0), addresses, sizes, sentences, states)

    @property
    def count(self) -> int:
        """Passages of this commit."""
        return len(self.addresses)

    def search_text(self, query: str, k: int) -> list[tuple[Address, float]]:
        """The best `k` passages by BM25 over the analysed fields, best first."""
        terms = build_query(self.index.schema, query)
        if terms is None or not self.count:
            return []
        hits = self.searcher.search(terms, limit=min(k, self.count), count=False).hits
        return [((address.segment_ord, address.doc), score) for score, address in hits]

    def search_dense(self, vector: NDArray[np.float32], k: int) -> list[tuple[Address, float]]:
        """The `k` passages whose vectors are closest to `vector`, shape (dimensions,), by cosine, best first."""
        found = nearest(self.segments, vector, self.dead, min(k, self.count))
        places = self.owners[[row for row, _ in found]].tolist() if found else []
        addresses = [self.addresses[place] for place in places]
        return [((a.segment_ord, a.doc), cosine) for a, (_, cosine) in zip(addresses, found, strict=True)]

    def passage(self, address: Address, score: float) -> Passage:
        """The passage at `address`, with that score."""
        return passage_of(self.searcher.doc(tantivy.DocAddress(*address)), score)

    def documents(self) -> list[StoredDocument]:
        """The documents of this commit, by name."""
        return documents_of(self.searcher)

    def passages_of(self, document: StoredDocument) -> list[Passage]:
        """The passages of one of `documents()`, in their order."""
        query = tantivy.Query.term_query(self.index.schema, "fingerprint", document.fingerprint, "basic")
        hits = self.searcher.search(query, limit=max(self.count, 1), count=False).hits
        addresses = [address for _, address in hits]
        if not addresses:
            return []
        order = np.argsort(np.array(self.searcher.fast_field_values("key", addresses), dtype=np.uint64))
        return [passage_of(self.searcher.doc(addresses[place]), 0.0) for place in order.tolist()]


def _checked_text(folder: Path, known: Snapshot | Mapping[str, int] | None) -> dict[str, int]:
    try:
        return check_text(folder, known.sizes if isinstance(known, Snapshot) else known or {})
    except FileNotFoundError as error:
        raise TornSnapshotError from error


def documents_of(searcher: tantivy.Searcher) -> list[StoredDocument]:
    """The documents whose passages are alive, by name."""
    terms = searcher.terms_with_prefix("fingerprint", "", filter_query=tantivy.Query.all_query())
    return sorted((stored_document(term, count) for term, count in terms), key=lambda found: (found.name, found.source))


def _open_segments(folder: Path, former: Snapshot | None) -> tuple[VectorSegment, ...]:
    opened = {segment.path: segment for segment in former.segments} if former else {}
    try:
        return tuple(opened.get(path) or open_segment(path) for path in segment_paths(folder))
    except FileNotFoundError as error:
        raise TornSnapshotError from error


def _open_sentences(folder: Path, suffix: str, former: Sequence[SentenceSegment]) -> tuple[SentenceSegment, ...]:
    opened = {segment.path: segment for segment in former}
    try:
        return tuple(opened.get(path) or open_sentences(path) for path in sentence_paths(folder, suffix))
    except FileNotFoundError as error:
        raise TornSnapshotError from error


def _owners(segments: tuple[VectorSegment, ...], keys: Keys) -> NDArray[np.intp]:
    """See `Snapshot.owners`; of rows with the same key only the first has an owner."""
    rows = np.concatenate([np.empty(0, dtype=np.uint64), *(segment.keys for segment in segments)])
    distinct, first_rows = np.unique(rows, return_index=True)
    places = np.searchsorted(distinct, keys)
    if len(keys) and (not len(distinct) or not np.array_equal(distinct[np.minimum(places, len(distinct) - 1)], keys)):
        raise TornSnapshotError
    owners = np.full(len(rows), -1, dtype=np.intp)
    owners[first_rows[places]] = np.arange(len(keys))
    return owners
