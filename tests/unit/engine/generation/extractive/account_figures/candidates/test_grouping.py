"""Rows of one thing are taken together where a question asks for things: hours by person, amounts by client."""

from __future__ import annotations

import json
from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.candidates.grouping import _is_added, lists_all
from engine.generation.extractive.account_figures.candidates.tables import DAY
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from tests.account_cases import encoder

TODAY = date(2026, 11, 20)
SHIFTS = json.dumps(
    {
        "shifts": [
            {"date": "2026-11-02", "nurse": "Ida", "ward": "North", "hours": 6, "rating": 4},
            {"date": "2026-11-02", "nurse": "Max", "ward": "South", "hours": 7, "rating": 5},
            {"date": "2026-11-03", "nurse": "Ida", "ward": "South", "hours": 5.5, "rating": 3},
            {"date": "2026-11-04", "nurse": "Zoe", "ward": "South", "hours": 8, "rating": 5},
            {"date": "2026-12-05", "nurse": "Max", "ward": "North", "hours": 3, "rating": 2},
        ]
    }
)
SALES = (
    "fecha,cliente,importe,estado\n2026-11-02,Acme,120.50,pagada\n2026-11-05,Borges,300,pendiente\n"
    "2026-11-09,Acme,410,pagada\n2026-11-12,Casa Lola,95,pagada\n2026-11-20,Borges,80,pendiente"
)


CARD = json.dumps(
    {
        "transactions": [
            {"merchant": "Lidl", "category": "groceries", "amount_eur": 42.1, "date": "2026-11-03"},
            {"merchant": "Shell", "category": "fuel", "amount_eur": 60, "date": "2026-11-05"},
            {"merchant": "Lidl", "category": "groceries", "amount_eur": 38.4, "date": "2026-11-10"},
            {"merchant": "Netflix", "category": "leisure", "amount_eur": 12.99, "date": "2026-11-12"},
            {"merchant": "Lidl", "category": "groceries", "amount_eur": 51.2, "date": "2026-11-17"},
            {"merchant": "Shell", "category": "fuel", "amount_eur": 55, "date": "2026-11-21"},
        ]
    }
)
CARD_STATES = json.dumps(
    {
        "charges": [
            {"shop": "A", "category": "travel", "amount_eur": 200, "state": "settled"},
            {"shop": "B", "category": "travel", "amount_eur": 100, "state": "settled"},
            {"shop": "C", "category": "food", "amount_eur": 250, "state": "pending"},
            {"shop": "D", "category": "toys", "amount_eur": 20, "state": "pending"},
        ]
    }
)
ROOMS = (
    '{"usos": [{"sala": "A", "horas": 3, "importe": 10}, {"sala": "B", "horas": 2, "importe": 30}, '
    '{"sala": "A", "horas": 1, "importe": 7}]}'
)
CLIENTS = (
    "cliente,fecha,importe\nAcme,2026-11-02,120.50\nBorges,2026-11-05,300\nAcme,2026-11-09,410\nLola,2026-11-12,95"
)


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


@pytest.mark.parametrize(
    ("query", "context", "answer"),
    [
        ("Which nurse worked the most hours?", SHIFTS, "Hours: the most is 11.5, Ida."),
        ("Which nurse has the fewest hours?", SHIFTS, "Hours: the least is 8, Zoe."),
        ("Which ward had the most hours?", SHIFTS, "Hours: the most is 20.5, South."),
        ("Which day had the most hours?", SHIFTS, "Hours: the most is 13, November 2, 2026."),
        ("Which month had the fewest hours?", SHIFTS, "Hours: the least is 3, December."),
        ("¿Qué cliente ha gastado más?", SALES, "Importe: el máximo es 530,5, Acme."),
        ("Which client spent the least?", SALES, "Importe: the least is 95, Casa Lola."),
    ],
)
def test_an_end_is_that_of_the_sums(figures: AccountFigures, query: str, context: str, answer: str) -> None:
    assert figures.answer(query, context) == answer


@pytest.mark.parametrize(
    ("query", "context", "answer"),
    [
        ("How many hours per nurse?", SHIFTS, "Hours: Ida 11.5; Max 10; Zoe 8."),
        ("Total hours by ward", SHIFTS, "Hours: North 9; South 20.5."),
        ("¿Cuánto ha facturado cada cliente?", SALES, "Importe: Acme 530,5; Borges 380; Casa Lola 95."),
    ],
)
def test_what_each_comes_to_is_listed(figures: AccountFigures, query: str, context: str, answer: str) -> None:
    assert figures.answer(query, context) == answer


@pytest.mark.parametrize(
    ("query", "context", "answer"),
    [
        ("Which merchant got the most money?", CARD, "Amount: the most is 131.70 EUR, Lidl."),
        ("Where did I spend the most?", CARD, "Amount: the most is 131.70 EUR, Lidl."),
        ("Which category has the most transactions?", CARD, "Transactions: the most is 3, groceries."),
        ("How many different merchants are there?", CARD, "Merchant: 3."),
        ("Which client spent the most?", CLIENTS, "Importe: the most is 530.5, Acme."),
        ("¿Cuántos clientes hay?", CLIENTS, "Cliente: 3."),
        ("What was our best day by hours?", SHIFTS, "Hours: the most is 13, November 2, 2026."),
        ("¿Cuál es el cliente con más importe?", SALES, "Importe: el máximo es 530,5, Acme."),
        ("¿A qué cliente le he facturado más?", SALES, "Importe: el máximo es 530,5, Acme."),
        ("How much do we sell to each customer?", SALES, "Importe: Acme 530.5; Borges 380; Casa Lola 95."),
        ("Which category am I spending the most on?", CARD_STATES, "Amount: the most is 300 EUR, travel."),
        ("Total por cliente", CLIENTS, "Importe: Acme 530,5; Borges 300; Lola 95."),
    ],
)
def test_rows_that_are_called_alike_are_of_one_thing(
    figures: AccountFigures, query: str, context: str, answer: str
) -> None:
    assert figures.answer(query, context) == answer


def test_a_mean_is_over_the_sums(figures: AccountFigures) -> None:
    assert figures.answer("Average hours per nurse", SHIFTS).startswith("Hours: 9.83 on average (29.5 over 3")
    assert figures.answer("average hours a day", SHIFTS).startswith("Hours: 7.38 on average (29.5 over 4")


def test_rows_of_the_time_or_state_that_is_asked_for_are_taken(figures: AccountFigures) -> None:
    assert figures.answer("Which nurse had the most hours in November?", SHIFTS).endswith("the most is 11.5, Ida.")
    assert "Borges, pendiente" in figures.answer("¿Qué cliente tiene más importe pendiente?", SALES)


def test_one_thing_that_is_named_is_summed(figures: AccountFigures) -> None:
    assert figures.answer("How many hours did Ida work?", SHIFTS) == "Hours, Ida: 11.5 in total (6 + 5.5)."
    assert figures.answer("How much on groceries?", CARD).startswith(
        "Amount, groceries: 131.70 EUR in total (42.10 EUR"
    )
    assert "Importe: 530,5 en total (120,5 + 410)" in figures.answer("¿Cuánto ha pagado Acme?", SALES)


def test_single_rows_are_told_where_no_thing_is_asked_for(figures: AccountFigures) -> None:
    assert "8, November 4, 2026" in figures.answer("What is the highest number of hours?", SHIFTS)


def test_what_is_no_sum_is_not_added() -> None:
    (table,) = (one for one in Reading(read_figures(SHIFTS)).tables if not one.family)
    assert {column.label: _is_added(column) for column in table.columns if column.value is not None} == {
        "nurse": False,
        "ward": False,
        "hours": True,
        "rating": False,
    }


@pytest.mark.parametrize(
    ("query", "context", "says"),
    [
        ("Which carrier has the fewest boxes in total?", "transportista,cajas\nVeloz,5\nNorte,9\nVeloz,6", "9, Norte"),
        (
            "¿Cuánto ingresamos por cada tipo de sala?",
            ROOMS,
            "Importe: A 17; B 30.",
        ),
    ],
)
def test_a_column_is_meant_in_another_language_and_money_where_it_is_asked_for(
    figures: AccountFigures, query: str, context: str, says: str
) -> None:
    assert says in figures.answer(query, context)


@pytest.mark.parametrize(
    ("query", "told"),
    [("hours per nurse", True), ("cuánto cada cliente", True), ("media por cliente", False), ("the most hours", False)],
)
def test_all_things_are_listed_unless_a_mean_is_asked_for(query: str, told: bool) -> None:
    question = AccountFigures(encoder())._operations.read(query, TODAY)
    assert lists_all(question) is told


def test_events_are_counted_though_they_have_days(figures: AccountFigures) -> None:
    assert DAY == "day"
    assert "2 (5 de noviembre de 2026" in figures.answer("¿Cuántas facturas pendientes hay?", SALES)
