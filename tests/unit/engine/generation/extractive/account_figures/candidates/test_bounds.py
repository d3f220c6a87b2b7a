"""Bounds that a question names: of numbers, and of days and years."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.account_figures.candidates.bounds import bound_in
from tests.account_cases import encoder

TODAY = date(2027, 3, 10)
PERMITS = """{"permits": [{"trade": "Mooring", "valid_until": "2027-04-30"},
 {"trade": "Diving", "valid_until": "2028-02-11"}, {"trade": "Ferry", "valid_until": "2027-12-01"},
 {"trade": "Net fishing", "valid_until": null}]}"""


@pytest.mark.parametrize(
    ("query", "above", "number"),
    [
        ("which boats have more than 3 berths", True, 3),
        ("how many are below 40%", False, 40),
        ("cuántos barcos tienen menos de 5 plazas", False, 5),
        ("días por encima de los 20 grados", True, 20),
    ],
)
def test_a_bound_is_a_side_and_a_number(query: str, above: bool, number: int) -> None:
    bound = bound_in(Operations(encoder()).read(query, TODAY))
    assert bound is not None
    assert bound.above is above
    assert bound.number == number
    assert bound.holds(bound.number + (1 if above else -1))
    assert not bound.holds(bound.number)


@pytest.mark.parametrize("query", ["did we sell more than last month", "how many berths", "the pool is under repair"])
def test_without_a_number_there_is_no_bound(query: str) -> None:
    assert bound_in(Operations(encoder()).read(query, TODAY)) is None


@pytest.mark.parametrize(
    ("words", "above"),
    [
        ("more than", True),
        ("over", True),
        ("above", True),
        ("greater than", True),
        ("higher than", True),
        ("exceeds", True),
        ("exceeding", True),
        ("at least", True),
        ("más de", True),
        ("más que", True),
        ("por encima de", True),
        ("superior a", True),
        ("mayor que", True),
        ("mayores de", True),
        ("supera", True),
        ("superan", True),
        ("less than", False),
        ("fewer than", False),
        ("under", False),
        ("below", False),
        ("lower than", False),
        ("menos de", False),
        ("menos que", False),
        ("por debajo de", False),
        ("inferior a", False),
        ("inferiores a", False),
        ("menor que", False),
        ("menores de", False),
    ],
)
def test_words_for_a_bound_have_a_side(words: str, above: bool) -> None:
    bound = bound_in(Operations(encoder()).read(f"berths {words} 40", TODAY))
    assert bound is not None
    assert bound.above is above
    assert bound.number == 40


@pytest.mark.parametrize(
    ("query", "inside", "outside"),
    [
        ("which permits end before 2028", date(2027, 12, 31), date(2028, 1, 1)),
        ("permits that are valid after 2027", date(2028, 1, 1), date(2027, 12, 31)),
        ("permisos concedidos desde 2027", date(2027, 1, 1), date(2026, 12, 31)),
        ("permisos válidos hasta 2027", date(2027, 12, 31), date(2028, 1, 1)),
    ],
)
def test_a_year_bounds_days_at_its_end_or_its_beginning(query: str, inside: date, outside: date) -> None:
    bound = bound_in(Operations(encoder()).read(query, TODAY))
    assert bound is not None
    assert bound.dated
    assert bound.holds(Fraction(inside.toordinal()))
    assert not bound.holds(Fraction(outside.toordinal()))


@pytest.mark.parametrize(
    ("query", "named", "others"),
    [
        ("which permits end in 2027?", ("Mooring", "Ferry"), ("Diving", "Net")),
        ("which permits end before 2028?", ("Mooring", "Ferry"), ("Diving", "Net")),
        ("how many permits end in 2027?", ("2 (",), ("Diving", "Net")),
        ("which permits end in 2028?", ("Diving",), ("Mooring", "Ferry", "Net")),
    ],
)
def test_rows_are_those_whose_day_is_in_the_year_that_is_asked_for(
    query: str, named: tuple[str, ...], others: tuple[str, ...]
) -> None:
    answer = AccountFigures(encoder(), lambda: TODAY).answered(query, PERMITS)
    assert answer.sure or answer.likely, answer.text
    assert all(name in answer.text for name in named), answer.text
    assert not any(name in answer.text for name in others), answer.text
