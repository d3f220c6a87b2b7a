"""Documents into passages, along their structure."""

from __future__ import annotations

import functools
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.domain import Passage
from engine.retrieval.ingestion.sections import fence_of, sections, split_long_fences, with_unix_newlines
from engine.retrieval.port import Chunk, Document

if TYPE_CHECKING:
    from semantic_text_splitter import MarkdownSplitter, TextSplitter

#: Characters of a passage's text. The bundled embedder reads 256 tokens; at some 4.5 characters a token of English
#: prose, this leaves room for title and headings.
PASSAGE_CHARS = 1_100
#: Characters of the line that names what a piece of code is cut from.
_DEFINITION_CHARS = 80
_ID_DIGITS = 20
_TOP_LEVEL_BLOCK = re.compile(r"\n[ \t]*\n+(?=[^\s)\]}])")


def chunk(document: Document, limit: int = PASSAGE_CHARS) -> list[Chunk]:
    """The passages of a document, in its order; none when it holds no text.

    Markdown is split at its headings, a section that is too long at block borders (a fence, a list item or a table row
    is cut only when it is too long alone), text at paragraphs, code at blank lines before top-level definitions.

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
            yield from (("", piece) for piece in _split_text(document.text, limit))
        case "code":
            yield from _code_pieces(with_unix_newlines(document.text), limit)
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
            yield from _markdown_splitter(limit).chunks(part)


def _split_text(text: str, limit: int) -> list[str]:
    return _text_splitter(limit).chunks(text)


def _code_pieces(text: str, limit: int) -> Iterator[tuple[str, str]]:
    """Neighbouring top-level blocks packed up to `limit`; a longer one cut at lines, under its first line."""
    packed = ""
    for block in _TOP_LEVEL_BLOCK.split(text):
        if packed and len(packed) + len(block) + 2 > limit:
            yield "", packed
            packed = ""
        if len(block) > limit:
            definition = next((line for line in block.splitlines() if line.strip()), "").strip()[:_DEFINITION_CHARS]
            parts = _code_splitter(limit).chunks(block)
            yield from (("" if place == 0 else definition, part.strip("\n")) for place, part in enumerate(parts))
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
