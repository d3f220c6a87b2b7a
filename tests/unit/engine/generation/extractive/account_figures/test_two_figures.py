from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.questions import Operations, is_cardinal, needed
from tests.account_cases import encoder

TODAY = date(2027, 3, 10)
KILN = (
    '{"bricks": {"used": 30, "limit": 80}, "tiles": {"glazed": 40, "cracked": 10}, "cash_eur": 90,'
    ' "ovens": [{"name": "Big", "loaded": 50, "sold": 20}, {"name": "Old", "loaded": 8, "sold": 8}], "fines_eur": 0}'
)


@pytest.mark.parametrize(
    ("word", "number"),
    [("three", True), ("cinco", True), ("Two", True), ("dos", True), ("tree", False), ("cine", False), ("", False)],
)
def test_words_for_numbers_are_known(word: str, number: bool) -> None:
    assert is_cardinal(word) is number


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("can I still fire 40 more bricks?", "Yes: 50 left, enough for 40 (bricks)."),
        ("is there room for 60 more bricks?", "No: 50 left, not enough for 60 (bricks)."),
        ("can we add two more bricks?", "Yes: 50 left, enough for 2 (bricks)."),
        ("¿me alcanza para 60 bricks más?", "No: quedan 50, no alcanza para 60 (bricks)."),
        ("is my cash enough for a purchase of 120?", "No: 90 EUR left, not enough for 120 EUR (cash)."),
        ("do I owe any fines?", "No: 0 EUR (fines)."),
    ],
)
def test_two_figures_come_to_an_answer(figures: AccountFigures, query: str, answer: str) -> None:
    assert figures.answer(query, KILN) == answer


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("glazed and cracked tiles together, how many?", "50 together: 40 (tiles glazed) + 10 (tiles cracked)."),
        ("what percentage of the tiles is cracked?", "Tiles cracked: 25% (10 of 40 (tiles glazed))."),
    ],
)
def test_sums_and_shares_of_two_are_said_at_least_with_a_word_of_doubt(
    figures: AccountFigures, query: str, answer: str
) -> None:
    assert figures.answer(query, KILN).endswith(answer)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("can I send 40 more?", 40),
        ("room for 15k people?", 15000),
        ("¿alcanza para 3 mil?", 3000),
        ("another one?", 1),
        ("¿caben dos personas más?", 2),
        ("can we?", None),
    ],
)
def test_the_number_that_is_needed(text: str, count: int | None) -> None:
    found = needed(Operations(encoder()).read(text, TODAY))
    assert found == (None if count is None else Fraction(count))


def test_months_are_compared_in_the_order_of_the_question(figures: AccountFigures) -> None:
    rows = "month,loaves\nMarch,8\nApril,5\nMay,9"
    answer = "Yes: Loaves, March / April: 3 more (8 against 5)."
    assert figures.answer("Did we bake more loaves in March than in April?", rows) == answer


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("what is the average firing time?", "Avg firing time: 12.5."),
        ("what was the peak heat?", "Peak heat: 900."),
    ],
)
def test_a_figure_that_is_an_average_or_a_peak_itself_is_given(
    figures: AccountFigures, query: str, answer: str
) -> None:
    assert figures.answer(query, '{"avg_firing_time": 12.5, "peak_heat": 900}') == answer
