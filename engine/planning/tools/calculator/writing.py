"""A calculation as it is shown: the expression as it was read, so that a misreading can be seen, and its value."""

from __future__ import annotations

import re
from fractions import Fraction

from engine.planning.tools.calculator.arithmetic import shown
from engine.text.language import Language, language_of
from engine.text.numbers import in_language, numbers_in_language

#: Amounts of money: the sign or the word as it was written, before or behind the number.
_MONEY = re.compile(r"(?P<before>US\$|[$€£¥])\s?[\d.]|\d\s?(?P<after>[$€£¥]|euros?\b|EUR\b|USD\b)", re.IGNORECASE)
_SIGNS = (
    (re.compile(r"\((\d+(?:\.\d+)?)/100\)\s*\*\s*"), r"\1 % × "),
    (re.compile(r"\s*\*\s*\((\d+(?:\.\d+)?)/100\)"), r" × \1 %"),
    (re.compile(r"\*\(1([-+])(\d+(?:\.\d+)?)/100\)"), r" \1 \2 %"),
    (re.compile(r"^percent\((.*)\)$"), r"\1"),
    (re.compile(r"\bsqrt\((\d+(?:\.\d+)?)\)"), r"√\1"),
    (re.compile(r"\bcbrt\((\d+(?:\.\d+)?)\)"), r"∛\1"),
    (re.compile(r"\bfactorial\((\d+)\)"), r"\1!"),
    (re.compile(r"\s*\*\*\s*"), "^"),
    (re.compile(r"\s*\*\s*"), " × "),
    (re.compile(r"(?<=[\d)!])\s*(//|[-+/])\s*"), r" \1 "),
)
_SPANISH = {"mean": "media", "sum": "suma", "round": "redondeo", "abs": "valor absoluto"}


def written(expression: str, value: Fraction, asked: str) -> str:
    """`expression = value`, numbers as the language of the question writes them.

    Args:
        expression: As `expression_of` reads it.
        asked: The question; where it speaks of one kind of money, the value is an amount of it.
    """
    language = language_of(asked)
    said = re.sub(r"^\(([^()]*)\)$", r"\1", expression)
    for sign, replacement in _SIGNS:
        said = sign.sub(replacement, said)
    if language is Language.SPANISH:
        said = re.sub(r"\b(?:mean|sum|round|abs)\b", lambda match: _SPANISH[match[0]], said.replace(", ", "; "))
    else:
        said = said.replace(" %", "%")
    result = shown(value)
    about, digits = ("≈", result[2:]) if result.startswith("≈") else ("=", result)
    amount = _unit(in_language(digits, language), expression, asked, language)
    return f"{numbers_in_language(said, language)} {about} {amount}"


def _unit(number: str, expression: str, asked: str, language: Language) -> str:
    """The result as a percentage or as an amount of money, where it is one."""
    if expression.startswith("percent("):
        return f"{number}{' %' if language is Language.SPANISH else '%'}"
    money = {(found["before"] or "", found["after"] or "") for found in _MONEY.finditer(asked)}
    if len(money) != 1:
        return number
    before, after = money.pop()
    return f"{before}{number}" if before else f"{number} {after}"
