"""What a question costs: it grows with what the context holds, and no faster; of very many names only some are read."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.figure import Amount
from engine.generation.extractive.account_figures.reading.bounded import MOST_NAMES, within_bounds
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from tests.account_cases import encoder

#: Four times as much is less than so many times the work: sixteen times is what holding each against each other costs.
MOST_TIMES = 7


def calls_of(done: Callable[[], object]) -> int:
    """How many Python functions are called: a measure of work that does not depend on the machine."""
    count = 0

    def counted(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(counted)
    try:
        done()
    finally:
        sys.setprofile(None)
    return count


def names_of(context: str, *texts: str) -> list[str]:
    return list(dict.fromkeys(one.name for one in within_bounds(read_figures(context), *texts)))


class TestOfVeryManyNames:
    CONTEXT = json.dumps({f"sensor_{place}": place for place in range(900)} | {"ferry_tickets": 41})

    def test_those_that_the_question_says_are_kept_wherever_they_stand(self) -> None:
        kept = names_of(self.CONTEXT, "how many ferry tickets are there?")
        assert len(kept) == MOST_NAMES
        assert "ferry tickets" in kept

    def test_those_of_the_question_before_it_are_kept_too(self) -> None:
        assert "ferry tickets" in names_of(self.CONTEXT, "and now?", "the ferry tickets?")

    def test_those_that_it_calls_by_another_word_are_kept(self) -> None:
        context = json.dumps({f"sensor_{place}": place for place in range(900)} | {"invoices": 41})
        assert "invoices" in names_of(context, "¿cuántas facturas hay?")

    def test_otherwise_the_first_are(self) -> None:
        assert names_of(self.CONTEXT, "hello")[:2] == ["sensor 0", "sensor 1"]

    def test_a_question_is_answered_from_them(self) -> None:
        answer = AccountFigures(encoder()).answered("how many ferry tickets are there?", self.CONTEXT)
        assert answer.sure
        assert "41" in answer.text

    def test_all_rows_of_a_column_are_kept(self) -> None:
        rows = [{"harbour": f"pier {place}", "boats": place} for place in range(1_000)]
        assert len(within_bounds(read_figures(json.dumps(rows)), "boats")) == 1_000

    def test_of_few_names_all_figures_are_kept_in_their_order(self) -> None:
        figures = read_figures(json.dumps({"used": 3, "limit": 9}))
        assert within_bounds(figures, "anything") == figures


def nested(many: int) -> str:
    return json.dumps({f"pump {place}": {"hours": place, "starts": place * 2} for place in range(many)})


def of_one_name(many: int) -> str:
    return "| pump | 7 |\n" * many


def one_sentence(many: int) -> str:
    return "7 of 9 pumps " * many


def columns(many: int) -> str:
    return json.dumps([{"pump": f"p{place}", "hours": place, "starts": place * 3} for place in range(many)])


def cut_short(many: int) -> str:
    return columns(many)[:-3]


def stated(many: int) -> str:
    return "; ".join(f"pump{place}: {place}" for place in range(many))


def listed(many: int) -> str:
    return "- 3 pumps\n" * many


def read(context: str) -> Reading:
    return Reading(read_figures(context), context)


QUERY = "how many hours did the pumps run?"


@pytest.mark.parametrize("shape", [nested, of_one_name, one_sentence, columns, cut_short, stated, listed])
def test_four_times_as_much_is_read_with_about_four_times_the_work(shape: Callable[[int], str]) -> None:
    few, more = (calls_of(partial(read, shape(many))) for many in (150, 600))
    assert more < MOST_TIMES * few


@pytest.mark.parametrize("shape", [of_one_name, one_sentence, columns])
def test_a_question_on_four_times_as_many_rows_is_about_four_times_the_work(shape: Callable[[int], str]) -> None:
    figures = AccountFigures(encoder())
    figures.answered(QUERY, shape(4))  # what is remembered of names is no part of it
    few, more = (calls_of(partial(figures.answered, QUERY, shape(many))) for many in (100, 400))
    assert more < MOST_TIMES * few


def test_a_year_is_told_by_the_word_right_before_it() -> None:
    context = f"Since {' ' * 4}2019 we had 12 pumps."
    assert [f.value.value for f in read_figures(context) if isinstance(f.value, Amount)] == [12]
