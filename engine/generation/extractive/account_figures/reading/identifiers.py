"""What is no amount and no row: columns of codes (`5512 GHT`, 8842 behind 8841), and rows of totals."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.generation.extractive.account_figures.figure import Amount, Figure, Value, is_unit
from engine.generation.extractive.account_figures.measures import TOTAL
from engine.generation.extractive.account_figures.vocabulary import role_of, stems_of
from engine.text.language import Language
from engine.text.numbers import exact_digits

#: Rows from which numbers that go on are codes, more than; the least code.
_CODES, _LEAST_CODE = 2, 100
#: Different units in one column from which its values are codes, and the letters that one of these has.
_DIFFERENT, _LETTERS = 2, 2
#: Other rows that a table has to have.
_LEAST = 2


def with_codes(figures: Sequence[Figure]) -> list[Figure]:
    """The figures; numbers that merely go on from row to row of a list (8841, 8842, 8843) are texts: they name rows."""
    return _as_texts(figures, _go_on, lambda amount: str(amount.value))


def with_identifiers(figures: Sequence[Figure]) -> list[Figure]:
    """Figures in which the columns of codes are texts: numbers with various capital letters that are no units."""
    return _as_texts(figures, _are_codes, _written)


def _as_texts(
    figures: Sequence[Figure], are_codes: Callable[[Sequence[Value]], bool], written: Callable[[Amount], str]
) -> list[Figure]:
    """The figures, the amounts of those columns as texts whose values are codes."""
    columns: dict[tuple[tuple[str, ...] | None, tuple[str, ...]], list[Value]] = {}
    for figure in figures:
        if figure.row:
            columns.setdefault((figure.listed, figure.path), []).append(figure.value)
    codes = {column for column, values in columns.items() if are_codes(values)}
    return [
        replace(figure, value=written(figure.value))
        if isinstance(figure.value, Amount) and (figure.listed, figure.path) in codes
        else figure
        for figure in figures
    ]


def _go_on(values: Sequence[Value]) -> bool:
    numbers = [value.value for value in values if isinstance(value, Amount) and not value.unit]
    steps = {after - before for before, after in itertools.pairwise(numbers)}
    return len(numbers) == len(values) > _CODES and steps == {1} and numbers[0] >= _LEAST_CODE


def _are_codes(values: Sequence[Value]) -> bool:
    units = {value.unit if isinstance(value, Amount) and not value.before else "" for value in values}
    return len(units) >= _DIFFERENT and all(map(_is_code, units))


def _is_code(unit: str) -> bool:
    return len(unit) >= _LETTERS and unit.isalpha() and unit.isupper() and not is_unit(unit)


def _written(amount: Amount) -> str:
    digits = exact_digits(amount.value, 15) or str(amount.shown(Language.ENGLISH)).split()[0]
    return f"{digits} {amount.unit}"


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
