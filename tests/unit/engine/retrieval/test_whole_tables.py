"""Rows of a table file put together, from a catalogue in memory and from the embedded index."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.domain import Passage
from engine.retrieval.ingestion.reading import Documents
from engine.retrieval.local.index import LocalIndex
from engine.retrieval.port import StoredDocument
from engine.retrieval.whole_tables import MOST_ROWS, WholeTables
from engine.testing import HashedWordsEmbedder

ROWS = ["Kiln: Small\nPrice: 40\nDays: 3", "Kiln: Large\nPrice: 90\nDays: 3", "Kiln: Mobile\nPrice: 60"]


class Catalogue:
    """Documents by name, each with the texts of its passages by heading."""

    def __init__(self, **documents: dict[str, list[str]]) -> None:
        self.kept = {f"{name}.csv": sheets for name, sheets in documents.items()}
        self.twice = False

    def documents(self) -> list[StoredDocument]:
        """See `Catalogue.documents`."""
        found = [
            StoredDocument(name, f"/{name}", sum(map(len, sheets.values())), 1, 0.0, name)
            for name, sheets in self.kept.items()
        ]
        return found * 2 if self.twice else found

    def changed_at(self) -> float:
        """See `Catalogue.changed_at`."""
        return 0.0

    def passages_of(self, document: StoredDocument) -> list[Passage]:
        """See `Catalogue.passages_of`."""
        return [
            row(text, document.name, heading) for heading, texts in self.kept[document.name].items() for text in texts
        ]


def row(text: str, document: str = "kilns.csv", heading: str = "") -> Passage:
    return Passage(f"{document} {text[:12]}", document, "Kilns", heading, text)


def tables(catalogue: Catalogue | LocalIndex, *, asks: bool = True) -> WholeTables:
    return WholeTables(catalogue, lambda _: asks)


async def test_the_rows_of_the_best_passages_file_are_one_table() -> None:
    found = await tables(Catalogue(kilns={"": ROWS})).of_all_rows("which is dear?", [row(ROWS[1]), row(ROWS[0])])
    assert found is not None
    assert found.document == "kilns.csv"
    assert found.id not in {row(text).id for text in ROWS}
    assert found.text.splitlines() == [
        "| Kiln | Price | Days |",
        "| --- | --- | --- |",
        "| Small | 40 | 3 |",
        "| Large | 90 | 3 |",
        "| Mobile | 60 |  |",
    ]


async def test_a_sheet_is_a_table_of_its_own() -> None:
    kept = Catalogue(kilns={"Hire": ROWS, "Sale": [text.replace("Kiln", "Name") for text in ROWS]})
    found = await tables(kept).of_all_rows("?", [row(ROWS[0], heading="Hire")])
    assert found is not None
    assert "Name" not in found.text
    assert found.heading == "Hire"


@pytest.mark.parametrize(
    ("kept", "best", "asks"),
    [
        ({"": ROWS}, row(ROWS[0]), False),  # something else is asked
        ({"": ROWS}, row("Kilns are hot.", "kilns.md"), True),  # no row
        ({"": ROWS}, row("Kilns are hot."), True),
        ({"": ROWS}, row(ROWS[0], "ovens.csv"), True),  # not indexed any more
        ({"": ROWS[:1]}, row(ROWS[0]), True),
        ({"": [*ROWS, "Kilns are hot."]}, row(ROWS[0]), True),
        ({"": ROWS * MOST_ROWS}, row(ROWS[0]), True),
        ({"": [f"Kiln: {'x' * 78}{n}\nPrice: {'9' * 70}" for n in range(120)]}, row(ROWS[0]), True),
    ],
)
async def test_nothing_else_is_a_table(kept: dict[str, list[str]], best: Passage, *, asks: bool) -> None:
    assert await tables(Catalogue(kilns=kept), asks=asks).of_all_rows("?", [best]) is None


BREAD = {"Panes > Chapata": ["Harina: trigo\n\nPrecio eur: 1.8"], "Panes > Hogaza": ["Precio eur: 4.2"]}


class Files(Catalogue):
    """Documents under the names that they have."""

    def __init__(self, **documents: dict[str, list[str]]) -> None:
        super().__init__()
        self.kept = {name.replace("_", "."): headed for name, headed in documents.items()}


def answering(catalogue: Catalogue, *, answers: bool = True, asks: bool = True) -> WholeTables:
    return WholeTables(catalogue, lambda _: False, lambda *_: answers, lambda _: asks)


async def test_the_objects_of_a_list_are_a_table_that_is_called_as_the_list_is() -> None:
    catalogue = Files(shop_json={**BREAD, "Cursos > Masa madre": ["Precio eur: 45"]})
    found = await answering(catalogue).of_all_rows(
        "?", [row("Nothing", "x.md"), *(row(text, "shop.json", heading) for heading, (text,) in BREAD.items())]
    )
    assert found is not None
    assert found.heading == "Panes"
    assert found.text.splitlines() == [
        "| Panes | Harina | Precio eur |",
        "| --- | --- | --- |",
        "| Chapata | trigo | 1.8 |",
        "| Hogaza |  | 4.2 |",
    ]


async def test_a_list_with_an_object_that_is_no_row_is_no_table() -> None:
    catalogue = Files(shop_json={**BREAD, "Panes > Barra": ["No se hace los lunes."]})
    best = row(BREAD["Panes > Chapata"][0], "shop.json", "Panes > Chapata")
    assert await answering(catalogue).of_all_rows("?", [best]) is None


async def test_one_text_among_many_objects_is_left_aside() -> None:
    boats = {f"Boat {name}": [f"Length m: {4 + at}\nSeats: {at}"] for at, name in enumerate("ABCDE")}
    catalogue = Files(boats_json={**boats, "How to hire": ["Boats are hired at the pier, which opens at nine."]})
    best = row(boats["Boat A"][0], "boats.json", "Boat A")
    found = await answering(catalogue).of_all_rows("?", [best])
    assert found is not None
    assert found.text.count("\n") == 6


async def test_a_table_that_was_cut_is_whole_again() -> None:
    pieces = ["| Kiln | Price |\n|---|---|\n| Small | 40 |", "| Kiln | Price |\n|---|---|\n| Large | 90 |"]
    found = await answering(Files(kilns_md={"Hire": pieces})).of_all_rows("?", [row(pieces[1], "kilns.md", "Hire")])
    assert found is not None
    assert found.text.splitlines() == ["| Kiln | Price |", "|---|---|", "| Small | 40 |", "| Large | 90 |"]
    whole = await answering(Files(kilns_md={"Hire": pieces[:1]})).of_all_rows("?", [row(pieces[0], "kilns.md", "Hire")])
    assert whole is None


async def test_a_table_that_several_passages_are_of_is_there_where_it_answers() -> None:
    among = [row("Kilns are hot.", "kilns.md"), row(ROWS[0]), row(ROWS[1])]
    catalogue = Catalogue(kilns={"": ROWS})
    assert await answering(catalogue).of_all_rows("which are dear?", among) is not None
    assert await answering(catalogue).of_all_rows("which are dear?", among[:2]) is None
    assert await answering(catalogue, answers=False).of_all_rows("which are dear?", among) is None
    assert await answering(catalogue, asks=False).of_all_rows("which are dear?", among) is None


async def test_two_documents_of_a_name_and_no_passages_are_none() -> None:
    catalogue = Catalogue(kilns={"": ROWS})
    assert await tables(catalogue).of_all_rows("?", []) is None
    catalogue.twice = True
    assert await tables(catalogue).of_all_rows("?", [row(ROWS[0])]) is None


async def test_the_rows_of_an_index(tmp_path: Path) -> None:
    file = tmp_path / "kilns.csv"
    file.write_text("Kiln,Price\nSmall,40\nLarge,90\n", encoding="utf-8")
    index = LocalIndex(tmp_path / "index", HashedWordsEmbedder())
    try:
        index.index(Documents([file]))
        best = await index.search("large kiln", k=2)
        found = await tables(index).of_all_rows("the dearest?", best)
    finally:
        await index.close()
    assert found is not None
    assert found.text.splitlines()[2:] == ["| Small | 40 |", "| Large | 90 |"]


async def test_a_table_may_answer_what_goes_on_from_an_answer() -> None:
    among = [row("Kilns are hot.", "kilns.md"), row(ROWS[0]), row(ROWS[1])]
    whole = WholeTables(Catalogue(kilns={"": ROWS}), lambda _: False, lambda _query, _table, last: last == "Small. [1]")
    assert await whole.of_all_rows("and the dearest?", among) is None
    assert await whole.of_all_rows("and the dearest?", among, "Small. [1]") is not None
