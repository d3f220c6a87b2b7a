"""Numbers as people write them: which sign is the decimal point, and how a value is written in a language.

Source:
    The decimal and grouping signs of a language are those of CLDR, as babel reads it: 1,250.5 in English and 1.250,5 in
    Spanish. Four digits are not grouped, as CLDR has it for Spanish and many style guides for English.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal
from fractions import Fraction

from engine.text.language import Language

#: Digits that are written without a sign between them.
_UNGROUPED = 4
#: Digits in which a result that does not end is shown.
_SHOWN = 12
_TOKEN = re.compile(r"(?<![\w.,])\d{1,3}(?: \d{3})+(?![\d ]|[.,]?\d{4})(?:[.,]\d+)?(?![.,]?\d)|(?<!\d)\d+(?:[.,]\d+)+")
_GROUPED = re.compile(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
#: A number in digits with a decimal point.
PLAIN = re.compile(r"\d+(?:\.\d+)?")
#: One group of three digits behind a sign, which may be decimals too.
_AMBIGUOUS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")


def plain_numbers(text: str, language: Language) -> str:
    """`text` with its numbers in digits and a decimal point: 7.318,25 and 7,318.25 both become 7318.25.

    Where one sign stands before exactly three digits, it groups thousands if it is the grouping sign of the
    language or of another number of the text, or if the digits end in a zero, which nobody writes behind a decimal
    point. What is no number (a version, a date) stays.
    """
    point = _point_in(text) or ("," if language is Language.SPANISH else ".")
    return _TOKEN.sub(lambda match: _plain(match[0], point), text)


def _point_in(text: str) -> str:
    """The decimal sign that the text's own numbers prove; empty where they prove none."""
    for token in _TOKEN.findall(text):
        signs = _signs(token)
        if len(set(signs)) == 2 and _GROUPED.fullmatch(token):
            return signs[-1]
        if len(signs) == 1 and " " not in token and not _AMBIGUOUS.fullmatch(token):
            return signs[0]
        if len(signs) > 1 and len(set(signs)) == 1 and _GROUPED.fullmatch(token):
            return "," if signs[0] == "." else "."
    return ""


def written_as(text: str) -> Language | None:
    """The language whose decimal sign the numbers of a text prove; None where they prove none.

    `3,140` is proof too: nobody writes a zero behind the decimals of a measure.
    """
    signs = {token[-4] for token in _TOKEN.findall(text) if _AMBIGUOUS.fullmatch(token) and token.endswith("0")}
    point = _point_in(text) or ("." if signs == {","} else "")
    if point in signs:  # 2.000 beside $1,890.00
        return None
    return {",": Language.SPANISH, ".": Language.ENGLISH}.get(point)


def _signs(number: str) -> list[str]:
    return [sign for sign in number if sign in ".,"]


def without_signs(number: str) -> str:
    """The digits of a number without its points and commas."""
    return number.replace(".", "").replace(",", "")


def _plain(token: str, point: str) -> str:
    digits = token.replace(" ", "")
    signs = _signs(digits)
    if len(set(signs)) == 2:
        if not _GROUPED.fullmatch(digits):
            return token
        whole, _, rest = digits.rpartition(signs[-1])
        return f"{without_signs(whole)}.{rest}"
    if len(signs) > 1:
        return without_signs(digits) if _GROUPED.fullmatch(digits) else token
    if not signs:
        return digits
    ambiguous = _AMBIGUOUS.fullmatch(digits) and " " not in token
    groups = ambiguous and (signs[0] != point or (signs[0] == "," and digits.endswith("0")))
    return digits.replace(signs[0], "" if groups else ".")


def in_digits(text: str, language: Language, least: int = 0) -> str:
    """`text` with its numbers in words written in digits: "a ten year old" becomes "a 10 year old".

    Args:
        least: A number in one word stays where it is not above this: "one" and "uno" are rarely meant as numbers.
    """
    from text_to_num import alpha2digit

    whole = text.encode("utf-8", "replace").decode()  # it panics at half a character
    return str(alpha2digit(whole, "es" if language is Language.SPANISH else "en", least))


def exact_digits(value: Fraction, most: int = 60) -> str | None:
    """The decimal digits of `value`; None where they do not end, or are more than `most`."""
    rest, places = value.denominator, 0
    while rest % 10 == 0:
        rest, places = rest // 10, places + 1
    for prime in (2, 5):
        while rest % prime == 0:
            rest, places = rest // prime, places + 1
    if rest != 1 or places > 30:
        return None
    scaled = abs(value) * 10**places
    digits = str(scaled.numerator).rjust(places + 1, "0")
    whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :].rstrip("0")
    found = f"{'-' if value < 0 else ''}{whole}{'.' if fraction else ''}{fraction}"
    return found if len(found) <= most else None


def rounded_digits(value: Fraction, precision: int = _SHOWN) -> str:
    """`value` to so many significant digits, in decimal digits or, where it is large or small, with an exponent."""
    rounded = Context(prec=precision).divide(Decimal(value.numerator), Decimal(value.denominator))
    trimmed = rounded.normalize(Context(prec=precision))
    return f"{trimmed:f}" if -10 < trimmed.adjusted() < 21 else f"{trimmed:E}"


def in_language(digits: str, language: Language) -> str:
    """Decimal digits with the signs of the language, thousands grouped from five digits on."""
    if not PLAIN.fullmatch(digits.removeprefix("-")):
        return digits.replace(".", ",") if language is Language.SPANISH else digits
    whole, point, fraction = digits.partition(".")
    long = len(whole.lstrip("-")) > _UNGROUPED
    grouped = f"{int(whole):,}" if long else whole
    written = f"{grouped}{point}{fraction}"
    return written.translate(str.maketrans(",.", ".,")) if language is Language.SPANISH else written


def numbers_in_language(text: str, language: Language) -> str:
    """`text`, whose numbers have a decimal point, with them written as the language has them."""
    return PLAIN.sub(lambda match: in_language(match[0], language), text)


def shown_number(value: Fraction, language: Language, places: int | None = None) -> str:
    """`value` as it is written in the language.

    Args:
        places: Decimals to round to, half up, trailing zeros left out; None: all, or twelve digits where they do not
            end.
    """
    if places is not None:
        scaled = (abs(value) * 10**places + Fraction(1, 2)).__floor__()
        value = Fraction(scaled if value >= 0 else -scaled, 10**places)
    return in_language(exact_digits(value) or rounded_digits(value), language)


def shown_percent(value: Fraction, language: Language) -> str:
    """A percentage to two decimals: `20%` in English, `20 %` in Spanish."""
    return f"{shown_number(value, language, 2)}{' %' if language is Language.SPANISH else '%'}"
