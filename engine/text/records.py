"""Rows of files that are tables, each a passage of its own, as tables again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import PurePath

#: Suffixes of the files whose rows are passages, one line for each cell.
SUFFIXES = frozenset({".csv", ".tsv", ".xlsx", ".xlsm", ".xls"})
#: Those of files whose objects are passages under their names, with a line for each field that is plain.
_OF_OBJECTS = frozenset({".json"})
#: A plain field of an object, as `json_records` writes it.
_FIELD = re.compile(r"(?P<name>[^\W_a-z][^:.;\n]{0,40}): (?P<value>.{1,80})")
#: Characters of the longest value. What is longer is text, which is read sentence by sentence.
_MOST_CHARS = 80
#: A cell with the name of its column.
_CELL = re.compile(rf"(?P<name>[^:]+): (?P<value>.{{1,{_MOST_CHARS}}})")
#: The same, however long it is.
_NAMED_LINE = re.compile(r"(?P<name>[^:]+): (?P<value>.+)")
#: Cells of the shortest row.
_LEAST = 2


def as_table(document: str, text: str, heading: str = "") -> str:
    """A passage that is a row of a table file as a Markdown table of this row; `text` itself where it is none.

    Args:
        document: The name of its document.
        heading: That of the passage, for an object of a list to be read as a row too; see `record_of`.
    """
    cells = record_of(document, heading, text)
    return _table(list(cells), [list(cells.values())]) if cells else text


def cells_of(document: str, text: str) -> dict[str, str]:
    """The cells of a passage that is a row of a table file, by the names of their columns; empty where it is none.

    Args:
        document: The name of its document.
    """
    return _cells(text, _CELL) if is_table_file(document) else {}


def _cells(text: str, form: re.Pattern[str]) -> dict[str, str]:
    """The values of lines by their names; empty unless each line is of the form and there are two at least."""
    cells = [form.fullmatch(line) for line in text.splitlines()]
    read = {cell["name"]: cell["value"] for cell in cells if cell is not None}
    return read if len(read) == len(cells) >= _LEAST else {}


@lru_cache(maxsize=1024)
def _suffix(document: str) -> str:
    """How the name of a document ends; it is asked of each sentence of each passage."""
    return PurePath(document).suffix.lower()


def is_table_file(document: str) -> bool:
    """Whether a document is a file of rows and nothing else."""
    return _suffix(document) in SUFFIXES


def is_object(document: str, heading: str) -> bool:
    """Whether a passage is of an object that stands under its name."""
    return bool(heading) and _suffix(document) in _OF_OBJECTS


def is_field_of_object(document: str, heading: str, text: str) -> bool:
    """Whether a piece of a passage is a plain field of an object that stands under its name."""
    return is_object(document, heading) and _FIELD.fullmatch(text) is not None


def record_of(document: str, heading: str, text: str) -> dict[str, str]:
    """As `cells_of`; of an object also its plain fields, behind its name in a column that is called as its list is."""
    if not is_object(document, heading):
        return cells_of(document, text)
    fields = {found["name"]: found["value"] for line in text.splitlines() if (found := _FIELD.fullmatch(line))}
    above, _, name = heading.rpartition(" > ")
    return {above.rpartition(" > ")[2]: name, **fields} if fields else {}


def short_cells_of(document: str, heading: str, text: str) -> dict[str, str]:
    """As `every_cell_of` without the longer cells of a row of a table file: they are texts."""
    cells = every_cell_of(document, heading, text)
    if not is_table_file(document):
        return cells
    short = {name: value for name, value in cells.items() if len(value) <= _MOST_CHARS}
    return short if len(short) >= _LEAST else {}


def every_cell_of(document: str, heading: str, text: str) -> dict[str, str]:
    """As `record_of`, with the cells of a row of a table file however long they are."""
    return _cells(text, _NAMED_LINE) if is_table_file(document) else record_of(document, heading, text)


def list_of(document: str, heading: str) -> str:
    """The heading that is the same for all rows of one table: that of the sheet, or of the list of the objects."""
    return heading.rpartition(" > ")[0] if is_object(document, heading) else heading


def table_head(text: str) -> str:
    """The line with the names of the columns of a text that is a table and nothing else; empty for any other text."""
    lines = text.strip().splitlines()
    table = len(lines) > 2 and all(line.lstrip().startswith("|") for line in lines) and not set(lines[1]) - set("|:- ")
    return lines[0] if table else ""


def rows_as_table(rows: Sequence[Mapping[str, str]]) -> str:
    """Rows by the names of their columns as one Markdown table; a cell that a row does not have is empty there."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return _table(names, [[row.get(name, "") for name in names] for row in rows])


def _table(names: list[str], rows: Sequence[list[str]]) -> str:
    return "\n".join(_line(one) for one in (names, ["---"] * len(names), *rows))


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
