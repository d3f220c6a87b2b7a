"""A fact of a context: one value, or one column of a table; its tables, and these the other way round."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property, lru_cache

from engine.generation.extractive.account_figures.figure import Amount, Day, Figure
from engine.generation.extractive.account_figures.measures import LEFT, LIMIT, PLAIN, TOTAL, is_fee, is_passed_over
from engine.generation.extractive.account_figures.vocabulary import (
    Period,
    is_calendar_name,
    is_period,
    month_called,
    period_in,
    period_of_words,
    role_of,
    stems_of,
    vocabulary,
    words_without_period,
)
from engine.text.dates import fold

#: What says that something is of the last period, which may be the present one, and of the one before.
LAST, BEFORE = (
    "last|latest|ultim[oa]s?",
    "previous|prev|prior|past|anterior(?:es)?|pasad[oa]s?|previ[oa]s?|before|ago|hace|yesterday|ayer",
)
#: Days that data may be old while a question is still asked today.
_RECENT = 7
#: Periods from which the numbers of several things are a pivot table.
_PERIODS = 3


@dataclass(frozen=True, eq=False)
class Row:
    """A row of a table: what its cells say in words, by column, and what its columns of yes and no say of it."""

    name: str
    day: Day | None
    told: dict[str, str]
    holds: dict[str, bool]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows under one name.

    Attributes:
        key: What its rows are called.
        across: What its columns are called, where its rows are the periods of a pivot table.
        periods: The same pivot table with its periods as rows, where its rows are things.
    """

    name: str
    key: str
    rows: tuple[Row, ...]
    columns: tuple[Fact, ...] = ()
    family: bool = False
    across: str = ""
    periods: Table | None = None

    @property
    def of_all(self) -> str:
        """What the numbers of a pivot table are called that are of all its periods together."""
        return self.name or "total"

    @property
    def monthly(self) -> bool:
        """Whether each of its rows is a month, with its year or without."""
        return bool(self.rows) and all(row.day.month if row.day else month_called(row.name) for row in self.rows)


@dataclass(frozen=True, eq=False)
class Fact:
    """One value, or one column of a table.

    Attributes:
        leaf: The last part of its name.
        parent: The name of what it stands in.
        figures: One for a single value; one for each row of its table, in their order, None where a row has none.
        latest: "Last" says in its name that it is the present one: another one is the one before it.
        month: The month that its object says that it is of; 0 for none.
        earlier: It is of a month by its name, and another one of the same thing is not: that is of the present.
    """

    label: str
    leaf: str
    parent: str
    figures: tuple[Figure | None, ...]
    rows: tuple[Row, ...] = ()
    table: str = ""
    latest: bool = False
    month: int = 0
    earlier: bool = False

    @cached_property
    def value(self) -> object:
        """The first value."""
        return next((f.value for f in self.figures if f is not None and f.value is not None), None)

    def is_passed_over(self, which: str, today: date) -> bool:
        """Whether it is a day of the other turn by its name: see `measures.is_passed_over`."""
        return is_passed_over(self.figures[0], which, today)

    @property
    def said(self) -> bool:
        """Whether it stands in running text, where a figure may be of a time that its sentence does not say."""
        return any(figure.sentence for figure in self.figures if figure is not None)

    @cached_property
    def words(self) -> list[str]:
        """The words of its name."""
        return self.label.split()

    @cached_property
    def role(self) -> str:
        """What its name says that it is: used, a limit, left, a total; empty where it says nothing."""
        told = [role for word in self.words if (role := role_of(word)) and not self._is_fee(word, role)]
        return next((role for role in reversed(told) if role != TOTAL), told[-1] if told else PLAIN)

    @property
    def is_rest(self) -> bool:
        """Whether it says how much is left."""
        return self.role == LEFT

    def _is_fee(self, word: str, role: str) -> bool:
        """Whether a word that names a limit names money here: "cuota" is both."""
        return role == LIMIT and any(is_fee(word, figure) for figure in self.figures if figure is not None)

    @cached_property
    def period(self) -> Period:
        """The period that its name says."""
        figure = next((f for f in self.figures if f is not None), None)
        said = period_of_words(self.words)
        around = period_in(figure.sentence) if figure and figure.sentence else None
        said = said or (period_of_words(figure.path[0].split()) if figure and figure.path else None)
        return (
            said or (around if around and around.which else None) or Period("month" * bool(self.month), "", self.month)
        )

    @cached_property
    def thing(self) -> frozenset[str]:
        """The stems of what it measures, without the words for its role and its period."""
        return stems_of(" ".join(word for word in words_without_period(self.words) if not role_of(word)))

    @cached_property
    def unit(self) -> str:
        """The unit of its numbers."""
        return self.value.unit.casefold() if isinstance(self.value, Amount) else ""

    @cached_property
    def previous(self) -> bool:
        """Whether it is of an earlier period by its name."""
        return self.earlier or (not self.latest and (self.period.which == "previous" or any(map(_is_past, self.words))))


@lru_cache(4096)
def _is_past(word: str) -> bool:
    """Whether a word says that something is of the period before."""
    return re.fullmatch(f"last|{BEFORE}", fold(word)) is not None


def data_day(facts: Iterable[Fact]) -> date | None:
    """The day that the data say that they are of: "as of", "snapshot", "fecha del informe"; None where they do not."""
    days = [f.value.day for f in facts if isinstance(f.value, Day) and not f.rows and _is_data_day(f.leaf)]
    return max(days, default=None)


def present_day(facts: Sequence[Fact], today: date) -> date:
    """What "tomorrow" is counted from: today, or the day that the data are of where these are of another time."""
    told = data_day(facts)
    return told if told is not None and abs((today - told).days) > _RECENT else today


def _is_data_day(name: str) -> bool:
    words = {fold(word) for word in name.split()} - {*vocabulary()["dating"]}
    return bool(words) and words <= {*vocabulary()["data_day"]}


def transposed(table: Table) -> Table | None:
    """A table of objects the other way round: in `{"sold": {"north": 3, "south": 4}, ...}` sold is a column."""
    if table.across or _is_by_periods(table):
        return _by_things(table)
    timed = any(row.day is not None or is_calendar_name(row.name) for row in table.rows)
    told = any(column.role for column in table.columns)
    if table.key or timed or told or len(table.columns) < 2 or len(table.rows) < 2:
        return None
    cells = [figure for column in table.columns for figure in column.figures]
    if not all(figure is not None and isinstance(figure.value, Amount) and figure.path for figure in cells):
        return None
    rows = tuple(Row(column.label, None, {}, {}) for column in table.columns)
    columns = tuple(
        Fact(row.name, row.name, table.name, tuple(column.figures[at] for column in table.columns), rows, table.name)
        for at, row in enumerate(table.rows)
    )
    return Table(table.name, "", rows, columns)


def _by_things(table: Table) -> Table:
    """A pivot table the other way round: a row for each thing, a column for each period, and one for all of them."""
    held = [[figure for figure in column.figures if figure is not None] for column in table.columns]
    names = (next((name for figure in figures for name in reversed(figure.path)), "") for figures in held)
    rows = tuple(Row(name, None, {}, {}) for name in names)
    cells = {row.name: tuple(column.figures[at] for column in table.columns) for at, row in enumerate(table.rows)}
    cells[table.of_all] = tuple(_sum(figures, table.of_all) for figures in held)
    columns = tuple(
        Fact(_within(table.name, name), name, table.name, told, rows, table.name, month=month_called(name))
        for name, told in cells.items()
    )
    return Table(table.name, table.across, rows, columns, periods=table)


def _within(table: str, name: str) -> str:
    return name if name == table else f"{table} {name}".strip()


def _is_by_periods(table: Table) -> bool:
    """Whether a table has the numbers of things of one kind by periods: columns of one unit without roles.

    Columns beside a column of months may be of anything, as visits and errors are; members of one object are of a kind.
    """
    if (
        not table.name
        or any(map(is_period, table.name.split()))
        or len(table.rows) < _PERIODS
        or len(table.columns) < 2
        or not all(is_calendar_name(r.name) for r in table.rows)
    ):
        return False
    cells = [figure.value if figure else None for column in table.columns for figure in column.figures]
    alike = len({one.unit for one in cells if isinstance(one, Amount)}) == 1
    return alike and all(isinstance(one, Amount) for one in cells) and not any(c.role for c in table.columns)


def _sum(figures: Sequence[Figure], name: str) -> Figure | None:
    """The sum of numbers of one unit."""
    amounts = [figure.value for figure in figures if isinstance(figure.value, Amount)]
    if not amounts:
        return None
    return Figure((name,), amounts[0].like(sum((one.value for one in amounts), Fraction(0))))
