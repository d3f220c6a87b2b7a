"""Where passages are kept and searched: the embedded index beside LanceDB, Chroma and Qdrant, on the same vectors.

Each is asked through its own interface, in the way its documentation begins with: LanceDB without an index over its
vectors (exact), Chroma with its graph, Qdrant's local mode (exact).
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.retrieval.local.index import LocalIndex
from engine.retrieval.port import Document, Half
from scripts.benchmarks.peers.corpus import DIMENSIONS, Corpus, Vectors

_K = 10
#: Rows that are given to a store at once.
_BATCH = 5_000


class Store(Protocol):
    """One place for passages.

    Attributes:
        hybrid: Whether it searches by words and vectors together.
    """

    hybrid: bool

    @abstractmethod
    def fill(self, corpus: Corpus) -> None:
        """Takes the passages, numbered from 0, and makes what its searches need."""

    @abstractmethod
    def search(self, text: str, vector: Vectors, *, hybrid: bool) -> list[int]:
        """The numbers of the ten best."""

    def close(self) -> None:
        """Gives back what it holds."""
        return


class Known(Embedder):
    """An `Embedder` that looks up the vectors of a corpus."""

    id = "bench-known"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self.vectors: dict[str, Vectors] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.embed`."""
        return np.stack([self.vectors[text] for text in texts])


class Ours(Store):
    """The embedded index."""

    hybrid = True

    def __init__(self, folder: Path) -> None:
        self._known = Known()
        self._index = LocalIndex(folder, self._known)
        self._loop = asyncio.new_event_loop()

    def fill(self, corpus: Corpus) -> None:
        """See `Store.fill`."""
        self._known.vectors = dict(zip(corpus.texts, corpus.vectors, strict=True))
        self._index.index(
            Document(str(number), "", text, "passage", f"/bench#{number}", f"{number:064x}")
            for number, text in enumerate(corpus.texts)
        )

    def search(self, text: str, vector: Vectors, *, hybrid: bool) -> list[int]:
        """See `Store.search`."""
        self._known.vectors[text] = vector
        half = Half.BOTH if hybrid else Half.DENSE
        found = self._loop.run_until_complete(self._index.search(text, k=_K, half=half))
        return [int(passage.id) for passage in found]

    def close(self) -> None:
        """See `Store.close`."""
        self._loop.run_until_complete(self._index.close())
        self._loop.close()


class Lance(Store):
    """LanceDB: a table with a text index."""

    hybrid = True

    def __init__(self, folder: Path) -> None:
        import lancedb

        self._database = lancedb.connect(str(folder))
        self._table: Any = None

    def fill(self, corpus: Corpus) -> None:
        """See `Store.fill`."""
        import pyarrow as pa

        for at in range(0, len(corpus.texts), _BATCH):
            rows = corpus.vectors[at : at + _BATCH]
            vectors = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), DIMENSIONS)
            numbers = pa.array(range(at, at + len(rows)))
            texts = pa.array(corpus.texts[at : at + _BATCH])
            batch = pa.table({"number": numbers, "text": texts, "vector": vectors})
            if self._table is None:
                self._table = self._database.create_table("passages", batch)
            else:
                self._table.add(batch)
        self._table.create_fts_index("text")

    def search(self, text: str, vector: Vectors, *, hybrid: bool) -> list[int]:
        """See `Store.search`."""
        if hybrid:
            query = self._table.search(query_type="hybrid").vector(vector).text(text)
        else:
            query = self._table.search(vector).distance_type("cosine")
        return [int(row["number"]) for row in query.select(["number", "text"]).limit(_K).to_list()]


class Chroma(Store):
    """Chroma: a persistent collection; its open-source search by vector alone."""

    hybrid = False

    def __init__(self, folder: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        self._client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
        self._passages: Any = None

    def fill(self, corpus: Corpus) -> None:
        """See `Store.fill`."""
        self._passages = self._client.create_collection(
            "passages", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )
        for at in range(0, len(corpus.texts), _BATCH):
            rows = corpus.vectors[at : at + _BATCH]
            numbers = [str(number) for number in range(at, at + len(rows))]
            self._passages.add(ids=numbers, embeddings=rows, documents=corpus.texts[at : at + _BATCH])

    def search(self, text: str, vector: Vectors, *, hybrid: bool) -> list[int]:
        """See `Store.search`."""
        del text, hybrid
        found = self._passages.query(query_embeddings=[vector], n_results=_K, include=["documents"])
        return [int(number) for number in found["ids"][0]]


class Qdrant(Store):
    """Qdrant in local mode: no server, exact search by vector."""

    hybrid = False

    def __init__(self, folder: Path) -> None:
        from qdrant_client import QdrantClient

        self._client = QdrantClient(path=str(folder))

    def fill(self, corpus: Corpus) -> None:
        """See `Store.fill`."""
        from qdrant_client import models

        vectors = models.VectorParams(size=DIMENSIONS, distance=models.Distance.COSINE)
        self._client.create_collection("passages", vectors_config=vectors)
        payload = ({"text": text} for text in corpus.texts)
        self._client.upload_collection("passages", corpus.vectors, payload, ids=range(len(corpus.texts)))

    def search(self, text: str, vector: Vectors, *, hybrid: bool) -> list[int]:
        """See `Store.search`."""
        del text, hybrid
        found = self._client.query_points("passages", query=vector, limit=_K, with_payload=True)
        return [int(point.id) for point in found.points]

    def close(self) -> None:
        """See `Store.close`."""
        self._client.close()


#: By the name that the report shows, ours first.
STORES: dict[str, Callable[[Path], Store]] = {
    "this engine": Ours,
    "LanceDB": Lance,
    "Chroma": Chroma,
    "Qdrant local": Qdrant,
}
