"""Questions as people ask them: two at once, about the whole account, about a part, with words that the data lacks."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import encoder

TODAY = date(2027, 3, 10)
FERRY = """{
  "pass": {"name": "Skipper", "price": 12.5, "currency": "EUR", "renewsOn": "2027-04-02"},
  "crossings": {"used": 30, "limit": 40},
  "lockers": {"used": 1, "limit": 4},
  "boats": {"total": 9, "idle": 2, "suspended": 3}
}"""


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


@pytest.mark.parametrize(
    ("query", "first", "second"),
    [
        ("When does the pass renew and what does it cost?", "April 2, 2027", "12.50 EUR"),
        ("How many crossings are left, and how many lockers?", "10 left (40 − 30)", "Lockers"),
        ("How many crossings are left? When does the pass renew?", "10 left", "April 2, 2027"),
        ("¿Cuándo se renueva el pass y cuántos crossings me quedan?", "2 de abril de 2027", "quedan 10"),
    ],
)
def test_each_part_of_a_question_is_answered(figures: AccountFigures, query: str, first: str, second: str) -> None:
    found = figures.answered(query, FERRY)
    assert first in found.text
    assert second in found.text


def test_what_one_part_lacks_is_said_behind_the_answer_to_the_other(figures: AccountFigures) -> None:
    found = figures.answered("How many zeppelins do I own and how many crossings are left?", FERRY)
    assert found.text.startswith("Crossings: 10 left (40 − 30). I am not sure which figure you mean")
    assert not found.sure


@pytest.mark.parametrize(
    "query",
    [
        "How is my usage?",
        "How is my usage this month?",
        "Give me a summary of my account",
        "¿Cómo va mi consumo?",
        "Dame un resumen de mi cuenta",
    ],
)
def test_an_overview_says_used_limit_and_share_of_what_has_a_limit(figures: AccountFigures, query: str) -> None:
    answer = figures.answer(query, FERRY)
    for said in ("Crossings: 75", "(30 ", " 40)", "Lockers: 25", "(1 ", " 4)"):
        assert said in answer
    assert "Skipper" not in answer
    assert "9" not in answer


def test_an_overview_of_one_thing_tells_of_that(figures: AccountFigures) -> None:
    answer = figures.answer("How is my usage of lockers going?", FERRY)
    assert answer.startswith("Lockers: 25% used (1 of 4).")
    assert "Crossings" not in answer


@pytest.mark.parametrize(
    ("query", "context", "answer"),
    [
        ("how many jobs succeeded?", '{"jobs": 9, "failed_jobs": 2}', "Jobs, succeeded: 7 (9 − 2: failed jobs)."),
        ("¿cuántos socios están activos?", '{"socios": 9, "socios_inactivos": 2}', "Socios, activos: 7 (9 − 2"),
        ("how many jobs succeeded?", "You ran 9 jobs, 2 of them failed.", "Jobs, succeeded: 7 (9 − 2"),
    ],
)
def test_a_total_without_its_other_part(figures: AccountFigures, query: str, context: str, answer: str) -> None:
    assert figures.answer(query, context).startswith(answer)


def test_of_two_other_parts_none_is_taken_off_alone(figures: AccountFigures) -> None:
    found = figures.answered("how many boats are running?", '{"boats": 9, "boats_idle": 2, "boats_suspended": 3}')
    assert not found.sure


def test_a_part_that_is_more_than_the_total_is_not_taken_off(figures: AccountFigures) -> None:
    found = figures.answered("how many jobs succeeded?", '{"jobs": 2, "failed_jobs": 9}')
    assert not found.sure


@pytest.mark.parametrize(
    ("query", "lacking"),
    [
        ("how many crossings were cancelled?", "cancelled"),
        ("how many refunded crossings are there?", "refunded"),
        ("how many crossings did the children make?", "children"),
    ],
)
def test_a_word_that_the_data_lacks_is_named_and_no_figure_is_given(
    figures: AccountFigures, query: str, lacking: str
) -> None:
    found = figures.answered(query, FERRY)
    assert not found.sure
    assert lacking in found.text
    assert not any(digit in found.text for digit in "0123456789")


@pytest.mark.parametrize(
    ("query", "when"),
    [
        ("how many crossings on 3 March?", "March 3"),
        ("how many crossings last month?", "last month"),
        ("how many crossings in January?", "January"),
        ("how many crossings did I make today?", "March 10, 2027"),
        ("¿cuántos crossings hice ayer?", "9 de marzo de 2027"),
        ("¿cuántos crossings hice la semana pasada?", "semana pasada"),
    ],
)
def test_a_time_that_no_figure_is_of_is_named(figures: AccountFigures, query: str, when: str) -> None:
    found = figures.answered(query, FERRY)
    assert not found.sure
    assert when in found.text
    assert "30" not in found.text


def test_a_price_is_not_made_up_of_a_count(figures: AccountFigures) -> None:
    found = figures.answered("how much do the crossings cost?", '{"crossings": {"used": 30, "limit": 40}}')
    assert not found.sure
    assert "30" not in found.text


def test_a_limit_is_not_what_was_used(figures: AccountFigures) -> None:
    found = figures.answered("how many crossings have I used?", '{"crossings": {"limit": 40}}')
    assert "what is used is missing" in found.text
    assert not found.sure


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("when is the next toll?", "Next toll: April 2, 2027."),
        ("how much is the next toll?", "Next toll: 7.50 EUR."),
    ],
)
def test_a_line_with_a_date_and_an_amount_is_two_figures(figures: AccountFigures, query: str, answer: str) -> None:
    assert figures.answer(query, "Lane: 4\nNext toll: 2027-04-02 (7.50 EUR)") == answer


@pytest.mark.parametrize(
    "query",
    [
        "how long does a crossing take?",
        "why are the crossings so expensive?",
        "how do I book a crossing?",
        "what is a crossing?",
        "¿cómo reservo crossings?",
        "¿cuánto tarda un crossing?",
    ],
)
def test_what_figures_cannot_tell_is_not_answered_with_one(figures: AccountFigures, query: str) -> None:
    found = figures.answered(query, FERRY)
    assert not found.sure
    assert "30" not in found.text


@pytest.mark.parametrize(
    ("query", "carried"),
    [
        ("and how many are left?", True),
        ("¿y qué porcentaje es?", True),
        ("how many lockers are left?", False),
        ("thanks!", False),
    ],
)
def test_a_question_that_names_nothing_says_that_it_goes_on(figures: AccountFigures, query: str, carried: bool) -> None:
    found = figures.answered(query, FERRY, before=["how many crossings have I used?"])
    assert found.carried is carried
    assert found.sure is (query != "thanks!")


@pytest.mark.parametrize(
    ("query", "context", "answer"),
    [
        ("how many boats are connected?", '{"boats": {"total": 9, "online": 7}}', "Boats online: 7."),
        ("Did we do more miles than last month?", "Miles: 7\nMiles last month: 9", "No: Miles: 2 less than before"),
        ("how much is a rope?", "Ropes: 4\nPrice per rope: 3 EUR", "Price per rope: 3 EUR."),
        ("how much was spent on ropes?", "item,spent_eur\nRopes,20\nSails,90", "Spent, Ropes: 20 EUR."),
        (
            "what was spent in total?",
            "item,spent_eur\nRopes,20\nSails,90",
            "Spent: 110 EUR in total (20 EUR + 90 EUR).",
        ),
        (
            "when is the next toll and how much will it be?",
            "Lane: 4\nNext toll: 2027-04-02 (7.50 EUR)",
            "Next toll: April",
        ),
    ],
)
def test_a_figure_by_what_it_is_called_otherwise(
    figures: AccountFigures, query: str, context: str, answer: str
) -> None:
    found = figures.answered(query, context)
    assert found.text.startswith(answer)
    assert found.sure
    assert ("7.50" in found.text) is ("toll" in query)


def test_the_day_and_the_amount_of_one_thing_are_two_figures(figures: AccountFigures) -> None:
    context = '{"nextCharge": {"on": "2027-04-02", "amount": 7.5, "currency": "EUR"}}'
    answer = figures.answer("When is my next charge and how much will it be?", context)
    assert "April 2, 2027" in answer
    assert "7.50 EUR" in answer
