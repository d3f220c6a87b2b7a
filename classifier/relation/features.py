"""What the relation of a message is read from: what the encoder makes of it, its type, its words.

The layers read the message with the questions before it (`scripts/tuning/tune_relations.py`). A question that is put
in full and a follow-up also differ in their first words, their pointing words and their length; a rewording and a
recall in what they ask for.
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
#: Features beside the vector, the logits of the relations and those of the types.
MEASURES = 9
#: What blocks of features are multiplied with, so that one penalty suits them all.
_VECTOR, _RELATION, _INTENT, GRAMS = 5.0, 0.5, 0.3, 3.0
#: Letters of a word that two words of one stem share, and a word that is long enough to be about something.
_STEM = _LONG = 5
#: Words of a short message, and questions of a long conversation.
_FEW, _MANY = 3, 5
_FLOOR = 1e-4
#: A word, a Chinese character, or a sign that says something about the sentence.
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:'[^\W_\u3400-\u9fff]+)?|[?¿,.!:]")


@dataclass(frozen=True, slots=True)
class Told:
    """A message with what the encoder makes of it.

    Attributes:
        text: As it was typed.
        earlier: What was asked before it, oldest first.
        vector: As a query, of length 1: shape (dimensions,), float32.
        relations: Logits of the relations, of it and the last of these together: shape (relations,), float32.
        intents: Logits of the types, of it alone: shape (types,), float32.
    """

    text: str
    earlier: Sequence[str]
    vector: Floats
    relations: Floats
    intents: Floats


def dense(message: Told, mean: Floats) -> Floats:
    """The dense features of a message, shape (dimensions + relations + `MEASURES` + types,).

    Args:
        message: With at least one type.
        mean: What is taken off its vector first, shape (dimensions,).
    """
    return np.concatenate(
        [
            (message.vector - mean) * _VECTOR,
            _logged(message.relations) * _RELATION,
            np.asarray(_measures(message.text, message.earlier), np.float32),
            _logged(message.intents) * _INTENT,
        ]
    )


def _logged(logits: Floats) -> Floats:
    """Logarithms of the probabilities, none of them far below the others."""
    odds = np.exp(logits - logits.max())
    logged: Floats = np.log(odds / odds.sum() + _FLOOR).astype(np.float32)
    return logged


def grams(text: str) -> Sparse:
    """The words of a message and their pairs, its borders among them, hashed."""
    sparse = word_grams(["^", *tokens(text), "$"])
    return Sparse(sparse.columns, sparse.values * np.float32(GRAMS))


def tokens(text: str) -> list[str]:
    """The words and signs of a message: NFKC, case folded, without accents, Chinese by character."""
    return _TOKEN.findall(unmarked(unicodedata.normalize("NFKC", text).casefold().replace("’", "'")))


def _measures(text: str, earlier: Sequence[str]) -> list[float]:
    """How long the message is, how many of its words the last question said, and how many questions there were."""
    said = [token for token in tokens(text) if token[0].isalnum()]
    known = {token[:_STEM] for token in tokens(earlier[-1])} if earlier else set()
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
        min(len(earlier), _MANY) / _MANY,
    ]
