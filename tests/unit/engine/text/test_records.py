"""Rows of table files as tables again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.domain import Passage
from engine.retrieval.ingestion.formats import office
from engine.retrieval.ingestion.formats.by_suffix import content_of
from engine.text.quotation import quoted_units
from engine.text.records import SUFFIXES, as_table, is_field_of_object, list_of, record_of, short_cells_of

ROW = "kiln: North\nfuel: gas\nprice_eur: 1200"


def _read_as_rows() -> Iterator[str]:
    yield from office.SHEETS
    yield from (suffix for suffix in (".csv", ".tsv", ".md", ".txt", ".json") if _kind(suffix) == "rows")


def _kind(suffix: str) -> str:
    return content_of(suffix, b"kiln,fuel\nNorth,gas\n").kind


def test_the_suffixes_are_those_of_the_files_that_are_read_as_rows() -> None:
    assert frozenset(_read_as_rows()) == SUFFIXES


@pytest.mark.parametrize("document", ["kilns.csv", "lists/Kilns.XLSX", "kilns.tsv"])
def test_a_row_is_a_table_of_one_row(document: str) -> None:
    table = "| kiln | fuel | price_eur |\n| --- | --- | --- |\n| North | gas | 1200 |"
    assert as_table(document, ROW) == table
    (unit,) = quoted_units(Passage("p", document, "", "", ROW))
    assert (unit.text, unit.whole) == ("North — fuel: gas; price_eur: 1200", table)


def test_a_bar_in_a_cell_is_a_part_of_it() -> None:
    (unit,) = quoted_units(Passage("p", "kilns.csv", "", "", "kiln: North | East\nfuel: gas\nprice: 12"))
    assert unit.text == r"North \| East — fuel: gas; price: 12"


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("kilns.md", ROW),
        ("kilns", ROW),
        ("kilns.csv", "kiln: North"),
        ("kilns.csv", "kiln: North\nIt stands in the yard."),
        ("kilns.csv", "kiln: North\nkiln: South"),
        ("kilns.csv", f"kiln: North\nhistory: {'It was lit again. ' * 5}"),
        ("kilns.csv", ""),
    ],
    ids=["another format", "no suffix", "one cell", "text", "a name twice", "a long text", "nothing"],
)
def test_anything_else_stays_as_it_is(document: str, text: str) -> None:
    assert as_table(document, text) == text


def test_an_object_is_a_row_with_its_name_in_a_column_that_is_called_as_its_list() -> None:
    text = "A loaf with a crust.\n\nFlour: rye\n\nPrice eur: 4.2"
    assert record_of("shop.json", "Shop > Breads > Rye loaf", text) == {
        "Breads": "Rye loaf",
        "Flour": "rye",
        "Price eur": "4.2",
    }
    assert as_table("shop.json", text, "Breads > Rye loaf").splitlines()[2] == "| Rye loaf | rye | 4.2 |"


@pytest.mark.parametrize(
    ("document", "heading", "text"),
    [
        ("shop.md", "Breads > Rye", "Flour: rye"),
        ("shop.json", "", "Flour: rye"),
        ("shop.json", "Breads > Rye", "A loaf with a crust."),
    ],
)
def test_nothing_else_is_an_object(document: str, heading: str, text: str) -> None:
    assert record_of(document, heading, text) == {}
    assert as_table(document, text, heading) == text


def test_rows_of_one_table_have_the_heading_of_the_sheet_or_of_the_list() -> None:
    assert list_of("shop.json", "Shop > Breads > Rye") == "Shop > Breads"
    assert list_of("shop.xlsx", "Breads") == "Breads"


def test_a_field_of_an_object_is_told_from_a_sentence() -> None:
    assert is_field_of_object("shop.json", "Breads > Rye", "Price eur: 4.2")
    assert not is_field_of_object("shop.json", "Breads > Rye", "It keeps for a week.")
    assert not is_field_of_object("shop.md", "Breads > Rye", "Price eur: 4.2")


def test_a_long_cell_is_left_out_of_its_row_where_a_whole_table_is_read() -> None:
    long = f"{ROW}\nnotes: {'Fire it slowly. ' * 8}"
    assert record_of("kilns.csv", "", long) == {}
    assert short_cells_of("kilns.csv", "", long) == {"kiln": "North", "fuel": "gas", "price_eur": "1200"}
    assert short_cells_of("kilns.csv", "", f"{ROW}\nno cell at all") == {}
    assert short_cells_of("kilns.md", "", ROW) == {}
