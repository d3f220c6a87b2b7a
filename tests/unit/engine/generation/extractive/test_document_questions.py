from __future__ import annotations

import pytest

from engine.generation.extractive.candidates import Candidate
from engine.generation.extractive.document_questions import answered_by_the_document, with_the_number


def said(text: str, heading: str = "", introduced: str = "", number: int = 1, *, code: bool = False) -> Candidate:
    return Candidate(text, code=code, number=number, place=0, rank=0, heading=heading, introduced=introduced)


KILN = "What is the difference between a kiln and an oven?"
FAQ = [
    said("Kiln: 90 euros.", "Prices", number=2),
    said("A kiln fires clay.", KILN),
    said("An oven bakes bread.", KILN),
    said("Ask at the desk.", "¿Se puede pagar el horno a plazos?", number=3),
    said("No.", "Are pets not allowed in the workshop?", number=4),
    said("On Mondays.", "", "When is the workshop cleaned?", number=5),
    said("With a broom.", "", "How is the workshop cleaned?", number=5),
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is the difference between a kiln and an oven", ["A kiln fires clay.", "An oven bakes bread."]),
        ("What's the difference between kilns and ovens?", ["A kiln fires clay.", "An oven bakes bread."]),
        ("se puede pagar un horno a plazos", ["Ask at the desk."]),
        ("when is the workshop cleaned?", ["On Mondays."]),
        ("how is the workshop cleaned?", ["With a broom."]),
        ("who cleans the workshop?", []),  # another question
        ("where is the workshop cleaned?", []),
        ("are pets allowed in the workshop?", []),  # the other way round
        ("are pets not allowed in the workshop?", ["No."]),
        ("what is a kiln", []),
        ("what is the difference between a kiln and an oven and a stove of iron", []),
        ("", []),
    ],
)
def test_a_question_of_the_document_is_answered_by_what_stands_below_it(question: str, answer: list[str]) -> None:
    found = answered_by_the_document(question, FAQ)
    assert [one.text for one in found] == answer
    assert not any(one.heading or one.introduced for one in found)  # it is not asked again


def test_a_heading_that_asks_nothing_is_none_and_code_is_left_to_what_shows_code() -> None:
    assert answered_by_the_document("prices", [said("Kiln: 90.", "Prices")]) == []
    shown = [said("Call fire().", KILN), said("fire()", KILN, code=True)]
    assert answered_by_the_document(KILN, shown) == []


RECORD = [
    said("How long a piece stays in the kiln.", "firing_time"),
    said("Type: duration", "firing_time"),
    said("Default: 9h", "firing_time"),
    said("Default: 4h", "drying_time", number=2),
]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how long does a piece stay in the kiln?", ["How long a piece stays in the kiln.", "Default: 9h"]),
        ("how many hours are the default?", ["Default: 9h"]),
        ("what is the firing time?", ["How long a piece stays in the kiln."]),
        ("what is it for?", ["How long a piece stays in the kiln."]),
    ],
)
def test_the_number_that_is_asked_for_is_told_with_its_record(question: str, told: list[str]) -> None:
    assert [one.text for one in with_the_number(question, RECORD[:1], RECORD)] == told


def test_a_number_that_is_told_stays_and_of_two_fields_none_is_chosen() -> None:
    nine = said("A piece stays for 9 hours.", "firing_time")
    assert with_the_number("how long does a piece stay?", [nine], RECORD) == [nine]
    two = [*RECORD, said("Most: 20h", "firing_time")]
    assert with_the_number("how long does a piece stay?", RECORD[:1], two) == RECORD[:1]
    assert with_the_number("how long does a piece stay?", [], RECORD) == []
