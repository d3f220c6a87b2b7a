"""Weekdays of a question as days of the rows, and the names that may say a quarter."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.account_figures.candidates.calendar import by_weekday, names_in
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from tests.account_cases import encoder

TODAY = date(2026, 11, 27)
SHOWS = "Date,Shows\n2026-11-09,3\n2026-11-16,5\n2026-11-17,2\n2026-12-07,9\n2026-12-13,1\n"
FERRY = """{"ferry": "Isla Norte", "crossings": [
 {"date": "2026-11-12", "passengers": 130, "cars": 22}, {"date": "2026-11-19", "passengers": 164, "cars": 31},
 {"date": "2026-11-20", "passengers": 201, "cars": 40}, {"date": "2026-11-21", "passengers": 88, "cars": 12}]}"""


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


@pytest.mark.parametrize(
    ("query", "days", "said"),
    [
        ("shows on Monday", [(11, 16)], "monday"),
        ("shows on Mondays", [(11, 9), (11, 16), (12, 7)], "mondays"),
        ("shows every Monday", [(11, 9), (11, 16), (12, 7)], "monday"),
        ("¿shows los lunes?", [(11, 9), (11, 16), (12, 7)], "lunes"),
        ("shows cada lunes", [(11, 9), (11, 16), (12, 7)], "lunes"),
        ("shows el martes", [(11, 17)], "martes"),
        ("shows on Monday and Tuesday", [(11, 16), (11, 17)], "monday tuesday"),
        ("shows on Sunday", [(12, 13)], "sunday"),  # only one that is still to come
        ("shows on Friday", [(11, 27)], "friday"),  # today, which no row is of
        ("shows on Thursday", [(11, 26)], "thursday"),
        ("shows on Monday 16 November", [(11, 16)], ""),
        ("shows next Monday", [(11, 30)], ""),
        ("shows", [], ""),
    ],
)
def test_a_weekday_is_days_of_the_rows(query: str, days: list[tuple[int, int]], said: str) -> None:
    tables = Reading(read_figures(SHOWS)).tables
    found = by_weekday(Operations(encoder()).read(query, TODAY), tables)
    assert [(day.day.month, day.day.day) for day in found.days] == days
    assert found.day_said == said
    assert found.day == (found.days[0] if found.days else None)


@pytest.mark.parametrize("context", ['{"shows": 4}', "Month,Shows\n2026-10,3\n2026-11,5\n", "Hall,Shows\nA,3\nB,5\n"])
def test_a_context_without_days_leaves_a_weekday_as_it_is(context: str) -> None:
    question = Operations(encoder()).read("shows on Monday", TODAY)
    assert by_weekday(question, Reading(read_figures(context)).tables) is question


def test_names_are_of_rows_values_and_columns() -> None:
    context = '{"choir": "Alba", "q1": {"songs": 3}, "halls": [{"q": "Q2", "cost": 3}, {"q": "Q3", "cost": 4}]}'
    assert {"Q2", "Q3", "q1 songs", "cost"} <= set(names_in(Reading(read_figures(context))))


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("How many passengers on Thursday?", "Crossings passengers, November 19, 2026: 164."),
        ("¿Cuántos passengers hubo el sábado?", "Crossings passengers, 21 de noviembre de 2026: 88."),
        ("¿Cuántos passengers los jueves?", "Crossings passengers: 294 en total (130 + 164)."),
        ("How many cars every Thursday?", "Crossings cars: 53 in total (22 + 31)."),
        (
            "How many more passengers on Friday than on Thursday?",
            "Crossings passengers: 37 more than before (201 against 164, +22.56%).",
        ),
        (
            "¿Cuántos passengers menos el sábado que el viernes?",
            "Crossings passengers: 113 menos que antes (88 frente a 201, −56,22 %).",
        ),
    ],
)
def test_the_figures_of_weekdays_are_answered(figures: AccountFigures, query: str, answer: str) -> None:
    found = figures.answered(query, FERRY)
    assert (found.text, found.sure) == (answer, True)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (
            "How many passengers on Sunday?",
            "The data of this request has no figure of crossings passengers for sunday.",
        ),
        (
            "¿Cuántos cars el domingo?",
            "Los datos de esta petición no traen ninguna cifra de crossings cars para domingo.",
        ),
    ],
)
def test_a_weekday_without_a_row_has_no_figure(figures: AccountFigures, query: str, answer: str) -> None:
    found = figures.answered(query, FERRY)
    assert (found.text, found.sure) == (answer, False)
