"""Which rows of a table a question names: by day, period or weekday, by their names, by what they say or hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

import numpy as np

from engine.generation.extractive.account_figures.asking.questions import (
    Question,
    differs,
    months_between,
    months_in,
)
from engine.generation.extractive.account_figures.asking.synonyms import denies, late, owes, unfinished
from engine.generation.extractive.account_figures.candidates.bounds import day_bound
from engine.generation.extractive.account_figures.candidates.fact import Row, Table
from engine.generation.extractive.account_figures.candidates.pairing import amount, is_priced
from engine.generation.extractive.account_figures.candidates.row_names import apart, bare, in_part, place_of, translated
from engine.generation.extractive.account_figures.figure import Day
from engine.generation.extractive.account_figures.ranking.forms import HOW_MANY, PLAIN
from engine.generation.extractive.account_figures.ranking.matching import Matcher, Vectors
from engine.generation.extractive.account_figures.rules.rows import in_order, stretch
from engine.generation.extractive.account_figures.vocabulary import (
    has_word_of,
    is_calendar_name,
    month_called,
    numbered_periods,
    stems_of,
    years_asked,
)
from engine.text.dates import fold, months, weekdays, weekdays_named

#: What a word of a question has to count for a row before the row is meant by it; the same for a column of yes and no.
_NAMED, _HELD = 0.5, 0.6
#: What it has to mean at least where it hardly names a thing otherwise.
_SAME = 0.85
_LETTERS = 3
#: A day of the month without its month: "on the 2nd", "el día 14".
_DAY_OF_MONTH = re.compile(
    r"\b(?:(?:on )?the (\d{1,2})(?:st|nd|rd|th)|(?:el|del) (?:dia )?(\d{1,2}))\b(?! (?:de|%|por))"
)
#: What stands before two months of which the second is compared with the first.
_BETWEEN = re.compile(r"\b(?:between|entre)\b")


@dataclass(frozen=True, eq=False)
class Choice:
    """Rows of a table that a question names.

    Attributes:
        places: Of the rows in their table.
        groups: The rows by each of several values that it names of one column: those of North, those of South.
        names: What says that they are meant.
        without: What the rows are not, by what it denies.
        lacks: It names a time that no row is of.
        state: It names them by what a column says of them: the open ones.
        held: It names them by what they have some of: those with days that are overdue.
    """

    places: tuple[int, ...]
    groups: tuple[tuple[str, tuple[int, ...]], ...] = ()
    names: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    lacks: bool = False
    timed: bool = False
    state: bool = False
    held: bool = False


def chosen(question: Question, matcher: Matcher, table: Table) -> Choice | None:
    """The rows that the question names; None where it names none."""
    places: set[int] = set(range(len(table.rows)))
    timed = _timed(question, table)
    if timed is not None and not timed:
        return Choice((), lacks=True)
    if timed is not None:
        places &= set(timed)
    names: list[str] = [*(table.rows[place].name for place in timed or ()), *filter(None, [question.day_said])]
    groups = _by_time(question, table.rows, timed or ())
    named = state = some = False
    for column, meant in _named(question, matcher, table, timed=timed is not None):
        state = state or bool(column)
        rows = {place for _, found in meant for place in found}
        if named and not places & rows and PLAIN.match(fold(question.text)):
            return None  # of a row that is named it is asked whether it is so
        if places & rows:
            places &= rows
            named = True
            names += [name for name, _ in meant]
            groups = sorted(meant, key=lambda one: place_of(one[0], question.text)) if len(meant) > 1 else groups
    for column, held in _holding(question, matcher, table):
        if places & held:
            places, named, some = places & held, True, True
            names.append(column)
    kept = sorted(places)
    ordered = [kept[at] for at in in_order([table.rows[p].day for p in kept], question.ordinal, question.today)]
    if ordered and len(ordered) < len(places):
        places, named = set(ordered), True
    if timed is None and not named:
        return None
    inside = tuple((name, tuple(p for p in found if p in places)) for name, found in groups)
    without = tuple(value for dimension in _dimensions(table).values() for value in _denied(question, dimension))
    return Choice(tuple(sorted(places)), inside, tuple(names), without, timed=timed is not None, state=state, held=some)


def _named(
    question: Question, matcher: Matcher, table: Table, *, timed: bool
) -> Iterator[tuple[str, list[tuple[str, tuple[int, ...]]]]]:
    """The rows that the question names by their names, and by what each column says, where it does."""
    for column, dimension in _dimensions(table).items():
        told_by_time = timed and all(map(is_calendar_name, dimension))
        denied = _denied(question, dimension)
        others = [(value, tuple(found)) for value, found in dimension.items() if value not in denied]
        meant = others if denied else [] if told_by_time else _meant(question, matcher, dimension, table)
        if meant := meant or (_in_state(question, dimension) if column else []):
            yield column, meant


def _timed(question: Question, table: Table) -> list[int] | None:
    """The rows of the time that the question names; None where it names none."""
    rows = table.rows
    of_quarters = [place for place, row in enumerate(rows) if row.name in question.quarters]
    asked = numbered_periods(question.text)
    numbered = [place for place, row in enumerate(rows) if asked & numbered_periods(row.name)]
    timed = of_quarters or numbered or _within(question, table) or _in_time(question, rows)
    return _in_year(question, table) if timed is None else timed


def _holding(question: Question, matcher: Matcher, table: Table) -> Iterator[tuple[str, set[int]]]:
    """The rows that hold what the question asks for, by the column that says so: yes, no, or a price that is not 0."""
    for column in dict.fromkeys(name for row in table.rows for name in row.holds):
        if (held := _held(question, matcher, column, table)) is not None:
            yield column, held
    any_of = PLAIN.match(fold(question.text)) is not None
    counts = question.days and HOW_MANY.match(fold(question.text))  # so many of a day are a number of that day
    asks = [] if counts else [state for state in (unfinished, late) if state(question.text)]
    for fact in table.columns if question.paid or any_of or asks else ():
        amounts = {p: a.value for p, figure in enumerate(fact.figures) if (a := amount(figure)) is not None}
        some = {place for place, value in amounts.items() if value}
        costing = question.paid and any(is_priced(fact, place) for place in some)
        told = (any_of and matcher.told(fact.label)) or any(state(fact.label) for state in asks)
        if costing or (told and 0 < len(some) < len(amounts)):
            yield fact.label, some


def _by_time(question: Question, rows: Sequence[Row], timed: Sequence[int]) -> list[tuple[str, tuple[int, ...]]]:
    """The rows of each of two months or weekdays that the question names, in its order; empty where it names others."""
    called = {place: _month(rows[place]) or weekday_of(rows[place].name) for place in timed}
    dated = {p: day.day for p in timed if (day := rows[p].day) is not None} if question.days else {}
    if dated:
        of = date.weekday if question.day_said else date.toordinal
        called = {place: of(day) for place, day in dated.items()}
        order = [of(day.day) for day in question.days]
    if len(question.quarters) > 1 and timed:
        by_name = {rows[p].name: (p,) for p in timed}
        return [(name, by_name[name]) for name in (question.quarters[0], question.quarters[-1]) if name in by_name]
    if between := months_between(question.text):  # from the first to the last of them
        ends = [p for month in (between[-1], between[0]) for p in timed if called[p] == month]
        return [(rows[p].name, (p,)) for p in ends] if len(ends) == 2 else []
    if len(set(called.values())) != 2:
        return []
    if not dated:
        order = list(months_in(question.text)) or [weekdays()[word] for word in _weekdays_in(question.text)]
    told = sorted(dict.fromkeys(called.values()), key=lambda one: order.index(one) if one in order else len(order))
    later_first = _BETWEEN.search(fold(question.text)) is not None and not differs(fold(question.text))
    told = told[::-1] if later_first else told
    return [(rows[places[0]].name, places) for one in told if (places := tuple(p for p in timed if called[p] == one))]


def _weekdays_in(text: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", fold(text)) if word in weekdays()]


def _dimensions(table: Table) -> dict[str, dict[str, list[int]]]:
    """The names of the rows, and the texts of each column by its label, each with the rows that have it."""
    found: dict[str, dict[str, list[int]]] = {"": {}}
    for place, row in enumerate(table.rows):
        found[""].setdefault(row.name, []).append(place)
        for column, text in row.told.items():
            found.setdefault(column, {}).setdefault(text, []).append(place)
    return found


def _in_state(question: Question, values: dict[str, list[int]]) -> list[tuple[str, tuple[int, ...]]]:
    """Those of the values of a column that say what the question asks for by another word: what is open is unpaid.

    Empty where all of them do, or none.
    """
    for asks in (unfinished, late):
        said = asks(question.text) or (asks is unfinished and owes(question.own))
        found = [value for value in values if asks(value)] if said else []
        if found and len(found) < len(values):
            return [(", ".join(found), tuple(sorted(place for value in found for place in values[value])))]
    return []


def _meant(
    question: Question, matcher: Matcher, values: dict[str, list[int]], table: Table
) -> list[tuple[str, tuple[int, ...]]]:
    """Those of the values that the question says: whole, by a word that tells them apart, or by their meaning."""
    if question.row in values:
        return [(question.row, tuple(values[question.row]))]
    folded = f" {bare(question.text)} "
    told = {value: bare(value) for value in values}
    by_country = [
        (name, tuple(places))
        for value, places in values.items()
        for name in translated(value)
        if f" {bare(name)} " in folded
    ]
    if by_country:
        return list({places: (name, places) for name, places in by_country}.values())
    whole = [v for v, words in told.items() if len(words) > 1 and f" {words} " in folded]
    if whole:
        longest = [v for v in whole if apart(told[v], folded, [told[o] for o in whole if o != v])]
        return [(value, tuple(values[value])) for value in (*longest, *in_part(told, longest, folded))]
    if len(values) < 2 and len(table.rows) > 1:
        return []
    own = stems_of(f"{table.name} {table.key}")  # "lifts" of a list of lifts says no "drag lift"
    other = np.array([not stems_of(word.folded) & own for word in matcher.words], bool)
    near = {value: np.where(other, np.maximum(matcher.letters(value), _surely(matcher, value)), 0) for value in values}
    common = np.min(list(near.values()), axis=0) if len(near) > 1 else np.zeros(len(matcher.words))
    scores = {value: float(np.where(one - common > _NAMED / 2, one, 0).max(initial=0.0)) for value, one in near.items()}
    most = max(scores.values(), default=0.0)
    if most < _NAMED:
        return []
    best = [value for value, score in scores.items() if score >= max(most - 0.05, _NAMED)]
    return [(value, tuple(values[value])) for value in best] if len(best) < len(values) else []


def _denied(question: Question, values: Iterable[str]) -> list[str]:
    """The values of a column that the question wants none of: "not closed"; empty where these are all of them."""
    every = list(values)
    denied = [value for value in every if denies(question.text, value)]
    return denied if len(denied) < len(every) else []


def _surely(matcher: Matcher, value: str) -> Vectors:
    """How surely each word of the question means a value: one that names little has to mean it all the more."""
    meant = matcher.meaning(value)
    weighed = np.where(meant >= _HELD, meant, 0) * matcher.weights
    found: Vectors = np.where(meant >= _SAME, meant, weighed)
    return found


def _held(question: Question, matcher: Matcher, column: str, table: Table) -> set[int] | None:
    told = np.maximum(matcher.meaning(column) * matcher.weights, matcher.letters(column))
    if float(told.max(initial=0.0)) < _HELD:
        denied = matcher.denied(column)
        if not denied.any():
            return None
        return {p for p, row in enumerate(table.rows) if row.holds.get(column) is False}
    wanted = not has_word_of("denying", fold(question.text))
    return {place for place, row in enumerate(table.rows) if row.holds.get(column) is wanted}


def _within(question: Question, table: Table) -> list[int] | None:
    """The rows before or after the day that a question names so; None where it names none, or rows have no days."""
    bound = day_bound(question)
    if bound is None or not any(days := _days(table)):
        return None
    return [p for p, day in enumerate(days) if day is not None and bound.holds(Fraction(day.toordinal()))]


def _in_year(question: Question, table: Table) -> list[int] | None:
    """The rows whose day is in a year that the question names; None where it names none, or rows have no days."""
    asked = set(map(int, years_asked(question.text)))
    if not asked or not any(days := _days(table)):
        return None
    return [p for p, day in enumerate(days) if day is not None and day.year in asked]


def _days(table: Table) -> list[date | None]:
    """The days of the rows: their own, or those of the only column of days."""
    own = [row.day.day if row.day is not None else None for row in table.rows]
    columns = [
        [figure.value if figure is not None and isinstance(figure.value, Day) else None for figure in one.figures]
        for one in (() if all(own) else table.columns)
    ]
    dated = [days for days in columns if any(days)]
    return own if len(dated) != 1 else [day.day if day is not None and day.whole else None for day in dated[0]]


def _in_time(question: Question, rows: Sequence[Row]) -> list[int] | None:
    """The rows of the day, weekday, month or period that the question names; None where it names none."""
    period, today = question.period, question.today
    named = weekdays_named(question.text)
    by_weekday = {place: n for place, row in enumerate(rows) if (n := weekday_of(row.name)) is not None}
    if named and by_weekday and not question.day_said:
        return [place for place, n in by_weekday.items() if n in named]
    if question.day is not None and not (question.day.day == today and period is None):
        dated = [(place, row.day) for place, row in enumerate(rows) if row.day is not None]
        found = [place for place, day in dated if any(map(day.same, question.days))]
        missed = len(question.days) == 2 and len({rows[place].day for place in found}) < 2
        return ([] if missed else found) if dated else None
    if (of_month := _DAY_OF_MONTH.search(fold(question.text))) and all(row.day for row in rows):
        return [
            place for place, row in enumerate(rows) if row.day and row.day.day.day == int(of_month[1] or of_month[2])
        ] or None
    years = set(map(int, years_asked(question.text)))
    of_months = {place: _month(row) for place, row in enumerate(rows)}
    asked = question.months or ((period.month,) if period is not None and period.month else ())
    if period is not None and period.unit == "month" and period.which and not any(row.day for row in rows):
        asked = (stretch(period, today)[0].month,)
    if asked and any(of_months.values()):
        found = [place for place, month in of_months.items() if month in asked]
        latest = {day.month: {day.year} for day in sorted(day.day for p in found for day in [rows[p].day] if day)}
        return [p for p in found if (day := rows[p].day) is None or day.day.year in (years or latest[day.day.month])]
    if period is None:
        return None
    first, end = stretch(period, today) if period.which and any(row.day for row in rows) else (today, today)
    return [p for p, r in enumerate(rows) if r.day and first <= r.day.day < end] if first < end else None


def _month(row: Row) -> int:
    """The month that a row is of, by its day, its name, or a cell that says nothing else; 0 where none says it."""
    if row.day is not None:
        return row.day.day.month
    first = months().get((fold(row.name).split() or [""])[0], 0)
    return first or next(filter(None, map(month_called, row.told.values())), 0)


def weekday_of(name: str) -> int | None:
    """The day of the week that something is called by, also in short: `Wed`; None where it is called otherwise."""
    folded = fold(name)
    return next((n for day, n in weekdays().items() if len(folded) >= _LETTERS and day.startswith(folded)), None)
