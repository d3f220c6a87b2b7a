"""Tables of plain text: lines whose columns are set apart by tabs, spaces or bars become those of a Markdown table."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Lines and columns of the smallest table; the first line has the names of the columns.
_LEAST_LINES, _LEAST_COLUMNS = 3, 2
#: Characters of the longest cell: what is longer is text in columns.
_MOST_CHARS = 60
_GAP = re.compile(r"\t+| {2,}")
_BAR = re.compile(r"\s+\|\s+")
_CELL = re.compile(r"\S+(?: \S+)*")


def with_tables(text: str) -> str:
    """`text` with the tables in it as Markdown; a text without any is the same.

    A table is at least three lines that follow one another with as many cells each, two at least, which begin or end
    below one another where neither tabs nor bars part them.

    Args:
        text: With line feeds alone.
    """
    lines: list[str] = []
    for block, is_table in _blocks(text.split("\n")):
        lines += _markdown(block) if is_table else block
    return "\n".join(lines)


def _blocks(lines: list[str]) -> Iterator[tuple[list[str], bool]]:
    """The lines in order, those of each table together; each line is read once."""
    place = 0
    while place < len(lines):
        end = place + 1
        while end < len(lines) and _may_follow(lines, place, end):
            end += 1
        block = lines[place:end]
        yield block, len(block) >= _LEAST_LINES and _may_follow(lines, place, place) and _in_columns(block)
        place = end


def _may_follow(lines: list[str], first: int, place: int) -> bool:
    """Whether a line has as many cells as the first one of a table."""
    cells, barred = _cells(lines[place]), _is_barred(lines[place])
    if not _LEAST_COLUMNS <= len(cells) == len(_cells(lines[first])) or barred is not _is_barred(lines[first]):
        return False
    return barred or max(map(len, cells)) <= _MOST_CHARS


def _is_barred(line: str) -> bool:
    """Whether bars part its cells; with bars around them too it is Markdown already."""
    return _BAR.search(line) is not None and not line.lstrip().startswith("|")


def _cells(line: str) -> list[str]:
    told = line.strip()
    if not told or told.startswith("|"):
        return []
    return (_BAR if _is_barred(told) else _GAP).split(told)


def _in_columns(lines: list[str]) -> bool:
    """Whether the cells of each column begin or end at one place, or tabs or bars part them."""
    if all("\t" in line.strip() for line in lines) or _is_barred(lines[0]):
        return True
    spans = zip(*([cell.span() for cell in _CELL.finditer(line)] for line in lines), strict=True)
    return all(len({begin for begin, _ in column}) == 1 or len({end for _, end in column}) == 1 for column in spans)


def _markdown(lines: list[str]) -> list[str]:
    rows = [[cell.replace("|", "\\|") for cell in _cells(line)] for line in lines]
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return [head, f"|{' --- |' * len(rows[0])}", *body]
