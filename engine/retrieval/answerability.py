"""Whether the passages that a search found answer the question: one calibrated figure from what the search knows.

A logistic regression over three figures: the best cosine of a passage to the question, how far it stands above the
other passages found (a question that nothing answers finds many passages equally far away), and the share of the
question's words that one passage has. Fitted by `scripts/fit_answerability.py` on the guide (its golden questions
against questions of general knowledge) and on public questions in English and Spanish with half of their paragraphs
taken away; the figures are in `docs/retrieval.md`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import fmean

from engine.domain import Passage
from engine.text.language import read_language
from engine.text.words import content, folded, is_common, stem, words

#: Below this the passages are taken not to answer.
THRESHOLD = 0.25
#: The share of words that is reckoned with where question and passage are in different languages, and share few.
_OTHER_LANGUAGE = 0.4


@dataclass(frozen=True, slots=True)
class Weights:
    """The logistic regression: what each figure counts, and the constant."""

    cosine: float = 34.8
    gap: float = 22.4
    covered: float = 5.4
    bias: float = -32.0


#: For the cosines of the bundled encoder.
WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of a question and the passages found for it.

    Attributes:
        cosine: The best passage's.
        gap: How far it is above the mean of the others.
        covered: The largest share of the question's words that one passage has, 0 to 1.
    """

    cosine: float
    gap: float
    covered: float


def signals(question: str, passages: Sequence[Passage]) -> Signals | None:
    """The signals of `passages`; None where no cosine is known of any."""
    cosines = sorted((p.similarity for p in passages if p.similarity is not None), reverse=True)
    if not cosines:
        return None
    best = max((p for p in passages if p.similarity is not None), key=lambda p: p.similarity or 0.0)
    asked = {stem(word) for word in content(question)}
    covered = max((len(_common(asked, passage)) / len(asked) for passage in passages), default=0.0) if asked else 0.0
    if read_language(best.text).code != read_language(question).code:
        covered = max(covered, _OTHER_LANGUAGE)
    return Signals(cosines[0], cosines[0] - fmean(cosines[1:]) if len(cosines) > 1 else 0.0, covered)


def answerability(question: str, passages: Sequence[Passage], weights: Weights = WEIGHTS) -> float | None:
    """The probability, 0 to 1, that `passages` answer `question`.

    Args:
        question: As it was searched for.
        passages: As a search found them, with their cosines to the question.
        weights: Fitted to the scale of the encoder's cosines.

    Returns:
        0 where nothing was found; None where no cosine is known, such as of a tool's results.
    """
    if not passages:
        return 0.0
    found = signals(question, passages)
    if found is None:
        return None
    logit = weights.cosine * found.cosine + weights.gap * found.gap + weights.covered * found.covered + weights.bias
    return 1.0 / (1.0 + math.exp(-logit))


def _common(asked: Collection[str], passage: Passage) -> set[str]:
    """Those of the stems that a word of the passage has; only words that begin as one of them are stemmed."""
    begins = tuple({one[:1] for one in asked})
    text = folded(f"{passage.title} {passage.heading} {passage.text}")
    near = {word for word in words(text) if word.startswith(begins)}
    return {one for word in near if not is_common(word) and (one := stem(word)) in asked}
