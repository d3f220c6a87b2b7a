"""Values of several pieces, and what the lines and tables of one text say together."""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.figure import Amount, Day, words_of_key
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.reading.pieces import pieces
from engine.text.language import Language
from tests.account_cases import encoder

STALLS = """Market: Old Quay
Stalls behind with rent: Pitch 4C (GBP 310), Pitch 9A (GBP 1,275) and Pitch 12 (GBP 90)
Licences ending: Pitch 2B (2027-11-30), Pitch 9A (2028-03-15)
Storage fee per crate per month: GBP 15
Contracted power (kW): 6.6
"""
YARD = """# Boatyard, all berths, week 23

Budget for June: 3,000.00 €

| Job | Spent (€) | Hours |
|---|---|---|
| Hull | 845.20 | 61 |
| Mast | 1,314.80 | 47 |

| Metric | This month | Last month |
|---|---|---|
| Launches | 21 | 34 |
| Enquiries | 130 | 115 |

**Last month (May):** spent 2,415.80 €, hours 120.
"""


@pytest.mark.parametrize(
    "value", ["Pitch 4 (£310), Pitch 9 (£75)", "Pitch 4 (£310); Pitch 9 (£75).", "Pitch 4 (£310) y Pitch 9 (£75)"]
)
def test_names_with_their_values_in_brackets_are_rows(value: str) -> None:
    found = pieces(("owed",), value, Language.ENGLISH)
    assert [(one.row, one.value) for one in found] == [
        ("Pitch 4", Amount(Fraction(310), "£", before=True)),
        ("Pitch 9", Amount(Fraction(75), "£", before=True)),
    ]
    assert {one.listed for one in found} == {("owed",)}


@pytest.mark.parametrize(
    "value", ["Pitch 4 (£310)", "Pitch 4 (£310), Pitch 9", "Ann (north), Bea (south)", "12 (£310), 9 (2027-01-02)"]
)
def test_other_brackets_are_no_rows(value: str) -> None:
    assert not any(one.row for one in pieces(("owed",), value, Language.ENGLISH))


@pytest.mark.parametrize("value", ["1-30 June 2027", "del 1 al 30 de junio de 2027", "1 to 30 June 2027"])
def test_a_stretch_within_a_month_has_both_its_days(value: str) -> None:
    days = [one.value for one in pieces(("period",), value, Language.ENGLISH)]
    assert [day.day for day in days if isinstance(day, Day)] == [date(2027, 6, 30), date(2027, 6, 1)]


def test_a_stretch_that_runs_back_has_only_its_last_day() -> None:
    assert [one.value for one in pieces(("period",), "30-12 June 2027", Language.ENGLISH)][1:] == []


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("Uso (kWh)", "uso kwh"),
        ("callsByDay", "calls by day"),
        ("batteryLevel", "battery level"),
        ("mAh left", "mah left"),
    ],
)
def test_units_of_two_cases_are_one_word(key: str, words: str) -> None:
    assert words_of_key(key) == words


def test_a_second_table_is_a_table_of_its_own() -> None:
    rows = {figure.row for figure in read_figures(YARD) if figure.listed == ("job",)}
    assert rows == {"Hull", "Mast"}


@pytest.mark.parametrize(
    ("query", "context", "says"),
    [
        ("how much rent are the stalls behind with altogether?", STALLS, "1675"),
        ("how much is pitch 9a behind with?", STALLS, "1275"),
        ("which licences end in 2028?", STALLS, "Pitch 9A"),
        ("what would 4 crates cost per month?", STALLS, "GBP 60"),
        ("¿cuánto es la tarifa valle?", "Tarifa punta (€/kWh): 0,31\nTarifa valle (€/kWh): 0,18\n", "0,18 €"),
        ("how much contracted power do we have?", STALLS, "6.6 kW"),
        ("how many hours were spent on the hull?", YARD, "61"),
        ("how many launches were there this month?", YARD, "21"),
        ("how many more enquiries than last month?", YARD, "15 more"),
        ("how much did we spend last month?", YARD, "2415.80"),
        ("how much is left of the budget for June?", YARD, "840"),
    ],
)
def test_what_they_say_is_answered(query: str, context: str, says: str) -> None:
    answer = AccountFigures(encoder()).answered(query, context)
    assert answer.sure or answer.likely, answer.text
    assert says in re.sub(r"(?<=\d),(?=\d{3})", "", answer.text), answer.text


@pytest.mark.parametrize("written", ["Season: {}\nMatches: 12", '{{"season": "{}", "matches": 12}}'])
@pytest.mark.parametrize("years", ["2031/2032", "2031/32", "2031–32", "1999/2000", "1999/00"])
def test_two_years_that_follow_one_another_name_a_season(years: str, written: str) -> None:
    assert [figure.value for figure in read_figures(written.format(years)) if "season" in figure.path] == [years]


def test_other_numbers_with_a_stroke_are_used_and_allowed() -> None:
    assert {figure.path[-1] for figure in read_figures("Seats: 2031/2040\nDays: 12")} == {"used", "limit", "days"}
