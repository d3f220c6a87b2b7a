"""Misspelt names in a query: put right by the names that the passages found for it write.

The vectors of a query find the right passages in spite of a slip of the finger; its words do not. So the names that
stand in the first passages are what a word that none of them has may have been meant for. No list of names is kept, and
every index can be used.

Source: the idea of taking words from the first results is that of pseudo-relevance feedback (Rocchio, 1971; Xu and
Croft, SIGIR 1996). The likeness of two words is Ratcliff and Obershelp's, of the standard library's `difflib`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from engine.domain import Passage
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
    """

    query: str
    names: tuple[tuple[str, str], ...] = ()


def corrected(query: str, passages: Sequence[Passage]) -> Correction | None:
    """`query` with the names that it misspells as `passages` write them.

    Args:
        query: What was searched for.
        passages: What was found, best first.

    Returns:
        None where every word is one of the passages' own, or is near to no name in them.
    """
    written = dict.fromkeys(word for word in _WORD.findall(query) if len(word) >= _LETTERS)
    read = [f"{passage.heading}\n{passage.text[:_CHARS]}" for passage in passages[:_PASSAGES]]
    known = set(_WORD.findall(folded("\n".join(read))))
    strange = [word for word in written if folded(word) not in known and folded(word) not in COMMON]
    if not strange:
        return None
    names = {folded(name): name for passage in reversed(passages[:_PASSAGES]) for name in _names(passage)}
    meant = {word: name for word in strange if (name := _nearest(folded(word), names))}
    if not meant:
        return None
    return Correction(_WORD.sub(lambda word: meant.get(word[0], word[0]), query), tuple(meant.items()))


def _names(passage: Passage) -> Iterable[str]:
    """The names in a passage: a heading of one word, and what is written like a name in code."""
    heading = passage.heading.split(" > ")[-1].strip()
    yield from filter(_in_code, _WORD.findall(passage.text[:_CHARS]))
    if _WORD.fullmatch(heading):
        yield heading


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
