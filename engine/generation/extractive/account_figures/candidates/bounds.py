"""The bounds that questions name: more than a number, before a day, the first of a month, or a year."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cache

from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.figure import Amount, amounts_in
from engine.generation.extractive.account_figures.vocabulary import vocabulary
from engine.text.dates import find_dates, fold, months
from engine.text.language import Language

#: The kinds of words for a side of a number, the narrower first, and whether what they say is above it.
SIDES = (("at_least", True), ("at_most", False), ("above", True), ("below", False))


@dataclass(frozen=True)
class Bound:
    """A number that a question asks to be above or below.

    Attributes:
        inclusive: It may be that number itself.
        dated: It is a day, as its ordinal.
    """

    above: bool
    number: Fraction
    inclusive: bool = False
    dated: bool = False

    def holds(self, value: Fraction) -> bool:
        """Whether a number is on that side."""
        if value == self.number:
            return self.inclusive
        return value > self.number if self.above else value < self.number


def bound_in(question: Question) -> Bound | None:
    """The bound that a question names: "more than 10", "por debajo del 50 %"."""
    return day_bound(question) or number_bound(question.text, question.language)


def number_bound(text: str, language: Language) -> Bound | None:
    """The bound that a text names by a number."""
    said = bound_said(text, language)
    return said[0] if said is not None else None


def side_said(folded: str) -> tuple[bool, str] | None:
    """Whether a folded text wants what is above something, and the rest of its line; None where it says no side."""
    for above, words in _sides():
        if found := words.search(folded):
            return above, folded[found.end() :].partition("\n")[0]
    return None


@cache
def _sides() -> tuple[tuple[bool, re.Pattern[str]], ...]:
    return tuple((above, re.compile(rf"\b(?:{'|'.join(vocabulary()[side])})\b")) for side, above in SIDES)


def bound_said(text: str, language: Language) -> tuple[Bound, Amount, str, str] | None:
    """The bound that a text names by a number, its amount, and what stands before and behind it, folded."""
    folded = fold(text)
    if (found := _OR_MORE.search(folded)) and (amounts := amounts_in(found["number"], language)):
        bound = Bound(found["more"] is not None, amounts[0][2].value, inclusive=True)
        return bound, amounts[0][2], folded[: found.start()], f"{found['unit']} {folded[found.end() :]}"
    for side, above in SIDES:
        for words in vocabulary()[side]:
            if found := re.search(rf"\b{words}\s+(?:(?:the|el|la|los|las|del|de)\s+)*(?=[$€£]?\s?\d)", folded):
                amounts = amounts_in(folded[found.end() :], language)
                if amounts:
                    _, end, amount = amounts[0]
                    bound = Bound(above, amount.value, side.startswith("at_"))
                    return bound, amount, folded[: found.start()], folded[found.end() + end :]
    return None


#: "5 or more", "cinco o menos".
_OR_MORE = re.compile(
    r"(?P<number>\d[\d.,]*)\s?(?P<unit>[^\W\d]{0,8})\s"
    r"(?:(?P<more>or (?:more|over)|and (?:up|over)|[oy] mas)|or (?:less|fewer)|o menos)\b"
)
#: What stands before a day that others are before or after.
EARLIER, LATER = r"before|antes del?|by|until|hasta", r"after|despues del?|a partir del?|since|desde"


def day_bound(question: Question) -> Bound | None:
    """The day, or the first of the month, before or after which something has to be."""
    folded = fold(question.text)
    found = re.search(rf"\b(?:(?P<earlier>{EARLIER})|{LATER})\s+(?:(?:the|el)\s+)?(?P<rest>\S.*)", folded)
    if found is None:
        return None
    today, rest = question.today, found["rest"]
    earlier, strictly = found["earlier"] is not None, re.match("before|antes|after|despues", found[0]) is not None
    if year := re.match(r"((?:19|20)\d\d)\b(?![-/])", rest):
        end = date(int(year[1]), 1, 1) if earlier is strictly else date(int(year[1]), 12, 31)
        return Bound(not earlier, Fraction(end.toordinal()), inclusive=not strictly, dated=True)
    named = [one for ahead in (True, False) for one in find_dates(rest, today, ahead=ahead)[:1] if not one.start]
    month = months().get(rest.split()[0].strip("?.,!"), 0)
    days = [one.day for one in named] or [date(today.year + step, month, 1) for step in (-1, 0, 1) if month]
    if not days:
        return None
    day = min(days, key=lambda one: abs(one - today))
    return Bound(not earlier, Fraction(day.toordinal()), inclusive=not strictly, dated=True)
