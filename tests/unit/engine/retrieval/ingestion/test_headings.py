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
