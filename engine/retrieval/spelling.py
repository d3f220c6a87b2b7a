"""Misspelt queries: names put right by the passages found for them, slips of the finger by common words.

The vectors of a query find the right passages in spite of a slip of the finger; its words do not. So the names that
stand in the first passages are what a word that none of them has may have been meant for. No list of names is kept, and
every index can be used.

Source: the idea of taking words from the first results is that of pseudo-relevance feedback (Rocchio, 1971; Xu and
Croft, SIGIR 1996). The likeness of two words is Ratcliff and Obershelp's, of the standard library's `difflib`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import Protocol

from classifier.text import unmarked
from engine.domain import Passage
from engine.retrieval.port import Retriever
from engine.text.quotation import subject_of
from engine.text.words import COMMON, folded

#: Letters that a word has at least that may be misspelt; shorter ones are near too many others.
_LETTERS = 5
#: How alike a word and a name are at least, and how much more than the word and the next name.
_ALIKE, _AHEAD = 0.84, 0.02
#: Passages whose names are read, and characters of each.
_PASSAGES, _CHARS = 8, 4_000
_WORD = re.compile(r"[^\W\d_]\w*")
#: What only a name in code has inside: a capital or a low line behind a small letter.
_INSIDE = re.compile(r"[^\W_A-Z\d][A-Z_]")


@dataclass(frozen=True, slots=True)
class Correction:
    """A query with misspelt names put right.

    Attributes:
        query: The query.
        names: What was written, and the name that it was taken for, in order.
        searches: How many it took.
        changed: It is not what was asked.
    """

    query: str
    names: tuple[tuple[str, str], ...] = ()
    searches: int = 1
    changed: bool = False


class Respelling(Protocol):
    """Takes slips of the finger back in what people write."""

    def __call__(self, text: str, language: str, knows: Callable[[str], bool], /) -> str:
        """`text` with common words of `language` in place of what is one slip away from them.

        Args:
            knows: Whether a word, folded, is right as it is.
        """
        ...


class Reader(Protocol):
    """How probably passages answer a query."""

    async def read(self, query: str, passages: Sequence[Passage], /) -> float | None:
        """A probability; None where there is nothing to read."""
        ...


class SpeltSearch:
    """Searches, and once more where what was found shows that the query is misspelt.

    Args:
        retriever: Searched in.
        answerability: Tells whether taking slips back has found more.
        respelling: None: only names are put right.
    """

    def __init__(self, retriever: Retriever, answerability: Reader, respelling: Respelling | None = None) -> None:
        self._retriever = retriever
        self._answerability = answerability
        self._respelling = respelling

    async def search(
        self, query: str, *, k: int, language: str, code_shown: bool = False
    ) -> tuple[Sequence[Passage], Correction]:
        """What is found for `query` as it was meant.

        Args:
            query: As it was written.
            k: The most passages.
            language: Of the query.
            code_shown: Code stands beside it, which has names of its own: nothing is put right.

        Raises:
            EngineError: As the retriever does.
        """
        found = await self._retriever.search(query, k=k)
        if code_shown:
            return found, Correction(query)
        if correction := corrected(query, found):
            return await self._retriever.search(correction.query, k=k), correction
        return await self._without_slips(query, found, k, language)

    async def _without_slips(
        self, query: str, found: Sequence[Passage], k: int, language: str
    ) -> tuple[Sequence[Passage], Correction]:
        """What is found without slips of the finger, where that answers more probably."""
        if self._respelling is None:
            return found, Correction(query)

        @cache
        def written() -> set[str]:  # few queries have a word that asks for it
            texts = (f"{one.heading} {one.text[:_CHARS]}" for one in found)
            return {unmarked(word.casefold()) for text in texts for word in _WORD.findall(text)}

        meant = self._respelling(query, language, lambda word: word in written())
        if meant == query:
            return found, Correction(query)
        again = await self._retriever.search(meant, k=k)
        before = await self._answerability.read(query, found) or 0.0
        if (await self._answerability.read(meant, again) or 0.0) <= before:
            return found, Correction(query, searches=2)
        return again, Correction(meant, searches=2, changed=True)


def corrected(query: str, passages: Sequence[Passage]) -> Correction | None:
    """`query` with the names that it misspells as `passages` write them.

    Args:
        query: What was searched for.
        passages: What was found, best first.

    Returns:
        None where every word is one of the passages' own, or is near to no name in them.
    """
    written = dict.fromkeys(word for word in _WORD.findall(query) if len(word) >= _LETTERS)
    known = frozenset[str]().union(*(_words(f"{one.heading}\n{one.text[:_CHARS]}") for one in passages[:_PASSAGES]))
    strange = [word for word in written if folded(word) not in known and folded(word) not in COMMON]
    if not strange:
        return None
    names: dict[str, str] = {}
    for passage in reversed(passages[:_PASSAGES]):
        names |= _names(passage.text[:_CHARS], subject_of(passage).strip())
    meant = {word: name for word in strange if (name := _nearest(folded(word), names))}
    if not meant:
        return None
    return Correction(_WORD.sub(lambda word: meant.get(word[0], word[0]), query), tuple(meant.items()), 2, changed=True)


#: Passages are found again turn by turn.
_remembered = lru_cache(maxsize=512)


@_remembered
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(folded(text)))


@_remembered
def _names(text: str, heading: str) -> dict[str, str]:
    """The names in a passage by how they are folded: a heading of one word, and what is written like a name in code.

    Not to be changed.
    """
    named = [*filter(_INSIDE.search, _WORD.findall(text)), *([heading] if _WORD.fullmatch(heading) else ())]
    return {folded(name): name for name in named}


def _nearest(word: str, names: dict[str, str]) -> str:
    """The name that a word misspells; empty where none is near, or two are.

    A slip of the finger seldom takes the first letter. A word that goes on from a heading, or stops short of it, is
    another form of it rather than a slip; a name in code has no other forms, but begins with whole words.
    """
    near = [name for name in names if name[0] == word[0] and not _other_form(word, name, names[name])]
    ranked = sorted(((SequenceMatcher(None, word, name).ratio(), name) for name in near), reverse=True)
    if not ranked or ranked[0][0] < _ALIKE or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < _AHEAD):
        return ""
    return names[ranked[0][1]]


def _in_code(name: str) -> bool:
    return _INSIDE.search(name) is not None


def _other_form(word: str, name: str, written: str) -> bool:
    """Whether `word` goes on from a name or stops short of it; by one letter that is a slip where the name is code."""
    longer, shorter = sorted((word, name), key=len, reverse=True)
    return longer.startswith(shorter) and not (_in_code(written) and len(longer) - len(shorter) == 1)
