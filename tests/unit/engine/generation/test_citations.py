from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.domain import Evidence, Passage
from engine.generation.citations import CitationFilter, in_session_numbers


def shown(*numbers: int) -> tuple[Evidence, ...]:
    return tuple(Evidence(n, Passage(f"p{n}", "doc.md", "Title", "", f"Text {n}.")) for n in numbers)


def filtered(pieces: list[str], *numbers: int) -> tuple[str, tuple[int, ...]]:
    citations = CitationFilter(shown(*numbers))
    text = "".join([*(citations.feed(piece) for piece in pieces), citations.flush()])
    return text, citations.cited


@pytest.mark.parametrize(
    ("text", "expected", "cited"),
    [
        ("It adds [7]. It has a type [3].", "It adds [1]. It has a type [2].", (7, 3)),
        ("Again [7] and again [7].", "Again [1] and again [1].", (7,)),
        ("Both [3, 7].", "Both [1][2].", (3, 7)),
        ("Both [3][7].", "Both [1][2].", (3, 7)),
        ("Both [ 3 ; 7 ].", "Both [1][2].", (3, 7)),
        ("Twice [3, 3].", "Twice [1].", (3,)),
        ("Unknown [9].", "Unknown.", ()),
        ("Unknown  [9] and known [3].", "Unknown and known [1].", (3,)),
        ("Half [9, 3].", "Half [1].", (3,)),
        ("No mark [0].", "No mark [0].", ()),
        ("No mark [0, 3].", "No mark [0, 3].", ()),
        ("No mark [x] [] [ ] [1234567] [-3] [3", "No mark [x] [] [ ] [1234567] [-3] [3", ()),
        ("[3]", "[1]", (3,)),
        ("", "", ()),
    ],
)
def test_marks_are_renumbered_in_order_of_appearance_or_dropped(
    text: str, expected: str, cited: tuple[int, ...]
) -> None:
    assert filtered([text], 3, 7) == (expected, cited)


@pytest.mark.parametrize(
    "code",
    [
        "`items[3]`",
        "`[3]`",
        "```avap\nx = items[3]\ny[9]\n```",
        "````\n```\n[3]\n````",
        "```\n`[3]` [9]\n",
        "``````\n[3]",
    ],
)
def test_code_is_left_alone(code: str) -> None:
    assert filtered([f"Before [7]. {code}"], 3, 7) == (f"Before [1]. {code}", (7,))


def test_prose_after_code_is_prose_again() -> None:
    assert filtered(["`a[3]` then [3]\n```\nb[3]\n```\nand [7] [9]"], 3, 7) == (
        "`a[3]` then [1]\n```\nb[3]\n```\nand [2]",
        (3, 7),
    )


def test_a_lone_tick_does_not_hide_the_next_line() -> None:
    assert filtered(["a ` tick [3]\nnext [3]"], 3) == ("a ` tick [3]\nnext [1]", (3,))


def test_nothing_is_lost_when_only_dropped_marks_stand_between_code() -> None:
    assert filtered(["[9]`a` [9]`b` [9]`c` end"], 3) == ("`a``b``c` end", ())


def test_a_mark_cut_across_tokens_is_held_back_until_it_is_decided() -> None:
    citations = CitationFilter(shown(12))
    assert citations.feed("It adds [") == "It adds"
    assert citations.feed("1") == ""
    assert citations.feed("2") == ""
    assert citations.feed("]. ") == " [1]."
    assert citations.flush() == " "


def test_text_without_marks_goes_out_at_once() -> None:
    citations = CitationFilter(shown(1))
    assert citations.feed("array[x") == "array[x"
    assert citations.feed("plain") == "plain"


def test_a_bracket_is_not_held_back_for_ever() -> None:
    citations = CitationFilter(shown(1))
    assert citations.feed("[" + "1, " * 30) != ""


def test_the_citations_carry_the_readers_numbers() -> None:
    citations = CitationFilter(shown(3, 7))
    citations.feed("a [7] b [3] ")
    citations.flush()
    assert [(piece.number, piece.passage.id) for piece in citations.citations] == [(1, "p7"), (2, "p3")]
    assert citations.cited == (7, 3)


# Everything that means something to the filter, and a little that does not.
FRAGMENTS = st.sampled_from(
    ["[", "]", "[1]", "[2, 9]", "[9]", "[0]", "[3;1]", "1", "9", ",", ";", " ", "  ", "\n", "`", "``", "```", "a", ".", "🙂",
     "[" + "1, " * 14 + "1]"]
)  # fmt: skip
TEXTS = st.lists(FRAGMENTS, max_size=14).map("".join)


@given(TEXTS, st.data())
@example("[9]`x` [9]`y` b", None)
@example("``````[1]", None)
@example("[" + "1, " * 20 + "1]", None)
def test_the_result_does_not_depend_on_how_the_text_is_cut(text: str, data: st.DataObject | None) -> None:
    whole = filtered([text], 1, 2, 3)
    assert filtered(list(text), 1, 2, 3) == whole
    if data is not None and text:
        cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
        pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        assert filtered(pieces, 1, 2, 3) == whole


@given(TEXTS)
def test_only_marks_and_the_blanks_before_them_are_ever_dropped(text: str) -> None:
    written, _ = filtered([text], 1, 2, 3)
    assert re.sub(r"[\[\]\d,;\s]", "", written) == re.sub(r"[\[\]\d,;\s]", "", text)


# Marks that do not touch: no dropped one makes its neighbours into a new one.
SENTENCES = st.lists(
    st.tuples(
        st.sampled_from(["It adds", "See `items[1]`", "Or [0]", "🙂", "```\nx[2]\n```\n"]),
        st.lists(st.integers(1, 12), min_size=1, max_size=3),
    ),
    max_size=6,
)


@given(SENTENCES)
def test_the_sessions_numbers_come_back(sentences: list[tuple[str, list[int]]]) -> None:
    text = " ".join(f"{words} {''.join(f'[{n}]' for n in numbers)}." for words, numbers in sentences)
    known = range(1, 9)
    answer, cited = filtered([text], *known)
    kept = " ".join(f"{words}{''.join(f'[{n}]' for n in numbers if n in known)}." for words, numbers in sentences)
    assert in_session_numbers(answer, cited).replace(" ", "") == kept.replace(" ", "")


def test_numbers_come_back_only_outside_code() -> None:
    assert in_session_numbers("a [1] `x[1]` [2] [0]", (12, 4)) == "a [12] `x[1]` [4] [0]"


def test_a_mark_that_no_longer_names_anything_goes() -> None:
    assert in_session_numbers("a [1] b [2].", (12,)) == "a [12] b."


# What a page would fetch.

MARKUP_PIECES = ["!", "![", "[1]", "](http://e.com)", "](", ")", "]", "[r]", "<img", " src=x>", "<im", "g", "<"]
MARKUP = st.lists(st.sampled_from([*MARKUP_PIECES, "`", "```", "a", " ", "x" * 300]), max_size=12).map("".join)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See ![a map](https://e.com/x.png?q=1) [1].", "See a map [1]."),
        ("![a][r] <img src=x>", "a &lt;img src=x>"),
        ("`![a](b)` <b>x</b> Wow!", "`![a](b)` <b>x</b> Wow!"),
        ("![" + "x" * 400 + "](http://e.com)", "[" + "x" * 400 + "](http://e.com)"),
    ],
)
def test_images_are_not_passed_on(text: str, shown: str) -> None:
    assert filtered([text], 1)[0] == shown
    assert filtered(list(text), 1)[0] == shown


@given(MARKUP, st.data())
def test_images_are_found_however_the_text_is_cut(text: str, data: st.DataObject) -> None:
    whole = filtered([text], 1)
    assert filtered(list(text), 1) == whole
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    assert filtered([text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)], 1) == whole
