"""Tables whose rows are looked up one by one: each row a passage with the names of its columns."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from engine.retrieval.ingestion.limits import UnusableError

#: Rows that are looked at to tell what stands between the cells.
_SAMPLED_ROWS = 20
_SAMPLED_CHARS = 100_000
_SEPARATORS = ",;\t|"
#: Rows among which the names of the columns are looked for: titles and notes may stand above them.
_MOST_ABOVE = 10
_NUMBER = re.compile(r"[-+]?[\d.,\s%€$£]*\d[\d.,\s%€$£]*")
_YEAR = re.compile(r"(?:19|20)\d\d")
#: Stands before the name of a table, on a line of its own; no cell begins with it.
HEADING = "\x1e"


@dataclass(slots=True)
class Table:
    """A sheet, or a file of rows.

    Attributes:
        name: Empty where there is only one.
        rows: Their cells as text, those above the names of the columns included.
    """

    name: str
    rows: list[list[str]] = field(default_factory=list)


def read_csv(text: str) -> Table:
    """The rows of CSV, whatever stands between its cells.

    Raises:
        UnusableError: It is not CSV.

    Source: RFC 4180 for quotes and line breaks within cells.
    """
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    try:
        return Table("", list(csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text))))
    except csv.Error as error:
        raise UnusableError("is no CSV that can be read") from error


def records(tables: Iterable[Table]) -> str:
    """Tables as text of kind `rows`: one block of `column: value` lines a row, with a blank line between two.

    Columns without a name are called by their number; empty cells are left out. Rows above the names of the columns
    are blocks of their own.
    """
    blocks: list[str] = []
    for table in tables:
        rows = [[" ".join(cell.split()) for cell in row] for row in table.rows]
        rows = [row for row in rows if any(row)]
        names_at = _names_at(rows)
        if table.name:
            blocks.append(f"{HEADING}{' '.join(table.name.split())}")
        blocks += ["; ".join(cell for cell in row if cell) for row in rows[: max(names_at, 0)]]
        names = rows[names_at] if names_at >= 0 else []
        blocks += ["\n".join(_lines(names, row)) for row in rows[names_at + 1 :]]
        if names_at >= 0 and len(rows) == names_at + 1:
            blocks.append("; ".join(name for name in names if name))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def blocks_of(text: str) -> Iterator[tuple[str, str]]:
    """(name of the table, block) of what `records` wrote."""
    name = ""
    for block in text.strip("\n").split("\n\n"):
        if block.startswith(HEADING):
            name = block[len(HEADING) :]
        elif block:
            yield name, block


def _lines(names: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    if not names and sum(map(bool, row)) == 1:
        yield next(cell for cell in row if cell)
        return
    for place, cell in enumerate(row):
        name = names[place] if place < len(names) else ""
        if cell:
            yield f"{name or f'Column {place + 1}'}: {cell}"


def _names_at(rows: Sequence[Sequence[str]]) -> int:
    """The row that names the columns: the first that is half as full as the fullest, without numbers; -1 for none."""
    first = rows[:_MOST_ABOVE]
    width = max((sum(map(bool, row)) for row in first), default=0)
    for place, row in enumerate(first):
        filled = [cell for cell in row if cell]
        if len(filled) >= max(2, (width + 1) // 2):
            named = len(set(filled)) == len(filled) and not any(map(_is_number, filled))
            return place if named else -1
    return 0 if width == 1 and len(rows) > 1 else -1


def _is_number(cell: str) -> bool:
    """Years aside, which name columns."""
    return bool(_NUMBER.fullmatch(cell)) and not _YEAR.fullmatch(cell)


def _separator(text: str) -> str:
    """The mark that cuts the first rows into the same number of cells, the most where several do."""
    sample = text[:_SAMPLED_CHARS]

    def quality(mark: str) -> tuple[bool, int, int]:
        rows = itertools.islice(csv.reader(io.StringIO(sample, newline=""), delimiter=mark), _SAMPLED_ROWS)
        widths = Counter(len(row) for row in rows if row)
        width, alike = max(widths.items(), key=lambda found: (found[1], found[0]), default=(0, 0))
        return (width > 1, alike, width)

    return max(_SEPARATORS, key=quality)
