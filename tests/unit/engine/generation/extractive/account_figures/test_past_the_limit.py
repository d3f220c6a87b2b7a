"""What is left of a limit that is passed, how far it is passed, and follow-ups that name another thing alone."""

from __future__ import annotations

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import encoder

BOAT = '{"hours":{"included":20,"sailed":26.5}}'
STUDIO = '{"clay_kg":{"used":12,"limit":40},"firings":{"used":3,"limit":8},"glazes":{"used":9,"limit":9}}'


def answers(context: str, *questions: str) -> list[str]:
    figures = AccountFigures(encoder())
    return [figures.answered(one, context, before=questions[:place]).text for place, one in enumerate(questions)]


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("How many hours do I have left?", "Hours sailed: none left, 6.5 over the limit (26.5 of 20)."),
        ("¿Cuántas horas me quedan?", "Hours sailed: no queda nada, 6,5 por encima del límite (26,5 de 20)."),
        ("Am I over my limit?", "Yes: Hours sailed is 6.5 over the limit (26.5 of 20)."),
    ],
)
def test_what_is_passed_is_said_as_what_is_over(question: str, says: str) -> None:
    assert answers(BOAT, question) == [says]


def test_what_is_just_used_up_is_not_over() -> None:
    (told,) = answers(STUDIO, "How many glazes are left?")
    assert told == "Glazes: 0 left (9 − 9)."


@pytest.mark.parametrize(
    ("first", "further", "says"),
    [
        ("How much clay is left?", "and firings?", "Firings: 5 left (8 − 3)."),
        ("How much clay is left?", "and how many firings?", "Firings: 5 left (8 − 3)."),
        ("How many firings have I used?", "and clay?", "Clay (used): 12 kg."),
    ],
)
def test_a_name_alone_asks_for_what_was_asked_before(first: str, further: str, says: str) -> None:
    assert answers(STUDIO, first, further)[1] == says


def test_a_name_alone_asks_for_what_was_asked_before_in_spanish() -> None:
    taller = '{"hornadas":{"usado":3,"limite":8},"moldes":{"usado":2,"limite":6}}'
    assert answers(taller, "¿Cuántas hornadas me quedan?", "¿y moldes?")[1] == "Moldes: quedan 4 (6 − 2)."
