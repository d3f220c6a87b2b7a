from __future__ import annotations

import pytest

from engine.text.language import Language, language_of


@pytest.mark.parametrize(
    "text",
    [
        "¿addVar?",
        "¡Hola!",
        "año",
        "cómo uso el comando addVar",
        "en menos palabras",
        "cuántas llamadas llevo este mes?",
    ],
)
def test_spanish(text: str) -> None:
    assert language_of(text) is Language.SPANISH


@pytest.mark.parametrize(
    "text", ["How do I use the addVar command?", "give me that as a list", "THE USAGE OF MY ACCOUNT", "shorter please"]
)
def test_english(text: str) -> None:
    assert language_of(text) is Language.ENGLISH


@pytest.mark.parametrize("text", ["", ".", "？？？？", "addVar(x, 1)", "1024", "🙂", "請告訴我", "\x00\ud800"])
def test_nothing_that_speaks_for_spanish_is_english(text: str) -> None:
    assert language_of(text) is Language.ENGLISH


def test_an_accent_breaks_a_tie() -> None:
    assert language_of("camión") is Language.SPANISH
    assert language_of("the camión de") is Language.SPANISH  # one word each


def test_the_majority_of_common_words_decides() -> None:
    assert language_of("explica what is the difference between addVar and getVar") is Language.ENGLISH
    assert language_of("explícame por favor para qué sirve the command") is Language.SPANISH


def test_identifiers_are_cut_at_digits_and_underscores() -> None:
    assert language_of("the_el_la") is Language.SPANISH
    assert language_of("el1the2is") is Language.ENGLISH


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert language_of("the " * 500 + "el la los " * 5000) is Language.ENGLISH
