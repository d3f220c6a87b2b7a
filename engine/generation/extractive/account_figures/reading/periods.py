"""Values that stand under the names of months, weekdays or quarters, as rows: `{"views": {"sep": 9, "oct": 12}}`.

So are those whose names end in a month with its year: `views_2026_09`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.generation.extractive.account_figures.figure import Amount, Figure, day_of
from engine.generation.extractive.account_figures.reading.pivots import is_period_name, with_pivots
from engine.text.dates import fold
from engine.text.words import COMMON

#: A name that ends in a month with its year.
_DATED = re.compile(r"(?P<name>.*[^\W\d].*?) (?P<year>(?:19|20)\d\d) (?P<month>0[1-9]|1[0-2])")
#: Periods under one name from which they are rows; fewer are, where another name beside it has the same ones.
_ROWS = 3


def by_period(figures: Sequence[Figure]) -> list[Figure]:
    """The same figures, each that stands under the name of a period as a cell of the row of that period."""
    figures = _by_last_word(_by_month(with_pivots(figures)))
    groups: dict[tuple[str, ...], set[str]] = {}
    for figure in figures:
        if (where := _above(figure)) is not None:
            groups.setdefault(where, set()).add(figure.path[-1])
    alike = Counter((where[:-1], frozenset(group)) for where, group in groups.items())
    rows = {
        where
        for where, group in groups.items()
        if len(group) >= _ROWS or (len(group) > 1 and alike[where[:-1], frozenset(group)] > 1)
    }
    return list(_as_rows(figures, rows))


def _by_month(figures: Sequence[Figure]) -> list[Figure]:
    """The same figures, those of one name for several months as cells of the rows of these."""
    found = {
        at: month for at, f in enumerate(figures) if not f.row and f.path and (month := _DATED.fullmatch(f.path[-1]))
    }
    names = Counter((*figures[at].path[:-1], month["name"]) for at, month in found.items())
    dated = list(figures)
    for at, month in found.items():
        path, row = (*figures[at].path[:-1], month["name"]), f"{month['year']}-{month['month']}"
        if names[path] > 1:
            dated[at] = replace(figures[at], path=path, row=row, day=day_of(row), listed=path)
    return dated


def _by_last_word(figures: Sequence[Figure]) -> list[Figure]:
    """The same figures, those of one name that ends in several periods as rows: `reading time mon`, `fines 2025`."""
    named = {
        at: split for at, f in enumerate(figures) if not f.row and f.path and (split := _period_behind(f.path[-1]))
    }
    groups: dict[tuple[str, ...], set[str]] = {}
    for at, (name, period) in named.items():
        groups.setdefault((*figures[at].path[:-1], name), set()).add(period)
    found = list(figures)
    for at, (name, period) in named.items():
        path = (*figures[at].path[:-1], name)
        if len(groups[path]) >= _ROWS and isinstance(figures[at].value, Amount):
            found[at] = replace(figures[at], path=path, row=period, day=day_of(period), listed=path)
    return found


def _period_behind(name: str) -> tuple[str, str] | None:
    """A name without the period that it ends in, and that; None where it ends in none."""
    words = name.split()
    for count in (2, 1):
        head, period = words[:-count], " ".join(words[-count:])
        while head and fold(head[-1]) in COMMON:
            head.pop()
        if head and is_period_name(period):
            return " ".join(head), period
    return None


def _as_rows(figures: Sequence[Figure], rows: set[tuple[str, ...]]) -> Iterator[Figure]:
    for figure in figures:
        where = _above(figure)
        unit = figure.value.unit if isinstance(figure.value, Amount) else ""
        name = where or ((unit,) if unit else ())  # "Jan 9.1 m3" has no other name
        if where in rows and name:
            yield replace(figure, path=name, row=figure.path[-1], day=None, listed=name[:-1], row_key="")
        else:
            yield figure


def _above(figure: Figure) -> tuple[str, ...] | None:
    """The names above that of a period; None where a figure has no such name, or is in a row already."""
    if figure.row or not figure.path or not is_period_name(figure.path[-1]):
        return None
    return figure.path[:-1]
