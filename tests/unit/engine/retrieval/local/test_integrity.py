"""A damaged index: told by searches, by health and by the writer, with the command that mends it; never a hang."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import tantivy

from engine.errors import ConfigurationError, DependencyUnavailable
from engine.retrieval.local import integrity
from engine.retrieval.local.index import LocalIndex
from engine.retrieval.local.integrity import DamagedError, check_sizes, check_text, panics_told
from engine.retrieval.local.snapshot import TEXT_FOLDER, VECTOR_FOLDER, Snapshot
from engine.retrieval.manifest import MANIFEST
from engine.retrieval.port import Document
from engine.testing import HashedWordsEmbedder

EMBEDDER = HashedWordsEmbedder(32)
MEND = "index --rebuild"


def document(n: int) -> Document:
    return Document(f"d{n}", "", f"text number{n}", "passage", f"/docs/d{n}", "1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    LocalIndex(tmp_path, EMBEDDER).index([document(n) for n in range(20)])
    LocalIndex(tmp_path, EMBEDDER).index([], roots=["/docs/d3"])
    return tmp_path


def generation(folder: Path) -> Path:
    return folder / str(json.loads((folder / MANIFEST).read_text())["generation"])


def asked(index: LocalIndex, question: Callable[[LocalIndex], Coroutine[Any, Any, Any]]) -> str:
    """What is said when `question` is refused; empty when it is answered."""

    async def ask() -> str:
        try:
            await asyncio.wait_for(question(index), 60)
        except DependencyUnavailable as error:
            return str(error)
        return ""

    return asyncio.run(ask())


def told(folder: Path) -> set[str]:
    """What a fresh reader says to a search, to health, to a count and to a listing."""
    index = LocalIndex(folder, EMBEDDER)
    answers = {
        asked(index, lambda one: one.search("number5")),
        asked(index, lambda one: one.ping()),
        asked(index, lambda one: one.count()),
    }
    with pytest.raises(DependencyUnavailable) as listing:
        index.documents()
    with pytest.raises(DependencyUnavailable) as writing:
        index.index([document(99)])
    return answers | {str(listing.value), str(writing.value)}


def rebuilt(folder: Path) -> int:
    index = LocalIndex(folder, EMBEDDER, rebuild=True)
    index.index([document(1), document(2)])
    return asyncio.run(index.count())


FILES = ["meta.json", ".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term", ".del", ".vectors"]


def one_of(folder: Path, ending: str) -> Path:
    return next(
        path for path in sorted(generation(folder).rglob("*")) if path.name.endswith(ending) and path.name[0] != "."
    )


@pytest.mark.parametrize("ending", FILES)
@pytest.mark.parametrize("harm", ["cut", "emptied", "changed", "junk", "missing"])
def test_every_damaged_file_is_told_and_rebuilding_mends_it(folder: Path, ending: str, harm: str) -> None:
    path = one_of(folder, ending)
    content = path.read_bytes()
    if harm == "missing":
        path.unlink()
    elif harm == "changed" and ending == "meta.json":
        path.write_bytes(content.replace(b'"segment_id"', b'"segment_ie"', 1))
    else:
        middle = len(content) // 2
        harmed = {
            "cut": content[:middle],
            "emptied": b"",
            "changed": content[:1] + bytes([content[1] ^ 1]) + content[2:],
            "junk": os.urandom(len(content)),
        }
        path.write_bytes(harmed[harm])
    answers = told(folder)
    assert all(MEND in answer for answer in answers), answers
    assert rebuilt(folder) == 2


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[" * 100_000,
        '{"generation": "x"}',
        "null",
        '{"generation": "..", "embedder": "e", "dimensions": 1e999, "schema": 1}',
    ],
)
def test_a_damaged_manifest_is_told_and_rebuilding_mends_it(folder: Path, content: str) -> None:
    (folder / MANIFEST).write_text(content)
    with pytest.raises(ConfigurationError, match=MEND):
        LocalIndex(folder, EMBEDDER)
    assert rebuilt(folder) == 2


def test_an_index_without_its_manifest_is_not_an_empty_one(folder: Path) -> None:
    (folder / MANIFEST).unlink()
    assert all("MANIFEST.json is missing" in answer and MEND in answer for answer in told(folder))
    assert rebuilt(folder) == 2


def test_an_index_that_is_gone_while_it_is_served_is_not_an_empty_one(folder: Path) -> None:
    index = LocalIndex(folder, EMBEDDER)
    assert asked(index, lambda one: one.search("number5")) == ""
    shutil.rmtree(folder)
    assert MEND in asked(index, lambda one: one.search("number5"))
    assert MEND in asked(index, lambda one: one.ping())


@pytest.mark.parametrize("ending", [".vectors", ".store", ".idx", ".term", ".fast"])
def test_a_file_that_shrinks_while_it_is_mapped_is_told_and_not_read(folder: Path, ending: str) -> None:
    """Reading what is not there any more would end the process."""
    index = LocalIndex(folder, EMBEDDER)
    assert asked(index, lambda one: one.search("number5")) == ""
    path = one_of(folder, ending)
    os.truncate(path, path.stat().st_size // 2)
    for question in (lambda one: one.search("number5"), lambda one: one.ping()):
        answer = asked(index, question)
        assert "bytes instead of" in answer
        assert MEND in answer


def test_removed_files_stay_readable_to_those_who_have_them(folder: Path) -> None:
    snapshot = Snapshot.take(generation(folder))
    shutil.rmtree(generation(folder))
    check_sizes(snapshot.sizes)


def test_files_that_were_looked_at_are_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    former = Snapshot.take(generation(folder))
    looked: list[str] = []
    checked = integrity._checked

    def counted(path: Path) -> int:
        looked.append(path.name)
        return checked(path)

    monkeypatch.setattr(integrity, "_checked", counted)
    LocalIndex(folder, EMBEDDER).index([document(50)])
    looked.clear()
    Snapshot.take(generation(folder), former)
    assert looked
    assert not any(str(generation(folder) / TEXT_FOLDER / name) in former.sizes for name in looked)


def test_a_run_changes_no_file_that_is_there(folder: Path) -> None:
    before = {
        path: path.read_bytes()
        for path in generation(folder).rglob("*.*")
        if path.name[0] != "." and path.name != "meta.json"
    }
    LocalIndex(folder, EMBEDDER).index([document(n) for n in range(30, 40)])
    assert {path: path.read_bytes() for path in before if path.exists()} == {
        path: content for path, content in before.items() if path.exists()
    }


def test_a_rebuild_that_was_killed_and_damaged_begins_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class _KilledError(Exception): ...

    def killed(_now: object) -> None:
        raise _KilledError

    with pytest.raises(_KilledError):
        LocalIndex(folder, EMBEDDER, rebuild=True).index([document(1)], progress=killed)
    for path in folder.glob("g-*/text/meta.json"):
        path.write_text("{")
    assert rebuilt(folder) == 2


def test_a_panic_is_an_error() -> None:
    class PanicException(BaseException):
        """As pyo3 raises it: no `Exception`."""

    with pytest.raises(DependencyUnavailable, match=MEND), panics_told(Path("/index")):
        raise PanicException("secret")
    for ending in (KeyboardInterrupt, asyncio.CancelledError, SystemExit, GeneratorExit):
        with pytest.raises(ending), panics_told(Path("/index")):
            raise ending


async def test_a_panic_while_searching_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException): ...

    def panic(*_: object) -> None:
        raise PanicException

    index = LocalIndex(folder, EMBEDDER)
    for name in ("search_text", "search_dense"):
        with monkeypatch.context() as patched:
            patched.setattr(Snapshot, name, panic)
            with pytest.raises(DependencyUnavailable, match=MEND):
                await asyncio.wait_for(index.search("number5"), 60)
    assert await index.search("number5")
    await index.close()


def test_tantivy_writes_what_is_looked_for(tmp_path: Path) -> None:
    """Its files end with their checksums: should a newer version do otherwise, this says so first."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=True)
    made = tantivy.Index(builder.build(), path=str(tmp_path))
    writer = made.writer(15_000_000, 1)
    writer.add_document(tantivy.Document(text="words"))
    writer.commit()
    writer.wait_merging_threads()
    sizes = check_text(tmp_path, {})
    assert len(sizes) == 6
    assert sizes == {path: Path(path).stat().st_size for path in sizes}
    Path(next(iter(sizes))).unlink()
    with pytest.raises(FileNotFoundError):
        check_text(tmp_path, {})


def test_a_footer_that_is_none_is_damage(tmp_path: Path, folder: Path) -> None:
    path = one_of(folder, ".store")
    for content in (b"", b"short", b"x" * 100, b"[]" + (2).to_bytes(4, "little") + (1337).to_bytes(4, "little")):
        path.write_bytes(content)
        with pytest.raises(DamagedError, match="no end"):
            check_text(path.parent, {})


def test_vectors_that_are_missing_are_damage(folder: Path) -> None:
    shutil.rmtree(generation(folder) / VECTOR_FOLDER)
    assert all(MEND in answer for answer in told(folder))
