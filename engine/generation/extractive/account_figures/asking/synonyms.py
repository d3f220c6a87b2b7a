"""Words that are forms of one word, other names of one thing, and states with their opposites."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from engine.generation.extractive.account_figures.vocabulary import subjects, vocabulary
from engine.text.dates import fold
from engine.text.words import letter_words, plain_words, stem

#: Characters of a text of which something is remembered: a name or a sentence, and not all that a request says.
_REMEMBERED_CHARS = 1_000


@cache
def names_called() -> list[list[frozenset[str]]]:
    """The stems of each name of each subject."""
    return [[stems for name in names if (stems := _plain_stems(name))] for names in subjects()]


@lru_cache(16384)
def stem_of(word: str) -> str:
    """The stem of a word as it is written."""
    return stem(fold(word))


@lru_cache(4096)
def _plain_stems(name: str) -> frozenset[str]:
    return frozenset(stem_of(word) for word in name.split())


@cache
def _known_stems() -> frozenset[str]:
    return frozenset(one for names in names_called() for stems in names for one in stems)


def subjects_in(text: str) -> frozenset[int]:
    """The subjects that a text names, by any of their names; a longer name hides the shorter ones in it."""
    return _remembered_subjects(text) if len(text) <= _REMEMBERED_CHARS else _subjects_named(text)


@lru_cache(16384)
def _remembered_subjects(text: str) -> frozenset[int]:
    return _subjects_named(text)


def _subjects_named(text: str) -> frozenset[int]:
    return _subjects_of(frozenset(stem_of(word) for word in letter_words(text)) & _known_stems())


@lru_cache(16384)
def _subjects_of(words: frozenset[str]) -> frozenset[int]:
    found = [(place, stems) for place, names in enumerate(names_called()) for stems in names if stems <= words]
    return frozenset(place for place, stems in found if not any(stems < other for _, other in found))


#: Letters in which the stems of two forms of one word are alike at least (`same`), unless they are equal.
_BEGINNING = 4


@lru_cache(65536)
def same(one: str, other: str) -> bool:
    """Whether two folded stems are forms of one word: equal, or alike for most of their length."""
    short, long = sorted((one, other), key=len)
    if short == long or (len(short) >= 4 and long.startswith(short)):
        return True
    alike = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return (alike >= 5 and alike >= 0.55 * len(long) and len(long) - alike <= 5) or (alike == 4 and len(long) <= 6)


@lru_cache(4096)
def opposite(word: str) -> tuple[list[str], list[str]]:
    """The words that say the same state as `word`, and those that say its opposite; empty where none is known."""
    for one, other in vocabulary()["opposites"]:
        for side, against in ((one, other), (other, one)):
            if any(same(stem_of(word), stem_of(known)) for known in side):
                return list(side), list(against)
    return [], []


@lru_cache(4096)
def opposite_stems(word: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of `opposite`."""
    one, other = opposite(word)
    return frozenset(stem_of(known) for known in one), frozenset(stem_of(known) for known in other)


@cache
def _done() -> tuple[frozenset[str], frozenset[str]]:
    """The stems of the states in which something is not done yet, and of those in which it is."""
    sides = [opposite_stems(word) for word in vocabulary()["unfinished"]]
    return frozenset().union(*(side for side, _ in sides)), frozenset().union(*(against for _, against in sides))


#: Letters of a stem from which another form of a word for a state is one too: "impagado", and not "vence".
_LONG = 6
#: "Left to pay", "por pagar": what is still to be done.
_TO_DO = re.compile(r"\b(?:por|(?:left|still|yet|remains?) to(?: be)?)\s+([^\W\d_]+)")


@lru_cache(4096)
def unfinished(text: str) -> bool:
    """Whether a text speaks of what is not done yet: "open", "pending", "left to pay", what somebody owes."""
    undone, done = _done()
    stems = {stem_of(word) for word in letter_words(text)}
    to_do = [stem_of(word) for word in (*_TO_DO.findall(fold(text)), *_DENYING.findall(fold(text)))]
    said = stems & undone or any(same(one, known) for one in stems for known in undone if len(one) >= _LONG)
    return bool(said) or owes(text) or any(same(one, known) for one in to_do for known in done)


def is_state(text: str) -> bool:
    """Whether a text is a word for a state, which several things may be in: "open", "paid"."""
    return unfinished(text) or bool(opposite(text)[0])


def owes(text: str) -> bool:
    """Whether a text speaks of money that somebody owes."""
    return bool(subjects_in(text) & subjects_in("owe debo"))


@lru_cache(4096)
def late(text: str) -> bool:
    """Whether a text speaks of what is late."""
    known = {stem_of(word) for word in vocabulary()["late"]}
    spoken = subjects_in(text) & subjects_in(vocabulary()["late"][0])
    return bool(spoken) or any(stem_of(word) in known for word in letter_words(text))


#: "Without", "not", with a short word behind it: "not yet".
_DENYING = re.compile(rf"\b(?:{'|'.join(vocabulary()['denying'])})\s+(?:[^\W\d_]{{1,4}}\s+)?([^\W\d_]+)")


def denies(text: str, state: str) -> bool:
    """Whether a text asks for what is not in a state: "not closed", "sin pagar", "unpaid"."""
    denied = _denied_in(text)
    return bool(denied) and any(same(one, stem_of(word)) for word in letter_words(state) for one in denied)


@lru_cache(256)
def _denied_in(text: str) -> tuple[str, ...]:
    """The stems of the words that a text denies."""
    behind = [stem_of(word) for word in _DENYING.findall(fold(text))]
    return (*behind, *(stem_of(word[2:]) for word in re.findall(r"\bun[^\W\d_]{3,}", fold(text))))


def uncovered(text: str, *names: str, within: str = "") -> list[str]:
    """The words of `text` that none of the names says, in order, in either language.

    Args:
        within: The question that the words are taken from: some things have names of several words.
    """
    named = " ".join(names)
    stems = _remembered_stems(named) if len(named) <= _REMEMBERED_CHARS else _by_beginning(named)
    shared = subjects_in(within or text) & subjects_in(named)
    alike = {one for place in shared for called in names_called()[place] for one in called}
    return [
        word
        for word in plain_words(text)
        if (own := stem_of(word)) not in alike and not any(same(own, one) for one in stems.get(own[:_BEGINNING], ()))
    ]


@lru_cache(256)
def _remembered_stems(text: str) -> Mapping[str, frozenset[str]]:
    return _by_beginning(text)


def _by_beginning(text: str) -> Mapping[str, frozenset[str]]:
    """The stems of the words of a text by their first letters, which two forms of one word have in common."""
    found: dict[str, set[str]] = {}
    for word in dict.fromkeys(plain_words(text)):
        found.setdefault(stem_of(word)[:_BEGINNING], set()).add(stem_of(word))
    return {beginning: frozenset(stems) for beginning, stems in found.items()}
