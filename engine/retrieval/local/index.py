"""The embedded index: text in tantivy, vectors beside it, one folder, no server.

Layout of the folder::

    MANIFEST.json          names the current generation, the embedder, the dimensions and the schema version
    REBUILD.json           the same for a rebuild that has not ended
    WRITER.lock            held (flock) by the one writer
    g-<random>/text/       a tantivy index: terms and stored passages; every passage has a key
    g-<random>/vectors/    immutable files of (key, vector), and of the vectors and states of the passages' sentences

Why a reader sees a whole commit or none, and a kill at any moment does no harm:

1. There is one commit point: tantivy's rename of `meta.json`. It alone decides which passages exist, with their texts,
   their documents' fingerprints and their keys. There is no second record of the state that could disagree with it.
2. A vector is on the disk, synced under its final name, before the commit that names its key. So whatever state a
   reader takes, the vectors of its passages are there; vectors that no passage names are never found.
3. A file, once under its name, is never changed, only removed, and a removed file stays readable to those who mapped
   it: a snapshot that was taken stays whole while the writer goes on. One that was taken halfway through a removal
   notices that a key has no vector and is taken again.
4. A document's passages are put in and taken out within one commit, and its fingerprint (source, name, digest) is
   stored with them: after a kill, the next run finds exactly the documents that were committed and encodes the others.
5. A rebuild is written into a generation of its own and becomes the index by one rename, REBUILD.json to MANIFEST.json.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from classifier.files import sync_folder
from engine.domain import Passage
from engine.errors import ConfigurationError, DependencyUnavailable
from engine.retrieval.hybrid import Candidates, Choose, HybridSearch, Wanted
from engine.retrieval.ingestion.indexing import index_documents
from engine.retrieval.local.integrity import META, DamagedError, check_sizes, damaged, panics_told
from engine.retrieval.local.lock import writer_lock
from engine.retrieval.local.sentences import known_states, known_vectors
from engine.retrieval.local.snapshot import TEXT_FOLDER, VECTOR_FOLDER, Snapshot, TornSnapshotError
from engine.retrieval.local.vectors import SUFFIX
from engine.retrieval.local.writer import GenerationWriter
from engine.retrieval.manifest import MANIFEST, REBUILD, Manifest, check_manifest, read_manifest
from engine.retrieval.port import Document, Half, IndexReport, LeftOut, ProgressBar, StoredDocument

#: Searches that run at the same time; more would only share the same two cores' memory bandwidth.
_THREADS = 2
#: Times that a snapshot is taken anew when a writer tidies up meanwhile.
_TRIES = 8

Result = TypeVar("Result")
#: Identity of a file's content: inode, size and modification time in nanoseconds; None where there is no file.
_Stamp = tuple[int, int, int] | None


@dataclass(frozen=True, slots=True)
class _View:
    """What the last look at the folder found: nothing changes while both stamps stay."""

    manifest_stamp: _Stamp
    meta_stamp: _Stamp
    manifest: Manifest | None
    snapshot: Snapshot | None


class LocalIndex:
    """`Retriever` and `Indexer` over one folder.

    Searches run in worker threads, embedding included. A commit by another process is noticed at the next search (two
    calls of stat). Any number of readers, one writer.

    Args:
        folder: Need not exist: an index that is not there is an empty one.
        embedder: Of queries and passages.
        rebuild: `index` starts from nothing instead of from what is there (or carries on a rebuild that was killed);
            readers keep the former index until it has ended.

    Raises:
        ConfigurationError: The folder's index was made by another embedder or version; names the mend.
    """

    def __init__(self, folder: Path, embedder: Embedder, *, rebuild: bool = False) -> None:
        self._folder = folder
        self._embedder = embedder
        self._hybrid = HybridSearch(embedder, self._candidates)
        self._rebuild = rebuild
        self._view: _View | None = None
        self._loading = threading.Lock()
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="search")
        self._text_pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="search-text")
        self._closed = False
        #: Whether there was an index once: one that is gone then is not an empty one.
        self._seen = False
        if not rebuild:
            try:
                self._read_manifest(MANIFEST)
            except OSError as error:
                raise ConfigurationError(
                    f"ENGINE_DATA_DIR: the index folder {folder} cannot be read ({error.strerror})."
                ) from error

    async def search(self, query: str, *, k: int = 8, half: Half = Half.BOTH) -> list[Passage]:
        """See `HybridSearch.search`."""
        return await self._hybrid.search(query, k=k, half=half)

    async def count(self) -> int:
        """Passages in the index.

        Raises:
            DependencyUnavailable: The index cannot be read.
        """
        return await self._in_thread(lambda: snapshot.count if (snapshot := self._snapshot()) else 0)

    async def ping(self) -> None:
        """Returns when the index can be read; one that is not there yet can (it is empty).

        Raises:
            DependencyUnavailable: It cannot.
        """
        await self._in_thread(self._snapshot)

    async def close(self) -> None:
        """Lets running searches end and refuses new ones. Idempotent."""
        self._closed = True
        self._pool.shutdown(wait=False)
        self._text_pool.shutdown(wait=False)
        self._view = None

    def sentence_vectors(self, texts: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """See `SentenceVectors`; takes some 0.2 ms for 48 texts."""
        snapshot = self._readable()
        return known_vectors(snapshot.sentences if snapshot else (), texts, self._embedder.dimensions)

    def sentence_states(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """See `SentenceVectors`."""
        snapshot = self._readable()
        return known_states(snapshot.states if snapshot else (), texts)

    def _readable(self) -> Snapshot | None:
        """The newest state; None where there is none, or it cannot be read."""
        with suppress(DependencyUnavailable), self._told():
            return self._snapshot()
        return None

    def documents(self) -> list[StoredDocument]:
        """See `Catalogue.documents`."""
        with self._told():
            snapshot = self._snapshot()
            return snapshot.documents() if snapshot else []

    def changed_at(self) -> float:
        """See `Catalogue.changed_at`."""
        with self._told():
            stamp = self._meta_stamp(self._read_manifest(MANIFEST))
        return stamp[2] / 1e9 if stamp else 0.0

    def passages_of(self, document: StoredDocument) -> list[Passage]:
        """See `Catalogue.passages_of`."""
        with self._told():
            snapshot = self._snapshot()
            return snapshot.passages_of(document) if snapshot else []

    def index(
        self, documents: Iterable[Document | LeftOut], *, roots: Sequence[str] = (), progress: ProgressBar | None = None
    ) -> IndexReport:
        """Adds and replaces `documents`, and removes those that lie under `roots` but are not among them.

        Blocks; call it from a thread of its own when a loop runs. Commits every so often, so a run that was killed or
        failed keeps what it had committed, and the next one carries on.

        Args:
            documents: May be lazy. A document without text has no passages and does not count.
            roots: Absolute paths of folders and files whose documents leave when they did not come.
            progress: See `ProgressBar`.

        Returns:
            Documents by what became of them, and the passages written.

        Raises:
            DependencyUnavailable: Somebody else is writing, or the disk refuses.
            ConfigurationError: The index was made by another embedder or version, or the folder cannot be written to.
        """
        with writer_lock(self._folder):
            name = REBUILD if self._rebuild else MANIFEST
            writer = self._writer(name)
            report = index_documents(writer, self._embedder, documents, roots, progress)
            if self._rebuild:
                (self._folder / REBUILD).replace(self._folder / MANIFEST)
                sync_folder(self._folder)
                self._rebuild = False
            self._remove_other_generations()
        return report

    async def _candidates(self, wanted: Wanted, choose: Choose) -> list[Passage]:
        """See `CandidateSource`."""
        return await self._in_thread(lambda: self._chosen(wanted, choose))

    def _chosen(self, wanted: Wanted, choose: Choose) -> list[Passage]:
        snapshot = self._snapshot()
        if snapshot is None:
            return []
        # The text half runs while the query is being encoded.
        text = self._beside(lambda: snapshot.search_text(wanted.query, wanted.depth)) if wanted.text else None
        dense = snapshot.search_dense(wanted.vector(), wanted.depth) if wanted.dense else []
        return choose(Candidates(text.result() if text else [], dense, snapshot.passage))

    def _beside(self, work: Callable[[], Result]) -> Future[Result]:
        """`work`, begun in another thread."""
        try:
            return self._text_pool.submit(work)
        except RuntimeError as error:
            raise DependencyUnavailable("index", "it has been closed") from error

    async def _in_thread(self, work: Callable[[], Result]) -> Result:
        if self._closed:
            raise DependencyUnavailable("index", "it has been closed")

        def told() -> Result:
            with self._told():
                return work()

        return await asyncio.get_running_loop().run_in_executor(self._pool, told)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Whatever reading a damaged index raises within is `DependencyUnavailable`, a panic too."""
        try:
            with panics_told(self._folder):
                yield
        except (OSError, ValueError) as error:
            raise damaged(self._folder, error) from error

    def _snapshot(self) -> Snapshot | None:
        """The newest commit; None when there is no index."""
        view = self._view
        if view is not None and self._is_current(view):
            if view.snapshot:
                check_sizes(view.snapshot.sizes)
            return view.snapshot
        # One thread looks anew; the others go on with what they have, if they have something.
        if not self._loading.acquire(blocking=view is None):
            return view.snapshot if view else None
        try:
            view = self._view
            if view is None or not self._is_current(view):
                view = self._view = self._look()
            return view.snapshot
        finally:
            self._loading.release()

    def _is_current(self, view: _View) -> bool:
        return view.manifest_stamp == self._stamp(MANIFEST) and view.meta_stamp == self._meta_stamp(view.manifest)

    def _meta_stamp(self, manifest: Manifest | None) -> _Stamp:
        return self._stamp(f"{manifest.generation}/{TEXT_FOLDER}/meta.json") if manifest else None

    def _stamp(self, name: str) -> _Stamp:
        try:
            status = os.stat(f"{self._folder}/{name}")  # noqa: PTH116 - a Path costs more than the call
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DependencyUnavailable("index", f"{self._folder} cannot be read") from error
        return status.st_ino, status.st_size, status.st_mtime_ns

    def _look(self) -> _View:
        """Takes a snapshot; again when a writer changed things meanwhile."""
        failure: Exception | None = None
        for _ in range(_TRIES):
            # The stamps first: what changes after them is seen by the next search.
            manifest_stamp = self._stamp(MANIFEST)
            try:
                manifest = self._read_manifest(MANIFEST)
                meta_stamp = self._meta_stamp(manifest)
                self._refuse_lost(manifest, meta_stamp)
                snapshot = self._take(manifest) if manifest else None
            except ConfigurationError as error:
                raise DependencyUnavailable("index", str(error)) from error
            except (OSError, ValueError, TornSnapshotError) as error:
                failure = error
                continue
            self._seen = self._seen or snapshot is not None
            return _View(manifest_stamp, meta_stamp, manifest, snapshot)
        raise damaged(self._folder, failure) from failure

    def _refuse_lost(self, manifest: Manifest | None, meta_stamp: _Stamp) -> None:
        """An index that was never there is an empty one; one that was there, or whose manifest is gone, is not.

        Raises:
            DamagedError: It has been lost.
        """
        if manifest and meta_stamp is None:
            raise DamagedError(self._folder / manifest.generation / TEXT_FOLDER / META, "is missing")
        if manifest:
            return
        rebuilt = self._named(REBUILD)
        lost = [
            path
            for path in self._folder.glob(f"g-*/{VECTOR_FOLDER}/*{SUFFIX}")
            if not (rebuilt and path.parts[-3] == rebuilt.generation)
        ]
        if self._seen or lost:
            raise DamagedError(self._folder / MANIFEST, "is missing")

    def _take(self, manifest: Manifest) -> Snapshot:
        former = self._view
        same = former is not None and former.manifest == manifest
        return Snapshot.take(self._folder / manifest.generation, former.snapshot if former and same else None)

    def _read_manifest(self, name: str) -> Manifest | None:
        manifest = read_manifest(self._folder / name)
        if manifest:
            check_manifest(self._folder, manifest, Manifest.for_embedder(self._embedder, manifest.generation))
        return manifest

    def _writer(self, name: str) -> GenerationWriter:
        """A writer of the generation that the manifest `name` names; of a new one where there is none to go on with."""
        manifest = self._resumable(name)
        if manifest:
            try:
                return GenerationWriter(self._folder / manifest.generation)
            except DependencyUnavailable:
                if not self._rebuild:
                    raise
        manifest = Manifest.for_embedder(self._embedder, f"g-{secrets.token_hex(4)}")
        # First the generation, then what names it: a manifest whose generation is not there is a damaged index.
        writer = GenerationWriter(self._folder / manifest.generation)
        manifest.write(self._folder / name)
        return writer

    def _resumable(self, name: str) -> Manifest | None:
        """The manifest to go on under; none where there is none, or only another embedder's rebuild."""
        try:
            manifest = self._read_manifest(name)
            if manifest is None and not self._rebuild:
                self._refuse_lost(None, None)
        except DamagedError as error:
            raise damaged(self._folder, error) from error
        except ConfigurationError:
            if not self._rebuild:
                raise
            return None
        return manifest

    def _remove_other_generations(self) -> None:
        """Removes what a rebuild has replaced. Readers that hold it keep it; the disk gets it back when they let go."""
        named = {manifest.generation for name in (MANIFEST, REBUILD) if (manifest := self._named(name))}
        for path in self._folder.glob("g-*"):
            if path.name not in named:
                shutil.rmtree(path, ignore_errors=True)

    def _named(self, name: str) -> Manifest | None:
        with suppress(ConfigurationError):
            return read_manifest(self._folder / name)
        return None
