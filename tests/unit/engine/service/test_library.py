"""Documents that callers put into the index and take out of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.errors import ConfigurationError, InvalidInput, NotFound
from engine.retrieval.ingestion.limits import MOST_BYTES
from engine.retrieval.local.index import LocalIndex
from engine.retrieval.port import Document
from engine.service.library import Library
from engine.testing import HashedWordsEmbedder
from tests.serving import ListIndex


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    embedder = HashedWordsEmbedder(32)
    index = LocalIndex(tmp_path / "index", embedder)
    yield Library(index, embedder.id, tmp_path / "uploads")
    await index.close()


def lines(*rows: tuple[str, str]) -> bytes:
    return "\n".join(json.dumps({"id": name, "text": text}) for name, text in rows).encode()


async def names(library: Library) -> list[str]:
    return [document.name for document in await library.documents()]


async def test_a_file_is_put_in_found_replaced_and_taken_out(library: Library, tmp_path: Path) -> None:
    assert await library.changed_at() == 0.0
    added = await library.add("tides.md", b"# Tides\n\nThe moon pulls the sea.")
    assert (added.added, added.passages, added.left_out) == (1, 1, ())
    (found,) = await library.index.search("moon", k=3)
    assert (found.document, found.text) == ("tides.md", "The moon pulls the sea.")
    (stored,) = await library.documents()
    assert stored.source == str(tmp_path / "uploads" / "tides.md")
    first = await library.changed_at()
    assert first > 0
    with pytest.raises(InvalidInput, match=r"^tides\.md: "):
        await library.add("tides.md", b"\x00\x01\x02\xff" * 50)
    assert (tmp_path / "uploads" / "tides.md").read_bytes().startswith(b"# Tides")  # nobody can read the new one
    assert (await library.add("tides.md", b"# Tides\n\nThe sun pulls too.")).updated == 1
    assert [hit.text for hit in await library.index.search("pulls", k=3)] == ["The sun pulls too."]
    assert [path.name for path in (tmp_path / "uploads").iterdir()] == ["tides.md"]
    assert await library.remove("tides.md") == 1
    assert (await names(library), list((tmp_path / "uploads").iterdir())) == ([], [])
    with pytest.raises(NotFound, match="the index has none of this name"):
        await library.remove("tides.md")


async def test_what_is_being_put_in_is_waited_for_and_then_nothing_more_is(library: Library) -> None:
    adding = asyncio.create_task(library.add("tides.md", b"# Tides\n\nThe moon pulls the sea."))
    await asyncio.sleep(0)
    await library.close()
    assert (await adding).added == 1
    with pytest.raises(RuntimeError):
        await library.add("winds.md", b"# Winds\n\nThey blow.")


async def test_of_json_lines_the_good_ones_are_put_in_and_the_others_named(library: Library) -> None:
    report = await library.add("facts.jsonl", lines(("a", "one"), ("b", "two")) + b"\n{broken")
    assert (report.added, [one.path for one in report.left_out]) == (2, ["facts.jsonl, line 3"])
    assert "uploads/facts.jsonl" in report.left_out[0].source
    assert await library.remove("a") == 1
    assert await names(library) == ["b"]
    assert (await library.add("facts.jsonl", lines(("c", "three")))).removed == 1
    assert await names(library) == ["c"]


async def test_a_document_that_was_indexed_from_elsewhere_leaves_and_its_file_stays(
    library: Library, tmp_path: Path
) -> None:
    file = tmp_path / "notes.md"
    file.write_text("Notes.")
    library.index.index([Document("notes.md", "", "Notes.", "passage", str(file), "1")])
    await library.add("notes.jsonl", lines(("kept", "text")))
    assert await library.remove("notes.md") == 1
    assert file.exists()
    assert await names(library) == ["kept"]


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b.md", "../a.md", "a\\b.md", "a\nb.md", "ñ" * 101])
async def test_a_name_that_is_none_of_a_file_is_refused(library: Library, tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match=r"^name: must be that of a file"):
        await library.add(name, b"text")
    assert not (tmp_path / "uploads").exists()


async def test_limits_name_the_file_and_elasticsearch_the_command(library: Library) -> None:
    with pytest.raises(InvalidInput, match=r"^big\.md: is larger than 20 MB"):
        await library.add("big.md", b"x" * (MOST_BYTES + 1))
    with pytest.raises(InvalidInput, match=r"^empty\.jsonl: "):
        await library.add("empty.jsonl", b"")
    elsewhere = Library(ListIndex([]), "e")
    for change, command in ((elsewhere.add("a.md", b"text"), "add PATH"), (elsewhere.remove("a.md"), "remove NAME")):
        with pytest.raises(ConfigurationError, match=f"documents {command}"):
            await change
