from __future__ import annotations

from fractions import Fraction

import pytest

from engine.planning.tools.calculator.arithmetic import calculate
from engine.planning.tools.calculator.reading import expression_of, framed_in, unpolite
from engine.planning.tools.calculator.writing import written


def said(question: str) -> str:
    expression = expression_of(question)
    assert expression is not None, question
    return written(expression, calculate(expression), question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is 15% of 1,200?", "15% × 1200 = 180"),
        ("¿cuánto es el 15% de 1.200?", "15 % × 1200 = 180"),
        ("2^8", "2^8 = 256"),
        ("square root of 81", "√81 = 9"),
        ("cube root of 27", "∛27 = 3"),
        ("6!", "6! = 720"),
        ("add 3 and 4", "3 + 4 = 7"),
        ("mean of 2, 4 and 9", "mean(2, 4, 9) = 5"),
        ("la media de 2, 4 y 9", "media(2; 4; 9) = 5"),
        ("what percent of 50 is 5", "5 / 50 = 10%"),
        ("¿qué porcentaje de 50 es 5?", "5 / 50 = 10 %"),
        ("10% off $60", "60 - 10% = $54"),
        ("50 € más 21%", "50 + 21 % = 60,50 €"),
        ("$5 + €5", "5 + 5 = 10"),
        ("10/3", "10 / 3 ≈ 3.33333333333"),
    ],
)
def test_the_expression_is_shown_as_it_was_read_with_its_value(question: str, answer: str) -> None:
    assert said(question) == answer


def test_a_value_without_an_end_is_rounded() -> None:
    assert written("1/7", Fraction(1, 7), "1/7") == "1 / 7 ≈ 0.142857142857"


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("please 3 + 4", "3 + 4"),
        ("hola, 3 + 4 por favor", "3 + 4"),
        ("3 + 4 thanks!", "3 + 4"),
        ("3 + 4", "3 + 4"),
    ],
)
def test_courtesies_are_no_part_of_a_calculation(text: str, bare: str) -> None:
    assert unpolite(text) == bare


@pytest.mark.parametrize(
    ("text", "framed"),
    [("what is 3 + 4?", "3 + 4"), ("calcula 3 + 4 =", "3 + 4"), ("the result of 3 + 4", "3 + 4"), ("5!", "5!")],
)
def test_what_stands_around_a_calculation_is_taken_away(text: str, framed: str) -> None:
    assert framed_in(text) == framed


@pytest.mark.parametrize(
    "text", ["average of the response times", "la media de los tiempos", "20% off everything", "add 3 and a header"]
)
def test_words_that_are_left_make_it_no_calculation(text: str) -> None:
    assert expression_of(text) is None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("half of 25 euros", "(1 / 2) × 25 = 12.50 euros"),
        ("20% of $3", "20% × 3 = $0.60"),
        ("20 % de 3 dólares", "20 % × 3 = 0,60 dólares"),
        ("20% of 3", "20% × 3 = 0.6"),
        ("30 pesos + 12 pesos", "30 + 12 = 42 pesos"),
        ("30 pesos + 12 euros", "30 + 12 = 42"),
        ("£10 / 3", "10 / 3 ≈ £3.33"),
        ("£1000000 / 7", "1,000,000 / 7 ≈ £142,857.14"),
        ("10 is what percent of €40", "10 / 40 = 25%"),
        ("$3 - $3.05", "3 - 3.05 = $-0.05"),
        ("$5 - $8", "5 - 8 = $-3"),
        ("3 EUR * 0,5", "3 × 0.5 = 1.50 EUR"),
        ("¿cuánto son 3 EUR por 0,5?", "3 × 0,5 = 1,50 EUR"),
        ("¿cuánto son 7 euros entre 3?", "7 / 3 ≈ 2,33 euros"),
        ("$10000000000000001 * 1.5", "10,000,000,000,000,001 × 1.5 = $15,000,000,000,000,001.50"),
    ],
)
def test_cents_have_two_digits_and_money_is_called_as_it_was(question: str, answer: str) -> None:
    assert said(question) == answer
