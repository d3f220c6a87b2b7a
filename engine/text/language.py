"""English or Spanish: which of the two the engine answers a text in."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from enum import StrEnum
from functools import cache, lru_cache

from classifier.linear.language import LanguageReading, shipped_head
from engine.text.words import folded, letter_words

#: The margin from which a text alone tells its language: on left-out domains of the seed 99.7 % of 20,453 rows above
#: it are right and 75 % of the 676 below; below the lower one it is as good as a guess, and sums in figures lie there.
SURE, GUESS = 3.0, 1.5
#: Characters of a text that is remembered: passages and most messages, at most 16 MB of them.
_REMEMBERED_CHARS = 4_000


class Language(StrEnum):
    """A language that the engine speaks itself."""

    ENGLISH = "en"
    SPANISH = "es"


def read_language(text: str) -> LanguageReading:
    """What `text` is written in, of all languages, and how sure that is."""
    return _remembered(text) if len(text) <= _REMEMBERED_CHARS else shipped_head().read(text)


@lru_cache(maxsize=2048)
def _remembered(text: str) -> LanguageReading:
    """Passages are read again turn by turn, and a message by several who ask."""
    return shipped_head().read(text)


def language_of(text: str, earlier: Iterable[str] = ()) -> Language:
    """The language to answer `text` in; English for one that the engine does not speak, and for no words at all.

    Args:
        text: A message, or a passage.
        earlier: The messages before it, the latest first: where `text` says too little, such as "ok" or a name, the
            first of them that is sure decides.
    """
    first = read_language(text)
    for reading in itertools.chain((first,), map(read_language, earlier)):
        if reading.margin >= SURE:
            return _spoken(reading)
    return _spoken(first)


def language_wished(message: str) -> Language | None:
    """The language that a message names, in either: "in Spanish", "en inglés"; None where it names none, or both."""
    named = {_called().get(folded(word)) for word in letter_words(message)} - {None}
    return named.pop() if len(named) == 1 else None


@cache
def _called() -> dict[str, Language]:
    """What each language is called in each, folded, by CLDR."""
    from babel import Locale

    return {folded(str(Locale(one).languages[other])): other for one in Language for other in Language}


def spoken(decided: str, query: str) -> Language:
    """The language decided for a turn, see `Decision.language`; that of its query where nobody has decided."""
    return Language(decided) if decided else language_of(query)


def _spoken(reading: LanguageReading) -> Language:
    spanish = reading.code == Language.SPANISH and reading.margin >= GUESS
    return Language.SPANISH if spanish else Language.ENGLISH
