from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text.language import Language
from engine.text.numbers import (
    exact_digits,
    in_digits,
    in_language,
    numbers_in_language,
    plain_numbers,
    rounded_digits,
    shown_number,
    shown_percent,
    written_as,
)

EN, ES = Language.ENGLISH, Language.SPANISH


@pytest.mark.parametrize(
    ("text", "language", "plain"),
    [
        ("1.250,50", ES, "1250.50"),
        ("1,250.50", ES, "1250.50"),
        ("1.250,50", EN, "1250.50"),
        ("1.250", ES, "1250"),
        ("1.250", EN, "1.250"),
        ("1,250", EN, "1250"),
        ("1,125", ES, "1.125"),
        ("1,200", ES, "1200"),
        ("0,125", ES, "0.125"),
        ("0,125", EN, "0.125"),
        ("3,5", EN, "3.5"),
        ("1.000.000", EN, "1000000"),
        ("1,000,000.5", EN, "1000000.5"),
        ("12 500", EN, "12500"),
        ("1 250,75", ES, "1250.75"),
        ("2.5 and 1,250", ES, "2.5 and 1250"),
        ("1.5 GB and 2.000 MB", ES, "1.5 GB and 2.000 MB"),
        ("version 1.2.3", EN, "version 1.2.3"),
        ("2026-12-25", EN, "2026-12-25"),
        ("7", ES, "7"),
        ("no number", EN, "no number"),
    ],
)
def test_numbers_are_read_by_the_signs_they_prove(text: str, language: Language, plain: str) -> None:
    assert plain_numbers(text, language) == plain


@pytest.mark.parametrize(
    ("digits", "language", "written"),
    [
        ("1250.5", EN, "1250.5"),
        ("1250.5", ES, "1250,5"),
        ("1000", ES, "1000"),
        ("-1234567.25", ES, "-1.234.567,25"),
        ("-0.5", EN, "-0.5"),
        ("999", EN, "999"),
        ("1.5E+80", ES, "1,5E+80"),
    ],
)
def test_numbers_are_written_as_the_language_has_them(digits: str, language: Language, written: str) -> None:
    assert in_language(digits, language) == written


@pytest.mark.parametrize(
    ("text", "language", "digits"),
    [
        ("for my nine year old", Language.ENGLISH, "for my 9 year old"),
        ("una niña de once años", Language.SPANISH, "una niña de 11 años"),
        ("once a week", Language.ENGLISH, "once a week"),
        ("the second one", Language.ENGLISH, "the second one"),
        ("\ud800 of nine", Language.ENGLISH, "? of 9"),
    ],
)
def test_numbers_in_words_are_written_in_digits(text: str, language: Language, digits: str) -> None:
    assert in_digits(text, language, 3) == digits


def test_all_numbers_of_a_text_are_written_alike() -> None:
    assert numbers_in_language("1250 of 20000.5", ES) == "1250 of 20.000,5"


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [
        (Fraction(1, 3), 2, "0.33"),
        (Fraction(-2, 3), 2, "-0.67"),
        (Fraction(5, 2), 0, "3"),
        (Fraction(1, 2), None, "0.5"),
        (Fraction(1, 3), None, "0.333333333333"),
        (Fraction(20), 2, "20"),
    ],
)
def test_a_value_is_rounded_half_up_where_that_is_asked(value: Fraction, places: int | None, shown: str) -> None:
    assert shown_number(value, EN, places) == shown


def test_a_percentage_has_a_space_in_spanish_only() -> None:
    assert (shown_percent(Fraction(41, 2), EN), shown_percent(Fraction(41, 2), ES)) == ("20.5%", "20,5 %")


def test_digits_that_do_not_end_are_none_and_are_rounded() -> None:
    assert exact_digits(Fraction(1, 7)) is None
    assert rounded_digits(Fraction(1, 7), 3) == "0.143"


@settings(deadline=None)
@given(st.integers(-(10**12), 10**12), st.integers(0, 4), st.sampled_from([EN, ES]))
def test_what_is_written_with_its_signs_is_read_again(whole: int, places: int, language: Language) -> None:
    value = Fraction(abs(whole), 10**places) + 10_000  # five digits and more leave no doubt which sign groups
    read = plain_numbers(shown_number(value, language), language)
    if len(shown_number(value, language).replace(".", ",").split(",")) != 2:
        assert Fraction(read) == value


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("3,140 sold and 2,655 left", Language.ENGLISH),
        ("1.250,50 of 20", Language.SPANISH),
        ("0.5 of it", Language.ENGLISH),
        ("2.000 contratados, $1,890.00 pagados", None),
        ("1,234 of 20", None),
        ("12 of 20", None),
    ],
)
def test_the_language_that_the_numbers_of_a_text_prove(text: str, language: Language | None) -> None:
    assert written_as(text) is language
