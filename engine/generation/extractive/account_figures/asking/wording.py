"""A question in the words of its context: what the context calls otherwise takes its name from there.

A word of the question that no name of the context has takes the place of the one that means the same, in either
language, or that it is a misspelling of. One that only belongs to the way of asking is left out. What remains names
something that the context does not have.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from classifier.decision import Embedder
from engine.generation.extractive.account_figures.asking.heads import FigureHeads, similarities
from engine.generation.extractive.account_figures.asking.questions import about, topic_of
from engine.generation.extractive.account_figures.asking.synonyms import opposite, subjects_in, uncovered
from engine.generation.extractive.account_figures.composing import Account
from engine.generation.extractive.account_figures.figure import Amount
from engine.generation.extractive.account_figures.vocabulary import light_words, narrowing, roles
from engine.text.dates import fold
from engine.text.language import Language, language_of
from engine.text.words import COMMON

#: Similarity from which a word means the same as one of another language, and as one of its own: what is merely of the
#: same kind (two trades, two vehicles) is nearer there.
_SAME, _SAME_LANGUAGE = 0.36, 0.6
#: Share of letters from which a word is a misspelling of another, and the letters that it has to have.
_SPELT, _LETTERS = 0.84, 5
#: A verb by its place in the sentence: behind a pronoun or an auxiliary.
_DONE = re.compile(
    r"\b(?:(?:i|we|you|they|he|she)(?: (?:still|already|ever|just|not))?|he|has|ha|hemos|han|to|que|"
    r"puedo|podemos|puede) ([^\W\d_]+)",
    re.IGNORECASE,
)
#: What stands there belongs to the asking, unless it more probably names a thing.
_VERB = 0.5
#: A word that less probably names a thing belongs to the way of asking.
_THING = 0.03
#: Words of a value that a question may mean by other words.
_WORDS = 2
#: Names of a context that are compared with; rows of long lists are found by their letters alone.
_MOST = 400


def names_of(account: Account) -> list[str]:
    """What the context calls things: names, each word of them, units, and what its rows say."""
    found: dict[str, None] = {}
    for measure in account.measures:
        first = measure.entries[0]
        unit = first.figure.value.unit if isinstance(first.figure.value, Amount) else ""
        for name in (measure.label, unit, first.figure.row_key, *(first.figure.listed or ())[-1:]):
            found |= dict.fromkeys([name, *name.split()])
        for entry in measure.entries:
            if isinstance(entry.figure.value, str) and len(entry.figure.value.split()) <= _WORDS:
                found[entry.figure.value] = None
    kept = (name for name in found if len(name) > 1 and not name.isdigit() and name.casefold() not in COMMON)
    return [name for _, name in zip(range(_MOST), kept, strict=False)]


def in_words_of(text: str, language: Language, account: Account, heads: FigureHeads, embedder: Embedder) -> str:
    """`text` with the names of the context in place of its own."""
    names, rows = names_of(account), [e.figure.row for m in account.measures for e in m.entries if e.figure.row]
    words = narrowing(uncovered(topic_of(text, about(text)), *names, *rows, within=text))
    words = [word for word in words if not re.search(r"\d", word)]
    if not words or not names:
        return text
    verbs = {fold(word) for word in _DONE.findall(text)}
    least = _SAME_LANGUAGE if language_of(" ".join(names)) is language else _SAME
    near = similarities(heads, embedder, words, names)
    things = heads.names_things(embedder.embed(words))
    for word, row, thing in zip(words, near, things, strict=True):
        meant = _meant(word, row, names, least)
        asking = (
            thing < _THING or (fold(word) in verbs and thing < _VERB) or _spelt(word, sorted(COMMON | light_words()))
        )
        if meant or (
            asking
            and (word.islower() or text.lstrip("¿¡ ").startswith(word))
            and not opposite(word)[1]
            and not subjects_in(word)
        ):
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", meant, text)
    return " ".join(text.split())


def _denies(word: str, name: str) -> bool:
    """Whether one is the opposite of the other: by the words for states, or by a prefix."""
    one, other = sorted((fold(word), fold(name)), key=len)
    prefixed = any(part == f"{prefix}{one}" for part in other.split() for prefix in ("in", "un", "im", "des", "non"))
    return prefixed or any(not uncovered(against, name) for against in opposite(word)[1])


def _meant(word: str, near: NDArray[np.float32], names: Sequence[str], least: float) -> str:
    """The name that a word means; empty where it means none."""
    best = int(near.argmax())
    differ = (subjects_in(word) and subjects_in(names[best])) or _denies(word, names[best])
    if near[best] >= least and not differ:
        return names[best]
    alike = _spelt(word, [name.casefold() for name in names])
    return next((n for n in names if n.casefold() == alike and not _denies(word, n)), "")


def _spelt(word: str, names: Sequence[str]) -> str:
    """The name that a word misspells; empty where it misspells none."""
    alike = difflib.get_close_matches(word.casefold(), names, 1, _SPELT) if len(word) >= _LETTERS else []
    return alike[0] if alike else ""


def respelt(text: str) -> str:
    """A text with its misspelt words for what is used, allowed or left as they are spelt."""
    words = {word for word in re.findall(r"[^\W\d_]+", text) if fold(word) not in COMMON | light_words()}
    meant = {word: right for word in words if not subjects_in(word) and (right := _spelt(word, sorted(roles())))}
    for word, right in meant.items():
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", right, text)
    return text
