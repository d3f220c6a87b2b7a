from __future__ import annotations

import pytest

from engine.text.language import SURE, Language, language_of, read_language, spoken

EN, ES = Language.ENGLISH, Language.SPANISH


@pytest.mark.parametrize(
    "text",
    [
        "¡Hola!",
        "año",
        "cómo uso el comando addVar",
        "en menos palabras",
        "cuántas llamadas llevo este mes?",
        "hasta pronto",
        "me alegro",
        "igualmente",
        "no entiendo",
        "explícame por favor para qué sirve the command",
    ],
)
def test_spanish(text: str) -> None:
    assert language_of(text) is ES


@pytest.mark.parametrize(
    "text",
    [
        "How do I use the addVar command?",
        "give me that as a list",
        "THE USAGE OF MY ACCOUNT",
        "shorter please",
        "see you soon",
        "explica what is the difference between addVar and getVar",
    ],
)
def test_english(text: str) -> None:
    assert language_of(text) is EN


@pytest.mark.parametrize("text", ["", "？？？？", "addVar(x, 1)", "請告訴我", "расскажи мне", "20 kg * 3"])
def test_what_the_engine_does_not_speak_is_answered_in_english(text: str) -> None:
    assert language_of(text) is EN


@pytest.mark.parametrize("text", ["PostgreSQL", "addVar", "no", "42", "🙂", "getVar vs addVar"])
def test_a_message_that_says_too_little_is_in_the_language_of_the_conversation(text: str) -> None:
    assert read_language(text).margin < SURE
    assert language_of(text, ["¿Qué hace addVar?", "What is a loop?"]) is ES
    assert language_of(text, ["What is a loop?", "¿Qué hace addVar?"]) is EN
    assert language_of(text, ["42", "¿Qué hace addVar?"]) is ES


def test_a_message_that_is_sure_changes_the_language() -> None:
    assert language_of("and how do I read a parameter?", ["¿Qué hace addVar?"]) is EN
    assert language_of("請告訴我", ["¿Qué hace addVar?"]) is EN


def test_what_was_decided_is_not_asked_again() -> None:
    assert spoken("es", "What is a loop?") is ES
    assert spoken("", "What is a loop?") is EN
