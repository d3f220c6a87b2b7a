"""The days and months that a question names, and when "between" asks for a sum."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.questions import Operations, as_sum, months_between
from engine.generation.extractive.account_figures.figure import Day
from tests.account_cases import encoder

TODAY = date(2026, 11, 27)
COMPARES = {"compare": 0.6, "sum": 0.1, "value": 0.3}
ORCHARD = """{"months": [{"month": "2026-07", "seed_eur": 30}, {"month": "2026-08", "seed_eur": 45},
 {"month": "2026-09", "seed_eur": 25}, {"month": "2026-10", "seed_eur": 70}]}"""


@pytest.fixture(scope="module")
def operations() -> Operations:
    return Operations(encoder())


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("seats on 3 March", [(3, 3)]),
        ("seats on 3 March and 6 March", [(3, 3), (3, 6)]),
        ("how many visitors between 3 March and 6 March", [(3, 3), (3, 4), (3, 5), (3, 6)]),
        ("visitors from 3 March to 5 March", [(3, 3), (3, 4), (3, 5)]),
        ("total from 2026-03-30 to 2026-04-02", [(3, 30), (3, 31), (4, 1), (4, 2)]),
        ("¿Cuántas visitas hubo entre el 3 de marzo y 5 de marzo?", [(3, 3), (3, 4), (3, 5)]),
        ("difference between 3 March and 6 March", [(3, 3), (3, 6)]),
        ("how many more visitors between 3 March and 6 March", [(3, 3), (3, 6)]),
        ("¿diferencia entre el 3 de marzo y 5 de marzo?", [(3, 3), (3, 5)]),
        ("visits yesterday", [(11, 26)]),
        ("how many visits are there", []),
    ],
)
def test_days_and_those_between_them(operations: Operations, query: str, days: list[tuple[int, int]]) -> None:
    question = operations.read(query, TODAY)
    assert [(day.day.month, day.day.day) for day in question.days] == days
    assert question.day == (question.days[0] if days else None)


def test_a_day_without_its_year_is_of_any_year_and_yesterday_is_not(operations: Operations) -> None:
    assert [day.whole for day in operations.read("seats from 3 March to 4 March", TODAY).days] == [False, False]
    assert operations.read("seats yesterday", TODAY).days == (Day(date(2026, 11, 26)),)


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("how much between May and July", (5, 6, 7)),
        ("how many between January and March", (1, 2, 3)),
        ("cuánto entre marzo y mayo", (3, 4, 5)),
        ("from May to July", (5, 6, 7)),
        ("Jan - Mar", (1, 2, 3)),
        ("de noviembre a febrero", (11, 12, 1, 2)),
        ("between May and July", ()),
        ("how much in May and July", ()),
        ("difference between May and July", ()),
        ("how much more between May and July", ()),
        ("cuánto más entre marzo y mayo", ()),
        ("qué diferencia hay entre marzo y mayo", ()),
        ("how much between rehearsals", ()),
    ],
)
def test_months_are_a_stretch_where_an_amount_of_all_is_asked_for(text: str, months: tuple[int, ...]) -> None:
    assert months_between(text) == months


@pytest.mark.parametrize(
    "query",
    [
        "How much did the choir earn between April and June?",
        "¿Cuánto ganó el coro entre abril y junio?",
        "How many tickets between 3 March and 6 March?",
    ],
)
def test_between_without_a_comparison_asks_for_a_sum(operations: Operations, query: str) -> None:
    found = as_sum(replace(operations.read(query, TODAY), chances=COMPARES))
    assert found.operation == "sum"
    assert found.chances == {"sum": pytest.approx(0.7), "value": 0.3, "compare": 0.0}


@pytest.mark.parametrize(
    "query",
    [
        "What is the difference between April and June?",
        "How much did it change between April and June?",
        "¿Cuánto varió entre abril y junio?",
        "How much more between April and June?",
        "How much in April and June?",
        "How much did we earn between April?",
        "How much between the stage and the hall?",
    ],
)
def test_a_comparison_or_one_time_stays_as_it_is(operations: Operations, query: str) -> None:
    question = replace(operations.read(query, TODAY), chances=COMPARES)
    assert as_sum(question) is question


def test_another_question_than_a_comparison_stays_as_it_is(operations: Operations) -> None:
    chances = {"average": 0.6, "compare": 0.4}
    question = replace(operations.read("How much between April and June on average?", TODAY), chances=chances)
    assert as_sum(question) is question


def test_two_quarters_between_which_something_is_are_added(operations: Operations) -> None:
    question = replace(operations.read("How many loans between Q1 and Q2?", TODAY), chances=COMPARES)
    assert as_sum(question) is question
    assert as_sum(replace(question, quarters=("Q2", "Q1"))).operation == "sum"


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (
            "How much did we spend on seed between July and September?",
            "Months seed: 100 EUR in total (30 EUR + 45 EUR + 25 EUR).",
        ),
        (
            "How much more seed between July and October?",
            "Months seed: 40 EUR more than before (70 EUR against 30 EUR, +133.33%).",
        ),
        (
            "What's the difference in seed between July and October?",
            "Seed, 2026-07 / 2026-10: 40 EUR less (30 EUR against 70 EUR).",
        ),
        (
            "¿Qué diferencia de seed hay entre julio y agosto?",
            "Seed, 2026-07 / 2026-08: 15 EUR menos (30 EUR frente a 45 EUR).",
        ),
    ],
)
def test_what_is_between_two_months_is_answered(figures: AccountFigures, query: str, answer: str) -> None:
    found = figures.answered(query, ORCHARD)
    assert (found.text, found.sure) == (answer, True)
