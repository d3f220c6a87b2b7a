"""Writing a generation: passages and vectors in, one commit at a time."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tantivy
from numpy.typing import NDArray

from classifier.files import PARTIAL_SUFFIX
from engine.errors import DependencyUnavailable
from engine.retrieval.analysis import build_schema, stored_passage, well_formed
from engine.retrieval.ingestion.indexing import fingerprint_of, source_of
from engine.retrieval.local.integrity import META, DamagedError, check_text, damaged, panics_told
from engine.retrieval.local.sentences import (
    SENTENCE_SUFFIX,
    STATE_SUFFIX,
    open_sentences,
    sentence_paths,
    write_sentences,
)
from engine.retrieval.local.snapshot import TEXT_FOLDER, VECTOR_FOLDER, documents_of, living, open_text_index
from engine.retrieval.local.vectors import SUFFIX, Keys, VectorSegment, open_segment, segment_paths, write_segment
from engine.retrieval.manifest import mend
from engine.retrieval.port import Chunk, Document
from engine.retrieval.sentences import EncodedSentences, SentenceRows

#: Bytes that tantivy collects before it writes a segment of its own.
_HEAP_BYTES = 64_000_000
#: Vector files above which they are merged: every file costs a search some 5 microseconds.
_MOST_SEGMENTS = 8
#: Tokens of sentences whose states are kept, 128 MB of them: a few megabytes of text. The next sentences' are made anew
#: for each question that needs them.
MOST_STATES = 330_000
#: Share of rows without a passage above which the vectors are written anew.
_MOST_DEAD = 0.25


class GenerationWriter:
    """The one writer of a generation; whoever makes one holds the writer lock of the index.

    The state that the next commit will have is kept here; readers see none of it before. Not thread-safe.

    Attributes:
        known: Per source, the fingerprint of the document as the next commit will have it.
        keeps_sentences: It keeps what was made of what may be quoted.

    Args:
        folder: Of the generation; made when it is not there.

    Raises:
        DependencyUnavailable: It cannot be opened.
    """

    keeps_sentences = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._vectors = folder / VECTOR_FOLDER
        self._keys: list[int] = []
        self._matrices: list[NDArray[np.float32]] = []
        self._sentences: dict[str, list[SentenceRows]] = {SENTENCE_SUFFIX: [], STATE_SUFFIX: []}
        self._room = MOST_STATES
        try:
            with panics_told(folder.parent):
                self._text = _open_or_create(folder)
                self._writer = self._text.writer(_HEAP_BYTES, 1)
                searcher = self._text.searcher()
                self.known = {source_of(found.fingerprint): found.fingerprint for found in documents_of(searcher)}
                self._next_key = self._tidy(set(living(searcher)[1].tolist()))
        except DamagedError as error:
            raise damaged(folder.parent, error) from error
        except (OSError, ValueError) as error:
            raise self._unusable("opened") from error

    @property
    def pending(self) -> int:
        """Passages that the next commit adds."""
        return len(self._keys)

    def put(
        self,
        document: Document,
        chunks: Sequence[Chunk],
        vectors: NDArray[np.float32],
        sentences: Sequence[EncodedSentences] = (),
    ) -> None:
        """Adds a document, in place of what its source had before.

        Args:
            document: What the passages are of.
            chunks: Its passages; none when it holds no text, and then it is only removed.
            vectors: Theirs, shape (len(chunks), dimensions).
            sentences: Those of each chunk; an answer encodes what is not there.
        """
        self.remove(well_formed(document.source))
        if not chunks:
            return
        fingerprint = fingerprint_of(document)
        for key, encoded in enumerate(sentences, self._next_key):
            encoded.vectors["owner"] = encoded.states["owner"] = key
            self._sentences[SENTENCE_SUFFIX].append(encoded.vectors)
            if 0 < len(encoded.states) <= self._room:
                self._room -= len(encoded.states)
                self._sentences[STATE_SUFFIX].append(encoded.states)
        for chunk in chunks:
            self._writer.add_document(stored_passage(chunk.passage, chunk.searchable, fingerprint, self._next_key))
            self._keys.append(self._next_key)
            self._next_key += 1
        self._matrices.append(vectors)
        self.known[well_formed(document.source)] = fingerprint

    def remove(self, source: str) -> None:
        """Takes the document of `source` out, when it is there."""
        fingerprint = self.known.pop(source, None)
        if fingerprint is not None:
            self._writer.delete_documents_by_term("fingerprint", fingerprint)

    def commit(self) -> None:
        """Makes everything since the last commit visible, at once.

        First the vectors reach the disk, under keys that no passage has yet; then tantivy renames its `meta.json`,
        which is the commit. A kill between the two leaves rows that nobody asks for; the next writer removes them.

        Raises:
            DependencyUnavailable: The disk refuses; nothing of this commit is visible.
        """
        try:
            if self._keys:
                keys, self._keys = np.array(self._keys, dtype=np.uint64), []
                matrix, self._matrices = np.concatenate(self._matrices), []
                write_segment(path := self._new_segment_path(), keys, matrix)
                for suffix, rows in self._sentences.items():
                    if rows:
                        write_sentences(path.with_suffix(suffix), np.concatenate(rows))
                        rows.clear()
            self._writer.commit()
        except (OSError, ValueError) as error:
            raise self._unusable("written") from error

    def close(self) -> None:
        """Ends: forgets what was not committed, merges vector files where that pays, lets tantivy finish merging.

        Raises:
            DependencyUnavailable: The disk refuses; what was committed stays.
        """
        try:
            self._writer.rollback()
            self._merge_vectors()
            self._writer.wait_merging_threads()
        except DamagedError as error:
            raise damaged(self._folder.parent, error) from error
        except (OSError, ValueError) as error:
            raise self._unusable("tidied") from error

    def _new_segment_path(self) -> Path:
        """Numbered, to sort by age; with a random part, so that no name ever comes back with another content."""
        paths = segment_paths(self._vectors)
        number = int(paths[-1].name.split("-")[0]) + 1 if paths else 1
        return self._vectors / f"{number:08d}-{secrets.token_hex(4)}{SUFFIX}"

    def _tidy(self, alive: set[int]) -> int:
        """Removes what killed writers left; returns the first key that no vector has.

        Raises:
            DamagedError: There are passages without a vector.
        """
        for leftover in self._vectors.glob(f"*{PARTIAL_SUFFIX}"):
            leftover.unlink()
        last, without = max(alive, default=0), set(alive)
        for path in segment_paths(self._vectors):
            keys = open_segment(path).keys
            without.difference_update(keys.tolist())
            if alive.isdisjoint(keys.tolist()):
                path.unlink()
            else:
                last = max(last, int(keys.max()))
        for suffix in self._sentences:
            for path in sentence_paths(self._vectors, suffix):
                owners = open_sentences(path).rows["owner"]
                if alive.isdisjoint(np.unique(owners).tolist()):
                    path.unlink()
                elif suffix == STATE_SUFFIX:
                    self._room -= len(owners)
        if without:
            raise DamagedError(self._vectors, f"lacks the vectors of {len(without)} passages")
        return last + 1

    def _merge_vectors(self) -> None:
        """Writes the rows that have a passage into one file, when there are many files or many rows without."""
        segments = [open_segment(path) for path in segment_paths(self._vectors)]
        self._text.reload()
        _, alive = living(self._text.searcher())
        rows = sum(len(segment.keys) for segment in segments)
        if len(segments) <= _MOST_SEGMENTS and rows - len(alive) <= _MOST_DEAD * rows:
            return
        path = self._new_segment_path()
        if len(alive):
            keys = np.concatenate([segment.keys for segment in segments])
            kept = np.isin(keys, alive)
            write_segment(path, keys[kept], _kept_rows(segments, kept))
        for suffix in self._sentences:
            self._merge_sentences(path.with_suffix(suffix), alive)
        # The merged file is durable by now. A reader that has listed the old ones takes its snapshot anew.
        for segment in segments:
            segment.path.unlink()

    def _merge_sentences(self, path: Path, alive: Keys) -> None:
        """Writes the sentences of living passages into one file at `path`, in place of those that are there."""
        segments = [open_sentences(former) for former in sentence_paths(self._vectors, path.suffix)]
        if segments:
            rows = np.concatenate([one.rows[np.isin(one.rows["owner"], alive)] for one in segments])
            write_sentences(path, rows)
        for segment in segments:
            segment.path.unlink()

    def _unusable(self, doing: str) -> DependencyUnavailable:
        return DependencyUnavailable(
            "index",
            f"{self._folder} cannot be {doing}; look for free space and permissions. {mend(self._folder.parent)}",
        )


def _kept_rows(segments: Sequence[VectorSegment], kept: NDArray[np.bool_]) -> NDArray[np.float32]:
    borders = np.cumsum([len(segment.keys) for segment in segments])[:-1]
    parts = np.split(kept, borders)
    return np.concatenate([segment.matrix[part] for segment, part in zip(segments, parts, strict=True)])


def _open_or_create(folder: Path) -> tantivy.Index:
    (folder / VECTOR_FOLDER).mkdir(parents=True, exist_ok=True)
    text = folder / TEXT_FOLDER
    text.mkdir(exist_ok=True)
    if not tantivy.Index.exists(str(text)):
        if any(text.glob("*.store")):
            raise DamagedError(text / META, "is missing")
        tantivy.Index(build_schema(), path=str(text))
    try:
        check_text(text, {})
    except FileNotFoundError as error:
        raise DamagedError(Path(str(error.filename)), "is missing") from error
    return open_text_index(folder)
