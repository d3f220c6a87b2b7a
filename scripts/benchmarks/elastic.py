"""The index in Elasticsearch against the same requests sent bare, where TEST_ELASTICSEARCH_ADDRESS names a server."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from elasticsearch import AsyncElasticsearch, Elasticsearch
from elasticsearch.helpers import streaming_bulk

from engine.retrieval.elastic.client import Connection, reading_client
from engine.retrieval.elastic.index import ElasticIndex
from engine.retrieval.elastic.indexing import wanted_manifest
from engine.retrieval.elastic.mapping import SETTINGS, dense_search, mapping, meta_of, passage_key, stored, text_search
from engine.retrieval.hybrid import CANDIDATES
from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.ingestion.indexing import fingerprint_of
from scripts.benchmarks.harness.material import Resolution
from scripts.benchmarks.harness.report import Row, Section, median, percentile
from scripts.benchmarks.retrieval import QUERY_WORDS, StoredVectors, documents, words

VARIABLE = "TEST_ELASTICSEARCH_ADDRESS"
_SIZE, _QUICK_SIZE = 5_000, 1_000
_WARM_UP = 20
_NOTE = (
    "passages, questions and vectors as in the section retrieval; the embedder returns stored vectors. The peer of a "
    "search is the client's own _msearch with the same two bodies, decoded and not looked at; the peer of indexing is "
    "elasticsearch.helpers.streaming_bulk of the same prepared passages into an index of the same mapping, refreshed."
)


def measure(material: Resolution) -> Section:
    """Milliseconds of a search and passages per second of indexing; nothing without a server."""
    address = material.addresses.get(VARIABLE, "")
    if not address:
        return Section("elastic", note=f"not measured: {VARIABLE} is not set (scripts/with_backends.py sets it)")
    size, rounds = (_QUICK_SIZE, 100) if material.quick else (_SIZE, 300)
    with _own(address) as connection:
        # A first run for the server's caches and compilers; then the sides take turns.
        _fill(connection, size)
        pairs = [(_fill(connection, size), _fill_bare(connection, size)) for _ in range(1 if material.quick else 3)]
        search = asyncio.run(_searches(connection, size, rounds))
    ours, bare = (median([pair[side] for pair in pairs]) for side in (0, 1))
    name = f"Indexing {size:,} passages into Elasticsearch"
    return Section(
        "elastic", [search, Row(name, "passages/s", ours, bare, "helpers.streaming_bulk", len(pairs))], _NOTE
    )


@contextmanager
def _own(address: str) -> Iterator[Connection]:
    connection = Connection(address, f"bench-{uuid.uuid4().hex[:8]}")
    try:
        yield connection
    finally:
        with Elasticsearch(address, request_timeout=60) as client:
            client.indices.delete(index=[*client.indices.get(index=f"{connection.index}-*", expand_wildcards="all")])


def _fill(connection: Connection, size: int) -> float:
    """Passages per second of a whole run of ours: chunking, terms, bulk, verification, swap."""
    index = ElasticIndex(connection, StoredVectors(), rebuild=True)
    return _rate(size, lambda: index.index(documents(size)))


def _fill_bare(connection: Connection, size: int) -> float:
    """Passages per second of sending what has been prepared."""
    embedder = StoredVectors()
    name = f"{connection.index}-bare"
    bodies = []
    for document in documents(size):
        (part,) = chunk(document)
        (vector,) = embedder.embed([part.searchable])
        body = stored(part, vector, fingerprint_of(document), 1)
        bodies.append({"_index": name, "_id": passage_key(document.source, 0), "_source": body})
    with Elasticsearch(**connection.options(), request_timeout=60) as client:
        client.indices.delete(index=name, ignore_unavailable=True)
        meta = meta_of(wanted_manifest(embedder), None, rebuild=True)
        client.indices.create(index=name, settings=SETTINGS, mappings=mapping(meta, embedder.dimensions))

        def send() -> None:
            for _ in streaming_bulk(client, bodies):
                pass
            client.indices.refresh(index=name)

        return _rate(size, send)


def _rate(size: int, work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return size / (time.perf_counter() - started)


async def _searches(connection: Connection, size: int, rounds: int) -> Row:
    embedder = StoredVectors()
    index = ElasticIndex(connection, embedder)
    queries = [" ".join(line) for line in words(11, rounds + _WARM_UP, QUERY_WORDS)]
    ours: list[float] = []
    bare: list[float] = []
    async with reading_client(connection, 10.0) as client:
        for place, query in enumerate(queries):
            sides = [(ours, index.search(query)), (bare, _bare(client, connection, query, embedder.vectors[place]))]
            for times, asked in sides if place % 2 else reversed(sides):
                started = time.perf_counter()
                await asked
                times.append((time.perf_counter() - started) * 1000)
    await index.close()
    warm, peers = ours[_WARM_UP:], bare[_WARM_UP:]
    more = {"p95 ms": percentile(warm, 0.95), "peer p95 ms": percentile(peers, 0.95)}
    name = f"Hybrid search of {size:,} passages in Elasticsearch, p50"
    return Row(name, "ms", median(warm), median(peers), "bare _msearch", rounds, more)


async def _bare(client: AsyncElasticsearch, connection: Connection, query: str, vector: Any) -> object:
    header = {"index": connection.index}
    text = text_search(query, CANDIDATES)
    return await client.msearch(searches=[header, text or {}, header, dense_search(vector, CANDIDATES)])
