"""What two numbers come to: a rest, a share, a difference, a price of so many, so many a piece."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from engine.generation.extractive.account_figures.asking.synonyms import late, opposite
from engine.generation.extractive.account_figures.candidates.fact import Fact
from engine.generation.extractive.account_figures.figure import Amount, Value, is_price
from engine.generation.extractive.account_figures.measures import LEFT, LIMIT, TOTAL, USED
from engine.text.dates import fold

Part = tuple[str, Amount]
_MONTHS = 12
#: What the name of a rate has: it is of one already.
_RATE = re.compile(r"\b(?:per|por|each|cada|every)\b")


#: Names of money that was paid or earned in all.
_SUMS = re.compile(
    r"\b(?:importes?|amounts?|totale?s?|gastos?|gastado|spen[dt]|facturas?|facturad[oa]|invoices?|bill(?:s|ed)?|recibos?|"
    r"pagad[oa]|paid|revenue|turnover|ingresos?|ventas|sales|charged|cobrad[oa])\b"
)


@dataclass(frozen=True, slots=True)
class Pairing:
    """One calculation on two numbers.

    Attributes:
        parts: The numbers that it is calculated from, with their names.
        loose: The names of the two share no word.
    """

    operation: str
    value: Value
    label: str
    parts: tuple[Part, ...]
    loose: bool = False


def pairings(one: Fact, other: Fact, wanted: Fraction | None, *, place: int = 0, rates: bool = False) -> list[Pairing]:
    """All calculations on the numbers of two facts, in this order.

    Args:
        wanted: The number that the question asks for more of.
        place: Of the row, where both are columns.
        rates: Also how much of the one there is for each of the other where their names share nothing.
    """
    a, b = amount(one.figures[place]), amount(other.figures[place])
    if a is None or b is None:
        return []
    loose = not _related(one, other)
    whole = other.role in (LIMIT, TOTAL) or (one.role == USED and not other.role and one.thing == other.thing)
    bounds = whole and one.role not in (LIMIT, TOTAL) and not one.previous and not other.previous
    found: list[Pairing] = []
    kin = not loose or (a.unit == b.unit and is_priced(one, place) is is_priced(other, place))
    own = a.unit == b.unit or bool(one.thing & other.thing) or one.parent == other.parent != ""
    if _alike(a, b) and bounds and kin and own:
        found = of_limit((one.label, a), (other.label, b), wanted, left=one.role == LEFT, loose=loose)
    elif _alike(a, b) and not loose and not bounds:
        found = list(_beside(one, other, (one.label, a), (other.label, b)))
    divided = b.value and not bounds and one.previous == other.previous and not _RATE.search(fold(one.label))
    if divided and (rates or not loose) and "%" not in (a.unit, b.unit):
        each = a.like(round(a.value / b.value, 2))
        parts = ((one.label, a), (other.label, b))
        found.append(Pairing("ratio", each, f"{one.label} / {other.label}", parts, loose))
    if a.unit == "%" and is_priced(other, place) and not one.previous:
        part = b.like(round(b.value * a.value / 100, 2))
        found.append(Pairing("cost", part, f"{one.label} × {other.label}", ((one.label, a), (other.label, b)), loose))
    priced = is_priced(one, place) and one.role != LEFT and not is_whole_sum(one)
    if priced and not is_priced(other, place) and b.unit != "%" and not loose and not one.previous:
        found.append(cost(one, f"{other.label} × {one.label}", b, a, other.label))
    return found


def of_limit(
    used_: Part, limit_: Part, wanted: Fraction | None, *, left: bool = False, loose: bool = False
) -> list[Pairing]:
    """What a number comes to that is used of a limit, or left of it."""
    (label, a), (_, b) = used_, limit_
    used = b.like(b.value - a.value) if left else a
    rest = b.like(b.value - used.value)
    found: list[tuple[str, Value]] = [("used", used)] if left else [("left", rest), ("over", used.value > b.value)]
    if wanted is not None:
        found.append(("enough", rest.value >= wanted))
    if b.value:
        found.append(("percent", a.like(used.value / b.value * 100)))
    needs = (("", b.like(wanted)),) if wanted is not None else ()
    return [
        Pairing(name, value, label, (used_, limit_, *(needs if name == "enough" else ())), loose)
        for name, value in found
    ]


def cost(price: Fact, label: str, count: Amount, rate: Amount, counted: str = "") -> Pairing:
    """What a count costs at a rate, which may be for several: "per 500 points"."""
    several = next(
        (Fraction(n) for word in price.words if (n := word.strip(".,")).isdecimal() and int(n) > 1), Fraction(1)
    )
    of = count.like(count.value / several)
    return Pairing("cost", rate.like(of.value * rate.value), label, ((counted, of), (price.label, rate)))


def beyond(used: Fact, limit: Fact, rate: Fact, place: int = 0) -> Pairing | None:
    """What is used above a limit costs, at a price for each; None where it is not above, or they are strangers."""
    a, b, price = (amount(fact.figures[place]) for fact in (used, limit, rate))
    if a is None or b is None or price is None or not is_priced(rate, place) or a.is_money or limit.role != LIMIT:
        return None
    each = bool(limit.unit) and fold(limit.unit) in map(fold, rate.words)  # "overage per GB"
    near = _related(used, limit) and (each or _related(rate, limit)) and used.role != LIMIT
    if not near or a.value <= b.value or not _alike(a, b):
        return None
    extra = a.like(a.value - b.value)
    label = f"({used.label} − {limit.label}) × {rate.label}"
    return cost(rate, label, extra, price, used.label)


def is_priced(fact: Fact, place: int) -> bool:
    """Whether a fact is an amount of money by its unit or by its name."""
    figure = fact.figures[place]
    value = figure.value if figure is not None else None
    return isinstance(value, Amount) and (value.is_money or (not value.unit and is_price(figure)))  # type: ignore[arg-type]


def _alike(a: Amount, b: Amount) -> bool:
    same = not a.unit or not b.unit or a.unit.casefold() == b.unit.casefold()
    return same and a.is_money is b.is_money


def _beside(one: Fact, other: Fact, mine: Part, others: Part) -> Iterator[Pairing]:
    """What two numbers come to that stand side by side, or of which one is of the period before."""
    (_, a), (_, b) = mine, others
    if (one.previous and not other.previous) or one.role == LIMIT:
        return
    before = other.previous and not one.previous
    months = one.period.month and other.period.month and one.period.month != other.period.month
    later = months and (one.period.month - other.period.month) % _MONTHS <= _MONTHS / 2
    found: list[tuple[str, Value]] = [("compare" if before or later else "difference", a.like(a.value - b.value))]
    if not before and one.role == other.role:
        found.append(("together", a.like(a.value + b.value)))
    if not before and not months and 0 < a.value <= b.value and a.unit == b.unit != "%":
        found += [("share", a.like(a.value / b.value * 100)), ("rest", b.like(b.value - a.value))]
    yield from (Pairing(name, value, one.label, (mine, others)) for name, value in found)
    if not before and not months and one.role == other.role and a.value > 0 and b.value > 0 and a.unit != "%":
        both = (f"{one.label} + {other.label}", a.like(a.value + b.value))
        yield Pairing("part", a.like(a.value / both[1].value * 100), one.label, (mine, both))


def is_whole_sum(fact: Fact) -> bool:
    """Whether money is what all of a thing or a row comes to by its name, so that nothing is multiplied with it."""
    return _SUMS.search(fold(fact.label)) is not None and _RATE.search(fold(fact.label)) is None


def wholes_of(part: Fact, columns: Sequence[Fact]) -> list[str]:
    """The names of the columns of which a column counts those in a state: no row has more in it than in these."""
    states = [word for word in part.words if opposite(word)[0] or late(word)]
    counts = list(map(amount, part.figures))
    return [
        whole.label
        for whole in columns
        if states and whole is not part and not any(opposite(word)[0] or late(word) for word in whole.words)
        if all(
            a and b and a.value <= b.value and a.unit == b.unit
            for a, b in zip(counts, map(amount, whole.figures), strict=True)
        )
    ]


def _related(one: Fact, other: Fact) -> bool:
    """Whether two facts are of one thing or one period by their names, or stand in one object, row or sentence."""
    if one.thing & other.thing or (one.rows and one.rows is other.rows):
        return True
    if one.parent == other.parent and one.period == other.period and (one.period.which or one.period.month):
        return True
    bare = not one.thing or not other.thing
    if bare and one.previous is not other.previous and fold(one.leaf) == fold(other.leaf):
        return True  # {"invoice": {"total": 68}, "previous_month": {"total": 84}}
    beside = one.parent == other.parent and (bool(one.parent) or (bare and bool(one.role or other.role)))
    first, second = one.figures[0], other.figures[0]
    return beside or bool(first and second and first.sentence and first.sentence == second.sentence)


def amount(figure: object) -> Amount | None:
    """The number of a figure; None where it has none."""
    value = getattr(figure, "value", None)
    return value if isinstance(value, Amount) else None


def total(amounts: Sequence[Amount]) -> Amount | None:
    """The sum of amounts; None where there are none, or their units differ."""
    alike = len({one.unit for one in amounts}) == 1
    return amounts[0].like(sum((one.value for one in amounts), Fraction(0))) if alike else None


def summed(column: Fact, places: Sequence[int]) -> Amount | None:
    """The sum of the numbers that a column has in these rows; None where there are none, or their units differ."""
    return total([a for p in places if (a := amount(column.figures[p])) is not None])
