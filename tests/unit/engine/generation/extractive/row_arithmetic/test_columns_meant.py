"""Which column a superlative or a comparison is of, where its words do not name it whole; with the bundled encoder."""

from __future__ import annotations

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic
from engine.text.language import language_of
from tests.account_cases import encoder

ZONES = """The ceilings of a day depend on the zone:

| Zone | Room per night | Food per day | Laundry |
|---|---|---|---|
| Coast | €90 | €35 | €4 |
| Hills | €70 | €31 | €6 |
| Islands | €140 | €44 | €9 |
| Other zones | €75 | €28 | €3 |"""
PARCELS = """| Service | Time | Charge |
|---|---|---|
| Rush | 1–2 hours | $9.50 |
| Normal | 1–2 days | $4.00 |
| Thrifty | up to a week | $1.50 |"""


def answer(question: str) -> str:
    evidence = [
        Evidence(1, Passage("zones", "trips.md", "Trips", "Rooms and food", ZONES)),
        Evidence(2, Passage("parcels", "parcels.md", "Parcels", "Services", PARCELS)),
    ]
    return RowArithmetic(encoder()).answer(question, evidence, language_of(question))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("which zone has the highest room ceiling?", "The most is Islands — Room per night: €140. [1]"),
        ("which zone has the lowest food ceiling?", "The least is Other zones — Food per day: €28. [1]"),
        ("what is the highest food ceiling?", "The most is Islands — Food per day: €44. [1]"),
        ("which is the cheapest zone for rooms", "The least is Hills — Room per night: €70. [1]"),
        ("which zone has the highest room tax?", ""),  # nothing around the table is about a tax
        ("which zone is the highest?", ""),  # no column is meant
    ],
)
def test_a_superlative_is_of_the_column_that_has_words_of_the_question(question: str, said: str) -> None:
    assert answer(question) == said


@pytest.mark.parametrize("question", ["is rush faster than normal?", "which is quicker, rush or thrifty?"])
def test_what_is_faster_is_not_told_by_what_it_costs(question: str) -> None:
    assert answer(question) == ""


@pytest.mark.parametrize("question", ["is rush more expensive than normal?", "is rush dearer than normal?"])
def test_what_is_dearer_is_told_by_what_it_costs(question: str) -> None:
    assert answer(question) == "Rush — Charge: $9.50, $5.50 more than Normal — Charge: $4.00. [2]"


STOCK = """| Article | Kind | Price | Stock |
|---|---|---|---|
| Oil paint | Paints | €9 | 40 |
| Gouache | Paints | €6 | 12 |
| Flat brush | Brushes | €4 | 30 |
| Round brush | Brushes | €3 | 25 |
| Easel | Furniture | €85 | 3 |"""


@pytest.mark.parametrize(
    ("question", "before", "said"),
    [
        ("what is the cheapest brush?", "", "The least is Round brush — Price: €3. [1]"),
        ("what is the most expensive of the paints?", "", "The most is Oil paint — Price: €9. [1]"),
        ("which article is the most expensive?", "", "The most is Easel — Price: €85. [1]"),
        ("and the most expensive?", "what is the cheapest brush?", "The most is Flat brush — Price: €4. [1]"),
        ("what is the cheapest easel?", "", ""),  # one row is no choice
        ("what is the cheapest chair?", "", ""),
    ],
)
def test_a_superlative_is_of_the_kind_that_is_named(question: str, before: str, said: str) -> None:
    evidence = [Evidence(1, Passage("stock", "stock.md", "Studio", "Prices", STOCK))]
    found = RowArithmetic(encoder()).answer(question, evidence, language_of(question), [before] if before else [])
    assert found == said


CODES = """| Ref | Article | Price | Stock |
|---|---|---|---|
| K-10 | Small kiln | €400 | 4 |
| K-20 | Large kiln | €950 | 2 |
| W-1 | Wheel | €700 | 9 |"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("which article is the most expensive?", "The most is K-20, Large kiln — Price: €950. [1]"),
        ("what is the cheapest kiln?", "The least is K-10, Small kiln — Price: €400. [1]"),
        ("which article has the highest stock?", "The most is W-1, Wheel — Stock: 9. [1]"),
    ],
)
def test_a_row_that_is_called_by_a_code_is_told_with_what_it_is(question: str, said: str) -> None:
    evidence = [Evidence(1, Passage("codes", "codes.md", "Studio", "Prices", CODES))]
    assert RowArithmetic(encoder()).answer(question, evidence, language_of(question)) == said


def test_a_code_before_a_figure_stands_alone() -> None:
    evidence = [
        Evidence(
            1,
            Passage(
                "codes",
                "codes.md",
                "Studio",
                "Prices",
                CODES.replace(" Article |", " Length |")
                .replace("Small kiln", "4 m")
                .replace("Large kiln", "9 m")
                .replace("Wheel", "2 m"),
            ),
        )
    ]
    question = "which has the highest price?"
    found = RowArithmetic(encoder()).answer(question, evidence, language_of(question))
    assert found == "The most is K-20 — Price: €950. [1]"
