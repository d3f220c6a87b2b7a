"""What a number comes to at its pace: by the end of its period, or for each day of it, by the days that are gone."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction

from engine.generation.extractive.account_figures import phrases
from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.candidates.fact import Fact, data_day
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.composing import labelled, shown
from engine.generation.extractive.account_figures.figure import Amount, Day
from engine.generation.extractive.account_figures.measures import LEFT, LIMIT, USED
from engine.generation.extractive.account_figures.ranking.weighing import Answer
from engine.generation.extractive.account_figures.vocabulary import is_period, role_of, vocabulary
from engine.text.dates import fold, months
from engine.text.language import Language

#: What a question with a pace asks of the number that it is about.
_SO_FAR = {"value": 1.0}
#: Days of the longest period.
_LONGEST = 366
#: Words for one day and for several; what a number of them may be of a period.
_DAYS, _SEVERAL = frozenset(("day", "days", "dia", "dias")), frozenset(("days", "dias"))
_GONE, _WHOLE = "gone", "whole"
#: What a question asks for: what it comes to by the end of the period, or for each day.
BY_END, EACH_DAY = "by end", "each day"
_PACED = re.compile(rf"\W*\b(?:{'|'.join(vocabulary()['pace'])})\b[\s,;:]*")
_PERIODS = "|".join(["month", "cycle", "period", "year", "mes", "ciclo", "periodo", "ano", *months()])
_ENDED = re.compile(rf"\W*\b(?:{'|'.join(vocabulary()['period_end'])})\b".replace("PERIOD", f"(?:{_PERIODS})"))
_TO_COME = re.compile(rf"\b(?:{'|'.join(vocabulary()['to_come'])}|\w+(?:re|ra|remos|ran))\b")
_DAILY = re.compile(r"\W*\b(?:(?:a|an|per|each|every) day|daily|al dia|(?:por|cada) dia|diari[oa]s?)\b")
_AMOUNT = re.compile(r"\b(?:how (?:many|much)|average|mean|cuant[oa]s?|media|promedio)\b")
_WITHIN = re.compile(r"\b(?:dia|day) (?P<gone>\d{1,3}) (?:of|de) (?P<whole>\d{1,3})\b")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A period by the days of it that are gone, the present one among them, and all its days.

    Attributes:
        told: The data say how far it is gone, or what day they are of; otherwise it is the calendar's month.
    """

    gone: int
    whole: int
    told: bool


def without_pace(text: str) -> tuple[str, str]:
    """A question without the words that ask for what comes of a pace, and which of the two it asks for, or neither."""
    folded = fold(text)
    text = text if len(text) == len(folded) else folded  # places in one are places in the other
    paced, ended, daily = _PACED.search(folded), _ENDED.search(folded), _DAILY.search(folded)
    if paced is not None or (ended is not None and _TO_COME.search(folded)):
        return _without(text, [found.span() for found in (paced, ended) if found is not None]), BY_END
    if daily is not None and _AMOUNT.search(folded):
        return _without(text, [daily.span()]), EACH_DAY
    return text, ""


def as_so_far(question: Question) -> Question:
    """A question without its pace as one for what there is up to now: the pace said how it was asked."""
    return replace(question, chances={**dict.fromkeys(question.chances, 0.0), **_SO_FAR})


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return re.sub(r"\s+(?=[?!.]|$)", "", " ".join(text.split()))


def stretch_of(facts: Sequence[Fact], today: date) -> Stretch | None:
    """How far the period of an account is gone: as told in days, by its first and last day, or else by the month.

    Returns:
        None where the period is over, or has not begun, or is of unknown length.
    """
    at = data_day(facts)
    now = at or today
    month = calendar.monthrange(now.year, now.month)[1]
    gone, whole = _days_told(facts)
    if gone:
        whole = whole or (0 if at is None else month)
        return Stretch(gone, whole, told=True) if gone <= whole else None
    if (ends := _ends(facts)) is not None:
        first, last = ends
        return Stretch((now - first).days + 1, (last - first).days + 1, told=True) if first <= now <= last else None
    return Stretch(now.day, whole if whole >= now.day else month, told=at is not None)


def _days_told(facts: Sequence[Fact]) -> tuple[int, int]:
    """The days that are gone and all days, as facts or a text tell them; 0 where none does."""
    texts = (_WITHIN.search(fold(fact.value)) for fact in facts if isinstance(fact.value, str))
    if said := next(filter(None, texts), None):
        return int(said["gone"]), int(said["whole"])
    gone = next((fact for fact in facts if _says_of_days(fact) == _GONE), None)
    whole = next((_whole_days(fact) for fact in facts if _says_of_days(fact) == _WHOLE), 0)
    if gone is None:
        return 0, whole
    beside = (fact for fact in facts if gone.parent and fact.parent == gone.parent and _is_of_period(fact))
    passed = _whole_days(gone)
    return passed, whole or next((days for fact in beside if (days := _whole_days(fact)) > passed), 0)


def _says_of_days(fact: Fact) -> str:
    """Whether a number of days is that of those that are gone of a period, or of the whole period; empty otherwise."""
    words = [fold(word) for word in fact.words]
    counted = _DAYS.intersection(words)
    if not _whole_days(fact) or fact.rows or not counted or fact.role == LEFT:
        return ""
    rest = [word for word in words if word not in counted and not is_period(word) and not role_of(word)]
    passed = [word for word in rest if word in vocabulary()["elapsed"]]
    known = {*passed, *vocabulary()["dating"], *vocabulary()["of_period"]}
    if not known.issuperset(rest):
        return ""
    return _WHOLE if fact.role == LIMIT or (fact.role != USED and not passed and counted & _SEVERAL) else _GONE


def _is_of_period(fact: Fact) -> bool:
    """Whether a name says nothing but that something is of a period: "cycle of"."""
    return all(is_period(word) or word in vocabulary()["of_period"] for word in map(fold, fact.words))


def _whole_days(fact: Fact) -> int:
    value = fact.value
    fits = isinstance(value, Amount) and value.value.denominator == 1 and 0 < value.value <= _LONGEST
    return int(value.value) if fits and isinstance(value, Amount) else 0


def _ends(facts: Sequence[Fact]) -> tuple[date, date] | None:
    """The first and the last day of the period; None where no facts name both."""
    days = [(fact, fact.value.day) for fact in facts if isinstance(fact.value, Day) and not fact.rows]
    for fact, first in days:
        lasts = [day for one, day in days if one.parent == fact.parent and _is_end(one, "last_day") and day > first]
        if lasts and _is_end(fact, "first_day") and (lasts[0] - first).days < _LONGEST:
            return first, lasts[0]
    return None


def _is_end(fact: Fact, which: str) -> bool:
    """Whether a name says that a day is the first or last of a period, and of nothing else: contracts end too."""
    words = [fold(word) for word in fact.words]
    ends = [word for word in words if word in vocabulary()[which]]
    others = [word for word in words if word not in ends and word not in vocabulary()["of_period"]]
    of_period = all(is_period(word) or role_of(word) or word in vocabulary()["generic"] for word in others)
    return of_period and (bool(ends) or len(words) == 1)


def at_pace(answer: Answer, asks: str, facts: Sequence[Fact], today: date, language: Language) -> Answer | None:
    """What comes of the number that an answer says; with a word of doubt where only the calendar tells the days.

    Args:
        answer: To the question without its words for a pace.
        asks: What these ask for.

    Returns:
        None where it says no number that grows with the days of the period, or the period is not known.
    """
    stretch = stretch_of(facts, today)
    said = _said(asks, answer.of, facts, stretch, language) if answer.of is not None and stretch is not None else ""
    if stretch is None or not said:
        return None
    sure = answer.sure and stretch.told
    return replace(
        answer, text=said if sure else phrases.LIKELY[language].format(answer=said), sure=sure, likely=not sure
    )


def _said(asks: str, one: Candidate, facts: Sequence[Fact], stretch: Stretch, language: Language) -> str:
    told = _so_far(one)
    if told is None:
        return ""
    label, number = told
    if asks == EACH_DAY:
        if not stretch.told:
            return ""
        each = number.like(round(number.value / stretch.gone, 2))
        days = phrases.DAYS[language][stretch.gone != 1].format(count=stretch.gone)
        return phrases.EACH_DAY[language].format(
            label=labelled(label), each=shown(each, language), number=shown(number, language), days=days
        )
    projected = number.value * Fraction(stretch.whole, stretch.gone)
    whole = projected if number.value.denominator > 1 or number.is_money else Fraction(round(projected))
    end = number.like(round(whole, 2))
    limit = next(_limits(one, facts, number), None)
    over = "" if limit is None else _against(end, limit, language)
    return phrases.AT_PACE[language].format(
        label=labelled(label),
        end=shown(end, language),
        number=shown(number, language),
        gone=stretch.gone,
        whole=stretch.whole,
        over=over,
    )


def _against(end: Amount, limit: Amount, language: Language) -> str:
    more = end.value - limit.value
    said = phrases.PACE_OVER if more > 0 else phrases.PACE_WITHIN
    return said[language].format(difference=shown(limit.like(abs(more)), language), limit=shown(limit, language))


def _so_far(one: Candidate) -> tuple[str, Amount] | None:
    """The number that has come together up to now by what a candidate says, with its name; None for any other."""
    fact = one.facts[0] if one.facts else None
    if fact is None or fact.previous:
        return None
    if one.operation in ("left", "percent", "over", "enough", "used") and one.parts:
        (_, used), (_, limit), *_ = one.parts
        used = limit.like(limit.value - used.value) if fact.is_rest else used
        bare = " ".join(word for word in one.label.split() if not role_of(word))
        return (bare or one.label, used) if used.unit != "%" else None
    plain = one.operation in ("value", "any", "sum", "together", "cost") and fact.role not in (LIMIT, LEFT)
    if not plain or not isinstance(one.value, Amount) or one.value.unit == "%":
        return None
    return one.label, one.value


def _limits(one: Candidate, facts: Sequence[Fact], number: Amount) -> Iterator[Amount]:
    """The limit that a candidate is calculated from, or that of the same thing."""
    if one.operation in ("left", "percent", "over", "enough", "used") and one.parts:
        yield one.parts[1][1]
    for fact in facts:
        alike = fact.role == LIMIT and bool(fact.thing) and fact.thing == one.facts[0].thing
        if alike and isinstance(fact.value, Amount) and fact.value.unit == number.unit:
            yield fact.value
