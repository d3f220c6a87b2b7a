"""Ways to answer a question from single values: what one says, and what two of them come to."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.asking.synonyms import owes, same, subjects_in
from engine.generation.extractive.account_figures.candidates.bounds import Bound
from engine.generation.extractive.account_figures.candidates.choosing import Choice
from engine.generation.extractive.account_figures.candidates.fact import Fact, Row, Table
from engine.generation.extractive.account_figures.candidates.pairing import (
    Part,
    amount,
    beyond,
    cost,
    is_priced,
    of_limit,
    pairings,
)
from engine.generation.extractive.account_figures.composing import month_name
from engine.generation.extractive.account_figures.figure import Amount, Day, Value
from engine.generation.extractive.account_figures.measures import LEFT, LIMIT, PLAIN, TOTAL, USED
from engine.generation.extractive.account_figures.vocabulary import (
    GOALS,
    Period,
    is_period,
    months_told,
    stems_of,
    words_without_period,
)
from engine.text.dates import fold

#: What money that is there to be spent is called.
_FUNDS = "balance budget cash savings credit funds"


@dataclass(frozen=True, eq=False)
class Candidate:
    """One way to answer a question.

    Attributes:
        facts: What it is of, the one that is asked for first.
        value: What it comes to; None where it names rows, or there is no value.
        parts: The numbers that it is calculated from, with their names.
        rows: The rows that it is of, or that it names.
        choice: How the question names these; None where it does not.
        ignores: The question names rows of its table, and it is of all.
        loose: The values that it is calculated from share no word.
        bound: The number that its rows are above or below.
        lacks: The question names a time that no row is of.
        asked: A number of the question stands in it.
        rank: The place of its row in the order of its column, from 1.
    """

    operation: str
    facts: tuple[Fact, ...]
    value: Value
    label: str
    parts: tuple[Part, ...] = ()
    rows: tuple[Row, ...] = ()
    table: Table | None = None
    choice: Choice | None = None
    ignores: bool = False
    loose: bool = False
    bound: Bound | None = None
    lacks: bool = False
    asked: bool = False
    rank: int = 1

    @property
    def missing(self) -> bool:
        """Whether it says that there is no value, or none of that time."""
        return self.operation == "empty" or self.lacks

    @property
    def is_number(self) -> bool:
        """Whether it is of a number outside of rows."""
        return bool(self.facts) and not self.facts[0].rows and isinstance(self.facts[0].value, Amount)

    @property
    def is_money(self) -> bool:
        """Whether it comes to an amount of money."""
        return isinstance(self.value, Amount) and self.value.is_money


def of_value(fact: Fact, place: int = 0) -> Iterator[Candidate]:
    """What one value says."""
    figure = fact.figures[place]
    if figure is None:
        return
    value = figure.value
    names = ["empty" if value is None else "date" if isinstance(value, Day) else "text"]
    if isinstance(value, bool):
        names = ["flag"]
    elif isinstance(value, Amount):
        names = [*{LEFT: ["left", "value"], LIMIT: ["limit"]}.get(fact.role, ["value"]), "any"]
    for name in names:
        yield Candidate(name, (fact,), value, fact.label)
    if isinstance(value, Amount) and figure.day is not None:
        yield Candidate("date", (fact,), figure.day, fact.label)


def one_further(one: Candidate, step: int) -> Candidate | None:
    """The same value of the row before (-1) or behind (1) in time, or in the list; None where there is none.

    None too where the candidate is of several rows, or of more than one value.
    """
    if one.table is None or len(one.rows) != 1 or len(one.facts) != 1 or one.operation not in ("value", "text", "date"):
        return None
    rows, fact = one.table.rows, one.facts[0]
    order = list(range(len(rows)))
    days = [row.day.day for row in rows if row.day is not None]
    if len(days) == len(rows):
        order.sort(key=lambda place: days[place])
    here = next((at for at, place in enumerate(order) if rows[place] is one.rows[0]), -1)
    if here < 0 or not 0 <= here + step < len(order):
        return None
    place = order[here + step]
    found = next((of for of in of_value(fact, place) if of.operation == one.operation), None)
    return replace(found, rows=(rows[place],), table=one.table) if found is not None else None


def followed(
    last: Candidate, facts: Sequence[Fact], asked: Period | None, *, changes: bool, shares: bool
) -> Candidate | None:
    """What goes on from the number that was answered last; None where it is not clear which.

    Args:
        asked: The same of this period.
        changes: How it has changed since the period before.
        shares: What share it is of its limit, or of all of its kind.
    """
    fact = last.facts[0]
    kin = [f for f in facts if f.unit == fact.unit and stems_of(bare_name(f)) == stems_of(bare_name(fact))]
    if asked is not None:
        found = [
            f
            for f in kin
            if (f.period.month == asked.month if asked.month else f.previous is (asked.which == "previous"))
        ]
        found = [f for f in found if not f.period.unit or not asked.unit or f.period.unit == asked.unit]
        return next(of_value(found[0])) if len(found) == 1 else None
    if changes:
        both = [(f, f.value) for f in sorted(kin, key=lambda f: f.previous) if isinstance(f.value, Amount)]
        if [f.previous for f, _ in both] != [False, True]:
            return None
        (now, a), (before, b) = both
        parts = ((now.label, a), (before.label, b))
        return Candidate("compare", (now, before), a.like(a.value - b.value), bare_name(fact), parts)
    pairs = [
        one for other in facts if shares and other is not fact for one in of_two(fact, other, None) if not one.loose
    ]
    of_limit = [one for one in pairs if one.operation == "percent" and one.facts[1].thing == fact.thing]
    wholes = [one for one in pairs if one.operation in ("share", "percent") and one.facts[1].thing]
    wholes = [one for one in wholes if one.facts[1].thing < fact.thing and not one.facts[1].previous]
    found_ = of_limit or [replace(one, operation="share") for one in wholes if one.facts[1].role in (PLAIN, TOTAL)]
    return found_[0] if len(found_) == 1 else None


def bare_name(fact: Fact) -> str:
    """The name of a fact without its period."""
    return " ".join(word for word in words_without_period(fact.words) if not is_period(word)) or fact.label


def of_so_many(fact: Fact, wanted: Fraction | None, place: int = 0) -> Iterator[Candidate]:
    """What as many as the question names cost at a price, and whether there is as much money as it names."""
    price = amount(fact.figures[place])
    if price is not None and wanted not in (None, 1) and is_priced(fact, place) and not fact.period.month:
        found = cost(fact, fact.label, Amount(wanted), price)
        yield Candidate("cost", (fact,), found.value, found.label, found.parts, asked=True)
        if fact.role in (LEFT, PLAIN) and not fact.previous and subjects_in(fact.label) & subjects_in(_FUNDS):
            spent = price if fact.role == LEFT else price.like(Fraction(0))
            of = ((fact.label, spent), (fact.label, price), ("", price.like(wanted)))
            yield Candidate("enough", (fact,), price.value >= wanted, fact.label, of, asked=True)


def afforded(facts: Sequence[Fact]) -> Iterator[Candidate]:
    """Whether money that is there to be spent covers another amount: a balance against a fine."""
    priced = [fact for fact in facts if is_priced(fact, 0) and not fact.previous]
    funds = [fact for fact in priced if fact.role in (LEFT, PLAIN) and subjects_in(fact.label) & subjects_in(_FUNDS)]
    for fund, price in itertools.product(funds, priced):
        there, needed = amount(fund.figures[0]), amount(price.figures[0])
        if price in funds or price.role == LIMIT or there is None or needed is None or there.unit != needed.unit:
            continue
        spent = there if fund.is_rest else there.like(Fraction(0))
        parts = ((fund.label, spent), (fund.label, there), (price.label, needed))
        yield Candidate("enough", (fund, price), there.value >= needed.value, f"{fund.label}, {price.label}", parts)


def of_stretch(fact: Fact, times: Fraction, place: int = 0) -> Iterator[Candidate]:
    """What a price for one stretch of time is for another one, which is so many times as long."""
    price = amount(fact.figures[place])
    if price is None or not is_priced(fact, place):
        return
    by = Amount(times if times > 1 else 1 / times)
    parts = (("", by), (fact.label, price)) if times > 1 else ((fact.label, price), ("", by))
    yield Candidate("cost", (fact,), price.like(price.value * times), fact.label, parts, asked=True)


def in_months(one: Candidate, months: int) -> Candidate | None:
    """The price that a candidate is for so many months; None where it is no price for a stretch of another length."""
    told = months_told(one.facts[0].label) if one.facts and len(one.facts) == 1 and not one.rows else 0
    if not told or told == months:
        return None
    return next(of_stretch(one.facts[0], Fraction(months, told)), None)


def of_two(
    one: Fact, other: Fact, wanted: Fraction | None, *, place: int = 0, rates: bool = False
) -> Iterator[Candidate]:
    """What two numbers come to."""
    for found in pairings(one, other, wanted, place=place, rates=rates):
        yield Candidate(
            found.operation,
            (one, other),
            found.value,
            found.label,
            found.parts,
            loose=found.loose,
            asked=found.operation == "enough",
        )


def has_its_own(limit: Fact, used: Fact, facts: Sequence[Fact]) -> bool:
    """Whether a limit stands in one object with what is used of it, so that nothing elsewhere is."""
    if limit.role != LIMIT or not limit.parent or used.parent == limit.parent:
        return False
    return any(fact.parent == limit.parent and fact.role == USED and fact.unit == limit.unit for fact in facts)


def of_credit(facts: Sequence[Fact], operation: str, wanted: Fraction | None) -> list[Candidate]:
    """What is left of the only credit limit, or used of it, where the only balance beside it is what is owed."""
    limits = [f for f in facts if f.role == LIMIT and len(f.thing) == 1 and all(same("credit", one) for one in f.thing)]
    told = [f for f in facts if is_priced(f, 0) and not f.previous and f.role in (PLAIN, LEFT)]
    owed = [f for f in told if owes(f.label) or {w.lower() for w in f.words} <= {"balance", "saldo"}]
    left = [f for f in told if f.role == LEFT and f not in owed]
    used, limit = (amount(found[0].figures[0]) if len(found) == 1 else None for found in (owed, limits))
    if used is None or limit is None or left or used.unit != limit.unit or used.value < 0:
        return []
    name = limits[0].label
    return _of_limit((limits[0], owed[0]), (name, used), (name, limit), operation, wanted)


def of_goal(facts: Sequence[Fact], operation: str, wanted: Fraction | None) -> list[Candidate]:
    """What is left to the only goal, or reached of it, where the only fund of its unit is of no other name."""
    limits = [f for f in facts if f.role == LIMIT and amount(f.figures[0]) is not None]
    goals = [f for f in limits if any(fold(word) in GOALS for word in f.words)]
    limit = amount(goals[0].figures[0]) if len(goals) == 1 else None
    if limit is None:
        return []
    alike = [f for f in facts if f is not goals[0] and (n := amount(f.figures[0])) and n.unit == limit.unit]
    own = [f for f in alike if f.thing & goals[0].thing and f.parent != goals[0].parent]
    told = [f for f in alike if not f.previous and f.role in (PLAIN, LEFT, TOTAL) and not f.period.month]
    funds = [f for f in told if subjects_in(f.label) & subjects_in(_FUNDS)] or told
    totals = [f for f in alike if f.role == TOTAL and not f.previous]
    funds, own = (totals, []) if len(totals) == 1 else (funds, own)  # what was raised in all of what is to be raised
    reached = amount(funds[0].figures[0]) if len(funds) == 1 and not own else None
    if reached is None:
        return []
    of = (goals[0], funds[0])
    return _of_limit(of, (funds[0].label, reached), (goals[0].label, limit), operation, wanted)


def _of_limit(
    facts: tuple[Fact, Fact], used: Part, limit: Part, operation: str, wanted: Fraction | None
) -> list[Candidate]:
    """What an operation comes to on what is used of a limit; how far that is passed where nothing is left."""
    asked = "over" if operation == "left" and used[1].value > limit[1].value else operation
    pairs = of_limit(used, limit, wanted)
    return [Candidate(p.operation, facts, p.value, facts[0].label, p.parts) for p in pairs if p.operation == asked]


def beyond_limits(facts: Sequence[Fact], place: int = 0) -> Iterator[Candidate]:
    """What is used above a limit costs."""
    priced = [fact for fact in facts if is_priced(fact, place)]
    limits = [fact for fact in facts if fact.role == LIMIT]
    for used, limit, rate in itertools.product(facts if priced and limits else (), limits, priced):
        if (found := beyond(used, limit, rate, place)) is not None:
            yield Candidate(found.operation, (used, rate), found.value, found.label, found.parts)


def row_against(question: Question, of: Candidate) -> str:
    """The row that a question compares the one that it names with: that of the answer before, or the latest.

    Empty where it compares with none.
    """
    if question.operation != "compare" or question.period is None or not question.period.month or of.table is None:
        return ""
    dated = [row for row in (of.rows if len(of.rows) == 1 else of.table.rows) if row.day is not None]
    latest = max((row.day.day for row in dated if row.day), default=None)
    return month_name(latest.month, question.language) if latest else of.rows[0].name if len(of.rows) == 1 else ""
