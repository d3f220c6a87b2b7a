"""The words that figures are told by: roles, other names of one thing, states, orders, and stretches of time."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from engine.text.dates import fold, months, weekdays
from engine.text.words import COMMON, is_common, stem

#: What is to be reached, rather than kept under.
GOALS = ("goal", "target", "objetivo", "meta")
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
#: A year that a question is about.
_ABOUT = re.compile(
    r"\b(?:in|en|of|del?|for|during|durante|since|desde)\s+((?:19|20)\d\d)\s*(?:[?.!,]|$)", re.IGNORECASE
)
#: Letters from which a short form names a weekday.
_SHORT = 3


def years_asked(text: str) -> list[str]:
    """The years that a question is about: "in 2019?", "de 2019"."""
    found: list[str] = _ABOUT.findall(text)
    return found


@cache
def roles() -> dict[str, str]:
    """Roles by the folded words that tell them (`roles.json`)."""
    rows = json.loads((Path(__file__).parent / "roles.json").read_text("utf-8"))
    return {fold(word): role for role, words in rows.items() for word in words}


@cache
def role_of(word: str) -> str:
    """The role that a word of a path tells, in any of its forms; empty where it tells none."""
    return roles().get(fold(word)) or (_role_stems().get(stem(fold(word)), "") if len(word) > 4 else "")


@cache
def _role_stems() -> dict[str, str]:
    return {stem(word): role for word, role in roles().items() if len(word) > 3}


def stems_of(text: str) -> frozenset[str]:
    """The stems of the words that say what a text is about; "next" and "last" are told apart."""
    words = (fold(word) for word in re.findall(r"[^\W_]{2,}|\d", text))
    kept = (
        word
        for word in words
        if word not in vocabulary()["generic"] and (word not in COMMON or word.isdigit() or ordinal(word))
    )
    return frozenset(ordinal(word) or stem(word) for word in kept)


@cache
def vocabulary() -> dict[str, Any]:
    """Words that say nothing of a measure, that order its rows, and that are opposites (`words.json`)."""
    return cast("dict[str, Any]", json.loads((Path(__file__).parent / "words.json").read_text("utf-8")))


def has_word_of(kind: str, folded: str) -> bool:
    """Whether a folded text has one of the words of that kind in `vocabulary`."""
    return _pattern_of(kind).search(folded) is not None


@cache
def _pattern_of(kind: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(vocabulary()[kind])})\b")


def ordinal(word: str) -> str:
    """`first`, `last` or `next` where a folded word says which of several is meant; empty otherwise."""
    return _ordinals().get(word, "")


@cache
def _ordinals() -> dict[str, str]:
    ordinals: dict[str, Sequence[str]] = vocabulary()["ordinals"]
    return {word: which for which, words in reversed(ordinals.items()) for word in words}


def rank(word: str) -> int:
    """The place in an order that a folded word says: 2 for "second"; 1 for any other."""
    return next((int(place) for place, words in vocabulary()["ranks"].items() if word in words), 1)


def narrowing(words: Sequence[str]) -> list[str]:
    """Those of the words that tell one thing from another: not verbs of having, using and making."""
    late = vocabulary()["late"]  # "tarde" tells which, and is a form of "tardar"
    return [w for w in words if fold(w) in late or (stem(fold(w)) not in _light() and not ordinal(fold(w)))]


@cache
def _light() -> frozenset[str]:
    return frozenset(stem(fold(word)) for word in light_words())


@cache
def light_words() -> frozenset[str]:
    """Words that belong to the way of asking, folded, with the forms of regular Spanish verbs."""
    endings = "ar e é ó amos aste aron ado ada ando aba aban abamos an aria arian are aremos".split()  # noqa: SIM905
    made = (f"{verb[:-2]}{ending}" for verb in vocabulary()["light_ar"] for ending in endings)
    return frozenset((*vocabulary()["light"], *made, *roles()))


@cache
def subjects() -> list[list[str]]:
    """Things that accounts have, each by all of its names in English and Spanish (`subjects.json`)."""
    found: list[list[str]] = json.loads((Path(__file__).parent / "subjects.json").read_text("utf-8"))
    return found


#: Stretches of time and which of them is meant, each by its words as an expression.
_PERIODS: dict[str, str] = vocabulary()["periods"]
_WHICH: dict[str, str] = vocabulary()["which"]
_UNITS, _EITHER = "|".join(_PERIODS.values()), "|".join(_WHICH.values())
_RELATIVE = rf"(?:{_EITHER})\s+(?:{_UNITS})|(?:{_UNITS})\s+(?:{_EITHER})|yesterday|ayer|today|hoy"

#: "The last 7 days", and the unit that so many are.
_LAST_DAYS = re.compile(r"\b(?:last|past|ultim[oa]s?)\s*(?P<days>\d{1,3})\s*(?:days?|dias?|d)\b")

_OF_DAYS = {1: "day", 7: "week", 28: "month", 30: "month", 31: "month", 365: "year"}


@dataclass(frozen=True, slots=True)
class Period:
    """Which stretch of time a figure or a question is about.

    Attributes:
        unit: day, week, month, year or period; empty where only "last" or "this" is said.
        which: current or previous; empty where it is only counted per unit.
        month: A month by its number; 0 for none.
    """

    unit: str = ""
    which: str = ""
    month: int = 0


@lru_cache(64)  # many figures stand in one sentence
def period_in(text: str, *, strict: bool = False) -> Period | None:
    """The period that a text names: last month, this week, today, October.

    Args:
        strict: Of a path, where "last" alone counts only if it is all that a name says.
    """
    folded = fold(text)
    if days := _LAST_DAYS.search(folded):
        return Period(_OF_DAYS.get(int(days["days"]), "period"), "previous")
    for form in (r"\b(?:{which})\s+(?:{unit})\b", r"\b(?:{unit})\s+(?:{which})\b"):
        for (unit, units), (which, words) in itertools.product(_PERIODS.items(), _WHICH.items()):
            if re.search(form.format(which=words, unit=units), folded):
                return Period(unit, which)
    if near := re.search(r"\b(?:(yesterday|ayer)|today|hoy)\b", folded):
        return Period("day", "previous" if near[1] else "current")
    if strict and (alone := next((which for which, words in _WHICH.items() if re.fullmatch(words, folded)), "")):
        return Period("", alone)
    if month := _month_in(folded):
        return Period("month", "", month)
    # What is of a period by "of" alone is a thing of its own: "time of day".
    bare = r"(?<!\bof )(?<!\bde )"
    found = next((unit for unit, units in _PERIODS.items() if re.search(rf"{bare}\b(?:{units})\b", folded)), "")
    return Period(found) if strict and found not in ("", "day") else None


def _month_in(folded: str) -> int:
    """The month that a folded text names, by its number; 0 for none. "May" alone is a verb."""
    if re.search(r"\b(?:in|for|of|during|since|last|than|to|and) may\b", folded):
        return 5
    return next((months()[name] for name in _long_months() if re.search(rf"\b{name}\b", folded)), 0)


def period_words(text: str) -> str:
    """The words by which a text names a period, folded: "last month"; empty where it names none."""
    found = re.search(rf"\b(?:{_RELATIVE})\b", fold(text))
    return found[0] if found else ""


def without_periods(folded: str) -> str:
    """A folded text without the periods and months that it names."""
    article = r"(?:\b(?:the|el|la|en|in|on|for|de|del)\s+)*"
    return re.sub(rf"{article}\b(?:{_RELATIVE}|{'|'.join(_long_months())})\b", " ", folded)


@cache
def _long_months() -> tuple[str, ...]:
    """The names of months that are no short forms."""
    return tuple(name for name in months() if len(name) > 3)


@lru_cache(4096)
def is_period(word: str) -> bool:
    """Whether a word names a stretch of time."""
    return re.fullmatch(f"(?:{_UNITS}|{_EITHER})(?:e?s)?", fold(word)) is not None


@lru_cache(4096)
def is_period_unit(word: str) -> bool:
    """Whether a word is what a stretch of time is called, "week", and not which of them."""
    return re.fullmatch(_UNITS, fold(word)) is not None


def numbered_periods(text: str) -> frozenset[tuple[str, int]]:
    """The periods that a text names by their numbers, each as its unit and number: week 3, "semana 3"."""
    folded = fold(text)
    found = [*re.findall(r"\b([^\W\d_]+) (\d{1,2})\b", folded)]
    found += [("week", number) for number in re.findall(r"\b(?:wk?|s|sem)\.?(\d{1,2})\b", folded)]
    units = {word: unit for word, _ in found for unit, units in _PERIODS.items() if re.fullmatch(units, word)}
    return frozenset((units[word], int(number)) for word, number in found if word in units)


def is_calendar_name(name: str) -> bool:
    """Whether a name is that of a month, with or without its year, or of a weekday; in full or in short."""
    first, *rest = fold(name).strip(" .").split() or [""]
    if rest and not (len(rest) == 1 and rest[0].isdigit() and len(rest[0]) == 4):
        return False
    return (
        first.rstrip(".") in months()
        or re.fullmatch("[qt][1-4]|[1-4][qt]", first) is not None
        or (not rest and len(first) >= _SHORT and any(day.startswith(first) for day in weekdays()))
    )


def month_called(name: str) -> int:
    """The number of the month that is all that a name says, with its year or without; 0 where it says anything else."""
    return months().get((fold(name).strip(" .").split() or [""])[0].rstrip("."), 0) if is_calendar_name(name) else 0


def words_without_period(words: list[str]) -> list[str]:
    """Those of the words of a name that do not say of which period it is."""
    if period_of_words(words) is None:
        return words
    if found := _LAST_DAYS.search(fold(" ".join(words))):
        return fold(" ".join(words)).replace(found[0], " ").split()
    named = "|".join((_UNITS, _EITHER, *_long_months()))
    left = [word for word in words if not re.fullmatch(named, fold(word))]
    while len(left) > 1 and is_common(left[-1]):  # "consumo del periodo"
        left.pop()
    return left


def period_of_words(words: Iterable[str]) -> Period | None:
    """The period that the words of a name say."""
    return period_in(" ".join(words), strict=True)


#: Months of a stretch of time, what it is called, and the words that say that something is for it.
_STRETCHES = (
    (12, "year|ano", r"yearly|annual(?:ly)?|anual\w*|(?:the|el) (?:year|ano)"),
    (3, "quarter|trimestre", r"quarterly|trimestral\w*"),
    (1, "month|mes|mo", r"monthly|mensual\w*"),
)
_FOR_EACH = r"(?:a|an|per|each|every|whole|full|al|por|cada|todo el|un)"


def months_told(name: str) -> int:
    """The months that a name says that a price is for; 0 where it says none."""
    return _months_of(name, "")


def months_asked(text: str) -> int:
    """The months for which a question wants a price: "a year", "al mes"; 0 where it names no such stretch."""
    return _months_of(text, f"{_FOR_EACH} ")


def _months_of(text: str, before: str) -> int:
    found = (n for n, noun, other in _STRETCHES if re.search(rf"\b(?:{before}(?:{noun})|{other})\b", fold(text)))
    return next(found, 0)


def without_stretch(text: str) -> str:
    """A text, folded, without the words for the stretch of time that it wants a price for."""
    words = "|".join(f"{_FOR_EACH} (?:{noun})|{other}" for _, noun, other in _STRETCHES)
    return re.sub(rf"\b(?:{words})\b", " ", fold(text))
