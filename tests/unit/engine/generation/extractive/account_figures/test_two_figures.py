from __future__ import annotations

import json
from datetime import date
from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.amounts import is_cardinal, needed
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.candidates.values import afforded
from engine.generation.extractive.account_figures.reading.contexts import read_figures
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


WALLET = json.dumps(
    {
        "wallet_balance_gbp": 18.4,
        "fine_gbp": 35,
        "parking_fee_gbp": 12,
        "monthly_cap_gbp": 60,
        "invoice": {"total_gbp": 68.42},
        "previous_month": {"total_gbp": 84.1},
    }
)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        (
            "Do I have enough balance to pay the fine?",
            "No: 18.40 GBP left, not enough for 35 GBP (wallet balance, fine).",
        ),
        ("Have I got enough in my wallet for the parking fee?", "Yes: 18.40 GBP left, enough for 12 GBP"),
    ],
)
def test_a_balance_is_held_against_what_is_to_be_paid(figures: AccountFigures, query: str, says: str) -> None:
    assert figures.answer(query, WALLET).startswith(says)


def test_a_limit_is_nothing_to_be_paid_and_no_fund_pays_another() -> None:
    facts = Reading(read_figures(json.dumps({"balance_eur": 50, "cash_eur": 20, "limit_eur": 60, "fee_eur": 5}))).facts
    assert [one.label for one in afforded(facts)] == ["balance, fee", "cash, fee"]


@pytest.mark.parametrize(
    "query",
    ["How much cheaper is this invoice than the previous one?", "¿Ha subido la factura respecto al mes anterior?"],
)
def test_what_the_month_before_has_under_the_same_name_is_compared(figures: AccountFigures, query: str) -> None:
    assert "68" in (text := figures.answer(query, WALLET))
    assert "84" in text
