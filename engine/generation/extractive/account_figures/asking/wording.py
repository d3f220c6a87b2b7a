"""What a question says otherwise than its context, or otherwise than it means it.

Misspelt words for what is used or left, names with ordinals, and names with a day of the week.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from engine.generation.extractive.account_figures.asking.synonyms import subjects_in
from engine.generation.extractive.account_figures.vocabulary import light_words, roles
from engine.text.dates import fold, weekdays_named
from engine.text.words import COMMON, letter_words

#: Share of letters from which a word is a misspelling of another, and the letters that it has to have.
_SPELT, _LETTERS = 0.84, 5

#: The sign of an ordinal, which a hurried question leaves out.
_ORDINAL = re.compile(r"(?<=\d)[ºª]")


def respelt(text: str, names: Iterable[str] = ()) -> str:
    """A text with misspelt words for what is used, allowed or left as they are spelt, and names as they are written.

    Args:
        names: What a context calls things: a word of these is none that is misspelt.
    """
    names = list(names)
    text = _as_named(text, names)
    known = COMMON | light_words() | {fold(word) for name in names for word in letter_words(name)}
    words = {word for word in letter_words(text) if fold(word) not in known}
    meant = {word: right for word in words if not subjects_in(word) and (right := _spelt(word, sorted(roles())))}
    for word, right in meant.items():
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", right, text)
    return text


def without_named_days(text: str, names: Iterable[str]) -> str:
    """A text with blanks for the names in it that have a day of the week behind another word: "Black Friday".

    Args:
        names: What a context calls things.
    """
    folded = fold(text)
    for name in names if weekdays_named(text) else ():
        words = name.split()
        called = len(words) > 1 and all(map(str.isalpha, words)) and fold(name) in folded
        if called and weekdays_named(name) and not weekdays_named(words[0]):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " " * len(name), text, flags=re.IGNORECASE)
    return text


def _as_named(text: str, names: Sequence[str]) -> str:
    """A text with names that have an ordinal as they are written: "3 eso a" of "3º ESO A"."""
    folded = fold(text)
    for name in names:
        parts = _ORDINAL.split(name)
        if len(parts) > 1 and all(fold(part) in folded for part in parts):  # a context may have thousands of them
            said = "[ºª.]?".join(map(re.escape, parts))
            text = re.sub(rf"(?<!\w){said}(?!\w)", name.replace("\\", r"\\"), text, flags=re.IGNORECASE)
    return text


def _spelt(word: str, names: Sequence[str]) -> str:
    """The name that a word misspells; empty where it misspells none."""
    alike = difflib.get_close_matches(word.casefold(), names, 1, _SPELT) if len(word) >= _LETTERS else []
    return alike[0] if alike else ""
