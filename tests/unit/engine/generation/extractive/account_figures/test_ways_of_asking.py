"""Questions as people write them, on contexts of several forms."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import encoder

APIARY = """{
  "keeper": {"name": "Sunniva Dahl", "memberSince": "2024-02-03", "tier": "Gold", "status": "active"},
  "hives": {"owned": 14, "allowed": 20},
  "honeyKg": {"thisMonth": 52, "lastMonth": 61},
  "harvest": [
    {"site": "Ridge", "jars": 40, "state": "sealed"},
    {"site": "Orchard", "jars": 75, "state": "open"},
    {"site": "Valley", "jars": 20, "state": "sealed"}
  ],
  "smoker": null,
  "monthlyFee": 9.5, "currency": "EUR", "autoRenew": true, "nextInspection": "2027-04-18"
}"""
THEATRE = """Tonight 180 seats of 240 are sold. The bar took 1,250 EUR in January and 1,400 EUR in February.
The costume budget is 3,000 EUR and 2,100 EUR has been spent so far. The licence runs until 1 August 2028."""


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2027, 3, 10))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("who is the keeper?", "Sunniva Dahl"),
        ("since when am I a member?", "February 3, 2024"),
        ("what tier am I on?", "Gold"),
        ("q tier tengo", "Gold"),
        ("what currency am I charged in?", "EUR"),
        ("does it renew by itself?", "Yes"),
        ("when is the next inspection?", "April 18, 2027"),
        ("¿cuándo es la próxima inspección?", "18 de abril de 2027"),
        ("how many more hives can I have?", "6"),
        ("can I keep 5 more hives?", "Yes: 6 left, enough for 5"),
        ("can I keep 9 more hives?", "No: 6 left, not enough for 9"),
        ("which site has the most jars?", "75, Orchard"),
        ("which site has the fewest jars?", "20, Valley"),
        ("how many jars in total?", "135 in total"),
        ("how many jars did the Ridge fill?", "Ridge: 40"),
        ("jars per site on average", "45 on average"),
        ("is there less honey than last month?", "Yes: HoneyKg: 9"),
        ("what is the monthly fee?", "9.50 EUR"),
    ],
)
def test_an_account_as_json(figures: AccountFigures, query: str, said: str) -> None:
    assert said.casefold().replace("honeykg", "honey") in figures.answer(query, APIARY).casefold()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("how many seats are sold?", "180"),
        ("what percentage of the seats is sold?", "75%"),
        ("did the bar take more in February than in January?", "Yes"),
        ("how much of the costume budget is left?", "900 EUR"),
        ("when does the licence end?", "August 1, 2028"),
    ],
)
def test_an_account_in_sentences(figures: AccountFigures, query: str, said: str) -> None:
    assert said in figures.answer(query, THEATRE)


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("which smoker do I have?", "smoker"),
        ("how many queens did I buy?", "queens"),
        ("¿cuántas colmenas se perdieron en el Prado?", "Prado"),
        ("how much honey did we make in May?", "May"),
        ("how do I treat mites?", "The data of this request has no figure"),
        ("how many wardens are there?", "wardens"),
        ("how many of my hives are cancelled?", "cancelled"),
    ],
)
def test_what_is_not_there_is_said(figures: AccountFigures, query: str, named: str) -> None:
    found = figures.answered(query, APIARY)
    assert not found.sure
    assert named in found.text


def test_those_in_one_state_are_not_all_of_them(figures: AccountFigures) -> None:
    assert not figures.answered("how many tours do we have?", '{"cancelled_tours": 3, "guides": 5}').sure


def test_the_number_of_a_name_counts_nothing(figures: AccountFigures) -> None:
    assert not figures.answered("how many farmers are there?", '{"farm_id": 4012, "barns": 3}').sure


def test_what_changed_between_two_months_is_told_from_the_first_to_the_second(figures: AccountFigures) -> None:
    rows = "month,loaves\nApril,8\nMay,5"
    assert "3 less" in figures.answer("how much did loaves fall between April and May?", rows)


@pytest.mark.parametrize(
    ("query", "context", "said"),
    [
        ("how many tents have we registered?", '{"tents": {"registered": 31, "maxTents": 50}}', "31"),
        ("how many overdue dues are there?", '{"overdueDues": {"count": 4, "totalEur": 90}}', "4"),
        ("how far is it to the goal?", "Monthly goal: 120 km\nDistance this month: 90 km", "30 km left"),
        ("did we reach the goal?", "Monthly goal: 120 km\nDistance this month: 90 km", "No"),
        ("how many more tents can I have?", "You have 4 tents on site of a maximum of 10.", "6 left"),
        ("what is our total distance?", "walker,distance_km\nAda,12\nBo,9", "21 km in total"),
        ("when do I have to renew the permit?", '{"permit_renewal": "2027-06-01"}', "June 1, 2027"),
    ],
)
def test_what_is_there_is_told_from_what_may_be(figures: AccountFigures, query: str, context: str, said: str) -> None:
    assert said in figures.answer(query, context)
