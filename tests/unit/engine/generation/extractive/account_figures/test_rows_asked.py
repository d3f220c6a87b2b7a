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


FARES = """
| Ticket | Low tide | High tide |
| --- | --- | --- |
| Grown-up (18 to 64 years) | £9 | £14 |
| Youth (12 to 17 years) | £6 | £8 |
| Under 12 | £0 | £3 |
| Over 64 | £4 | £5 |
"""
SERVICE = "Months of service,Days\nLess than 3,10\n3 to 5,14\nMore than 5,21"
KILNS = "kiln,firings,drying ms\nBig,40,310\nTall,25,95\nDeep,90,180"


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("what does a boy of 15 years pay at high tide?", "High tide, Youth (12 to 17 years): £8."),
        ("¿cuánto paga en low tide un señor de 70?", "Low tide, Over 64: £4."),
        ("what does someone pay at high tide who is 64?", "High tide, Grown-up (18 to 64 years): £14."),
    ],
)
def test_a_number_means_the_row_whose_range_holds_it(figures: AccountFigures, query: str, answer: str) -> None:
    assert figures.answer(query, FARES) == answer


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("how many days do I get after 4 months of service?", "Days, 3 to 5: 14."),
        ("how many days do I get after 2 months?", "Days, Less than 3: 10."),
    ],
)
def test_the_first_column_says_what_its_ranges_are_of(figures: AccountFigures, query: str, answer: str) -> None:
    assert figures.answer(query, SERVICE) == answer


@pytest.mark.parametrize("query", ["what do 3 tickets cost at high tide?", "who pays more than 7?"])
def test_a_number_of_something_else_means_no_range(figures: AccountFigures, query: str) -> None:
    assert "High tide, Under 12: £3" not in figures.answer(query, FARES)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("which ticket is the cheapest at high tide?", "High tide: the least is £3, Under 12"),
        ("which ticket is the most expensive at low tide?", "Low tide: the most is £9, Grown-up (18 to 64 years)"),
        ("what is the cheapest paid ticket at low tide?", "Low tide: the least is £4, Over 64"),
    ],
)
def test_the_name_of_a_column_asks_for_no_end_and_what_costs_nothing_is_not_paid(
    figures: AccountFigures, query: str, answer: str
) -> None:
    found = figures.answered(query, FARES)
    assert found.text.startswith(answer)
    assert found.sure


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("which kiln is the slowest?", "Drying: the most is 310 ms, Big."),
        ("¿cuál es el kiln más rápido?", "Drying: el mínimo es 95 ms, Tall."),
    ],
)
def test_the_slowest_is_what_takes_longest(figures: AccountFigures, query: str, answer: str) -> None:
    assert answer in figures.answer(query, KILNS)


BILL = "Tier: Gold. Berths: 3 of 8. Faults: 14. Next toll: £30 on 1 July."


def test_when_and_how_much_are_of_one_thing(figures: AccountFigures) -> None:
    answer = figures.answer("when am I charged and how much?", BILL, before=["and faults?"])
    assert answer.startswith("Next toll: 1 july. ")


@pytest.mark.parametrize("query", ["back to my account, which tier do I have?", "por cierto qué tier tengo"])
def test_what_turns_to_the_account_asks_for_nothing(figures: AccountFigures, query: str) -> None:
    assert figures.answered(query, BILL, before=["and faults?"]).text == "Tier: Gold."
