"""The month that the first clause of a sentence names is of the clauses after it."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from tests.account_cases import encoder

CHOIR = "The hall in March cost €300.00 and the tuning €80.00. In April the hall cost €310.00."
ORCHARD = "En mayo la luz fueron 40 € y el abono 25 €. En junio la luz fueron 30 €."


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2026, 11, 27))


@pytest.mark.parametrize(
    ("sentence", "paths"),
    [
        ("The vet in July was £120.00 and the straw £45.00.", [("july", "vet"), ("july", "straw")]),
        ("La cera en julio fue de 12 € y la miel de 30 €.", [("julio", "cera"), ("julio", "miel")]),
        (
            "The vet in July was £120.00 and the straw is £9.00 each week.",
            [("july", "vet"), ("straw", "price per", "week")],
        ),
        ("The vet in July was £120.00 and on 3 August the straw was £9.00.", [("july", "vet"), ("straw",)]),
        ("The vet was £120.00 and the straw £45.00.", [("vet",), ("straw",)]),
    ],
)
def test_a_month_is_shared_unless_a_price_is_for_each_stretch_or_a_day_is_named(
    sentence: str, paths: list[tuple[str, ...]]
) -> None:
    found = read_figures(f"{sentence} In August the vet was £60.00.")
    assert [figure.path for figure in found] == [*paths, ("august", "vet")]


@pytest.mark.parametrize(
    ("context", "query", "answer", "sure"),
    [
        (CHOIR, "How much was the tuning in March?", "Tuning: €80.", True),
        (CHOIR, "How much did the hall cost in March?", "Hall cost: €300.", True),
        (CHOIR, "How much did the hall cost in April?", "Hall cost: €310.", True),
        (
            CHOIR,
            "How much was the tuning in April?",
            "The data of this request has no figure of tuning for April.",
            False,
        ),
        (ORCHARD, "¿Cuánto fue el abono en mayo?", "Abono: 25 €.", True),
        (ORCHARD, "¿Cuánto fue la luz en junio?", "Luz: 30 €.", True),
        (
            ORCHARD,
            "¿Cuánto fue el abono en junio?",
            "Los datos de esta petición no traen ninguna cifra de abono para junio.",
            False,
        ),
    ],
)
def test_what_a_sentence_says_of_a_month_is_answered_for_that_month(
    figures: AccountFigures, context: str, query: str, answer: str, sure: bool
) -> None:
    found = figures.answered(query, context)
    assert (found.text, found.sure) == (answer, sure)
