"""Rows whose figure is a number that is named, tables that a file's name says, and columns that no figure can be read of."""

from __future__ import annotations

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic
from engine.text.language import Language, language_of
from tests.account_cases import encoder

KITES = """| | Colour | Lines | Weight g | Price eur | Packed cm |
|---|---|---|---|---|---|
| Swift 2 | green | 2 | 210 | 49 | 60 |
| Heron | blue | 4 | 480 | 129 | 85 |
| Gull | blue | 2 | 350 | 75 | 85 |
| Condor | red | 4 | 610 | 190 | 110 |"""
BATHS = """| Bath | Length | Depth | Water temperature |
|---|---|---|---|
| Hall bath | 20 m | 1.1 to 1.9 m | 28 °C |
| Warm bath | 9 m | 0.7 m | 33 °C |
| Lake bath | 40 m | 1.0 to 4.0 m | 21 °C |"""
MIXED = """| Bath | Length | Water |
|---|---|---|
| Hall bath | 20 m | 28 to 29 °C |
| Warm bath | 9 m | 33 °C |
| Lake bath | 40 m | about 21 °C |"""


def answer(question: str, text: str, document: str = "meadow-kites.json", last: str = "") -> str:
    passage = Passage("p", document, document if document.endswith(".json") else "Fernhill baths", "", text)
    return RowArithmetic(encoder()).answer(question, [Evidence(1, passage)], language_of(question), last=last)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("which kites have 4 lines?", ["Heron", "Condor"]),
        ("which meadow kites have 2 lines?", ["Swift 2", "Gull"]),
        ("how many kites have 2 lines?", ["Swift 2", "Gull"]),
        ("kites under 100 euros", ["Swift 2", "Gull"]),
        ("how many kites are blue?", ["Heron", "Gull"]),
        ("which kites are 85 cm packed?", ["Heron", "Gull"]),
    ],
)
def test_rows_are_found_by_an_equal_number_and_by_the_name_of_the_file(question: str, names: list[str]) -> None:
    lines = [line for line in answer(question, KITES).splitlines() if line.startswith("- ")]
    assert [line.removeprefix("- ").partition(" —")[0] for line in lines] == names


@pytest.mark.parametrize(
    "question",
    [
        "which kites have 3 lines?",
        "which kites have 4 handles?",
        "what does the Swift 2 weigh?",
        "which kites have 2 lines and 4 handles?",
        "how do I fly 2 kites?",
    ],
)
def test_what_no_number_of_a_named_column_equals_is_left_to_quoting(question: str) -> None:
    assert "- " not in answer(question, KITES)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("which of the baths has the warmest water?", "Warm bath"),
        ("which bath is the longest?", "Lake bath"),
        ("¿qué bath tiene el agua más fría?", ""),
    ],
)
def test_degrees_are_figures(question: str, says: str) -> None:
    assert says in answer(question, BATHS, "baths.html")


def test_the_most_of_a_column_that_cannot_be_read_is_not_of_another_one() -> None:
    assert "Length" not in answer("which of the baths has the warmest water?", MIXED, "baths.html")


@pytest.mark.parametrize(
    ("question", "last", "says"),
    [
        ("and what colour?", "Price eur, Heron: 129 EUR. [1]", "Heron — Colour: blue"),
        ("how much does it weigh?", "Colour, Gull: blue. [1]", ""),
        ("and how many lines?", "Price eur, Condor: 190 EUR. [1]", "Condor — Lines: 4"),
    ],
)
def test_one_cell_that_was_told_is_gone_on_from(question: str, last: str, says: str) -> None:
    assert says in answer(question, KITES, last=last)


CREW = """| | Role | Phone | Languages |
|---|---|---|---|
| Vera Holt | Warden | 555 01 | en, de |
| Pablo Ruiz | Cook | 555 02 | es |
| Vera Stone | Guide | 555 03 | en |"""
SALES = """| Order | Customer | Boxes | Price per box (EUR) | Total (EUR) |
|---|---|---|---|---|
| A1 | Mill Bakery | 3 | 10 | 30 |
| A2 | Park Hotel | 5 | 8 | 40 |
| A3 | Mill Bakery | 2 | 10 | 20 |"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what phone has Pablo?", "- Pablo Ruiz — Phone: 555 02 [1]"),
        ("which languages does Vera speak?", "- Vera Holt — Languages: en, de\n- Vera Stone — Languages: en [1]"),
        ("which languages does Vera Stone speak?", "Vera Stone — Languages: en. [1]"),
    ],
)
def test_a_part_of_a_name_tells_its_rows(question: str, told: str) -> None:
    assert answer(question, CREW, "crew.json") == told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how many boxes are there in total?", "Boxes: 10 in total (3 + 5 + 2). [1]"),
        ("how much did Mill Bakery spend altogether?", "In total 50 EUR:"),
        ("how many boxes did Crane Nursery order?", ""),
        ("how many boxes does the third one have?", ""),
    ],
)
def test_a_column_is_added_up_over_all_rows_or_over_those_that_are_named(question: str, told: str) -> None:
    found = answer(question, SALES, "orders.csv")
    assert found.startswith(told)
    assert told or not found


def test_the_most_of_the_rows_that_were_listed_is_of_these() -> None:
    listed = answer("which kites have 4 lines?", KITES)
    found = answer("which of them is the cheapest?", KITES, last=listed)
    assert found == "The least is Heron — Price eur: 129. [1]"


def test_what_says_when_something_is_to_be_had_says_nothing_of_its_price() -> None:
    lines = (
        "Fees:\n- Day: 40 dollars, on weekdays only\n- Full: 110 dollars, at all hours\n- Guest: 60 dollars, no sauna"
    )
    assert answer("which fee is the cheapest?", lines, "sauna.md").startswith("The least is Day: 40 dollars")


SHIFTS = """| | Post | Days | Desk |
|---|---|---|---|
| Vera Holt | Warden | Monday to Friday | 4 |
| Pablo Ruiz | Cook | Saturday and Sunday | 7 |"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("when does she work?", "Vera Holt — Days: Monday to Friday. [1]"),
        ("¿y qué días trabaja?", "Vera Holt — Days: Monday to Friday. [1]"),
    ],
)
def test_when_is_answered_by_the_days_of_the_last_row(question: str, told: str) -> None:
    assert answer(question, SHIFTS, "crew.json", last="Vera Holt — Desk: 4. [1]") == told


def test_a_column_is_carried_through_questions_that_name_a_row_alone() -> None:
    passage = Passage("p", "fees.md", "Fees", "", SALES)
    before = ["what is the total of A1?", "and A2?", "what is the weather?"]
    asked = RowArithmetic(encoder()).answer
    for earlier, told in ((before[:2], "A3, Mill Bakery — Total (EUR): 20. [1]"), (before, "")):
        found = asked("and A3?", [Evidence(1, passage)], Language.ENGLISH, before=earlier)
        assert found == told, found


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("average price of the kites", "Price eur: 110.75 eur on average (443 eur over 4). [1]"),
        ("what is the average age of the kites?", ""),
        ("cometa con más cordeles", ""),
        ("cometa con más peso", "El máximo es Condor — Weight g: 610. [1]"),
        ("¿hay cometas con más peso?", ""),
    ],
)
def test_means_and_the_most_are_asked_for_in_few_words(question: str, told: str) -> None:
    found = answer(question, KITES, "meadow-kites.json" if "kites" in question else "cometas.json")
    assert found.startswith(told)
    assert told or not found.startswith("El m"), found


def test_what_documents_do_not_seem_to_answer_is_not_told_of_a_table_far_away_that_has_none_of_its_words() -> None:
    costs = "| Expense | Limit |\n|---|---|\n| Hotel | 90 € |\n| Lunch | 12 € |\n| Taxi | 30 € |"
    table = Evidence(3, Passage("t", "staff.md", "Handbook of Kestrel Cycles", "Expenses", costs))
    others = [Evidence(n, Passage(f"p{n}", "a.md", "A", "", "Nothing of the kind.")) for n in (1, 2)]
    asked = RowArithmetic(encoder()).answer
    question = "¿cuál es la bicicleta más barata?"
    assert asked(question, [*others, table], Language.SPANISH, answerable=False) == ""
    literal = asked("¿cuál es el limit más bajo?", [*others, table], Language.SPANISH, answerable=False)
    assert literal == "El mínimo es Lunch: 12 €. [3]"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("which is cheaper, Heron or Gull?", "Gull — Price eur: 75, 54 eur less than Heron — Price eur: 129. [1]"),
        ("which is cheaper, Gull or Heron?", "Gull — Price eur: 75, 54 eur less than Heron — Price eur: 129. [1]"),
        ("which is heavier, Swift 2 or Condor?", "Condor — Weight g: 610, 400 more than Swift 2 — Weight g: 210. [1]"),
        (
            "how much cheaper is Heron than Condor?",
            "Heron — Price eur: 129, 61 eur less than Condor — Price eur: 190. [1]",
        ),
    ],
)
def test_the_one_that_is_asked_for_is_named_first(question: str, told: str) -> None:
    assert answer(question, KITES) == told
