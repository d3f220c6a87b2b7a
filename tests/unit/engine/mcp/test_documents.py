"""Documents as resources: their URIs, their pages, and an index that cannot be read."""

from __future__ import annotations

import threading

import pytest

from engine.domain import Passage
from engine.errors import DependencyUnavailable, InvalidInput, NotFound
from engine.mcp.documents import Documents, uri_of
from engine.retrieval.port import StoredDocument
from tests.serving import ListIndex

NAMES = [
    "plain.md",
    "folder/with space.md",
    "año/日本語.md",
    "100%.txt",
    "question?.md",
    "part#2.md",
    "a%20b.md",
    "../up.md",
    "C:\\notes.txt",
]


@pytest.mark.parametrize("name", NAMES)
async def test_every_name_has_a_uri_that_leads_to_its_document_alone(name: str) -> None:
    documents = Documents(ListIndex([Passage(f"p{place}", one, "", "", one) for place, one in enumerate(NAMES)]))
    uri = uri_of(name)
    assert uri.isascii()
    assert " " not in uri
    (read,) = await documents.read(uri)
    assert read.text == name
    assert read.uri == f"{uri}#p{NAMES.index(name)}"


async def test_two_documents_of_one_name_are_read_together() -> None:
    class Twins(ListIndex):
        def documents(self) -> list[StoredDocument]:
            return [StoredDocument("a.md", f"/{folder}/a.md", 1, 0, 0.0, "") for folder in "xy"]

        def passages_of(self, document: StoredDocument) -> list[Passage]:
            return [Passage(document.source, "a.md", "", "", f"from {document.source}")]

    read = await Documents(Twins([])).read(uri_of("a.md"))
    assert [passage.text for passage in read] == ["from /x/a.md", "from /y/a.md"]


async def test_the_index_is_read_in_a_thread() -> None:
    seen = []

    class Noting(ListIndex):
        def documents(self) -> list[StoredDocument]:
            seen.append(threading.current_thread())
            return super().documents()

    documents = Documents(Noting([Passage("p", "a.md", "", "", "text")]))
    await documents.page(None)
    await documents.read(uri_of("a.md"))
    assert len(seen) == 2
    assert threading.main_thread() not in seen


async def test_a_listing_says_how_long_a_document_is() -> None:
    class Sized(ListIndex):
        def documents(self) -> list[StoredDocument]:
            return [StoredDocument("a.md", "/a.md", 3, 70, 0.0, ""), StoredDocument("b", "/b", 1, 0, 0.0, "")]

    listed = (await Documents(Sized([])).page(None)).resources
    assert [(one.size, one.description) for one in listed] == [(70, "3 passages"), (None, "1 passages")]


@pytest.mark.parametrize("cursor", ["-1", "x", "1.5", "٣", "9" * 30])
async def test_a_cursor_of_somebody_else_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInput, match="cursor: is not one that this server gave out"):
        await Documents(ListIndex([])).page(cursor)


async def test_a_cursor_beyond_the_end_is_an_empty_page() -> None:
    page = await Documents(ListIndex([])).page("400")
    assert (page.resources, page.next_cursor) == ([], None)


async def test_an_index_that_cannot_be_read_says_so() -> None:
    class Broken(ListIndex):
        def documents(self) -> list[StoredDocument]:
            raise DependencyUnavailable("index", "is damaged")

    for work in (Documents(Broken([])).page(None), Documents(Broken([])).read(uri_of("a.md"))):
        with pytest.raises(DependencyUnavailable, match="is damaged"):
            await work


@pytest.mark.parametrize("uri", ["", "document:", "document:///", "http://a.md", "a.md", "document:///a.md/", "#p"])
async def test_other_uris_are_not_found(uri: str) -> None:
    with pytest.raises(NotFound, match="there is no such document"):
        await Documents(ListIndex([Passage("p", "a.md", "", "", "text")])).read(uri)
