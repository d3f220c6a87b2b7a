from __future__ import annotations

import pytest

from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.ingestion.formats.by_suffix import content_of
from engine.retrieval.ingestion.formats.rows import Table, blocks_of, read_csv, records
from engine.retrieval.port import Document


def blocks(*rows: list[str], name: str = "") -> list[str]:
    return [block for _, block in blocks_of(records([Table(name, list(rows))]))]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_cells_are_cut_whatever_stands_between_them(mark: str, end: str) -> None:
    text = end.join(mark.join(row) for row in (["Name", "Town", "Age"], ["Ana", "Vigo", "33"], ["Bob", "Lugo", "4"]))
    assert read_csv(text).rows == [["Name", "Town", "Age"], ["Ana", "Vigo", "33"], ["Bob", "Lugo", "4"]]


def test_quotes_hold_marks_and_line_breaks() -> None:
    assert read_csv('Name,Note\n"Muñoz, Ana","two\nlines and a ""word"""\n').rows[1] == [
        "Muñoz, Ana",
        'two\nlines and a "word"',
    ]


def test_numbers_with_commas_do_not_make_the_comma_the_mark() -> None:
    assert read_csv("Item;Price\nTea;1,20\nRice;3,15\n").rows[1] == ["Tea", "1,20"]


def test_a_row_is_a_block_with_the_names_of_its_columns() -> None:
    assert blocks(["Name", "Town"], ["Ana", "Vigo"], ["Bob", "Lugo"]) == [
        "Name: Ana\nTown: Vigo",
        "Name: Bob\nTown: Lugo",
    ]


def test_empty_cells_and_rows_are_left_out() -> None:
    assert blocks(["Name", "Town"], ["", " "], ["Ana", ""]) == ["Name: Ana"]


def test_what_stands_above_the_names_is_a_block_of_its_own() -> None:
    rows = blocks(["Prices of 2026", "", ""], ["Item", "Price", "Since"], ["Tea", "1.20", "2025-01-01"])
    assert rows == ["Prices of 2026", "Item: Tea\nPrice: 1.20\nSince: 2025-01-01"]


def test_years_name_columns_and_other_numbers_do_not() -> None:
    assert blocks(["Country", "2024", "2025"], ["Spain", "5", "6"])[0] == "Country: Spain\n2024: 5\n2025: 6"
    assert blocks(["Ana", "33.5"], ["Bob", "4"])[0] == "Column 1: Ana\nColumn 2: 33.5"


def test_columns_without_a_name_are_numbered() -> None:
    assert blocks(["Name", "Town", ""], ["Ana", "Vigo", "x", "y"]) == [
        "Name: Ana\nTown: Vigo\nColumn 3: x\nColumn 4: y"
    ]


def test_names_alone_and_one_column_are_kept() -> None:
    assert blocks(["Name", "Town"]) == ["Name; Town"]
    assert blocks(["Name"], ["Ana"], ["Bob"]) == ["Name: Ana", "Name: Bob"]
    assert blocks(["A remark"]) == ["A remark"]
    assert blocks() == []


def test_a_cell_never_ends_its_row() -> None:
    assert blocks(["Name", "Note"], ["Ana", "one\n\ntwo"]) == ["Name: Ana\nNote: one two"]


def test_a_row_is_a_passage_under_the_name_of_its_sheet() -> None:
    text = records([Table("Staff", [["Name", "Town"], ["Ana", "Vigo"]]), Table("Sites", [["Site"], ["North"]])])
    document = Document("book.xlsx", "book.xlsx", text, "rows", "/book.xlsx", "1")
    passages = [part.passage for part in chunk(document)]
    assert [(passage.heading, passage.text) for passage in passages] == [
        ("Staff", "Name: Ana\nTown: Vigo"),
        ("Sites", "Site: North"),
    ]


def test_a_row_that_is_too_long_is_cut_under_its_first_cell() -> None:
    text = records([Table("", [["Name", "Note"], ["Ana", "word " * 600]])])
    passages = [part.passage.text for part in chunk(Document("a.csv", "a.csv", text, "rows", "/a.csv", "1"))]
    assert len(passages) == 3
    assert all(text.startswith("Name: Ana\n") for text in passages)
    assert sum(text.count("word") for text in passages) == 600


def test_csv_is_read_in_any_encoding_by_its_suffix() -> None:
    content = content_of(".CSV", "Name;Town\nSeñora Muñoz;A Coruña\n".encode("latin-1"))
    assert (content.kind, content.text) == ("rows", "Name: Señora Muñoz\nTown: A Coruña\n")
