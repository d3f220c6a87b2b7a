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
        Unit("First item goes on", whole="- First item\n  goes on\n- Second item"),
        Unit("Second item", whole="- First item\n  goes on\n- Second item"),
        Unit("addVar: adds", whole="| Name | Use |\n| --- | --- |\n| addVar | adds |"),
        Unit("```avap\naddVar(x, 1)\n# no heading\n\n```", code=True),
        Unit("After."),
    ]


TABLE = "| Kiln | Heat | Fuel |\n|---|---|---|\n| raku | 1000 | gas |\n| anagama | 1300 | |\n| | 900 | wood \\| peat |"


def test_a_row_says_the_names_of_its_columns() -> None:
    assert [unit.text for unit in units(TABLE)] == [
        "raku — Heat: 1000; Fuel: gas",
        "anagama: 1300",
        "900: wood \\| peat",
    ]


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("| a | b |\n|---|---|\n| c | d |", ["c: d"]),
        ("| # | |\n| --- | --- |\n| 1 | It is hot. |", ["It is hot."]),
        ("| c | d |\n| e | f |", ["c: d", "e: f"]),  # without names of columns
        ("| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 | 4 |", ["1: 2: 3: 4"]),  # a row of another length
        ("| a | | c |\n|---|---|---|\n| 1 | 2 | 3 |", ["1 — 2; c: 3"]),
        ("| | |\n|---|---|", []),
    ],
)
def test_rows_of_tables(table: str, rows: list[str]) -> None:
    assert [unit.text for unit in units(table)] == rows


def test_rows_and_items_know_what_they_are_of() -> None:
    listed = "Fuels are:\n- gas\n\n- wood. It smokes."
    found = units(f"A kiln is hot.\n\n{TABLE}\n\n{listed}\n\nAfter.\n\n- alone\n\n1. one\n2. two")
    assert {unit.text: unit.whole for unit in found} == {
        "A kiln is hot.": "",
        **dict.fromkeys((unit.text for unit in units(TABLE)), TABLE),
        "Fuels are:": "",
        **dict.fromkeys(("gas", "wood.", "It smokes."), "Fuels are:\n- gas\n- wood. It smokes."),
        "After.": "",
        "alone": "",
        "1. one\n2. two": "",
    }


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("F2: No fuel. Fill the hopper.", ["F2: No fuel. Fill the hopper."]),
        ("**F2**: No fuel. Fill the hopper.", ["**F2**: No fuel. Fill the hopper."]),
        ("The hopper is empty. Fill it.", ["The hopper is empty.", "Fill it."]),
        ("**Ash**: It burns. **Oak**: It glows.", ["**Ash**: It burns.", "**Oak**: It glows."]),
        (f"F2: No fuel. {'Fill the hopper. ' * 9}Done.", ["F2: No fuel.", *["Fill the hopper."] * 9, "Done."]),
    ],
)
def test_a_short_item_stays_whole_where_it_explains_one_name(item: str, said: list[str]) -> None:
    assert [unit.text for unit in units(f"- {item}\n- Last.")] == [*said, "Last."]
    assert len(units(item)) > 1  # a paragraph is cut


def test_bars_and_dashes_in_code_are_no_tables_and_lists() -> None:
    assert units("```\n| x |\n- y\n- z\n```\nEnd.") == [Unit("```\n| x |\n- y\n- z\n```", code=True), Unit("End.")]


def test_a_list_ends_where_code_begins() -> None:
    code = Unit("```\n- x\n```", code=True)
    assert units("- gas\n- wood\n```\n- x\n```\n- peat") == [
        Unit("gas", whole="- gas\n- wood"),
        Unit("wood", whole="- gas\n- wood"),
        code,
        Unit("peat"),
    ]
    assert units("| a | b |\n|---|---|\n| 1 | 2 |\n```\n- x\n```") == [
        Unit("1: 2", whole="| a | b |\n|---|---|\n| 1 | 2 |"),
        code,
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


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It is a kiln. kiln-tools need fuel. addHeat burns it. low_heat does not.", 4),
        ("It holds approx. twenty pots, i.e. well-fired ones.", 1),
    ],
)
def test_a_sentence_may_begin_with_a_name(text: str, count: int) -> None:
    assert len(sentences(text)) == count


@pytest.mark.parametrize("label", ["**Tools**", "**Tools:**", "**Tools**:", "**Which tools?**"])
def test_a_bold_line_above_a_list_introduces_it(label: str) -> None:
    introduction, first, second = units(f"{label}\n\n- A saw of steel\n- A hammer")
    assert introduction.text.endswith(":")
    assert first.whole == second.whole == f"{introduction.text}\n- A saw of steel\n- A hammer"
    (steps,) = units(f"{label}\n1. Saw.\n2. Nail.")
    assert steps.text.startswith("**")
    assert "\n1. Saw.\n2. Nail." in steps.text


@pytest.mark.parametrize(
    "text", ["**Keep it dry.**\n- A saw", "**In all:** 12 tools\n- A saw", "**In all: 12 tools**\n\nText."]
)
def test_a_bold_line_that_states_something_is_a_sentence(text: str) -> None:
    assert units(text)[0] == Unit(text.splitlines()[0])


def test_lines_that_begin_with_a_bold_name_are_told_apart() -> None:
    found = units("**Edition 3**\n**Written by:** Ada Lopez,\nthe baker\n**Place:** Soria")
    assert [unit.text for unit in found] == [
        "**Edition 3**",
        "**Written by:** Ada Lopez, the baker",
        "**Place:** Soria",
    ]
    (step,) = units("1. Fill it.\n   **Note:** not to the brim.")
    assert step.text == "1. Fill it. **Note:** not to the brim."


def test_lines_that_each_state_one_thing_are_told_apart() -> None:
    text = "Delivery times:\n\nBasic parcel: two days\nLarge parcel (over 10 kg): four days\nIsland parcel: a week\n"
    assert [unit.text for unit in units(text)] == [
        "Delivery times:",
        "Basic parcel: two days",
        "Large parcel (over 10 kg): four days",
        "Island parcel: a week",
    ]


def test_a_line_that_goes_on_is_not_cut_at_a_colon() -> None:
    assert [unit.text for unit in units("The parcel is\nsent again: once, and\nthen never")] == [
        "The parcel is sent again: once, and then never"
    ]
