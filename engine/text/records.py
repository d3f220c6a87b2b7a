"""Rows of files that are tables, each a passage of its own, as tables again."""

from __future__ import annotations

import re
from pathlib import PurePath

#: Suffixes of the files whose rows are passages, one line for each cell.
SUFFIXES = frozenset({".csv", ".tsv", ".xlsx", ".xlsm", ".xls"})
#: A cell with the name of its column. What is longer than a value is text, which is read sentence by sentence.
_CELL = re.compile(r"(?P<name>[^:]+): (?P<value>.{1,80})")
#: Cells of the shortest row.
_LEAST = 2


def as_table(document: str, text: str) -> str:
    """A passage that is a row of a table file as a Markdown table of this row; `text` itself where it is none.

    Args:
        document: The name of its document.
    """
    if PurePath(document).suffix.lower() not in SUFFIXES:
        return text
    cells = [_CELL.fullmatch(line) for line in text.splitlines()]
    read = [(cell["name"], cell["value"]) for cell in cells if cell is not None]
    if len(read) < max(_LEAST, len(cells)) or len(dict(read)) < len(read):
        return text
    names, values = zip(*read, strict=True)
    return "\n".join(_line(one) for one in (names, ["---"] * len(names), values))


def _line(cells: tuple[str, ...] | list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
