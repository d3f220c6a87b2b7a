"""How a question goes on from the one before it, in its message or in the conversation."""

from __future__ import annotations

import re
from dataclasses import replace

from engine.generation.extractive.account_figures.asking.questions import Question
from engine.text.dates import fold

#: Where a second question begins: "and how much does it cost?", "y cuándo se renueva?".
SECOND = re.compile(
    r"(?:,?\s+(?:and|n|y|e|&)\s+|[?;]\s+)"
    r"(?=(?:by|until|till|para|hasta) (?:when|cu[aá]ndo)\b|(?:for |at |on |de |a |por |en )?"
    r"(?:how|when|what|which|who|where|cu[aá]nt[oa]s?|cu[aá]ndo|qu[eé]|cu[aá]l(?:es)?|qui[eé]n|d[oó]nde|c[oó]mo)\b)",
    re.IGNORECASE,
)
#: A turn to the account before a question, which asks for nothing: "as to my account, when does it close".
TURNED = re.compile(
    r"^[^?]*\b(?:account|cuenta|by the way|por cierto)\b\W*"
    r"(?=(?:how|when|what|which|cu[aá]nt[oa]s?|cu[aá]ndo|qu[eé]|cu[aá]l)\b)",
    re.IGNORECASE,
)
#: Operations that a question for how many there are of something asks for none of.
_OF_SEVERAL, _LIKELY = ("compare", "highest", "lowest", "date", "text", "flag"), 0.5
_AND = re.compile(r"\W*(?:and|y|e)\b")
#: What stands for what the question before was answered with: "its weight", "what part is that". "ESO" is a school.
_THAT = re.compile(r"\b(?:[Ii]ts?|[Tt]hat|[Tt]hose|[Ss]us?|[EeÉé]s[eoa]s?)\b")


def goes_on(question: Question) -> bool:
    """Whether a question begins as what goes on: "and how many donors?"."""
    return _AND.match(fold(question.own)) is not None


def points_back(text: str) -> bool:
    """Whether a question points at what was said before."""
    return _THAT.search(text.lower() if text.isupper() else text) is not None


def asked_as(question: Question, earlier: Question) -> Question:
    """A question that only names something as one for that of it which the earlier question asked for."""
    counts = question.chances["value"] + question.chances["count"] >= _LIKELY
    if counts and earlier.operation in _OF_SEVERAL:  # "how much has it raised?" is no rise
        return question
    timed = question.period is not None or question.day is not None
    return replace(
        question,
        chances=earlier.chances,
        period=question.period if timed else earlier.period,
        day=question.day if timed else earlier.day,
        days=question.days if timed else earlier.days,
        day_said=question.day_said if timed else earlier.day_said,
        quarters=question.quarters or earlier.quarters,
    )
