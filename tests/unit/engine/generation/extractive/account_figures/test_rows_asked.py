"""Rows as questions want them: in an order, side by side, one after the other, in two months, against each other."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import encoder

MILLS = """
| Mill | Flour April | Flour July | Stops |
| --- | --- | --- | --- |
| Ash | 900 kg | 1150 kg | 7 |
| Elm | 1300 kg | 1040 kg | 3 |
| Weir | 400 kg | 610 kg | 12 |
"""
BARNS = "barn,lambs,losses\nEast,250,5\nWest,80,6\nHill,400,2"
PARCELS = "Depot: North. Parcels: waiting 30, sent 150, lost 20."


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2027, 3, 10))


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("sort them by flour in July", "Flour july: Ash 1150 kg; Elm 1040 kg; Weir 610 kg."),
        ("ordénalos por stops", "Stops: Weir 12; Ash 7; Elm 3."),
        ("rank the mills by stops from lowest to highest", "Stops: Elm 3; Ash 7; Weir 12."),
        ("ordena los mills por flour april de menor a mayor", "Flour april: Weir 400 kg; Ash 900 kg; Elm 1300 kg."),
    ],
)
def test_rows_are_put_in_the_order_of_a_column(figures: AccountFigures, query: str, answer: str) -> None:
    assert figures.answer(query, MILLS) == answer


def test_rows_in_an_order_have_to_have_the_column(figures: AccountFigures) -> None:
    assert not figures.answered("sort them by height", MILLS).sure


@pytest.mark.parametrize("query", ["compare Ash and Weir", "compara Weir con Ash"])
def test_rows_that_are_compared_stand_side_by_side_where_no_column_is_named(
    figures: AccountFigures, query: str
) -> None:
    answer = figures.answer(query, MILLS)
    for told in ("Ash 900 kg; Weir 400 kg.", "Weir 610 kg.", "Stops: Ash 7; Weir 12."):
        assert told in answer


def test_rows_are_compared_in_the_column_that_is_named(figures: AccountFigures) -> None:
    assert "Lambs, East / West: 170 more (250 against 80)" in figures.answer(
        "compare the lambs of East and West", BARNS
    )


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("how much did the flour of Ash rise from April to July?", "250 kg more than before (1150 kg against 900 kg"),
        ("¿cuánto bajó Elm entre abril y julio?", "260 kg menos que antes (1040 kg frente a 1300 kg"),
    ],
)
def test_a_row_is_compared_in_two_months(figures: AccountFigures, query: str, answer: str) -> None:
    found = figures.answered(query, MILLS)
    assert answer in found.text
    assert found.sure


def test_a_rate_is_a_share_of_another_number_of_its_row(figures: AccountFigures) -> None:
    assert "Losses, West: 7.5% (6 of 80 (lambs))." in figures.answer("what is the loss rate of West?", BARNS)


class TestGoingOn:
    def test_another_row_alone_is_asked_the_same(self, figures: AccountFigures) -> None:
        before = ["how much did the flour of Ash rise from April to July?"]
        found = figures.answered("and Weir?", MILLS, before=before)
        assert "210 kg more than before (610 kg against 400 kg" in found.text
        assert found.carried

    def test_that_goes_on_through_several_rows(self, figures: AccountFigures) -> None:
        before = ["how many stops does Ash have?", "and Weir?"]
        assert figures.answer("and in Elm?", MILLS, before=before) == figures.answer(
            "how many stops does Elm have?", MILLS
        )

    def test_it_stands_for_the_row_that_was_the_answer(self, figures: AccountFigures) -> None:
        found = figures.answered("what is its loss rate?", BARNS, before=["which barn has the most losses?"])
        assert "Losses, West: 7.5% (6 of 80 (lambs))." in found.text
        assert found.carried

    def test_a_share_of_all_is_of_the_states_of_its_kind(self, figures: AccountFigures) -> None:
        before = ["how many parcels are sent?"]
        assert "75% (150 of 200)." in figures.answer("what share of all parcels is that?", PARCELS, before=before)
