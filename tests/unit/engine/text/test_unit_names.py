from __future__ import annotations

import pint
import pytest

from engine.text.language import Language
from engine.text.unit_names import names, quantity_in, units

EN, ES = Language.ENGLISH, Language.SPANISH


def test_every_unit_is_known_to_the_unit_library() -> None:
    registry: pint.UnitRegistry[float] = pint.UnitRegistry()
    assert {name: registry.parse_units(expression).dimensionality for name, expression in units().items()}
    assert len(units()) >= 80


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("kilometers", "length-kilometer"),
        ("kilómetros", "length-kilometer"),
        ("公里", "length-kilometer"),
        ("lb", "mass-pound"),
        ("libras", "mass-pound"),
        ("ml", "volume-milliliter"),
        ("mb", "digital-megabyte"),
        ("km/h", "speed-kilometer-per-hour"),
        ("m2", "area-square-meter"),
        ("metros cuadrados", "area-square-meter"),
        ("degrees celsius", "temperature-celsius"),
        ("grados celsius", "temperature-celsius"),
    ],
)
def test_a_unit_has_its_names_in_each_language(name: str, identifier: str) -> None:
    assert names()[name] == identifier


@pytest.mark.parametrize(
    ("digits", "written", "language", "quantity"),
    [
        ("1", "1", EN, "1 pound"),
        ("3", "3", EN, "3 pounds"),
        ("1", "1", ES, "1 libra"),
        ("1250.5", "1.250,5", ES, "1.250,5 libras"),
    ],
)
def test_a_quantity_has_the_plural_of_its_language(
    digits: str, written: str, language: Language, quantity: str
) -> None:
    assert quantity_in(digits, written, "mass-pound", language) == quantity
