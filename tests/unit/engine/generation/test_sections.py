from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from classifier.decision import QueryType
from engine.domain import Evidence, Exchange, Passage
from engine.generation.messages import build_final_messages
from engine.generation.port import Prompt
from engine.generation.sections import NAMES, EchoFilter, section

QUESTION = "How is a list sorted?"
PROMPT = "\n\n".join(
    [section("evidence", "[1] Lists\nsortList sorts a list."), section("conversation", "User: hi"), section("question", QUESTION)]
)  # fmt: skip
ANY_MARK = re.compile(rf"[<＜]\s*/?\s*(?:{'|'.join(NAMES)})\b\s*[>＞]?", re.IGNORECASE)


def filtered(pieces: Sequence[str], prompt: str = PROMPT, *, coding: bool = False) -> str:
    echo = EchoFilter(prompt, coding=coding)
    return "".join([*(echo.feed(piece) for piece in pieces), echo.flush()])


def in_pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use sortList [1].", "Use sortList [1]."),
        ("Use sortList [1].\n\n</conversation> <question>\nAnd a map?\n</question>", "Use sortList [1]."),
        ("Use sortList.\n</question>\n\nIt keeps equals in order.", "Use sortList.\n\nIt keeps equals in order."),
        ("</evidence>\n\n<question>\nHow?\n</question>\nUse sortList.", "Use sortList."),
        ("<question>How?</question> <conversation>User: hi</conversation> Use it.", "Use it."),
        ("Use it. <evidence>\n[1] Lists\nsortList sorts", "Use it."),
        ("It sorts < / Conversation > in place", "It sorts in place"),
        ("It sorts.\n</ question\n>", "It sorts."),
        ("It sorts.＜/question＞", "It sorts."),
        ('<question lang="en">How?</question>It sorts.', "It sorts."),
        ("It sorts. </previous_answer It ends", "It sorts. It ends"),
        ("It sorts. <quest", "It sorts."),
        ("It sorts. </conv", "It sorts."),
        ("", ""),
    ],
)
def test_neither_marks_nor_what_they_hold_reach_the_reader(text: str, expected: str) -> None:
    for size in range(1, len(text) + 1):
        assert filtered(in_pieces(text, size)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a < b and b > c",
        "if count < user then",
        "<questionnaire> stays, and so does <user-name>",
        "A list of <b>bold</b> words  with two blanks \n\n and an end <",
        "map<string, user>",
        "\n  indented\n",
    ],
)
def test_what_is_no_mark_stays_to_the_letter(text: str) -> None:
    for size in (1, 2, 3, len(text)):
        assert filtered(in_pieces(text, size)) == text


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["<{}>", "</{}>", "< {} >", "</ {}>", "<{} >", "<{}", "< / {} >", "<\n{}\n>"])
def test_every_section_of_our_prompts_is_known_in_every_spacing(name: str, form: str) -> None:
    text = f"It sorts.\n{form.format(name)}\n"
    assert all(filtered(in_pieces(text, size)) == "It sorts." for size in range(1, len(text) + 1))


FRAGMENTS = ["Use it [1].", " ", "\n\n", "<", ">", "</", "a < b", "```", "<q", "it", "question", QUESTION]
MARKS = [form.format(name) for name in NAMES for form in ("<{}>", "</{}>", "< /{} >", "<{}")]


@given(st.lists(st.sampled_from(FRAGMENTS + MARKS), max_size=14).map("".join), st.lists(st.integers(1, 9), min_size=1))
@example("<question>" * 3, [1])
@example("a </ question", [3])
def test_no_mark_is_left_wherever_the_text_is_cut(text: str, sizes: list[int]) -> None:
    pieces: list[str] = []
    at = 0
    while at < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[at : at + size])
        at += size
    shown = filtered(pieces)
    assert shown == filtered([text])
    whole = [mark for mark in ANY_MARK.findall(shown) if mark.rstrip().endswith((">", "＞"))]
    assert not whole


def test_text_that_is_no_mark_is_not_held_back() -> None:
    echo = EchoFilter(PROMPT)
    assert echo.feed("Use") == "Use"
    assert echo.feed(" sortList") == " sortList"
    assert echo.feed(" <") == ""
    assert echo.feed("b>") == " <b>"


def test_an_answer_that_is_wrapped_in_a_section_is_shown_unless_it_is_a_copy() -> None:
    assert filtered(["<question> Use sortList."]) == "Use sortList."
    assert filtered(["<question>\nHow is  a list sorted?"]) == ""
    assert filtered(["Here. <question> Use sortList."]) == "Here."


def test_a_section_that_the_prompt_does_not_have_loses_its_marks_alone() -> None:
    assert filtered(["It is <platform_data>40</platform_data> calls."]) == "It is 40 calls."


def test_elements_that_the_question_names_are_left_alone() -> None:
    prompt = section("question", "What does <user> hold in <Question> files?")
    text = "A <user> holds a name </question> here. <evidence>x"
    assert filtered(in_pieces(text, 4), prompt) == "A <user> holds a name </question> here. x"


def test_code_that_was_asked_for_keeps_common_names_and_prose_does_not() -> None:
    code = "```xml\n<question>\n  <user>ana</user>\n</question>\n```"
    text = f"Here:\n\n{code}\n\n</question> Done. <evidence>\n[1]"
    for size in (1, 5, len(text)):
        assert filtered(in_pieces(text, size), coding=True) == f"Here:\n\n{code}\n\nDone."
    assert "<question>" not in filtered([text])


def test_names_that_are_only_ours_go_from_code_too() -> None:
    assert filtered(["```\n<evidence>\n</evidence>\nx = 1\n```"], coding=True) == "```\n\nx = 1\n```"


def test_a_fence_in_a_dropped_section_does_not_count() -> None:
    text = "Done. <evidence>\n```\nx\n</evidence>\nMore.\n<question>"
    assert filtered(in_pieces(text, 3), coding=True) == "Done.\n\nMore."


def test_the_sections_of_a_prompt_as_it_is_built_are_known() -> None:
    prompt = Prompt(
        QueryType.RETRIEVAL,
        QUESTION,
        evidence=(Evidence(1, Passage("p", "d.md", "Lists", "", "sortList sorts a list.")),),
        history=(Exchange("hi", "hello"),),
    )
    built = build_final_messages(prompt, history_turns=3, history_answer_chars=500, budget_tokens=4000)
    assert filtered(in_pieces(f"It sorts.\n\n{built.given}", 7), built.given) == "It sorts."
    assert filtered(in_pieces(built.given, 7), built.given) == ""


@pytest.mark.parametrize("content", ["", "  \n"])
def test_an_empty_section_is_left_out(content: str) -> None:
    assert section("question", content) == ""
