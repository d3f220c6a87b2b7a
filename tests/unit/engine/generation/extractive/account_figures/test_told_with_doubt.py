"""Questions that are answered right with a word of doubt, or with the right figure beside another."""

from __future__ import annotations

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import doubts, encoder
from tests.unit.engine.generation.extractive.account_figures.asking.test_questions import ORCHARD
from tests.unit.engine.generation.extractive.account_figures.candidates.test_grouping import SALES
from tests.unit.engine.generation.extractive.account_figures.reading.test_totals import HUTS
from tests.unit.engine.generation.extractive.account_figures.test_quarters import LIBRARY


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder())


@pytest.mark.parametrize(
    ("query", "context", "says"),
    [
        ("¿Cuánto gastamos en seed entre agosto y octubre?", ORCHARD, "140 EUR en total (45 EUR + 25 EUR + 70 EUR)"),
        ("¿Cuánto ha pagado Acme?", SALES, "530,5 en total (120,5 + 410)"),
        ("what share of the takings is from Rowan?", HUTS, "44.36%"),
        ("How many loans last year?", LIBRARY, "2940 in total (800 + 640 + 590 + 910)"),
        ("how many tickets are open?", '{"tickets": 9, "tickets_closed": 2}', "7 (9 − 2"),
    ],
)
def test_the_right_figure_is_told(figures: AccountFigures, query: str, context: str, says: str) -> None:
    answer = figures.answer(query, context)
    assert says in answer
    assert doubts(answer)


def test_the_nearest_figure_is_told_beside_what_is_missing(figures: AccountFigures) -> None:
    context = '{"market": {"stalls": 40, "stalls_let": 31, "visitors": 5200, "no_shows": 3, "rent_due_eur": 260}}'
    answer = figures.answered("how many traders never turned up this time?", context)
    assert not answer.sure
    assert answer.text.endswith("The nearest that it has is this: Market no shows: 3.")
