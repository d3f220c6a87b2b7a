"""The reading half against answers that are made up: what a real server does is in tests/integration."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from engine.errors import ConfigurationError, DependencyUnavailable
from engine.retrieval.elastic.client import Connection
from engine.retrieval.elastic.index import ElasticIndex
from engine.retrieval.elastic.mapping import ELASTIC_SCHEMA
from engine.retrieval.port import Half
from engine.testing import HashedWordsEmbedder
from tests.fault_proxy import Fault, FaultProxy, Hang, Reply, Request

META = {"embedder": "hashed-words-64", "dimensions": 64, "schema": ELASTIC_SCHEMA}


class MadeUp:
    """A server with one index, whose answers are its attributes.

    Attributes:
        texts: Hits of the text half as (key, passage id, score).
        dense: Of the dense half.
        versions: Which version answers each request; the last one answers all that follow.
    """

    def __init__(self) -> None:
        self.texts = [("a", "id-a", 3.0), ("b", "id-b", 2.0)]
        self.dense = [("b", "id-b", 0.9), ("c", "id-c", 0.8)]
        self.versions = ["x-v1"]
        self.meta: dict[str, object] = dict(META)
        self.lines: list[dict[str, Any]] = []

    def __call__(self, request: Request) -> Fault:
        if "_mapping" in request.path:
            return Reply(200, {self.versions[-1]: {"mappings": {"_meta": self.meta}}})
        if "_count" in request.path:
            return Reply(200, {"count": 3, "_shards": {"failed": 0}})
        self.lines = [json.loads(line) for line in request.body.splitlines() if line.strip()]
        version = self.versions.pop(0) if len(self.versions) > 1 else self.versions[0]
        bodies = self.lines[1::2]
        return Reply(200, {"responses": [self._response(body, version) for body in bodies]})

    def _response(self, body: dict[str, Any], version: str) -> dict[str, Any]:
        hits = [
            {
                "_index": version,
                "_id": key,
                "_score": score,
                "_source": {"shown": {"id": id_, "document": "d", "title": "t", "heading": "h", "text": key}},
            }
            for key, id_, score in (self.dense if "knn" in body else self.texts)
        ]
        return {"timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": hits}, "status": 200}


@pytest.fixture
def server() -> MadeUp:
    return MadeUp()


@pytest.fixture
def proxy(server: MadeUp) -> Iterator[FaultProxy]:
    with FaultProxy("http://127.0.0.1:9").running() as running:
        running.fault = server
        yield running


@pytest.fixture
async def index(proxy: FaultProxy) -> AsyncIterator[ElasticIndex]:
    opened = ElasticIndex(Connection(proxy.address, "x"), HashedWordsEmbedder(64), budget=0.5)
    yield opened
    await opened.close()


@pytest.fixture
async def patient(proxy: FaultProxy) -> AsyncIterator[ElasticIndex]:
    """For many searches at once, however slow the machine."""
    opened = ElasticIndex(Connection(proxy.address, "x"), HashedWordsEmbedder(64), budget=30)
    yield opened
    await opened.close()


async def found(index: ElasticIndex, half: Half = Half.BOTH, k: int = 8) -> list[str]:
    return [passage.text for passage in await index.search("any words", half=half, k=k)]


async def test_each_half_alone_and_both_fused(index: ElasticIndex) -> None:
    assert await found(index, Half.TEXT) == ["a", "b"]
    assert await found(index, Half.DENSE) == ["b", "c"]
    assert set(await found(index)) == {"a", "b", "c"}
    assert (await found(index))[0] == "b"
    assert len(await found(index, k=2)) == 2


async def test_a_half_that_is_not_asked_for_is_not_sent(index: ElasticIndex, server: MadeUp) -> None:
    await found(index, Half.TEXT)
    assert ["knn" in body for body in server.lines[1::2]] == [False]
    await found(index, Half.DENSE)
    assert ["knn" in body for body in server.lines[1::2]] == [True]
    await found(index)
    assert ["knn" in body for body in server.lines[1::2]] == [False, True]


async def test_only_whole_answers_are_asked_for_and_within_the_budget(index: ElasticIndex, server: MadeUp) -> None:
    await found(index)
    headers, bodies = server.lines[0::2], server.lines[1::2]
    assert all(header == {"index": "x", "allow_partial_search_results": False} for header in headers)
    assert all(0 < int(body["timeout"].removesuffix("ms")) <= 450 for body in bodies)
    assert all(body["size"] == 100 for body in bodies)


async def test_a_query_without_words_is_asked_of_the_dense_half_alone(index: ElasticIndex, server: MadeUp) -> None:
    assert [p.text for p in await index.search("???")] == ["b", "c"]
    assert await index.search("???", half=Half.TEXT) == []
    assert await index.search("  ") == []


async def test_the_same_passage_in_two_places_comes_once(index: ElasticIndex, server: MadeUp) -> None:
    server.texts = [("a", "same", 3.0), ("b", "same", 2.0), ("c", "other", 1.0)]
    assert await found(index, Half.TEXT, k=2) == ["a", "c"]


async def test_dense_scores_are_cosines(index: ElasticIndex) -> None:
    passages = await index.search("any", half=Half.DENSE)
    assert [passage.score for passage in passages] == pytest.approx([0.8, 0.6])


async def test_a_new_version_is_looked_at_once(index: ElasticIndex, proxy: FaultProxy, server: MadeUp) -> None:
    await found(index)
    await found(index)
    assert len(proxy.paths("_mapping")) == 1
    server.versions = ["x-v2"]
    assert await found(index)
    await found(index)
    assert len(proxy.paths("_mapping")) == 2


async def test_searches_that_meet_a_new_version_together_look_at_it_once(
    patient: ElasticIndex, proxy: FaultProxy, server: MadeUp
) -> None:
    assert await asyncio.gather(*(found(patient) for _ in range(12))) == [["b", "a", "c"]] * 12
    assert len(proxy.paths("_mapping")) == 1
    server.versions = ["x-v2"]
    tasks = [asyncio.create_task(found(patient)) for _ in range(12)]
    await asyncio.to_thread(proxy.wait, lambda seen: len(seen.paths("_mapping")) > 1, seconds=30)
    tasks[0].cancel()
    assert await asyncio.gather(*tasks[1:]) == [["b", "a", "c"]] * 11
    assert len(proxy.paths("_mapping")) == 2


async def test_searches_that_meet_a_version_of_another_embedder_together_are_all_refused(
    patient: ElasticIndex, proxy: FaultProxy, server: MadeUp
) -> None:
    server.meta["embedder"] = "another"
    results = await asyncio.gather(*(found(patient) for _ in range(12)), return_exceptions=True)
    assert [type(result) for result in results] == [DependencyUnavailable] * 12


async def test_answers_of_two_versions_do_not_go_together(index: ElasticIndex, server: MadeUp) -> None:
    first = server._response
    calls = iter(["x-v1", "x-v2", "x-v2", "x-v2"])
    server._response = lambda body, version: first(body, next(calls))  # type: ignore[method-assign]
    server.versions = ["x-v2"]
    assert await found(index)
    assert next(calls, None) is None


async def test_an_index_that_never_comes_to_rest_is_unavailable(index: ElasticIndex, server: MadeUp) -> None:
    server.versions = [f"x-v{n}" for n in range(1, 20)]
    with pytest.raises(DependencyUnavailable, match="replaced several times"):
        await found(index)


@pytest.mark.parametrize(
    ("meta", "told"),
    [
        ({"embedder": "other"}, "embedder other instead of hashed-words-64"),
        ({"dimensions": 3}, "dimensions 3 instead of 64"),
        ({"schema": 99}, "schema version 99"),
    ],
)
async def test_an_index_that_was_made_otherwise_is_not_used(
    index: ElasticIndex, proxy: FaultProxy, server: MadeUp, meta: dict[str, object], told: str
) -> None:
    server.meta |= meta
    for question in (found(index), index.ping()):
        with pytest.raises(DependencyUnavailable, match=told):
            await question
    versions = {"x-v1": {"aliases": {"x": {}}, "mappings": {"_meta": server.meta}}}
    proxy.fault = lambda _: Reply(200, versions)
    with pytest.raises(ConfigurationError, match=told):
        await asyncio.to_thread(index.check)


async def test_an_index_that_never_was_is_empty(index: ElasticIndex, proxy: FaultProxy) -> None:
    proxy.fault = lambda _: Reply(404, {"error": {"type": "index_not_found_exception"}, "status": 404})
    assert await found(index) == []
    assert await index.count() == 0
    await index.ping()


async def test_silence_ends_with_the_budget(index: ElasticIndex, proxy: FaultProxy) -> None:
    with proxy.failing(Hang()):
        started = asyncio.get_running_loop().time()
        with pytest.raises(DependencyUnavailable, match="in time"):
            await found(index)
        assert asyncio.get_running_loop().time() - started < 0.6


async def test_an_embedder_that_fails_is_named(proxy: FaultProxy) -> None:
    class Broken(HashedWordsEmbedder):
        def embed(self, texts: Any) -> Any:
            raise RuntimeError("canary")

    index = ElasticIndex(Connection(proxy.address, "x"), Broken(64))
    with pytest.raises(DependencyUnavailable, match=r"^embedder: ") as told:
        await index.search("words")
    assert "canary" not in str(told.value)
    assert proxy.requests == []
    await index.close()


def test_it_can_be_asked_in_one_loop_after_another(proxy: FaultProxy) -> None:
    index = ElasticIndex(Connection(proxy.address, "x"), HashedWordsEmbedder(64))

    async def once() -> int:
        try:
            return await index._reader.count()
        finally:
            client, index._reader._client = index._reader._client, None
            assert client
            await client.close()

    assert [asyncio.run(once()) for _ in range(2)] == [3, 3]
