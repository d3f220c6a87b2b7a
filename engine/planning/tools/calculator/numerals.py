"""Numbers written in Chinese, and full-width forms, as digits.

Source:
    The place-value rules of Chinese numerals: a digit times ten, a hundred or a thousand, summed up to each ten
    thousand (萬) and hundred million (億). The tests hold it against the package cn2an, which is not used here: its
    import costs 0.3 s.
"""

from __future__ import annotations

import re
import unicodedata

_DIGITS = {
    c: n for n, group in enumerate(["零〇", "一", "二兩两", "三", "四", "五", "六", "七", "八", "九"]) for c in group
}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"萬": 10_000, "万": 10_000, "億": 100_000_000, "亿": 100_000_000}
_NUMERAL = re.compile(
    f"[負负]?[{''.join(_DIGITS)}{''.join(_TENS)}{''.join(_MYRIADS)}]+(?:[點点][{''.join(_DIGITS)}]+)?"
)


def normal(text: str) -> str:
    """`text` in compatibility form, with the minus and multiplication signs that people type as the ASCII ones."""
    return unicodedata.normalize("NFKC", text).translate(str.maketrans("−–×·÷", "--**/"))


def chinese_to_digits(text: str) -> str:
    """`text` with its Chinese numerals, such as 一百二十 or 三點五, in digits."""
    return _NUMERAL.sub(lambda match: _decimal(match[0]), text)


def _decimal(numeral: str) -> str:
    sign = "-" if numeral[0] in "負负" else ""
    whole, _, fraction = re.sub("[點点]", ".", numeral.lstrip("負负")).partition(".")
    digits = "".join(str(_DIGITS[c]) for c in fraction)
    return f"{sign}{_whole(whole)}{'.' if digits else ''}{digits}"


def _whole(numeral: str) -> int:
    if all(c in _DIGITS for c in numeral):  # read out digit by digit, as years are
        return int("".join(str(_DIGITS[c]) for c in numeral) or 0)
    total = section = digit = 0
    for c in numeral:
        if c in _DIGITS:
            digit = _DIGITS[c]
        elif c in _TENS:
            section += (digit or 1) * _TENS[c]
            digit = 0
        else:
            total = (
                (total + section + digit) * _MYRIADS[c] if _MYRIADS[c] > 10_000 else total + (section + digit) * 10_000
            )
            section = digit = 0
    return total + section + digit
