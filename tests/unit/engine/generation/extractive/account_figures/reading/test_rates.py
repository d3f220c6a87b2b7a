"""Rates of one column by another, asked for over rows."""

from __future__ import annotations

import json

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.reading.rates import with_rates
from tests.account_cases import encoder

SHOPS = json.dumps(
    {
        "shops": [
            {"name": "Pier", "orders": 400, "returns": 20, "visits": 9000, "wait_ms": 31},
            {"name": "Mill", "orders": 50, "returns": 5, "visits": 700, "wait_ms": 12},
            {"name": "Dock", "orders": 1000, "returns": 10, "visits": 20000, "wait_ms": 45},
        ]
    }
)


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder())


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("which shop has the highest return rate?", "10%, Mill"),
        ("which shop has the lowest rate of returns?", "1%, Dock"),
        ("¿qué tienda tiene la mayor tasa de devoluciones?", "10 %, Mill"),
    ],
)
def test_the_most_of_a_rate_is_told_of_rates(figures: AccountFigures, query: str, told: str) -> None:
    assert told in figures.answer(query, SHOPS)


def test_what_goes_on_from_a_rate_is_of_it_too(figures: AccountFigures) -> None:
    before = ["which shop has the highest return rate?"]
    assert "1%, Dock" in figures.answer("and the lowest?", SHOPS, before=before)


def test_one_row_is_still_told_with_both_numbers(figures: AccountFigures) -> None:
    assert "20 of 400" in figures.answer("what is the return rate of Pier?", SHOPS)


@pytest.mark.parametrize(
    ("query", "before"),
    [
        ("which shop has the most returns?", ()),  # no rate
        ("what is the return rate of Pier?", ()),  # of one row
        ("which shop has the highest delay rate?", ()),  # no such column
        ("what is its return rate?", ("which shop has the most orders?",)),
        ("and its orders?", ("which shop has the highest return rate?",)),
    ],
)
def test_nothing_is_added_where_no_rate_over_rows_is_asked_for(query: str, before: tuple[str, ...]) -> None:
    read = read_figures(SHOPS)
    assert with_rates(read, query, before) == read


def test_a_column_that_is_a_rate_already_stays_alone() -> None:
    rows = [{"name": name, "orders": 10, "returns": 1, "return_rate": 12} for name in ("Pier", "Mill")]
    read = read_figures(json.dumps({"shops": rows}))
    assert with_rates(read, "which shop has the highest return rate?") == read


@pytest.mark.parametrize("orders", [0, 3, "many"])
def test_a_column_is_no_whole_where_a_row_has_less_or_no_number(orders: object) -> None:
    rows = [{"name": "Pier", "orders": orders, "returns": 5}, {"name": "Mill", "orders": 50, "returns": 5}]
    read = read_figures(json.dumps({"shops": rows}))
    assert with_rates(read, "which shop has the highest return rate?") == read


def test_a_question_for_the_slowest_is_of_times_whatever_came_before(figures: AccountFigures) -> None:
    found = figures.answer("which is the slowest?", SHOPS, before=["which shop has the most returns?"])
    assert "45" in found
    assert "Dock" in found


def test_a_column_that_is_named_goes_before_the_one_of_the_question_before(figures: AccountFigures) -> None:
    found = figures.answer("how many visits in total?", SHOPS, before=["which shop has the most returns?"])
    assert "29,700" in found


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("returns per shop", "Returns: Pier 20; Mill 5; Dock 10."),
        ("visits of each shop", "Visits: Pier 9000; Mill 700; Dock 20,000."),
        ("devoluciones por tienda", "Returns: Pier 20; Mill 5; Dock 10."),
        ("return rate by shop", "Returns rate: Pier 5%; Mill 10%; Dock 1%."),
    ],
)
def test_what_is_asked_of_each_row_is_told_of_each(figures: AccountFigures, query: str, told: str) -> None:
    assert told in figures.answer(query, SHOPS)


@pytest.mark.parametrize("query", ["returns per day", "returns per visit", "price per kilo"])
def test_what_rows_are_not_called_is_no_wish_for_each(figures: AccountFigures, query: str) -> None:
    assert "Pier 20; Mill 5" not in figures.answer(query, SHOPS)
