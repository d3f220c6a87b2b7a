"""Names of rows within a question."""

from __future__ import annotations

import pytest

from engine.generation.extractive.account_figures.candidates.row_names import (
    apart,
    asked_of_another,
    bare,
    in_part,
    place_of,
    translated,
)

FUNDS = {name: bare(name) for name in ("North Fund", "South Fund", "Mixed Fund")}


@pytest.mark.parametrize(
    ("whole", "text", "found"),
    [
        (["North Fund"], " the north fund and the mixed ", ["Mixed Fund"]),
        (["North Fund"], " the north fund and the fund ", []),  # what all are called names none
        (["North Fund", "South Fund"], " north fund or south fund ", []),
    ],
)
def test_names_are_said_in_part_by_what_tells_them_apart(whole: list[str], text: str, found: list[str]) -> None:
    assert in_part(FUNDS, whole, text) == found


@pytest.mark.parametrize(("text", "said"), [(" the new port ", True), (" the new port road ", False)])
def test_a_name_within_a_longer_one_is_not_said(text: str, said: bool) -> None:
    assert apart("new port", text, ["new port road"]) is said


def test_a_name_stands_where_it_is_said_whole_or_where_its_first_word_is() -> None:
    text = "more in 2031 than in 2030"
    assert place_of("in 2030", text) > place_of("in 2031", text)
    assert place_of("More than that", text) == 0
    assert place_of("elsewhere", text) == len(text)


@pytest.mark.parametrize(
    ("name", "other"),
    [("Portuguese", "portugués"), ("italiano", "Italian"), ("Germany", "Alemania"), ("Suecia", "Sweden")],
)
def test_languages_and_countries_have_names_in_both_languages(name: str, other: str) -> None:
    assert other in translated(name)


@pytest.mark.parametrize(
    ("code", "names"), [("PT", ("Portugal", "Portugal")), ("SE", ("Sweden", "Suecia")), ("QQ", ())]
)
def test_a_country_has_them_by_its_code(code: str, names: tuple[str, ...]) -> None:
    assert translated(code) == names


def test_other_names_have_none() -> None:
    assert translated("Warehouse") == ()


SHELVES = ("12 cm shelf", "20 cm shelf", "Oak bench", "Pine bench")


@pytest.mark.parametrize(
    ("name", "earlier", "asked"),
    [
        ("oak", "how much is the pine bench?", "how much is the Oak bench ?"),
        ("20 cm", "price of the 12 cm shelf", "price of the 20 cm shelf"),
        ("pine bench", "how much is the oak one?", "how much is the Pine bench one?"),
        ("diciembre", "¿cuántas ventas hubo en julio?", "¿cuántas ventas hubo en diciembre?"),
        ("june", "sales in May", ""),
        ("june", "sales in April", "sales in june"),
        ("bench", "how much is the 12 cm shelf?", ""),
        ("oak", "how much are they?", ""),
        ("oak", "and pine?", ""),
        ("oak", "how much is the oak bench?", ""),
        ("larch", "how much is the oak bench?", ""),
        ("", "how much is the oak bench?", ""),
    ],
)
def test_a_question_of_one_row_is_asked_of_another(name: str, earlier: str, asked: str) -> None:
    assert asked_of_another(name, earlier, SHELVES) == asked
