"""Figures of rows as they are put together: what they come to, and how that is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from engine.generation.extractive.account_figures.figure import Amount
from engine.generation.extractive.row_arithmetic.rows import Cell, Row, in_seconds, marks
from engine.text import messages
from engine.text.language import Language

#: Units whose figures have no sum.
UNADDED = ("", "%", "°c", "°f", "°", "year", "año")


@dataclass(frozen=True, slots=True)
class Term:
    """So many of one figure of a row."""

    row: Row
    cell: Cell
    count: int = 1

    @property
    def name(self) -> str:
        """What the figure is called: by its row, and by its column where the row has several."""
        return (
            f"{self.row.full_name} — {self.cell.column}"
            if self.cell.named and len(self.row.columns) > 1
            else self.row.full_name
        )


def total(terms: Sequence[Term], *, yearly: bool = False) -> Amount:
    """What figures of one kind come to; those of a month twelve times where `yearly`."""
    first = terms[0].cell.amount
    if terms[0].cell.kind == "time":
        seconds = [(in_seconds(term.cell.amount) or Fraction(0)) * term.count for term in terms]
        unit = (in_seconds(first.like(Fraction(1))) or Fraction(1)) if len(first.unit.split()) == 1 else Fraction(1)
        return first.like(sum(seconds, Fraction(0)) / unit)
    values = ((term.cell.yearly if yearly else term.cell.amount.value) * term.count for term in terms)
    return first.like(sum(values, Fraction(0)))


def told_total(terms: Sequence[Term], language: Language) -> str:
    """What figures come to, and how: "In total £35: 2 × £13.50 (Adult) + £8 (Child). [1]"."""
    worked = " + ".join(f"{_times(term)} ({term.name})" for term in terms)
    told = messages.IN_TOTAL[language].format(total=total(terms).shown(language), sum=worked)
    return f"{told} {marks(term.row for term in terms)}"


def told_mean(terms: Sequence[Term], language: Language) -> str:
    """What figures come to on average, and how: "On average 11 €: (10 € (Adult) + 12 € (Student)) / 2. [1]"."""
    worked = " + ".join(f"{term.cell.written} ({term.name})" for term in terms)
    sum_ = total(terms)
    mean = sum_.like(sum_.value / len(terms)).shown(language)
    return f"{messages.ON_AVERAGE[language].format(mean=mean, sum=worked, n=len(terms))} {marks(t.row for t in terms)}"


def verdict(one: Sequence[Term], other: Sequence[Term], language: Language, most: bool | None = None) -> str:
    """Which of two sides is more, and by how much; empty for lengths of time that are written in several units.

    Args:
        most: The side that is more, or less, is asked for, and is named first; None: they are named as they are given.
    """
    yearly = {term.cell.period for term in (*one, *other)} == {"month", "year"}
    first, second = (total(side, yearly=yearly) for side in (one, other))
    finer = min((first, second), key=lambda amount: in_seconds(amount.like(Fraction(1))) or Fraction(1))
    if one[0].cell.kind == "time":
        a, b, unit = in_seconds(first), in_seconds(second), in_seconds(finer.like(Fraction(1)))
        if a is None or b is None or not unit or len(first.unit.split()) > 1 or len(second.unit.split()) > 1:
            return ""
        difference = finer.like((a - b) / unit)
    else:
        difference = first.like(first.value - second.value)
    if most is not None and difference.value and (difference.value > 0) is not most:
        return verdict(other, one, language)
    said = messages.SAME if not difference.value else messages.MORE if difference.value > 0 else messages.LESS
    text = said[language].format(
        one=_side(one, first, language, yearly=yearly),
        other=_side(other, second, language, yearly=yearly),
        by=difference.like(abs(difference.value)).shown(language),
    )
    return f"{text} {marks(term.row for term in (*one, *other))}"


def _side(terms: Sequence[Term], amount: Amount, language: Language, *, yearly: bool) -> str:
    """One side with what it comes to, and how where that is worked out."""
    names = " + ".join(term.name for term in terms)
    simple = len(terms) == 1 and terms[0].count == 1
    if simple and not (yearly and terms[0].cell.period == "month"):
        return f"{names}: {terms[0].cell.written}"
    sum_ = " + ".join(_times(term, yearly=yearly) for term in terms)
    return f"{names}: {amount.shown(language)} ({sum_})"


def _times(term: Term, *, yearly: bool = False) -> str:
    count = term.count * (12 if yearly and term.cell.period == "month" else 1)
    shown = term.cell.written
    return f"{count} × {shown}" if count > 1 else shown


def same(one: Sequence[Term], other: Sequence[Term]) -> bool:
    """Whether both sides are the same figures."""
    return {(term.row.name, term.cell.column) for term in one} == {(term.row.name, term.cell.column) for term in other}
