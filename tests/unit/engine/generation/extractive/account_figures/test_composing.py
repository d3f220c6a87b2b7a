from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import encoder


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2027, 3, 10))


STAMPS = '{"stamps": {"used": 1250, "limit": 8000}, "price": {"value": 9.5, "unit": "€"}}'


@pytest.mark.parametrize(
    ("query", "english"),
    [
        ("how many stamps have I used?", "Stamps (used): 1250."),
        ("how many stamps are left?", "Stamps: 6750 left (8000 − 1250)."),
        ("what is the limit of stamps?", "Stamps: 8000."),
        ("what percentage of the stamps is used?", "Stamps: 15.63% used (1250 of 8000)."),
        ("have I exceeded the quota of stamps?", "No: 1250 of 8000 are used (15.63%), 6750 left (Stamps)."),
    ],
)
def test_english(figures: AccountFigures, query: str, english: str) -> None:
    assert figures.answer(query, STAMPS) == english


@pytest.mark.parametrize(
    ("query", "spanish"),
    [
        ("¿cuántos stamps he usado?", "Stamps (usado): 1250."),
        ("¿cuántos stamps me quedan?", "Stamps: quedan 6750 (8000 − 1250)."),
        ("¿qué porcentaje de stamps he usado?", "Stamps: 15,63 % usado (1250 de 8000)."),
        ("¿he superado la cuota de stamps?", "No: se han usado 1250 de 8000 (15,63 %), quedan 6750 (Stamps)."),
        ("¿cuál es el precio?", "Price: 9,50 €."),
    ],
)
def test_spanish(figures: AccountFigures, query: str, spanish: str) -> None:
    assert figures.answer(query, STAMPS) == spanish


def test_a_limit_that_is_passed_is_said_with_by_how_much(figures: AccountFigures) -> None:
    answer = figures.answer("am I over quota for stamps?", '{"stamps": {"used": 9, "limit": 8}}')
    assert answer == "Yes: Stamps is 1 over the limit (9 of 8)."


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ('{"calls_this_month": 6, "calls_last_month": 4}', "Calls this month: 2 more than before (6 against 4, +50%)."),
        ('{"calls_this_month": 3, "calls_last_month": 4}', "Calls this month: 1 less than before (3 against 4, −25%)."),
        ('{"calls_this_month": 4, "calls_last_month": 4}', "Calls this month: the same as before (4)."),
        ('{"calls_this_month": 4, "calls_last_month": 0}', "Calls this month: 4 more than before (4 against 0)."),
    ],
)
def test_two_periods_are_compared(figures: AccountFigures, context: str, answer: str) -> None:
    assert figures.answer("compare my calls with the previous ones", context) == answer


ROWS = "shop,parcels,fee_eur\nOslo,12,3.5\nRome,30,7.25\nLima,7,2"


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("how many parcels in Rome?", "Parcels, Rome: 30."),
        ("how many parcels in total?", "Parcels: 49 in total (12 + 30 + 7)."),
        ("what is the average of the parcels?", "Parcels: 16.33 on average (49 over 3)."),
        ("which shop has the most parcels?", "Parcels: the most is 30, Rome."),
        ("which shop has the fewest parcels?", "Parcels: the least is 7, Lima."),
        ("what is the fee in Lima?", "Fee, Lima: 2 EUR."),
        ("how many parcels in Quito?", "The data of this request has no figure for Quito. It has: parcels, fee."),
        ("¿cuántos parcels en total?", "Parcels: 49 en total (12 + 30 + 7)."),
    ],
)
def test_rows_are_named_and_calculated_over(figures: AccountFigures, query: str, answer: str) -> None:
    assert figures.answer(query, ROWS) == answer


@pytest.mark.parametrize(
    ("query", "context", "answer"),
    [
        ("is the alarm enabled?", '{"alarm": true}', "Yes (alarm)."),
        ("is the alarm enabled?", '{"alarm": false}', "No (alarm)."),
        ("¿está activada la alarma?", '{"alarma": true}', "Sí (alarma)."),
        ("when does the lease end?", '{"lease_end": "2028-05-01"}', "Lease end: May 1, 2028."),
        ("¿cuándo termina el lease?", '{"lease_end": "2028-05-01"}', "Lease end: 1 de mayo de 2028."),
        ("what is the status?", '{"status": "frozen"}', "Status: frozen."),
        ("how many keys?", '{"keys": null}', "The data of this request has no value for keys."),
        ("¿cuántos keys hay?", '{"keys": null}', "Los datos de esta petición no traen ningún valor de keys."),
    ],
)
def test_values_of_every_kind_are_said(figures: AccountFigures, query: str, context: str, answer: str) -> None:
    assert figures.answer(query, context) == answer


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("and fines?", "Fines: 3."),
        ("¿y los fines?", "Fines: 3."),
        ("fines?", "Fines: 3."),
        ("and late?", "Boats late: 4."),
        ("are there any fines?", "Yes: 3 (fines)."),
        ("do we owe fines?", "Yes: 3 (fines)."),
    ],
)
def test_a_name_alone_asks_for_its_figure_and_not_whether_there_is_one(
    figures: AccountFigures, query: str, answer: str
) -> None:
    assert figures.answer(query, '{"fines": 3, "boats": {"late": 4, "docked": 9}}') == answer


def test_the_columns_of_several_months_are_said_for_a_row_alone(figures: AccountFigures) -> None:
    answer = figures.answer("and in Rome?", "shop,sales April,sales June\nOslo,12,3\nRome,30,7\nLima,7,2")
    assert answer.endswith("Sales: Rome, April: 30; Rome, June: 7.")


@pytest.mark.parametrize(
    ("query", "context", "needed"),
    [
        ("how many stamps are left?", '{"stamps": 3}', "what is used or its limit"),
        ("what percentage of the stamps did I use?", '{"stamps": 3}', "what is used or its limit"),
        ("did I use more stamps than before?", '{"stamps": 3}', "the figure of the period before"),
    ],
)
def test_what_cannot_be_calculated_says_what_is_missing(
    figures: AccountFigures, query: str, context: str, needed: str
) -> None:
    assert needed in figures.answer(query, context)


def test_a_period_that_is_not_there_is_named(figures: AccountFigures) -> None:
    answer = figures.answer("how many stamps did I use last month?", '{"stamps": 3}')
    assert answer.startswith("The data of this request has no figure of stamps for")
    assert "3" not in answer
