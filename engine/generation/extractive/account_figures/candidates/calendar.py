"""The days and quarters of a context that a question names by the day of the week, or as people count quarters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.candidates.facts import Reading, Table
from engine.generation.extractive.account_figures.figure import Day
from engine.text.dates import find_dates, fold, weekdays

_WEEK = 7
#: What says that each day of that name is meant, and what stands before one of them.
_EACH, _ARTICLES = re.compile(r"(?:every|each|los|cada|todos los)$"), re.compile(r"^(?:the|on|el|del|al)\s+")


def by_weekday(question: Question, tables: Sequence[Table]) -> Question:
    """A question for weekdays as one for days that the rows of a table have.

    "On Wednesday" is the latest Wednesday of the rows that is not after today; "on Wednesdays" is each of them. A
    question that says which one ("next Monday") or its date, or a context without days, is left as it is.
    """
    said = _weekdays_said(question)
    days = {row.day.day for table in tables for row in table.rows if row.day and row.day.whole and not row.day.month}
    if not said or not days:
        return question
    found: list[date] = []
    for _, number, each in said:
        of = sorted(day for day in days if day.weekday() == number)
        past = [day for day in of if day <= question.today]
        latest = question.today - timedelta((question.today.weekday() - number) % _WEEK)
        found += of if each and of else [past[-1] if past else of[0] if of else latest]
    named = tuple(map(Day, dict.fromkeys(found)))
    return replace(question, day=named[0], days=named, day_said=" ".join(dict.fromkeys(word for word, _, _ in said)))


def _weekdays_said(question: Question) -> list[tuple[str, int, bool]]:
    """The weekdays that a question names by nothing but their names, with their numbers, and whether all are meant."""
    folded, today = fold(question.text), question.today
    found: list[tuple[str, int, bool]] = []
    try:
        named = find_dates(folded, today)
    except ValueError:
        return []
    spans = [(one.start, one.end) for one in named]
    plurals = [m.span() for m in re.finditer(rf"\b(?:{'|'.join(weekdays())})s\b", folded)]
    for start, end in sorted({*spans, *plurals}):
        bare = _ARTICLES.sub("", folded[start:end].strip())
        word = bare if bare in weekdays() else bare.removesuffix("s")
        if word not in weekdays():
            return []
        each = bare not in weekdays() or _EACH.search(folded[:start].rstrip()) is not None
        found.append((folded[start:end].split()[-1], weekdays()[word], each))
    return found


def names_in(reading: Reading) -> list[str]:
    """The names of rows, columns and values, which may say of which quarter they are."""
    columns = (column.label for table in reading.tables for column in table.columns)
    return [*(row.name for table in reading.tables for row in table.rows), *(f.label for f in reading.facts), *columns]
