from __future__ import annotations

import cn2an
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.planning.tools.calculator.numerals import chinese_to_digits, normal


@pytest.mark.parametrize(
    ("numeral", "digits"),
    [
        ("零", "0"),
        ("七", "7"),
        ("十", "10"),
        ("十二", "12"),
        ("二十", "20"),
        ("一百零五", "105"),
        ("一百二十三", "123"),
        ("兩千", "2000"),
        ("两千零五", "2005"),
        ("一萬二千", "12000"),
        ("三万五千", "35000"),
        ("十萬", "100000"),
        ("一億二千萬", "120000000"),
        ("十萬億", "10000000000000"),
        ("二〇二六", "2026"),
        ("三點五", "3.5"),
        ("二十点零五", "20.05"),
        ("負三", "-3"),
        ("负十二", "-12"),
    ],
)
def test_a_chinese_numeral_is_read(numeral: str, digits: str) -> None:
    assert chinese_to_digits(numeral) == digits


def test_numerals_are_read_where_they_stand() -> None:
    assert chinese_to_digits("十二乘以七等於多少") == "12乘以7等於多少"
    assert chinese_to_digits("no numeral here, 12 neither") == "no numeral here, 12 neither"


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=10**12))
def test_it_agrees_with_cn2an(number: int) -> None:
    assert chinese_to_digits(cn2an.an2cn(number)) == str(number)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_text_breaks_it(text: str) -> None:
    chinese_to_digits(normal(text))


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("１２３", "123"),
        ("３ × ４", "3 * 4"),
        ("8 ÷ 2", "8 / 2"),
        ("5 − 3", "5 - 3"),
        ("5 – 3", "5 - 3"),
        ("？", "?"),
        ("（1＋2）", "(1+2)"),
        ("½", "1⁄2"),
    ],
)
def test_other_forms_of_signs_and_digits_become_the_usual_ones(typed: str, plain: str) -> None:
    assert normal(typed) == plain
