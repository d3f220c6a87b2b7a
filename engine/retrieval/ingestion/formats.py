"""What a file holds, by its suffix: its bytes as the title, text and kind of a document."""

from __future__ import annotations

import codecs
import io
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass

from engine.retrieval.analysis import well_formed
from engine.retrieval.ingestion.html import html_to_markdown
from engine.retrieval.ingestion.json_records import json_to_markdown
from engine.retrieval.ingestion.sections import first_title

#: Bytes at the start of a file in which a NUL tells that it is not text.
_SNIFFED_BYTES = 8_192
_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx"})
_HTML = frozenset({".html", ".htm", ".xhtml"})
_CODE = frozenset(
    (
        ".avap", ".bash", ".c", ".cc", ".cfg", ".clj", ".cpp", ".cs", ".css", ".dart", ".erl", ".ex", ".exs", ".go",
        ".graphql", ".groovy", ".h", ".hh", ".hpp", ".hs", ".ini", ".java", ".jl", ".js", ".jsx", ".kt", ".kts",
        ".less", ".lua", ".m", ".mjs", ".ml", ".nim", ".php", ".pl", ".proto", ".ps1", ".py", ".pyi", ".r", ".rb",
        ".rs", ".scala", ".scss", ".sh", ".sql", ".swift", ".tf", ".toml", ".ts", ".tsx", ".vb", ".vue", ".xml",
        ".yaml", ".yml", ".zig", ".zsh",
    )
)  # fmt: skip
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_RST_MARKS = r"""(?:={3,}|-{3,}|~{3,}|\^{3,}|"{3,}|'{3,}|`{3,}|\#{3,}|\*{3,}|\+{3,}|:{3,}|\.{3,}|_{3,})"""
_RST_TITLE = re.compile(
    rf"^(?:(?P<over>{_RST_MARKS})[ \t]*\n[ \t]*)?"
    rf"(?!{_RST_MARKS}[ \t]*$)(?P<title>\S[^\n]*?)[ \t]*\n(?P<under>{_RST_MARKS})[ \t]*$",
    re.MULTILINE,
)
_RST_COMMENT = re.compile(r"^ {1,3}#(?=[# ])", re.MULTILINE)


class UnusableError(Exception):
    """A file holds nothing that can be indexed, or cannot be read.

    Args:
        reason: As in `LeftOut.reason`.
        keeps: See `LeftOut.keeps`.
    """

    def __init__(self, reason: str, *, keeps: bool = False) -> None:
        super().__init__(reason)
        self.keeps = keeps


@dataclass(frozen=True, slots=True)
class Content:
    """A file's content, read.

    Attributes:
        title: Empty when the content names none.
        kind: As in `Document.kind`.
    """

    title: str
    text: str
    kind: str


def content_of(suffix: str, content: bytes) -> Content:
    """Reads a file's bytes; what cannot be decoded is replaced.

    Args:
        suffix: The file's, with the dot, in any case.
        content: The file.

    Raises:
        UnusableError: It is damaged or locked, or neither text nor of a format that is known.
    """
    suffix = suffix.lower()
    if suffix == ".pdf":
        return Content(*_pdf(content), "text")
    text = decode(content)
    if text is None:
        raise UnusableError("is neither text nor of a known format")
    return _READERS.get(suffix, _plain)(text) if suffix not in _CODE else Content("", text, "code")


def decode(content: bytes) -> str | None:
    """Text from bytes: by its byte order mark, else as UTF-8 with what is not UTF-8 replaced; None when binary."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return well_formed(content.decode(encoding, "replace"))
    if b"\0" in content[:_SNIFFED_BYTES]:
        return None
    # A NUL further on would end a line for no one but confuse everyone.
    return content.decode("utf-8", "replace").replace("\0", "\ufffd")


def _plain(text: str) -> Content:
    return Content("", text, "text")


def _markdown(text: str) -> Content:
    return Content(first_title(text), text, "markdown")


def _html(text: str) -> Content:
    title, markdown = html_to_markdown(text)
    return Content(title, markdown, "markdown")


def _json(text: str) -> Content:
    try:
        title, markdown = json_to_markdown(text)
    except ValueError:
        # With comments, or cut off: still something that people wrote and look for.
        return Content("", text, "code")
    return Content(well_formed(title), well_formed(markdown), "markdown")


def _rst(text: str) -> Content:
    return _markdown(rst_to_markdown(text))


def rst_to_markdown(text: str) -> str:
    """Turns the titles of reStructuredText into Markdown headings; everything else stays as it is.

    Source: docutils, reStructuredText Markup Specification, "Sections": a title is a line with a line of one
    punctuation mark below it, at least as long, and perhaps the same above; levels come in the order of first use.
    """
    styles: list[str] = []

    def heading(match: re.Match[str]) -> str:
        over, title, under = match.group("over"), match.group("title"), match.group("under")
        if len(under) < len(title) or (over is not None and over != under):
            return match.group()
        style = under[0] * (1 if over is None else 2)
        if style not in styles:
            styles.append(style)
        return f"{'#' * min(styles.index(style) + 1, 6)} {title}"

    # A comment in a literal block would read as a heading; four spaces make it code for Markdown too.
    return _RST_TITLE.sub(heading, _RST_COMMENT.sub("    #", text))


def _pdf(content: bytes) -> tuple[str, str]:
    """(title, text) of a PDF, pages divided by blank lines."""
    from pypdf import PdfReader

    # It reports every oddity of a file as a warning, page by page; a file is either readable or not.
    logging.getLogger("pypdf").setLevel(logging.ERROR)
    try:
        reader = PdfReader(io.BytesIO(content))
        title = str(reader.metadata.title or "") if reader.metadata else ""
        text = "\n\n".join(page.extract_text() for page in reader.pages)
    except Exception as error:  # damaged files make it raise whatever its parser stumbles over
        raise UnusableError("is a damaged or locked PDF", keeps=True) from error
    return well_formed(title).replace("\0", ""), well_formed(text).replace("\0", "")


_READERS: dict[str, Callable[[str], Content]] = {
    **dict.fromkeys(_MARKDOWN, _markdown),
    **dict.fromkeys(_HTML, _html),
    ".json": _json,
    ".rst": _rst,
}
