"""Which rows of a list or table a question names: by day, month or period, by name, by what they say, by order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.asking.synonyms import denies, uncovered
from engine.generation.extractive.account_figures.composing import month_of
from engine.generation.extractive.account_figures.figure import Amount, Day
from engine.generation.extractive.account_figures.measures import Entry, Measure
from engine.generation.extractive.account_figures.vocabulary import Period, narrowing, stems_of
from engine.text.dates import fold


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The rows of a measure that a question names.

    Attributes:
        by: It names some; all rows are meant otherwise.
        called: It does so by what they are called or say.
        lacks: The day, month or period that it names and no row has.
        names: What the rows are called, with what else they say: words that are answered by having chosen them.
    """

    rows: tuple[Entry, ...]
    by: bool = False
    called: bool = False
    lacks: bool = False
    names: str = ""


def narrowed(question: Question, measure: Measure, told: Callable[[Entry], str]) -> Narrowed:
    """The rows that `question` names: by day, month or period, by name, by what they say, by their order.

    Args:
        told: What else the context says of a row, as words.
    """
    every = list(measure.rows) or [entry for entry in measure.entries if entry.figure.day is not None]
    rows = every
    if question.paid:
        rows = [
            e for e in every if not isinstance(price := e.figure.value, Amount) or price.value or not price.is_money
        ]
    timed = _in_time(question, rows)
    if timed is not None and not timed:
        return Narrowed((), lacks=True, names=" ".join(e.figure.row for e in rows if not e.figure.day))
    kept = timed if timed is not None else rows
    open_words = narrowing(uncovered(question.topic, measure.label, within=question.text))
    named = _named_rows(question, kept, open_words, told)
    chosen = named or kept
    if which := question.ordinal if question.ordinal not in measure.stems else "":
        places = in_order([entry.figure.day for entry in chosen], which, question.today)
        chosen = [chosen[place] for place in places] or chosen
    by = timed is not None or bool(named) or len(chosen) < len(every)
    names = " ".join(f"{entry.figure.row} {told(entry)}" for entry in chosen) if by else ""
    return Narrowed(tuple(chosen), by, bool(named), names=names)


def _in_time(question: Question, rows: Sequence[Entry]) -> list[Entry] | None:
    """The rows of the day, month or period that the question names; None where it names none."""
    period, today = question.period, question.today
    if found := [e for e in rows if e.figure.row in question.quarters]:
        return found
    if question.day is not None and not (question.day.day == today and period is None):
        return [e for e in rows if e.figure.day is not None and any(map(e.figure.day.same, question.days))]
    if period is None:
        return None
    if period.month:
        found = [e for e in rows if month_of(e) in (question.months or (period.month,))]
        latest = {day.month: day.year for day in sorted(e.figure.day.day for e in found if e.figure.day)}
        return [e for e in found if e.figure.day is None or e.figure.day.day.year == latest[month_of(e)]]
    if not period.which or not any(e.figure.day for e in rows):
        return None
    first, end = stretch(period, today)
    return [e for e in rows if e.figure.day and first <= e.figure.day.day < end] if first < end else None


def stretch(period: Period, today: date) -> tuple[date, date]:
    """The first day of a period and the first one behind it; the same day twice where the unit has no calendar."""
    back = period.which == "previous"
    if period.unit == "day":
        return today - timedelta(back), today + timedelta(not back)
    if period.unit == "week":
        monday = today - timedelta(today.weekday() + 7 * back)
        return monday, monday + timedelta(7)
    if period.unit == "month":
        first = today.replace(day=1)
        following = (first + timedelta(32)).replace(day=1)
        return ((first - timedelta(1)).replace(day=1), first) if back else (first, following)
    if period.unit == "year":
        return date(today.year - back, 1, 1), date(today.year + 1 - back, 1, 1)
    return today, today


def _named_rows(
    question: Question, rows: Sequence[Entry], words: Sequence[str], told: Callable[[Entry], str]
) -> list[Entry]:
    """The rows that the question calls by name, or by most of the words that the measure's name leaves open."""
    if held := [e for e in rows if e.figure.row == question.row != ""]:
        return held
    folded = fold(question.text)
    if (denied := [e for e in rows if denies(question.text, told(e))]) and len(denied) < len(rows):
        return [e for e in rows if e not in denied]
    whole = [
        e for e in rows if len(e.figure.row) > 1 and re.search(rf"(?<!\w){re.escape(fold(e.figure.row))}(?!\w)", folded)
    ]
    if not whole:  # what a row says, even where it is a word for using: "occupied"
        stems = stems_of(question.text)
        whole = [e for e in rows if stems_of(told(e)) & stems]
    if whole or not words:
        return whole
    said = [len(words) - len(uncovered(" ".join(words), e.figure.row, told(e))) for e in rows]
    most = max(said, default=0)
    return [e for e, count in zip(rows, said, strict=True) if count == most] if most else []


def in_order(days: Sequence[Day | None], which: str, today: date) -> list[int]:
    """The places of the first, last or next of days; an empty list where one is missing, or none is asked for."""
    dated = sorted({one.day for one in days if one is not None})
    if not which or not dated or None in days:
        return []
    if which == "next":
        chosen = next((day for day in dated if day > today), None)
    else:
        chosen = dated[0] if which == "first" else next((day for day in dated[::-1] if day <= today), dated[-1])
    return [place for place, one in enumerate(days) if one is not None and one.day == chosen]
