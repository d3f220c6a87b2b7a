"""A calculation as it is shown: the expression as it was read, so that a misreading can be seen, and its value."""

from __future__ import annotations

import re
from fractions import Fraction

from engine.planning.tools.calculator.arithmetic import shown
from engine.planning.tools.calculator.money import currencies_in
from engine.planning.tools.calculator.reading import compiled, rewritten
from engine.text.language import Language, language_of
from engine.text.numbers import in_language, numbers_in_language

#: Amounts of money: the sign as it was written, before or behind the number.
_MONEY = re.compile(r"(?P<before>US\$|[$€£¥])\s?[\d.]|\d\s?(?P<after>[$€£¥])")
_SIGNS = compiled(
    (r"^\(([^()]*)\)$", r"\1"),
    (r"\((\d+(?:\.\d+)?)/100\)\s*\*\s*", r"\1 % × "),
    (r"\s*\*\s*\((\d+(?:\.\d+)?)/100\)", r" × \1 %"),
    (r"\*\(1([-+])(\d+(?:\.\d+)?)/100\)", r" \1 \2 %"),
    (r"^percent\((.*)\)$", r"\1"),
    (r"\bsqrt\((\d+(?:\.\d+)?)\)", r"√\1"),
    (r"\bcbrt\((\d+(?:\.\d+)?)\)", r"∛\1"),
    (r"\bfactorial\((\d+)\)", r"\1!"),
    (r"\s*\*\*\s*", "^"),
    (r"\s*\*\s*", " × "),
    (r"(?<=[\d)!])\s*(//|[-+/])\s*", r" \1 "),
)
_SPANISH = {"mean": "media", "sum": "suma", "round": "redondeo", "abs": "valor absoluto"}


def written(expression: str, value: Fraction, asked: str) -> str:
    """`expression = value`, numbers as the language of the question writes them.

    Args:
        expression: As `expression_of` reads it.
        asked: The question; where it speaks of one kind of money, the value is an amount of it.
    """
    language = language_of(asked)
    said = rewritten(expression, _SIGNS)
    if language is Language.SPANISH:
        said = re.sub(r"\b(?:mean|sum|round|abs)\b", lambda match: _SPANISH[match[0]], said.replace(", ", "; "))
    else:
        said = said.replace(" %", "%")
    share = expression.startswith("percent(")
    before, after = ("", "") if share else _money(asked)
    if before or after:
        rounded = round(value, 2)
        about, digits = ("=" if rounded == value else "≈"), _in_cents(rounded)
    else:
        result = shown(value)
        about, digits = ("≈", result[2:]) if result.startswith("≈") else ("=", result)
    amount = f"{before}{in_language(digits, language)}{f' {after}' if after else ''}"
    if share:
        amount += " %" if language is Language.SPANISH else "%"
    return f"{numbers_in_language(said, language)} {about} {amount}"


def _in_cents(amount: Fraction) -> str:
    """A number of at most two decimals: whole, or with both."""
    whole, cents = divmod(abs(int(amount * 100)), 100)
    return f"{'-' if amount < 0 else ''}{whole}{f'.{cents:02d}' if cents else ''}"


def _money(asked: str) -> tuple[str, str]:
    """The sign before and the sign or the word behind amounts, where a question speaks of one kind of money."""
    money = {(found["before"] or "", found["after"] or "") for found in _MONEY.finditer(asked)}
    money |= {("", name) for name in currencies_in(asked)}
    return money.pop() if len(money) == 1 else ("", "")
