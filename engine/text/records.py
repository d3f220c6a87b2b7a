"""Rows of files that are tables, each a passage of its own, as tables again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
    cells = cells_of(document, text)
    return _table(list(cells), [list(cells.values())]) if cells else text


def cells_of(document: str, text: str) -> dict[str, str]:
    """The cells of a passage that is a row of a table file, by the names of their columns; empty where it is none.

    Args:
        document: The name of its document.
    """
    if PurePath(document).suffix.lower() not in SUFFIXES:
        return {}
    cells = [_CELL.fullmatch(line) for line in text.splitlines()]
    read = {cell["name"]: cell["value"] for cell in cells if cell is not None}
    return read if len(read) == len(cells) >= _LEAST else {}


def rows_as_table(rows: Sequence[Mapping[str, str]]) -> str:
    """Rows by the names of their columns as one Markdown table; a cell that a row does not have is empty there."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return _table(names, [[row.get(name, "") for name in names] for row in rows])


def _table(names: list[str], rows: Sequence[list[str]]) -> str:
    return "\n".join(_line(one) for one in (names, ["---"] * len(names), *rows))


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
