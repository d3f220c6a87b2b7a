"""Slips of the finger taken back: a word that nobody knows, one slip away from a common one, is read as that one.

A word that differs from a common one by its last letter alone, and ends as words do, is another form of it: no list
has every plural and every person of a verb. Only slips that fingers and ears make are taken back, so that a rare word
is not read as its neighbour: letters swapped, left out or doubled, the key beside, letters that sound alike. Candidates
are found by leaving letters out.
Source: Garbe, Symmetric Delete Spelling Correction (2012).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache

from classifier.text import unmarked

#: Letters of the shortest and the longest word that is looked at.
SHORTEST, LONGEST = 4, 24
#: Letters from which on a word has so few neighbours that any one letter may be wrong, left out or too much.
FREELY = 7
#: Share of the known words that have their last two letters in common from which on those are an ending.
_ENDING = 0.01

# A word of prose: not a part of an identifier, a path, an address, a call or an option.
_WORD = re.compile(rf"(?<![\w.(/@#$\\-])[^\W\d_]{{{SHORTEST},{LONGEST}}}(?![\w(/@=\\-])")
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
#: Letters that sound alike.
ALIKE = ("bv", "sz", "cs", "cz", "ck", "kq", "gj", "yi", "mn", "jh", "ea", "ei")
_PAIRS = frozenset(
    frozenset(pair) for pair in (*ALIKE, *(row[at : at + 2] for row in _KEYS for at in range(len(row) - 1)))
)


def folded(word: str) -> str:
    """`word` in lower case and without accents, as words are kept."""
    return unmarked(word.casefold())


def prose(text: str) -> list[str]:
    """The words of `text` that are looked at, as they stand there."""
    return _WORD.findall(text)


class Spelling:
    """Common words by language, and words that are none of them but right.

    Args:
        common: By language, the words that a slip may stand for, folded, the most frequent first.
        known: Words that are left as they are, folded; the common words of every language are among them.

    Raises:
        ValueError: A language has no words.
    """

    def __init__(self, common: Mapping[str, Iterable[str]], known: Iterable[str]) -> None:
        self.common = {language: tuple(words) for language, words in common.items()}
        self.known = frozenset(known).union(*self.common.values())
        if not all(self.common.values()):
            raise ValueError("a spelling needs common words in each of its languages")
        self._rank = {language: {w: rank for rank, w in enumerate(words)} for language, words in self.common.items()}
        self.word = lru_cache(maxsize=4096)(self._word)

    @classmethod
    def from_json(cls, content: bytes) -> Spelling:
        """The spelling of a JSON document `{"version": 1, "common": {"en": "the of"}, "known": "avap"}`.

        Raises:
            ValueError, KeyError, AttributeError: It is not of that form.
        """
        try:
            document = json.loads(content)
        except RecursionError:
            raise ValueError("is nested too deeply to be read") from None
        if not isinstance(document, dict) or document.get("version") != 1:
            raise ValueError("is not a spelling of version 1")
        common = {str(language): words.split() for language, words in document["common"].items()}
        return cls(common, document["known"].split())

    def to_json(self) -> bytes:
        """The document that `from_json` reads, the same bytes for the same words."""
        common = {language: " ".join(words) for language, words in self.common.items()}
        known = " ".join(sorted(self.known.difference(*self.common.values())))
        return json.dumps({"version": 1, "common": common, "known": known}, sort_keys=True).encode()

    def mend(self, text: str, language: str, knows: Callable[[str], bool] = lambda _: False) -> str:
        """`text` with its slips taken back.

        Args:
            text: As it was typed.
            language: Whose words are meant; text in a language without words stays as it is.
            knows: Further words that are right, folded: forms of a verb are too many to list. Asked of what looks like
                a slip only.
        """
        if language not in self.common:
            return text

        def meant(found: re.Match[str]) -> str:
            word = found.group()
            mended = self.word(word, language)
            return word if mended == word or knows(folded(word)) else mended

        return _WORD.sub(meant, text)

    @cached_property
    def _rests(self) -> dict[str, dict[str, list[str]]]:
        """By language, what is left of its common words when a letter is left out, and which words those were."""
        found: dict[str, dict[str, list[str]]] = {language: {} for language in self.common}
        for language, words in self.common.items():
            for word in words:
                for rest in _shorter(word):
                    found[language].setdefault(rest, []).append(word)
        return found

    def _word(self, word: str, language: str) -> str:
        """One word, or the common one that was meant; a capital inside says that it is a name."""
        slip = folded(word)
        if slip in self.known or not (word.islower() or word.isupper() or word.istitle()):
            return word
        meant = min(self.near(slip, language), key=self._rank[language].__getitem__, default=word)
        return word if slip[-2:] in self._endings and _differ_at_the_end(slip, meant) else meant

    def near(self, word: str, language: str) -> list[str]:
        """The common words that `word`, folded, is one slip away from."""
        longer, rests = self._rests[language], _shorter(word)
        near = {rest for rest in rests if rest in self._rank[language]}
        near.update(*(longer.get(rest, ()) for rest in (word, *rests)))
        return [meant for meant in near if is_slip(word, meant)]

    @cached_property
    def _endings(self) -> frozenset[str]:
        """The last two letters of many words."""
        found = Counter(word[-2:] for word in self.known)
        return frozenset(ending for ending, words in found.items() if words >= _ENDING * len(self.known))


def is_slip(typed: str, meant: str) -> bool:
    """Whether one slip of a finger or an ear makes `typed` of `meant`."""
    shortest = min(len(typed), len(meant))
    at = next((place for place in range(shortest) if typed[place] != meant[place]), shortest)
    left_of, right_of = typed[at:], meant[at:]
    if typed == meant:
        return False
    if len(typed) == len(meant):
        swapped = left_of[:2] == right_of[1::-1] and left_of[2:] == right_of[2:]
        beside = shortest >= FREELY or frozenset((left_of[:1], right_of[:1])) in _PAIRS
        return swapped or (left_of[1:] == right_of[1:] and beside)
    if len(typed) > len(meant):
        doubled = shortest >= FREELY or typed[at : at + 1] == typed[at - 1 : at]
        return left_of[1:] == right_of and doubled
    return left_of == right_of[1:]


def _differ_at_the_end(one: str, other: str) -> bool:
    """Whether nothing but the last letter is another, or one too much."""
    shared = max(len(one), len(other)) - 1
    return one[:shared] == other[:shared]


def _shorter(word: str) -> set[str]:
    """`word` without each of its letters."""
    return {word[:at] + word[at + 1 :] for at in range(len(word))}
