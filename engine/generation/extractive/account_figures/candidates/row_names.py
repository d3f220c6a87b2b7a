"""Names of rows within a question: apart from longer ones, in part, in the other language, and where they stand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from engine.text.dates import fold, months

if TYPE_CHECKING:
    from babel import Locale


#: Words beside a name from which a message asks something of it: "and Ash?" does not.
_ASKING = 2


def bare(text: str) -> str:
    """The words of a text, folded."""
    return " ".join(re.findall(r"[^\W_]+", fold(text)))


def in_part(told: Mapping[str, str], whole: Sequence[str], text: str) -> list[str]:
    """The other names of which a text says what tells them apart: "the savings account and the current".

    Args:
        told: The names with their words, as `bare` has them.
        whole: Those that the text says in full.
        text: As `bare` has it, between spaces.
    """
    for name in whole:
        text = text.replace(f" {told[name]} ", " ")
    common = frozenset.intersection(*(frozenset(words.split()) for words in told.values()))
    own = {name: frozenset(words.split()) - common for name, words in told.items() if name not in whole}
    return [name for name, words in own.items() if words and words <= set(text.split())]


def apart(name: str, text: str, others: Sequence[str]) -> bool:
    """Whether a text says a name apart from longer ones that have it in them."""
    for other in others:
        if f" {name} " in f" {other} ":
            text = text.replace(f" {other} ", " | ")
    return f" {name} " in text


def place_of(name: str, text: str) -> int:
    """Where a text says a name, or the first word of it; behind all others where it says another one."""
    said = (fold(text).find(fold(part)) for part in (name, name.split(maxsplit=1)[0]))
    return next((at for at in said if at >= 0), len(text))


def asked_of_another(name: str, earlier: str, names: Sequence[str]) -> str:
    """An earlier question of one row as one of the row that a name is of: "the large one" of the small one.

    Rows are named by words that no other has; of months the one is told in the place of the other. Empty where either
    names no row, or several, or the earlier question does nothing else.

    Args:
        name: Words, folded.
        names: Of the rows of one table.
    """
    said, before = set(bare(name).split()), set(bare(earlier).split())
    if not said or len(fold(earlier)) != len(earlier):
        return ""
    if month := _month_moved(said, earlier):
        return month
    told = {row: frozenset(bare(row).split()) for row in names}
    rows_of = Counter(word for words in told.values() for word in words)
    own = {row: {word for word in words if rows_of[word] == 1} for row, words in told.items()}
    here = [row for row, words in told.items() if said <= words and said & own[row]]
    there = [row for row in told if own[row] & before]
    asks = len(before.difference(*(told[row] for row in there))) >= _ASKING
    if len(here) != 1 or len(there) != 1 or here == there or not asks:
        return ""
    spans = [m.span() for m in re.finditer(r"[^\W_]+", fold(earlier)) if m[0] in told[there[0]]]
    for start, end in reversed(spans):
        earlier = f"{earlier[:start]}{here[0] if (start, end) == spans[0] else ''}{earlier[end:]}"
    return " ".join(earlier.split())


def _month_moved(said: Collection[str], earlier: str) -> str:
    """The earlier question with the one month that words name in the place of the one that it names."""
    there = [m for m in re.finditer(r"[^\W\d_]{4,}", fold(earlier)) if m[0] in months()]
    if len(said) != 1 or len(there) != 1 or not set(said) <= months().keys():
        return ""
    return f"{earlier[: there[0].start()]}{next(iter(said))}{earlier[there[0].end() :]}"


def translated(name: str) -> tuple[str, ...]:
    """The names of a language or a country in English and Spanish, by either of them or, of a country, by its code.

    Empty for any other text.
    """
    if _COUNTRY.fullmatch(name):
        return tuple(filter(None, (locale.territories.get(name) for locale in _locales())))
    return _named().get(fold(name), ())


_COUNTRY = re.compile("[A-Z]{2}")


@cache
def _locales() -> tuple[Locale, ...]:
    from babel import Locale

    return tuple(map(Locale.parse, ("en", "es")))


@cache
def _named() -> dict[str, tuple[str, ...]]:
    """The names of languages and countries in both languages, by each of them."""
    english, spanish = _locales()
    found: dict[str, tuple[str, ...]] = {}
    for one, other in ((english.languages, spanish.languages), (english.territories, spanish.territories)):
        for code in one.keys() & other.keys():
            both = (one[code], other[code])
            found |= dict.fromkeys(map(fold, both), both)
    return found
