"""What a question wants of the figures: how much is left, what share is used, when, which one, compared with what.

The rows of `operations.json` are its examples in both languages; a question is the operation whose examples it is
nearest to, by its words (naive Bayes, so that "left" counts and "messages" does not) and by the encoder. Neither is a list of
what may be asked: a new example is a row.
"""  # noqa: E501

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier.decision import Embedder
from engine.generation.extractive.account_figures.figure import Day
from engine.generation.extractive.account_figures.measures import (
    USED,
    Period,
    ordinal,
    period_in,
    roles,
    stems_of,
    vocabulary,
    without_periods,
)
from engine.text.dates import find_dates, fold, months
from engine.text.language import Language, language_of
from engine.text.words import stem

#: How much the encoder counts beside the words, in nats for one standard deviation among the operations.
_MEANING = 0.3
#: What speaks for a plain value before anything is read: most questions ask for one.
_PLAIN = 0.8
#: What a word that names a role ("limit", "remaining") speaks for asking for that.
_ROLE = 1.6
#: What a word for using ("gastado") speaks for asking how much was used.
_USED = 0.6
#: "More kilometres than": a comparison, whatever is compared.
_MORE_THAN = re.compile(r"\b(?:more|less|fewer|higher|lower|mas|menos|mayor|menor)\b.*\b(?:than|que)\b")
#: What that speaks for comparing.
_THAN = 2.0
#: What an operation loses that no word of the question speaks for.
_UNSAID = 0.5
#: Examples of an operation that have to have a word before it speaks for that.
_SEVERAL = 2
#: Nats that a word may speak for an operation by chance.
_CHANCE = 1.1


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    Attributes:
        operations: Names of operations, the likeliest first.
        margin: How much likelier the first one is than the second, in nats.
        period: The period that it names.
        day: The day that it names.
        today: The day that it is asked on.
        words: The stems of its words that no operation is told by: what it is about.
    """

    text: str
    language: Language
    operations: tuple[str, ...]
    margin: float
    period: Period | None
    day: Day | None
    words: frozenset[str]
    today: date

    @property
    def topic(self) -> str:
        """Those words as they are written."""
        words = re.findall(r"[^\W_]+", self.text)
        return " ".join(dict.fromkeys(word for word in words if stem(fold(word)) in self.words))

    @property
    def ordinal(self) -> str:
        """`first`, `last` or `next` where it asks for one of several that are in order; empty otherwise."""
        bare = re.findall(r"[^\W_]+", without_periods(fold(self.text)))
        return next(filter(None, map(ordinal, bare)), "")

    @property
    def operation(self) -> str:
        """The likeliest operation."""
        return self.operations[0]


@cache
def rows() -> dict[str, list[str]]:
    """Examples by operation."""
    found: dict[str, list[str]] = json.loads((Path(__file__).parent / "operations.json").read_text("utf-8"))
    return found


def tokens(text: str) -> set[str]:
    """The words of a text as they are counted: folded stems and neighbouring pairs; dates and periods are left out."""
    bare = without_periods(fold(text))
    words = [stem(word) for word in re.findall(r"[^\W\d_]+|%", bare)]
    return {*words, *(f"{one} {other}" for one, other in itertools.pairwise(words))}


@cache
def _counts() -> tuple[dict[str, Counter[str]], Counter[str]]:
    by_operation = {name: Counter(t for text in texts for t in tokens(text)) for name, texts in rows().items()}
    return by_operation, sum(by_operation.values(), Counter())


def by_words(text: str) -> dict[str, float]:
    """How strongly the words of the text tell each operation, in nats; only words that speak for one count.

    A word speaks for an operation when several of its examples have it and few of the others do: the nouns of the
    examples, which may be anything, speak for none.
    """
    by_operation, every = _counts()
    known = [token for token in tokens(text) if token in every]
    sizes = {name: len(texts) for name, texts in rows().items()}
    scores = dict.fromkeys(by_operation, 0.0)
    for name, counted in by_operation.items():
        for token in known:
            if counted[token] >= _SEVERAL:
                share = counted[token] / every[token]
                fair = sizes[name] / sum(sizes.values())
                scores[name] += max(0.0, math.log(share / fair) - _CHANCE) * (0.5 if " " in token and share < 1 else 1)
    return scores


class Operations:
    """Tells operations by words and meaning.

    Args:
        embedder: Reads the examples once, at the first question, and each question; may block.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: NDArray[np.float32] | None = None

    @property
    def examples(self) -> NDArray[np.float32]:
        """The vectors of all examples, shape (n, dimensions), in the order of `rows`."""
        if self._vectors is None:
            self._vectors = self._embedder.embed([text for texts in rows().values() for text in texts])
        return self._vectors

    def by_meaning(self, text: str) -> dict[str, float]:
        """How near the operations' examples are, in standard deviations: the mean of the three nearest of each."""
        near = self.examples @ self._embedder.embed([text])[0]
        means, at = {}, 0
        for name, texts in rows().items():
            means[name] = float(np.sort(near[at : at + len(texts)])[-3:].mean())
            at += len(texts)
        values = np.array(list(means.values()))
        spread = float(values.std()) or 1.0
        return {name: (value - float(values.mean())) / spread for name, value in means.items()}

    def read(self, text: str, today: date) -> Question:
        """Takes a question apart."""
        words, meaning = by_words(text), self.by_meaning(text)
        scores = {name: words[name] + _MEANING * meaning[name] for name in words}
        scores["value"] += _PLAIN
        told = {roles().get(word, "") for word in re.findall(r"[^\W\d_]+", fold(text))}
        for role in told & scores.keys():
            scores[role] += _ROLE
        scores["compare"] += _THAN * (_MORE_THAN.search(fold(text)) is not None)
        scores["value"] += _USED * (USED in told and words["compare"] <= 0)
        for name in scores.keys() - {"value"}:  # meaning alone is too little where no word speaks for it
            scores[name] -= _UNSAID * (scores[name] - _MEANING * meaning[name] <= 0)
        ranked = sorted(scores, key=lambda name: -scores[name])
        first, second = (scores[name] for name in ranked[:2])
        period = period_in(text)
        day = _day(text, today)
        return Question(text, language_of(text), tuple(ranked), first - second, period, day, about(text), today)


def tells(word: str, operation: str) -> bool:
    """Whether examples of that operation have the word, so that asking for it is what it says."""
    return operation != "value" and _counts()[0][operation][stem(fold(word))] > 0 and stem(fold(word)) not in _things()


@cache
def _things() -> frozenset[str]:
    """The words that examples of several operations or of plain values have: mostly names of things."""
    by_operation, every = _counts()
    return frozenset(w for w, n in by_operation["value"].items()) | frozenset(
        w for w in every if sum(counted[w] > 0 for counted in by_operation.values()) > 2
    )


def about(text: str) -> frozenset[str]:
    """The stems of the words of a question that say what it is about; dates and periods are none of them."""
    folded = fold(text)
    try:
        for named in find_dates(folded, date(2000, 1, 1)):
            folded = f"{folded[: named.start]}{' ' * (named.end - named.start)}{folded[named.end :]}"
    except ValueError:
        folded = fold(text)
    told = {stem(word) for word in roles()} | _TELLING() | {stem(name) for name in months()}
    bare = re.sub(r"\b(?:daily|weekly|monthly|yearly|diari[oa]|semanal|mensual|anual)\b", " ", without_periods(folded))
    told |= vocabulary()["ordinals"].keys()
    return frozenset(w for w in stems_of(bare) if w not in told and not w[0].isdigit())


@cache
def _TELLING() -> frozenset[str]:  # noqa: N802
    """Words that tell operations: those that stand in several examples, nearly always of one operation."""
    by_operation, every = _counts()
    return frozenset(
        word
        for word, count in every.items()
        if " " not in word and count > 1
        if max(n[word] for operation, n in by_operation.items() if operation != "other") >= 0.75 * count
    )


def _day(text: str, today: date) -> Day | None:
    """The day that a question names; "yesterday" is counted from `today`."""
    try:
        named = find_dates(fold(text), today, ahead=False)
    except ValueError:
        return None
    if not named:
        return None
    relative = re.search(r"\d", fold(text)[named[0].start : named[0].end]) is None
    return Day(named[0].day, named[0].whole or relative)


def nearest(scores: Sequence[float]) -> tuple[int, float]:
    """The place of the highest score, and how far it is above the next."""
    order = np.argsort(-np.asarray(scores))
    return int(order[0]), float(scores[order[0]] - scores[order[1]]) if len(order) > 1 else math.inf
