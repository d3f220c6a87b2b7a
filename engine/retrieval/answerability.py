"""Whether the passages that a search found answer the question: one calibrated figure from what the search knows.

A logistic regression over two figures: the best cosine of a sentence of the nearest passage to the question, and the
share of the question's words that one passage has. A question and a passage in two languages share few words and are
less near, so they are weighed for themselves. Fitted by `scripts/fit_answerability.py` on the guide (its golden
questions against questions of general knowledge) and on public questions in English and Spanish with half of their
paragraphs taken away; the figures are in `docs/retrieval.md`.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from classifier.decision import Embedder, embed_queries
from engine.domain import Passage
from engine.text.language import SURE, read_language
from engine.text.quotation import texts_weighed
from engine.text.words import content, folded, is_common, stem, words

#: Below this the passages are taken not to answer.
THRESHOLD = 0.2


@dataclass(frozen=True, slots=True)
class Weights:
    """The logistic regression: what each figure counts, and the constant."""

    sentence: float
    covered: float
    bias: float


#: For the cosines of the bundled encoder: where question and passage are in one language, and where they are in two.
ALIKE, ACROSS = Weights(68.8, 5.1, -60.7), Weights(58.0, 1.0, -47.0)


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of a question and the passages found for it.

    Attributes:
        sentence: The best cosine of a sentence of the nearest passage; the passage's own where sentences have none.
        covered: The largest share of the question's words that one passage has, 0 to 1.
        across: The nearest passage is in another language than the question, as far as both are sure.
    """

    sentence: float
    covered: float
    across: bool


def signals(question: str, passages: Sequence[Passage], embedder: Embedder | None = None) -> Signals | None:
    """The signals of `passages`; None where no cosine is known of any. May block."""
    found = [passage for passage in passages if passage.similarity is not None]
    if not found:
        return None
    nearest = max(found, key=lambda passage: passage.similarity or 0.0)
    asked = {stem(word) for word in content(question)}
    covered = max((len(_common(asked, passage)) / len(asked) for passage in passages), default=0.0) if asked else 0.0
    spoken, asked_in = read_language(nearest.text), read_language(question)
    across = spoken.code != asked_in.code and min(spoken.margin, asked_in.margin) >= SURE
    return Signals(_best_sentence(question, nearest, embedder), covered, across)


def answerability(question: str, passages: Sequence[Passage], embedder: Embedder | None = None) -> float | None:
    """The probability, 0 to 1, that `passages` answer `question`. May block.

    Args:
        question: As it was searched for.
        passages: As a search found them, with their cosines to the question.
        embedder: Of question and sentences.

    Returns:
        0 where nothing was found; None where no cosine is known, such as of a tool's results.
    """
    if not passages:
        return 0.0
    found = signals(question, passages, embedder)
    if found is None:
        return None
    return probability(found, ACROSS if found.across else ALIKE)


def probability(found: Signals, weights: Weights) -> float:
    """The logistic regression."""
    logit = weights.sentence * found.sentence + weights.covered * found.covered + weights.bias
    return 1.0 / (1.0 + math.exp(-logit))


@dataclass(frozen=True, slots=True)
class AnswerabilityReader:
    """Reads the answerability of what a search found, in a worker thread.

    Args:
        embedder: Of question and sentences; None: the passages' own cosines are used.
    """

    embedder: Embedder | None = None

    async def read(self, question: str, passages: Sequence[Passage]) -> float | None:
        """See `answerability`."""
        return await asyncio.to_thread(answerability, question, passages, self.embedder)


def _best_sentence(question: str, passage: Passage, embedder: Embedder | None) -> float:
    texts = texts_weighed(passage) if embedder is not None else []
    if embedder is None or not texts:
        return passage.similarity or 0.0
    return float((embedder.embed(texts) @ embed_queries(embedder, [question])[0]).max())


def _common(asked: Collection[str], passage: Passage) -> set[str]:
    """Those of the stems that a word of the passage has; only words that begin as one of them are stemmed."""
    begins = tuple({one[:1] for one in asked})
    text = folded(f"{passage.title} {passage.heading} {passage.text}")
    near = {word for word in words(text) if word.startswith(begins)}
    return {one for word in near if not is_common(word) and (one := stem(word)) in asked}
