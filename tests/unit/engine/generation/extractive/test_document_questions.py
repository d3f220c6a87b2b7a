from __future__ import annotations

from dataclasses import replace

import pytest

from engine.generation.extractive.candidates import Candidate
from engine.generation.extractive.document_questions import (
    answered_by_the_document,
    defined_by_the_document,
    lacks_the_number,
    says_what_it_is,
    told_of_a_section,
    with_the_date,
    with_what_follows,
)


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


DATED = "2.4.0 - May 2024"
RELEASE = [
    replace(said(DATED, DATED), numbered=DATED),
    replace(said("Tides are drawn.", "Added"), numbered=DATED),
    replace(said("Repairs end on 1 June 2026.", "Support"), numbered=DATED),
]


@pytest.mark.parametrize(
    ("question", "best", "told"),
    [
        ("when was 2.4 released?", 1, [DATED]),
        ("when was 2.4.0 released?", 2, [DATED]),
        ("when did version 2.4 come out?", 2, [DATED]),
        ("when are tides drawn in 2.4.0?", 1, ["Tides are drawn."]),
        ("when do repairs of 2.4.0 end?", 2, ["Repairs end on 1 June 2026."]),
        ("when does it stop being looked after, 2.4.0?", 2, ["Repairs end on 1 June 2026."]),
    ],
)
def test_the_date_of_a_heading_is_told_where_that_is_asked(question: str, best: int, told: list[str]) -> None:
    assert [one.text for one in with_the_date(question, [RELEASE[best], RELEASE[0]], RELEASE)] == told


def test_without_a_dated_heading_nothing_changes() -> None:
    assert with_the_date("when was 2.4.0 released?", RELEASE[1:], RELEASE[1:]) == RELEASE[1:]
    assert with_the_date("when was 2.4.0 released?", [], RELEASE) == []


def test_a_section_is_told_as_it_is_read_with_its_lists_whole() -> None:
    items = [replace(said(text, "14. Dogs", number=2), whole="- On a lead\n- Not on deck") for text in ("On", "Not")]
    section = [said("Puppies too.", "Care", number=3), said("Dogs are welcome.", "14. Dogs", number=2), *items]
    among = [said("A kiln.", "Kilns"), *(replace(one, numbered="14. Dogs") for one in section)]
    told = told_of_a_section("what does article 14 say?", among)
    assert [one.text for one in told] == ["Dogs are welcome.", "- On a lead\n- Not on deck", "Puppies too."]
    assert {one.introduced for one in told} == {"14. Dogs"}


REPAIRS = [
    replace(said(text), place=place, block=block, leads=leads)
    for place, (text, block, leads) in enumerate(
        [
            ("The hull leaks.", 1, True),
            ("Bail it out.", 1, False),
            ("Caulk the seam.", 1, False),
            ("The rudder jams.", 2, True),
            ("Pull the pin.", 2, False),
            ("A boat must be back by noon.", 3, False),
            ("Otherwise the boatman fetches it.", 3, False),
            ("Life jackets are red.", 3, False),
        ]
    )
]


@pytest.mark.parametrize(
    ("question", "prose", "told"),
    [
        ("my hull is leaking", [0], [0, 1, 2]),
        ("the hull leaks, what do I do?", [2, 0], [0, 1, 2]),
        ("what do I do if the rudder jams?", [7, 3], [7, 3, 4]),
        ("when must a boat be back?", [5, 3], [5]),  # that line is not asked about
        ("when must a boat be back?", [3], [3]),
        ("when must a boat be back?", [5, 7], [5, 7]),
        ("what happens if a boat is late?", [5, 7], [5, 6, 7]),
        ("¿y si no vuelve a mediodía?", [5], [5, 6]),
        ("what happens to life jackets?", [7, 6], [7, 6]),
        ("", [], []),
    ],
)
def test_what_belongs_to_a_sentence_follows_it(question: str, prose: list[int], told: list[int]) -> None:
    found = with_what_follows(question, [REPAIRS[place] for place in prose], REPAIRS)
    assert [one.place for one in found] == told


GLOSSARY = [
    said("A mooring is paid for by the month."),
    said("**Mooring**: a place where a boat is made fast to the quay or to a buoy."),
    said("Buoy: a float."),
    said("Neap tide: the smallest tide of a fortnight."),
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is a mooring?", "**Mooring**"),
        ("what does neap tide mean", "Neap tide"),
        ("¿qué significa mooring?", "**Mooring**"),
        ("and what is a neap tide?", "Neap tide"),
        ("define mooring", "**Mooring**"),
        ("what is the price of a mooring?", ""),
        ("how long is a mooring?", ""),
        ("what is a buoy?", ""),
        ("what is a pontoon?", ""),
    ],
)
def test_what_is_defined_is_told_by_its_definition(question: str, answer: str) -> None:
    told = [one.text.partition(":")[0] for one in defined_by_the_document(question, GLOSSARY)]
    assert told == ([answer] if answer else [])


def test_the_title_of_the_document_is_no_part_of_what_is_defined() -> None:
    titled = [replace(one, title="Harbour guide") for one in GLOSSARY]
    assert defined_by_the_document("what is a mooring in the harbour guide?", titled) == [titled[1]]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("what is a kiln?", "A kiln is an oven for clay."),
        ("what is KLN", "KLN (Kiln Language Notation) is a way to write firings."),
        ("what are saggars", "Saggars are the boxes that pots stand in."),
        ("¿qué es el bizcocho?", "El bizcocho es la primera cocción."),
    ],
)
def test_a_sentence_that_says_what_a_thing_is(question: str, text: str) -> None:
    assert says_what_it_is(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("what is a kiln?", "A kiln wash is a coat on the shelves."),
        ("what is a kiln?", "It is an oven for clay."),
        ("what is a kiln?", "A kiln needs a year of drying."),
        ("how hot is a kiln?", "A kiln is an oven for clay."),
    ],
)
def test_others_do_not(question: str, text: str) -> None:
    assert not says_what_it_is(question, text)


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("how much does a kiln cost?", "A kiln is an oven for clay.", True),
        ("¿cuánto cuesta el taller?", "Taller de cerámica. Copyright 2026 Barro Vivo.", True),
        ("how many guests may I bring?", "Guests sign the book.", True),
        ("how much does a kiln cost?", "A kiln costs 90 euros.", False),
        ("how much is the tour?", "The tour is free.", False),
        ("¿cuánto cuesta la visita?", "La visita es gratuita.", False),
        ("how many guests may I bring?", "Members bring two guests.", False),
        ("how often is it cleaned?", "It is cleaned on Mondays.", False),
        ("what is a kiln?", "A kiln is an oven for clay.", False),
    ],
)
def test_an_amount_is_told_by_a_number_or_a_word_for_one(question: str, text: str, *, lacks: bool) -> None:
    assert lacks_the_number(question, [said(text)]) is lacks


def test_of_no_sentences_none_lacks_anything() -> None:
    assert not lacks_the_number("how much is it?", [])
