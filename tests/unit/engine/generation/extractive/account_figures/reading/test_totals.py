"""Rows of totals, which are no rows: the others come to them, or they say a mean that stays."""

from __future__ import annotations

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.figure import Amount
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from tests.account_cases import encoder

HUTS = """| Hut | Nights | Takings (€) | Mean stay |
|---|---:|---:|---:|
| Larch | 41 | 1,230.00 | 2.1 |
| Rowan | 35 | 980.50 | 1.7 |
| **Total** | 76 | 2,210.50 | 1.9 |
"""
HUTS_JSON = (
    '[{"hut": "Larch", "nights": 41}, {"hut": "Rowan", "nights": 35}, {"hut": "Sorb", "nights": 12},'
    ' {"hut": "Totales", "nights": 88}]'
)


@pytest.mark.parametrize("context", [HUTS, HUTS_JSON, "hut,nights\nLarch,41\nRowan,35\nTOTAL,76\n"])
def test_the_row_of_totals_is_no_row(context: str) -> None:
    assert {figure.row for figure in read_figures(context)} - {""} <= {"Larch", "Rowan", "Sorb"}


def test_what_is_no_sum_of_the_column_stays() -> None:
    single = {figure.path: figure.value for figure in read_figures(HUTS) if not figure.row}
    assert list(single) == [("mean stay", "total")]
    assert isinstance(single["mean stay", "total"], Amount)


def test_a_list_of_one_row_keeps_its_total() -> None:
    assert {figure.row for figure in read_figures("hut,nights\nLarch,41\nTotal,41\n")} == {"Larch", "Total"}


@pytest.mark.parametrize(
    ("query", "context", "says"),
    [
        ("how many nights in total?", HUTS, "76"),
        ("¿cuántas noches en total?", HUTS_JSON, "88"),
        ("which hut had the most nights?", HUTS_JSON, "Larch"),
    ],
)
def test_the_others_are_counted_and_added_without_it(query: str, context: str, says: str) -> None:
    answer = AccountFigures(encoder()).answered(query, context)
    assert answer.sure, answer.text
    assert says in answer.text
