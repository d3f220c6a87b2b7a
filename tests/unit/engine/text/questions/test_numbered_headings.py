"""Which headings a question names by their numbers."""

from __future__ import annotations

import pytest

from engine.domain import Passage
from engine.text.questions.numbered_headings import (
    asks_for_a_section,
    heading_named,
    names_with_number,
    numbers_named,
    of_named_sections,
    unnumbered,
)


def passage(heading: str, text: str = "", document: str = "notes", title: str = "Harrow release notes") -> Passage:
    return Passage(id=heading, document=document, title=title, heading=heading, text=text)


HEADINGS = (
    "2.4.0 - 2024-05-01 > Added",
    "[2.3.1] (April)",
    "Release 1.7",
    "3.2 Fire",
    "Article 14. Dogs",
    "14. Cats",
    "Week 6: sails",
    "Artículo 8. Cuotas",
)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("what's new in Harrow 2.4.0?", HEADINGS[:1]),
        ("what was added in version 2.4?", HEADINGS[:1]),
        ("Harrow 2.4 features", HEADINGS[:1]),
        ("v2.3.1", HEADINGS[1:2]),
        ("the 1.7 release", HEADINGS[2:3]),
        ("version 2", HEADINGS[:2]),
        ("difference between version 1.7 and 2.4", (HEADINGS[0], HEADINGS[2])),
        ("weeks 2, 4 or 6: which week 6 is it?", HEADINGS[6:7]),
        ("artículos 8 y 14", HEADINGS[4:6] + HEADINGS[7:]),
        ("what does section 3.2 say?", HEADINGS[3:4]),
        ("§ 3.2", HEADINGS[3:4]),
        ("article 14", HEADINGS[4:6]),
        ("art. 14", HEADINGS[4:6]),
        ("what do we do in week 6?", HEADINGS[6:7]),
        ("¿qué dice el artículo 8?", HEADINGS[7:]),
        ("article 8", HEADINGS[7:]),
        ("can I carry 3.2 kg?", ()),
        ("is it 14 euros?", ()),
        ("section 3", ()),
        ("step 14", ()),
        ("part 14", ()),
        ("chapter 6", ()),
        ("it costs 2.40 euros", ()),
        ("", ()),
    ],
)
def test_a_heading_is_named_by_its_number(question: str, named: tuple[str, ...]) -> None:
    numbers = numbers_named(question)
    assert tuple(one for one in HEADINGS if heading_named(numbers, passage(one))) == named


def test_what_stands_below_another_number_of_the_document_is_not_told_of() -> None:
    passages = [
        passage("2.4.0 > Added"),
        passage("2.3.0 > Added"),
        passage("2.2.0", "Upgrade to 2.4.0 at once."),
        passage("Prices"),
        passage("2.3.0 > Added", document="other"),
    ]
    told = [True, False, True, True, True]
    assert of_named_sections(numbers_named("what was added in 2.4.0?"), passages) == told
    assert of_named_sections(numbers_named("what was added in 9.9.9?"), passages) == [True] * 5
    assert of_named_sections((), passages) == [True] * 5


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("what does article 14 say?", True),
        ("Tell me about article 14 of the Harrow notes", True),
        ("what does article 14 say about puppies?", False),
        ("who wrote article 14?", False),
        ("is article 14 new?", False),
        ("what does article 15 say?", False),
        ("what does it say?", False),
    ],
)
def test_all_of_a_section_is_asked_for(question: str, asks: bool) -> None:
    assert asks_for_a_section(question, [passage("Article 14. Dogs"), passage("14. Cats", document="cats")]) is asks


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("what was added in version 2.4.0 of Harrow?", True),
        ("what was added in 2.4.0 to the plough?", False),
        ("who made 2.4.0?", False),
        ("what was added?", False),
        ("what was added in 2.3.0?", False),
    ],
)
def test_a_heading_below_a_number_is_asked_for(question: str, named: bool) -> None:
    assert names_with_number(question, [passage("2.4.0 (May) > Added"), passage("2.3.0 > Dropped")]) is named


def test_a_document_may_have_the_number_in_its_title() -> None:
    one = passage("Added", title="Harrow 2.4.0 (May)")
    assert heading_named(numbers_named("what is new in 2.4?"), one) == ""
    assert heading_named(numbers_named("what is new in version 2.4?"), one) == "Harrow 2.4.0 (May)"
    assert heading_named(numbers_named("what does version 14 say?"), passage("Section 14.2")) == ""


@pytest.mark.parametrize(
    ("heading", "bare"),
    [
        ("5. Returns", "Returns"),
        ("12) Opening a hive", "Opening a hive"),
        ("5.4 Mesh", "5.4 Mesh"),
        ("24 hours open", "24 hours open"),
        ("7.", "7."),
    ],
)
def test_a_heading_without_the_number_that_makes_an_item_of_it(heading: str, bare: str) -> None:
    assert unnumbered(heading) == bare
