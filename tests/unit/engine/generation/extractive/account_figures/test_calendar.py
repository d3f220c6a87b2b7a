"""Weekdays and quarters that a question names, by the rows that the figures have of them."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.quarters import by_quarter, quarters_in
from tests.account_cases import encoder

OVEN = """{"bakery": "Trigo", "daily": [
 {"date": "2026-11-16", "loaves": 210, "returns": 4}, {"date": "2026-11-17", "loaves": 195, "returns": 7},
 {"date": "2026-11-18", "loaves": 240, "returns": 1}, {"date": "2026-11-19", "loaves": 188, "returns": 9},
 {"date": "2026-11-23", "loaves": 225, "returns": 2}]}"""
TRAINS = """{"line": "R2", "runs": [
 {"date": "2026-11-16", "trains": 210, "cancelled": 4, "arrived_late": 3},
 {"date": "2026-11-17", "trains": 195, "cancelled": 7, "arrived_late": 6}]}"""
DESK = "Quarter;Tickets;Refunds €\nQ1 2026;310;120,50\nQ2 2026;290;95,00\nQ3 2026;415;180,25\n"
GAS = "Trimestre;Consumo;Importe €\n1T 2026;30;44,10\n2T 2026;40;56,00\n3T 2026;50;72,40\n"
HOTEL = '{"hotel": "Mar", "bookings": {"q1": 120, "q2": 340, "q3": 510}, "staff_q1": 12, "staff_q2": 19}'
SALES = """{"trimestres": [{"trimestre": "T1 2025", "ventas": 10}, {"trimestre": "T1 2026", "ventas": 14},
 {"trimestre": "T2 2026", "ventas": 18}]}"""


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2026, 11, 27))


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("How many loaves on Wednesday?", "Loaves, November 18, 2026: 240."),
        ("¿Cuántas loaves hubo el jueves?", "Loaves, 19 de noviembre de 2026: 188."),
        ("How many loaves on Monday?", "Loaves, November 23, 2026: 225."),
        ("¿Cuántas loaves más el miércoles que el martes?", "Loaves: 45 más que antes (240 frente a 195, +23,08 %)."),
        ("How many more loaves on 18 November than on 17 November?", "Loaves: 45 more than before (240 against 195"),
        ("How many loaves between 17 November and 19 November in total?", "Loaves: 623 in total (195 + 240 + 188)."),
    ],
)
def test_a_weekday_is_the_latest_of_the_rows(figures: AccountFigures, query: str, answer: str) -> None:
    assert figures.answer(query, OVEN).startswith(answer)


def test_a_weekday_that_no_row_is_of_is_named(figures: AccountFigures) -> None:
    found = figures.answered("How many loaves on Sunday?", OVEN)
    assert not found.sure
    assert found.text == "The data of this request has no figure of loaves for sunday."


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("How many trains were late on Tuesday?", "Arrived late, November 17, 2026: 6."),
        ("How many trains were cancelled on Tuesday?", "Cancelled, November 17, 2026: 7."),
        ("How many trains were cancelled on Monday?", "Cancelled, November 16, 2026: 4."),
    ],
)
def test_those_in_a_state_on_a_weekday_are_no_difference(figures: AccountFigures, query: str, says: str) -> None:
    answer = figures.answer(query, TRAINS)
    assert answer.endswith(says)


@pytest.mark.parametrize(
    ("text", "number", "year"),
    [
        ("Q3", 3, 0),
        ("T1 2026", 1, 2026),
        ("1T 2026", 1, 2026),
        ("2026-Q1", 1, 2026),
        ("second quarter", 2, 0),
        ("tercer trimestre de 2026", 3, 2026),
        ("2.º trimestre", 2, 0),
        ("Q1'26", 1, 2026),
        ("Q4 FY26", 4, 2026),
        ("the 3rd quarter of 2025", 3, 2025),
    ],
)
def test_quarters_are_read_as_people_write_them(text: str, number: int, year: int) -> None:
    assert [(one.number, one.year) for one in quarters_in(text)] == [(number, year)]


@pytest.mark.parametrize("text", ["a quarter of the rent", "MT4 2", "room T12", "the second one", "un trimestre"])
def test_other_words_are_no_quarters(text: str) -> None:
    assert quarters_in(text) == []


def test_a_question_without_quarters_in_the_context_is_left_as_it_is() -> None:
    assert by_quarter("fees in the second quarter", ["fee", "T-shirts"], date(2026, 11, 27)) == (
        "fees in the second quarter",
        (),
        "",
    )


@pytest.mark.parametrize(
    ("context", "query", "answer"),
    [
        (DESK, "How many tickets in the second quarter?", "Tickets, Q2 2026: 290."),
        (DESK, "¿Cuántos tickets hubo en el tercer trimestre?", "Tickets, Q3 2026: 415."),
        (DESK, "¿Cuántos tickets más en T3 que en T2?", "Tickets: 125 más que antes (415 frente a 290, +43,1 %)."),
        (DESK, "By how much did tickets grow from Q1 to Q3?", "Tickets: 105 more than before (415 against 310"),
        (DESK, "tickets last quarter", "Tickets, Q3 2026: 415."),
        (DESK, "¿Cuánto suman los refunds del primer y segundo trimestre?", "Refunds: 215,50 € en total"),
        (DESK, "refunds in total this year", "Refunds: 395.75 € in total"),
        (GAS, "By what percentage did consumption rise from Q1 to Q2?", "Consumo: 10 more than before (40 against"),
        (GAS, "how much more did we use in Q3 than in Q1?", "Consumo: 20 more than before (50 against 30"),
        (HOTEL, "How many bookings in the first quarter?", "Bookings, q1: 120."),
        (HOTEL, "¿Cuántas bookings en el segundo trimestre?", "Bookings, q2: 340."),
        (SALES, "¿Cuántas ventas en el primer trimestre?", "Trimestres ventas, T1 2026: 14."),
        (SALES, "ventas en el primer trimestre de 2025", "Trimestres ventas, T1 2025: 10."),
        (SALES, "sales in Q2", "Trimestres ventas, T2 2026: 18."),
    ],
)
def test_quarters_are_the_rows_of_another_way_to_write(
    figures: AccountFigures, context: str, query: str, answer: str
) -> None:
    assert figures.answer(query, context).startswith(answer)


@pytest.mark.parametrize(
    ("context", "query", "what"),
    [
        (DESK, "tickets in the fourth quarter", "fourth quarter"),
        (DESK, "tickets in Q2 2025?", "Q2 2025"),
        (HOTEL, "¿Cuántas bookings en el cuarto trimestre?", "cuarto trimestre"),
    ],
)
def test_a_quarter_that_is_not_there_is_named(figures: AccountFigures, context: str, query: str, what: str) -> None:
    found = figures.answered(query, context)
    assert not found.sure
    assert not found.likely
    assert what in found.text


def test_a_sum_of_money_is_no_price_of_the_count_beside_it(figures: AccountFigures) -> None:
    answer = figures.answer("How much does each unit of consumo cost in the second quarter?", GAS)
    assert "2240" not in answer


SENDINGS = """{"sendings": [{"name": "Cyber Monday", "sent": 900, "opened": 310}, {"name": "Spring", "sent": 700, "opened": 200}],
 "parental lock": false}"""


@pytest.mark.parametrize("question", ["How many opened Cyber Monday?", "¿Cuántos abrieron Cyber Monday?"])
def test_a_weekday_in_the_name_of_a_row_is_no_day(question: str) -> None:
    assert "310" in AccountFigures(encoder()).answer(question, SENDINGS)


def test_what_names_nothing_is_not_answered_by_the_only_flag() -> None:
    found = AccountFigures(encoder()).answered("is that too many?", SENDINGS)
    assert not found.sure
    assert AccountFigures(encoder()).answered("is the parental lock on?", SENDINGS).sure
