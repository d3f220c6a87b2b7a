"""The language of a text: English, Spanish, Chinese or another, by a linear head over character n-grams.

Layer 2 mixes its heads by it; whoever else asks for a language asks the head of the shipped artifact, which is
fitted on the same rows. ADR 31 has its figures against other detectors.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from classifier import DATA
from classifier.linear.artifact import LANGUAGE_COLUMNS
from classifier.linear.card import LANGUAGES
from classifier.linear.features import Sparse, characters, project

#: The share of letters in other scripts from which a text is neither English nor Spanish.
FOREIGN_SHARE = 0.5
#: Characters of a text that its language is read from.
READ_CHARS = 400
#: Characters of a text in which there are so many beside its code, mostly.
_FRONT_CHARS = 600

_LETTER = re.compile(r"[^\W\d_]")
#: What most texts have nothing of: signs behind the blocks of Latin letters.
_BEYOND_LATIN = re.compile("[^\0-\u02af]")
#: The blocks of Han characters, and those of the kana and of Hangul.
_HAN_SIGNS = r"\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HAN, _KANA = re.compile(f"[{_HAN_SIGNS}]"), re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_WORD_OR_HAN = re.compile(rf"[{_HAN_SIGNS}]|[^\W\d_{_HAN_SIGNS}]+")
#: What is written in no language: fenced and inline code, addresses, names and calls in code.
_CODE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|\b\w*(?:[a-z][A-Z]|[^\W_]_[^\W_]|\w\()[^\s?!¿¡]*", re.DOTALL
)
_OPENING = re.compile("[¿¡]")
_CLAUSE_END = re.compile(r"[:\n]|[.?!]\s")
_WORD = re.compile(r"[^\W\d_]{2,}")
_ENGLISH, _SPANISH = LANGUAGES.index("en"), LANGUAGES.index("es")


@dataclass(frozen=True, slots=True)
class LanguageReading:
    """What a text is written in.

    Attributes:
        code: `en`, `es`, `zh`, `other` for other scripts; empty for a text without words, such as code alone.
        margin: How far the logit of one of English and Spanish is above the other's; infinite where the script decides.
    """

    code: str
    margin: float


@dataclass(frozen=True, slots=True)
class LanguageHead:
    """Weights of shape (LANGUAGE_COLUMNS, 3) and biases of shape (3,): English, Spanish or another."""

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]

    def logits(self, texts: Sequence[Sparse]) -> NDArray[np.float64]:
        """Logits of English, Spanish, another, shape (n, 3), from character vectors."""
        return project([Sparse(t.columns & (LANGUAGE_COLUMNS - 1), t.values) for t in texts], self.weights, self.bias)

    def read(self, text: str) -> LanguageReading:
        """The language of `text`: that of its words, not of the code in it."""
        text = _uncoded(text)
        if _WORD_OR_HAN.search(text) is None:  # Spanish alone opens a question or a call with a sign
            return LanguageReading("es", math.inf) if _OPENING.search(text) else LanguageReading("", 0.0)
        if is_chinese(text) or is_foreign(text):
            return LanguageReading("zh" if is_chinese(text) else "other", math.inf)
        logits = self.logits([characters(_request_first(text))])[0]
        margin = float(logits[_ENGLISH] - logits[_SPANISH])
        return LanguageReading(LANGUAGES[_ENGLISH if margin >= 0 else _SPANISH], abs(margin))


@cache
def shipped_head() -> LanguageHead:
    """The head of the shipped artifact, whichever artifact layer 2 serves with."""
    with np.load(DATA / "classifier_model.npz", allow_pickle=False) as arrays:
        return LanguageHead(arrays["language"].astype(np.float32), arrays["language_bias"])


def is_foreign(text: str) -> bool:
    """Whether most letters of `text` are of another script than Latin."""
    if _BEYOND_LATIN.search(text[:READ_CHARS]) is None:
        return False
    letters = _LETTER.findall(text[:READ_CHARS])
    # "LATIN" also names full-width forms; Greek letters in a formula stay a minority.
    foreign = sum("LATIN" not in unicodedata.name(letter, "") for letter in letters if _BEYOND_LATIN.match(letter))
    return foreign > FOREIGN_SHARE * len(letters)


def is_chinese(text: str) -> bool:
    """Whether Han characters, each a word, are more than words of letters in `text`, and none is Japanese or Korean."""
    if _HAN.search(text[:READ_CHARS]) is None:
        return False
    words = _WORD_OR_HAN.findall(text[:READ_CHARS])
    return sum(1 for word in words if _HAN.match(word)) > FOREIGN_SHARE * len(words) and not _KANA.search(text)


def _uncoded(text: str) -> str:
    """The words of a text without its code; of a long one no more than is read of it."""
    front = _CODE.sub(" ", text[:_FRONT_CHARS])
    return front if len(text) <= _FRONT_CHARS or len(front) > READ_CHARS else _CODE.sub(" ", text)


def _request_first(text: str) -> str:
    """A text with its first clause twice: a request comes before what is pasted or quoted."""
    read = text.strip()[:READ_CHARS]
    clause = _CLAUSE_END.split(read, maxsplit=1)[0]
    return read if clause == read or len(_WORD.findall(clause)) < 2 else f"{clause} {read}"
