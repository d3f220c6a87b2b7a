"""The period that a whole context is of, and figures of another one beside those of the present."""

from __future__ import annotations

import json
from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.candidates.calendar import by_month_told, by_year_told
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.text.language import Language
from tests.account_cases import encoder

TODAY = date(2026, 11, 27)
KENNEL = """Kennels at Brook Farm - May 2026
Nights booked: 142
Nights booked (April): 118
Monthly limit of nights: 200
Walks: 310
"""
GARAGE = {
    "garage": "Nave Sur",
    "period": {"label": "July 2026", "from": "2026-07-01", "to": "2026-07-31"},
    "repairs": {"done": 64, "open": 9, "previousMonth": {"done": 51, "open": 12}},
}
HARBOUR = {"harbour": "Cabo", "current_month": "2026-09", "berths": 40, "arrivals": 66, "arrivals_last_month": 71}


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


def reading(context: object) -> Reading:
    text = context if isinstance(context, str) else json.dumps(context)
    return Reading(read_figures(text), text)


@pytest.mark.parametrize(
    ("context", "month"),
    [
        (KENNEL, 5),
        (GARAGE, 7),
        (HARBOUR, 9),
        ({"mes": "marzo 2026", "ventas": 12}, 3),
        ({"periodo": {"desde": "2026-02-01", "hasta": "2026-02-28"}, "ventas": 12}, 2),
        ({"periodo": {"desde": "2026-02-01", "hasta": "2026-04-30"}, "ventas": 12}, 0),
        ({"last_month": "2026-02", "sales": 12}, 0),
        ({"sales": 12, "opened": "2026-02-03"}, 0),
        ("# Ventas de agosto de 2025\nPan: 12\nVino: 30\n", 8),
        ("Since March 2026 we have sold:\nBread: 12\n", 0),
        ("Invoice of May 2026: 12 EUR", 0),
    ],
)
def test_the_month_that_figures_are_of(context: object, month: int) -> None:
    assert reading(context).month == month


@pytest.mark.parametrize(
    ("query", "context", "language", "read"),
    [
        ("nights booked in May", KENNEL, Language.ENGLISH, "nights booked in this month"),
        ("nights booked in april", GARAGE, Language.ENGLISH, "nights booked in april"),
        ("repairs done in June?", GARAGE, Language.ENGLISH, "repairs done in last month?"),
        ("¿llegadas en septiembre?", HARBOUR, Language.SPANISH, "¿llegadas en este mes?"),
        ("llegadas de agosto", HARBOUR, Language.SPANISH, "llegadas de el mes pasado"),
        ("arrivals on 12 September", HARBOUR, Language.ENGLISH, "arrivals on 12 September"),
        ("arrivals this month", HARBOUR, Language.ENGLISH, "arrivals this month"),
        ("nights booked in April", KENNEL, Language.ENGLISH, "nights booked in April"),
    ],
)
def test_that_month_is_this_month(query: str, context: object, language: Language, read: str) -> None:
    assert by_month_told(query, language, reading(context)) == read


@pytest.mark.parametrize(
    ("query", "language", "read"),
    [
        ("fees last year", Language.ENGLISH, "fees in 2025"),
        ("what were the fees of this year?", Language.ENGLISH, "what were the fees in 2026?"),
        ("more fees than last year?", Language.ENGLISH, "more fees in 2026 than in 2025?"),
        ("cuotas del año pasado", Language.SPANISH, "cuotas en 2025"),
        ("¿más que el año pasado?", Language.SPANISH, "¿mas en 2026 que en 2025?"),
        ("fees last month", Language.ENGLISH, "fees last month"),
        ("fees", Language.ENGLISH, "fees"),
    ],
)
def test_years_are_told_by_their_numbers(query: str, language: Language, read: str) -> None:
    context = reading({"fees": {"2024": 10, "2025": 12, "2026": 15}})
    assert by_year_told(query, language, context, TODAY) == read


def test_a_year_without_figures_is_left_as_it_is() -> None:
    context = reading({"fees": {"2021": 10, "2022": 12}})
    assert by_year_told("fees last year", Language.ENGLISH, context, TODAY) == "fees last year"


@pytest.mark.parametrize(
    ("context", "query", "says", "never"),
    [
        (KENNEL, "how many nights were booked in May?", "142", "118"),
        (KENNEL, "how many nights were booked in April?", "118", "142"),
        (KENNEL, "how many nights are left this month?", "58", "82"),
        (KENNEL, "¿cuántos walks hubo en mayo?", "310", "142"),
        (GARAGE, "how many repairs were done in July?", "64", "51"),
        (GARAGE, "how many repairs were done in June?", "51", "64"),
        (HARBOUR, "arrivals in September", "66", "71"),
        (HARBOUR, "¿cuántas arrivals en agosto?", "71", "66"),
    ],
)
def test_a_question_for_that_month_is_answered(
    figures: AccountFigures, context: object, query: str, says: str, never: str
) -> None:
    text = context if isinstance(context, str) else json.dumps(context)
    found = figures.answered(query, text)
    assert says in found.text
    assert never not in found.text
    assert found.sure


FOUNDATION = {
    "fundacion": "Monte",
    "objetivoRecaudacion": 50000,
    "recaudado": {"total": 41200, "cuotasSocios": 18000, "eventos": 9200},
    "campanas": [
        {"nombre": "Rio", "meta": 9000, "recaudado": 9800},
        {"nombre": "Bosque", "meta": 7000, "recaudado": 5100},
    ],
}


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("¿cuánto falta para el objetivo?", "8800"),
        ("how far are we from the target", "8800"),
        ("¿qué porcentaje del objetivo llevamos?", "82,4"),
    ],
)
def test_what_was_raised_in_all_is_held_against_the_goal(figures: AccountFigures, query: str, says: str) -> None:
    found = figures.answered(query, json.dumps(FOUNDATION))
    assert says in found.text.replace(".", "").replace(" ", " ")


def test_rows_are_not_held_against_a_goal(figures: AccountFigures) -> None:
    assert "(2 " not in figures.answer("how many campaigns are left to the goal?", json.dumps(FOUNDATION))


PRINTER = """Print room - your account
Member level - Gold
Renews on - 3 April 2027
Resin allowance - 9 kg
Resin used - 6.5 kg (clear 3.1 kg, grey 2.2 kg, black 1.2 kg)
Jobs done - 48
Failed jobs - 6
Hours by week - week 36: 31 h; week 37: 42 h; week 38: 39 h
"""


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("how much resin do I have left?", "2.5 kg"),
        ("how much grey resin did I use?", "2.2 kg"),
        ("which resin did I use most?", "clear"),
        ("when does it renew?", "April 3, 2027"),
        ("hours in week 37", "42 h"),
        ("which week had the fewest hours?", "week 36"),
        ("what level am I?", "Gold"),
    ],
)
def test_lines_with_dashes_are_names_with_values(figures: AccountFigures, query: str, answer: str) -> None:
    assert answer in figures.answer(query, PRINTER)


def test_a_dash_within_a_few_lines_is_no_sign_of_that() -> None:
    told = read_figures("Plan: Basic - monthly\nSeats: 4\nStorage: 12 GB\n")
    assert {f.path[-1] for f in told} >= {"plan", "seats", "storage"}


SHELTERS = {
    "shelters": [
        {"name": "Elm House", "dogs": 14, "donors": 205, "raised_eur": 3100},
        {"name": "Oak Yard", "dogs": 9, "donors": 88, "raised_eur": 1450},
    ],
    "volunteers": 31,
}


@pytest.mark.parametrize(
    ("before", "query", "says"),
    [
        ("how much has Oak Yard raised?", "and how many donors?", "88"),
        ("how many dogs are at Elm House?", "and how many donors does it have?", "205"),
        ("¿cuántos perros tiene Oak Yard?", "¿y cuántos donors?", "88"),
    ],
)
def test_what_goes_on_from_a_row_is_of_that_row(figures: AccountFigures, before: str, query: str, says: str) -> None:
    found = figures.answered(query, json.dumps(SHELTERS), before=[before])
    assert says in found.text
    assert found.sure


@pytest.mark.parametrize(
    ("query", "says"),
    [("and how many volunteers?", "31"), ("and which has the most donors?", "Elm House"), ("how many donors?", "293")],
)
def test_what_asks_of_something_else_is_not_of_that_row(figures: AccountFigures, query: str, says: str) -> None:
    before = ["how much has Oak Yard raised?"]
    assert says in figures.answer(query, json.dumps(SHELTERS), before=before)
