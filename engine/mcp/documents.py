"""The documents of the index as resources: listed in pages, read passage by passage."""

from __future__ import annotations

import asyncio
from urllib.parse import quote, unquote

from mcp_types import ListResourcesResult, Resource, ResourceTemplate, TextResourceContents

from engine.domain import Passage
from engine.errors import InvalidInput, NotFound
from engine.retrieval.port import Catalogue, StoredDocument

_SCHEME = "document:///"
#: Documents on a page.
_PAGE = 200
#: What a document is given as: its passages keep the markup of Markdown, and other texts have none.
_KIND = "text/markdown"
TEMPLATE = ResourceTemplate(
    name="document",
    uri_template=f"{_SCHEME}{{+name}}",
    description="A document of the index by its name, as citations and searches give it; its passages in their order.",
    mime_type=_KIND,
)


def uri_of(name: str) -> str:
    """The URI of a document."""
    return _SCHEME + quote(name, errors="replace")


class Documents:
    """Lists and reads what is in the index.

    Args:
        catalogue: Asked in threads: it blocks.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    async def page(self, cursor: str | None) -> ListResourcesResult:
        """A page of the documents, by name.

        Raises:
            InvalidInput: The cursor is not one that a page gave out.
            DependencyUnavailable: The index cannot be read.
        """
        after = cursor or "0"
        if not (after.isascii() and after.isdigit() and len(after) <= len(str(1 << 31))):
            raise InvalidInput("cursor", "is not one that this server gave out")
        start = int(after)
        every = await asyncio.to_thread(self._catalogue.documents)
        there_is_more = start + _PAGE < len(every)
        return ListResourcesResult(
            resources=[_listed(document) for document in every[start : start + _PAGE]],
            next_cursor=str(start + _PAGE) if there_is_more else None,
        )

    async def read(self, uri: str) -> list[TextResourceContents]:
        """The passages of a document; the fragment of each one's URI is its id.

        Raises:
            NotFound: There is no such document.
            DependencyUnavailable: The index cannot be read.
        """
        address, _, fragment = uri.partition("#")
        passages = await asyncio.to_thread(self._passages, address)
        chosen = [passage for passage in passages if fragment in ("", passage.id)]
        if not chosen:
            raise NotFound(f"uri: there is no such document; resources/list names them, as {_SCHEME}NAME")
        return [
            TextResourceContents(uri=f"{uri_of(passage.document)}#{passage.id}", mime_type=_KIND, text=_text(passage))
            for passage in chosen
        ]

    def _passages(self, address: str) -> list[Passage]:
        if not address.startswith(_SCHEME):
            return []
        name = unquote(address.removeprefix(_SCHEME))
        named = [document for document in self._catalogue.documents() if document.name == name]
        return [passage for document in named for passage in self._catalogue.passages_of(document)]


def _listed(document: StoredDocument) -> Resource:
    return Resource(
        uri=uri_of(document.name),
        name=document.name,
        description=f"{document.passages} passages",
        mime_type=_KIND,
        size=document.size or None,
    )


def _text(passage: Passage) -> str:
    return f"{passage.heading}\n\n{passage.text}" if passage.heading else passage.text
