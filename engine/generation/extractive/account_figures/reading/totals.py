"""Rows of a table that say what the others come to: "Total", which is no row among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.generation.extractive.account_figures.figure import Amount, Figure
from engine.generation.extractive.account_figures.measures import TOTAL
from engine.generation.extractive.account_figures.vocabulary import role_of, stems_of

#: Other rows that a table has to have.
_LEAST = 2


def without_totals(figures: Sequence[Figure]) -> list[Figure]:
    """The same figures, without the rows of totals.

    What such a row says that is not the sum of its column (a mean, a rate) stays, as a single figure of that name.
    """
    totals = {name for name in {figure.row for figure in figures} if _is_total(name)}
    lists = {figure.listed for figure in figures if figure.row in totals}
    sums: dict[tuple[tuple[str, ...] | None, tuple[str, ...]], Amount] = {}
    others: dict[tuple[str, ...] | None, set[str]] = {}
    for figure in figures if totals else ():
        if figure.row and figure.listed in lists and figure.row not in totals:
            others.setdefault(figure.listed, set()).add(figure.row)
            if isinstance(figure.value, Amount):
                where = figure.listed, figure.path
                before = sums[where].value if where in sums else 0
                sums[where] = figure.value.like(before + figure.value.value)
    found: list[Figure] = []
    for figure in figures:
        kept = figure.row not in totals or len(others.get(figure.listed, ())) < _LEAST
        found += [figure] if kept else _beside(figure, sums.get((figure.listed, figure.path)))
    return found


def _is_total(row: str) -> bool:
    """Whether the name of a row says that it is the total, and names nothing else."""
    words = [word for word in row.split() if stems_of(word)]
    return bool(words) and all(role_of(word) == TOTAL for word in words)


def _beside(figure: Figure, whole: Amount | None) -> list[Figure]:
    if not isinstance(figure.value, Amount) or figure.value == whole:
        return []
    return [replace(figure, path=(*figure.path, figure.row.lower()), row="", day=None, listed=None, row_key="")]
