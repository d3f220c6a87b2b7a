from __future__ import annotations

import pytest

from engine.planning.tools.calculator.money import currencies_in, without_currencies
from engine.planning.tools.calculator.tool import arithmetic


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("40 euros + 3 EUR", "40 + 3"),
        ("25 dólares por 3", "25 por 3"),
        ("900 pesos - 12 %", "900 - 12 %"),
        ("7 soles", "7"),
        ("6 pounds", "6 pounds"),  # a weight as well
        ("6 euroscopes", "6 euroscopes"),
        ("euros", "euros"),
        ("4 metros", "4 metros"),
    ],
)
def test_names_of_money_go_from_behind_numbers(text: str, without: str) -> None:
    assert without_currencies(text) == without


def test_the_names_are_told_as_they_are_written() -> None:
    assert currencies_in("40 euros + 3 EUR and 2 apples") == {"euros", "EUR"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("17% of 300 dollars", "17% × 300 = 51 dollars"),
        ("¿cuánto son 12 euros más 7,5 euros?", "12 + 7,5 = 19,50 euros"),
        ("reparte 75 euros entre 6", "75 / 6 = 12,50 euros"),
        ("split a bill of $62.40 between 3 people", "62.40 / 3 = $20.80"),
        ("120.40 split 5 ways", "120.40 / 5 = 24.08"),
        ("4.2k minus 700", "4.2 × 1000 - 700 = 3500"),
        ("7 dozen", "7 × 12 = 84"),
    ],
)
def test_money_is_shared_and_added(question: str, answer: str) -> None:
    assert arithmetic(question) == answer
