"""Ways to answer a question from the rows of a table: what they say, what they come to, which are above what."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction

from engine.generation.extractive.account_figures.asking.amounts import needed
from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.candidates.bounds import Bound
from engine.generation.extractive.account_figures.candidates.choosing import Choice
from engine.generation.extractive.account_figures.candidates.fact import Fact, Row, Table
from engine.generation.extractive.account_figures.candidates.grouping import grouped, of_named
from engine.generation.extractive.account_figures.candidates.pairing import (
    amount,
    cost,
    is_priced,
    is_whole_sum,
    of_limit,
    summed,
    total,
)
from engine.generation.extractive.account_figures.candidates.values import (
    Candidate,
    beyond_limits,
    of_so_many,
    of_two,
    of_value,
)
from engine.generation.extractive.account_figures.figure import Amount, Day, Value
from engine.generation.extractive.account_figures.measures import LIMIT, TOTAL
from engine.generation.extractive.account_figures.ranking.forms import PER, PLAIN
from engine.generation.extractive.account_figures.ranking.matching import Matcher
from engine.generation.extractive.account_figures.vocabulary import GOALS, month_called, stems_of, vocabulary
from engine.text.dates import fold

#: What rows are called that are days.
DAY = "day"
#: Facts that are held against each other: of more, those nearest to the question; and columns of a table.
PAIRED = 24
#: The probability that a question asks for an average from which numbers with nothing in common are divided.
RATES = 0.1


def of_rows(
    question: Question,
    matcher: Matcher,
    table: Table,
    facts: Sequence[Fact],
    tables: Sequence[Table],
    named: Callable[[Table], Choice | None],
    bound: Bound | None,
) -> Iterator[Candidate]:
    """What rows say and come to, each alone, or those of one thing together where the question asks for things.

    Args:
        named: Which rows of a table the question names.
    """
    choice, wanted = named(table), needed(question)
    if table.periods is not None:
        yield from of_things(question, table, named(table.periods), choice, bound)
        return
    if (by := grouped(question, matcher, table, choice)) is not None:
        yield from (replace(one, choice=choice) for one in of_table(question, by, None, bound, wanted))
        return
    own = of_named(question, matcher, table, choice)
    yield from own
    every = of_table(question, table, choice, bound, wanted)
    yield from (one for one in every if not one.ignores) if own else every
    yield from against_before(table, facts)
    yield from priced_apart(table, facts, choice)
    yield from against_limit(table, facts, choice)
    yield from counted_against_limit(table, facts, tables, wanted)


def of_table(
    question: Question, table: Table, choice: Choice | None, bound: Bound | None, wanted: Fraction | None
) -> Iterator[Candidate]:
    """What the rows that a question names say and come to, and what all rows of the table do.

    Args:
        choice: The rows that it names; None where it names none.
        bound: The number or the day that it names.
        wanted: The number that it asks for more of.
    """
    every = range(len(table.rows))
    ratios = PER.search(fold(question.text)) is not None or question.chances.get("percent", 0.0) >= RATES
    if choice is not None and choice.lacks:
        for column in table.columns:
            yield Candidate("empty", (column,), None, column.label, table=table, lacks=True)
    elif choice is not None:
        rows = _of_rows(table, choice.places, bound, question.rank, ratios=ratios)
        named = [*rows, *_between_groups(table, choice), *_shares(table, choice)]
        if len(choice.places) == 1:
            named += _of_row(table, choice.places[0], wanted)
        if choice.without and PLAIN.match(fold(question.text)):
            named = [
                one for one in named if one.operation in ("list", "count")
            ]  # whether there are any is told by which
        yield from (replace(one, table=table, choice=choice) for one in named)
    timed = choice is not None and choice.timed
    for one in _of_rows(table, every, bound, question.rank, ratios=ratios):
        if timed and one.operation == "sum":
            continue  # of that time, and not of all
        yield replace(one, table=table, ignores=choice is not None)


def of_things(
    question: Question, table: Table, named: Choice | None, choice: Choice | None, bound: Bound | None
) -> Iterator[Candidate]:
    """What the things of a pivot table come to in the one period that a question names, or in all together.

    What one thing says is said by the table of its periods.

    Args:
        named: The periods that it names.
        choice: The things that it names.
    """
    told = {table.periods.rows[place].name for place in named.places} if table.periods and named else {table.of_all}
    columns = tuple(column for column in table.columns if column.leaf in told)
    for one in of_table(question, replace(table, columns=columns), choice, bound, None) if len(columns) == 1 else ():
        if one.operation == "share" or len(one.rows) != 1 or one.choice is None:
            yield replace(one, table=table)


def _of_row(table: Table, place: int, wanted: Fraction | None) -> Iterator[Candidate]:
    """What one row says."""
    row = table.rows[place]
    found = [one for c in table.columns for one in itertools.chain(of_value(c, place), of_so_many(c, wanted, place))]
    for one, other in itertools.permutations(table.columns[:PAIRED], 2):
        found += of_two(one, other, wanted, place=place, rates=True)
    found += beyond_limits(table.columns[:PAIRED], place)
    if row.day is not None:
        found.append(Candidate("date", table.columns[:1], row.day, row.name))
    yield from (replace(one, rows=(row,)) for one in found)


def _of_rows(
    table: Table, places: Sequence[int], bound: Bound | None, rank: int = 1, *, ratios: bool = False
) -> Iterator[Candidate]:
    """What rows come to: how many, their names, what a column of them, or two of them together, come to."""
    rows = tuple(table.rows[place] for place in places)
    if not table.family:
        dated = any(row.day is not None for row in table.rows) or table.monthly
        days = not table.key and dated  # "calls by day" are not counted by rows
        name = DAY if days else table.name or table.key
        if days or not _of_counts(table):
            yield Candidate("count", (), Amount(Fraction(len(rows))), name, rows=rows)
        if days and any(row.told for row in table.rows):  # each is something that was on a day
            yield Candidate("count", (), Amount(Fraction(len(rows))), "", rows=rows)
        yield Candidate("list", (), None, name, rows=rows)
    for column in table.columns:
        cells = [(table.rows[p], f.value) for p in places if (f := column.figures[p]) is not None]
        found = list(_bounded(cells, bound))
        if len({is_priced(column, p) for p in places}) == 1:  # seats and their prices have no sum
            found += [*_calculated(cells, mean=not _of_counts(table)), *_extremes(cells)]
        for operation, value, named, side in found:
            parts = tuple((row.name, v) for row, v in cells if isinstance(v, Amount))
            yield Candidate(operation, (column,), value, column.label, parts, tuple(named), bound=side)
        for operation, value, named in _ranked(cells, rank) if rank > 1 else ():
            yield Candidate(operation, (column,), value, column.label, (), tuple(named), rank=rank)
        if len(cells) > 1 and isinstance(cells[0][1], str):
            yield Candidate("texts", (column,), None, column.label, rows=rows)
    for one, other in itertools.permutations(table.columns[:PAIRED], 2):
        yield from _against_each_other(places, one, other)
        yield from _multiplied(places, one, other)
        yield from _divided(places, one, other) if ratios else ()


def _of_counts(table: Table) -> bool:
    """Whether its rows count what the table is called, by kinds: "pupils: 12 in English, 9 in French" are not two."""
    first = table.columns[0]
    counts = len(table.columns) == 1 and first.label == table.name != "" and isinstance(first.value, Amount)
    return counts and not table.family and not table.monthly


Cells = Sequence[tuple[Row, Value]]
Found = tuple[str, Value, Sequence[Row], Bound | None]


def _bounded(cells: Cells, bound: Bound | None) -> Iterator[Found]:
    """The rows on one side of a number."""
    if bound is None:
        return
    days = [(row, Fraction(value.day.toordinal())) for row, value in cells if isinstance(value, Day)]
    numbers = days if bound.dated else [(row, value.value) for row, value in cells if isinstance(value, Amount)]
    held = [row for row, number in numbers if bound.holds(number)]
    if not numbers:
        return
    yield "count", Amount(Fraction(len(held))), held, bound
    if held:
        yield "list", None, held, bound


def _calculated(cells: Cells, *, mean: bool) -> Iterator[Found]:
    """The sum and, where it says something, the mean of numbers of one unit."""
    amounts = [(row, value) for row, value in cells if isinstance(value, Amount)]
    whole, rows = total([value for _, value in amounts]), [row for row, _ in amounts]
    if len(amounts) < 2 or whole is None:
        return
    yield "sum", whole, rows, None
    if mean:
        yield "average", whole.like(round(whole.value / len(amounts), 2)), rows, None


def _extremes(cells: Cells) -> Iterator[Found]:
    """The rows of the largest and smallest number, or of the last and first day."""
    amounts = [(value.value, value, row) for row, value in cells if isinstance(value, Amount)]
    days = [(value.day, value, row) for row, value in cells if isinstance(value, Day)]
    alike = len({value.unit for _, value, _ in amounts}) == 1
    for found in (amounts if alike else [], days):
        for operation, value, rows in _placed(found, 1) if len(found) > 1 else ():
            yield operation, value, rows, None


def _ranked(cells: Cells, rank: int) -> Iterator[tuple[str, Value, Sequence[Row]]]:
    """The rows that come second, third and so on by their number, from the top and from the bottom."""
    return _placed([(value.value, value, row) for row, value in cells if isinstance(value, Amount)], rank)


def _placed(
    found: Sequence[tuple[Fraction | date, Value, Row]], place: int
) -> Iterator[tuple[str, Value, Sequence[Row]]]:
    """The values at a place in their order, from 1, from the top and the bottom, with their rows; equals share it."""
    ordered = sorted({key for key, _, _ in found})
    ends = (("highest", ordered[-place]), ("lowest", ordered[place - 1])) if place <= len(ordered) else ()
    for operation, key in ends:
        value = next(value for one, value, _ in found if one == key)
        yield operation, value, [row for one, _, row in found if one == key]


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
            label, many = f"{one.label} / {other.label}", Amount(Fraction(len(held)))
            yield Candidate(operation, (one, other), None, label, rows=tuple(held))
            yield Candidate("count", (one, other), many, label, rows=tuple(held))


def _multiplied(places: Sequence[int], one: Fact, other: Fact) -> Iterator[Candidate]:
    """The sum of the prices of what rows count: an invoice by its lines."""
    priced = (
        len(places) > 1
        and not is_whole_sum(other)
        and all(is_priced(other, p) and not is_priced(one, p) for p in places)
    )
    pairs = [(one.rows[p], amount(one.figures[p]), amount(other.figures[p])) for p in places] if priced else []
    told = [(row.name, cost(other, "", a, b).value) for row, a, b in pairs if a and b and a.unit != "%"]
    parts = tuple((name, value) for name, value in told if isinstance(value, Amount))
    if len(parts) == len(places) > 1:
        whole = total([value for _, value in parts])
        yield Candidate("sum", (one, other), whole, f"{one.label} × {other.label}", parts)


def _divided(places: Sequence[int], one: Fact, other: Fact) -> Iterator[Candidate]:
    """The rows with most and least of one number for each of another: clicks per euro."""
    pairs = [(one.rows[p], amount(one.figures[p]), amount(other.figures[p])) for p in places]
    cells = [(row, a.like(round(a.value / b.value, 2))) for row, a, b in pairs if a and b and b.value and a.unit != "%"]
    for operation, value, named, _ in _extremes(cells) if len(cells) > 1 else ():
        yield Candidate(operation, (one, other), value, f"{one.label} / {other.label}", (), tuple(named))


def priced_apart(table: Table, facts: Sequence[Fact], choice: Choice | None) -> Iterator[Candidate]:
    """What the numbers of a table cost at prices that stand beside it."""
    if table.family or (choice is not None and choice.lacks):
        return
    places = choice.places if choice is not None else tuple(range(len(table.rows)))
    prices = [fact for fact in facts if is_priced(fact, 0) and not fact.previous and not is_whole_sum(fact)]
    for column, price in itertools.product(table.columns, prices):
        count, rate = summed(column, places), amount(price.figures[0])
        each = bool(column.unit) and column.unit in map(fold, price.words)
        if count is None or rate is None or count.is_money or not (each or column.thing & price.thing):
            continue
        found = cost(price, f"{column.label} × {price.label}", count, rate, column.label)
        rows = tuple(table.rows[place] for place in places)
        yield Candidate("cost", (column, price), found.value, found.label, found.parts, rows, table, choice)


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
        one, other = summed(column, mine), summed(column, others)
        if one is not None and other is not None and one.unit == other.unit:
            parts = ((first, one), (second, other))
            yield Candidate(operation, (column,), one.like(one.value - other.value), column.label, parts, rows)


def _shares(table: Table, choice: Choice) -> Iterator[Candidate]:
    """What share of the whole the chosen rows have."""
    name = ", ".join(dict.fromkeys(choice.names))
    rows = tuple(table.rows[place] for place in choice.places)
    for column in table.columns:
        part, whole = summed(column, choice.places), summed(column, range(len(table.rows)))
        if part is not None and whole is not None and whole.value and part.unit != "%":
            share = part.like(part.value / whole.value * 100)
            yield Candidate("share", (column,), share, f"{column.label}, {name}", (("", part), ("", whole)), rows)


def against_before(table: Table, facts: Sequence[Fact]) -> Iterator[Candidate]:
    """The sum of a column against a single value for the period before, which no other single value is against."""
    alone = {f.thing for f in facts if not f.previous and amount(f.figures[0]) is not None}
    for column, before in itertools.product(table.columns, facts):
        now, then = summed(column, range(len(table.rows))), amount(before.figures[0])
        related = before.previous and column.thing & before.thing and before.thing not in alone
        if now is not None and then is not None and related and now.unit == then.unit:
            parts = ((column.label, now), (before.label, then))
            more = now.like(now.value - then.value)
            yield Candidate("compare", (column, before), more, column.label, parts, (), table)


def against_limit(table: Table, facts: Sequence[Fact], choice: Choice | None) -> Iterator[Candidate]:
    """The rows that are meant, or all of them, against a limit or a goal that stands beside the table."""
    if choice is not None and choice.lacks:
        return
    places: Sequence[int] = choice.places if choice is not None else range(len(table.rows))
    if choice is None and table.monthly:  # of a month is the limit
        places = [_latest(table)]
    if table.family:  # the parts of a whole that stands beside them
        limits = [fact for fact in facts if fact.role in (LIMIT, TOTAL) and fact.parent == table.name != ""]
    else:
        limits = [fact for fact in facts if fact.role == LIMIT and not fact.rows]
    for column, limit in itertools.product(table.columns, limits):
        used, most = summed(column, places), amount(limit.figures[0])
        inside = table.monthly and table.name and limit.parent == table.name and len(table.columns) == 1
        near = column.thing & limit.thing or not limit.thing or inside
        related = table.family or (column.role != LIMIT and near)
        related = related and is_priced(column, 0) is is_priced(limit, 0)  # a count has no budget
        if used is None or most is None or not related or (used.unit and most.unit and used.unit != most.unit):
            continue
        rows = tuple(table.rows[place] for place in places)
        of = Candidate("over", (column, limit), None, column.label, (), rows if len(rows) == 1 else (), table, choice)
        for found in of_limit((column.label, used), (limit.label, most), None):
            yield replace(of, operation=found.operation, value=found.value, parts=found.parts)
        every = places if choice is not None else range(len(table.rows))
        told = [(table.rows[p], a.value) for p in every if (a := amount(column.figures[p])) is not None]
        for operation, held in (
            ("rows_over", [row for row, value in told if value >= most.value]),
            ("rows_under", [row for row, value in told if value < most.value]),
        ):
            if 0 < len(held) < len(told):
                yield replace(of, operation=operation, label=f"{column.label} / {limit.label}", rows=tuple(held))


def _latest(table: Table) -> int:
    """The place of the latest month of a table of months: of those without a year the last, unless they go back."""
    days = {place: row.day.day for place, row in enumerate(table.rows) if row.day is not None}
    if len(days) == len(table.rows):
        return max(days, key=lambda place: days[place])
    called = [month_called(row.name) for row in table.rows]
    return 0 if called == sorted(called, reverse=True) else len(called) - 1


def counted_against_limit(
    table: Table, facts: Sequence[Fact], tables: Sequence[Table], wanted: Fraction | None
) -> Iterator[Candidate]:
    """How many rows a list has against the most that there may be: of its own, or of nothing else that is there."""
    if table.family or not table.name or not table.key:
        return
    lists = [one for one in tables if not one.family and one.key]
    plain = [fact for fact in facts if not fact.rows and fact.role != LIMIT]
    names = stems_of(f"{table.name} {table.key}")
    count = Amount(Fraction(len(table.rows)))
    for limit in facts:
        most = amount(limit.figures[0])
        if limit.role != LIMIT or most is None or most.unit or any(fact.thing & limit.thing for fact in plain):
            continue
        if any(fold(word) in GOALS for word in limit.words):
            continue  # so much is to be reached, and not so many rows
        own = bool(limit.thing & names)
        if own or len(lists) == 1:
            for found in of_limit((table.name, count), (limit.label, most), wanted, loose=not own):
                yield Candidate(found.operation, (limit,), found.value, limit.label, found.parts, loose=not own)
