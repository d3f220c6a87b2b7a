from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import encoder

TEAM = """{"team": "Orcas", "storage": {"used_gb": 120, "limit_gb": 100}, "seats": {"used": 9, "limit": 12},
 "exports": {"used": 45, "limit": 40}}"""
BELOW = '{"storage": {"used_gb": 20, "limit_gb": 100}, "seats": {"used": 9, "limit": 12}}'


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2026, 11, 27))


@pytest.mark.parametrize(
    "query",
    [
        "Which limits have we exceeded?",
        "Have I gone over any limit?",
        "Are we over any limit?",
        "¿Hemos superado algún límite?",
        "¿Qué límites he superado?",
    ],
)
def test_all_limits_that_are_passed_are_named_and_no_other(figures: AccountFigures, query: str) -> None:
    found = figures.answered(query, TEAM)
    assert found.sure
    assert "120 GB" in found.text
    assert "45 " in found.text
    assert "eats" not in found.text


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("Which limits have we exceeded?", "No: no limit is passed (storage 20%, seats 75%)."),
        ("¿Nos hemos pasado de algún límite?", "No: no se pasa ningún límite (storage 20 %, seats 75 %)."),
    ],
)
def test_that_no_limit_is_passed_is_said_with_all_shares(figures: AccountFigures, query: str, answer: str) -> None:
    assert figures.answer(query, BELOW) == answer


def test_a_limit_that_is_named_is_the_only_one(figures: AccountFigures) -> None:
    assert figures.answer("Am I over the seats limit?", TEAM) == "No: 9 of 12 are used (75%), 3 left (Seats)."
