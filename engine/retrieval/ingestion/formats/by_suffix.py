"""What a file holds, by its suffix: its bytes as the title, text and kind of a document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.retrieval.analysis import well_formed
from engine.retrieval.ingestion.code.grammars import is_installed
from engine.retrieval.ingestion.code.languages import language_of
from engine.retrieval.ingestion.formats import office
from engine.retrieval.ingestion.formats.decoding import decode
from engine.retrieval.ingestion.formats.html import html_to_markdown
from engine.retrieval.ingestion.formats.json_records import json_to_markdown
from engine.retrieval.ingestion.formats.pdf import pdf_to_markdown
from engine.retrieval.ingestion.formats.rows import read_csv, records
from engine.retrieval.ingestion.formats.rst import rst_to_markdown
from engine.retrieval.ingestion.limits import UnusableError
from engine.retrieval.ingestion.sections import first_title

_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx"})
_HTML = frozenset({".html", ".htm", ".xhtml"})
_CODE = frozenset(
    (
        ".avap", ".bash", ".c", ".cc", ".cfg", ".cjs", ".clj", ".cpp", ".cs", ".css", ".cts", ".cxx", ".dart", ".erl",
        ".ex", ".exs", ".go", ".graphql", ".groovy", ".h", ".hh", ".hpp", ".hs", ".hxx", ".ini", ".java", ".jl", ".js",
        ".jsx", ".kt", ".kts", ".less", ".lua", ".m", ".mjs", ".ml", ".mts", ".nim", ".php", ".pl", ".proto", ".ps1",
        ".py", ".pyi", ".r", ".rb",
        ".rs", ".scala", ".scss", ".sh", ".sql", ".swift", ".tf", ".toml", ".ts", ".tsx", ".vb", ".vue", ".xml",
        ".yaml", ".yml", ".zig", ".zsh",
    )
)  # fmt: skip


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
    """Reads a file's bytes; single characters that cannot be decoded are replaced.

    Args:
        suffix: The file's, with the dot, in any case.
        content: The file.

    Raises:
        UnusableError: It is damaged or locked, or neither text nor of a format that is known.
    """
    suffix = suffix.lower()
    if suffix == ".pdf":
        return Content(*pdf_to_markdown(content), "markdown")
    if suffix in office.TEXTS:
        return Content(*office.text_to_markdown(office.TEXTS[suffix], content), "markdown")
    if suffix in office.SHEETS:
        return Content("", records(office.sheets(office.SHEETS[suffix], content)), "rows")
    text = decode(content)
    if text is None:
        raise UnusableError("is neither text nor of a known format")
    return _READERS.get(suffix, _plain)(text) if suffix not in _CODE else Content("", text, _kind_of(suffix, text))


def _kind_of(suffix: str, text: str) -> str:
    """Of source code: with its language where the grammar is there, so that it is cut anew once one is installed."""
    language = language_of(suffix, text)
    return f"code:{language}" if language and is_installed(language) else "code"


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


def _csv(text: str) -> Content:
    return Content("", records([read_csv(text)]), "rows")


def _rst(text: str) -> Content:
    return _markdown(rst_to_markdown(text))


_READERS: dict[str, Callable[[str], Content]] = {
    **dict.fromkeys(_MARKDOWN, _markdown),
    **dict.fromkeys(_HTML, _html),
    ".json": _json,
    ".rst": _rst,
    ".csv": _csv,
    ".tsv": _csv,
}
