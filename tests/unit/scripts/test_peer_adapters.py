"""How the comparison asks other libraries: each over a small stand-in that holds what it was given and searches exactly."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from langgraph.checkpoint.memory import InMemorySaver

from engine.retrieval.port import Chunk
from scripts.benchmarks.peers import contender, memory
from scripts.benchmarks.peers.chats import CHATS, Chat
from scripts.benchmarks.peers.corpus import DIMENSIONS, Corpus, Vectors, generated, recall
from scripts.benchmarks.peers.stores import Chroma, Lance, Qdrant, Store

Install = Callable[..., None]


class Rows:
    """Vectors by number."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.vectors = np.empty((0, DIMENSIONS), dtype=np.float32)
        self.texts: list[str] = []

    def add(self, numbers: Iterable[int], vectors: Any, texts: Iterable[str]) -> None:
        self.numbers += list(numbers)
        self.vectors = np.concatenate([self.vectors, np.asarray(vectors, dtype=np.float32).reshape(-1, DIMENSIONS)])
        self.texts += list(texts)

    def nearest(self, vector: Vectors, count: int) -> list[int]:
        order = np.argsort(-(self.vectors @ np.asarray(vector, dtype=np.float32)), kind="stable")[:count]
        return [self.numbers[place] for place in order]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a module in the place of a library."""

    def put(name: str, **names: object) -> None:
        module = ModuleType(name)
        vars(module).update(names)
        monkeypatch.setitem(sys.modules, name, module)

    return put


@pytest.fixture
def corpus() -> Corpus:
    return generated(300, 12)


def found(store: Store, corpus: Corpus, *, hybrid: bool = False) -> float:
    """The recall of a store that has been filled."""
    asked = zip(corpus.questions, corpus.asked, strict=True)
    return recall([store.search(text, vector, hybrid=hybrid) for text, vector in asked], corpus.nearest)


class LanceQuery:
    """A query that is put together word by word."""

    def __init__(self, rows: Rows, vector: Vectors | None) -> None:
        self._rows = rows
        self._vector = vector
        self.said: list[str] = []

    def vector(self, vector: Vectors) -> LanceQuery:
        self._vector = vector
        return self

    def text(self, text: str) -> LanceQuery:
        self.said.append(text)
        return self

    def distance_type(self, name: str) -> LanceQuery:
        assert name == "cosine"
        return self

    def select(self, names: Sequence[str]) -> LanceQuery:
        assert "number" in names
        return self

    def limit(self, count: int) -> LanceQuery:
        self._count = count
        return self

    def to_list(self) -> list[dict[str, int]]:
        assert self._vector is not None
        return [{"number": number} for number in self._rows.nearest(self._vector, self._count)]


class LanceTable:
    """A table, and the fields that have a text index."""

    def __init__(self, batch: dict[str, Any]) -> None:
        self.rows = Rows()
        self.indexed: list[str] = []
        self.add(batch)

    def add(self, batch: dict[str, Any]) -> None:
        self.rows.add(batch["number"], batch["vector"], batch["text"])

    def create_fts_index(self, field: str) -> None:
        self.indexed.append(field)

    def search(self, vector: Vectors | None = None, query_type: str = "vector") -> LanceQuery:
        assert query_type == ("hybrid" if vector is None else "vector")
        return LanceQuery(self.rows, vector)


def test_lancedb_is_filled_in_batches_and_searched_both_ways(
    install: Install, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[LanceTable] = []

    def create_table(_: str, batch: dict[str, Any]) -> LanceTable:
        made.append(LanceTable(batch))
        return made[0]

    install("lancedb", connect=lambda folder: SimpleNamespace(create_table=create_table, folder=folder))
    listed = SimpleNamespace(from_arrays=lambda values, width: values)
    install("pyarrow", FixedSizeListArray=listed, array=list, table=dict)
    monkeypatch.setattr("scripts.benchmarks.peers.stores._BATCH", 128)
    store = Lance(tmp_path)
    store.fill(corpus)
    assert len(made) == 1
    assert (made[0].rows.numbers, made[0].rows.texts) == (list(range(300)), corpus.texts)
    assert made[0].indexed == ["text"]
    assert found(store, corpus) == 1.0
    assert found(store, corpus, hybrid=True) == 1.0


class ChromaCollection(Rows):
    """A collection, asked as Chroma's is."""

    def put(self, *, ids: list[str], embeddings: Vectors, documents: list[str]) -> None:
        self.add(map(int, ids), embeddings, documents)

    def query(self, *, query_embeddings: list[Vectors], n_results: int, include: list[str]) -> dict[str, Any]:
        assert include == ["documents"]
        return {"ids": [[str(number) for number in self.nearest(one, n_results)] for one in query_embeddings]}


def test_chroma_is_given_numbers_as_text_and_asked_by_vector(install: Install, corpus: Corpus, tmp_path: Path) -> None:
    rows = ChromaCollection()
    asked: dict[str, Any] = {}

    def create_collection(name: str, **how: Any) -> SimpleNamespace:
        asked.update(how, name=name)
        return SimpleNamespace(add=rows.put, query=rows.query)

    client = SimpleNamespace(create_collection=create_collection)
    install("chromadb", PersistentClient=lambda _folder, _settings: client)
    install("chromadb.config", Settings=lambda anonymized_telemetry: anonymized_telemetry)
    store = Chroma(tmp_path)
    store.fill(corpus)
    assert asked["configuration"] == {"hnsw": {"space": "cosine"}}
    assert asked["embedding_function"] is None  # its default would fetch a model
    assert found(store, corpus) == 1.0
    assert not store.hybrid


def test_qdrant_is_closed_and_asked_by_vector(install: Install, corpus: Corpus, tmp_path: Path) -> None:
    rows, closed, asked = Rows(), [], {}

    def upload(_: str, vectors: Vectors, payload: Iterable[dict[str, str]], ids: Iterable[int]) -> None:
        rows.add(ids, vectors, [one["text"] for one in payload])

    def query(_: str, *, query: Vectors, limit: int, with_payload: bool) -> SimpleNamespace:
        assert with_payload  # the others give the text too
        return SimpleNamespace(points=[SimpleNamespace(id=number) for number in rows.nearest(query, limit)])

    client = SimpleNamespace(
        create_collection=lambda _name, vectors_config: asked.update(vectors_config),
        upload_collection=upload,
        query_points=query,
        close=lambda: closed.append(True),
    )
    models = SimpleNamespace(VectorParams=dict, Distance=SimpleNamespace(COSINE="cosine"))
    install("qdrant_client", QdrantClient=lambda path: client, models=models)
    store = Qdrant(tmp_path)
    store.fill(corpus)
    assert asked == {"size": DIMENSIONS, "distance": "cosine"}
    assert found(store, corpus) == 1.0
    store.close()
    assert closed == [True]


async def test_a_graph_with_a_checkpointer_keeps_the_session(install: Install, tmp_path: Path) -> None:
    saver = InMemorySaver()

    @asynccontextmanager
    async def opened(path: str) -> AsyncGenerator[InMemorySaver]:
        assert Path(path).parent == tmp_path
        yield saver

    install("langgraph.checkpoint.sqlite.aio", AsyncSqliteSaver=SimpleNamespace(from_conn_string=opened))
    install("langgraph.checkpoint.sqlite")
    found = await memory.langgraph(tmp_path, 10)
    assert set(found) == {"10"}
    kept = saver.get({"configurable": {"thread_id": "long"}})
    assert kept is not None
    assert len(kept["channel_values"]["messages"]) == 2 * 14  # a question and a reply each, of 10 turns and 4 more


class Parrot(Chat):
    """Says a question in two pieces."""

    def __init__(self) -> None:
        self.sessions: list[str] = []
        self.closed = False
        self.passages = 0

    async def start(self, chunks: Sequence[Chunk]) -> None:
        self.passages = len(chunks)

    async def answer(self, query: str, session: str) -> AsyncGenerator[str]:
        self.sessions.append(session)
        yield query[:3]
        await asyncio.sleep(0)  # others have their turn
        yield query[3:]

    async def close(self) -> None:
        self.closed = True


def test_a_chat_is_asked_by_one_caller_and_then_by_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parrot = Parrot()
    monkeypatch.setitem(CHATS, "parrot", lambda _own, _data: parrot)
    monkeypatch.setattr("scripts.benchmarks.peers.chats.passages_of", lambda _data: [None] * 7)
    figures = contender.chat("parrot", 10, tmp_path, tmp_path)
    assert parrot.closed
    assert parrot.passages == 7
    assert len(set(parrot.sessions[1:11])) == 5  # sessions of two turns, after one that warms up
    assert len(parrot.sessions) == 11 + 3 * 64
    assert len(set(parrot.sessions[11:])) == 1 + 8 + 32  # a session each
    assert {f"turns/s at {callers}" for callers in (1, 8, 32)} <= set(figures)
    assert 0 < figures["first text p50 ms"] <= figures["turn p50 ms"]
