"""Rows against a limit that stands beside their table, and columns of money that nothing is multiplied with."""

from __future__ import annotations

import json
from datetime import date

import pytest

from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.account_figures.candidates.choosing import Choice
from engine.generation.extractive.account_figures.candidates.facts import facts_of
from engine.generation.extractive.account_figures.candidates.tables import against_limit, of_table
from engine.generation.extractive.account_figures.figure import Amount
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from tests.account_cases import encoder

TOURS = {
    "budget_eur": 100,
    "tours": [
        {"month": "2026-08", "cost_eur": 40, "singers": 120},
        {"month": "2026-09", "cost_eur": 130, "singers": 80},
        {"month": "2026-10", "cost_eur": 90, "singers": 150},
    ],
}


def against(choice: Choice | None, *operations: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """The rows that are told against a limit, by the operation and the column."""
    facts, tables = facts_of(read_figures(json.dumps(TOURS)))
    return {
        (one.operation, one.facts[0].leaf): tuple(row.name for row in one.rows)
        for one in against_limit(tables[0], facts, choice)
        if one.operation in operations
    }


def test_all_months_are_held_against_a_limit_and_only_the_last_one_is_over_it() -> None:
    told = against(None, "rows_over", "rows_under", "over")
    assert told["rows_over", "cost"] == ("2026-09",)
    assert told["rows_under", "cost"] == ("2026-08", "2026-10")
    assert told["over", "cost"] == ("2026-10",)


def test_of_months_that_are_chosen_no_other_one_is_told() -> None:
    told = against(Choice((0, 1)), "rows_over", "rows_under")
    assert told == {("rows_over", "cost"): ("2026-09",), ("rows_under", "cost"): ("2026-08",)}
    assert against(Choice((0, 2)), "rows_over", "rows_under") == {}  # both are under it: nothing tells them apart


def test_a_count_has_no_budget_and_a_time_without_rows_no_limit() -> None:
    assert {leaf for _, leaf in against(None, "rows_over", "rows_under", "over", "left", "percent")} == {"cost"}
    assert against(Choice((0,), lacks=True), "rows_over", "rows_under", "over", "left", "percent") == {}


@pytest.mark.parametrize(
    ("column", "costs"),
    [("price_eur", [64]), ("ticket_price_eur", [64]), ("total_eur", []), ("importe_eur", []), ("bill_eur", [])],
)
def test_a_price_is_multiplied_and_a_sum_is_not(column: str, costs: list[int]) -> None:
    rows = [{"show": "Alba", "seats": 2, column: 12}, {"show": "Brisa", "seats": 4, column: 10}]
    question = Operations(encoder()).read("how much do the shows come to", date(2026, 11, 27))
    _, (table,) = facts_of(read_figures(json.dumps({"shows": rows})))
    found = [
        one for one in of_table(question, table, None, None, None) if one.operation == "sum" and len(one.facts) == 2
    ]
    assert [one.value.value for one in found if isinstance(one.value, Amount)] == costs
