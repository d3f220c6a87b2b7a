from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.asking.questions import Operations, months_in
from engine.generation.extractive.account_figures.candidates.choosing import (
    Choice,
    chosen,
    weekday_of,
)
from engine.generation.extractive.account_figures.candidates.facts import facts_of, names_of
from engine.generation.extractive.account_figures.ranking.matching import Matcher
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from tests.account_cases import encoder

TODAY = date(2027, 3, 10)
POOLS = "day,pool,swimmers\nMon,Indoor,40\nMon,Outdoor,7\nTue,Indoor,38\nTue,Outdoor,9\n"
BOATS = (
    '[{"boat": "Gannet", "skipper": "Osk Lund", "berths": 4, "insured": true, "state": "afloat"},'
    '{"boat": "Petrel", "skipper": "Ilse Hahn", "berths": 6, "insured": false, "state": "in the yard"},'
    '{"boat": "Skua", "skipper": "Tor Vik", "berths": 2, "insured": false, "state": "afloat"}]'
)
RUNS = '[{"on": "2027-01-12", "km": 5}, {"on": "2027-02-03", "km": 8}, {"on": "2027-03-30", "km": 11}]'


def choose(query: str, context: str) -> Choice | None:
    operations = Operations(encoder())
    question = operations.read(query, TODAY)
    facts, tables = facts_of(read_figures(context))
    matcher = Matcher(query, question.language, operations.heads, encoder())
    matcher.learn(names_of(facts, tables))
    return chosen(question, matcher, tables[0])


def places(query: str, context: str) -> tuple[int, ...]:
    found = choose(query, context)
    return found.places if found is not None else ()


@pytest.mark.parametrize(
    ("query", "context", "rows"),
    [
        ("how many berths on Gannet", BOATS, (0,)),
        ("which boat does Ilse steer", BOATS, (1,)),
        ("boats in the yard", BOATS, (1,)),
        ("how many boats are afloat", BOATS, (0, 2)),
        ("how many boats are insured", BOATS, (0,)),
        ("how many boats are not insured", BOATS, (1, 2)),
        ("swimmers on Monday", POOLS, (0, 1)),
        ("bañistas el martes en Outdoor", POOLS, (3,)),
        ("how far on 3 February", RUNS, (1,)),
        ("how far in January", RUNS, (0,)),
        ("last run", RUNS, (1,)),
        ("next run", RUNS, (2,)),
        ("first run", RUNS, (0,)),
    ],
)
def test_rows_are_chosen_by_name_text_state_and_time(query: str, context: str, rows: tuple[int, ...]) -> None:
    assert places(query, context) == rows


def test_nothing_is_chosen_where_no_row_is_named() -> None:
    assert choose("how many berths are there", BOATS) is None


def test_a_time_that_no_row_is_of_is_lacking() -> None:
    found = choose("how far in August", RUNS)
    assert found is not None
    assert found.lacks


def test_two_values_that_are_named_are_two_groups() -> None:
    found = choose("did Indoor have more swimmers than Outdoor", POOLS)
    assert found is not None
    assert found.groups == (("Indoor", (0, 2)), ("Outdoor", (1, 3)))


@pytest.mark.parametrize(
    ("name", "day"), [("Mon", 0), ("wednesday", 2), ("jueves", 3), ("Sáb", 5), ("Mo", None), ("Oak", None)]
)
def test_weekdays_may_be_written_short(name: str, day: int | None) -> None:
    assert weekday_of(name) == day


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("monday", 0),
        ("Tuesday", 1),
        ("wed", 2),
        ("Thu", 3),
        ("friday", 4),
        ("Sat", 5),
        ("sunday", 6),
        ("lunes", 0),
        ("Martes", 1),
        ("mié", 2),
        ("jue", 3),
        ("vie", 4),
        ("sábado", 5),
        ("Domingo", 6),
        ("month", None),
        ("sum", None),
        ("T1", None),
        ("2027", None),
        ("", None),
        ("marketing", None),
    ],
)
def test_weekdays_of_both_languages_are_known(name: str, day: int | None) -> None:
    assert weekday_of(name) == day


class TestMonths:
    SOLD = "month,pool,tickets\nMay,Indoor,40\nMay,Outdoor,7\nJune,Indoor,38\nJuly,Indoor,31\n"
    RAIN = '{"rain": {"jan": 31, "feb": 12, "mar": 44, "apr": 58}, "frost": {"jan": 9, "feb": 4, "mar": 1, "apr": 0}}'

    def test_a_cell_that_says_a_month_dates_its_row(self) -> None:
        by_pool = "pool,month,tickets\nIndoor,May,40\nOutdoor,May,7\nIndoor,June,38\n"
        assert places("which pool sold the most in May", by_pool) == (0, 1)
        assert places("tickets in June", self.SOLD) == (2,)

    def test_several_months_and_those_between_two(self) -> None:
        assert places("rain in January and March together", self.RAIN) == (0, 2)
        assert places("average rain from Jan to Mar", self.RAIN) == (0, 1, 2)
        assert places("la media de febrero a abril", self.RAIN) == (1, 2, 3)

    def test_two_months_are_groups_in_the_order_of_the_question(self) -> None:
        found = choose("what is the difference between April and February", self.RAIN)
        assert found is not None
        assert found.groups == (("apr", (3,)), ("feb", (1,)))

    @pytest.mark.parametrize(
        "query", ["how did eggs change from January to April", "cuánto cambiaron los eggs de enero a abril"]
    )
    def test_the_ends_of_a_stretch_are_too_the_last_one_first(self, query: str) -> None:
        found = choose(query, "month,eggs\nJanuary,4\nFebruary,6\nMarch,9\nApril,11\nMay,2")
        assert found is not None
        assert found.groups == (("April", (3,)), ("January", (0,)))
        assert found.places == (0, 1, 2, 3)

    def test_two_weekdays_are_too(self) -> None:
        found = choose("how much more on Tuesday than Monday", '{"eggs": {"mon": 7, "tue": 9, "wed": 8}}')
        assert found is not None
        assert [name for name, _ in found.groups] == ["tue", "mon"]

    @pytest.mark.parametrize(
        ("text", "named"),
        [
            ("from November to February", (11, 2, 12, 1)),
            ("entre julio y enero", (7, 1)),
            ("how much may I use in march", ()),
            ("in June", ()),
            ("nothing of the kind", ()),
        ],
    )
    def test_the_months_of_a_question(self, text: str, named: tuple[int, ...]) -> None:
        assert months_in(text) == named
