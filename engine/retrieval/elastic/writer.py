"""Writing a version: passages and vectors in, in bulk, while nobody reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from elasticsearch import Elasticsearch
from elasticsearch.helpers import streaming_bulk
from numpy.typing import NDArray

from engine.retrieval.analysis import well_formed
from engine.retrieval.elastic.catalogue import fingerprints_in
from engine.retrieval.elastic.client import BUSY, problem_of_status, unavailable
from engine.retrieval.elastic.mapping import dense_search, meta_of, passage_key, stored
from engine.retrieval.elastic.versions import Version, Versions, count_of
from engine.retrieval.ingestion.indexing import fingerprint_of, source_of
from engine.retrieval.manifest import Manifest
from engine.retrieval.port import Chunk, Document
from engine.retrieval.sentences import EncodedSentences

#: Of one bulk request: some 3 KB a passage, far below what the server takes.
_BULK_PASSAGES = 500
_BULK_BYTES = 10_000_000
#: What the server refuses for lack of room is sent again after 0.5, 1, 2 ... 10 s; half a minute in all.
_BULK_RETRIES, _FIRST_PAUSE, _LONGEST_PAUSE = 6, 0.5, 10.0


@dataclass(frozen=True, slots=True)
class _Held:
    """What a version holds of one source.

    Attributes:
        fingerprint: Of the document; empty when it is not whole, as it is after a kill.
        parts: Passages that may be there, numbered from 0.
    """

    fingerprint: str
    parts: int


class VersionWriter:
    """The one writer of the next version; whoever makes one holds the writer's lease. See `PassageWriter`.

    The version is begun with the first change: as a copy of what is read, or empty for a rebuild. One that a killed run
    has left is carried on. Nobody sees it before `publish`.

    Args:
        client: What it raises is left as it is.
        versions: Of the index.
        manifest: Whose vectors will come.
        rebuild: Begin empty.
        confirm: Called before anything is sent; raises when the lease was lost.
    """

    #: The engine that quotes a passage keeps the vectors of its sentences in memory.
    keeps_sentences = False

    def __init__(
        self,
        client: Elasticsearch,
        versions: Versions,
        manifest: Manifest,
        *,
        rebuild: bool,
        confirm: Callable[[], None] = lambda: None,
    ) -> None:
        self._client = client
        self._versions = versions
        self._manifest = manifest
        self._rebuild = rebuild
        self._confirm = confirm
        self._state = versions.look()
        self._version = self._state.resumable(manifest, rebuild=rebuild)
        if self._version:
            versions.wait(self._version.name)
            client.indices.refresh(index=self._version.name)
        begun_from = self._version or (None if rebuild else self._state.current)
        self._held = _documents(client, begun_from.name) if begun_from else {}
        self._actions: list[dict[str, Any]] = []
        self._pending = 0
        self.known = {source: held.fingerprint for source, held in self._held.items()}

    @property
    def pending(self) -> int:
        """Passages that the next commit adds."""
        return self._pending

    def put(
        self,
        document: Document,
        chunks: Sequence[Chunk],
        vectors: NDArray[np.float32],
        sentences: Sequence[EncodedSentences] = (),
    ) -> None:
        """See `PassageWriter.put`."""
        del sentences
        source = well_formed(document.source)
        former = self._held.get(source)
        if not chunks:
            self.remove(source)
            return
        fingerprint = fingerprint_of(document)
        for place, (chunk, vector) in enumerate(zip(chunks, vectors, strict=True)):
            passage = stored(chunk, vector, fingerprint, len(chunks))
            self._actions.append({"_op_type": "index", "_id": passage_key(source, place), "_source": passage})
        self._delete(source, len(chunks), former.parts if former else 0)
        self._held[source] = _Held(fingerprint, len(chunks))
        self.known[source] = fingerprint
        self._pending += len(chunks)

    def remove(self, source: str) -> None:
        """See `PassageWriter.remove`."""
        if source in self._held:
            self._delete(source, 0, self._held.pop(source).parts)
            del self.known[source]

    def commit(self) -> None:
        """Sends what waits.

        Raises:
            DependencyUnavailable: The server refuses, also after being given time.
        """
        if not self._actions:
            return
        version = self._begun()
        self._confirm()
        sent, self._actions, self._pending = self._actions, [], 0
        for ok, answer in streaming_bulk(
            self._client,
            sent,
            index=version.name,
            chunk_size=_BULK_PASSAGES,
            max_chunk_bytes=_BULK_BYTES,
            max_retries=_BULK_RETRIES,
            initial_backoff=_FIRST_PAUSE,
            max_backoff=_LONGEST_PAUSE,
            retry_on_status=BUSY,
            raise_on_error=False,
        ):
            action, item = next(iter(answer.items()))
            if not ok and not (action == "delete" and item["status"] == 404):
                raise unavailable(f"a passage could not be written: {problem_of_status(int(item['status']))}")

    def publish(self) -> None:
        """Makes the version the one that is read, when it is what it should be; what was read becomes the former.

        Raises:
            DependencyUnavailable: It is not; what was read is still read.
        """
        if self._version is None and not self._rebuild:
            return
        version = self._begun()
        self._client.indices.refresh(index=version.name)
        self._verify(version)
        self._confirm()
        self._versions.publish(version, self._state)

    def close(self) -> None:
        """Forgets what was not committed."""
        self._actions, self._pending = [], 0

    def _begun(self) -> Version:
        """The version that is written to; begun when there is none."""
        if self._version is None:
            state = self._state
            self._confirm()
            numbers = [version.number for version in (state.current, state.former, *state.others) if version]
            base = state.current.name if state.current else None
            meta = meta_of(self._manifest, base, rebuild=self._rebuild)
            source = None if self._rebuild else state.current
            number = max(numbers, default=0) + 1
            self._version = self._versions.begin(number, meta, self._manifest.dimensions, source)
        return self._version

    def _delete(self, source: str, start: int, end: int) -> None:
        self._actions += [{"_op_type": "delete", "_id": passage_key(source, place)} for place in range(start, end)]

    def _verify(self, version: Version) -> None:
        """Counts, and searches once."""
        expected = sum(held.parts for held in self._held.values())
        counted = count_of(self._client, version.name)
        probe = np.zeros(self._manifest.dimensions, dtype=np.float32)
        probe[0] = 1.0
        answer = self._client.search(index=version.name, **dense_search(probe, 1))
        found = len(answer["hits"]["hits"])
        if counted != expected or found != min(expected, 1) or answer["_shards"]["failed"] or answer["timed_out"]:
            raise unavailable(
                f"the new version {version.name} holds {counted} passages instead of {expected}, or cannot be "
                "searched; what was there before is still read"
            )


def _documents(client: Elasticsearch, name: str) -> dict[str, _Held]:
    """What the version `name` holds, by source."""
    held: dict[str, _Held] = {}
    for fingerprint, count, parts in fingerprints_in(client, name):
        source = source_of(fingerprint)
        other = held.get(source)
        whole = count == parts and other is None
        held[source] = _Held(fingerprint if whole else "", max(parts, other.parts if other else 0))
    return held
