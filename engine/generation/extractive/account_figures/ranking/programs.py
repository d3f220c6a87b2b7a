"""Ways to answer a question from the facts of a context: an operation on a value, on two, or on rows of a table."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from engine.generation.extractive.account_figures.ranking.choosing import Bound, Choice, bound_in, chosen
from engine.generation.extractive.account_figures.ranking.facts import Fact, Row, Table
from engine.generation.extractive.account_figures.ranking.matching import Matcher
from engine.generation.extractive.account_figures.ranking.pairing import (
    Part,
    amount,
    beyond,
    cost,
    is_priced,
    of_limit,
    pairings,
)
from engine.generation.extractive.account_figures.ranking.terms import (
    LEFT,
    LIMIT,
    PLAIN,
    TOTAL,
    Amount,
    Day,
    Question,
    Value,
    fold,
    needed,
    subjects_in,
    vocabulary,
)

#: What money that is there to be spent is called.
_FUNDS = "balance budget cash savings credit funds"
#: What rows are called that are days.
_DAYS = "day"
#: Facts that are held against each other: of more, those nearest to the question; and columns of a table.
_PAIRED = 40
#: The probability that a question asks for an average from which numbers with nothing in common are divided.
_RATES = 0.1


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

    @property
    def missing(self) -> bool:
        """Whether it says that there is no value, or none of that time."""
        return self.operation == "empty" or self.lacks


def candidates(
    question: Question, matcher: Matcher, facts: Sequence[Fact], tables: Sequence[Table], near: Mapping[str, float]
) -> list[Candidate]:
    """All ways to answer `question`.

    Args:
        near: How near the labels of facts are to the question.
    """
    found: list[Candidate] = []
    wanted = needed(question)
    for fact in facts:
        found += [*_of_value(fact), *_of_so_many(fact, wanted)]
    nearest = sorted(facts, key=lambda fact: -near.get(fact.label, 0.0))[:_PAIRED] if len(facts) > _PAIRED else facts
    rates = question.chances.get("average", 0.0) >= _RATES
    for one, other in itertools.permutations(nearest, 2):
        found += _of_two(one, other, wanted, rates=rates)
    found += _beyond(nearest)
    for table in tables:
        found += _of_table(question, matcher, table, wanted)
        found += _against_before(table, facts)
        found += _against_limit(table, facts, chosen(question, matcher, table))
    return found


def _of_value(fact: Fact, place: int = 0) -> Iterator[Candidate]:
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


def _of_so_many(fact: Fact, wanted: Fraction | None, place: int = 0) -> Iterator[Candidate]:
    """What as many as the question names cost at a price, and whether there is as much money as it names."""
    price = amount(fact.figures[place])
    if price is not None and wanted not in (None, 1) and is_priced(fact, place):
        found = cost(fact, fact.label, Amount(wanted), price)
        yield Candidate("cost", (fact,), found.value, found.label, found.parts, asked=True)
        if fact.role in (LEFT, PLAIN) and not fact.previous and subjects_in(fact.label) & subjects_in(_FUNDS):
            spent = price if fact.role == LEFT else price.like(Fraction(0))
            of = ((fact.label, spent), (fact.label, price), ("", price.like(wanted)))
            yield Candidate("enough", (fact,), price.value >= wanted, fact.label, of, asked=True)


def _of_two(
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


def _beyond(facts: Sequence[Fact], place: int = 0) -> Iterator[Candidate]:
    """What is used above a limit costs."""
    priced = [fact for fact in facts if is_priced(fact, place)]
    limits = [fact for fact in facts if fact.role == LIMIT]
    for used, limit, rate in itertools.product(facts if priced and limits else (), limits, priced):
        if (found := beyond(used, limit, rate, place)) is not None:
            yield Candidate(found.operation, (used, rate), found.value, found.label, found.parts)


def _of_table(question: Question, matcher: Matcher, table: Table, wanted: Fraction | None) -> Iterator[Candidate]:
    choice, bound = chosen(question, matcher, table), bound_in(question)
    every = range(len(table.rows))
    if choice is not None and choice.lacks:
        for column in table.columns:
            yield Candidate("empty", (column,), None, column.label, table=table, lacks=True)
    elif choice is not None:
        named = [*_of_rows(table, choice.places, bound), *_between_groups(table, choice), *_shares(table, choice)]
        if len(choice.places) == 1:
            named += _of_row(table, choice.places[0], wanted)
        yield from (replace(one, table=table, choice=choice) for one in named)
    for one in _of_rows(table, every, bound):
        yield replace(one, table=table, ignores=choice is not None)


def _of_row(table: Table, place: int, wanted: Fraction | None) -> Iterator[Candidate]:
    """What one row says."""
    row = table.rows[place]
    found = [one for c in table.columns for one in itertools.chain(_of_value(c, place), _of_so_many(c, wanted, place))]
    for one, other in itertools.permutations(table.columns[:_PAIRED], 2):
        found += _of_two(one, other, wanted, place=place, rates=True)
    found += _beyond(table.columns[:_PAIRED], place)
    if row.day is not None:
        found.append(Candidate("date", table.columns[:1], row.day, row.name))
    yield from (replace(one, rows=(row,)) for one in found)


def _of_rows(table: Table, places: Sequence[int], bound: Bound | None) -> Iterator[Candidate]:
    """What rows come to: how many, their names, what a column of them comes to."""
    rows = tuple(table.rows[place] for place in places)
    if not table.family:
        days = not table.key and any(
            row.day is not None for row in table.rows
        )  # "calls by day" are not counted by rows
        name = _DAYS if days else table.name or table.key
        yield Candidate("count", (), Amount(Fraction(len(rows))), name, rows=rows)
        yield Candidate("list", (), None, name, rows=rows)
    for column in table.columns:
        cells = [(table.rows[p], f.value) for p in places if (f := column.figures[p]) is not None]
        found = list(_bounded(cells, bound))
        if len({is_priced(column, p) for p in places}) == 1:  # seats and their prices have no sum
            found += [*_calculated(cells), *_extremes(cells)]
        for operation, value, named, side in found:
            parts = tuple((row.name, v) for row, v in cells if isinstance(v, Amount))
            yield Candidate(operation, (column,), value, column.label, parts, tuple(named), bound=side)
        if len(cells) > 1 and isinstance(cells[0][1], str):
            yield Candidate("texts", (column,), None, column.label, rows=rows)
    for one, other in itertools.permutations(table.columns[:_PAIRED], 2):
        yield from _against_each_other(places, one, other)


Cells = Sequence[tuple[Row, Value]]
Found = tuple[str, Value, Sequence[Row], Bound | None]


def _bounded(cells: Cells, bound: Bound | None) -> Iterator[Found]:
    """The rows on one side of a number."""
    amounts = [(row, value) for row, value in cells if isinstance(value, Amount)]
    if bound is None or not amounts:
        return
    held = [row for row, value in amounts if bound.holds(value.value)]
    yield "count", Amount(Fraction(len(held))), held, bound
    if held:
        yield "list", None, held, bound


def _calculated(cells: Cells) -> Iterator[Found]:
    """The sum and the mean of numbers of one unit."""
    amounts = [(row, value) for row, value in cells if isinstance(value, Amount)]
    if len(amounts) < 2 or len({value.unit for _, value in amounts}) > 1:
        return
    rows, first = [row for row, _ in amounts], amounts[0][1]
    total = sum((value.value for _, value in amounts), Fraction(0))
    yield "sum", first.like(total), rows, None
    yield "average", first.like(round(total / len(amounts), 2)), rows, None


def _extremes(cells: Cells) -> Iterator[Found]:
    """The rows of the largest and smallest number, or of the last and first day."""
    amounts = [(value.value, value, row) for row, value in cells if isinstance(value, Amount)]
    days = [(value.day, value, row) for row, value in cells if isinstance(value, Day)]
    alike = len({value.unit for _, value, _ in amounts}) == 1
    for found in (amounts if alike else [], days):
        for operation, pick in (("highest", max), ("lowest", min)):
            if len(found) > 1:
                best = pick(key for key, _, _ in found)
                value = next(value for key, value, _ in found if key == best)
                yield operation, value, [row for key, _, row in found if key == best], None


def _against_each_other(places: Sequence[int], one: Fact, other: Fact) -> Iterator[Candidate]:
    """The rows of which one number is above, below or as large as the other."""
    pairs = [(one.rows[p], amount(one.figures[p]), amount(other.figures[p])) for p in places]
    told = [(row, a, b) for row, a, b in pairs if a is not None and b is not None and a.unit == b.unit]
    related = _is_bound(other) or bool(other.thing & one.thing) or other.previous
    if len(told) < 2 or one.role == LIMIT or not related:
        return
    for operation, held in (
        ("rows_over", [row for row, a, b in told if a.value > b.value]),
        ("rows_under", [row for row, a, b in told if a.value < b.value]),
        ("rows_full", [row for row, a, b in told if a.value == b.value]),
    ):
        if 0 < len(held) < len(told):
            yield Candidate(operation, (one, other), None, f"{one.label} / {other.label}", rows=tuple(held))


def _is_bound(column: Fact) -> bool:
    """Whether a column is the most or the least that there may be by its name."""
    extremes = vocabulary()["superlatives"]
    return column.role == LIMIT or any(fold(word) in extremes["lowest"] + extremes["highest"] for word in column.words)


def _between_groups(table: Table, choice: Choice) -> Iterator[Candidate]:
    """What one of two that are named has more than the other."""
    if len(choice.groups) != 2:
        return
    (first, mine), (second, others) = choice.groups
    rows = tuple(table.rows[place] for place in (*mine, *others))
    later = choice.timed and min(mine, default=0) > max(others, default=0)
    operation = "compare" if later else "difference"
    for column in table.columns:
        one, other = _summed(column, mine), _summed(column, others)
        if one is not None and other is not None and one.unit == other.unit:
            parts = ((first, one), (second, other))
            yield Candidate(operation, (column,), one.like(one.value - other.value), column.label, parts, rows)


def _shares(table: Table, choice: Choice) -> Iterator[Candidate]:
    """What share of the whole the chosen rows have."""
    name = ", ".join(dict.fromkeys(choice.names))
    rows = tuple(table.rows[place] for place in choice.places)
    for column in table.columns:
        part, whole = _summed(column, choice.places), _summed(column, range(len(table.rows)))
        if part is not None and whole is not None and whole.value and part.unit != "%":
            share = part.like(part.value / whole.value * 100)
            yield Candidate("share", (column,), share, f"{column.label}, {name}", (("", part), ("", whole)), rows)


def _against_before(table: Table, facts: Sequence[Fact]) -> Iterator[Candidate]:
    """The sum of a column against a single value for the period before, which no other single value is against."""
    alone = {f.thing for f in facts if not f.previous and amount(f.figures[0]) is not None}
    for column, before in itertools.product(table.columns, facts):
        now, then = _summed(column, range(len(table.rows))), amount(before.figures[0])
        related = before.previous and column.thing & before.thing and before.thing not in alone
        if now is not None and then is not None and related and now.unit == then.unit:
            parts = ((column.label, now), (before.label, then))
            more = now.like(now.value - then.value)
            yield Candidate("compare", (column, before), more, column.label, parts, (), table)


def _against_limit(table: Table, facts: Sequence[Fact], choice: Choice | None) -> Iterator[Candidate]:
    """The rows that are meant, or all of them, against a limit or a goal that stands beside the table."""
    if choice is not None and choice.lacks:
        return
    places = choice.places if choice is not None else range(len(table.rows))
    if table.family:  # the parts of a whole that stands beside them
        limits = [fact for fact in facts if fact.role in (LIMIT, TOTAL) and fact.parent == table.name != ""]
    else:
        limits = [fact for fact in facts if fact.role == LIMIT and not fact.rows]
    for column, limit in itertools.product(table.columns, limits):
        used, most = _summed(column, places), amount(limit.figures[0])
        related = table.family or (column.role != LIMIT and (column.thing & limit.thing or not limit.thing))
        if used is None or most is None or not related or (used.unit and most.unit and used.unit != most.unit):
            continue
        rows = tuple(table.rows[place] for place in places)
        of = Candidate("over", (column, limit), None, column.label, (), rows if len(rows) == 1 else (), table, choice)
        for found in of_limit((column.label, used), (limit.label, most), None):
            yield replace(of, operation=found.operation, value=found.value, parts=found.parts)
        told = [(table.rows[p], a.value) for p in places if (a := amount(column.figures[p])) is not None]
        for operation, held in (
            ("rows_over", [row for row, value in told if value >= most.value]),
            ("rows_under", [row for row, value in told if value < most.value]),
        ):
            if 0 < len(held) < len(told):
                yield replace(of, operation=operation, label=f"{column.label} / {limit.label}", rows=tuple(held))


def _summed(column: Fact, places: Sequence[int]) -> Amount | None:
    amounts = [a for p in places if (a := amount(column.figures[p])) is not None]
    alike = len({amount.unit for amount in amounts}) == 1
    return amounts[0].like(sum((a.value for a in amounts), Fraction(0))) if alike else None
