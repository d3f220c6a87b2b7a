"""What the relation of a message is read from: its vector, the questions before it, its words.

A question that is put in full and a follow-up differ in their first words, their pointing words and their length; a
rewording and a recall in what they ask for; and whether two questions go together is in the cosine of their vectors.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classifier.linear.features import COLUMNS, Sparse, word_grams
from classifier.text import unmarked

Floats = NDArray[np.float32]

#: Columns that the words of a message are hashed to.
GRAM_COLUMNS = COLUMNS
#: Features beside the message's own vector and its intents.
MEASURES = 12
#: What blocks of features are multiplied with, so that one penalty suits them all.
_VECTOR, _COSINE, _INTENT, GRAMS = 5.0, 2.0, 0.3, 3.0
#: Letters of a word that two words of one stem share, and a word that is long enough to be about something.
_STEM = _LONG = 5
#: Words of a short message.
_FEW = 3
_FLOOR = 1e-4
#: A word, a Chinese character, or a sign that says something about the sentence.
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:'[^\W_\u3400-\u9fff]+)?|[?¿,.!:]")


@dataclass(frozen=True, slots=True)
class Told:
    """A message with what the encoder makes of it.

    Attributes:
        text: As it was typed.
        vector: As a query, centred: shape (dimensions,), float32.
        intents: Logits of the types, shape (types,); not looked at for an earlier message.
    """

    text: str
    vector: Floats
    intents: Floats


def dense(message: Told, earlier: Sequence[Told]) -> Floats:
    """The dense features of a message, shape (dimensions + `MEASURES` + types,)."""
    odds = np.exp(message.intents - message.intents.max())
    return np.concatenate(
        [
            message.vector * _VECTOR,
            np.asarray([*_measures(message.text, earlier), *_closeness(message, earlier)], np.float32),
            (np.log(odds / odds.sum() + _FLOOR) * _INTENT).astype(np.float32),
        ]
    )


def grams(text: str) -> Sparse:
    """The words of a message and their pairs, its borders among them, hashed."""
    sparse = word_grams(["^", *tokens(text), "$"])
    return Sparse(sparse.columns, sparse.values * np.float32(GRAMS))


def tokens(text: str) -> list[str]:
    """The words and signs of a message: NFKC, case folded, without accents, Chinese by character."""
    return _TOKEN.findall(unmarked(unicodedata.normalize("NFKC", text).casefold().replace("’", "'")))


def _measures(text: str, earlier: Sequence[Told]) -> list[float]:
    """How long the message is, and how many of its words the last question said."""
    said = [token for token in tokens(text) if token[0].isalnum()]
    known = {token[:_STEM] for token in tokens(earlier[-1].text)} if earlier else set()
    long = [token for token in said if len(token) >= _LONG]
    covered = sum(token[:_STEM] in known for token in long)
    return [
        float(np.log1p(len(said))),
        float(len(said) <= _FEW),
        len(long) / max(1, len(said)),
        float(np.log1p(len(long))),
        covered / max(1, len(long)),
        float(min(covered, _FEW)),
        float(not earlier),
        float(text.rstrip().endswith(("?", "？"))),
    ]


def _closeness(message: Told, earlier: Sequence[Told]) -> list[float]:
    """Cosines to the last question and to the nearest one, whether there is one, and how many."""
    cosines = [_cosine(message.vector, one.vector) for one in earlier]
    near = [cosines[-1], max(cosines)] if cosines else [0.0, 0.0]
    return [near[0] * _COSINE, near[1] * _COSINE, float(not cosines), min(len(cosines), _LONG) / _LONG]


def _cosine(left: Floats, right: Floats) -> float:
    return float(left @ right / (np.linalg.norm(left) * np.linalg.norm(right) + 1e-6))
