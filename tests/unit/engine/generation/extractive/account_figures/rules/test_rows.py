from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.account_figures.composing import Account
from engine.generation.extractive.account_figures.measures import measures_of
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.rules.rows import Narrowed, narrowed
from tests.account_cases import encoder

TODAY = date(2027, 3, 10)
CATCHES = """{"catches": [
  {"day": "2027-02-20", "kilos": 31, "boat": "Gull"}, {"day": "2027-03-02", "kilos": 12, "boat": "Tern"},
  {"day": "2027-03-03", "kilos": 40, "boat": "Gull"}, {"day": "2027-03-08", "kilos": 7, "boat": "Tern"},
  {"day": "2027-03-15", "kilos": 0, "boat": "Tern"}]}"""
BERTHS = '{"berths": [{"name": "North quay", "metres": 12, "state": "rented"}, {"name": "Pier", "metres": 9}]}'


def narrow(query: str, context: str = CATCHES, label: str = "catches kilos") -> Narrowed:
    account = Account.of(measures_of(read_figures(context)))
    measure = next(m for m in account.measures if m.label == label)
    return narrowed(Operations(encoder()).read(query, TODAY), measure, account.told)


def kilos(found: Narrowed) -> list[str]:
    return [entry.figure.value.shown("en") for entry in found.rows]  # type: ignore[union-attr, arg-type]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("how many kilos on 3 March?", ["40"]),
        ("¿cuántos kilos el 8 de marzo?", ["7"]),
        ("how many kilos in February?", ["31"]),
        ("how many kilos in March?", ["12", "40", "7", "0"]),
        ("how many kilos last month?", ["31"]),
        ("how many kilos last week?", ["12", "40"]),
        ("how many kilos this week?", ["7"]),
        ("how many kilos this year?", ["31", "12", "40", "7", "0"]),
        ("how many kilos did the Gull catch?", ["31", "40"]),
        ("how many kilos did the Gull catch in March?", ["40"]),
        ("how much was the last catch of kilos?", ["7"]),
        ("the first kilos", ["31"]),
        ("los kilos de la próxima", ["0"]),
    ],
)
def test_a_question_names_rows(query: str, rows: list[str]) -> None:
    found = narrow(query)
    assert found.by
    assert kilos(found) == rows


@pytest.mark.parametrize("query", ["kilos on 4 March", "kilos in June", "kilos yesterday", "kilos last year"])
def test_a_day_or_period_that_no_row_has_is_lacking(query: str) -> None:
    found = narrow(query)
    assert found.lacks
    assert found.rows == ()


def test_a_question_that_names_none_means_all() -> None:
    found = narrow("how many kilos?")
    assert not found.by
    assert len(found.rows) == 5


@pytest.mark.parametrize(
    ("query", "row"), [("metres of the quay", "12"), ("metres of the rented one", "12"), ("pier", "9")]
)
def test_a_row_is_called_by_a_part_of_its_name_or_by_what_it_says(query: str, row: str) -> None:
    found = narrow(query, BERTHS, "berths metres")
    assert found.called
    assert kilos(found) == [row]


def test_rows_without_days_have_no_last_one() -> None:
    assert not narrow("the last metres", BERTHS, "berths metres").by


def test_months_name_rows_of_lists_and_of_maps() -> None:
    for context in (
        '{"tolls": [{"period": "2026-12", "sum": 4}, {"period": "2027-01", "sum": 6}]}',
        '{"tolls": {"2026-12": 4, "2027-01": 6}}',
        "period,tolls\n2026-12,4\n2027-01,6",
    ):
        account = Account.of(measures_of(read_figures(context)))
        assert kilos(narrow("tolls in January", context, account.measures[0].label)) == ["6"]


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


class TestAnswers:
    @pytest.mark.parametrize(
        ("query", "answer"),
        [
            ("how many kilos on 3 March?", "Catches kilos, March 3, 2027: 40."),
            ("how many kilos in March in total?", "Catches kilos: 59 in total (12 + 40 + 7 + 0)."),
            ("how many catches in March?", "Catches: 4 listed."),
            ("how many kilos on 1 January?", "The data of this request has no figure of catches kilos for January 1."),
            ("¿cuántos kilos el 2 de marzo?", "Catches kilos, 2 de marzo de 2027: 12."),
        ],
    )
    def test_rows_that_are_named(self, figures: AccountFigures, query: str, answer: str) -> None:
        assert figures.answer(query, CATCHES) == answer

    @pytest.mark.parametrize(
        ("query", "answer"),
        [
            ("how much did ferries cost in June?", "Item, Ferries, June: 80 EUR."),
            ("the total for July", "Item: 120 EUR in total (90 EUR + 30 EUR)."),
            ("which item was the most expensive in June?", "June: the most is 80 EUR, Ferries."),
            ("how much did ferries cost in May?", "The data of this request has no figure of item for May."),
        ],
    )
    def test_a_table_with_a_column_for_each_month(self, figures: AccountFigures, query: str, answer: str) -> None:
        assert figures.answer(query, "item,june_eur,july_eur\nFerries,80,90\nTolls,20,30\n") == answer

    @pytest.mark.parametrize(
        ("query", "answer"),
        [
            ("how many pages of the atlas have I read?", "Books pages read, Atlas (used): 30."),
            ("what percentage of the atlas pages?", "Books pages read, Atlas: 60% used (30 of 50)."),
            ("how many pages of the atlas are left?", "Books pages read, Atlas: 20 left (50 − 30)."),
        ],
    )
    def test_a_row_has_its_own_limit(self, figures: AccountFigures, query: str, answer: str) -> None:
        context = '{"books": [{"title": "Atlas", "pagesRead": 30, "pagesTotal": 50}, {"title": "Cook", "pagesRead": 8, "pagesTotal": 9}]}'
        assert figures.answer(query, context) == answer
