from __future__ import annotations

from itertools import starmap
from pathlib import Path

import numpy as np
import pytest

from engine.domain import Passage
from engine.errors import DependencyUnavailable
from engine.retrieval.ingestion.indexing import state_of
from engine.retrieval.local import writer as local_writer
from engine.retrieval.local.sentences import (
    STATE_SUFFIX,
    known_states,
    known_vectors,
    open_sentences,
    sentence_paths,
    write_sentences,
)
from engine.retrieval.local.snapshot import TEXT_FOLDER, VECTOR_FOLDER, Snapshot
from engine.retrieval.local.vectors import open_segment, segment_paths, write_segment
from engine.retrieval.local.writer import GenerationWriter
from engine.retrieval.port import Chunk, Document
from engine.retrieval.sentences import EncodedSentences, rows_of, state_rows_of
from engine.testing import HashedWordsEmbedder

EMBEDDER = HashedWordsEmbedder(16)
#: Of each sentence.
TOKENS = 3


def document(name: str, digest: str = "1", source: str = "") -> Document:
    return Document(name=name, title=name, text="", kind="text", source=source or f"/{name}", digest=digest)


def chunks(name: str, count: int = 1) -> list[Chunk]:
    return [Chunk(Passage(f"{name}-{n}", name, name, "", f"{name} word{n}"), f"{name} word{n}") for n in range(count)]


def put(writer: GenerationWriter, name: str, digest: str = "1", count: int = 1) -> None:
    own = chunks(name, count)
    vectors = EMBEDDER.embed([chunk.searchable for chunk in own])
    sentences = []
    for n, chunk in enumerate(own):
        states = state_rows_of([chunk.passage.text], [np.full((TOKENS, 4), n + 1, dtype=np.float32)])
        sentences.append(EncodedSentences(rows_of([chunk.passage.text], vectors[n : n + 1]), states))
    writer.put(document(name, digest), own, vectors, sentences)


def sentences_of(folder: Path, *texts: str) -> list[bool]:
    """Which of these have a vector."""
    known, _ = known_vectors(Snapshot.take(folder).sentences, texts, EMBEDDER.dimensions)
    return [bool(one) for one in known]


def states_of(folder: Path, *texts: str) -> list[bool]:
    """Which of these have their states."""
    known = known_states(Snapshot.take(folder).states, texts)
    assert all(states.shape == (TOKENS, 4) for states in known.values())
    return [text in known for text in texts]


def written(folder: Path, *names: str) -> None:
    writer = GenerationWriter(folder)
    for name in names:
        put(writer, name)
    writer.commit()
    writer.close()


def found(folder: Path, query: str) -> list[str]:
    snapshot = Snapshot.take(folder)
    return sorted(passage.id for passage in starmap(snapshot.passage, snapshot.search_text(query, 50)))


def test_a_new_generation_is_made(tmp_path: Path) -> None:
    writer = GenerationWriter(tmp_path / "g")
    assert writer.known == {}
    writer.close()
    assert (tmp_path / "g" / TEXT_FOLDER / "meta.json").exists()
    assert (tmp_path / "g" / VECTOR_FOLDER).is_dir()


def test_nothing_is_seen_before_the_commit(tmp_path: Path) -> None:
    written(tmp_path, "a")
    writer = GenerationWriter(tmp_path)
    put(writer, "b")
    writer.remove("/a")
    assert (found(tmp_path, "a"), found(tmp_path, "b")) == (["a-0"], [])
    writer.commit()
    assert (found(tmp_path, "a"), found(tmp_path, "b")) == ([], ["b-0"])
    writer.close()


def test_what_was_not_committed_is_forgotten_at_the_end(tmp_path: Path) -> None:
    writer = GenerationWriter(tmp_path)
    put(writer, "a")
    writer.close()
    assert found(tmp_path, "a") == []
    again = GenerationWriter(tmp_path)
    assert again.known == {}
    again.close()


def test_documents_are_known_by_source_name_and_digest(tmp_path: Path) -> None:
    written(tmp_path, "a")
    writer = GenerationWriter(tmp_path)
    assert state_of(document("a"), writer.known) == "unchanged"
    assert state_of(document("a", "2"), writer.known) == "updated"
    assert state_of(document("renamed", source="/a"), writer.known) == "updated"
    assert state_of(document("b"), writer.known) == "added"
    writer.close()


def test_a_document_replaces_its_former_state(tmp_path: Path) -> None:
    writer = GenerationWriter(tmp_path)
    put(writer, "a", "1", count=3)
    writer.commit()
    put(writer, "a", "2", count=1)
    writer.commit()
    assert found(tmp_path, "a") == ["a-0"]
    writer.close()


def test_a_document_may_come_twice_within_a_commit(tmp_path: Path) -> None:
    writer = GenerationWriter(tmp_path)
    put(writer, "a", "1", count=3)
    put(writer, "a", "2", count=2)
    writer.commit()
    assert found(tmp_path, "a") == ["a-0", "a-1"]
    assert state_of(document("a", "2"), writer.known) == "unchanged"
    writer.close()


def test_a_document_without_passages_is_removed(tmp_path: Path) -> None:
    written(tmp_path, "a", "b")
    writer = GenerationWriter(tmp_path)
    writer.put(document("a", "2"), [], np.empty((0, 16), dtype=np.float32))
    writer.commit()
    assert (found(tmp_path, "a"), found(tmp_path, "b")) == ([], ["b-0"])
    assert "/a" not in writer.known
    writer.close()


def test_removing_what_is_not_there_is_no_harm(tmp_path: Path) -> None:
    writer = GenerationWriter(tmp_path)
    writer.remove("/never")
    writer.commit()
    writer.close()


def test_pending_counts_passages_until_the_commit(tmp_path: Path) -> None:
    writer = GenerationWriter(tmp_path)
    put(writer, "a", count=3)
    put(writer, "b", count=2)
    assert writer.pending == 5
    writer.commit()
    assert writer.pending == 0
    writer.close()


def test_keys_are_never_given_twice(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        written(tmp_path, name)
    keys = np.concatenate([open_segment(path).keys for path in segment_paths(tmp_path / VECTOR_FOLDER)])
    assert len(set(keys.tolist())) == len(keys) == 3


def test_what_killed_writers_left_is_removed(tmp_path: Path) -> None:
    written(tmp_path, "a")
    vectors = tmp_path / VECTOR_FOLDER
    write_segment(vectors / "00000050-dead.vectors", np.array([70], dtype=np.uint64), EMBEDDER.embed(["x"]))
    (vectors / "00000051-half.vectors.partial").write_bytes(b"half")
    written(tmp_path, "b")
    assert not list(vectors.glob("*dead*"))
    assert not list(vectors.glob("*.partial"))
    assert (found(tmp_path, "a"), found(tmp_path, "b")) == (["a-0"], ["b-0"])


def test_many_vector_files_are_merged(tmp_path: Path) -> None:
    for n in range(12):
        written(tmp_path, f"d{n}")
    assert len(segment_paths(tmp_path / VECTOR_FOLDER)) <= 9
    snapshot = Snapshot.take(tmp_path)
    assert snapshot.count == 12
    for n in range(12):
        (best, *_) = starmap(snapshot.passage, snapshot.search_dense(EMBEDDER.embed([f"d{n} word0"])[0], 12))
        assert best.text == f"d{n} word0" or EMBEDDER.embed([best.text])[0] @ EMBEDDER.embed([f"d{n} word0"])[0] > 0.99


def test_sentences_come_and_go_with_their_passages(tmp_path: Path) -> None:
    written(tmp_path, "a", "b", "c", "d")
    assert sentences_of(tmp_path, "a word0", "d word0", "e word0") == [True, True, False]
    assert states_of(tmp_path, "a word0", "d word0", "e word0") == [True, True, False]
    writer = GenerationWriter(tmp_path)
    for name in ("a", "b"):
        writer.remove(f"/{name}")
    writer.commit()
    writer.close()
    assert sentences_of(tmp_path, "a word0", "b word0", "c word0", "d word0") == [False, False, True, True]
    assert states_of(tmp_path, "a word0", "b word0", "c word0", "d word0") == [False, False, True, True]
    (path,) = sentence_paths(tmp_path / VECTOR_FOLDER)
    assert len(open_sentences(path).digests) == 2
    (path,) = sentence_paths(tmp_path / VECTOR_FOLDER, STATE_SUFFIX)
    assert len(open_sentences(path).digests) == 2 * TOKENS


def test_sentences_of_many_files_are_merged_with_their_vectors(tmp_path: Path) -> None:
    for n in range(12):
        written(tmp_path, f"d{n}")
    assert len(sentence_paths(tmp_path / VECTOR_FOLDER)) <= 9
    assert len(sentence_paths(tmp_path / VECTOR_FOLDER, STATE_SUFFIX)) <= 9
    assert all(sentences_of(tmp_path, *(f"d{n} word0" for n in range(12))))
    assert all(states_of(tmp_path, *(f"d{n} word0" for n in range(12))))


def test_states_are_kept_as_far_as_there_is_room_and_that_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_writer, "MOST_STATES", 2 * TOKENS + 1)
    written(tmp_path, "a")
    written(tmp_path, "b", "c")
    assert sentences_of(tmp_path, "a word0", "b word0", "c word0") == [True, True, True]
    assert states_of(tmp_path, "a word0", "b word0", "c word0") == [True, True, False]
    writer = GenerationWriter(tmp_path)
    writer.remove("/a")
    writer.commit()
    writer.close()
    written(tmp_path, "d")
    assert states_of(tmp_path, "a word0", "b word0", "c word0", "d word0") == [False, True, False, True]


def test_sentences_that_killed_writers_left_are_removed(tmp_path: Path) -> None:
    written(tmp_path, "a")
    left = rows_of(["x"], EMBEDDER.embed(["x"]))
    left["owner"] = 70
    write_sentences(tmp_path / VECTOR_FOLDER / "00000050-dead.sentences", left)
    read = state_rows_of(["x"], [np.ones((TOKENS, 4), dtype=np.float32)])
    read["owner"] = 70
    write_sentences(tmp_path / VECTOR_FOLDER / "00000050-dead.states", read)
    assert sentences_of(tmp_path, "a word0", "x") == [True, True]
    assert states_of(tmp_path, "a word0", "x") == [True, True]
    written(tmp_path, "b")
    assert sentences_of(tmp_path, "a word0", "b word0", "x") == [True, True, False]
    assert states_of(tmp_path, "a word0", "b word0", "x") == [True, True, False]


def test_rows_without_a_passage_are_given_back(tmp_path: Path) -> None:
    written(tmp_path, "a", "b", "c", "d")
    writer = GenerationWriter(tmp_path)
    for name in ("a", "b"):
        writer.remove(f"/{name}")
    writer.commit()
    writer.close()
    (path,) = segment_paths(tmp_path / VECTOR_FOLDER)
    assert len(open_segment(path).keys) == 2
    assert len(Snapshot.take(tmp_path).dead) == 0


def test_an_emptied_index_has_no_vectors(tmp_path: Path) -> None:
    written(tmp_path, "a")
    writer = GenerationWriter(tmp_path)
    writer.remove("/a")
    writer.commit()
    writer.close()
    assert segment_paths(tmp_path / VECTOR_FOLDER) == []
    assert sentence_paths(tmp_path / VECTOR_FOLDER) == []
    assert sentence_paths(tmp_path / VECTOR_FOLDER, STATE_SUFFIX) == []
    assert Snapshot.take(tmp_path).count == 0


def test_no_name_of_a_vector_file_comes_back(tmp_path: Path) -> None:
    names: set[str] = set()
    for n in range(4):
        written(tmp_path, "only")
        writer = GenerationWriter(tmp_path)
        put(writer, "only", digest=f"next {n}")
        writer.commit()
        names |= {path.name for path in segment_paths(tmp_path / VECTOR_FOLDER)}
        writer.close()
    assert len(names) >= 5


def test_a_full_disk_is_told_and_nothing_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "a")
    writer = GenerationWriter(tmp_path)
    put(writer, "b")

    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(local_writer, "write_segment", no_space)
    with pytest.raises(DependencyUnavailable, match="cannot be written"):
        writer.commit()
    writer.close()
    assert (found(tmp_path, "a"), found(tmp_path, "b")) == (["a-0"], [])


def test_a_damaged_index_is_told(tmp_path: Path) -> None:
    written(tmp_path, "a")
    (tmp_path / TEXT_FOLDER / "meta.json").write_text("{")
    with pytest.raises(DependencyUnavailable, match=r"meta\.json is damaged.*index --rebuild"):
        GenerationWriter(tmp_path)


def test_lone_surrogates_in_a_source_are_no_harm(tmp_path: Path) -> None:
    writer = GenerationWriter(tmp_path)
    writer.put(document("a", source="/\udce9"), chunks("a"), EMBEDDER.embed(["a"]))
    writer.commit()
    assert state_of(document("a", source="/\udce9"), writer.known) == "unchanged"
    writer.close()
