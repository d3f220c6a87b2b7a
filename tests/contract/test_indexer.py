"""What every `Indexer` promises. One suite, run on every implementation."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pytest

from engine.errors import ConfigurationError, DependencyUnavailable
from engine.retrieval.elastic.index import ElasticIndex
from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.local.index import LocalIndex
from engine.retrieval.port import Document, Half, Index, IndexReport, Progress, Retriever
from engine.testing import HashedWordsEmbedder
from tests import elastic_backend
from tests.sizes import sized

Answer = TypeVar("Answer")


class Opener(Protocol):
    """Opens one and the same index, of the implementation that is tested, as often as it is called."""

    def __call__(self, embedder: HashedWordsEmbedder | None = None, *, rebuild: bool = False) -> Index: ...


def passages_of(embedder: HashedWordsEmbedder) -> list[str]:
    """What was encoded of whole passages, with their titles; their sentences are beside them where they are kept."""
    return [text for text in embedder.embedded if text.startswith("D")]


@pytest.fixture(autouse=True)
def one_loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[asyncio.Runner]:
    """The event loop of a test's questions: connections belong to one."""
    with asyncio.Runner() as runner:
        monkeypatch.setattr(sys.modules[__name__], "run", runner.run)
        yield runner


def run(work: Coroutine[Any, Any, Answer]) -> Answer:
    raise NotImplementedError("one_loop puts a real one here")


@pytest.fixture
def open_local(tmp_path: Path) -> Opener:
    def local(embedder: HashedWordsEmbedder | None = None, *, rebuild: bool = False) -> Index:
        return LocalIndex(tmp_path / "index", embedder or HashedWordsEmbedder(64), rebuild=rebuild)

    return local


@pytest.fixture
def open_elastic(one_loop: asyncio.Runner) -> Iterator[Opener]:
    opened: list[ElasticIndex] = []
    with elastic_backend.index_of_its_own() as connection:

        def elastic(embedder: HashedWordsEmbedder | None = None, *, rebuild: bool = False) -> Index:
            index = ElasticIndex(connection, embedder or HashedWordsEmbedder(64), rebuild=rebuild)
            if not rebuild:
                index.check()
            opened.append(index)
            return index

        yield elastic
        for index in opened:
            one_loop.run(index.close())


@pytest.fixture(params=["local", pytest.param("elastic", marks=pytest.mark.backends)])
def open_index(request: pytest.FixtureRequest) -> Opener:
    opener: Opener = request.getfixturevalue(f"open_{request.param}")
    return opener


#: Passages of every document that `document` makes.
PARTS = 3


def document(n: int, version: int = 1, folder: str = "/docs") -> Document:
    parts = "\n\n".join(f"## Part {p}\n\nunique{n}x{p} version{version} of document {n}" for p in range(PARTS))
    return Document(
        name=f"d{n}.md", title=f"D{n}", text=parts, kind="markdown", source=f"{folder}/d{n}.md", digest=f"{n}-{version}"
    )


def count(index: Retriever) -> int:
    return run(index.count())


def found(index: Retriever, query: str, half: Half = Half.TEXT) -> list[str]:
    return [passage.text for passage in run(index.search(query, k=PARTS, half=half))]


def state(index: Retriever, documents: int) -> dict[int, int]:
    """The version of every document that is in the index; each must be there whole."""

    async def look() -> dict[int, int]:
        versions: dict[int, int] = {}
        for n in range(documents):
            for part in range(PARTS):
                for passage in await index.search(f"unique{n}x{part}", k=1, half=Half.TEXT):
                    version = int(passage.text.split("version")[1].split()[0])
                    assert versions.setdefault(n, version) == version, "a document is there in two versions"
                    assert part == 0 or n in versions, "a document is there in part"
        assert await index.count() == PARTS * len(versions)
        return versions

    return run(look())


def test_documents_become_passages(open_index: Opener) -> None:
    index = open_index()
    assert index.index([document(n) for n in range(4)]) == IndexReport(added=4, passages=4 * PARTS)
    assert state(index, 5) == {0: 1, 1: 1, 2: 1, 3: 1}
    assert found(index, "unique2x1") == ["unique2x1 version1 of document 2"]


def test_nothing_to_index_is_an_empty_index(open_index: Opener) -> None:
    index = open_index()
    assert index.index([]) == IndexReport()
    assert count(index) == 0


def test_unchanged_documents_are_not_encoded_again(open_index: Opener) -> None:
    open_index().index([document(n) for n in range(4)])
    embedder = HashedWordsEmbedder(64)
    assert open_index(embedder).index([document(n) for n in range(4)]) == IndexReport(unchanged=4)
    assert embedder.embedded == []


def test_updated_documents_replace_their_passages(open_index: Opener) -> None:
    index = open_index()
    index.index([document(n) for n in range(4)])
    embedder = HashedWordsEmbedder(64)
    report = open_index(embedder).index([document(0), document(1, version=2), document(4)])
    assert report == IndexReport(added=1, updated=1, unchanged=1, passages=2 * PARTS)
    assert len(passages_of(embedder)) == 2 * PARTS
    assert state(index, 5) == {0: 1, 1: 2, 2: 1, 3: 1, 4: 1}


def test_a_renamed_document_is_updated(open_index: Opener) -> None:
    index = open_index()
    index.index([document(0)])
    renamed = Document("other.md", "D0", document(0).text, "markdown", "/docs/d0.md", document(0).digest)
    assert index.index([renamed]).updated == 1
    assert count(index) == PARTS
    assert {p.document for p in run(index.search("unique0x0"))} == {"other.md"}


def test_the_same_text_in_two_places_is_there_twice(open_index: Opener) -> None:
    index = open_index()
    index.index([document(0, folder="/a"), document(0, folder="/b")])
    assert count(index) == 2 * PARTS
    assert len(found(index, "unique0x0 part", Half.BOTH)) == len(set(found(index, "unique0x0 part", Half.BOTH)))


def test_removed_files_leave_the_index(open_index: Opener) -> None:
    index = open_index()
    index.index([document(n) for n in range(4)])
    report = index.index([document(0), document(2)], roots=["/docs"])
    assert report == IndexReport(unchanged=2, removed=2)
    assert state(index, 4) == {0: 1, 2: 1}


def test_without_roots_nothing_leaves(open_index: Opener) -> None:
    index = open_index()
    index.index([document(n) for n in range(4)])
    assert index.index([document(0)]).removed == 0
    assert len(state(index, 4)) == 4


def test_only_what_lies_under_the_roots_leaves(open_index: Opener) -> None:
    index = open_index()
    index.index([document(0, folder="/docs/a"), document(1, folder="/docs/ab"), document(2, folder="/docs/a/b")])
    assert index.index([], roots=["/docs/a"]).removed == 2
    assert state(index, 3) == {1: 1}


def test_lines_of_a_file_leave_with_the_file_as_root(open_index: Opener) -> None:
    lines = [Document(f"l{n}", "", f"line{n}", "passage", f"/set.jsonl#l{n}", str(n)) for n in range(3)]
    index = open_index()
    index.index(lines)
    assert index.index(lines[:1], roots=["/set.jsonl"]).removed == 2
    assert count(index) == 1


def test_progress_is_told(open_index: Opener) -> None:
    told: list[Progress] = []
    open_index().index([document(n) for n in range(4)], progress=told.append)
    assert (told[-1].documents, told[-1].passages) == (4, 4 * PARTS)
    again: list[Progress] = []
    open_index().index([document(n) for n in range(4)], progress=again.append)
    assert [(now.documents, now.passages, now.name) for now in again] == [(n + 1, 0, f"d{n}.md") for n in range(4)]


def test_documents_are_listed_with_their_passages(open_index: Opener) -> None:
    index = open_index()
    assert index.documents() == []
    index.index([replace(document(n), size=10 * n, modified=5.0) for n in (2, 1)])
    listed = index.documents()
    assert [(found.name, found.source, found.passages) for found in listed] == [
        (f"d{n}.md", document(n).source, PARTS) for n in (1, 2)
    ]
    assert [(found.size, found.modified) for found in listed] == [(10, 5.0), (20, 5.0)]
    passages = index.passages_of(listed[0])
    assert [passage.id for passage in passages] == [part.passage.id for part in chunk(document(1))]
    assert passages[0].document == "d1.md"


def test_what_was_updated_or_removed_is_listed_as_it_is_now(open_index: Opener) -> None:
    index = open_index()
    index.index([document(n) for n in range(3)])
    former = index.documents()
    index.index([replace(document(1), text="one part only", digest="new")])
    index.index([], roots=[document(2).source])
    assert [(found.name, found.passages) for found in index.documents()] == [("d0.md", PARTS), ("d1.md", 1)]
    assert index.passages_of(former[1]) == index.passages_of(former[2]) == []


def test_a_lazy_run_is_the_same(open_index: Opener) -> None:
    index = open_index()
    assert index.index(document(n) for n in range(4)).added == 4
    assert len(state(index, 4)) == 4


def test_a_failing_source_keeps_what_was_there_and_removes_nothing(open_index: Opener) -> None:
    index = open_index()
    index.index([document(n) for n in range(4)])

    def broken() -> Iterator[Document]:
        yield document(0, version=2)
        raise LookupError("unreadable")

    with pytest.raises(LookupError, match="unreadable"):
        index.index(broken(), roots=["/docs"])
    assert set(state(index, 4)) == {0, 1, 2, 3}
    index.index([document(n, version=3) for n in range(4)])
    assert set(state(index, 4).values()) == {3}


def test_the_dense_half_follows_every_change(open_index: Opener) -> None:
    index = open_index()
    for version in range(1, 5):
        index.index([document(n, version=version) for n in range(6)])
        for n in range(6):
            assert found(index, f"unique{n}x1 version{version} of document {n}", Half.DENSE)[0].startswith(
                f"unique{n}x"
            )
        assert count(index) == 6 * PARTS


def test_another_reader_sees_the_commit_without_being_opened_again(open_index: Opener) -> None:
    reader, writer = open_index(), open_index()
    assert count(reader) == 0
    writer.index([document(0)])
    assert count(reader) == PARTS
    writer.index([document(0, version=2), document(1)])
    assert state(reader, 2) == {0: 2, 1: 1}
    writer.index([], roots=["/docs"])
    assert count(reader) == 0


def test_a_commit_of_another_process_is_seen(open_local: Opener, tmp_path: Path) -> None:
    reader = open_local()
    assert count(reader) == 0
    subprocess.run([sys.executable, "-c", CHILD, str(tmp_path / "index"), "10", "0", "0"], check=True, timeout=60)
    assert len(state(reader, 10)) == 10


def test_another_embedder_is_refused_with_the_mend(open_index: Opener) -> None:
    open_index().index([document(0)])
    with pytest.raises(ConfigurationError, match="embedder hashed-words-64 instead of other-64") as refusal:
        open_index(HashedWordsEmbedder(64, "other"))
    assert "assistance-engine index --rebuild" in str(refusal.value)


def test_other_dimensions_are_refused(open_index: Opener) -> None:
    open_index().index([document(0)])
    with pytest.raises(ConfigurationError, match="dimensions 64 instead of 32"):
        open_index(HashedWordsEmbedder(32))


def test_a_rebuild_takes_another_embedder(open_index: Opener) -> None:
    open_index().index([document(n) for n in range(4)])
    other = HashedWordsEmbedder(32, "other")
    open_index(other, rebuild=True).index([document(0), document(1)])
    assert state(open_index(other), 4) == {0: 1, 1: 1}
    with pytest.raises(ConfigurationError):
        open_index()


def test_a_second_writer_is_refused_and_the_first_goes_on(open_index: Opener) -> None:
    first, second = open_index(), open_index()

    def documents() -> Iterator[Document]:
        yield document(0)
        with pytest.raises(DependencyUnavailable, match="another process is writing"):
            second.index([document(1)])
        yield document(2)

    assert first.index(documents()).added == 2
    assert state(first, 3) == {0: 1, 2: 1}
    assert second.index([document(1)]).added == 1


def test_readers_see_whole_states_while_a_writer_works(open_index: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.retrieval.ingestion.indexing.COMMIT_PASSAGES", 30)
    monkeypatch.setattr("engine.retrieval.ingestion.indexing.EMBED_BATCH", 15)
    writer, reader = open_index(), open_index()
    writer.index([document(n) for n in range(40)])
    failures: list[BaseException] = []

    def write() -> None:
        try:
            for version in (2, 3, 4, 5):
                writer.index([document(n, version=version) for n in range(40)])
        except BaseException as error:  # noqa: BLE001 - a thread's failure is the test's
            failures.append(error)

    async def read(thread: threading.Thread) -> int:
        looks = 0
        while thread.is_alive() or not looks:
            assert await reader.count() == 40 * PARTS
            n = looks % 40
            passages = await reader.search(f"unique{n}x1", k=1, half=Half.TEXT)
            assert [passage.document for passage in passages] == [f"d{n}.md"]
            assert len(await reader.search(f"unique{n}x1 document", k=5)) == 5
            looks += 1
        return looks

    thread = threading.Thread(target=write)
    thread.start()
    looks = run(read(thread))
    thread.join(60)
    assert not failures
    assert looks > 0
    assert set(state(reader, 40).values()) == {5}


#: Indexes `number` documents of `version`, and kills itself at the `fatal`-th time that a file reaches the disk, before
#: (even) or after (odd) it has; 0 lets it live.
CHILD = f"""
import os, signal, sys
from pathlib import Path
from engine.retrieval.ingestion import indexing
from engine.testing import HashedWordsEmbedder
from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.local.index import LocalIndex
from engine.retrieval.port import Document

indexing.COMMIT_PASSAGES, indexing.EMBED_BATCH = 30, 9
folder, number, fatal, version = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]) or 1
calls = 0

def fsync(descriptor, real=os.fsync):
    global calls
    calls += 1
    if calls == fatal // 2 and fatal % 2 == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    real(descriptor)
    if calls == fatal // 2:
        os.kill(os.getpid(), signal.SIGKILL)

os.fsync = fsync

def document(n):
    parts = "\\n\\n".join(f"## Part {{p}}\\n\\nunique{{n}}x{{p}} version{{version}} of document {{n}}" for p in range({PARTS}))
    return Document(f"d{{n}}.md", f"D{{n}}", parts, "markdown", f"/docs/d{{n}}.md", f"{{n}}-{{version}}")

def progress(now):
    print(now.documents, flush=True)

LocalIndex(folder, HashedWordsEmbedder(64)).index([document(n) for n in range(number)], progress=progress)
"""
DOCUMENTS = 60


def check_after_a_kill(open_index: Opener, allowed: set[int]) -> None:
    """The index opens, holds whole documents only, and a second run completes it without encoding those again."""
    versions = state(open_index(), DOCUMENTS)
    assert set(versions.values()) <= allowed
    newest = max(allowed)
    complete = sum(version == newest for version in versions.values())
    embedder = HashedWordsEmbedder(64)
    report = open_index(embedder).index([document(n, version=newest) for n in range(DOCUMENTS)])
    assert report.unchanged == complete
    assert len(passages_of(embedder)) == (DOCUMENTS - complete) * PARTS
    assert state(open_index(), DOCUMENTS) == dict.fromkeys(range(DOCUMENTS), newest)
    index = open_index()
    for n in range(0, DOCUMENTS, 7):
        assert found(index, f"unique{n}x1 version{newest} of document {n}", Half.DENSE)


@pytest.mark.parametrize("fatal", [2, 3, 5, 8, 11, 14, 17])
def test_a_kill_around_a_write_to_the_disk_leaves_a_whole_state(open_local: Opener, tmp_path: Path, fatal: int) -> None:
    child = [sys.executable, "-c", CHILD, str(tmp_path / "index"), str(DOCUMENTS), str(fatal), "1"]
    assert subprocess.run(child, stdout=subprocess.DEVNULL, check=False, timeout=60).returncode == -signal.SIGKILL
    check_after_a_kill(open_local, {1})


@pytest.mark.parametrize("seed", range(sized(6, 50)))
def test_a_kill_at_any_moment_of_an_update_leaves_a_whole_state(open_local: Opener, tmp_path: Path, seed: int) -> None:
    open_local().index([document(n) for n in range(DOCUMENTS)])
    fatal_line = random.Random(seed).randrange(1, DOCUMENTS + 1)
    child = [sys.executable, "-c", CHILD, str(tmp_path / "index"), str(DOCUMENTS), "0", "2"]
    with subprocess.Popen(child, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if int(line) >= fatal_line:
                os.kill(process.pid, signal.SIGKILL)
                break
    check_after_a_kill(open_local, {1, 2})


def test_a_run_after_many_kills_completes(open_local: Opener, tmp_path: Path) -> None:
    for fatal in (4, 6, 7, 9):
        child = [sys.executable, "-c", CHILD, str(tmp_path / "index"), str(DOCUMENTS), str(fatal), "1"]
        subprocess.run(child, stdout=subprocess.DEVNULL, check=False, timeout=60)
    check_after_a_kill(open_local, {1})
    leftovers: Callable[[str], list[Path]] = lambda pattern: list((tmp_path / "index").rglob(pattern))  # noqa: E731
    assert leftovers("*.partial") == []
