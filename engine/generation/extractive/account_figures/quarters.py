"""Quarters of a year as people write them: `Q3`, `T1 2026`, `1T`, "second quarter", "tercer trimestre de 2026"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache

from engine.generation.extractive.account_figures.asking.questions import ends_in
from engine.generation.extractive.account_figures.vocabulary import period_in, period_words, vocabulary
from engine.text.dates import fold

_QUARTERS = 4
_MONTHS = 3


@dataclass(frozen=True, slots=True)
class Quarter:
    """A quarter that a text names.

    Attributes:
        year: 0 where it says none.
        start, end: Its place in the folded text, without the year.
        until: Where its year ends, or the same as `end`.
    """

    number: int
    year: int
    start: int
    end: int
    until: int


@cache
def _ordinals() -> dict[str, int]:
    """The places of quarters by the words and forms for them, folded."""
    words = {word: int(place) for place, said in vocabulary()["ranks"].items() for word in said}
    words |= dict.fromkeys((word for word in vocabulary()["ordinals"]["first"] if word[:4] in ("firs", "prim")), 1)
    forms = {
        f"{n}{end}": n for n in range(1, 5) for end in ("st", "nd", "rd", "th", "er", "o", "a", "do", "to", "º", "°")
    }
    return {word: place for word, place in (words | forms).items() if place <= _QUARTERS}


@cache
def _pattern() -> re.Pattern[str]:
    ordinals = "|".join(sorted(map(re.escape, _ordinals()), key=len, reverse=True))
    noun = r"(?:quarters?|trimestres?|trim)\b\.?"
    forms = (
        r"\b[qt] ?(?P<a>[1-4])(?!\d)(?![a-z])",
        r"(?<!\d)(?P<b>[1-4]) ?[qt]\b",
        rf"(?<!\w)(?P<c>{ordinals})\.? {noun}",
        rf"(?<!\d)(?P<d>[1-4])\.?(?:er|o|a|º|°)? {noun}",
        r"\b(?:quarter|trimestre) (?P<e>[1-4])\b",
        rf"(?<!\w)(?P<f>{ordinals})(?= (?:and|y|to|al?) (?:the |el )?(?:{ordinals})\.? {noun})",
    )
    year = r"(?:\W{0,2}(?:(?:of|de|del|fy) ?)?(?P<y2>(?:20)?\d\d)(?!\w))?"
    return re.compile(rf"(?:(?P<y1>20\d\d)\W?)?(?P<all>{'|'.join(forms)}){year}")


def quarters_in(text: str) -> list[Quarter]:
    """The quarters that a text names, in their order."""
    found: list[Quarter] = []
    for match in _pattern().finditer(fold(text)):
        said = next(match[name] for name in "abcdef" if match[name])
        number = int(said) if said.isdecimal() else _ordinals()[said]
        year = int(match["y1"] or match["y2"] or 0)
        until = match.end() if match["y2"] else match.end("all")
        found.append(Quarter(number, year + 2000 * (0 < year < 100), match.start("all"), match.end("all"), until))
    return found


#: A name, and the part of it that says the quarter; these by the number and the year of their quarters.
Named = list[tuple[str, str]]
Known = dict[int, dict[int, Named]]


def by_quarter(text: str, names: Iterable[str], today: date) -> tuple[str, tuple[str, ...], str]:
    """A question with quarters as a context names them, the names that have these, and one that no name has.

    The question as it is where no name of the context is of a quarter. Without a year, the latest one is meant.

    Args:
        names: Of rows and figures.
    """
    of: Known = {}
    for name in names:
        for one in quarters_in(name):
            of.setdefault(one.number, {}).setdefault(one.year, []).append((name, name[one.start : one.end]))
    if relative := _relative(text, of, today):
        return relative
    asked = quarters_in(text) if of and len(fold(text)) == len(text) else []
    chosen: list[tuple[Quarter, Named]] = []
    for one in asked:
        years = of.get(one.number, {})
        told = years.get(one.year) or years.get(0) or ([] if one.year or not years else years[max(years)])
        if not told:
            return text, (), text[one.start : one.until]
        chosen.append((one, told))
    found = [name for _, told in chosen for name, _ in told]
    if len(asked) == 2 and re.fullmatch(ends_in(text, bare=True), fold(text)[asked[0].until : asked[1].start]):
        found = [found[-1], *_between(asked[0].number, asked[1].number, of)[::-1], found[0]]  # what came of the first
    for one, told in reversed(chosen):
        text = f"{text[: one.start]}{told[0][1]}{text[one.until :]}"
    return text, tuple(dict.fromkeys(found)), ""


def _between(first: int, last: int, of: Known) -> list[str]:
    """The names of the quarters between two of one year, each of the latest year that has it."""
    years = (of.get(number, {}) for number in range(first + 1, last))
    return [name for told in years if told for name, _ in told[max(told)]]


def _relative(text: str, of: Known, today: date) -> tuple[str, tuple[str, ...], str] | None:
    """The same for "the last quarter" or "this year"; None where a text names neither, or no name is of it."""
    period = period_in(text) if of else None
    if period is None or not period.which:
        return None
    if period.unit == "year":
        year = today.year - (period.which == "previous")
        names = [name for told in of.values() for name, _ in told.get(year, [])]
        return (text, tuple(names), "") if names else None
    if period.unit != "quarter" or not re.search(r"\b(?:quarter|trimestre)\b", words := period_words(text)):
        return None
    place = today.year * _QUARTERS + (today.month - 1) // _MONTHS - (period.which == "previous")
    there = of.get(place % _QUARTERS + 1, {})
    found, at = there.get(place // _QUARTERS) or there.get(0), fold(text).find(words)
    if not found:
        return None
    return f"{text[:at]}{found[0][1]}{text[at + len(words) :]}", tuple(name for name, _ in found), ""
