"""Both sides of a comparison among sentences, with the bundled encoder."""

from __future__ import annotations

import pytest

from engine.generation.extractive.candidates import Candidate
from engine.generation.extractive.compared_sides import nothing_about, with_both_sides
from engine.generation.extractive.weighing import weigh
from engine.text.language import Language
from tests.account_cases import encoder

TEXTS = (
    ("Launches", "A winch launch takes 40 seconds and reaches 400 metres."),
    ("Launches", "An aerotow takes six minutes and reaches 600 metres."),
    ("Launches", "Winch launches end at sunset."),
    ("Heron", "It is a wooden two-seater."),
    ("Heron", "An hour costs 28 euros."),
    ("Plover", "It is a single-seater of carbon."),
    ("Plover", "An hour costs 41 euros."),
    ("Parking", "The gravel yard is for cars and the meadow for trailers."),
    ("Parking", "The meadow is closed when it is wet."),
)
AMONG = tuple(
    Candidate(text, code=False, number=len(heading), place=place, rank=0, heading=heading)
    for place, (heading, text) in enumerate(TEXTS)
)


def told(question: str, first: int) -> list[str]:
    """What is told where the sentence at `first` is the best one."""
    weighed = weigh(question, AMONG, encoder())
    return [one.text for one in with_both_sides(question, [AMONG[first]], weighed, encoder())]


@pytest.mark.parametrize(
    ("question", "first", "says"),
    [
        ("what is the difference between a winch launch and an aerotow", 0, {0, 1}),
        ("which launch is faster, winch or aerotow?", 2, {0, 1}),  # and not when one of them ends
        ("is the Plover more expensive than the Heron?", 5, {4, 6}),
        ("Heron vs Plover", 3, {3, 5}),
        ("difference between the gravel yard and the meadow", 7, {7}),  # a sentence has both
        ("difference between the gravel yard and the hangar", 7, {7}),
        ("when do winch launches end?", 2, {2}),
    ],
)
def test_each_side_is_told_of(question: str, first: int, says: set[int]) -> None:
    assert set(told(question, first)) == {TEXTS[at][1] for at in says}


def test_of_a_side_that_nothing_tells_of_it_is_said() -> None:
    lacking = nothing_about("difference between the Heron and the Zeppelin", AMONG, encoder(), Language.ENGLISH)
    assert lacking == "The passages that I found say nothing about “Zeppelin”."
    for question in ("Heron vs Plover", "Quark vs Zeppelin", "what is a Heron", "which is faster, Heron or Zeppelin?"):
        assert nothing_about(question, AMONG, encoder(), Language.ENGLISH) == ""
