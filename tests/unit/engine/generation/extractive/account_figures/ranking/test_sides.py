"""Rows on one side of another of their numbers, shares that are no changes, and answers that come to the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.figure import Amount
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.saying import text_of
from engine.text.language import Language
from tests.account_cases import encoder

SHEDS = "| Tool | In stock | Minimum |\n|---|---|---|\n| Rake | 40 | 60 |\n| Spade | 80 | 20 |\n| Hoe | 12 | 30 |\n"
CREWS = (
    '[{"crew": "Red", "budget": 900, "spent": 950}, {"crew": "Blue", "budget": 700, "spent": 300},'
    ' {"crew": "Green", "budget": 500, "spent": 499}]'
)
JUICE = "Juice pressed: 3,000 l\nApple juice: 1,800 l\nPear juice: 900 l\nLast season juice pressed: 2,500 l\nVats: 7\n"
TRIPS = (
    "The club runs 3 boats. The next outing is a dive on 7 March 2027 for 18 guests. On 3 May 2026 we sold 40 tanks."
)


@pytest.mark.parametrize(
    ("query", "context", "named", "others"),
    [
        ("which tools are below their minimum?", SHEDS, ("Rake", "Hoe"), ("Spade",)),
        ("which tools are above the minimum?", SHEDS, ("Spade",), ("Rake", "Hoe")),
        ("which crews are over budget?", CREWS, ("Red",), ("Blue", "Green")),
        ("which crews spent less than their budget?", CREWS, ("Blue", "Green"), ("Red",)),
    ],
)
def test_rows_are_held_against_the_number_that_is_named_behind_the_side(
    query: str, context: str, named: tuple[str, ...], others: tuple[str, ...]
) -> None:
    answer = AccountFigures(encoder()).answered(query, context)
    assert answer.sure, answer.text
    assert all(name in answer.text for name in named), answer.text
    assert not any(name in answer.text for name in others), answer.text


def test_a_share_is_told_once_and_is_no_change() -> None:
    answer = AccountFigures(encoder()).answered("what share of the juice pressed is apple juice?", JUICE)
    assert "60%" in answer.text
    assert "before" not in answer.text


def test_what_a_statement_dates_is_told_beside_what_it_counts() -> None:
    read = {figure.path: str(figure.value) for figure in read_figures(TRIPS)}
    assert set(read) == {("boats",), ("guests",), ("outing",), ("tanks",)}
    figures = AccountFigures(encoder())
    assert "March 7, 2027" in figures.answer("when is the next outing?", TRIPS)
    before = ["when is the next outing?"]
    assert "18" in figures.answer("and for how many guests?", TRIPS, before=before)


def test_a_part_without_a_name_is_added_too() -> None:
    parts = (("", Amount(Fraction(12))), ("nights", Amount(Fraction(3))))
    both = Candidate("together", (), Amount(Fraction(15)), "", parts)
    question = replace(
        Operations(encoder()).read("nights and the rest together", date(2027, 3, 1)), language=Language.ENGLISH
    )
    assert "15" in text_of(both, question)
