"""What the figures of answerability count: fitted by `scripts/fitting/answerability.py` to the bundled encoder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """The logistic regression: what each figure counts, and the constant."""

    sentence: float
    covered: float
    lead: float
    missing: float
    bias: float
    own: float = 0.0


#: For the cosines of the bundled encoder: where question and passage are in one language, and where they are in two.
ALIKE = Weights(sentence=43.6, covered=8.31, lead=11.4, missing=-1.22, bias=-42.06)
ACROSS = Weights(sentence=29.3, covered=14.95, lead=0.7, missing=-0.79, bias=-32.35)
#: In one language, of a question that has words from the conversation.
FOLLOWED = Weights(sentence=31.65, covered=2.60, lead=10.15, missing=-0.85, bias=-31.59, own=3.74)
