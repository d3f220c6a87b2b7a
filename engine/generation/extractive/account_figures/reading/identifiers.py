"""Columns of number plates and codes, which are no amounts: `5512 GHT` is not so many of anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.generation.extractive.account_figures.figure import Amount, Figure, is_unit
from engine.text.language import Language
from engine.text.numbers import exact_digits

#: Different units in one column from which its values are codes, and the letters that one of these has.
_DIFFERENT, _LETTERS = 2, 2


def with_identifiers(figures: Sequence[Figure]) -> list[Figure]:
    """Figures in which the columns of codes are texts: numbers with various capital letters that are no units."""
    units: dict[tuple[tuple[str, ...] | None, tuple[str, ...]], set[str]] = {}
    for figure in figures:
        if figure.row:
            unit = figure.value.unit if isinstance(figure.value, Amount) and not figure.value.before else ""
            units.setdefault((figure.listed, figure.path), set()).add(unit)
    codes = {column for column, told in units.items() if len(told) >= _DIFFERENT and all(map(_is_code, told))}
    return [_as_text(figure) if (figure.listed, figure.path) in codes else figure for figure in figures]


def _is_code(unit: str) -> bool:
    return len(unit) >= _LETTERS and unit.isalpha() and unit.isupper() and not is_unit(unit)


def _as_text(figure: Figure) -> Figure:
    value = figure.value
    if not isinstance(value, Amount):
        return figure
    digits = exact_digits(value.value, 15) or str(value.shown(Language.ENGLISH)).split()[0]
    return replace(figure, value=f"{digits} {value.unit}")
