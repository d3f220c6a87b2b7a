"""What the index in Elasticsearch promises beyond the contract: congruence, versions, resuming, one writer, no leftovers."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from engine import bootstrap
from engine.errors import ConfigurationError, DependencyUnavailable
from engine.retrieval.elastic.client import Connection
from engine.retrieval.elastic.index import ElasticIndex
from engine.retrieval.elastic.lease import WriterLease
from engine.retrieval.elastic.mapping import text_search
from engine.retrieval.embedding.cache import MemoEmbedder
from engine.retrieval.local.index import LocalIndex
from engine.retrieval.port import Document, Half, Retriever
from engine.settings import Settings
from engine.testing import HashedWordsEmbedder
from tests import elastic_backend

pytestmark = pytest.mark.backends

ROOT = Path(__file__).resolve().parents[2]
PARTS = 3


@pytest.fixture
def connection() -> Iterator[Connection]:
    with elastic_backend.index_of_its_own() as made:
        yield made


@pytest.fixture
def server(connection: Connection) -> Iterator[Elasticsearch]:
    with Elasticsearch(connection.url, request_timeout=60) as client:
        yield client


def document(n: int, version: int = 1) -> Document:
    parts = "\n\n".join(f"## Part {p}\n\nunique{n}x{p} version{version} of document {n}" for p in range(PARTS))
    return Document(f"d{n}.md", f"D{n}", parts, "markdown", f"/docs/d{n}.md", f"{n}-{version}")


def filled(connection: Connection, *documents: Document, **options: Any) -> ElasticIndex:
    index = ElasticIndex(connection, HashedWordsEmbedder(64), **options)
    index.index(documents)
    return index


def versions(server: Elasticsearch, connection: Connection) -> dict[str, set[str]]:
    """Every version that there is, with its aliases (without the index's own name)."""
    found = server.indices.get(index=f"{connection.index}-v*", expand_wildcards="all")
    strip = len(connection.index)
    return {name[strip:]: {alias[strip:] for alias in body["aliases"]} for name, body in found.items()}


async def texts(connection: Connection, query: str) -> list[str]:
    index = ElasticIndex(connection, HashedWordsEmbedder(64))
    try:
        return [passage.text for passage in await index.search(query, k=PARTS, half=Half.TEXT)]
    finally:
        await index.close()


# --- congruence -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> MemoEmbedder:
    options: dict[str, Any] = {"engine_data_dir": tmp_path_factory.mktemp("data")}
    return bootstrap.build_embedder(Settings(**options))


@pytest.fixture
async def both(
    guide: Path, library: Connection, embedder: MemoEmbedder
) -> AsyncIterator[tuple[LocalIndex, ElasticIndex]]:
    """The guide in both indexes, as the command line has put it there."""
    pair = LocalIndex(guide / "index", embedder), ElasticIndex(library, embedder)
    yield pair
    for index in pair:
        await index.close()


def golden_queries() -> list[str]:
    lines = (ROOT / "examples" / "golden" / "avap.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["query"] for line in lines if line.strip()]


async def top(index: Retriever, query: str, half: Half) -> list[str]:
    return [passage.id for passage in await index.search(query, k=10, half=half)]


@pytest.mark.parametrize("half", list(Half))
async def test_the_golden_queries_find_the_same_passages(both: tuple[LocalIndex, ElasticIndex], half: Half) -> None:
    local, elastic = both
    shares = []
    for query in golden_queries():
        expected = await top(local, query, half)
        shares.append(len(set(expected) & set(await top(elastic, query, half))) / max(1, len(expected)))
    assert len(shares) > 90
    assert min(shares) >= 0.9
    assert statistics.mean(shares) >= 0.99


async def test_scores_of_both_halves_are_on_one_scale(both: tuple[LocalIndex, ElasticIndex]) -> None:
    """So that a fusion that looks at scores does the same in both."""
    local, elastic = both
    for query in golden_queries()[:20]:
        for half, tolerance in ((Half.TEXT, 0.01), (Half.DENSE, 1e-4)):
            ours, theirs = await elastic.search(query, k=3, half=half), await local.search(query, k=3, half=half)
            assert [p.score for p in ours] == pytest.approx([p.score for p in theirs], rel=tolerance)


async def test_passages_come_back_as_they_were(both: tuple[LocalIndex, ElasticIndex]) -> None:
    local, elastic = both
    ours = {passage.id: passage for passage in await elastic.search("What is addVar in AVAP?", half=Half.DENSE)}
    for passage in await local.search("What is addVar in AVAP?", half=Half.DENSE):
        same = ours[passage.id]
        assert (same.document, same.title, same.heading, same.text) == (
            passage.document,
            passage.title,
            passage.heading,
            passage.text,
        )


async def test_the_counts_agree(both: tuple[LocalIndex, ElasticIndex]) -> None:
    local, elastic = both
    assert await local.count() == await elastic.count() > 250


# --- versions ---------------------------------------------------------------------------------------------------------


def test_every_run_that_changes_something_makes_a_version_and_two_are_kept(
    connection: Connection, server: Elasticsearch
) -> None:
    filled(connection, document(0))
    assert versions(server, connection) == {"-v1": {""}}
    filled(connection, document(0, 2))
    assert versions(server, connection) == {"-v1": {"-former"}, "-v2": {""}}
    filled(connection, document(0, 2))
    assert versions(server, connection) == {"-v1": {"-former"}, "-v2": {""}}
    filled(connection, document(0, 3))
    assert versions(server, connection) == {"-v2": {"-former"}, "-v3": {""}}


async def test_rolling_back_reads_the_former_version_and_again_is_forward(connection: Connection) -> None:
    index = filled(connection, document(0, 1))
    with pytest.raises(ConfigurationError, match="no former version"):
        index.roll_back()
    filled(connection, document(0, 2))
    assert index.roll_back() == f"{connection.index}-v1"
    assert "version1" in (await texts(connection, "unique0x1"))[0]
    assert index.roll_back() == f"{connection.index}-v2"
    assert "version2" in (await texts(connection, "unique0x1"))[0]


async def test_indexing_after_a_rollback_goes_on_from_what_is_read(
    connection: Connection, server: Elasticsearch
) -> None:
    index = filled(connection, document(0, 1))
    filled(connection, document(0, 2), document(1))
    index.roll_back()
    filled(connection, document(2))
    assert versions(server, connection) == {"-v1": {"-former"}, "-v3": {""}}
    assert "version1" in (await texts(connection, "unique0x1"))[0]
    assert "unique2x1" in (await texts(connection, "unique2x1"))[0]
    assert not any("unique1x1" in text for text in await texts(connection, "unique1x1"))


def test_a_rollback_to_another_embedder_is_refused(connection: Connection) -> None:
    filled(connection, document(0))
    other = ElasticIndex(connection, HashedWordsEmbedder(32, "other"), rebuild=True)
    other.index([document(0)])
    with pytest.raises(ConfigurationError, match="embedder hashed-words-64 instead of other-32"):
        other.roll_back()


def test_a_version_says_what_it_is_made_of(connection: Connection, server: Elasticsearch) -> None:
    filled(connection, document(0))
    mappings = server.indices.get_mapping(index=connection.index)[f"{connection.index}-v1"]["mappings"]
    assert mappings["_meta"]["embedder"] == "hashed-words-64"
    assert (mappings["_meta"]["dimensions"], mappings["_meta"]["schema"]) == (64, 1)
    options = mappings["properties"]["vector"]["index_options"]
    assert {name: options[name] for name in ("type", "m", "ef_construction")} == {
        "type": "hnsw",
        "m": 16,
        "ef_construction": 200,
    }


def test_a_name_that_is_taken_by_somebody_elses_index_is_refused(connection: Connection, server: Elasticsearch) -> None:
    server.indices.create(index=connection.index)
    try:
        with pytest.raises(ConfigurationError, match="ELASTICSEARCH_INDEX"):
            filled(connection, document(0))
    finally:
        server.indices.delete(index=connection.index)


async def test_a_new_version_of_another_embedder_stops_the_readers_of_the_old(connection: Connection) -> None:
    reader = filled(connection, document(0))
    assert await reader.search("unique0x1")
    ElasticIndex(connection, HashedWordsEmbedder(64, "other"), rebuild=True).index([document(0)])
    for question in (reader.search("unique0x1"), reader.ping()):
        with pytest.raises(DependencyUnavailable, match="index --rebuild"):
            await question
    ElasticIndex(connection, HashedWordsEmbedder(32), rebuild=True).index([document(0)])
    with pytest.raises(DependencyUnavailable, match="dimensions 32 instead of 64"):
        await reader.search("unique0x1")
    await reader.close()


async def test_an_index_that_was_there_and_is_gone_is_a_failure_not_an_empty_one(
    connection: Connection, server: Elasticsearch
) -> None:
    reader = filled(connection, document(0))
    assert await reader.count() == PARTS
    assert await reader.search("unique0x1")
    server.indices.delete(index=f"{connection.index}-v1")
    for question in (reader.search("unique0x1"), reader.ping(), reader.count()):
        with pytest.raises(DependencyUnavailable, match="is gone; fill it"):
            await question
    await reader.close()


def test_a_version_that_lost_passages_is_not_published(connection: Connection, server: Elasticsearch) -> None:
    index = filled(connection, document(0))

    def documents() -> Iterator[Document]:
        yield document(1)
        yield from (document(n) for n in range(2, 40))
        server.indices.refresh(index=f"{connection.index}-v2")
        server.delete_by_query(index=f"{connection.index}-v2", query={"match_all": {}}, refresh=True)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.retrieval.ingestion.indexing.COMMIT_PASSAGES", 6)
        patch.setattr("engine.retrieval.ingestion.indexing.EMBED_BATCH", 6)
        with pytest.raises(DependencyUnavailable, match="passages instead of"):
            index.index(documents())
    assert server.count(index=connection.index)["count"] == PARTS
    assert index.index(document(n) for n in range(40)).passages > 0
    assert server.count(index=connection.index)["count"] == 40 * PARTS


# --- a run that is killed ---------------------------------------------------------------------------------------------

CHILD = f"""
import sys
from engine.retrieval.ingestion import indexing
from engine.retrieval.elastic.index import ElasticIndex
from engine.retrieval.elastic.client import Connection
from engine.retrieval.port import Document
from engine.testing import HashedWordsEmbedder

indexing.COMMIT_PASSAGES, indexing.EMBED_BATCH = 30, 9

def document(n, version):
    parts = "\\n\\n".join(f"## Part {{p}}\\n\\nunique{{n}}x{{p}} version{{version}} of document {{n}}" for p in range({PARTS}))
    return Document(f"d{{n}}.md", f"D{{n}}", parts, "markdown", f"/docs/d{{n}}.md", f"{{n}}-{{version}}")

def progress(now):
    print(now.documents, flush=True)

url, name, rebuild = sys.argv[1:]
ElasticIndex(Connection(url, name), HashedWordsEmbedder(64), rebuild=rebuild == "rebuild").index(
    [document(n, 2) for n in range(60)], progress=progress
)
"""


def kill_a_run(connection: Connection, after: int, kind: str = "update") -> None:
    """Starts a run that brings 60 documents to version 2, and kills it when `after` of them are through."""
    child = [sys.executable, "-c", CHILD, connection.url, connection.index, kind]
    with subprocess.Popen(child, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if int(line) >= after:
                os.kill(process.pid, signal.SIGKILL)
                break


@pytest.fixture
def short_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever finds a writer silent waits for a second, not ten."""
    defaults = WriterLease.__init__.__kwdefaults__ or {}
    monkeypatch.setattr(WriterLease.__init__, "__kwdefaults__", defaults | {"seconds": 1.0})


@pytest.mark.parametrize(("after", "kind"), [(5, "update"), (35, "update"), (58, "update"), (40, "rebuild")])
@pytest.mark.usefixtures("short_lease")
async def test_a_killed_run_changes_nothing_and_is_carried_on(
    connection: Connection, server: Elasticsearch, after: int, kind: str
) -> None:
    filled(connection, *(document(n) for n in range(60)))
    kill_a_run(connection, after, kind)
    assert "version1" in (await texts(connection, "unique7x1"))[0]
    assert server.count(index=connection.index)["count"] == 60 * PARTS
    embedder = HashedWordsEmbedder(64)
    report = ElasticIndex(connection, embedder, rebuild=kind == "rebuild").index(document(n, 2) for n in range(60))
    # Commits are every 30 passages: what was committed before the kill is not encoded again.
    assert report.unchanged >= (after // 10 - 1) * 10
    assert len(embedder.embedded) == (60 - report.unchanged) * PARTS
    assert server.count(index=connection.index)["count"] == 60 * PARTS
    for n in range(0, 60, 7):
        assert "version2" in (await texts(connection, f"unique{n}x1"))[0]
    assert versions(server, connection) == {"-v1": {"-former"}, "-v2": {""}}


@pytest.mark.usefixtures("short_lease")
def test_an_unfinished_version_from_another_beginning_is_dropped(connection: Connection, server: Elasticsearch) -> None:
    filled(connection, *(document(n) for n in range(60)))
    kill_a_run(connection, 40, "rebuild")
    assert versions(server, connection) == {"-v1": {""}, "-v2": set()}
    filled(connection, document(60))
    assert versions(server, connection) == {"-v1": {"-former"}, "-v3": {""}}
    assert server.count(index=connection.index)["count"] == 61 * PARTS


def test_a_commit_of_another_process_is_seen(connection: Connection, server: Elasticsearch) -> None:
    child = [sys.executable, "-c", CHILD, connection.url, connection.index, "update"]
    subprocess.run(child, check=True, timeout=100, stdout=subprocess.DEVNULL)
    assert server.count(index=connection.index)["count"] == 60 * PARTS


def test_what_was_half_written_of_a_document_is_written_again(
    connection: Connection, server: Elasticsearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.retrieval.ingestion.indexing.EMBED_BATCH", 1)
    index = filled(connection, document(0), document(1))
    broken = Document("d1.md", "D1", "## One\n\nshort", "markdown", "/docs/d1.md", "cut")

    def documents() -> Iterator[Document]:
        yield broken
        yield document(2)
        raise LookupError

    with pytest.raises(LookupError):
        index.index(documents())
    # As if the bulk request had been cut between a passage and the removals that follow it.
    server.delete(index=f"{connection.index}-v2", id=_id_of(server, connection, "unique2x1"))
    report = index.index([broken, document(2)])
    assert (report.unchanged, report.updated) == (1, 1)
    assert server.count(index=connection.index)["count"] == PARTS + 1 + PARTS


def _id_of(server: Elasticsearch, connection: Connection, words: str) -> str:
    server.indices.refresh(index=f"{connection.index}-v2")
    body = text_search(words, 1)
    assert body
    return str(server.search(index=f"{connection.index}-v2", **body)["hits"]["hits"][0]["_id"])


# --- one writer -------------------------------------------------------------------------------------------------------


def test_the_lease_keeps_a_second_writer_out_and_is_given_back(connection: Connection, server: Elasticsearch) -> None:
    with WriterLease(server, connection.index, seconds=1.0) as first:
        with (
            pytest.raises(DependencyUnavailable, match="another process is writing"),
            WriterLease(server, connection.index, seconds=1.0),
        ):
            pytest.fail("two writers")
        first.confirm()
    with WriterLease(server, connection.index, seconds=1.0) as second:
        second.confirm()


def test_a_lease_that_was_taken_over_cannot_be_confirmed(connection: Connection, server: Elasticsearch) -> None:
    with WriterLease(server, connection.index, seconds=30.0) as slow:
        server.index(index=f"{connection.index}-lock", id="writer", document={"owner": "another"})
        with pytest.raises(DependencyUnavailable, match="another process has begun to write"):
            slow.confirm()
    assert server.get(index=f"{connection.index}-lock", id="writer")["_source"] == {"owner": "another"}


def documents_of(names: Sequence[str]) -> list[Document]:
    return [Document(name, "", f"text of {name}", "passage", f"/set.jsonl#{name}", name) for name in names]


async def test_names_in_any_script_are_kept(connection: Connection) -> None:
    names = ["ñandú", "日本語", "a b", "\ud83d", "x" * 3_000, '"quoted"']
    index = ElasticIndex(connection, HashedWordsEmbedder(64))
    index.index(documents_of(names))
    assert index.index(documents_of(names)).unchanged == len(names)
    assert index.index([], roots=["/set.jsonl"]).removed == len(names)
    await index.close()
