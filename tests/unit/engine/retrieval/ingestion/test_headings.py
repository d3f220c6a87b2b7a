from __future__ import annotations

import pytest

from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.ingestion.headings import text_sections
from engine.retrieval.port import Document

TEXT = """\
HARBOUR GUIDE

Written for skippers.

1. Opening hours

The office opens at eight.

1.1 In winter

It opens at nine.

2. Fees

A berth costs twelve euros.
"""


def paths(text: str) -> list[str]:
    return [" > ".join(section.path) for section in text_sections(text)]


def test_headings_stand_apart_from_text() -> None:
    assert [(" > ".join(section.path), section.text.strip()) for section in text_sections(TEXT)] == [
        ("HARBOUR GUIDE", "Written for skippers."),
        ("HARBOUR GUIDE > 1. Opening hours", "The office opens at eight."),
        ("HARBOUR GUIDE > 1. Opening hours > 1.1 In winter", "It opens at nine."),
        ("HARBOUR GUIDE > 2. Fees", "A berth costs twelve euros."),
    ]


def test_passages_carry_them() -> None:
    parts = chunk(Document("a.txt", "a.txt", TEXT.replace("\n", "\r\n"), "text", "/a", ""))
    assert parts[-1].passage.heading == "HARBOUR GUIDE > 2. Fees"
    assert parts[-1].searchable == "a.txt\nHARBOUR GUIDE > 2. Fees\nA berth costs twelve euros."


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Opening hours\n=============", "Opening hours"),
        ("Opening hours\n-------\nDirectly below", "Opening hours"),
        ("OPENING HOURS\n", "OPENING HOURS"),
        ("ÖFFNUNGSZEITEN\n", "ÖFFNUNGSZEITEN"),
        ("SPA\n", "SPA"),
        ("## Opening hours ##\n", "Opening hours"),
        ("2.3.1 Opening hours\n", "2.3.1 Opening hours"),
        ("4) Opening hours\n", "4) Opening hours"),
        ("Chapter IV: The sea\n", "Chapter IV: The sea"),
        ("Artículo 12 Del puerto\n", "Artículo 12 Del puerto"),
    ],
)
def test_what_is_a_heading(heading: str, name: str) -> None:
    assert paths(f"Before it.\n\n{heading}\nThe office opens at eight.\n") == ["", name]


@pytest.mark.parametrize(
    "text",
    [
        "The office opens at eight.",
        "A line\nOPENING HOURS\n",
        "OPENING HOURS\nare from eight to five",
        "STOP!",
        "EU",
        "1. First do this.",
        "1. Take the boat\n\n2. Go out\n\n3. Come back",
        "1. take it",
        "12 400",
        "part of it",
        "Chapter one is about the sea",
        "----\n----",
        "a | b\n--- | ---",
        "A line that is far longer than what is below it\n---",
        "A LINE OF SO MANY WORDS THAT NOBODY WOULD CALL IT ANY MORE A HEADING OF A TEXT",
    ],
)
def test_what_is_none(text: str) -> None:
    assert paths(f"Before it.\n\n{text}\n\nThe office opens at eight.\n") == [""]


def test_headings_without_text_are_not_lost() -> None:
    (only,) = text_sections("FEES\n\nOPENING HOURS\n")
    assert (only.path, only.text) == (("FEES / OPENING HOURS",), "FEES / OPENING HOURS")


def test_many_lines_are_read_in_proportion() -> None:
    assert len(text_sections("1. Take the boat\n\n" * 50_000)) == 1
    assert len(text_sections("OPENING HOURS\n\ntext\n\n" * 20_000)) == 20_000


def test_a_heading_beside_a_numbered_list_is_no_item_of_it() -> None:
    text = (
        "3. OPENING\n\nText.\n\n4. CLOSING\n\n1. Lock the door.\n2. Set the alarm.\n3. Leave.\n\n"
        "5. KEYS\n\n1. Ask.\n2. Sign.\n3. Wait.\n4. Take.\n5. Leave.\n\n6. LIGHTS\n\nText."
    )
    assert [s.path[-1:] for s in text_sections(text) if s.path] == [
        ("3. OPENING",),
        ("4. CLOSING",),
        ("5. KEYS",),
        ("6. LIGHTS",),
    ]


def test_items_that_stand_apart_are_no_headings() -> None:
    assert [s.path for s in text_sections("1. Lock the door\n\n2. Set the alarm\n\n3. Leave\n")] == [()]


@pytest.mark.parametrize(
    "text",
    [
        "May I moor overnight?\nYes, for nine euros.\n\nWho lifts the boats?\nThe boatman.",
        "May I moor overnight?\n\nYes, for nine euros.\n\nWho lifts the boats?\n\nThe boatman.",
        "Q: May I moor overnight?\nA: Yes, for nine euros.\n\nQ2. Who lifts the boats?\n\nA2. The boatman.",
    ],
)
def test_questions_with_answers_below_them_are_headings(text: str) -> None:
    assert [(s.path, s.text.strip()) for s in text_sections(f"MOORING\n\n{text}\n\nFEES\n\nNine euros.")] == [
        (("MOORING", "May I moor overnight?"), "Yes, for nine euros."),
        (("MOORING", "Who lifts the boats?"), "The boatman."),
        (("FEES",), "Nine euros."),
    ]


def test_a_question_never_stands_above_a_heading_and_one_in_capitals_is_told_of_like_the_others() -> None:
    text = (
        "¿Hay grúa?\nSí.\n\n1. ¿Quién la lleva?\nEl marinero.\n\nTARIFAS\n\nNueve euros.\n\n"
        "WHEN DOES IT OPEN?\n\nAt eight.\n\nWHO HAS KEYS?\nThe boatman."
    )
    assert paths(text) == ["¿Hay grúa?", "1. ¿Quién la lleva?", "TARIFAS", "WHEN DOES IT OPEN?", "WHO HAS KEYS?"]


@pytest.mark.parametrize(
    "text",
    [
        "Why does the tide turn?\nThe moon pulls.\n\nThe sun pulls too.",  # one alone
        "How old are you?\nWhere do you live?\n\nWhat is your boat called?\n\nThank you.",  # to be answered
        "- May I?\nNo.\n\n- Who may?\nNobody.",
        "«¿Vienes?»\n\nNo.\n\n—¿Por qué?\n\nNo quiero.",  # speech
        "Lost it? Was it red?\nTell us.\n\nFound one. Is it yours?\nTell us.",
        "Has the boat that you have hired\nbeen cleaned?\nIf not, do it.\n\nTired of it or of us?\n",
    ],
)
def test_other_questions_are_none(text: str) -> None:
    assert paths(text) == [""]
