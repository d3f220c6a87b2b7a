from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.bootstrap import MODEL_DIR
from engine.domain import Evidence
from engine.errors import ConfigurationError, DependencyUnavailable
from engine.generation.extractive.candidates import candidates
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.retrieval.local.index import LocalIndex
from engine.retrieval.local.snapshot import TEXT_FOLDER, VECTOR_FOLDER, Snapshot, TornSnapshotError
from engine.retrieval.manifest import MANIFEST, REBUILD
from engine.retrieval.port import Document, Half
from engine.retrieval.sentences import StoredSentences
from engine.testing import HashedWordsEmbedder
from engine.text.material import harmless_passage, quotable


def document(n: int, text: str = "", digest: str = "1") -> Document:
    text = text or f"text number{n}"
    return Document(name=f"d{n}", title="", text=text, kind="passage", source=f"/docs/d{n}", digest=digest)


def generation(folder: Path) -> Path:
    return folder / str(json.loads((folder / MANIFEST).read_text())["generation"])


@pytest.fixture
def embedder() -> HashedWordsEmbedder:
    return HashedWordsEmbedder(32)


def asked_of(embedder: HashedWordsEmbedder, index: LocalIndex, texts: Sequence[str]) -> list[str]:
    """What an answer that weighs `texts` has to encode."""
    embedder.embedded.clear()
    StoredSentences(index, embedder).embed(texts)
    return list(embedder.embedded)


async def test_what_is_quoted_of_a_passage_is_not_encoded_again(tmp_path: Path, embedder: HashedWordsEmbedder) -> None:
    text = (
        "# Kilns\n\n## Firing [1]\n\nA kiln is hot. It has 3\u200b doors.\n\n1. Open.\n2. Light.\n\n```\nlight()\n```\n"
    )
    index = LocalIndex(tmp_path, embedder)
    index.index([Document("k.md", "Kilns", text, "markdown", "/k.md", "1")])
    found = [quotable(harmless_passage(passage)) for passage in await index.search("kiln", k=8)]
    among = candidates([Evidence(number, passage) for number, passage in enumerate(found, start=1)])
    assert len(among) == 4
    assert asked_of(embedder, LocalIndex(tmp_path, embedder), [one.in_context for one in among]) == []
    assert asked_of(embedder, index, ["A kiln is cold."]) == ["A kiln is cold."]


async def test_what_is_quoted_of_a_passage_is_not_read_again_for_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = OnnxEmbedder(MODEL_DIR)
    LocalIndex(tmp_path, encoder).index([document(1, "The gates open at seven. Dogs stay outside.")])
    index, question = LocalIndex(tmp_path, encoder), "When do the gates open?"
    asked = ["The gates open at seven.", "Dogs stay outside."]
    assert [*index.sentence_states([*asked, "Cats as well."])] == asked
    read = encoder.answers_in(question, asked)
    monkeypatch.setattr(encoder, "_new_states", lambda sentences: {one: pytest.fail(one) for one in sentences})
    found = StoredSentences(index, encoder).answers_in(question, asked)
    assert read is not None
    assert found is not None
    np.testing.assert_allclose(found, read, atol=0.05)
    assert LocalIndex(tmp_path / "none", encoder).sentence_states(asked) == {}


async def test_what_cannot_be_read_of_sentences_is_encoded(tmp_path: Path, embedder: HashedWordsEmbedder) -> None:
    assert asked_of(embedder, LocalIndex(tmp_path / "none", embedder), ["number1"]) == ["number1"]
    index = LocalIndex(tmp_path, embedder)
    index.index([document(1, "number1")])
    assert asked_of(embedder, index, ["number1"]) == []
    (tmp_path / MANIFEST).unlink()
    assert asked_of(embedder, index, ["number1"]) == ["number1"]


def test_a_folder_that_is_not_there_is_not_made_by_reading(tmp_path: Path, embedder: HashedWordsEmbedder) -> None:
    async def look() -> None:
        index = LocalIndex(tmp_path / "none", embedder)
        await index.ping()
        assert await index.search("x") == []
        assert await index.count() == 0
        await index.close()

    asyncio.run(look())
    assert not (tmp_path / "none").exists()


def test_the_layout_is_the_one_that_is_described(tmp_path: Path, embedder: HashedWordsEmbedder) -> None:
    LocalIndex(tmp_path, embedder).index([document(1)])
    folder = generation(tmp_path)
    assert folder.name.startswith("g-")
    assert {path.name for path in tmp_path.iterdir()} == {MANIFEST, "WRITER.lock", folder.name}
    assert {path.name for path in folder.iterdir()} == {TEXT_FOLDER, VECTOR_FOLDER}


async def test_one_instance_writes_and_reads(tmp_path: Path, embedder: HashedWordsEmbedder) -> None:
    index = LocalIndex(tmp_path, embedder)
    assert await index.count() == 0
    index.index([document(1)])
    assert [passage.id for passage in await index.search("number1")] == ["d1"]
    index.index([document(2)])
    assert await index.count() == 2
    await index.close()


async def test_nothing_is_loaded_again_while_nothing_changes(
    tmp_path: Path, embedder: HashedWordsEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = LocalIndex(tmp_path, embedder), LocalIndex(tmp_path, embedder)
    writer.index([document(1)])
    taken: list[Path] = []
    take = Snapshot.take

    def counted(folder: Path, former: Snapshot | None = None) -> Snapshot:
        taken.append(folder)
        return take(folder, former)

    monkeypatch.setattr(Snapshot, "take", counted)
    for _ in range(5):
        await reader.search("x")
    assert len(taken) == 1
    writer.index([document(2)])
    for _ in range(5):
        await reader.search("x")
    assert len(taken) == 2
    await reader.close()


async def test_the_text_half_does_not_encode(tmp_path: Path, embedder: HashedWordsEmbedder) -> None:
    index = LocalIndex(tmp_path, embedder)
    index.index([document(1)])
    embedder.embedded.clear()
    await index.search("number1", half=Half.TEXT)
    assert embedder.embedded == []
    await index.search("number1")
    assert embedder.embedded == ["number1"]
    await index.close()


class _Failing(HashedWordsEmbedder):
    fails = False

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.fails:
            raise RuntimeError("secret detail")
        return super().embed(texts)


@pytest.mark.parametrize("half", [Half.BOTH, Half.DENSE])
async def test_a_failing_embedder_is_named_without_its_words(tmp_path: Path, half: Half) -> None:
    embedder = _Failing(32)
    index = LocalIndex(tmp_path, embedder)
    index.index([document(1)])
    embedder.fails = True
    with pytest.raises(DependencyUnavailable, match="embedder: ") as failure:
        await index.search("number1", half=half)
    assert "secret" not in str(failure.value)
    await index.close()


async def test_search_runs_beside_the_event_loop(tmp_path: Path) -> None:
    threads: set[str] = set()

    class Watching(HashedWordsEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            threads.add(threading.current_thread().name)
            return super().embed(texts)

    index = LocalIndex(tmp_path, Watching(8))
    index.index([document(1)])
    threads.clear()
    await index.search("x y z")
    assert threads
    assert all(name.startswith("search") for name in threads)
    await index.close()


async def test_a_snapshot_that_is_torn_is_taken_again(
    tmp_path: Path, embedder: HashedWordsEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = LocalIndex(tmp_path, embedder)
    index.index([document(1)])
    take = Snapshot.take
    failures: Iterator[Exception] = iter([TornSnapshotError(), FileNotFoundError(), ValueError("gone")])

    def torn(folder: Path, former: Snapshot | None = None) -> Snapshot:
        for failure in failures:
            raise failure
        return take(folder, former)

    monkeypatch.setattr(Snapshot, "take", torn)
    assert await index.count() == 1
    await index.close()


async def test_an_index_that_cannot_be_read_is_named_with_its_mend(
    tmp_path: Path, embedder: HashedWordsEmbedder
) -> None:
    index = LocalIndex(tmp_path, embedder)
    index.index([document(1)])
    for path in (generation(tmp_path) / VECTOR_FOLDER).iterdir():
        path.unlink()
    with pytest.raises(DependencyUnavailable, match="--rebuild") as failure:
        await index.search("x")
    assert str(tmp_path) in str(failure.value)
    with pytest.raises(DependencyUnavailable):
        await index.ping()
    await index.close()


async def test_a_manifest_that_breaks_while_serving_is_unavailable(
    tmp_path: Path, embedder: HashedWordsEmbedder
) -> None:
    index = LocalIndex(tmp_path, embedder)
    index.index([document(1)])
    await index.ping()
    (tmp_path / MANIFEST).write_text("{")
    with pytest.raises(DependencyUnavailable, match="damaged"):
        await index.ping()
    await index.close()


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path, embedder: HashedWordsEmbedder) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        LocalIndex(tmp_path / "file", embedder)


def test_a_wrong_version_is_refused(
    tmp_path: Path, embedder: HashedWordsEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    LocalIndex(tmp_path, embedder).index([document(1)])
    monkeypatch.setattr("engine.retrieval.manifest.SCHEMA_VERSION", 99)
    with pytest.raises(ConfigurationError, match="schema version 2 instead of 99"):
        LocalIndex(tmp_path, embedder)


async def test_readers_keep_the_former_index_during_a_rebuild(tmp_path: Path, embedder: HashedWordsEmbedder) -> None:
    LocalIndex(tmp_path, embedder).index([document(n) for n in range(3)])
    reader = LocalIndex(tmp_path, embedder)
    former = generation(tmp_path)
    counts: list[int] = []

    def documents() -> Iterator[Document]:
        for n in range(2):
            counts.append(asyncio.run(LocalIndex(tmp_path, embedder).count()))
            yield document(n, f"rebuilt {n}")

    await asyncio.to_thread(LocalIndex(tmp_path, embedder, rebuild=True).index, documents())
    assert counts == [3, 3]
    assert await reader.count() == 2
    assert [passage.id for passage in await reader.search("rebuilt", half=Half.TEXT)] == ["d0", "d1"]
    assert not former.exists()
    assert not (tmp_path / REBUILD).exists()
    await reader.close()


def test_a_rebuild_that_was_cut_off_carries_on(
    tmp_path: Path, embedder: HashedWordsEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.retrieval.ingestion.indexing.COMMIT_PASSAGES", 64)
    LocalIndex(tmp_path, HashedWordsEmbedder(32, "former")).index([document(0)])

    def documents() -> Iterator[Document]:
        yield from (document(n) for n in range(100))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        LocalIndex(tmp_path, embedder, rebuild=True).index(documents())
    assert json.loads((tmp_path / MANIFEST).read_text())["embedder"] == "former-32"
    embedder.embedded.clear()
    report = LocalIndex(tmp_path, embedder, rebuild=True).index([document(n) for n in range(100)])
    assert (report.unchanged, report.added) == (64, 36)
    assert len(embedder.embedded) == 36
    assert asyncio.run(LocalIndex(tmp_path, embedder).count()) == 100


def test_a_rebuild_of_another_embedder_is_not_carried_on(tmp_path: Path, embedder: HashedWordsEmbedder) -> None:
    def documents() -> Iterator[Document]:
        yield document(1)
        raise LookupError

    with pytest.raises(LookupError):
        LocalIndex(tmp_path, HashedWordsEmbedder(8, "third"), rebuild=True).index(documents())
    report = LocalIndex(tmp_path, embedder, rebuild=True).index([document(1), document(2)])
    assert report.added == 2
    assert len(list(tmp_path.glob("g-*"))) == 1


def test_a_damaged_index_can_be_rebuilt(tmp_path: Path, embedder: HashedWordsEmbedder) -> None:
    LocalIndex(tmp_path, embedder).index([document(1)])
    (tmp_path / MANIFEST).write_text("{")
    with pytest.raises(ConfigurationError, match="--rebuild"):
        LocalIndex(tmp_path, embedder)
    LocalIndex(tmp_path, embedder, rebuild=True).index([document(1), document(2)])
    assert asyncio.run(LocalIndex(tmp_path, embedder).count()) == 2


async def test_after_a_rebuild_the_instance_is_an_ordinary_one(tmp_path: Path, embedder: HashedWordsEmbedder) -> None:
    index = LocalIndex(tmp_path, embedder, rebuild=True)
    index.index([document(1)])
    assert index.index([document(1), document(2)]).unchanged == 1
    assert await index.count() == 2
    await index.close()


async def test_a_rebuild_for_another_embedder_stops_a_running_reader(
    tmp_path: Path, embedder: HashedWordsEmbedder
) -> None:
    reader = LocalIndex(tmp_path, embedder)
    reader.index([document(1)])
    assert await reader.count() == 1
    LocalIndex(tmp_path, HashedWordsEmbedder(8, "new"), rebuild=True).index([document(1)])
    with pytest.raises(DependencyUnavailable, match="embedder new-8 instead of hashed-words-32"):
        await reader.search("x")
    await reader.close()


async def test_closing_while_a_search_runs_ends_it_or_refuses_it(tmp_path: Path) -> None:
    entered, go_on = threading.Event(), threading.Event()

    class Waiting(HashedWordsEmbedder):
        waits = False

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.waits:
                entered.set()
                assert go_on.wait(10)
            return super().embed(texts)

    embedder = Waiting(8)
    index = LocalIndex(tmp_path, embedder)
    index.index([document(1)])
    embedder.waits = True
    search = asyncio.create_task(index.search("number1"))
    await asyncio.to_thread(entered.wait, 10)
    await index.close()
    go_on.set()
    assert [passage.id for passage in await search] == ["d1"]


async def test_others_search_on_while_one_loads(
    tmp_path: Path, embedder: HashedWordsEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = LocalIndex(tmp_path, embedder)
    index.index([document(1)])
    assert await index.count() == 1
    loading, go_on = threading.Event(), threading.Event()
    take = Snapshot.take

    def slow(folder: Path, former: Snapshot | None = None) -> Snapshot:
        loading.set()
        assert go_on.wait(10)
        return take(folder, former)

    monkeypatch.setattr(Snapshot, "take", slow)
    index.index([document(2)])
    first = asyncio.create_task(index.count())
    await asyncio.to_thread(loading.wait, 10)
    assert await index.count() == 1
    go_on.set()
    assert await first == 2
    await index.close()
