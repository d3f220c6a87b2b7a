from __future__ import annotations

import pytest

from engine.generation.extractive.candidates import Candidate
from engine.generation.extractive.list_items import narrowed

STEPS = "1. Choose a kiln.\n2. Pay the deposit of 30 euros.\n3. Sign the deposit slip."


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
def test_steps_are_narrowed_to_the_one_step_that_is_asked_for(question: str, said: str) -> None:
    assert narrowed(question, quoted(STEPS)).text == said


def test_a_list_is_whole_where_what_leads_it_in_has_the_word_that_is_asked_for() -> None:
    routes = "Two routes go up:\n1. North route: four hours.\n2. Goat ledge: three hours."
    assert narrowed("which routes go up?", quoted(routes)).text == routes
    assert narrowed("how long is the ledge?", quoted(routes)).text == "Goat ledge: three hours."


def test_a_list_whose_items_could_have_been_quoted_apart_stays_whole() -> None:
    bullets = "- Choose a kiln.\n- Pay the deposit of 30 euros."
    assert narrowed("how much is the deposit", quoted(bullets, bullets)).text == bullets


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
