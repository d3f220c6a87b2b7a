from __future__ import annotations

import pytest

from engine.text.formats import items, sentences_asked


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- one\n- two", ["one", "two"]),
        ("Steps:\n1. one\n2) two\n", ["one", "two"]),
        ("  * one [1].\n• two", ["one [1].", "two"]),
        ("| # | |\n| --- | --- |\n| 1 | one |\n| 2 | two |", ["one", "two"]),
        ("Kettle: 1. one\n2. two", ["one", "two"]),
        ("The result is: 1. No list.", []),
        ("One. Two.", []),
        ("-1 is a number", []),
        ("", []),
    ],
)
def test_the_items_of_a_list(text: str, found: list[str]) -> None:
    assert items(text) == found


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("in exactly 4 sentences", 4),
        ("en dos frases", 2),
        ("one short sentence", 1),
        ("Tres oraciones, por favor", 3),
        ("briefly", 0),
        ("the sentences", 0),
    ],
)
def test_how_many_sentences_are_asked_for(text: str, count: int) -> None:
    assert sentences_asked(text) == count
