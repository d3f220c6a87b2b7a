"""Which words of a question passages have: a form of the word, or one of like meaning, in one language or in two.

Words that are alike in meaning are near in the encoder's table of words: "install" and "installation", "price" and
"precio".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import filterfalse, islice

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder, words_alike
from engine.domain import Passage
from engine.retrieval.analysis import QUERY_WORDS, stems
from engine.text.words import content, folded, is_common, words

#: Passages whose words are kept.
_MOST_KEPT = 512


def shares_had(question: str, passages: Sequence[Passage], embedder: Embedder) -> NDArray[np.float32] | None:
    """How well each passage has the words of a question in meaning, mean of 0 to 1; None where that is not known."""
    asked = [folded(word) for word in islice(content(question), QUERY_WORDS)]
    had = _alike_had(asked, passages, embedder)
    return None if had is None else had.mean(axis=1)


def words_had(
    asked: Mapping[str, str], passages: Sequence[Passage], embedder: Embedder | None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Whether passages have words, and how well, 0 to 1: each of shape (passages, words).

    A word is had wholly where a form of it is there, else as far as the word there that is nearest in meaning is like
    it.

    Args:
        asked: The words, folded, by what they are told apart by.
        passages: With their titles and headings.
        embedder: Knows what is alike, or does not.
    """
    forms = [stems(word) for word in asked.values()]
    said = [_stems(one.title, one.heading, one.text) for one in passages]
    had = np.array([[bool(form & there) for form in forms] for there in said], dtype=np.float32)
    literally = had.reshape(len(said), len(asked))
    if embedder is None or literally.all():
        return literally, literally
    alike = _alike_had(list(asked.values()), passages, embedder)
    return literally, literally if alike is None else np.maximum(literally, alike)


def _alike_had(asked: Sequence[str], passages: Sequence[Passage], embedder: Embedder) -> NDArray[np.float32] | None:
    """How like the likest word of each passage is to each word asked, 0 to 1; None where `embedder` knows no words."""
    said = [_words(one.title, one.heading, one.text) for one in passages]
    among = {word: row for row, word in enumerate(frozenset[str]().union(*said))}
    alike = words_alike(embedder, asked, list(among))
    if alike is None:
        return None
    had = np.zeros((len(said), len(asked)), dtype=np.float32)
    for row, theirs in enumerate(said):
        if theirs:
            had[row] = alike[:, [among[word] for word in theirs]].max(axis=1)
    return np.maximum(had, 0.0)


@lru_cache(_MOST_KEPT)
def _words(*texts: str) -> frozenset[str]:
    """Words of content, folded."""
    # Each word once before it is folded: most of the time goes into that.
    return frozenset(map(folded, filterfalse(is_common, frozenset(words(" ".join(texts))))))


@lru_cache(_MOST_KEPT)
def _stems(*texts: str) -> frozenset[str]:
    """Of all words."""
    return stems(" ".join(texts))
