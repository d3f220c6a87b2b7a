from __future__ import annotations

import pytest

from engine.text.formats import Form, form_of, items


@pytest.mark.parametrize(
    ("message", "form"),
    [
        ("Give me that as a list", Form.LIST),
        ("as bullet points please", Form.LIST),
        ("ponlo en una lista", Form.LIST),
        ("in a table", Form.TABLE),
        ("ponlo en una tabla", Form.TABLE),
        ("en menos palabras", Form.SHORTER),
        ("shorter", Form.SHORTER),
        ("resúmelo", Form.SHORTER),
        ("tl;dr", Form.SHORTER),
        ("make it longer", Form.LONGER),
        ("más detallado", Form.LONGER),
        ("hazlo más largo", Form.LONGER),
        ("translate it into French", Form.TRANSLATED),
        ("tradúcelo al inglés", Form.TRANSLATED),
        ("en español", Form.TRANSLATED),
        ("repeat that", Form.REPEATED),
        ("otra vez", Form.REPEATED),
        ("a shorter list", Form.LIST),
        ("explain it like a pirate", None),
        ("thanks", None),
        ("", None),
    ],
)
def test_the_form_that_a_message_asks_for(message: str, form: Form | None) -> None:
    assert form_of(message) is form


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- one\n- two", ["one", "two"]),
        ("Steps:\n1. one\n2) two\n", ["one", "two"]),
        ("  * one [1].\n• two", ["one [1].", "two"]),
        ("| # | |\n| --- | --- |\n| 1 | one |\n| 2 | two |", ["one", "two"]),
        ("One. Two.", []),
        ("-1 is a number", []),
        ("", []),
    ],
)
def test_the_items_of_a_list(text: str, found: list[str]) -> None:
    assert items(text) == found
