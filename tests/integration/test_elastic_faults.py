"""The ten faults of an Elasticsearch server, through a proxy in front of a real one: the documented code, in time, and
the session goes on.
"""

from __future__ import annotations

import asyncio
import copy
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from elasticsearch import Elasticsearch

from engine.client import AssistanceClient
from engine.errors import DependencyUnavailable
from engine.retrieval.elastic.client import Connection
from engine.retrieval.elastic.index import SEARCH_SECONDS, ElasticIndex
from engine.retrieval.port import Document, Half
from engine.testing import HashedWordsEmbedder
from engine.v1 import engine_pb2 as pb
from tests import elastic_backend
from tests.fault_proxy import Fault, FaultProxy, Hang, Reply, Request, Reset, Rewrite

pytestmark = pytest.mark.backends

#: Words of the server that must never come out.
CANARY = "canary-5177"
#: Seconds of the stage's budget, and what is allowed beyond it.
LIMIT = SEARCH_SECONDS + 0.1
#: A busy machine may be late once; a missing limit is late every time.
TRIES = 3
QUESTION = "What is addVar in AVAP?"


def error_body(status: int, kind: str) -> dict[str, Any]:
    return {"error": {"type": kind, "reason": f"{CANARY} {kind}", "root_cause": []}, "status": status}


def refused(proxy: FaultProxy) -> AbstractContextManager[object]:
    @contextmanager
    def deaf() -> Iterator[None]:
        proxy.deaf()
        try:
            yield
        finally:
            proxy.listen()

    return deaf()


def every(change: Callable[[dict[str, Any]], None]) -> Rewrite:
    """Changes each response of an `_msearch`."""

    def rewrite(answer: Any) -> Any:
        answer = copy.deepcopy(answer)
        for response in answer.get("responses", []):
            change(response)
        return answer

    return Rewrite(rewrite)


def spoil_shards(response: dict[str, Any]) -> None:
    response["_shards"] |= {"failed": 1, "successful": 0}


def spoil_time(response: dict[str, Any]) -> None:
    response["timed_out"] = True


def fail_alone(status: int, kind: str) -> Callable[[dict[str, Any]], None]:
    def change(response: dict[str, Any]) -> None:
        response.clear()
        response.update(error_body(status, kind))

    return change


def another_version(response: dict[str, Any]) -> None:
    for hit in response["hits"]["hits"]:
        hit["_index"] = "another-v9"


def another_embedder(answer: Any) -> Any:
    if "responses" in answer:
        return every(another_version).change(answer)
    answer = copy.deepcopy(answer)
    for body in answer.values():
        body["mappings"]["_meta"] |= {"embedder": "somebody-elses", "dimensions": 3}
    return answer


def searches(fault: Fault) -> Callable[[FaultProxy], AbstractContextManager[object]]:
    return lambda proxy: proxy.failing(fault, of="_msearch")


def everything(fault: Fault) -> Callable[[FaultProxy], AbstractContextManager[object]]:
    return lambda proxy: proxy.failing(fault)


#: By name: how it is brought about, and what the caller is told to look at.
FAULTS: dict[str, tuple[Callable[[FaultProxy], AbstractContextManager[object]], str]] = {
    "refused": (refused, "nothing answers at ELASTICSEARCH_URL"),
    "hang": (everything(Hang()), "does not answer in time"),
    "429": (everything(Reply(429, error_body(429, "es_rejected_execution_exception"))), "overloaded"),
    "503": (everything(Reply(503, error_body(503, "cluster_block_exception"))), "cannot serve now"),
    "401": (everything(Reply(401, error_body(401, "security_exception"))), "ELASTICSEARCH_API_KEY"),
    "404 index": (searches(every(fail_alone(404, "index_not_found_exception"))), "is gone"),
    "partial shards": (searches(every(spoil_shards)), "a part of the index"),
    "timed_out": (searches(every(spoil_time)), "did not search the whole index in time"),
    "unsupported retriever": (searches(every(fail_alone(400, "parsing_exception"))), "9.3 or newer"),
    "another embedder": (everything(Rewrite(another_embedder)), "index --rebuild"),
}
#: Beyond the list: what a proxy or a node that dies can do.
MORE: dict[str, tuple[Callable[[FaultProxy], AbstractContextManager[object]], str]] = {
    "reset": (everything(Reset()), "nothing answers"),
    "one search of the two is refused for lack of room": (
        searches(every(fail_alone(429, "es_rejected_execution_exception"))),
        "overloaded",
    ),
    "403": (everything(Reply(403, error_body(403, "security_exception"))), "privileges"),
    "500": (everything(Reply(500, error_body(500, "exception"))), "status 500"),
    "not JSON": (everything(Reply(200, b"<html>" + CANARY.encode())), "not JSON"),
    "not an answer": (searches(Reply(200, {"hello": CANARY})), "not an answer"),
    "no such endpoint": (everything(Reply(404, error_body(404, "index_not_found_exception"))), "is gone"),
}


@pytest.fixture(scope="module")
def proxy() -> Iterator[FaultProxy]:
    with FaultProxy(elastic_backend.address()).running() as running:
        yield running


# --- the adapter ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shelf() -> Iterator[Connection]:
    with elastic_backend.index_of_its_own() as connection:
        documents = [
            Document(f"d{n}", "", f"passage {n} of the library", "passage", f"/x#{n}", str(n)) for n in range(40)
        ]
        ElasticIndex(connection, HashedWordsEmbedder(64)).index(documents)
        yield connection


@pytest.fixture
async def index(shelf: Connection, proxy: FaultProxy) -> AsyncIterator[ElasticIndex]:
    opened = ElasticIndex(Connection(proxy.address, shelf.index, CANARY), HashedWordsEmbedder(64))
    opened.check()
    yield opened
    await opened.close()


@pytest.mark.parametrize("half", [Half.BOTH, Half.TEXT])
@pytest.mark.parametrize("name", [*FAULTS, *MORE])
async def test_a_fault_is_told_in_time_and_over_when_it_is_over(
    index: ElasticIndex, proxy: FaultProxy, name: str, half: Half
) -> None:
    spoil, mend = (FAULTS | MORE)[name]
    assert await index.search("passage 7 library", half=half)
    took: list[float] = []
    while min(took, default=LIMIT + 1) > LIMIT and len(took) < TRIES:
        with spoil(proxy):
            started = time.monotonic()
            with pytest.raises(DependencyUnavailable) as told:
                await index.search("passage 7 library", half=half)
            took.append(time.monotonic() - started)
    assert min(took) <= LIMIT
    assert told.value.dependency == "elasticsearch"
    assert mend in str(told.value)
    assert CANARY not in str(told.value)
    assert await index.search("passage 7 library", half=half)


@pytest.mark.parametrize("name", ["refused", "hang", "401", "another embedder", "503"])
async def test_a_ping_sees_it_too(index: ElasticIndex, proxy: FaultProxy, name: str) -> None:
    spoil, mend = FAULTS[name]
    await index.ping()
    with spoil(proxy), pytest.raises(DependencyUnavailable, match="elasticsearch") as told:
        await index.ping()
    assert mend in str(told.value)
    await index.ping()


async def test_after_five_failures_the_server_is_left_alone_until_it_is_seen_to_be_well(
    index: ElasticIndex, proxy: FaultProxy
) -> None:
    with proxy.failing(Reply(503, error_body(503, "x"))):
        for _ in range(5):
            with pytest.raises(DependencyUnavailable, match="cannot serve now"):
                await index.search("passage")
        asked = len(proxy.requests)
        with pytest.raises(DependencyUnavailable, match="left alone"):
            await index.search("passage")
        assert len(proxy.requests) == asked
    await index.ping()
    assert await index.search("passage")


async def test_a_connection_that_broke_is_made_again_once(index: ElasticIndex, proxy: FaultProxy) -> None:
    broken: list[Request] = []

    def once(request: Request) -> Fault:
        if broken:
            return None
        broken.append(request)
        return Reset()

    proxy.fault = once
    try:
        assert await index.search("passage 7")
    finally:
        proxy.fault = lambda _: None
    assert len(broken) == 1


async def test_one_search_is_one_request(index: ElasticIndex, proxy: FaultProxy) -> None:
    before = len(proxy.requests)
    await index.search("passage 7 library")
    assert [request.path.split("?")[0] for request in proxy.requests[before:]] == ["/_msearch"]


async def test_a_search_that_is_given_up_closes_its_connection(index: ElasticIndex, proxy: FaultProxy) -> None:
    asked, gone = len(proxy.requests), proxy.gone
    with proxy.failing(Hang(), of="_msearch"):
        search = asyncio.create_task(index.search("passage"))
        await asyncio.to_thread(proxy.wait, lambda seen: len(seen.requests) > asked)
        search.cancel()
        await asyncio.to_thread(proxy.wait, lambda seen: seen.gone > gone, seconds=1)


def test_a_bulk_request_that_is_refused_for_lack_of_room_is_sent_again(proxy: FaultProxy) -> None:
    refusals: list[Request] = []

    def twice(request: Request) -> Fault:
        if "_bulk" in request.path and len(refusals) < 2:
            refusals.append(request)
            return Reply(429, error_body(429, "es_rejected_execution_exception"))
        return None

    proxy.fault = twice
    try:
        with elastic_backend.index_of_its_own() as connection:
            index = ElasticIndex(Connection(proxy.address, connection.index), HashedWordsEmbedder(64))
            assert index.index([Document("d", "", "text", "passage", "/x#d", "1")]).passages == 1
    finally:
        proxy.fault = lambda _: None
    assert len(refusals) == 2


@pytest.mark.parametrize("status", [400, 403, 500])
def test_a_bulk_request_that_fails_leaves_what_was_read(proxy: FaultProxy, status: int) -> None:
    with elastic_backend.index_of_its_own() as connection:
        index = ElasticIndex(Connection(proxy.address, connection.index), HashedWordsEmbedder(64))
        index.index([Document("d", "", "first", "passage", "/x#d", "1")])
        with (
            proxy.failing(Reply(status, error_body(status, "x")), of="_bulk"),
            pytest.raises(DependencyUnavailable) as told,
        ):
            index.index([Document("d", "", "second", "passage", "/x#d", "2")])
        assert CANARY not in str(told.value)
        with Elasticsearch(connection.url) as client:
            hits = client.search(index=connection.index)["hits"]["hits"]
        assert [hit["_source"]["shown"]["text"] for hit in hits] == ["first"]


# --- the service ------------------------------------------------------------------------------------------------------


@pytest.fixture
async def client(library: Connection, proxy: FaultProxy, start: Any, tmp_path: Path) -> AsyncIterator[AssistanceClient]:
    service = start(tmp_path / "data", ELASTICSEARCH_URL=proxy.address, ELASTICSEARCH_INDEX=library.index)
    async with AssistanceClient(service.address) as connected:
        yield connected


async def test_every_fault_has_its_code_in_time_and_the_session_goes_on(
    client: AssistanceClient, proxy: FaultProxy
) -> None:
    """In one test, as a service takes a while to start."""
    session = uuid.uuid4().hex
    assert (await client.ask(QUESTION, session_id=session)).searches == 1
    asked = 1
    for name, (spoil, mend) in FAULTS.items():
        for _ in range(TRIES):
            asked += 1
            with spoil(proxy):
                started = time.monotonic()
                with pytest.raises(DependencyUnavailable) as told:
                    await client.ask(f"How does startLoop count? ({name})", session_id=session, query_type="RETRIEVAL")
                took = time.monotonic() - started
            if took <= LIMIT:
                break
        cause = told.value.__cause__
        assert isinstance(cause, grpc.aio.AioRpcError), name
        assert cause.code() is grpc.StatusCode.UNAVAILABLE, name
        details = cause.details() or ""
        assert details.startswith("elasticsearch: "), name
        assert mend in details, name
        assert CANARY not in details
        assert took <= LIMIT, f"{name}: {took:.3f} s"
        after = await client.ask(QUESTION, session_id=session)
        assert (after.searches, after.outcome) == (1, pb.COMPLETE), name
    turns = (await client.session(session)).turns
    assert len(turns) == asked + len(FAULTS)


async def test_health_has_a_name_for_it(client: AssistanceClient) -> None:
    assert await client.serving("elasticsearch")
    assert await client.serving()


async def test_platform_and_conversation_ask_nothing_of_the_server(
    client: AssistanceClient, proxy: FaultProxy, library: Connection
) -> None:
    """Counted at the server, by its own statistics, and on the way to it."""
    with Elasticsearch(library.url) as server:

        def searched() -> int:
            stats = server.indices.stats(index=library.index, metric="search")
            return int(stats["_all"]["total"]["search"]["query_total"])

        before = -1
        while before != (before := searched()):  # noqa: ASYNC110  # what an earlier test gave up may still be counted
            await asyncio.sleep(0.5)
        passed = len(proxy.paths("search"))
        session = uuid.uuid4().hex
        for query, type_ in (
            ("You have a project usage percentage of 20%, provide a recommendation", "PLATFORM"),
            ("cuántas llamadas llevo este mes?", "PLATFORM"),
            (QUESTION, "PLATFORM"),
            ("hello", "CONVERSATIONAL"),
            ("en menos palabras", "CONVERSATIONAL"),
            (QUESTION, "CONVERSATIONAL"),
        ):
            answer = await client.ask(query, session_id=session, query_type=type_)
            assert answer.searches == 0
        assert (await client.classify(QUESTION)).type == pb.RETRIEVAL
        assert searched() == before
        assert len(proxy.paths("search")) == passed
        assert (await client.ask(QUESTION, session_id=session)).searches == 1
        assert searched() > before
        # Once a minute two more look whether there are passages in the query's language, and in the other one.
        assert proxy.paths("search")[passed:] == ["/_msearch"] * 3
        assert (await client.ask("How is a variable declared in AVAP?", session_id=session)).searches == 1
        assert proxy.paths("search")[passed:] == ["/_msearch"] * 4


async def test_the_service_starts_without_the_server_and_serves_what_needs_no_search(
    proxy: FaultProxy, start: Any, tmp_path: Path, library: Connection
) -> None:
    with refused(proxy):
        service = start(tmp_path / "data", ELASTICSEARCH_URL=proxy.address, ELASTICSEARCH_INDEX=library.index)
        async with AssistanceClient(service.address) as client:
            assert (await client.ask("hello", query_type="CONVERSATIONAL")).outcome == pb.COMPLETE
            assert not await client.serving("elasticsearch")
            assert await client.serving()
            with pytest.raises(DependencyUnavailable, match="nothing answers at ELASTICSEARCH_URL"):
                await client.ask(QUESTION)
            proxy.listen()
            assert (await client.ask(QUESTION)).searches == 1
            proxy.deaf()
