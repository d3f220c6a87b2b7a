"""The rows of a table whose figure, or time of the day, is on one side of what a question says, or is just that."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from engine.generation.extractive.account_figures.candidates.bounds import EARLIER, LATER, Bound, bound_said
from engine.generation.extractive.account_figures.figure import CURRENCY, Amount, amounts_in
from engine.generation.extractive.row_arithmetic.rows import Row, in_seconds, kind_of
from engine.generation.extractive.row_arithmetic.table_conditions import (
    CLEAR,
    MEANT,
    Condition,
    Likeness,
    Words,
    bare,
    columns_named,
    columns_of,
    has_clocks,
    minutes,
    values_of,
)
from engine.generation.extractive.row_arithmetic.table_words import same_unit
from engine.generation.extractive.row_arithmetic.wording import tokens
from engine.text.language import Language
from engine.text.unit_names import names as unit_names
from engine.text.words import folded, has_digit, is_common

#: Digits of the longest number that a figure may have to be.
_FIGURES = 6
_BY_THE_CLOCK = re.compile(
    rf"\b(?:(?P<earlier>{EARLIER})|{LATER})\s+(?:(?:the|las?)\s+)?"
    r"(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?:\s?h)?(?!\d)"
)
#: Says that nothing is to be paid.
_FREE = frozenset(["free", "gratis", "gratuito", "gratuita"])
#: The codes among the currencies that are read.
_CODES = re.findall(r"[A-Z]{3}", CURRENCY)
#: A comparative with a number behind it.
_COMPARATIVE = re.compile(
    r"\b(?:(?P<er>(?!oth|rath|great|low|few)[a-z]{3,}?)(?:i?er) than|"
    r"(?P<more>(?:mas|menos) (?!de\b|que\b)[a-z]+) (?:de|que))\s+(?=[$€£]?\s?\d)"
)
#: Whether superlative words ask for the most; None where that is not sure.
IsMost = Callable[[str], bool | None]


class _Exactly(Bound):
    """A number that a figure has to be."""

    def holds(self, value: Fraction) -> bool:
        return value == self.number


class UnreadableError(Exception):
    """A column that is asked for has figures that may be on either side: "from 5 euros"."""


def bounded(
    question: str,
    every: Sequence[Row],
    language: Language,
    likeness: Likeness,
    is_most: IsMost,
    *,
    exactly: bool = True,
) -> tuple[Condition, str] | None:
    """The rows whose figure is on one side of a number, or is that number, and the question without that.

    None where the question says no such thing, or no column is of it.

    Args:
        exactly: A number without anything that bounds it is what a figure has to be.

    Raises:
        UnreadableError: See there.
    """
    if clock := _BY_THE_CLOCK.search(folded(question)):
        return _by_the_clock(folded(question), clock, every)
    said = _bound(question, language, is_most) or (_equal_to(question, every, language) if exactly else None)
    if said is None:
        return None
    bound, amount, before, behind = said
    word = _unit_behind(amount, behind)
    if not every[0].columns:
        return _items_holding(
            bound, Amount(amount.value, word) if word else amount, every, language, f"{before} {behind}"
        )
    column = _column_of(bound, Amount(amount.value, word) if word else amount, f"{before} {behind}", every, likeness)
    if not column:
        return None
    held = _holding(bound, Amount(amount.value, word) if word else amount, column, every)
    rest = behind.strip().removeprefix(word) if word else behind
    return Condition((column,), held), f"{before} {rest}"


def _bound(question: str, language: Language, is_most: IsMost) -> tuple[Bound, Amount, str, str] | None:
    """The bound of a question, be it said by a comparative: "heavier than 20 kg", "más baratas de 10 euros"."""
    asked = folded(question)
    found = _COMPARATIVE.search(asked)
    if found is None:
        return bound_said(question, language)
    more = is_most(f"the {found['er']}est" if found["er"] else found["more"])
    if more is None:
        return None
    side = {Language.ENGLISH: ("more than", "less than")}.get(language, ("mas de", "menos de"))[not more]
    return bound_said(f"{asked[: found.start()]} {side} {asked[found.end() :]}", language)


def _equal_to(question: str, rows: Sequence[Row], language: Language) -> tuple[Bound, Amount, str, str] | None:
    """The one number of a question as what a figure has to be: "which tents sleep 6 people?".

    None where it is a part of the name of a row, or is no bare number.
    """
    asked = folded(question)
    amounts = amounts_in(asked, language) if sum(map(str.isdigit, asked)) <= _FIGURES else []
    if len(amounts) != 1 or any(f" {folded(row.name)} " in f" {asked.strip(' ?.!')} " for row in rows):
        return None
    start, end, amount = amounts[0]
    return _Exactly(above=True, number=amount.value), amount, asked[:start], asked[end:]


def _unit_behind(amount: Amount, behind: str) -> str:
    """The word or two behind a bare number that say of what it is: "square metres", "seats"."""
    words = [word.strip("?.,;!") for word in behind.split()[:2]] if not amount.unit else []
    two = " ".join(words[:2])
    word = two if two in unit_names() else words[0] if words else ""
    return "" if not word.replace(" ", "").isalpha() or is_common(word) else word


def _column_of(bound: Bound, amount: Amount, rest: str, every: Sequence[Row], likeness: Likeness) -> str:
    """The column that a number is of: by its unit, by words of the question, by what stands behind it in meaning."""
    columns = [
        name for name in columns_of(every) if any(row.cell(name) for row in every) and not has_clocks(name, every)
    ]
    fitting = [name for name in columns if _is_in(amount, name, every)]
    named = columns_named(Words(tokens(rest)), columns)
    worded = [name for name in fitting or columns if name in named]
    unit = "" if amount.is_money or in_seconds(amount) is not None else amount.unit
    if unit and not worded and not fitting and columns:
        meant = likeness([unit], list(map(bare, columns)))[0]
        worded = [columns[int(meant.argmax())]] if meant.max() >= MEANT else []
    exactly = isinstance(bound, _Exactly)
    among = worded or ([] if exactly and not amount.unit else fitting)
    among = [name for name in among if 0 < len(_holding(bound, amount, name, every)) < len(every)] or among
    if len(among) > 1:
        likely = likeness([rest], list(map(bare, among)))[0]
        order = np.argsort(-likely)
        among = [among[int(order[0])]] if likely[order[0]] - likely[order[1]] >= CLEAR else []
    return among[0] if among else ""


def _is_in(amount: Amount, column: str, every: Sequence[Row]) -> bool:
    """Whether a number with a unit, or without one, may be of a column."""
    cells = [cell for row in every if (cell := row.cell(column)) is not None]
    if not amount.unit:
        return bool(cells)
    named = not amount.is_money and same_unit(amount.unit, column)
    return named or any(_alike(amount, cell.amount) for cell in cells)


def _holding(bound: Bound, amount: Amount, column: str, every: Sequence[Row]) -> frozenset[int]:
    timed = any(cell.kind == "time" for row in every if (cell := row.cell(column)) is not None)
    seconds = in_seconds(amount) if timed else None
    held = set()
    for at, row in enumerate(every):
        cell, text = row.cell(column), row.of(column)
        if cell is None and has_digit(text):
            raise UnreadableError(column)
        if cell is None:
            own = Fraction(0) if amount.is_money and folded(text) in _FREE else None
        else:
            own = in_seconds(cell.amount) if seconds is not None else cell.amount.value
        side = bound if seconds is None else type(bound)(bound.above, seconds, bound.inclusive)
        if own is not None and side.holds(own):
            held.add(at)
    return frozenset(held)


def _items_holding(
    bound: Bound, amount: Amount, every: Sequence[Row], language: Language, rest: str
) -> tuple[Condition, str] | None:
    """The items of a list whose first figure of that kind is on that side; None where fewer than two state one."""
    stated: dict[int, Amount] = {}
    for at, row in enumerate(every):
        found = (one for _, _, one in amounts_in(row.told.partition(":")[2], language) if _alike(amount, one))
        if (first := next(found, None)) is not None:
            stated[at] = first
    held = frozenset(at for at, one in stated.items() if bound.holds(one.value))
    return (Condition((), held), rest.replace(amount.unit, " ")) if len(stated) > 1 and amount.unit else None


def _alike(asked: Amount, other: Amount) -> bool:
    """Whether two figures are of one kind: money of one currency, time, or a unit."""
    if asked.is_money:
        return other.is_money and same_currency(asked.unit, other.unit)
    return kind_of(asked) == kind_of(other)


def _by_the_clock(question: str, clock: re.Match[str], every: Sequence[Row]) -> tuple[Condition, str] | None:
    columns = [name for name in columns_of(every) if has_clocks(name, every)]
    if not columns:
        return None
    rest = question.replace(clock[0], " ")
    column = next(
        (name for name in columns_named(Words(tokens(rest)), columns_of(every)) if name in columns), columns[0]
    )
    bound = Bound(clock["earlier"] is None, minutes(clock))
    held = {at for at, value in values_of(column, every).items() if bound.holds(value)}
    return Condition((column,), frozenset(held)), rest


def same_currency(one: str, other: str) -> bool:
    """Whether two currencies may be one: "euros" and "€", "pesos" and "MXN"."""
    a, b = _currencies(one), _currencies(other)
    return not a or not b or bool(a & b)


@cache
def _currencies(unit: str) -> frozenset[str]:
    """The codes that a unit of money may stand for, by signs and names; empty for a unit that is not known."""
    from babel.numbers import get_currency_name, get_currency_symbol

    def names(code: str) -> Iterator[str]:
        yield code
        for locale in ("en", "es"):
            yield get_currency_symbol(code, locale)
            yield from (get_currency_name(code, count, locale).split()[-1] for count in (1, 2))
            yield from (get_currency_name(code, count, locale).split()[0] for count in (1, 2))

    asked = folded(unit)
    return frozenset(code for code in _CODES if asked in map(folded, names(code)))
