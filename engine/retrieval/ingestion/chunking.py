"""Documents into passages, along their structure."""

from __future__ import annotations

import functools
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.domain import Passage
from engine.retrieval.ingestion.code.cutting import structured_pieces
from engine.retrieval.ingestion.columns import with_tables
from engine.retrieval.ingestion.formats.rows import blocks_of
from engine.retrieval.ingestion.headings import text_sections
from engine.retrieval.ingestion.sections import (
    fence_of,
    sections,
    segments,
    split_long_fences,
    split_long_tables,
    with_unix_newlines,
)
from engine.retrieval.port import Chunk, Document

if TYPE_CHECKING:
    from semantic_text_splitter import MarkdownSplitter, TextSplitter

#: Characters of a passage's text. The bundled embedder reads 256 tokens; at some 4.5 characters a token of English
#: prose, this leaves room for title and headings.
PASSAGE_CHARS = 1_100
#: Characters of the line that names what a piece of code is cut from.
_DEFINITION_CHARS = 80
_ID_DIGITS = 20
#: A row of a table is cut at this many times the characters of a passage: nobody reads on there.
_LONGEST_ROW = 4
#: Characters that a splitter is given at once.
_SEGMENT_CHARS = 20_000
_TOP_LEVEL_BLOCK = re.compile(r"\n[ \t]*\n+(?=[^\s)\]}])")


def chunk(document: Document, limit: int = PASSAGE_CHARS) -> list[Chunk]:
    """The passages of a document, in its order; none when it holds no text.

    Markdown is split at its headings, a section that is too long at block borders (a fence, a list item or a table row
    is cut only when it is too long alone), a table between rows, its head above each piece; text at its headings and
    paragraphs, rows of a workbook each on its own, source code between its definitions, or at blank lines before what
    begins a line where no grammar of its language is installed.

    Args:
        document: Of kind `passage`, it becomes one passage with its name as id, however long it is.
        limit: Characters of one passage's text.

    Raises:
        ValueError: The document's kind is not known.
    """
    if document.kind == "passage":
        return [_chunk(document, "", document.text, document.name)] if document.text.strip() else []
    seen: Counter[tuple[str, str]] = Counter()
    chunks: list[Chunk] = []
    for heading, text in _pieces(document, limit):
        if text.strip():
            seen[heading, text] += 1
            identity = passage_id(document.name, heading, text, seen[heading, text])
            chunks.append(_chunk(document, heading, text, identity))
    return chunks


def passage_id(document: str, heading: str, text: str, occurrence: int = 1) -> str:
    """An id made from the content: the same passage has it in every index.

    Args:
        document: The document's name.
        heading: The passage's heading path.
        text: The passage's text.
        occurrence: 1 for the first passage of the document with this heading and text, 2 for the second ...
    """
    parts = [document, heading, text, *([str(occurrence)] if occurrence > 1 else [])]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:_ID_DIGITS]


def _chunk(document: Document, heading: str, text: str, identity: str) -> Chunk:
    passage = Passage(id=identity, document=document.name, title=document.title, heading=heading, text=text)
    # Collections often repeat the title as the text's first line; twice would only take room.
    title = "" if text.startswith(document.title) else document.title
    return Chunk(passage, "\n".join(part for part in (title, heading, text) if part))


def _pieces(document: Document, limit: int) -> Iterator[tuple[str, str]]:
    """(heading, text) of each passage."""
    match document.kind:
        case "markdown":
            yield from _markdown_pieces(document, limit)
        case "text":
            for section in text_sections(with_tables(with_unix_newlines(document.text))):
                heading = " > ".join(section.path)
                yield from ((heading, piece) for piece in _split_text(section.text, limit))
        case "rows":
            yield from _row_pieces(document.text, limit)
        case "code":
            yield from _code_pieces(with_unix_newlines(document.text), limit)
        case kind if kind.startswith("code:"):
            yield from _source_pieces(kind.removeprefix("code:"), with_unix_newlines(document.text), limit)
        case _:
            raise ValueError(f"unknown kind of document: {document.kind}")


def _markdown_pieces(document: Document, limit: int) -> Iterator[tuple[str, str]]:
    for section in sections(document.text):
        # The title stands beside the heading path in every passage; it need not lead the path too.
        path = section.path[1:] if section.path[:1] == (document.title,) else section.path
        heading = " > ".join(path)
        yield from ((heading, piece) for piece in _split_markdown(section.text, limit))


def _split_markdown(text: str, limit: int) -> Iterator[str]:
    text = text.strip("\n")
    if len(text) <= limit:
        yield text.rstrip()
        return
    for opening, part in split_long_fences(text, limit):
        if opening:
            yield from (f"{opening}\n{code}\n{fence_of(opening)}" for _, code in _code_pieces(part, limit))
        else:
            yield from _split_around_tables(part, limit)


def _split_around_tables(text: str, limit: int) -> Iterator[str]:
    """As Markdown, with the head of a table that is cut above the rows of each piece."""
    for head, part in split_long_tables(text, limit):
        if head:
            yield from _table_pieces(head, part.splitlines(), limit)
        else:
            for segment in segments(part, _SEGMENT_CHARS, markdown=True):
                yield from _markdown_splitter(limit).chunks(segment)


def _table_pieces(head: str, rows: list[str], limit: int) -> Iterator[str]:
    """As many rows a piece as fit; one that is too long alone is a piece all the same."""
    piece = ""
    for row in rows:
        if piece and len(head) + len(piece) + len(row) + 2 > limit:
            yield f"{head}{piece}"
            piece = ""
        piece += f"\n{row[: _LONGEST_ROW * limit]}"
    if piece:
        yield f"{head}{piece}"


def _split_text(text: str, limit: int) -> Iterator[str]:
    for segment in segments(text, _SEGMENT_CHARS, markdown=False):
        yield from _text_splitter(limit).chunks(segment)


def _row_pieces(text: str, limit: int) -> Iterator[tuple[str, str]]:
    """A passage a row; of a row that is too long each piece begins with its first cell."""
    for name, block in blocks_of(text):
        first, _, rest = block.partition("\n")
        if len(block) <= limit:
            yield name, block
        elif rest and len(first) <= _DEFINITION_CHARS:
            yield from ((name, f"{first}\n{piece}") for piece in _split_text(rest, limit - len(first) - 1))
        else:
            yield from ((name, piece) for piece in _split_text(block, limit))


def _source_pieces(language: str, text: str, limit: int) -> Iterator[tuple[str, str]]:
    """By the structure of the source; without it where it cannot be parsed."""
    pieces = structured_pieces(language, text, limit, lambda part: _cut_code(part, limit))
    if pieces is None:
        yield from _code_pieces(text, limit)
    else:
        yield from ((heading, piece.strip("\n").rstrip()) for heading, piece in pieces)


def _cut_code(text: str, limit: int) -> Iterator[str]:
    """At lines; nothing is left out."""
    for segment in segments(text, _SEGMENT_CHARS, markdown=False):
        yield from _code_splitter(limit).chunks(segment)


def _code_pieces(text: str, limit: int) -> Iterator[tuple[str, str]]:
    """Neighbouring top-level blocks packed up to `limit`; a longer one cut at lines, under its first line."""
    packed = ""
    for block in _TOP_LEVEL_BLOCK.split(text):
        if packed and len(packed) + len(block) + 2 > limit:
            yield "", packed
            packed = ""
        if len(block) > limit:
            definition = next((line for line in block.splitlines() if line.strip()), "").strip()[:_DEFINITION_CHARS]
            parts = enumerate(_cut_code(block, limit))
            yield from (("" if place == 0 else definition, part.strip("\n")) for place, part in parts)
        else:
            packed = f"{packed}\n\n{block}" if packed else block.strip("\n")
    if packed:
        yield "", packed.rstrip()


@functools.cache
def _markdown_splitter(limit: int) -> MarkdownSplitter:
    from semantic_text_splitter import MarkdownSplitter

    return MarkdownSplitter(limit)


@functools.cache
def _text_splitter(limit: int) -> TextSplitter:
    from semantic_text_splitter import TextSplitter

    return TextSplitter(limit)


@functools.cache
def _code_splitter(limit: int) -> TextSplitter:
    """Keeps white space, which is indentation here."""
    from semantic_text_splitter import TextSplitter

    return TextSplitter(limit, trim=False)
