"""What the figures of answerability count: fitted by `scripts/fitting/answerability.py` to the bundled encoder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """The logistic regression: what each figure counts, and the constant."""

    sentence: float
    covered: float
    missing: float
    bias: float
    answer: float
    own: float = 0.0


#: For the cosines of the bundled encoder: where question and passage are in one language, and where they are in two.
ALIKE = Weights(sentence=21.33, covered=1.88, missing=-0.76, bias=-18.12, answer=0.743)
ACROSS = Weights(sentence=16.13, covered=1.10, missing=-0.48, bias=-12.16, answer=0.791)
#: In one language, of a question that has words from the conversation.
FOLLOWED = Weights(sentence=40.11, covered=0.81, missing=-1.05, bias=-35.44, answer=0.534, own=3.12)
