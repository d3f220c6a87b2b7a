from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.words import (
    COMMON,
    asks_for_a_number,
    asks_for_one_number,
    content,
    content_stems,
    folded,
    has_digit,
    is_common,
    letter_words,
    plain_words,
    stem,
    words,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What is the 401k limit?", ["401k", "limit"]),
        ("Does a US-based company file a 10-K?", ["US-based", "company", "file", "10-K"]),
        ("¿Qué es una canción pop?", ["canción", "pop"]),
        ("Tell me more about the first one.", []),
        ("addVar(x) and get_param", ["addVar", "get_param"]),
        ("the Arizona Cardinals' coach", ["Arizona", "Cardinals", "coach"]),
        ("C++ or C#?", ["C++", "C#"]),
        ("", []),
        ("？？？？", []),
    ],
)
def test_the_words_that_say_what_it_is_about(text: str, found: list[str]) -> None:
    assert list(content(text)) == found


def test_words_keep_how_they_are_written() -> None:
    assert words("Does Apple's FILE work?") == ["Does", "Apple's", "FILE", "work"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Cardinal", "cardinals"),
        ("country", "countries"),
        ("canción", "CANCION"),
        ("Patriot's", "patriot"),
        ("bus", "buses"),
        ("loan", "loans"),
        ("policy", "policies"),
    ],
)
def test_singular_and_plural_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("loan", "lone"), ("stock", "stack"), ("glass", "gas")])
def test_other_words_have_other_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_common_words_are_folded_themselves() -> None:
    assert {word for word in COMMON if folded(word) != word} <= {"it's", "he's", "she's", "that's", "what's", "who's",
                                                                "how's", "where's", "let's", "there's"}  # fmt: skip


@pytest.mark.parametrize("word", ["the", "THE", "qué", "it’s", "x", "Entonces"])
def test_what_every_message_is_made_of_is_common(word: str) -> None:
    assert is_common(word)


@given(st.text(max_size=200))
def test_any_text_has_words_that_stand_in_it(text: str) -> None:
    for word in words(text):
        assert word
        assert stem(word)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("How many eggs?", True),
        ("¿Cuánto pesa?", True),
        ("¿cuándo abre?", True),
        ("¿A qué hora abre?", True),
        ("what time does it open", True),
        ("how deep is the pond?", True),
        ("Why is it warm?", False),
        ("¿Cómo pesa la harina?", False),
    ],
)
def test_what_asks_for_a_number_or_a_time(question: str, *, asks: bool) -> None:
    assert asks_for_a_number(question) is asks


@pytest.mark.parametrize(
    ("question", "one"),
    [
        ("how deep is the pond?", True),
        ("and how deep is the pond?", True),
        ("how deep are the pond and the well?", False),
        ("¿cuánto cuestan el pan o la leche?", False),
        ("is the pond deep?", False),
    ],
)
def test_what_asks_for_one_number(question: str, *, one: bool) -> None:
    assert asks_for_one_number(question) is one


def test_the_stems_of_a_sentence_are_kept_and_those_of_a_long_text_are_not() -> None:
    sentence, long = "A kept sentence on bees.", "bees " * 100
    assert content_stems(sentence) is content_stems(sentence)
    assert content_stems(long) == content_stems("bees")
    assert content_stems(long) is not content_stems(long)


def test_the_stems_of_so_many_sentences_are_kept_and_no_more() -> None:
    first = content_stems("The first sentence on bees.")
    for number in range(2_048):
        content_stems(f"Sentence x{number} on bees.")
    assert content_stems("The first sentence on bees.") is not first


def test_plain_words_end_at_every_mark_and_letter_words_at_digits_too() -> None:
    text = "Aún 3A, node.js_v2"
    assert plain_words(text) == ["Aún", "3A", "node", "js", "v2"]
    assert letter_words(text) == ["Aún", "A", "node", "js", "v"]


@pytest.mark.parametrize(("text", "has"), [("room 7B", True), ("٣", True), ("x²", False), ("Ⅳ", False), ("", False)])
def test_what_has_a_digit(text: str, *, has: bool) -> None:
    assert has_digit(text) is has
