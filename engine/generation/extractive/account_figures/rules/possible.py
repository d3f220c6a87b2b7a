"""Which measures of an account a question may be about: by the kind of value it asks for, its time, and its form."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.asking.synonyms import subjects_in, uncovered
from engine.generation.extractive.account_figures.calculation import in_period, two_periods
from engine.generation.extractive.account_figures.composing import Account, feasible
from engine.generation.extractive.account_figures.figure import Amount, Day, Figure, is_price
from engine.generation.extractive.account_figures.measures import USAGE, Entry, Measure
from engine.generation.extractive.account_figures.rules.rows import Narrowed, narrowed
from engine.generation.extractive.account_figures.vocabulary import Period, month_called, narrowing, stems_of
from engine.text.dates import fold

_HOW_MANY = re.compile(r"\W*(?:and |y )?(?:de |a |en |for )?(?:how (?:many|much)|cuant[oa]s?)\b")
HOW_OFTEN = re.compile(r"\W*(?:and |y )?(?:how many|cuant[oa]s)\b")
#: Words that ask for money.
_MONEY = r"\b(?:cost|costs|price|pay|paid|spen[dt]|cuestan?|precio|pag(?:o|a[rs]?|amos|aron|ado|ue|ué))\b"
COSTS = re.compile(_MONEY)
_PRICE = re.compile(
    r"\bhow much (?:is|are|was|were|does|do|did)\b|\bcuanto (?:es|fue|son|fueron|sera)\b|"
    rf"\b(?:vale|gast\w+|expensive|cheap\w*|cost\w*|car[oa]s?|barat[oa]s?|money|dinero|plata|price|bill\w*)\b|{_MONEY}"
)
_WHEN = re.compile(r"\W*(?:and |y )?(?:until |hasta |desde |since )?(?:when|cuando)\b")
#: Periods that a figure without one is not of.
_SHORT = ("day", "week", "year")
OVER_ALL = ("highest", "lowest", "average", "compare", "list")
_NUMBERS = ("left", "limit", "percent", "over", "compare", "sum", "average", "highest", "lowest")


def candidates(question: Question, operations: Sequence[str], account: Account) -> list[Measure]:
    """The measures that the question may be about: of the kind that it asks for, and able where it names none."""
    every = [m for m in account.measures if "limit" in operations or m.label != USAGE or len(m.entries) > 1]
    every = every or list(account.measures)
    kinds = [m for m in every if _is_of(_kind(question, operations), m) or counts(question, m.rows)] or every
    if HOW_OFTEN.match(fold(question.text)):
        kinds = [m for m in kinds if not is_priced(m) or counts(question, m.rows)] or kinds
    timed = names_time(question) and operations[0] != "compare"
    kinds = _that(kinds, lambda m: bool(question.months) and by_months(m), question)
    kinds = _that(kinds, lambda m: timed and in_time(question, m, account), question)
    kinds = _that(kinds, lambda m: operations[0] == "compare" and two_periods(m) is not None, question)
    kinds = _that(kinds, lambda m: operations[0] in OVER_ALL and feasible(operations[0], m, account), question)
    if listed := [m for m in kinds if question.day is None and m.rows and narrowed_in(question, m, account).called]:
        return listed
    if asks_price(question) and (
        priced := [
            m for m in kinds if is_priced(m) and (named(question.text, m) or not narrowing(question.topic.split()))
        ]
    ):
        return priced
    if any(named(question.text, measure) for measure in kinds) or question.words:
        return kinds
    return [m for m in kinds if any(feasible(operation, m, account) for operation in operations[:1])] or kinds


def _that(measures: list[Measure], holds: Callable[[Measure], bool], question: Question) -> list[Measure]:
    """Those of the measures for which that holds, if one is named or nothing is; else all of them."""
    found = [measure for measure in measures if holds(measure)]
    return found if found and (not question.words or any(named(question.text, m) for m in found)) else measures


def _kind(question: Question, operations: Sequence[str]) -> tuple[type, ...]:
    """The kinds of value that answer the question."""
    if _HOW_MANY.match(fold(question.text)):
        return (Amount,)
    if operations[0] == "date" and (len(operations) == 1 or _WHEN.match(fold(question.text))):
        return (Day,)
    if operations[0] in _NUMBERS and len(operations) == 1:
        return (Amount,)
    if operations == ["flag"]:
        return (bool, str)
    return (Amount, bool, str, *((Day,) if "date" in operations else ()))


def asks_price(question: Question) -> bool:
    """Whether the question has a word for money, or is of the form that asks for a price."""
    return _PRICE.search(fold(question.text)) is not None


def is_priced(measure: Measure) -> bool:
    """Whether a measure is an amount of money."""
    value = measure.entries[0].figure.value
    return isinstance(value, Amount) and value.is_money


def _is_of(kinds: tuple[type, ...], measure: Measure) -> bool:
    values = [entry.figure.value for entry in measure.entries]
    return any(value is None or isinstance(value, kinds) for value in values)


def named(text: str, measure: Measure) -> bool:
    """Whether a text says a word of the measure's name, or another name of the same thing."""
    return bool(stems_of(text) & measure.stems or subjects_in(text) & subjects_in(measure.label))


def counts(question: Question, rows: Sequence[Entry]) -> bool:
    """Whether a question asks how many rows there are: it says the name of the list, and not what the figures are."""
    figure, topic = rows[0].figure if rows else Figure((), None), question.topic
    if not figure.listed or not topic or HOW_OFTEN.match(fold(question.text)) is None:
        return False
    if not figure.row_key and month_called(figure.row):
        return False
    inside = figure.path[: len(figure.listed)] == figure.listed
    leaf = " ".join(figure.path[len(figure.listed) :] if inside else figure.path)
    words = len(topic.split())
    names_list = len(uncovered(topic, figure.listed[-1])) < words
    other = not isinstance(figure.value, Amount) or figure.value.is_money or is_price(figure) or bool(stems_of(leaf))
    return names_list and bool(leaf) and other and len(uncovered(topic, leaf)) == words


def narrowed_in(question: Question, measure: Measure, account: Account) -> Narrowed:
    """The rows of a measure that the question names."""
    if question.period is not None and question.period.which and of_period(measure, question.period):
        question = replace(question, period=None, day=None)  # the figure of the period itself, not those of its days
    return narrowed(question, measure, account.told)


def of_period(measure: Measure, period: Period) -> bool:
    """Whether a measure's figures, or each of its rows, are of that period by their names."""
    named = [e for e in measure.rows if (e.period.unit, e.period.which) == (period.unit, period.which)]
    return bool(named or in_period(measure, period))


def by_months(measure: Measure) -> bool:
    """Whether the rows of a measure are months."""
    days = [entry.figure.day for entry in measure.rows]
    return bool(days) and all(day is not None and day.month for day in days)


def words_of(measure: Measure) -> str:
    """What a measure is told by: its name, its units, what it says, and the names of its lists."""
    values = [entry.figure.value for entry in measure.entries]
    told = (v.unit if isinstance(v, Amount) else v if isinstance(v, str) else "" for v in values)
    paths = (" ".join((*e.figure.path, *(e.figure.listed or ())[-1:], e.figure.row_key)) for e in measure.entries)
    price = "price" if is_priced(measure) else ""
    return " ".join(dict.fromkeys([measure.label, price, *told, *paths]))


def told_by(question: Question, measure: Measure, account: Account) -> str:
    """What a measure is told by, with the rows of it that the question names."""
    return f"{words_of(measure)} {narrowed_in(question, measure, account).names}"


def names_time(question: Question) -> bool:
    """Whether a question names a day or a period that a figure has to be of."""
    if question.period is None:
        return question.day is not None and question.day.day != question.today
    return bool(question.period.month) or question.period.which == "previous" or question.period.unit in _SHORT


def in_time(question: Question, measure: Measure, account: Account) -> bool:
    """Whether the measure has a figure of that time."""
    if any(isinstance(entry.figure.value, Day) for entry in measure.entries):
        return True
    if question.period is not None and not in_period(measure, question.period) and of_period(measure, question.period):
        return True
    if question.period is not None and (found := in_period(measure, question.period)):
        told = question.period.unit not in _SHORT or question.period.which != "current"
        return told or any(entry.period.which for entry in found)
    narrow = narrowed_in(question, measure, account)
    return narrow.by and not narrow.lacks
