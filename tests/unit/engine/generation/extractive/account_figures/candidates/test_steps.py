"""Candidates that go on from one before: another row of its column, and its price for another stretch of time."""

from __future__ import annotations

import json
from datetime import date
from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.candidates.pairing import total
from engine.generation.extractive.account_figures.candidates.values import (
    Candidate,
    in_months,
    of_stretch,
    of_value,
    one_further,
)
from engine.generation.extractive.account_figures.figure import Amount, Day
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.rules.rows import in_order

TIDES = {"tides": [{"port": "Ost", "rise": 4}, {"port": "Vik", "rise": 6}, {"port": "Lund", "rise": 5}]}
#: The latest first.
DATED = {
    "tolls": [{"day": "2026-03-09", "paid": 9}, {"day": "2026-02-09", "paid": 7}, {"day": "2026-01-09", "paid": 5}]
}
PRICED = {"mooring": {"fee_eur_quarter": 90, "fee_note": "fixed"}, "boats": 3}


def reading(context: object) -> Reading:
    text = json.dumps(context)
    return Reading(read_figures(text), text)


def of_row(context: object, place: int, operation: str = "value") -> Candidate:
    """What the first column of the first table says in a row."""
    table = reading(context).tables[0]
    fact = table.columns[0]
    figure = fact.figures[place]
    assert figure is not None
    return Candidate(operation, (fact,), figure.value, fact.label, rows=(table.rows[place],), table=table)


@pytest.mark.parametrize(("place", "step", "name"), [(1, -1, "Ost"), (1, 1, "Lund"), (0, -1, ""), (2, 1, "")])
def test_rows_without_days_are_in_the_order_of_the_list(place: int, step: int, name: str) -> None:
    found = one_further(of_row(TIDES, place), step)
    assert (found.rows[0].name if found is not None else "") == name


def test_the_value_is_that_of_the_other_row() -> None:
    found = one_further(of_row(TIDES, 2), -1)
    assert found is not None
    assert found.value == Amount(Fraction(6))
    assert found.operation == "value"
    assert found.table is not None


@pytest.mark.parametrize(("place", "step", "value"), [(0, -1, 7), (1, -1, 5), (1, 1, 9)])
def test_rows_with_days_are_in_the_order_of_these(place: int, step: int, value: int) -> None:
    found = one_further(of_row(DATED, place), step)
    assert found is not None
    assert found.value == Amount(Fraction(value))


def test_what_is_calculated_has_no_row_before_it() -> None:
    assert one_further(of_row(TIDES, 1, "share"), -1) is None


def test_what_is_of_no_row_has_none_before_it() -> None:
    fact = reading(PRICED).facts[0]
    assert one_further(next(of_value(fact)), -1) is None


@pytest.mark.parametrize(("months", "value"), [(1, 30), (12, 360)])
def test_a_price_is_for_another_stretch_of_time(months: int, value: int) -> None:
    found = in_months(next(of_value(reading(PRICED).facts[0])), months)
    assert found is not None
    assert found.value == Amount(Fraction(value), "EUR")


def test_a_price_is_not_told_again_for_its_own_stretch() -> None:
    assert in_months(next(of_value(reading(PRICED).facts[0])), 3) is None


@pytest.mark.parametrize("place", [1, 2])
def test_what_is_no_price_for_a_stretch_is_for_no_other(place: int) -> None:
    assert in_months(next(of_value(reading(PRICED).facts[place])), 1) is None


def test_what_counts_has_no_price() -> None:
    assert not list(of_stretch(reading(PRICED).facts[2], Fraction(12)))


@pytest.mark.parametrize(
    ("amounts", "expected"),
    [
        ([Amount(Fraction(2), "GB"), Amount(Fraction(3), "GB")], Amount(Fraction(5), "GB")),
        ([Amount(Fraction(2), "GB"), Amount(Fraction(3), "MB")], None),
        ([], None),
    ],
)
def test_amounts_of_one_unit_have_a_sum(amounts: list[Amount], expected: Amount | None) -> None:
    assert total(amounts) == expected


@pytest.mark.parametrize(
    ("which", "places"),
    [("first", [1]), ("last", [0, 3]), ("next", [2]), ("", [])],
)
def test_days_in_their_order(which: str, places: list[int]) -> None:
    days = [Day(date(2026, month, 3)) for month in (5, 2, 9, 5)]
    assert in_order(days, which, date(2026, 6, 1)) == places


def test_days_of_which_one_is_missing_have_no_order() -> None:
    assert in_order([Day(date(2026, 5, 3)), None], "first", date(2026, 6, 1)) == []


def test_the_last_of_days_to_come_is_the_last_of_all() -> None:
    days = [Day(date(2027, month, 3)) for month in (5, 2)]
    assert in_order(days, "last", date(2026, 6, 1)) == [0]


def test_facts_beside_the_name_of_a_month_are_of_it() -> None:
    facts = reading({"slip": {"month": "May", "net": 1200}, "tax": 90}).facts
    assert [fact.period.month for fact in facts if fact.label in ("slip net", "tax")] == [5, 0]


@pytest.mark.parametrize(
    ("text", "only"), [("and the rise?", True), ("and tax?", False), ("what about the rise in Vik?", False)]
)
def test_a_text_that_is_a_name_alone(text: str, only: bool) -> None:
    assert reading(TIDES).only_name(text) is only


@pytest.mark.parametrize(
    ("rows", "monthly"),
    [({"may": 4, "june": 5, "july": 6}, True), ({"2026-05": 4, "2026-06": 5}, True), ({"a": 4, "b": 5, "c": 6}, False)],
)
def test_a_table_of_months(rows: dict[str, int], monthly: bool) -> None:
    assert reading({"sold": rows, "kept": 3}).tables[0].monthly is monthly
