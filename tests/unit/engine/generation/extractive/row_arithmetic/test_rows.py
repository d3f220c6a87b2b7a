"""Rows with their amounts, as they are read from passages."""

from __future__ import annotations

from fractions import Fraction

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.account_figures.figure import Amount
from engine.generation.extractive.row_arithmetic.rows import in_seconds, kind_of, period_of, rows_of_evidence

TABLE = """| Boat | Per hour | Length | Seats |
| --- | --- | --- | --- |
| Canoe | £9.50 | 5 m | 3 |
| Rowing boat | from £12 | 4 m | 4 |"""
LIST = """Clases de vela:

- Iniciación: 10 horas, 1.205,50 €
- Regata: 25 horas, desde 300 €
- Travesía: 3 días"""


def evidence(text: str, number: int = 1, document: str = "boats.md") -> Evidence:
    return Evidence(number, Passage(f"p{number}", document, "Boats", "Hire > Prices", text))


def test_a_table_gives_the_cells_that_state_one_figure_and_nothing_else() -> None:
    canoe, rowing = rows_of_evidence([evidence(TABLE)])
    assert canoe.name == "Canoe"
    assert canoe.columns == ("Per hour", "Length", "Seats")
    assert [(cell.column, cell.amount.value, cell.kind) for cell in canoe.cells] == [
        ("Per hour", Fraction(19, 2), "money"),
        ("Length", 5, "m"),
        ("Seats", 3, ""),
    ]
    assert [cell.column for cell in rowing.cells] == ["Length", "Seats"]  # "from £12" is no price
    assert "Prices" in canoe.about
    assert "Boat" in canoe.about.split()


def test_an_item_gives_a_figure_of_each_kind_under_a_name_of_its_own() -> None:
    first, second, third = rows_of_evidence([evidence(LIST)])
    assert [(cell.column, cell.amount.value) for cell in first.cells] == [
        ("Duración", 10),
        ("Precio", Fraction(2411, 2)),
    ]
    assert second.cells == ()  # "desde" qualifies its figures
    assert [cell.kind for cell in third.cells] == ["time"]
    assert not first.cells[0].named


def test_two_figures_of_a_kind_are_none() -> None:
    (row, _) = rows_of_evidence([evidence("- Tour: 10 €, 12 €\n- Walk: 3 €, two hours")])
    assert row.cells == ()


def test_what_two_passages_have_is_there_once_and_documents_are_told_apart() -> None:
    twice = rows_of_evidence([evidence(TABLE), evidence(TABLE, 2)])
    assert [row.number for row in twice] == [1, 1]
    assert len(rows_of_evidence([evidence(TABLE), evidence(TABLE, 2, "lake.md")])) == 4


def test_running_text_has_no_rows() -> None:
    assert rows_of_evidence([evidence("A canoe costs £9.50 an hour.")]) == []


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("Monthly", "month"),
        ("Cuota anual", "year"),
        ("Price per month", "month"),
        ("Meses del año", ""),
        ("Price", ""),
        ("Niños hasta 12 años", ""),
    ],
)
def test_a_period_is_told_by_its_words(text: str, period: str) -> None:
    assert period_of(text) == period


def test_a_figure_for_a_month_is_twelve_of_it_a_year() -> None:
    (row, _) = rows_of_evidence([evidence("| Plan | Monthly |\n|---|---|\n| Solo | £42 |\n| Duo | £74 |")])
    assert row.cells[0].period == "month"
    assert row.cells[0].yearly == 504


@pytest.mark.parametrize(
    ("amount", "kind", "seconds"),
    [
        (Amount(Fraction(90), "minutes"), "time", 5_400),
        (Amount(Fraction(2), "horas"), "time", 7_200),
        (Amount(Fraction(15_900), "h min"), "time", 15_900),
        (Amount(Fraction(3), "€"), "money", None),
        (Amount(Fraction(3), "kWh"), "kwh", None),
    ],
)
def test_kinds_of_amounts_and_lengths_of_time(amount: Amount, kind: str, seconds: int | None) -> None:
    assert kind_of(amount) == kind
    assert in_seconds(amount) == seconds


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("Minutos", "time"),
        ("Drying time (min)", "time"),
        ("Price per 3 days", ""),  # what it is for
        ("Day", ""),  # which one
        ("Seats", ""),
        ("Days from arrival", ""),
    ],
)
def test_a_bare_number_is_of_the_time_that_its_column_names(column: str, kind: str) -> None:
    (row, _) = rows_of_evidence([evidence(f"| Glaze | {column} |\n|---|---|\n| Ash | 40 |\n| Tin | 55 |")])
    assert [(cell.kind, cell.written) for cell in row.cells] == [(kind, "40")]


def test_a_row_of_a_file_has_its_long_texts_too() -> None:
    text = "Glaze: Ash\nMinutes: 40\nNotes: " + "Stir it well; " * 20
    (row,) = rows_of_evidence([evidence(text.strip(), document="glazes.csv")])
    assert row.columns == ("Minutes", "Notes")
    assert row.single
