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
