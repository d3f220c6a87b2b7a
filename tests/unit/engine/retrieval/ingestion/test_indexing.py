from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.retrieval.ingestion import indexing
from engine.retrieval.ingestion.indexing import EMBED_BATCH, index_documents, is_under
from engine.retrieval.local.snapshot import Snapshot
from engine.retrieval.local.writer import GenerationWriter
from engine.retrieval.port import Document, IndexReport, ProgressBar
from engine.testing import HashedWordsEmbedder


def document(n: int, text: str = "", digest: str = "1") -> Document:
    text = text or f"text number{n}"
    return Document(name=f"d{n}", title="", text=text, kind="passage", source=f"/docs/d{n}", digest=digest)


def run(
    folder: Path,
    documents: Sequence[Document] | Iterator[Document],
    embedder: HashedWordsEmbedder | None = None,
    roots: Sequence[str] = (),
    progress: ProgressBar | None = None,
) -> IndexReport:
    return index_documents(GenerationWriter(folder), embedder or HashedWordsEmbedder(8), documents, roots, progress, 0)


class _Recording:
    """An embedder that keeps the sizes of its batches."""

    id = "recording"
    dimensions = 8

    def __init__(self, fails_at: int = -1) -> None:
        self.batches: list[int] = []
        self._fails_at = fails_at

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.batches.append(len(texts))
        if len(self.batches) == self._fails_at:
            raise RuntimeError("the model fails")
        return HashedWordsEmbedder(8).embed(texts)


def test_passages_are_encoded_in_batches(tmp_path: Path) -> None:
    embedder = _Recording()
    index_documents(GenerationWriter(tmp_path), embedder, [document(n) for n in range(150)], (), None, 150)
    assert sum(embedder.batches) == 150
    assert max(embedder.batches) == EMBED_BATCH


def test_one_large_document_is_encoded_in_batches_too(tmp_path: Path) -> None:
    embedder = _Recording()
    text = "\n\n".join(f"## H{n}\n\ntext {n}" for n in range(200))
    large = Document(name="l", title="l", text=text, kind="markdown", source="/l", digest="1")
    report = index_documents(GenerationWriter(tmp_path), embedder, [large], (), None, 1)
    assert report.passages == 200
    assert embedder.batches == [64, 64, 64, 8]


def test_what_is_unchanged_is_not_encoded(tmp_path: Path) -> None:
    run(tmp_path, [document(n) for n in range(5)])
    embedder = HashedWordsEmbedder(8)
    report = run(tmp_path, [document(n) for n in range(4)] + [document(4, "other", "2"), document(5)], embedder)
    assert report == IndexReport(added=1, updated=1, unchanged=4, removed=0, passages=2)
    assert embedder.embedded == ["other", "text number5"]


def test_commits_come_in_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "COMMIT_PASSAGES", 64)
    seen: list[int] = []

    def documents() -> Iterator[Document]:
        for n in range(200):
            seen.append(Snapshot.take(tmp_path).count)
            yield document(n)

    run(tmp_path, documents())
    assert sorted(set(seen)) == [0, 64, 128, 192]


def test_a_failure_while_reading_keeps_what_was_complete(tmp_path: Path) -> None:
    def documents() -> Iterator[Document]:
        yield from (document(n) for n in range(70))
        raise LookupError("a file")

    with pytest.raises(LookupError, match="a file"):
        run(tmp_path, documents(), roots=["/docs"])
    assert Snapshot.take(tmp_path).count == 64
    embedder = HashedWordsEmbedder(8)
    assert run(tmp_path, [document(n) for n in range(70)], embedder).added == 6
    assert len(embedder.embedded) == 6


def test_a_failure_of_the_embedder_keeps_what_was_complete(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="the model fails"):
        index_documents(
            GenerationWriter(tmp_path), _Recording(fails_at=2), [document(n) for n in range(150)], (), None, 0
        )
    assert Snapshot.take(tmp_path).count == 64


def test_a_failure_removes_nothing(tmp_path: Path) -> None:
    run(tmp_path, [document(0), document(1)])

    def documents() -> Iterator[Document]:
        yield document(0)
        raise LookupError

    with pytest.raises(LookupError):
        run(tmp_path, documents(), roots=["/docs"])
    assert Snapshot.take(tmp_path).count == 2


def test_an_interrupt_keeps_the_last_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "COMMIT_PASSAGES", 64)

    def documents() -> Iterator[Document]:
        yield from (document(n) for n in range(100))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, documents())
    assert Snapshot.take(tmp_path).count == 64


def test_progress_is_told_once_a_document(tmp_path: Path) -> None:
    run(tmp_path, [document(0)])
    told: list[tuple[int, int, str]] = []
    blank = document(2, " ")
    index_documents(
        GenerationWriter(tmp_path),
        HashedWordsEmbedder(8),
        [document(0), document(1), blank],
        (),
        lambda done, total, name: told.append((done, total, name)),
        3,
    )
    assert sorted(done for done, _, _ in told) == [1, 2, 3]
    assert {total for _, total, _ in told} == {3}
    assert {name for _, _, name in told} == {"d0", "d1", "d2"}


def test_a_blank_document_does_not_count(tmp_path: Path) -> None:
    assert run(tmp_path, [document(0, " ")]) == IndexReport()
    assert run(tmp_path, [document(0, " ")]) == IndexReport()


def test_a_document_that_became_blank_has_no_passages(tmp_path: Path) -> None:
    run(tmp_path, [document(0)])
    assert run(tmp_path, [document(0, " ", "2")]).updated == 1
    assert Snapshot.take(tmp_path).count == 0


@pytest.mark.parametrize(
    ("source", "root", "under"),
    [
        ("/docs/a.md", "/docs", True),
        ("/docs/a.md", "/docs/", True),
        ("/docs/sub/a.md", "/docs", True),
        ("/docs2/a.md", "/docs", False),
        ("/docs", "/docs", True),
        ("/set.jsonl#line 1", "/set.jsonl", True),
        ("/set.jsonl#line 1", "/", True),
        ("/set.jsonl.bak", "/set.jsonl", False),
        ("/other/a.md", "/docs", False),
    ],
)
def test_what_lies_under_a_root(source: str, root: str, under: bool) -> None:
    assert is_under(source, root) is under
