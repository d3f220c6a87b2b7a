"""The words that a question and the sentences that may answer it have in common, or of like meaning.

Source:
    Spärck Jones, "A statistical interpretation of term specificity and its application in retrieval", Journal of
    Documentation 1972 (the weight of words).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder, words_alike
from classifier.text import casefolded
from engine.text.unit_names import names as unit_names
from engine.text.words import is_common

#: What a word of like meaning counts against the word itself.
LIKE = 0.5
#: What a word of the message counts against one of the conversation.
_OWN_WORD = 2.0
#: Letters of a word that are compared.
_BEGINNING = 6
_WORD = re.compile(r"[^\W_]+")
#: A denial with what it may deny: in a question, and at the beginning of a name.
_DENYING = re.compile(r"(?:\b(?:no|not|non|sin|without)|n['’]?t)[\s-]\s?(?:\w+\s){0,2}\w{4,}", re.IGNORECASE)
_DENIED = re.compile(r"\W*(?:no|non|not|sin|without)[\s-]\s?(?P<word>\w{4,})", re.IGNORECASE)
#: Sentences and blocks whose words are kept: the next turns find many of them again.
_MOST_KEPT = 1_024

Scores = NDArray[np.float32]


def has_a_word(asked: frozenset[str], name: str) -> bool:
    """Whether a name has one of the words that were asked for; see `words_named`."""
    return words_named(asked, name) > 0


def words_named(asked: frozenset[str], name: str) -> int:
    """How many words that were asked for, as `words_of` gives them, a name has.

    A word that says nothing of what is talked about counts only where the name has no others, and all of it was asked.
    """
    words = words_of(name)
    telling = {beginning for beginning, word in words.items() if not is_common(word)}
    if telling:
        return len(asked & telling)
    every = {word[:_BEGINNING] for word in _WORD.findall(casefolded(name))}
    return len(every) if every and every <= asked else 0


def without_denial(question: str, name: str) -> tuple[str, bool] | None:
    """A name without its denial, "members" of "Non-members", and whether the question asks for it with one.

    None where the name denies nothing, or nothing that the question names.
    """
    found = _DENIED.match(name)
    beginning = casefolded(found["word"])[:_BEGINNING] if found else ""
    if found is None or beginning not in (casefolded(word)[:_BEGINNING] for word in _WORD.findall(question)):
        return None
    denying = {casefolded(word)[:_BEGINNING] for one in _DENYING.finditer(question) for word in _WORD.findall(one[0])}
    return name[found.start("word") :], beginning in denying


def without_times(asked: frozenset[str]) -> frozenset[str]:
    """Without units of time, which of a column say what it is counted by: "a month" of "Credits per month"."""
    return asked - _times()


@cache
def _times() -> frozenset[str]:
    return frozenset(word[:_BEGINNING] for word, unit in unit_names().items() if unit.startswith("duration-"))


def words_of(text: str) -> dict[str, str]:
    """Folded words of three letters or more, by their beginnings: plural and verb endings cut roughly."""
    return {word[:_BEGINNING]: word for word in _WORD.findall(casefolded(text)) if len(word) > 2}


def words_had(question: str, texts: Sequence[str], embedder: Embedder, message: str = "") -> tuple[Scores, Scores]:
    """The share of the question's words that each text has, and the share had by words of like meaning.

    A word that few texts have weighs more. In the first share one of like meaning, in this language or another, counts
    by half of how like it is.
    """
    asked, given = words_of(question), [_said(text) for text in texts]
    had = np.array([[word in beginnings for word in asked] for beginnings, _ in given], dtype=np.float32)
    had = had.reshape(len(texts), len(asked))
    weights = np.log(1 + len(texts) / (1 + had.sum(axis=0)))
    own = words_of(message)
    weights *= [_OWN_WORD if word in own else 1.0 for word in asked]
    weights /= weights.sum() or 1.0
    like = _like(list(asked.values()), [telling for _, telling in given], embedder)
    return np.maximum(had, LIKE * like) @ weights, like @ weights


@lru_cache(_MOST_KEPT)
def _said(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The beginnings of all words of a text, and the words that say something of what is talked about."""
    words = words_of(text)
    return frozenset(words), tuple(word for word in words.values() if not is_common(word))


def _like(asked: Sequence[str], given: Sequence[Sequence[str]], embedder: Embedder) -> Scores:
    """How like the likest word of each text is to each word asked, 0 to 1; shape (texts, words).

    Args:
        asked: Words; those that say nothing of what is talked about are like none.
        given: The words of each text that do.
        embedder: Knows what is alike, or does not.
    """
    like = np.zeros((len(given), len(asked)), dtype=np.float32)
    among = {word: place for place, word in enumerate(dict.fromkeys(chain.from_iterable(given)))}
    nearness = words_alike(embedder, asked, list(among))
    if nearness is None:
        return like
    for row, words in enumerate(given):
        if words:
            like[row] = nearness[:, [among[word] for word in words]].max(axis=1)
    like[:, [is_common(word) for word in asked]] = 0.0
    return np.maximum(like, 0.0)
