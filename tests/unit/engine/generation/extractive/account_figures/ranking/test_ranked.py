"""Which ways to answer a question can ask for: what it hardly asks for is left out."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.asking.questions import Operations, Question
from engine.generation.extractive.account_figures.candidates.choosing import Choice
from engine.generation.extractive.account_figures.candidates.fact import Fact, Row, Table
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.figure import Amount, Figure
from engine.generation.extractive.account_figures.ranking.ranked import Ranked, asked_for, of_its_time
from tests.account_cases import encoder

ROWS = (Row("Tern", None, {}, {}), Row("Skua", None, {}, {}))
NOTHING = Ranked(None, {}, 0.1)


def asked(query: str, **chances: float) -> Question:
    return replace(Operations(encoder()).read(query, date(2026, 11, 27)), chances=chances or {"value": 1.0})


def fact(label: str, unit: str = "", *, rows: tuple[Row, ...] = ()) -> Fact:
    figure = Figure((label,), Amount(Fraction(4), unit))
    return Fact(label, label, "", (figure,) * max(1, len(rows)), rows)


def way(operation: str, *facts: Fact, unit: str = "", choice: Choice | None = None, table: str = "") -> Ranked:
    of = Table("boats", table, ROWS) if table else None
    one = Candidate(operation, facts, Amount(Fraction(4), unit), "x", table=of, choice=choice)
    return Ranked(one, {"told": 0.0, "second": 0.0}, 0.5)


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        ("difference", "compare"),
        ("share", "percent"),
        ("part", "percent"),
        ("ratio", "average"),
        ("ratio", "percent"),
        ("together", "sum"),
        ("together", "cost"),
    ],
)
def test_two_numbers_are_for_a_question_that_asks_for_both(operation: str, name: str) -> None:
    two = way(operation, fact("pears"), fact("plums"))
    assert asked_for(asked("pears and plums", **{name: 0.1}), [two]) == [two]
    assert asked_for(asked("pears and plums", **{name: 0.09, "value": 0.9}), [two]) == []
    one = way(operation, fact("pears"))
    assert asked_for(asked("pears and plums"), [one, NOTHING]) == [one, NOTHING]


@pytest.mark.parametrize(
    ("query", "operation"),
    [
        ("how many more pears than plums", "difference"),
        ("how many pears per tree", "ratio"),
        ("¿cuántas peras por árbol?", "ratio"),
        ("how many pears and plums", "left"),
    ],
)
def test_words_of_a_question_ask_for_two_numbers(query: str, operation: str) -> None:
    two = way(operation, fact("pears"), fact("plums"))
    assert asked_for(asked(query), [two]) == [two]


def test_who_is_over_a_limit_is_no_number_against_it() -> None:
    rows, others = way("rows_over", fact("rope")), [way(name, fact("rope")) for name in ("over", "left", "percent")]
    assert asked_for(asked("which boat is over the limit", over=0.6), [*others, rows]) == [rows]
    assert asked_for(asked("which boat is over the limit", list=0.6), [*others, rows]) == [*others, rows]
    assert asked_for(asked("is the boat over the limit", over=0.6), [*others, rows]) == [*others, rows]
    assert asked_for(asked("which boat is over the limit", over=0.6), others) == others


@pytest.mark.parametrize(
    ("query", "choice", "kept"),
    [
        ("rope per boat", Choice((0,)), False),
        ("rope for each boat", Choice((0,)), False),
        ("cuerda por boat", Choice((0,)), False),
        ("rope per boat", Choice((0,), timed=True), True),
        ("rope per boat", None, True),
        ("rope per harbour", Choice((0,)), True),
        ("rope of the boat", Choice((0,)), True),
    ],
)
def test_a_mean_of_rows_is_of_all_of_them(query: str, choice: Choice | None, kept: bool) -> None:
    one = way("value", fact("rope"), choice=choice, table="boat")
    assert asked_for(asked(query), [one]) == ([one] if kept else [])


@pytest.mark.parametrize(
    ("first", "second", "told", "kept"),
    [
        (("rope", ""), ("fuel", ""), 0.0, False),
        (("rope", "m"), ("fuel", "L"), 0.0, False),
        (("rope", "m"), ("sail", "m"), 0.0, True),
        (("rope sold", ""), ("rope bought", ""), 0.0, True),
        (("rope", ""), ("fuel", ""), 1.0, True),
    ],
)
def test_two_columns_differ_where_they_are_of_one_thing_or_both_asked_for(
    first: tuple[str, str], second: tuple[str, str], told: float, kept: bool
) -> None:
    one = way("difference", fact(*first, rows=ROWS), fact(*second, rows=ROWS))
    one.features.update(told=told, second=told)
    assert asked_for(asked("how much does it differ", compare=0.9), [one]) == ([one] if kept else [])


@pytest.mark.parametrize(
    ("query", "kept"),
    [("how much was used", ["feed used"]), ("how much did the used feed cost", ["feed used", "feed price"])],
)
def test_what_was_used_is_no_money_where_none_is_asked_for(query: str, kept: list[str]) -> None:
    ways = [way("value", fact("feed used")), way("value", fact("feed price", "€"), unit="€")]
    told = [one.candidate.facts[0].label for one in asked_for(asked(query), ways) if one.candidate]
    assert told == kept


def test_rows_of_the_month_that_is_named_come_before_those_of_others() -> None:
    of_month = way("value", fact("rope"), choice=Choice((0,), timed=True))
    other = way("value", fact("rope"))
    other.features["period_not"] = 1.0
    assert of_its_time(asked("rope in October"), [other, of_month, NOTHING]) == [of_month, NOTHING]
    assert of_its_time(asked("rope in October"), [other, NOTHING]) == [other, NOTHING]
    assert of_its_time(asked("rope last week"), [other, of_month]) == [other, of_month]
    assert of_its_time(asked("rope"), [other, of_month]) == [other, of_month]
