"""Ways to answer that follow from what a question says in full: the row of a code, and two values by their names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from engine.generation.extractive.account_figures.asking.questions import MORE_THAN, Question
from engine.generation.extractive.account_figures.candidates.fact import Fact, Table
from engine.generation.extractive.account_figures.candidates.pairing import amount
from engine.generation.extractive.account_figures.candidates.row_names import bare
from engine.generation.extractive.account_figures.candidates.values import Candidate, bare_name
from engine.generation.extractive.account_figures.ranking.forms import WHO
from engine.generation.extractive.account_figures.ranking.matching import Matcher
from engine.text.dates import fold

#: The share of the words of a name that a question has to say, and the probability of what it asks for.
_SAID, _ASKED = 0.6, 0.3
_HUNDRED = Fraction(100)


def row_of_cell(question: Question, matcher: Matcher, table: Table) -> Candidate | None:
    """The row that has the code in one of its cells for which a question asks; None where it asks for anything else."""
    if WHO.match(fold(question.text)) is None or question.period or question.day:
        return None
    said = f" {bare(question.text)} "
    held = [
        (row, column) for row in table.rows for column, text in row.told.items() if _is_code(text) and _in(text, said)
    ]
    if len(held) != 1 or _in(held[0][0].name, said):
        return None
    row, column = held[0]
    if any(one.label not in (column, table.key) and matcher.told(one.label) == 1 for one in table.columns):
        return None
    return Candidate("list", (), None, table.key or table.name, rows=(row,), table=table)


def _is_code(text: str) -> bool:
    """Whether a text has a digit and something else, and is no sentence."""
    return re.search(r"\d", text) is not None and len(text.split()) <= 3


def _in(text: str, said: str) -> bool:
    return bool(bare(text)) and f" {bare(text)} " in said


def of_two_named(question: Question, matcher: Matcher, facts: Sequence[Fact]) -> Iterator[Candidate]:
    """What two values of one unit come to that a question says by their names, wherever they stand.

    That is the share of the one in the other, their sum, or their difference.
    """
    shares = question.chances.get("percent", 0.0) >= _ASKED
    sums = question.chances.get("sum", 0.0) >= _ASKED
    differs = question.chances.get("compare", 0.0) >= _ASKED or MORE_THAN.search(fold(question.text)) is not None
    if not (shares or sums or differs):
        return
    named = [(f, a) for f in facts if (a := amount(f.figures[0])) and f.thing and matcher.told(bare_name(f)) >= _SAID]
    for (one, a), (other, b) in itertools.permutations(named, 2):
        if (
            a.unit != b.unit
            or not a.unit
            or a.unit == "%"
            or one.thing & other.thing
            or one.previous is not other.previous
        ):
            continue
        parts = ((one.label, a), (other.label, b))
        if shares and 0 < a.value <= b.value:
            yield Candidate("share", (one, other), a.like(a.value / b.value * _HUNDRED), one.label, parts)
        if sums:
            yield Candidate("together", (one, other), a.like(a.value + b.value), one.label, parts)
        if differs:
            yield Candidate("difference", (one, other), a.like(a.value - b.value), one.label, parts)
