"""Names of rows within a question: apart from longer ones, in part, in the other language, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from engine.text.dates import fold

if TYPE_CHECKING:
    from babel import Locale


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
