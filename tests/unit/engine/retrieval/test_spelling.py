"""Misspelt names of a query, put right by the passages that were found."""

from __future__ import annotations

import pytest

from engine.domain import Passage
from engine.retrieval.spelling import Correction, corrected


def passage(heading: str, text: str) -> Passage:
    return Passage(heading or "p", "manual.md", "Manual", heading, text)


PASSAGES = (
    passage("Baking > bakeBread", "bakeBread heats the oven, and oven_timer rings when the bread is done."),
    passage("Baking > kneading", "Before kneadDough the flour is weighed. Use weighFlour for that."),
)


@pytest.mark.parametrize(
    ("query", "written", "name"),
    [
        ("what does bakBread do?", "bakBread", "bakeBread"),
        ("when does ovn_timer ring", "ovn_timer", "oven_timer"),
        ("¿qué hace kneadDoug?", "kneadDoug", "kneadDough"),
        ("wieghflour", "wieghflour", "weighFlour"),
        ("explain kneeding", "kneeding", "kneading"),
        ("bakeBreads", "bakeBreads", "bakeBread"),
    ],
)
def test_a_misspelt_name_is_put_right(query: str, written: str, name: str) -> None:
    assert corrected(query, PASSAGES) == Correction(query.replace(written, name), ((written, name),))


def test_each_name_is_put_right_wherever_it_stands() -> None:
    found = corrected("bakBread or weihFlour, and bakBread again", PASSAGES)
    assert found is not None
    assert found.query == "bakeBread or weighFlour, and bakeBread again"
    assert found.names == (("bakBread", "bakeBread"), ("weihFlour", "weighFlour"))


@pytest.mark.parametrize(
    "query",
    [
        "what does bakeBread do?",
        "BAKEBREAD",
        "is the flour weighed before?",
        "who invented the telephone in Britain",
        "baker",
        "what about kneadings",  # another form of a heading that is a word
        "ovn",
        "cakeBread",
        "",
    ],
)
def test_what_is_no_misspelt_name_stays(query: str) -> None:
    assert corrected(query, PASSAGES) is None


def test_a_word_between_two_names_is_taken_for_neither() -> None:
    near = (passage("", "startRowA and startRowB are commands."),)
    assert corrected("what is startRowC", near) is None


def test_names_of_passages_that_were_found_late_or_stand_far_down_are_not_read() -> None:
    late = [passage("", "nothing here")] * 8 + [passage("", "bakeBread")]
    assert corrected("bakBread", late) is None
    assert corrected("bakBread", [passage("", "x " * 2_000 + "bakeBread")]) is None


def test_one_long_word_takes_no_long_time() -> None:
    assert corrected("bakBread", [passage("", "aB" * 500_000)]) is None
    assert corrected("", []) is None
