"""What a second question of a message asks of the answer to the first: "when does it end, and how many days?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.candidates.fact import Fact
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.figure import Amount, Day
from engine.generation.extractive.account_figures.ranking.forms import DAYS, WHEN
from engine.generation.extractive.account_figures.ranking.weighing import Answer
from engine.generation.extractive.account_figures.saying import text_of
from engine.text.dates import fold

#: Asks how far away something is, without a word for days.
_HOW_FAR = re.compile(r"\W*(?:how long|how far (?:off|away)|cuanto (?:me |nos |le )?(?:falta|queda))\b")
_BY_WHEN = re.compile(r"\W*(?:by |until |till |para |hasta |on )")


def of_the_first(question: Question, first: Answer, facts: Sequence[Fact]) -> Answer | None:
    """How many days it is to the day that was told, or the day of the amount that was; None for anything else.

    Args:
        question: Names nothing of its own.
        first: The answer to the question before it in the message.
    """
    of, asked = first.of, fold(question.text)
    if of is None or not of.facts:
        return None
    if of.operation == "date" and (DAYS.search(asked) or _HOW_FAR.match(asked)):
        in_days = question if DAYS.search(asked) else replace(question, text=f"how many days: {question.text}")
        return replace(first, text=text_of(of, in_days))
    if not isinstance(of.value, Amount) or not WHEN.match(_BY_WHEN.sub("", asked)):
        return None
    days = [one for fact in of.facts[:1] for one in _days_of(fact, facts)]
    return replace(first, text=text_of(days[0], question), of=days[0]) if len(days) == 1 else None


def _days_of(fact: Fact, facts: Sequence[Fact]) -> list[Candidate]:
    """The day that stands with a value, or else those that share its object or a word of its name."""
    own = [figure.day for figure in fact.figures if figure is not None and figure.day is not None and not fact.rows]
    if own:
        return [Candidate("date", (fact,), own[0], fact.label)]
    dated = [(one, one.value) for one in facts if isinstance(one.value, Day) and not one.rows]
    shared = {one: (len(one.thing & fact.thing), -len(one.thing)) for one, _ in dated if one.thing & fact.thing}
    near = [(one, day) for one, day in dated if one in shared and shared[one] == max(shared.values())]
    near = near or [(one, day) for one, day in dated if one.parent == fact.parent != ""]
    return [Candidate("date", (one,), day, one.label) for one, day in near]
