"""Ways to answer a question with their probabilities, and those among them that it can be asking for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.generation.extractive.account_figures.asking.questions import MORE_THAN, Question
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.figure import Amount
from engine.generation.extractive.account_figures.measures import USED
from engine.generation.extractive.account_figures.ranking.forms import MONEY, PER
from engine.generation.extractive.account_figures.ranking.signs import Features
from engine.generation.extractive.account_figures.vocabulary import roles
from engine.text.dates import fold

#: The probability that a question compares from which what one number is more than another may answer it.
COMPARED = 0.1
#: Operations on two numbers, with those of the head that ask for them.
COMPARING = {
    "difference": ("compare",),
    "share": ("percent",),
    "ratio": ("average", "percent"),
    "together": ("sum", "cost"),
}


@dataclass(frozen=True, slots=True)
class Ranked:
    """A way to answer, or none, with its probability among all of its question.

    Attributes:
        text: What it says; empty where it says that nothing is there.
    """

    candidate: Candidate | None
    features: Features
    chance: float
    text: str = ""


def of_its_time(question: Question, found: list[Ranked]) -> list[Ranked]:
    """Those that are not of another month than the question names, where some are of rows of that month; else all."""
    named = question.period is not None and question.period.month
    timed = named and any(one.candidate and one.candidate.choice and one.candidate.choice.timed for one in found)
    return [one for one in found if not one.features.get("period_not")] if timed else found


def asked_for(question: Question, found: list[Ranked]) -> list[Ranked]:
    """Those without what two numbers come to that the question hardly asks for: a count is no difference of counts."""
    folded = fold(question.text)
    chance = {name: sum(question.chances.get(one, 0.0) for one in of) for name, of in COMPARING.items()}
    told = {
        "difference": chance["difference"] >= COMPARED or MORE_THAN.search(folded) is not None,
        "share": chance["share"] >= COMPARED,
        "part": chance["share"] >= COMPARED,
        "together": chance["together"] >= COMPARED,
        "ratio": chance["ratio"] >= COMPARED or PER.search(folded) is not None,
    }
    kept = [
        o for o in found if o.candidate is None or len(o.candidate.facts) < 2 or told.get(o.candidate.operation, True)
    ]
    return _of_use(folded, kept)


def _of_use(folded: str, found: list[Ranked]) -> list[Ranked]:
    """Those of what was used where the question asks for that and not for money: else all."""
    asked = any(roles().get(word) == USED for word in re.findall(r"[^\W\d_]+", folded))
    told = {o.candidate.operation for o in found if o.candidate and any(f.role == USED for f in o.candidate.facts)}
    if not asked or MONEY.search(folded):
        return found
    return [
        o
        for o in found
        if o.candidate is None
        or o.candidate.operation not in told
        or not (isinstance(o.candidate.value, Amount) and o.candidate.value.is_money)
        or any(f.role == USED for f in o.candidate.facts)
    ]
