"""Which words are forms of one, in English and Spanish, and which only look so."""

from __future__ import annotations

import pytest

from engine.text.words import begins_alike, one_word


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("kayak", "kayaks"),
        ("berry", "berries"),
        ("opening", "opens"),
        ("delivery", "delivered"),
        ("reservation", "reservar"),
        ("cancelar", "cancelación"),
        ("abierto", "abiertos"),
        ("charge", "charges"),
        ("instalación", "instalar"),
    ],
)
def test_two_forms_are_one_word_in_either_order(one: str, other: str) -> None:
    assert one_word(one, other)
    assert one_word(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("boat", "boot"),
        ("cat", "category"),
        ("car", "card"),
        ("mesa", "mes"),
        ("pan", "panel"),
        ("12", "12th"),
        ("7a", "7"),
        ("plaza", "pala"),
        ("over", "oven"),
    ],
)
def test_two_words_are_two(one: str, other: str) -> None:
    assert not one_word(one, other)
    assert not one_word(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("hire", "hiring"), ("wrap", "wrapped"), ("rent", "rented"), ("swim", "swimming"), ("pagar", "pagas")],
)
def test_verbs_begin_alike_in_their_forms(one: str, other: str) -> None:
    assert begins_alike(one, other)
    assert begins_alike(other, one)


@pytest.mark.parametrize(("one", "other"), [("hire", "hide"), ("wrap", "wait"), ("go", "going"), ("plan", "plant")])
def test_other_words_do_not(one: str, other: str) -> None:
    assert not begins_alike(one, other)
    assert not begins_alike(other, one)
