"""Limits that are passed, that have no end, or that are of another unit than what is used."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.account_figures.rules.limits import asks_for_limits, unlimited
from tests.account_cases import encoder

TODAY = date(2026, 11, 27)
CHOIR = """{"choir": "Alba", "rehearsals": {"used": 14, "limit": 12}, "scores": {"used": 30, "limit": 60},
 "trips": {"used": 3, "limit": 2}}"""
HARBOUR = '{"moorings": {"used": 6, "limit": 8}, "fuel": {"used_l": 50, "limit_l": 200}}'
MIXED = '{"fuel": {"used_l": 500, "limit_eur": 200}, "moorings": {"used": 6, "limit": 8}}'
COURTS = "pistas_usadas=7 | pistas_incluidas=ilimitadas | focos_usados=3 | focos_incluidos=4"
LIBRARY = """{"loans_used": 9, "loans_limit": "no limit", "reservations_used": 2, "reservations_limit": 5}"""


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


@pytest.mark.parametrize(
    ("context", "query", "answer"),
    [
        (
            CHOIR,
            "Which limits have we exceeded?",
            "Yes: Rehearsals is 2 over the limit (14 of 12). Trips is 1 over the limit (3 of 2).",
        ),
        (
            CHOIR,
            "¿Qué límites hemos superado?",
            "Sí: Rehearsals pasa del límite en 2 (14 de 12). Trips pasa del límite en 1 (3 de 2).",
        ),
        (CHOIR, "Have we exceeded the trips limit?", "Yes: Trips is 1 over the limit (3 of 2)."),
        (
            CHOIR,
            "¿Hemos superado el límite de scores?",
            "No: se han usado 30 de 60 (50 %), quedan 30 (Scores).",
        ),
        (HARBOUR, "Have I gone over any limit?", "No: no limit is passed (moorings 75%, fuel 25%)."),
        (HARBOUR, "¿Hemos superado algún límite?", "No: no se pasa ningún límite (moorings 75 %, fuel 25 %)."),
        (HARBOUR, "Are we over the fuel limit?", "No: 50 L of 200 L are used (25%), 150 L left (Fuel)."),
        (MIXED, "Which limits have we exceeded?", "No: no limit is passed (moorings 75%)."),
        (MIXED, "¿Hemos superado algún límite?", "No: no se pasa ningún límite (moorings 75 %)."),
        (COURTS, "¿He superado algún límite?", "No: no se pasa ningún límite (focos 75 %)."),
        (COURTS, "¿Cuántas pistas me quedan?", "Pistas incluidas: ilimitadas."),
        (COURTS, "¿Cuál es el límite de pistas?", "Pistas incluidas: ilimitadas."),
        (COURTS, "¿Cuántas pistas he usado?", "Pistas: 7."),
        (COURTS, "¿Cuántos focos me quedan?", "Focos: quedan 1 (4 − 3)."),
        (LIBRARY, "How many loans do I have left?", "Loans limit: no limit."),
        (LIBRARY, "Am I over my loans limit?", "Loans limit: no limit."),
        (LIBRARY, "How many loans have I used?", "Loans: 9."),
        (LIBRARY, "How many reservations do I have left?", "Reservations: 3 left (5 − 2)."),
    ],
)
def test_limits_are_answered(figures: AccountFigures, context: str, query: str, answer: str) -> None:
    found = figures.answered(query, context)
    assert (found.text, found.sure) == (answer, True)


@pytest.mark.parametrize("query", ["Which limits have we exceeded?", "¿Hemos superado algún límite?"])
def test_without_limits_nothing_is_passed_for_sure(figures: AccountFigures, query: str) -> None:
    assert not figures.answered(query, '{"trees": 40, "kilos": 900}').sure


@pytest.mark.parametrize(
    ("query", "chance", "asks"),
    [
        ("Which limits have we exceeded?", 0.0, True),
        ("¿Hemos superado algún límite?", 0.0, True),
        ("Is any limit reached?", 0.3, True),
        ("Is any limit reached?", 0.29, False),
        ("What is the limit of scores?", 0.0, False),
        ("How many trees are above 40?", 1.0, False),
    ],
)
def test_a_question_for_limits_says_one_and_asks_what_is_above(query: str, chance: float, asks: bool) -> None:
    question = replace(Operations(encoder()).read(query, TODAY), chances={"over": chance})
    assert asks_for_limits(question) is asks


@pytest.mark.parametrize(
    ("label", "value", "chances", "says", "answer"),
    [
        ("pads limit", "unlimited", {"left": 0.9}, 1.0, "Pads limit: unlimited."),
        ("pads limit", "Ilimitados", {"limit": 0.3, "over": 0.2}, 1.0, "Pads limit: Ilimitados."),
        ("pads limit", "∞", {"percent": 0.5}, 1.0, "Pads limit: ∞."),
        ("pads limit", "sin límite", {"enough": 0.5}, 1.0, "Pads limit: sin límite."),
        ("pads limit", "Gold", {"left": 0.9}, 1.0, ""),
        ("pads limit", 5, {"left": 0.9}, 1.0, ""),
        ("limit", "unlimited", {"left": 0.9}, 1.0, ""),
        ("pads limit", "unlimited", {"left": 0.9}, 0.5, ""),
        ("pads limit", "unlimited", {"value": 0.6, "left": 0.4}, 1.0, ""),
    ],
)
def test_a_limit_without_an_end_is_told(
    label: str, value: object, chances: dict[str, float], says: float, answer: str
) -> None:
    question = replace(Operations(encoder()).read("How many pads do I have left?", TODAY), chances=chances)
    heard: list[str] = []

    def share_said(name: str) -> float:
        heard.append(name)
        return says

    assert unlimited(question, [(label, value)], share_said) == answer
    assert heard in ([], ["pads"])
