"""The index in Elasticsearch: more passages than one machine holds, and more than one engine that reads them.

One `_msearch` asks for both halves; they are fused by the same `HybridSearch` as the embedded index's, because the
server's own fusion needs a licence and weighs otherwise. Terms are made here too (`mapping`). Documents are put into a
new version that replaces the one being read when it is whole (`versions`, `writer`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from classifier.embedder import Embedder
from engine.domain import Passage
from engine.retrieval.elastic.catalogue import documents_in, passages_in
from engine.retrieval.elastic.client import Connection, unavailable
from engine.retrieval.elastic.indexing import check_index, index_into, refusal, roll_back, wanted_manifest
from engine.retrieval.elastic.mapping import cosine_of, dense_search, manifest_of, passage_of, text_search
from engine.retrieval.elastic.reader import AbsentIndexError, Hit, Reader, RefusedSearchError
from engine.retrieval.hybrid import Candidates, Choose, HybridSearch, Wanted
from engine.retrieval.port import Document, Half, IndexReport, LeftOut, ProgressBar, StoredDocument

#: The most that the server finds in one search.
_MOST = 10_000
#: Seconds that a search may take.
SEARCH_SECONDS = 2.0
#: Times that a search is made when a new version comes in meanwhile.
_TRIES = 3


class ElasticIndex:
    """`Retriever` and `Indexer` over one alias of an Elasticsearch server, 9.3 or newer.

    Making one asks nothing of the server. An index that was never there is an empty one; one that was there and is
    gone is a failure. For one event loop, as its connections are; `index`, `check` and `roll_back` block and have
    connections of their own.

    Args:
        connection: Where.
        embedder: Of queries and passages.
        rebuild: `index` begins with nothing instead of with what is there (or carries on a rebuild that was killed).
        budget: Seconds that a search may take.
    """

    def __init__(
        self,
        connection: Connection,
        embedder: Embedder,
        *,
        rebuild: bool = False,
        budget: float = SEARCH_SECONDS,
    ) -> None:
        self._connection = connection
        self._embedder = embedder
        self._hybrid = HybridSearch(embedder, self._candidates, most=_MOST)
        self._rebuild = rebuild
        self._budget = budget
        self._reader = Reader(connection, budget=budget)
        self._wanted = wanted_manifest(embedder)
        #: The version whose vectors are known to be this embedder's; empty before one was seen.
        self._verified = ""
        #: The look at a new version that is under way: of many searches that meet one, the first looks for all of them.
        self._looking: asyncio.Task[str] | None = None

    def check(self) -> None:
        """Refuses an index that was made otherwise; does nothing while the server cannot be asked.

        Raises:
            ConfigurationError: Names what differs and the mend.
        """
        self._verified = check_index(self._connection, self._embedder)

    async def search(self, query: str, *, k: int = 8, half: Half = Half.BOTH) -> list[Passage]:
        """See `HybridSearch.search`; the server has to answer within the budget, wholly, and with the right index."""
        return await self._hybrid.search(query, k=k, half=half)

    async def count(self) -> int:
        """Passages in the index.

        Raises:
            DependencyUnavailable: The server does not answer.
        """
        try:
            return await self._reader.count()
        except AbsentIndexError:
            self._only_if_never_seen()
            return 0

    async def ping(self) -> None:
        """Returns when the index can be asked; one that was never there can (it is empty).

        Raises:
            DependencyUnavailable: It cannot, or was made otherwise.
        """
        await self._verify()

    async def close(self) -> None:
        """Closes the connections and refuses new questions. Idempotent."""
        await self._reader.close()

    def documents(self) -> list[StoredDocument]:
        """See `Catalogue.documents`; of the version that is read."""
        return documents_in(self._connection)

    def changed_at(self) -> float:
        """See `Catalogue.changed_at`; the server is not asked."""
        return 0.0

    def passages_of(self, document: StoredDocument) -> list[Passage]:
        """See `Catalogue.passages_of`."""
        return passages_in(self._connection, document)

    def index(
        self, documents: Iterable[Document | LeftOut], *, roots: Sequence[str] = (), progress: ProgressBar | None = None
    ) -> IndexReport:
        """Adds and replaces `documents`, and removes those that lie under `roots` but are not among them.

        Blocks. Readers see what was there before until all of it is in; then all at once. A run that was killed or
        failed is carried on by the next, which may have to wait some seconds for the killed one's lease to end.

        Args:
            documents: May be lazy. A document without text has no passages and does not count.
            roots: Absolute paths of folders and files whose documents leave when they did not come.
            progress: See `ProgressBar`.

        Returns:
            Documents by what became of them, and the passages written.

        Raises:
            DependencyUnavailable: Somebody else is writing, or the server refuses.
            ConfigurationError: The index was made by another embedder or version.
        """
        report = index_into(
            self._connection, self._embedder, documents, roots=roots, progress=progress, rebuild=self._rebuild
        )
        self._rebuild = False
        return report

    def roll_back(self) -> str:
        """Reads the version before the last indexing run again; the version's name.

        Raises:
            ConfigurationError: There is none, or it was made otherwise.
            DependencyUnavailable: The server refuses, or somebody is writing.
        """
        return roll_back(self._connection, self._embedder)

    async def _candidates(self, wanted: Wanted, choose: Choose) -> list[Passage]:
        """See `CandidateSource`."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._budget
        text = text_search(wanted.query, wanted.depth) if wanted.text else None
        vector = await loop.run_in_executor(None, wanted.vector) if wanted.dense else None
        bodies = [text] if text else []
        bodies += [] if vector is None else [dense_search(vector, wanted.depth)]
        if not bodies:
            return []
        found = await self._found(bodies, until)
        words, neighbours = found[0] if text else [], found[-1] if vector is not None else []
        shown = {hit["_id"]: hit["_source"]["shown"] for hit in (*words, *neighbours)}
        candidates = Candidates(
            [(str(hit["_id"]), float(hit["_score"])) for hit in words],
            [(str(hit["_id"]), cosine_of(hit["_score"])) for hit in neighbours],
            lambda key, score: passage_of(shown[key], score),
        )
        return await loop.run_in_executor(None, choose, candidates)

    async def _found(self, bodies: list[dict[str, Any]], until: float) -> list[list[Hit]]:
        """The hits of each search, all from one version whose vectors are the embedder's."""
        for _ in range(_TRIES):
            try:
                found = await self._reader.search(bodies, within=until - asyncio.get_running_loop().time())
            except AbsentIndexError:
                self._only_if_never_seen()
                return [[] for _ in bodies]
            except RefusedSearchError:
                await self._verify()  # says so when the vectors have another length
                raise unavailable("it refuses the search: is it Elasticsearch 9.3 or newer?") from None
            versions = {hit["_index"] for hits in found for hit in hits}
            if versions <= {self._verified}:
                return found
            # An indexing run has ended. Its version has to be looked at; answers from two versions do not go together.
            if len(versions) == 1 and await self._looked() in versions:
                return found
        raise unavailable("the index was replaced several times during one search")

    async def _looked(self) -> str:
        """See `_verify`; of the look that is under way, where there is one. To give up waiting does not end it."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._verify())
        return await asyncio.shield(self._looking)

    async def _verify(self) -> str:
        """The version that is read now, when it can be used; empty when there never was one."""
        try:
            name, meta = await self._reader.meta()
        except AbsentIndexError:
            self._only_if_never_seen()
            return ""
        problem = refusal(name, manifest_of(name, meta), self._wanted)
        if problem:
            raise unavailable(problem)
        self._verified = name
        return name

    def _only_if_never_seen(self) -> None:
        """An index that has not been filled is an empty one; one that was there has been lost."""
        if self._verified:
            raise unavailable(
                f"the index {self._connection.index} is gone; fill it with `assistance-engine index PATH...`"
            )
