from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.asking.questions import Operations, Question
from engine.generation.extractive.account_figures.composing import Account
from engine.generation.extractive.account_figures.measures import measures_of
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.rules.possible import (
    asks_price,
    candidates,
    counts,
    in_time,
    is_priced,
    named,
    names_time,
    words_of,
)
from tests.account_cases import encoder

TODAY = date(2027, 3, 10)
HARBOUR = """{
  "moorings": {"used": 3, "limit": 8},
  "nextInspection": {"date": "2027-05-01", "fee": 75.5, "currency": "EUR"},
  "inspections": [
    {"date": "2026-05-01", "fee": 70.0, "currency": "EUR"},
    {"date": "2026-11-01", "fee": 72.0, "currency": "EUR"}
  ],
  "guests": {"this_month": 40, "last_month": 52},
  "harbourMaster": "Ines",
  "heated": true
}"""


def read(query: str) -> Question:
    return Operations(encoder()).read(query, TODAY)


def account(context: str = HARBOUR) -> Account:
    return Account.of(measures_of(read_figures(context)))


def labels(query: str, operation: str) -> set[str]:
    return {measure.label for measure in candidates(read(query), [operation], account())}


@pytest.mark.parametrize(
    ("query", "operation", "among", "not_among"),
    [
        ("when is it inspected?", "date", "next inspection date", "moorings"),
        ("how many moorings?", "value", "moorings", "harbour master"),
        ("who is it?", "text", "harbour master", "next inspection date"),
        ("how did the guests change?", "compare", "guests", "moorings"),
        ("which inspection fee was the highest?", "highest", "inspections fee", "moorings"),
        ("how many guests last month?", "value", "guests", "moorings"),
    ],
)
def test_a_question_is_about_measures_of_its_kind(query: str, operation: str, among: str, not_among: str) -> None:
    found = labels(query, operation)
    assert among in found
    assert not_among not in found


def test_how_many_is_not_answered_with_a_price() -> None:
    assert "next inspection fee" not in labels("how many guests?", "value")


@pytest.mark.parametrize(
    ("query", "priced"),
    [
        ("how much does the inspection cost?", True),
        ("¿cuánto pagué por la inspección?", True),
        ("how many pages are there?", False),
        ("how many moorings are used?", False),
    ],
)
def test_a_question_about_money_asks_for_a_price(query: str, priced: bool) -> None:
    assert asks_price(read(query)) is priced
    assert is_priced(next(m for m in account().measures if m.label == "inspections fee"))


@pytest.mark.parametrize(
    ("query", "time"),
    [
        ("how many guests on 3 March?", True),
        ("how many guests in June?", True),
        ("how many guests in May?", True),
        ("how many guests may I bring?", False),
        ("how many guests last month?", True),
        ("how many guests this week?", True),
        ("how many guests today?", True),
        ("how many guests this month?", False),
        ("how many guests right now?", False),
        ("how many guests?", False),
    ],
)
def test_a_question_names_a_time_that_a_figure_has_to_be_of(query: str, time: bool) -> None:
    assert names_time(read(query)) is time


@pytest.mark.parametrize(
    ("query", "label", "holds"),
    [
        ("guests last month", "guests", True),
        ("guests in June", "guests", False),
        ("guests on 3 March", "guests", False),
        ("guests this week", "guests", False),
        ("moorings last month", "moorings", False),
        ("inspections in November", "inspections fee", True),
        ("inspections on 1 May 2026", "inspections fee", True),
        ("inspections in July", "inspections fee", False),
    ],
)
def test_a_measure_has_a_figure_of_that_time_or_not(query: str, label: str, holds: bool) -> None:
    whole = account()
    measure = next(m for m in whole.measures if m.label == label)
    assert in_time(read(query), measure, whole) is holds


@pytest.mark.parametrize(
    ("query", "counted"),
    [
        ("how many inspections did we have?", True),
        ("how many inspections in May?", True),
        ("how much were the inspections?", False),
        ("how many inspection fees are there?", False),
        ("how many moorings?", False),
    ],
)
def test_rows_are_counted_where_the_list_is_named_and_not_its_figures(query: str, counted: bool) -> None:
    fee = next(m for m in account().measures if m.label == "inspections fee")
    assert counts(read(query), fee.rows) is counted


def test_a_map_of_days_is_no_list_to_count() -> None:
    visits = account('{"visits_by_day": {"2027-03-08": 4, "2027-03-09": 6}}').measures[0]
    assert not counts(read("how many visits?"), visits.rows)


@pytest.mark.parametrize(
    ("context", "query", "said"),
    [
        ('{"stamps": 3}', "how many stamps?", True),
        ('{"stamps": 3}', "¿cuántos timbres?", True),
        ('{"stamps": 3}', "how many cards?", False),
    ],
)
def test_a_measure_is_named_in_either_language(context: str, query: str, said: bool) -> None:
    assert named(read(query).text, account(context).measures[0]) is said


def test_a_measure_is_told_by_its_units_and_by_what_it_says() -> None:
    by_label = {m.label: words_of(m) for m in account().measures}
    assert "price" in by_label["inspections fee"]
    assert "EUR" in by_label["inspections fee"]
    assert "Ines" in by_label["harbour master"]
