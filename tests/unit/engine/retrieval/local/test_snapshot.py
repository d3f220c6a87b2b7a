from __future__ import annotations

from itertools import starmap
from pathlib import Path

import numpy as np
import pytest

from engine.domain import Passage
from engine.retrieval.local.snapshot import VECTOR_FOLDER, Snapshot, TornSnapshotError, living, open_text_index
from engine.retrieval.local.vectors import segment_paths, write_segment
from engine.retrieval.local.writer import GenerationWriter
from engine.retrieval.port import Chunk, Document
from engine.testing import HashedWordsEmbedder

EMBEDDER = HashedWordsEmbedder(32)


def put(writer: GenerationWriter, name: str, *texts: str, ids: tuple[str, ...] = ()) -> None:
    chunks = [
        Chunk(Passage(id=ids[n] if ids else f"{name}-{n}", document=name, title=name, heading="", text=text), text)
        for n, text in enumerate(texts)
    ]
    document = Document(name=name, title=name, text="\n".join(texts), kind="text", source=f"/{name}", digest=str(texts))
    writer.put(document, chunks, EMBEDDER.embed(texts))


def commit(folder: Path, *documents: tuple[str, ...], removed: tuple[str, ...] = ()) -> None:
    writer = GenerationWriter(folder)
    for name, *texts in documents:
        put(writer, name, *texts)
    for name in removed:
        writer.remove(f"/{name}")
    writer.commit()
    writer.close()


def ids(snapshot: Snapshot, query: str, k: int = 10) -> list[str]:
    return [passage.id for passage in starmap(snapshot.passage, snapshot.search_text(query, k))]


def dense_ids(snapshot: Snapshot, query: str, k: int = 10) -> list[str]:
    return [passage.id for passage in starmap(snapshot.passage, snapshot.search_dense(EMBEDDER.embed([query])[0], k))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    commit(tmp_path, ("a", "red apple", "green pear"), ("b", "blue plum"))
    return tmp_path


def test_both_halves_see_every_passage(folder: Path) -> None:
    snapshot = Snapshot.take(folder)
    assert snapshot.count == 3
    assert ids(snapshot, "pear") == ["a-1"]
    assert dense_ids(snapshot, "blue plum", 1) == ["b-0"]
    assert set(dense_ids(snapshot, "anything")) == {"a-0", "a-1", "b-0"}


def test_a_snapshot_stays_as_it_was(folder: Path) -> None:
    before = Snapshot.take(folder)
    commit(folder, ("a", "orange"), ("c", "red cherry"), removed=("b",))
    assert before.count == 3
    assert ids(before, "plum") == dense_ids(before, "blue plum", 1) == ["b-0"]
    assert ids(before, "red") == ["a-0"]


def test_a_later_snapshot_sees_the_commit(folder: Path) -> None:
    before = Snapshot.take(folder)
    commit(folder, ("a", "orange"), ("c", "red cherry"), removed=("b",))
    after = Snapshot.take(folder, before)
    assert after.count == 2
    assert ids(after, "plum") == []
    assert dense_ids(after, "blue plum") == ["a-0", "c-0"] or set(dense_ids(after, "blue plum")) == {"a-0", "c-0"}
    assert ids(after, "red") == ["c-0"]


def test_maps_are_shared_between_snapshots(folder: Path) -> None:
    before = Snapshot.take(folder)
    commit(folder, ("c", "red cherry"))
    after = Snapshot.take(folder, before)
    shared = {segment.path: segment for segment in before.segments}
    assert [shared.get(segment.path) is segment for segment in after.segments] == [True, False]


@pytest.mark.parametrize("query", ["", "？？", "unheard"])
def test_a_query_that_matches_nothing_finds_nothing(folder: Path, query: str) -> None:
    assert Snapshot.take(folder).search_text(query, 5) == []


def test_an_empty_generation_is_searched(tmp_path: Path) -> None:
    commit(tmp_path)
    snapshot = Snapshot.take(tmp_path)
    assert snapshot.count == 0
    assert ids(snapshot, "x") == dense_ids(snapshot, "x") == []


def test_orphaned_vectors_are_never_found(folder: Path) -> None:
    vector = EMBEDDER.embed(["orphan of a killed writer"])
    write_segment(folder / VECTOR_FOLDER / "00000009-x.vectors", np.array([900], dtype=np.uint64), vector)
    assert set(dense_ids(Snapshot.take(folder), "orphan of a killed writer")) == {"a-0", "a-1", "b-0"}


def test_a_row_that_two_files_hold_is_found_once(folder: Path) -> None:
    (path,) = segment_paths(folder / VECTOR_FOLDER)
    (folder / VECTOR_FOLDER / "00000009-x.vectors").write_bytes(path.read_bytes())
    snapshot = Snapshot.take(folder)
    assert len(snapshot.search_dense(EMBEDDER.embed(["plum"])[0], 10)) == 3


def test_a_missing_vector_is_noticed(folder: Path) -> None:
    (path,) = segment_paths(folder / VECTOR_FOLDER)
    path.unlink()
    with pytest.raises(TornSnapshotError):
        Snapshot.take(folder)


def test_a_file_that_goes_while_it_is_opened_is_noticed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.retrieval.local.snapshot.segment_paths", lambda _: [Path("/gone/00000001-x.vectors")])
    with pytest.raises(TornSnapshotError):
        Snapshot.take(folder)


def test_a_damaged_file_is_an_error_of_its_own(folder: Path) -> None:
    (path,) = segment_paths(folder / VECTOR_FOLDER)
    path.write_bytes(b"damaged")
    with pytest.raises(ValueError, match="no vector segment"):
        Snapshot.take(folder)


def test_no_generation_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TornSnapshotError):  # a newer one may have taken its place
        Snapshot.take(tmp_path / "none")


def test_living_lists_keys_with_their_addresses(folder: Path) -> None:
    commit(folder, removed=("b",))
    addresses, keys = living(open_text_index(folder).searcher())
    assert len(addresses) == len(keys) == 2
    assert len(set(keys.tolist())) == 2
