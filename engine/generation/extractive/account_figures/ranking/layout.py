"""Rows laid out as a question wants them: in an order, or side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from fractions import Fraction

from engine.generation.extractive.account_figures import phrases
from engine.generation.extractive.account_figures.asking.questions import AVERAGE, MORE_THAN, Question, differs
from engine.generation.extractive.account_figures.asking.synonyms import same, stem_of, subjects_in
from engine.generation.extractive.account_figures.candidates.choosing import chosen
from engine.generation.extractive.account_figures.candidates.fact import Fact, Table
from engine.generation.extractive.account_figures.candidates.grouping import grouped, lists_all
from engine.generation.extractive.account_figures.candidates.pairing import is_priced
from engine.generation.extractive.account_figures.composing import labelled, shown
from engine.generation.extractive.account_figures.figure import Amount, Day
from engine.generation.extractive.account_figures.ranking.forms import ASCENDING, MONEY, ORDERED
from engine.generation.extractive.account_figures.ranking.matching import Matcher
from engine.generation.extractive.account_figures.saying import named
from engine.generation.extractive.account_figures.vocabulary import is_period
from engine.text.dates import fold

#: The text for one table; empty where its rows cannot be laid out so.
Layout = Callable[[Question, Matcher, Table], str]
#: Asks for something of each row: "calls per project", "errores por proyecto".
_OF_EACH = re.compile(r"\b(?:per|by|(?:of|for|in) (?:each|every)|por|(?:de|para|en) cada)\s(?P<row>[^\W\d_]+)\W*$")
#: How surely a word means what rows are called, for something to be asked of each of them.
_MEANT = 0.4
#: Rows that are laid out at most.
_MOST = 24


def layout(question: Question) -> Layout | None:
    """What lays the rows of a table out as the question wants them; None where it wants them neither way."""
    folded = fold(question.text)
    if ORDERED.search(folded) is not None:
        return _ordered
    if question.operation == "compare" and not (MORE_THAN.search(folded) or differs(folded)):
        return _beside
    if _OF_EACH.search(folded) is not None and AVERAGE.search(folded) is None:
        return _of_each
    return _by_group if lists_all(question) else None


def _of_each(question: Question, matcher: Matcher, table: Table) -> str:
    """What each row says in the column that the question names, which it asks for by what the rows are called."""
    of = _OF_EACH.search(fold(question.text))
    row, rows = of["row"] if of else "", f"{table.key} {table.name}"
    called = any(same(stem_of(row), stem_of(word)) for word in rows.split()) or subjects_in(row) & subjects_in(rows)
    meant = max((matcher.meant_by((row,), name) for name in (table.key, table.name) if name), default=0.0)
    if grouped_so := _by_group(question, matcher, table) if lists_all(question) else "":
        return grouped_so
    if not (called or meant >= _MEANT) or is_period(row):
        return ""
    columns = sorted(table.columns, key=lambda one: (-matcher.told(one.label), -len(one.words)))
    told = [one for one in columns if matcher.told(one.leaf) and len(_keys(one)) == len(table.rows) > 1]
    return _line(told[0], range(len(table.rows)), question) if told else ""


def _ordered(question: Question, matcher: Matcher, table: Table) -> str:
    """All rows by the column that the question says most of; the largest first, unless it wants the smallest."""
    columns = [column for column in table.columns if len(_keys(column)) == len(table.rows) > 1]
    month = question.period.month if question.period is not None else 0
    columns.sort(key=lambda one: (-matcher.told(one.label), one.period.month != month))
    column = next(iter(columns), None)
    if column is None or not matcher.told(column.label):
        return ""
    keys = _keys(column)
    places = sorted(keys, key=lambda place: keys[place], reverse=ASCENDING.search(fold(question.text)) is None)
    return _line(column, places, question)


def _by_group(question: Question, matcher: Matcher, table: Table) -> str:
    """What rows come to for each thing that the question tells them apart by; empty where it does not."""
    by = grouped(question, matcher, table, chosen(question, matcher, table))
    columns = [*by.columns] if by is not None else []
    columns.sort(key=lambda one: -matcher.told(one.label))
    money = MONEY.search(fold(question.text)) is not None
    priced = [one for one in columns if is_priced(one, 0) is money]
    told = [one for one in columns if matcher.told(one.label)] or (priced if len(priced) == 1 else columns[:1])
    return _line(told[0], range(len(told[0].rows)), question) if told else ""


def _keys(column: Fact) -> dict[int, Fraction | date]:
    """What the rows of a column of numbers of one unit, or of days, are ordered by; empty for any other."""
    values = {place: figure.value for place, figure in enumerate(column.figures) if figure is not None}
    amounts = {place: value.value for place, value in values.items() if isinstance(value, Amount)}
    if len({value.unit for value in values.values() if isinstance(value, Amount)}) == 1 and len(amounts) == len(values):
        return {**amounts}
    days = {place: value.day for place, value in values.items() if isinstance(value, Day)}
    return {**days} if len(days) == len(values) else {}


def _beside(question: Question, matcher: Matcher, table: Table) -> str:
    """All columns of the rows that the question compares, where it does not say of which; empty otherwise."""
    choice = chosen(question, matcher, table)
    lines = list(_lines(question, table, choice.places)) if choice is not None and len(choice.groups) > 1 else []
    told = any(matcher.told(column.label) for column in table.columns) or (choice is not None and choice.timed)
    return " ".join(lines) if len(lines) > 1 and not told and not table.family else ""


def _lines(question: Question, table: Table, places: Sequence[int]) -> Iterator[str]:
    for column in table.columns:
        if all(column.figures[place] is not None for place in places):
            yield _line(column, places, question)


def _line(column: Fact, places: Sequence[int], question: Question) -> str:
    """What rows say in one column, in this order."""
    language = question.language
    told = [
        f"{named(column.rows[place], language)} {shown(figure.value, language)}"
        for place in places[:_MOST]
        if (figure := column.figures[place]) is not None
    ]
    more = " …" if len(places) > _MOST else ""
    return phrases.VALUE[language].format(label=labelled(column.label), value=f"{'; '.join(told)}{more}")
