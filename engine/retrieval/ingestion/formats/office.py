"""Word, Excel and PowerPoint files as Markdown and as rows, by office_oxide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from engine.retrieval.analysis import well_formed
from engine.retrieval.ingestion.formats.rows import Table
from engine.retrieval.ingestion.limits import UnusableError

#: The library's names of the formats.
Form = Literal["docx", "doc", "pptx", "ppt", "xlsx", "xls"]
#: Suffixes of texts and slides.
TEXTS: dict[str, Form] = {
    ".docx": "docx",
    ".docm": "docx",
    ".doc": "doc",
    ".pptx": "pptx",
    ".pptm": "pptx",
    ".ppt": "ppt",
}
#: Suffixes of workbooks.
SHEETS: dict[str, Form] = {".xlsx": "xlsx", ".xlsm": "xlsx", ".xls": "xls"}
#: Characters of a first line that is taken for the title.
_TITLE_CHARS = 120
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_SEPARATOR = re.compile(r"\|(?: ?:?-{3,}:? ?\|)+")
_HEADING = re.compile(r"#{1,6}\s+")


def text_to_markdown(form: Form, content: bytes) -> tuple[str, str]:
    """(title, Markdown) of a Word or PowerPoint file: headings, lists, tables, and slides with their notes.

    The title is the first line where that is short, as with Word's style "Title"; empty otherwise.

    Raises:
        UnusableError: It is damaged or locked.
    """
    markdown = _markdown(form, content)
    first = next((line.strip() for line in markdown.splitlines() if line.strip()), "")
    title = _HEADING.sub("", first)
    return (title if len(title) <= _TITLE_CHARS and not title.startswith(("|", "- ", ">")) else ""), markdown


def sheets(form: Form, content: bytes) -> Iterator[Table]:
    """The sheets of a workbook, their cells as they are shown: with the number format of each.

    Raises:
        UnusableError: It is damaged or locked.
    """
    table = Table("")
    for line in _markdown(form, content).splitlines():
        if line.startswith("## "):
            if table.rows:
                yield table
            table = Table(line[3:].strip())
        elif line.startswith("|") and not _SEPARATOR.fullmatch(line.strip()):
            cells = _CELL_BORDER.split(line.strip()[1:-1])
            table.rows.append([cell.replace("\\|", "|").replace("<br>", " ").strip() for cell in cells])
    if table.rows:
        yield table


def _markdown(form: Form, content: bytes) -> str:
    from office_oxide import Document

    try:
        markdown = Document.from_bytes(content, form).to_markdown()
    except Exception as error:  # the library has one kind of its own, and those of what it is built on
        raise UnusableError("is a damaged or locked Office file", keeps=True) from error
    return well_formed(markdown).replace("\0", "")
