"""What a second question of a message asks of the answer to the first."""

from __future__ import annotations

import json
from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import encoder

TODAY = date(2026, 11, 20)
CONTRACT = json.dumps(
    {
        "minutes": {"used": 318, "limit": 500},
        "commitment_end": "2026-12-10",
        "minimum_payment_eur": 56.23,
        "payment_due_date": "2026-12-02",
        "last_payment_date": "2026-11-02",
        "licence": {"price_eur": 12, "renews": "2027-01-05"},
    }
)


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("When does my commitment end, and how many days are left?", "in 20 days (December 10, 2026)"),
        ("When does my commitment end and how long is that?", "in 20 days (December 10, 2026)"),
        ("¿Cuándo acaba el commitment y cuánto falta?", "dentro de 20 días (10 de diciembre de 2026)"),
        ("When is the commitment end? How far off is it?", "in 20 days (December 10, 2026)"),
    ],
)
def test_how_far_the_day_is_that_was_told(figures: AccountFigures, query: str, says: str) -> None:
    answer = figures.answered(query, CONTRACT)
    assert says in answer.text
    assert answer.sure
    assert "Minutes" not in answer.text


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("What is the minimum payment and by when?", "Payment due date: December 2, 2026."),
        ("¿Cuál es el minimum payment y para cuándo?", "Payment due date: 2 de diciembre de 2026."),
        ("How much is the licence, and when?", "Licence renews: January 5, 2027."),
    ],
)
def test_the_day_of_the_amount_that_was_told(figures: AccountFigures, query: str, says: str) -> None:
    assert figures.answer(query, CONTRACT).endswith(says)


def test_a_second_question_that_names_something_is_about_that(figures: AccountFigures) -> None:
    assert "182 left" in figures.answer("When does my commitment end, and how many minutes are left?", CONTRACT)


def test_by_how_much_is_no_second_question(figures: AccountFigures) -> None:
    context = json.dumps({"orders": {"this_month": 342, "last_month": 300}})
    assert figures.answer("Did orders go up on last month, and by how much?", context) == (
        "Yes: Orders: 42 more than before (342 against 300, +14%)."
    )
