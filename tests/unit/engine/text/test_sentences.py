from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.sentences import Unit, sentences, sentences_of_lines, units


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Usa addVar. Después llama a getVar.", ["Usa addVar.", "Después llama a getVar."]),
        ("¿Qué es? ¡Una variable!", ["¿Qué es?", "¡Una variable!"]),
        ("是的。不是！好", ["是的。", "不是！", "好"]),
        ("It costs 1.50 a month, see v2.x for more.", ["It costs 1.50 a month, see v2.x for more."]),
        ("Commands, e.g. AddVar, and others, cf. Section 2.", ["Commands, e.g. AddVar, and others, cf. Section 2."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("It is a variable (see above.) It has a type.", ["It is a variable (see above.)", "It has a type."]),
        ("Call it. `addVar` does it.", ["Call it.", "`addVar` does it."]),
        ("ends with etc.", ["ends with etc."]),
        ("", []),
        ("  ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "text", ["One [1]. Two [2][3].", "One. [1] Two. [2] [3]", "One.[1] Two.[2][3]", "一。[1]二。[2]"]
)
def test_a_citation_stays_with_its_sentence(text: str) -> None:
    first, second = sentences(text)
    assert "[1]" in first
    assert "[2]" in second
    assert not second.startswith("[")


def test_markdown_is_taken_apart_into_what_can_stand_alone() -> None:
    text = (
        "# Heading\n\nA paragraph over\ntwo lines. Another sentence.\n\n- First item\n  goes on\n- Second item\n\n"
        "| Name | Use |\n| --- | --- |\n| addVar | adds |\n\n```avap\naddVar(x, 1)\n# no heading\n\n```\nAfter."
    )
    assert units(text) == [
        Unit("A paragraph over two lines."),
        Unit("Another sentence."),
        Unit("First item goes on"),
        Unit("Second item"),
        Unit("Name: Use"),
        Unit("addVar: adds"),
        Unit("```avap\naddVar(x, 1)\n# no heading\n\n```", code=True),
        Unit("After."),
    ]


def test_a_fence_that_is_not_closed_ends_with_the_text() -> None:
    assert units("```\nx = 1") == [Unit("```\nx = 1\n```", code=True)]


def test_marks_behind_a_code_block_cite_the_block() -> None:
    assert units("```\nx\n```\n\n[1][2]\n\nProse.") == [Unit("```\nx\n```\n\n[1][2]", code=True), Unit("Prose.")]


def test_marks_alone_behind_prose_are_not_lost() -> None:
    assert units("Prose\n\n[1]") == [Unit("Prose"), Unit("[1]")]


@given(st.text(alphabet="aB1. !?:。\"')(¿[]\n", max_size=60))
def test_no_character_of_prose_is_lost_but_white_space(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_the_end_of_a_line_ends_a_sentence() -> None:
    assert sentences_of_lines("One line\nTwo. Three\n\n第一句。第二句？") == [
        "One line",
        "Two.",
        "Three",
        "第一句。",
        "第二句？",
    ]
    assert sentences_of_lines("") == []


@pytest.mark.parametrize("text", ["It costs 3.50 a day, e.g. on Mondays.", "Rivers of the U.S. flow into the sea."])
def test_a_stop_within_a_sentence_ends_none(text: str) -> None:
    assert sentences_of_lines(text) == [text]
