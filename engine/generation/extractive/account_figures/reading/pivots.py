"""Pivot tables: numbers of several things by period, the periods across (`| Shop | Jan | Feb | Mar |`).

They are read as a table of periods with a column for each thing, which is what a list of months with their numbers is
read as, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from engine.generation.extractive.account_figures.figure import Amount, Figure, day_of
from engine.generation.extractive.account_figures.vocabulary import is_calendar_name, is_period_unit, without_periods
from engine.text.dates import fold

#: Columns of periods from which a table is a pivot table.
_LEAST = 3
#: Things of the largest pivot table: each is a column, and a context has so many names at most (`reading/bounded.py`).
_MOST = 60
#: A year, and a numbered period in short: "W36", "S2".
_SHORT = re.compile(r"(?:(?:19|20)\d\d|[ws]\.? ?\d{1,2})", re.IGNORECASE)
#: Where what a heading says of its table ends: at signs, and before what the table is by.
_ENDS = re.compile(r"\s*[,;(–—|]|\s+-\s+|\s+(?:by|per|por|each|cada|in|en)\s+", re.IGNORECASE)


def has_periods(names: Iterable[str]) -> bool:
    """Whether so many of the names of columns are those of periods that a table may be a pivot table."""
    return sum(map(is_period_name, names)) >= _LEAST


def with_pivots(figures: Sequence[Figure]) -> list[Figure]:
    """The same figures, those of pivot tables as cells of the rows of their periods, in the place of the first."""
    columns: dict[tuple[str, ...], dict[tuple[str, ...], list[Figure]]] = {}
    for figure in figures:
        if figure.listed is not None and figure.path and is_period_name(figure.path[-1]):
            columns.setdefault(figure.listed, {}).setdefault(figure.path, []).append(figure)
    turned: dict[int, list[Figure]] = {}
    taken: set[int] = set()
    for listed, by_path in columns.items():
        cells = [cell for told in by_path.values() for cell in told]
        if len(by_path) >= _LEAST and len(cells) <= _MOST * len(by_path) and _are_alike(cells):
            turned[id(cells[0])] = [_by_period(cell, listed) for cell in cells]
            taken |= {id(cell) for cell in cells}
    return [one for figure in figures for one in turned.get(id(figure), [] if id(figure) in taken else [figure])]


def _are_alike(cells: Iterable[Figure]) -> bool:
    """Whether cells are numbers of one unit, or empty."""
    values = [cell.value for cell in cells if cell.value is not None]
    return len({one.unit if isinstance(one, Amount) else None for one in values} - {None}) == 1 and all(
        isinstance(one, Amount) for one in values
    )


def _by_period(cell: Figure, listed: tuple[str, ...]) -> Figure:
    *around, period = cell.path
    across = cell.row_key or next(reversed(listed), "")
    return Figure((*around, cell.row), cell.value, period, day_of(period), listed=tuple(around), across=across)


def is_period_name(name: str) -> bool:
    """Whether a name is that of a month, a weekday, a quarter, a year, or of a period with its number: "week 3"."""
    words = re.findall(r"[^\W\d_]+|\d+", fold(name))
    numbered = len(words) == 2 and any(map(is_period_unit, words)) and any(map(str.isdigit, words))
    return numbered or is_calendar_name(name) or _SHORT.fullmatch(name) is not None or day_of(name) is not None


def counted_by(heading: str) -> str:
    """What the numbers of a table are by its heading: of "Rooms: bookings (groups) by week, 2025" the bookings."""
    said = heading.rpartition(":")[2].strip()
    words = (word.lower() if word.istitle() else word for word in _ENDS.split(said, maxsplit=1)[0].split())
    return without_periods(" ".join(words)).strip()
