from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.domain import Passage
from engine.errors import DependencyUnavailable
from engine.retrieval.ingestion import indexing
from engine.retrieval.ingestion.indexing import EMBED_BATCH, index_documents, stored_document, under
from engine.retrieval.local.snapshot import Snapshot
from engine.retrieval.local.writer import GenerationWriter
from engine.retrieval.port import Chunk, Document, IndexReport, LeftOut, Progress, ProgressBar
from engine.testing import HashedWordsEmbedder


def document(n: int, text: str = "", digest: str = "1") -> Document:
    text = text or f"text number{n}"
    return Document(name=f"d{n}", title="", text=text, kind="passage", source=f"/docs/d{n}", digest=digest)


def run(
    folder: Path,
    documents: Iterable[Document | LeftOut],
    embedder: HashedWordsEmbedder | None = None,
    roots: Sequence[str] = (),
    progress: ProgressBar | None = None,
) -> IndexReport:
    return index_documents(GenerationWriter(folder), embedder or HashedWordsEmbedder(8), documents, roots, progress)


class _Recording(Embedder):
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
    index_documents(GenerationWriter(tmp_path), embedder, [document(n) for n in range(150)], (), None)
    assert sum(embedder.batches) == 150
    assert max(embedder.batches) == EMBED_BATCH


def test_one_large_document_is_encoded_in_batches_too(tmp_path: Path) -> None:
    embedder = _Recording()
    text = "\n\n".join(f"## H{n}\n\ntext {n}" for n in range(200))
    large = Document(name="l", title="l", text=text, kind="markdown", source="/l", digest="1")
    report = index_documents(GenerationWriter(tmp_path), embedder, [large], (), None)
    assert report.passages == 200
    assert embedder.batches == [64, 64, 64, 64, 64, 64, 16]  # each section, and behind its heading its one sentence


def test_a_sentence_that_several_passages_have_is_encoded_once(tmp_path: Path) -> None:
    embedder = HashedWordsEmbedder(8)
    run(tmp_path, [document(n, f"Own words {n}. Shared words.") for n in range(3)], embedder)
    assert sorted(embedder.embedded) == sorted(
        ["Shared words."] + [text for n in range(3) for text in (f"Own words {n}. Shared words.", f"Own words {n}.")]
    )


def test_a_writer_that_keeps_no_sentences_is_given_none(tmp_path: Path) -> None:
    writer, embedder = GenerationWriter(tmp_path), HashedWordsEmbedder(8)
    writer.keeps_sentences = False
    index_documents(writer, embedder, [document(1, "One sentence. Another one.")], (), None)
    assert embedder.embedded == ["One sentence. Another one."]
    assert Snapshot.take(tmp_path).sentences == ()


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
        index_documents(GenerationWriter(tmp_path), _Recording(fails_at=2), [document(n) for n in range(150)], (), None)
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


def test_progress_counts_documents_passages_and_bytes(tmp_path: Path) -> None:
    run(tmp_path, [document(0)])
    told: list[Progress] = []
    sized = [replace(document(n), size=100) for n in (0, 1)]
    bad = LeftOut("/docs/bad.pdf", "is damaged", "/docs/bad.pdf", size=50)
    run(tmp_path, [*sized, bad, document(2, " ")], progress=told.append)
    assert told[-1] == Progress(documents=3, passages=1, size=250, name="d1")
    assert [now.size for now in told] == sorted(now.size for now in told)


def test_progress_is_told_within_a_large_document(tmp_path: Path) -> None:
    text = "\n\n".join(f"## H{n}\n\ntext {n}" for n in range(200))
    large = Document("l", "l", text, "markdown", "/l", "1", size=1_000)
    told: list[Progress] = []
    run(tmp_path, [large], progress=told.append)
    assert [(now.passages, now.size) for now in told] == [(64, 320), (128, 640), (192, 960), (200, 1_000)]


def test_what_is_raised_while_progress_is_told_ends_the_run_and_keeps_what_is_complete(tmp_path: Path) -> None:
    class EnoughError(Exception):
        pass

    def progress(now: Progress) -> None:
        if now.documents >= 64:
            raise EnoughError

    with pytest.raises(EnoughError):
        run(tmp_path, [document(n) for n in range(150)], progress=progress)
    assert Snapshot.take(tmp_path).count == 64


def test_what_was_left_out_is_reported_in_order(tmp_path: Path) -> None:
    bad = [LeftOut(f"/docs/{n}.pdf", "is damaged", f"/docs/{n}.pdf") for n in range(2)]
    report = run(tmp_path, [bad[0], document(1), bad[1]])
    assert (report.added, report.left_out) == (1, tuple(bad))


@pytest.mark.parametrize(("keeps", "removed"), [(True, 0), (False, 1)])
def test_what_cannot_be_read_now_keeps_its_passages(tmp_path: Path, keeps: bool, removed: int) -> None:
    run(tmp_path, [document(0), document(1)])
    report = run(tmp_path, [document(0), LeftOut("d1", "reason", "/docs/d1", keeps)], roots=["/docs"])
    assert (report.removed, Snapshot.take(tmp_path).count) == (removed, 2 - removed)


def test_only_what_the_index_has_of_it_is_said_to_stay(tmp_path: Path) -> None:
    run(tmp_path, [document(0), document(1)])
    left = [LeftOut(name, "reason", source, keeps=True) for name, source in (("d1", "/docs/d1"), ("d2", "/docs/d2"))]
    report = run(tmp_path, [document(0), *left, LeftOut("docs", "reason", "/docs/", keeps=True)], roots=["/docs"])
    assert [one.keeps for one in report.left_out] == [True, False, True]


def test_a_folder_that_cannot_be_read_now_keeps_what_is_in_it(tmp_path: Path) -> None:
    run(tmp_path, [document(0), document(1)])
    assert run(tmp_path, [LeftOut("/docs", "cannot be read", "/docs", keeps=True)], roots=["/docs"]).removed == 0


def test_chunks_that_the_reader_made_are_taken(tmp_path: Path) -> None:
    made = (Chunk(Passage("p", "d0", "", "", "other words"), "other words"),)
    embedder = HashedWordsEmbedder(8)
    assert run(tmp_path, [replace(document(0), chunks=made)], embedder).passages == 1
    assert embedder.embedded == ["other words"]


def test_size_and_time_are_stored_and_do_not_make_a_change(tmp_path: Path) -> None:
    run(tmp_path, [replace(document(0), size=12, modified=99.5)])
    (stored,) = Snapshot.take(tmp_path).documents()
    assert (stored.name, stored.source, stored.passages, stored.size, stored.modified) == (
        "d0",
        "/docs/d0",
        1,
        12,
        99.5,
    )
    assert run(tmp_path, [replace(document(0), size=12, modified=100.0)]).unchanged == 1


def test_a_fingerprint_of_before_sizes_were_kept_is_read() -> None:
    stored = stored_document('["/docs/a.md", "docs/a.md", "0123"]', 4)
    assert (stored.name, stored.source, stored.passages, stored.size) == ("docs/a.md", "/docs/a.md", 4, 0)


def test_a_blank_document_does_not_count(tmp_path: Path) -> None:
    assert run(tmp_path, [document(0, " ")]) == IndexReport()
    assert run(tmp_path, [document(0, " ")]) == IndexReport()


def test_a_document_that_became_blank_has_no_passages(tmp_path: Path) -> None:
    run(tmp_path, [document(0)])
    assert run(tmp_path, [document(0, " ", "2")]).updated == 1
    assert Snapshot.take(tmp_path).count == 0


@pytest.mark.parametrize(
    ("source", "root", "expected"),
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
def test_what_lies_under_a_root(source: str, root: str, expected: bool) -> None:
    assert under(["/elsewhere", root])(source) is expected


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_vectors_that_are_no_numbers_are_refused_and_nothing_of_them_is_kept(tmp_path: Path, value: float) -> None:
    class _Broken(HashedWordsEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.full((len(texts), self.dimensions), value, dtype=np.float32)

    with pytest.raises(DependencyUnavailable, match=r"embedder: .*no number"):
        run(tmp_path, [document(0)], _Broken(8))
    assert Snapshot.take(tmp_path).count == 0
