"""What the figures of one measure come to: what is left, the share used, differences, sums. Numbers are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from engine.generation.extractive.account_figures.figure import Amount
from engine.generation.extractive.account_figures.measures import LEFT, LIMIT, PERCENT, USED, Entry, Measure
from engine.generation.extractive.account_figures.vocabulary import Period


@dataclass(frozen=True, slots=True)
class Usage:
    """Used, limit and rest of a measure, as far as they are known or follow from each other.

    Attributes:
        given: Which of them the context states.
    """

    used: Amount | None
    limit: Amount | None
    left: Amount | None
    share: Fraction | None
    given: frozenset[str]


def usage_of(measure: Measure, limit: Entry | None = None) -> Usage | None:
    """The usage that a measure states.

    Args:
        limit: A limit that the context has without saying of what, where the measure has none.
    """
    bound = measure.first(LIMIT) or limit
    used = _amount(_used(measure, bound) or (None if limit is None else _plain(measure, limit.period)))
    most, left, stated = _amount(bound), _amount(measure.first(LEFT)), _amount(measure.first(PERCENT))
    given = frozenset(
        n for n, a in (("used", used), ("limit", most), ("left", left), ("share", stated)) if a is not None
    )
    if used is None and most is not None and left is not None:
        used = most.like(most.value - left.value)
    if most is None and used is not None and left is not None:
        most = used.like(used.value + left.value)
    if left is None and used is not None and most is not None and _alike(used, most):
        left = most.like(most.value - used.value)
    share = stated.value if stated else None
    if share is None and used is not None and most is not None and most.value and _alike(used, most):
        share = used.value / most.value * 100
    return Usage(used, most, left, share, given) if given else None


def _used(measure: Measure, bound: Entry | None) -> Entry | None:
    """What is used so far: of the limit's unit of time, where that is told."""
    so_far = [e for e in measure.entries if e.role == USED and not e.figure.row and e.period.which != "previous"]
    alike = [e for e in so_far if bound is not None and e.period.unit == bound.period.unit]
    return next(iter([*alike, *so_far]), None) or measure.first(USED)


def _plain(measure: Measure, period: Period) -> Entry | None:
    """The figure that a limit of `period` is held against where none has a role: of that period, else of its unit."""
    alike = (e for e in measure.entries if e.period.unit == period.unit and not e.figure.row)
    return measure.first("", period) or next(alike, measure.first(""))


def _amount(entry: Entry | None) -> Amount | None:
    value = entry.figure.value if entry is not None else None
    return value if isinstance(value, Amount) else None


def _alike(one: Amount, other: Amount) -> bool:
    return not one.unit or not other.unit or one.unit.casefold() == other.unit.casefold()


def two_periods(measure: Measure, asked: Period | None = None, named: Sequence[int] = ()) -> tuple[Entry, Entry] | None:
    """The entries of this period and of the one before; None where the context does not have both.

    Args:
        asked: Days, weeks or months are compared, where the context has several of these; or with that month.
        named: The months that are compared, in the order in which they are said, where these are two.
    """
    numbers = [one for one in measure.entries if isinstance(one.figure.value, Amount) and not one.figure.row]
    said = [[one for one in numbers if one.period.month == month] for month in named]
    if len(said) == 2 and all(len(of_month) == 1 for of_month in said):
        return said[0][0], said[1][0]
    if asked is not None and asked.unit:
        alike = [one for one in numbers if one.period.unit == asked.unit]
        numbers = alike if len({one.period.which for one in alike}) > 1 else numbers
    if asked is not None and asked.month:  # "than in October": the latest of the others against it
        of_it = [one for one in numbers if one.period.month == asked.month]
        others = [one for one in numbers if one.period.month != asked.month and one.role in ("", USED)]
        if of_it and others:
            return max(others, key=lambda one: (not one.period.month, one.period.month)), of_it[0]
    before = next((one for one in numbers if one.period.which == "previous"), None)
    now = next((one for one in numbers if one.period.which != "previous" and one.role in ("", USED)), None)
    if before is not None and now is not None:
        return now, before
    dated = sorted((one for one in numbers if one.period.month), key=lambda one: one.period.month)
    return (dated[-1], dated[-2]) if len(dated) > 1 and now in dated else None


def amounts(entries: Sequence[Entry]) -> list[tuple[Entry, Amount]]:
    """Those of the entries that are numbers, all of one unit; an empty list where the units differ."""
    found = [(entry, entry.figure.value) for entry in entries if isinstance(entry.figure.value, Amount)]
    return found if len({amount.unit for _, amount in found}) < 2 else []


def in_period(measure: Measure, period: Period) -> list[Entry]:
    """The entries of a period that a question names."""
    return [
        one
        for one in measure.entries
        if not one.figure.row
        and (
            (period.month and one.period.month == period.month)
            or (period.which and one.period.which == period.which and period.unit in (one.period.unit, "period"))
            or (period.which and one.period.which == period.which and not one.period.unit)
            or (period.which == "current" and not one.period.which and not one.period.month)
        )
    ]
