"""How near names are to a question."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from engine.generation.extractive.account_figures.asking.nearness import Nearness, near_to
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.account_figures.ranking.matching import without_names
from tests.account_cases import encoder

NAMES = ["parcels returned", "vans on the road", "warehouse manager"]
SUBJECTS = ["weather", "music", "cooking", "football", "history"]


def subjects() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return encoder().embed_names(SUBJECTS)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("how much came back to us?", "parcels returned"),
        ("¿cuánta gente nos devolvió el paquete?", "parcels returned"),
        ("who runs the depot?", "warehouse manager"),
    ],
)
def test_the_name_that_is_meant_is_the_likeliest(question: str, name: str) -> None:
    near = Nearness.of(question, NAMES, subjects(), encoder())
    assert max(near.names, key=near.name) == name
    assert near.shares[name] == near.clearest > 1 / len(NAMES)
    assert sum(near.shares.values()) == pytest.approx(1.0)
    assert near.best == near.name(name) > near.general


def test_a_name_that_was_not_read_is_less_near_than_any() -> None:
    near = Nearness.of("who runs the depot?", NAMES, subjects(), encoder())
    assert near.name("rain") == near.best - 1
    assert "rain" not in near.shares


def test_nothing_is_near_where_there_are_no_names() -> None:
    near = Nearness.of("who runs the depot?", [], subjects(), encoder())
    assert (near.names, near.clearest, near.general) == ({}, 0.0, 0.0)


def test_subjects_are_what_nearness_is_counted_from() -> None:
    scores, general = near_to("who runs the depot?", NAMES, subjects(), encoder())
    assert general.mean() == pytest.approx(0.0, abs=1e-5)
    assert general.std() == pytest.approx(1.0, abs=1e-5)
    order = scores.cosines.argsort()
    assert (scores.scaled.argsort() == order).all()


def test_the_signs_of_the_name_that_is_meant_are_the_highest() -> None:
    near = Nearness.of("who runs the depot?", NAMES, subjects(), encoder())
    meant, other = near.signs("warehouse manager"), near.signs("parcels returned")
    assert meant["near"] == 0.0 > other["near"]
    assert meant["meant_behind"] == 0.0 > other["meant_behind"]
    assert meant["meant"] > other["meant"]
    assert near.signs("rain")["meant"] == 0.0


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How many parcels came back on 18 November?", "How many parcels came back ?"),
        ("¿Cuánto gastó Ramos el 3 de mayo?", "¿Cuánto gastó ?"),
        ("how many parcels came back?", "how many parcels came back?"),
    ],
)
def test_days_and_proper_names_say_nothing_of_what_is_asked_for(question: str, asked: str) -> None:
    assert without_names(question) == asked


@pytest.mark.parametrize("query", ["what is the monthly fee?", "how much is the monthly fee?"])
def test_a_question_that_is_nothing_but_a_name_asks_for_its_value(query: str) -> None:
    question = Operations(encoder()).read(query, date(2026, 11, 28), ["monthly fee", "annual fee"])
    assert question.operation == "value"
