"""Stretches of quarters and weekdays: all between their ends, where nothing is compared."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import encoder

CHOIR = "quarter,seats\nQ1 2025,510\nQ2 2025,640\nQ3 2025,590\nQ4 2025,910\nQ1 2026,700"
FERRY = "date,cars\n2026-11-18,30\n2026-11-19,16\n2026-11-20,20\n2026-11-21,9"


def answer(question: str, context: str) -> str:
    figures = AccountFigures(encoder(), today=lambda: date(2026, 11, 22))
    return figures.answered(question, context).text


@pytest.mark.parametrize(
    ("question", "context", "says"),
    [
        ("how many seats between Q2 and Q4 2025?", CHOIR, "2140 in total"),
        ("¿cuántos seats entre el segundo y el cuarto trimestre de 2025?", CHOIR, "2140 en total"),
        ("total cars from Thursday to Saturday", FERRY, "45 in total"),
        ("how many cars between Wednesday and Friday in total?", FERRY, "66 in total"),
        ("¿cuántos cars en total entre el jueves y el sábado?", FERRY, "45 en total"),
    ],
)
def test_all_between_the_ends_are_added(question: str, context: str, says: str) -> None:
    assert says in answer(question, context)


def test_a_difference_between_two_is_none() -> None:
    assert "320" in answer("what is the difference in seats between Q3 and Q4 2025?", CHOIR)
