from __future__ import annotations

import pytest

from engine.generation.extractive.candidates import Candidate
from engine.generation.extractive.list_items import list_called, narrowed, table_of

STEPS = "1. Choose a kiln.\n2. Pay the deposit of 30 euros.\n3. Sign the deposit slip."
NEEDED = "What to bring to the first firing:\n- An apron\n- Two bowls"


def quoted(text: str, whole: str = "") -> Candidate:
    return Candidate(text, code=False, number=1, place=0, rank=0, heading="Firing", whole=whole)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("how much is the deposit", "Pay the deposit of 30 euros."),
        ("which kiln", "Choose a kiln."),
        ("where is the deposit", STEPS),  # two steps have it
        ("how do i pay the deposit", STEPS),
        ("what is needed", STEPS),
    ],
)
def test_a_list_is_narrowed_to_the_one_item_that_is_asked_for(question: str, said: str) -> None:
    assert narrowed(question, quoted(STEPS)).text == said


@pytest.mark.parametrize(
    ("question", "whole"),
    [("what do i bring to the first firing", True), ("what apron do i bring to the firing", False), ("bring", False)],
)
def test_a_list_is_quoted_whole_by_its_name(question: str, whole: bool) -> None:
    parts = [quoted("An apron", NEEDED), quoted("Two bowls", NEEDED), quoted("Bowls are ours.")]
    found = list_called(question, parts, parts[-1])
    assert (found is not None and found.text == NEEDED) is whole


def test_a_list_of_figures_is_a_table() -> None:
    assert table_of("Fees a year:\n- Small: 30 €, two shelves\n- Large: 45 €", "Lockers").splitlines() == [
        "| Lockers | Fees a year |  |",
        "| --- | --- | --- |",
        "| Small | 30 € | two shelves |",
        "| Large | 45 € |  |",
    ]
    assert table_of("- Bring an apron\n- Bring bowls", "Firing") == ""


@pytest.mark.parametrize(
    "question",
    [
        "what do I do with the kiln?",
        "what should we do to pay the deposit",
        "¿qué hago con el deposit?",
        "what to do with a slip",
    ],
)
def test_what_is_to_be_done_is_answered_by_all_steps(question: str) -> None:
    assert narrowed(question, quoted(STEPS)).text == STEPS
