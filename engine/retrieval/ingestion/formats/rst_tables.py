"""The tables of reStructuredText, drawn with characters, as rows of cells.

Source: docutils, reStructuredText Markup Specification, "Grid Tables" and "Simple Tables".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence

_GRID_BORDER = re.compile(r"[ ]*\+(?:[-=]+\+)+")
_SPANNED = re.compile(r"\|| ?\+(?=[-=])|(?<=[-=])\+ ?")
_RULE = re.compile(r"[-=]+")
_SIMPLE_BORDER = re.compile(r"[ ]*=+(?:[ ]+=+)+")


def grid_table(lines: Sequence[str], place: int) -> tuple[int, list[list[str]]] | None:
    """(number of lines, rows) of the grid that begins at `place`; None where none does.

    A cell that spans columns is one cell of its row, which has fewer then; rows beside one that spans rows are one.
    """
    below = lines[place + 1] if place + 1 < len(lines) else ""
    if not below.lstrip().startswith("|") or not _GRID_BORDER.fullmatch(lines[place]):
        return None
    end = next((at for at in range(place, len(lines)) if not lines[at].lstrip().startswith(("+", "|"))), len(lines))
    marks = [at for at, mark in enumerate(lines[place]) if mark == "+"]
    rows: list[list[str]] = [[]]
    for line in lines[place:end]:
        if _GRID_BORDER.fullmatch(line):
            rows.append([])
            continue
        if all(line[at : at + 1] == "|" for at in marks):
            cells = [line[left + 1 : right] for left, right in itertools.pairwise(marks)]
        else:
            cells = ["" if _RULE.fullmatch(cell) else cell for cell in _SPANNED.split(line.strip()[1:-1])]
        if rows[-1] and len(rows[-1]) != len(cells):
            rows.append([])
        rows[-1] = _joined(rows[-1], cells)
    rows = [row for row in rows if row]
    return (end - place, rows) if rows else None


def simple_table(lines: Sequence[str], place: int) -> tuple[int, list[list[str]]] | None:
    """(number of lines, rows) of the table between lines of `=` that begins at `place`; None where none does."""
    border = lines[place]
    if not _SIMPLE_BORDER.fullmatch(border):
        return None
    starts = [match.start() for match in re.finditer(r"=+", border)]
    rows: list[list[str]] = []
    borders = 1
    for at in range(place + 1, len(lines)):
        line = lines[at]
        if _SIMPLE_BORDER.fullmatch(line):
            borders += 1
            following = lines[at + 1] if at + 1 < len(lines) else ""
            if borders > 2 or not following.strip():
                return at - place + 1, rows
        elif line.strip() and not re.fullmatch(r"[ -]+", line):
            cells = [line[left:right] for left, right in zip(starts, [*starts[1:], None], strict=True)]
            if rows and not cells[0].strip():
                rows[-1] = _joined(rows[-1], cells)
            else:
                rows.append(_joined([], cells))
    return None


def markdown_table(rows: Sequence[Sequence[str]], shown: Callable[[str], str]) -> list[str]:
    """Rows as a table of Markdown, the first as its head; `shown` gives the text of a cell."""
    width = max(map(len, rows), default=0)
    lines = [
        f"| {' | '.join(shown(' '.join(cell.split())).replace('|', chr(92) + '|') for cell in row)} |"
        for row in ([*row, *[""] * (width - len(row))] for row in rows)
    ]
    return [*lines[:1], f"|{' --- |' * width}", *lines[1:]] if lines else []


def _joined(above: list[str], cells: Sequence[str]) -> list[str]:
    """A row whose cells go on on the next line."""
    if not above:
        return [cell.strip() for cell in cells]
    return [f"{former} {cell.strip()}".strip() for former, cell in zip(above, cells, strict=True)]
