"""Columns of codes are texts: they are told as they stand, and never added up."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.figure import Amount, Figure
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.reading.identifiers import with_identifiers
from tests.account_cases import encoder

INSTRUMENTS = """| Instrument | Serial | Rent |
|---|---|---|
| Oboe | 4471 KLM | 18 |
| Cello | 9020 PRT | 35 |
| Harp | 1186 ZQD | 60 |"""
BOATS = (
    '{"boats": [{"name": "Gull", "plate": "5512 GHT", "seats": 40}, {"name": "Tern", "plate": "8120 KPQ", "seats": 2}]}'
)


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2026, 11, 27))


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        (("12 AB", "13 CD"), True),
        (("1.5 ABC", "17 XYZ"), True),
        (("12 AB", "13 AB"), False),  # one unit
        (("12 A", "13 C"), False),  # one letter
        (("12 abc", "17 xyz"), False),
        (("12 ABC", "17"), False),
        (("12 EUR", "13 USD"), False),
        (("3 GB", "20 MB"), False),
        (("3 GB", "20 XYZ"), False),
    ],
)
def test_a_column_of_codes_is_of_different_capitals_that_are_no_units(cells: tuple[str, str], texts: bool) -> None:
    told = [figure.value for figure in read_figures(f"Row;Label\na;{cells[0]}\nb;{cells[1]}\n")]
    assert told == list(cells) if texts else all(isinstance(value, Amount) for value in told)


def test_only_the_column_of_codes_is_of_texts() -> None:
    told = {(f.row, f.path[-1]): f.value for f in read_figures("Row;Shelf;Load\na;12 ABX;3 kg\nb;17 QRT;5 kg\n")}
    assert (told["a", "shelf"], told["b", "shelf"]) == ("12 ABX", "17 QRT")
    assert told["a", "load"] == Amount(Fraction(3), "kg")


def test_values_without_a_row_and_signs_before_a_number_are_no_codes() -> None:
    single = [Figure(("code",), Amount(Fraction(n), unit)) for n, unit in ((12, "ABC"), (13, "XYZ"))]
    assert with_identifiers(single) == single
    before = [
        Figure(("price",), Amount(Fraction(12), unit, before=True), row=row)
        for row, unit in (("a", "QQQ"), ("b", "ZZZ"))
    ]
    assert with_identifiers(before) == before


@pytest.mark.parametrize(
    ("context", "query", "answer"),
    [
        (INSTRUMENTS, "Which instrument has the serial 9020 PRT?", "Instrument: Cello."),
        (INSTRUMENTS, "¿Qué instrumento tiene el número 1186 ZQD?", "Instrument: Harp."),
        (INSTRUMENTS, "What is the serial of the oboe?", "Serial, Oboe: 4471 KLM."),
        (INSTRUMENTS, "¿Cuál es el serial del Harp?", "Serial, Harp: 1186 ZQD."),
        (INSTRUMENTS, "What is the rent of the instrument 9020 PRT?", "Rent, Cello: 35."),
        (INSTRUMENTS, "How much is the rent of all instruments?", "Rent: 113 in total (18 + 35 + 60)."),
        (BOATS, "Which boat has the plate 5512 GHT?", "Name: Gull."),
        (BOATS, "How many seats in total?", "Boats seats: 42 in total (40 + 2)."),
    ],
)
def test_codes_tell_rows_and_other_columns_are_added(
    figures: AccountFigures, context: str, query: str, answer: str
) -> None:
    found = figures.answered(query, context)
    assert (found.text, found.sure) == (answer, True)


@pytest.mark.parametrize("query", ["total serial", "sum of serials", "¿Cuánto suman los serial?"])
def test_codes_are_not_added_up(figures: AccountFigures, query: str) -> None:
    found = figures.answered(query, INSTRUMENTS)
    assert not found.sure
    assert "14677" not in found.text
    assert "4471 +" not in found.text
