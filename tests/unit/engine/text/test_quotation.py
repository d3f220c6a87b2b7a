"""What may be quoted of a passage, and the texts that its answers weigh."""

from __future__ import annotations

import pytest

from engine.domain import Passage
from engine.text.quotation import (
    MOST_QUOTED,
    examples_of,
    in_context,
    is_call,
    is_name,
    own_name,
    quoted_units,
    subject_of,
    texts_weighed,
)


def passage(text: str, heading: str = "") -> Passage:
    return Passage("p", "d.md", "Title", heading, text)


def test_what_says_nothing_by_itself_is_not_quoted() -> None:
    text = "This page tells how kilns are lit. A kiln has a door.\n\nIt takes three things:\n\nok"
    assert [unit.text for unit in quoted_units(passage(text))] == ["A kiln has a door."]


def test_a_title_in_capitals_is_not_quoted() -> None:
    text = "TOWN OF HARLOW\n\nPERMITS FOR STREET MARKETS\n\nDO NOT PARK HERE.\n\n- OPEN ALL DAY\n- Ask at the DESK OF THE HALL"
    quoted = [unit.text for unit in quoted_units(Passage("p", "d", "t", "h", text))]
    assert quoted == ["DO NOT PARK HERE.", "OPEN ALL DAY", "Ask at the DESK OF THE HALL"]


def test_a_question_in_bold_introduces_what_answers_it() -> None:
    text = "It has a door.\n\n**Does it burn wood?**\nNo. See [Fuel](fuel.md) for more.\n\n__And gas?__\n\nYes.\n\n- **Is it hot?**\n- Yes"
    found = [(unit.text, unit.introduced) for unit in quoted_units(passage(text, "FAQ"))]
    wood, gas = "Does it burn wood?", "And gas?"
    assert found[:3] == [("It has a door.", ""), ("No. See Fuel for more.", wood), ("Yes.", gas)]
    assert texts_weighed(passage(text, "FAQ"))[1] == f"FAQ: {wood} No. See Fuel for more."


def test_code_and_steps_are_quoted_whole() -> None:
    found = quoted_units(passage("1. Open the door.\n2. Light the fire.\n\n```\nlight()\n```"))
    assert [(unit.text, unit.code) for unit in found] == [
        ("1. Open the door.\n2. Light the fire.", False),
        ("```\nlight()\n```", True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "See [the guide](guide.md).",
        "[Licence](https://example.org/l) [Build](https://example.org/b)",
        "```mermaid\ngraph LR\n```",
        "~~~ DOT\ndigraph {}\n~~~",
    ],
)
def test_what_points_elsewhere_or_draws_is_not_quoted(text: str) -> None:
    assert quoted_units(passage(text)) == ()


def test_links_inside_the_documents_are_quoted_as_their_text() -> None:
    text = "The [door](doors.md#size) of a kiln is described by [its maker](https://example.org/maker) in `[x](y)`."
    (unit,) = quoted_units(passage(text))
    assert unit.text.startswith("The door of a kiln is described by [its maker](https://example.org/maker)")
    assert not unit.pointer


@pytest.mark.parametrize("text", ["BSD - see [COPYING](COPYING).", "[COPYING](COPYING) — BSD"])
def test_what_a_dash_parts_from_a_link_says_something(text: str) -> None:
    (unit,) = quoted_units(passage(text))
    assert "BSD" in unit.text
    assert "](" not in unit.text


def test_an_entry_of_a_table_of_contents_is_a_pointer() -> None:
    found = quoted_units(passage("- [doors.md](./doors.md) - How doors are hung\n- Doors - they are heavy"))
    assert [(unit.text, unit.pointer) for unit in found] == [
        ("doors.md - How doors are hung", True),
        ("Doors - they are heavy", False),
    ]
    assert found[0].whole == "- doors.md - How doors are hung\n- Doors - they are heavy"


def test_the_subject_is_the_last_heading() -> None:
    assert subject_of(passage("", "Kilns > Firing > First firing")) == "First firing"
    assert subject_of(passage("")) == ""
    assert in_context("First firing", "It is slow.") == "First firing: It is slow."
    assert in_context("", "It is slow.") == "It is slow."


def test_the_texts_are_those_that_are_read_when_the_passage_is_shown() -> None:
    stored = passage(
        "The door\u200b weighs 3 kg [2]. ![a kiln](https://example.org/kiln.png) stands outside.", "Doors [1]"
    )
    assert texts_weighed(stored) == ["Doors (1): The door weighs 3 kg (2). a kiln stands outside."]


def test_a_long_passage_is_not_weighed_to_its_end() -> None:
    text = " ".join(f"Kiln number {n} is hot." for n in range(MOST_QUOTED + 5))
    assert len(texts_weighed(passage(text))) == MOST_QUOTED


@pytest.mark.parametrize(
    ("heading", "name"),
    [("Kilns > fire(heat, hours)", "fire"), ("`addVar`", "addVar"), ("First firing", "First firing"), ("", "")],
)
def test_the_own_name_of_a_section(heading: str, name: str) -> None:
    assert own_name(heading) == name


def test_steps_that_mostly_lead_away_are_a_pointer() -> None:
    away = "1. **Doors** - see [doors](#doors)\n2. Read [fuel](fuel.md)\n3. Wait"
    (unit,) = quoted_units(passage(away))
    assert unit.pointer
    assert not quoted_units(passage("1. Open the [door](#doors)\n2. Light it\n3. Wait"))[0].pointer


@pytest.mark.parametrize(
    ("heading", "named"), [("addVar(a, b)", True), ("LOAD", True), ("push", True), ("Loading", False)]
)
def test_a_name_is_one_word_that_begins_no_sentence(heading: str, named: bool) -> None:
    assert is_name(heading) is named


CODE = "```sh\nkiln {} --slowly\n```"


def section(heading: str, code: str = "", document: str = "kilns.md", text: str = "It tells how.") -> Passage:
    whole = f"{text}\n\n{CODE.format(code)}" if code else text
    return Passage(f"{document}#{heading}", document, "Kilns", heading, whole)


@pytest.mark.parametrize(
    ("thing", "other", "found"),
    [
        (section("fire"), section("fire", "fire"), True),
        (section("fire"), section("fire", "fire", "other.md"), True),
        (section("fire"), section("fire", ""), False),
        (section("fire"), section("cool", "cool"), False),
        (section("fire"), section("Lighting examples", "fire"), True),
        (section("fire"), section("Cooling examples", "cool"), False),
        (section("fire"), section("Safe firewood", "firewood"), False),
        (section(""), section("cool", "cool"), True),
        (section("Glazing"), section("Glazing > Colours", "glaze"), True),
        (section("Glazing a vase"), section("Vase: examples", "vase"), True),
        (section("Glazing a vase"), section("Vase: examples", "vase", "other.md"), False),
        (section("Glazing a vase"), section("Doors", "door"), False),
    ],
)
def test_an_example_is_of_the_same_thing(thing: Passage, other: Passage, found: bool) -> None:
    assert examples_of(thing, (other,)) == ((other,) if found else ())


def test_an_example_in_the_same_language_goes_before_one_in_another() -> None:
    spanish = section("fire", "barro", "hornos.md", "Enciende el horno y espera a que llegue a la temperatura.")
    english = section("fire", "clay", text="Lights the kiln and waits until it has reached the temperature.")
    bare = section("fire", text="El horno se enciende poco a poco, y la temperatura se lee en la puerta.")
    assert examples_of(bare, (english, spanish)) == (spanish,)
    assert examples_of(bare, (english,)) == (english,)


def test_a_question_in_plain_text_introduces_the_paragraph_below_it_and_is_no_statement() -> None:
    text = (
        "Who may row?\nMembers. Guests too.\n\nBoats are wooden.\n\nMay I swim?\n\nNo.\n\nWater is deep.\n\n"
        "What do I bring?\nTowel: a big one\nHat: a warm one\n\nLost an oar? Tell the boatman. He has others. Any more?\n\nGo home."
    )
    assert [(unit.text, unit.introduced) for unit in quoted_units(passage(text, "Rowing"))] == [
        ("Members.", "Who may row?"),
        ("Guests too.", "Who may row?"),
        ("Boats are wooden.", ""),
        ("No.", "May I swim?"),
        ("Water is deep.", ""),
        ("Towel: a big one", "What do I bring?"),
        ("Hat: a warm one", "What do I bring?"),
        ("Lost an oar? Tell the boatman.", ""),
        ("He has others.", ""),
        ("Go home.", ""),
    ]


def test_questions_that_are_items_or_steps_are_told() -> None:
    text = "Before you row:\n\n- Is the hull dry?\n- Are both oars there?\n\n1. Is it calm?\n2. Is it warm?"
    assert [unit.text for unit in quoted_units(passage(text, "Rowing"))] == [
        "Is the hull dry?",
        "Are both oars there?",
        "1. Is it calm?\n2. Is it warm?",
    ]


@pytest.mark.parametrize(
    ("heading", "is_one"),
    [
        ("DELETE /holds/{id}", True),
        ("/holds/{id}", True),
        ("tide plan --days N", True),
        ("tide plan <port>", True),
        ("tide show [port]", True),
        ("addVar(a, b)", False),
        ("Holds", False),
        ("Boats / Oars", False),
        ("and/or", False),
        ("boats and oars", False),
        ("PRICES /2024 and later", False),
        ("e-mail - how to", False),
        ("GET /" + "a" * 200, False),
    ],
)
def test_a_call_as_heading(heading: str, is_one: bool) -> None:
    assert is_call(heading) is is_one


def test_a_line_leads_in_a_paragraph_where_several_begin_so() -> None:
    leaks = "The hull leaks.\nBail it out. Then caulk the seam."
    jams = "The rudder jams.\nPull the pin. Grease it and\nput it back."
    plain = "A boat is wood.\nA raft is rope."  # one sentence a line
    found = quoted_units(passage(f"{leaks}\n\n{plain}\n\n{jams}", "Repairs"))
    assert [unit.text for unit in found if unit.leads] == ["The hull leaks.", "The rudder jams."]
    assert [unit.block for unit in found] == [1, 1, 1, 2, 2, 3, 3, 3]
    assert not any(unit.leads for unit in quoted_units(passage(f"{leaks}\n\n{plain}", "Repairs")))
