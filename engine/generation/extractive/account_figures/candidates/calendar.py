"""The days and quarters of a context that a question names by the day of the week, or as people count quarters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from engine.generation.extractive.account_figures.asking.questions import Question, ends_in
from engine.generation.extractive.account_figures.asking.wording import without_named_days
from engine.generation.extractive.account_figures.candidates.choosing import weekday_of
from engine.generation.extractive.account_figures.candidates.fact import Fact, Table
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.figure import Day
from engine.generation.extractive.account_figures.vocabulary import YEAR, Period, month_called, period_in, period_words
from engine.text.dates import find_dates, fold, months, weekdays
from engine.text.language import Language

_WEEK, _MONTHS = 7, 12
#: What stands before a year, and before what another is compared with.
_IN_YEAR = {Language.ENGLISH: ("in", "than"), Language.SPANISH: ("en", "que")}
#: What the month that figures are of is called, and the one before.
_CALLED = {
    Language.ENGLISH: ("this month", "last month"),
    Language.SPANISH: ("este mes", "el mes pasado"),
}
#: What says that each day of that name is meant, and what stands before one of them.
_EACH, _ARTICLES = re.compile(r"(?:every|each|los|cada|todos los)$"), re.compile(r"^(?:the|on|el|del|al)\s+")


@dataclass(frozen=True, slots=True)
class _Said:
    """A weekday as a question names it: its number, whether each of them is meant, and where it stands."""

    word: str
    number: int
    each: bool
    start: int
    end: int


def by_weekday(question: Question, tables: Sequence[Table]) -> Question:
    """A question for weekdays as one for days that the rows of a table have.

    "On Wednesday" is the latest Wednesday of the rows that is not after today; "on Wednesdays" is each of them. A
    question that says which one ("next Monday") or its date, or a context without days, is left as it is; where rows
    are called by weekdays, it is for the row of that name.
    """
    names = (row.name for table in tables for row in table.rows)
    said = _weekdays_said(fold(without_named_days(question.text, names)), question.today)
    days = {row.day.day for table in tables for row in table.rows if row.day and row.day.whole and not row.day.month}
    if len(said) == 1 and not days and (row := _called(said[0].number, tables)):
        return replace(question, day=None, days=(), row=row)
    if not said or not days:
        return question
    found: list[date] = []
    for one in said:
        of = sorted(day for day in days if day.weekday() == one.number)
        past = [day for day in of if day <= question.today]
        latest = question.today - timedelta((question.today.weekday() - one.number) % _WEEK)
        found += of if one.each and of else [past[-1] if past else of[0] if of else latest]
    if len(said) == 2 and re.fullmatch(
        ends_in(question.text, bare=True), fold(question.text)[said[0].end : said[1].start]
    ):
        found = [day for day in sorted(days) if found[0] <= day <= found[1]] or found
    named = tuple(map(Day, dict.fromkeys(found)))
    return replace(question, day=named[0], days=named, day_said=" ".join(dict.fromkeys(one.word for one in said)))


def by_month_told(text: str, language: Language, reading: Reading) -> str:
    """A question for the month that the figures are of as one for "this month", for the one before as for the last.

    It is left as it is where a figure or a row is of a month by its own name.
    """
    asked = period_in(text)
    if not reading.month or asked is None or not asked.month or len(fold(text)) != len(text):
        return text
    columns = (column for table in reading.tables for column in table.columns)
    own = any(fact.period.month == asked.month for fact in (*reading.facts, *columns)) or any(
        row.day is not None or month_called(row.name) for table in reading.tables for row in table.rows
    )
    back = (reading.month - asked.month) % _MONTHS
    if own or back > 1 or find_dates(fold(text), date(1, 1, 1)):  # a day of the month is no month
        return text
    names = "|".join(name for name, number in months().items() if number == asked.month)
    return re.sub(rf"\b(?:{names})\b", _CALLED[language][back], fold(text), count=1)


def by_year_told(text: str, language: Language, reading: Reading, today: date) -> str:
    """A question for this year or the last as one for it by its number, where figures are told by that number.

    "More than last year" compares it with this one.
    """
    period = period_in(text)
    if period is None or period.unit != "year" or not period.which:
        return text
    asked = today.year - (period.which == "previous")
    named = {int(year) for name in reading.names for year in YEAR.findall(name)}
    folded, words = fold(text), period_words(text)
    if asked not in named or words not in folded:
        return text
    in_, than = _IN_YEAR[language]
    compared = re.search(rf"\b{than} (?:(?:in|en|el) )*{re.escape(words)}", folded)
    if compared is not None and today.year in named:
        both = f"{in_} {today.year} {than} {in_} {asked}"
        return f"{folded[: compared.start()]}{both}{folded[compared.end() :]}"
    return re.sub(
        rf"(?:\b(?:in|en|of|del?|for) )?(?:\b(?:el|the) )?{re.escape(words)}", f"{in_} {asked}", folded, count=1
    )


def by_present_month(question: Question, facts: Sequence[Fact]) -> Question:
    """A question for this month as one for it by its name, where figures are told by that name."""
    period, month = question.period, question.today.month
    named = any(fact.period.month == month for fact in facts)
    present = period is not None and (period.unit, period.which) == ("month", "current")
    return replace(question, period=Period("month", "", month)) if present and named else question


def _called(number: int, tables: Sequence[Table]) -> str:
    """The one name of rows that names this day of the week, in full or in short; empty where there is none."""
    names = dict.fromkeys(row.name for table in tables for row in table.rows)
    found = [name for name in names if weekday_of(name.strip(" .")) == number]
    return found[0] if len(found) == 1 else ""


def _weekdays_said(folded: str, today: date) -> list[_Said]:
    """The weekdays that a question, folded, names by nothing but their names, in their order."""
    found: list[_Said] = []
    spans = [(one.start, one.end) for one in find_dates(folded, today)]
    plurals = [m.span() for m in re.finditer(rf"\b(?:{'|'.join(weekdays())})s\b", folded)]
    for start, end in sorted({*spans, *plurals}):
        bare = _ARTICLES.sub("", folded[start:end].strip())
        word = bare if bare in weekdays() else bare.removesuffix("s")
        if word not in weekdays():
            return []
        each = bare not in weekdays() or _EACH.search(folded[:start].rstrip()) is not None
        found.append(_Said(folded[start:end].rsplit(maxsplit=1)[-1], weekdays()[word], each, start, end))
    return found


def names_in(reading: Reading) -> list[str]:
    """The names of rows, columns and values, which may say of which quarter they are."""
    columns = (column.label for table in reading.tables for column in table.columns)
    return [*(row.name for table in reading.tables for row in table.rows), *(f.label for f in reading.facts), *columns]
