"""Arithmetic as people write it, in English, Spanish or Chinese, turned into an expression and calculated exactly.

"what is twelve times seven", "cuánto es el 15 % de 240" and "1024 減去 768 等於多少？" are rewritten step by step into
`12 * 7`, `(15/100)*240` and `1024 - 768`. What cannot be rewritten whole is not arithmetic: nothing is guessed.
Numbers are fractions, so 0.1 + 0.2 is 0.3 and a third times three is one.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from functools import partial

from engine.planning.tools.calculator.numerals import chinese_to_digits, normal
from engine.text.language import Language, language_of

#: Characters of a calculation: more is not something that a person typed to have it calculated.
MAX_CHARS = 300
#: Bits of a number at any step: 2 ** 10000 takes some microseconds, its tenth power some seconds.
_MAX_BITS = 10_000
#: Digits in which an irrational result is found, and in which a result is shown.
_WORKING, _SHOWN = Context(prec=40), 12
_I = re.IGNORECASE

#: What stands around a calculation without being part of it.
_FRAME = re.compile(
    r"^[\s¿¡:：]*((please |por favor,? |請問|请问|請|请|幫我|帮我)\s*¿?)*"
    r"(what(['’]?s| is| are| does)?|how (much|many)( is| are| does| makes?)?|calculate|compute|work out|evaluate|solve|"
    r"(me )?(puedes )?(dime |calcular? |calcúlame )?cu[aá]nto (es|son|da|hace|suman?|vale)|calcula|dime|qu[eé] es|"
    r"計算(一下)?|计算(一下)?|算一下|算算|(?=\d))\s*[:：]?\s*(?=[\d(.+a-zñ√-]|$)"
    r"|\s*(\bequals?( to)?( what)?|\bmakes?( what)?|\bis (what|how much)|\bplease|\bpor favor|"
    r"等於(多少|幾|几|什麼|什么)?|等于(多少|幾|几|什么)?|是(多少|幾|几)|有?多少|得(多少|幾|几)|=)*[\s?!.。=]*$",
    _I,
)
_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)"
_GROUP = rf"({_NUMBER[1:-1]}|\([^()]*\))"


def _compiled(*rewrites: tuple[str, str]) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern, _I), replacement) for pattern, replacement in rewrites]


_WORDS = _compiled(
    # Before number words are read: text_to_num takes "por ciento" for a hundred.
    (r"\bper\s?cent(age)?\b|\bpor ciento\b|\bpct\b", " % "),
    (r"百分之\s*([\d零〇一二兩两三四五六七八九十百點点.]+)", r" \1 % "),
    (r"\ba (?=(hundred|thousand|million|dozen)\b)", ""),
    (r"(?:square root of|(?:la )?ra[ií]z cuadrada de|√)\s*", " sqrt of "),
)
_SYMBOLS = _compiled(
    (rf"sqrt of\s*{_GROUP}", r" sqrt(\1) "),
    (rf"{_GROUP}\s*的?平方根", r" sqrt(\1) "),
    (rf"{_GROUP}\s*的\s*{_NUMBER}\s*%", r"(\1*(\2/100))"),
    (rf"(?:\b(?:the|el|un)\s+)?{_NUMBER}\s*%\s*(?:of|de)\s+", r"(\1/100)*"),
    (r"\b(?:half of|(?:la )?mitad de)\s+", "(1/2)*"),
    (r"\b(?:twice|double|(?:el )?doble de)\s+", "2*"),
    (rf"\b(?:the )?sum of\s*{_GROUP}\s*and\s*{_GROUP}", r"(\1+\2)"),
    (rf"\b(?:la )?suma de\s*{_GROUP}\s*y\s*{_GROUP}", r"(\1+\2)"),
    (rf"\b(?:the )?product of\s*{_GROUP}\s*and\s*{_GROUP}", r"(\1*\2)"),
    (rf"\b(?:the )?difference between\s*{_GROUP}\s*and\s*{_GROUP}", r"(\1-\2)"),
    (r"\b(?:squared|al cuadrado)\b|的?平方", "**2"),
    (r"\b(?:cubed|al cubo)\b|的?立方", "**3"),
    (rf"的\s*{_NUMBER}\s*次方", r"**\1"),
    (r"\b(?:(?:raised )?to the power of|to the|elevado a(?: la)?)\b|\^", "**"),
    (r"\b(?:divided by|dividido (?:por|entre)|over|entre)\b|除以", "/"),
    (r"\b(?:multiplied by|multiplicado por|times|por)\b|乘以|乘上|乘", "*"),
    (r"\b(?:plus|added to|más|mas)\b|加上|加", "+"),
    (r"\b(?:minus|less|menos)\b|減去|减去|減|减", "-"),
    (rf"(?<=[\d)])\s*x\s*(?={_GROUP[1:-1]})", "*"),
    (r"\b(?:mod|módulo|modulo)\b", "%%"),
    (r"[$€£¥]|元", ""),
)
_ALLOWED = re.compile(r"(?:[\d.+\-*/()%\s,]|\b(?:sqrt|abs|round|min|max|floor|ceil)\b)+")
_CALL = re.compile(r"\b(?:min|max|round)\s*\(")
#: Digits with a sign between them that nobody wants calculated: dates, versions and addresses; and, unless they are
#: asked for, ratios, ranges and telephone numbers.
_NAMES = re.compile(r"\d+\.\d+\.\d|\b\d{4}-\d{1,2}-\d{1,2}\b|^\d+/\d+/\d+$")
_BARE = re.compile(r"^\+?\d+(?:-\d+)+$|^\d+/\d+$")


class CannotCalculate(ValueError):
    """Not arithmetic, or arithmetic that is refused; the text says which, without the input's words."""


def expression_of(text: str, *, wanted: bool = False) -> str | None:
    """The expression that `text` asks to have calculated, as simpleeval reads it; None when there is more in it.

    Args:
        wanted: A calculation is what `text` is known to be: 24/7 alone is no ratio of hours then.
    """
    if len(text) > MAX_CHARS:
        return None
    asked = normal(text).strip().lower()
    framed = _FRAME.sub("", asked).strip()
    if _NAMES.search(framed) or (_BARE.search(framed) and framed == asked and not wanted):
        return None
    numbered = digits(framed)
    return _symbols(numbered) if re.search(r"\d", numbered) else None  # most questions end here


def digits(text: str, *, ordinals: bool = True) -> str:
    """Numbers as digits with a decimal point, whatever language they are written in.

    Args:
        ordinals: Whether a word such as "second" may be a number too, which it is not where it is a unit.
    """
    for pattern, replacement in _WORDS:
        text = pattern.sub(replacement, text)
    spanish = language_of(text) is Language.SPANISH
    if (ordinals or not re.search(r"\d", text)) and re.search(r"[a-zñáéíóú]{3}", text, _I):
        from text_to_num import alpha2digit

        text = alpha2digit(text, "es" if spanish else "en", 0)
    text = chinese_to_digits(text)
    if spanish:
        text = re.sub(r"\d{1,3}(?:\.\d{3})+(?![\d.])", lambda match: match[0].replace(".", ""), text)
    if _CALL.search(text) is None:
        text = re.sub(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?![\d,])", lambda match: match[0].replace(",", ""), text)
        text = re.sub(r"(?<=\d),(?=\d{1,2}(?!\d))", ".", text)
    return text


def _symbols(text: str) -> str | None:
    """Operators as symbols; None when words are left."""
    for pattern, replacement in _SYMBOLS:
        text = pattern.sub(replacement, text)
    added = re.fullmatch(rf"\s*{_NUMBER}\s*([+-])\s*{_NUMBER}\s*%\s*", text)
    if added:  # "200 + 10 %" is 220, as every pocket calculator has it
        text = f"{added[1]}*(1{added[2]}{added[3]}/100)"
    text = text.replace("%%", "\0")
    text = re.sub(rf"{_NUMBER}\s*%(?!\s*[\d(])", r"(\1/100)", text).replace("\0", "%")
    text = " ".join(text.split())
    return text if _ALLOWED.fullmatch(text) else None


def is_sum(expression: str) -> bool:
    """Whether there is anything to calculate: an operator between numbers, or a function."""
    return re.search(r"[\d)]\s*(?:\*\*|//|[-+*/%])\s*[-+]?\s*[\d(.a-z]|[a-z]\(", expression) is not None


def calculate(expression: str) -> Fraction:
    """The value of an expression made by `expression_of`.

    Raises:
        CannotCalculate: It is no expression, divides by zero, or its numbers grow beyond measure.
    """
    from simpleeval import InvalidExpression, SimpleEval

    names: dict[str, Fraction] = {}

    def named(match: re.Match[str]) -> str:
        names[f"n{len(names)}"] = Fraction(match[0])
        return f"n{len(names) - 1}"

    # Numbers go in by name: as literals, Python would make binary floats of them.
    text = " ".join(re.sub(_NUMBER, named, expression[:MAX_CHARS]).split())
    evaluator = SimpleEval(operators=_OPERATORS, functions=_FUNCTIONS, names=names)
    evaluator.nodes = {kind: evaluator.nodes[kind] for kind in _NODES}
    try:
        return Fraction(evaluator.eval(text))
    except ZeroDivisionError:
        raise CannotCalculate("it divides by zero") from None
    except CannotCalculate:
        raise
    except (InvalidExpression, SyntaxError, TypeError, ValueError, ArithmeticError, RecursionError, MemoryError):
        raise CannotCalculate("it is not a calculation that can be read") from None


def shown(value: Fraction) -> str:
    """The value in decimal digits: exact where that takes at most 60, else rounded to 12 behind a `≈`."""
    exact = _exact(value)
    if exact is not None and len(exact) <= 60:
        return exact
    rounded = Context(prec=_SHOWN).divide(Decimal(value.numerator), Decimal(value.denominator))
    trimmed = rounded.normalize(Context(prec=_SHOWN))
    return f"≈ {trimmed:f}" if -10 < trimmed.adjusted() < 21 else f"≈ {trimmed:E}"


def _exact(value: Fraction) -> str | None:
    """The decimal expansion, where it ends; None where it does not, or is the root of something."""
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
    return f"{'-' if value < 0 else ''}{whole}{'.' if fraction else ''}{fraction}"


def _sized(value: Fraction) -> Fraction:
    if value.numerator.bit_length() + value.denominator.bit_length() > _MAX_BITS:
        raise CannotCalculate("its numbers are too large")
    return value


def _step(operation: Callable[..., object], *values: Fraction) -> Fraction:
    return _sized(Fraction(operation(*values)))  # type: ignore[call-overload]


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator == 1:
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if abs(exponent) * bits > _MAX_BITS:
            raise CannotCalculate("its numbers are too large")
        return _sized(Fraction(base ** int(exponent)))
    if base < 0 or max(abs(exponent), base) > 10**9:
        raise CannotCalculate("a root of a negative number, or of too large a one")
    found = _WORKING.power(_decimal(base), _decimal(exponent))
    nearest = Fraction(round(found))
    return nearest if nearest**exponent.denominator == base**exponent.numerator else Fraction(found)


def _root(value: Fraction) -> Fraction:
    if value < 0:
        raise CannotCalculate("a root of a negative number, or of too large a one")
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    return Fraction(_WORKING.sqrt(_decimal(value)))


def _decimal(value: Fraction) -> Decimal:
    return _WORKING.divide(Decimal(value.numerator), Decimal(value.denominator))


def _rounded(value: Fraction, places: Fraction = Fraction(0)) -> Fraction:
    return Fraction(round(value, max(-30, min(30, int(places)))))


_OPERATORS: dict[type[ast.AST], Callable[..., Fraction]] = {
    ast.Add: partial(_step, operator.add),
    ast.Sub: partial(_step, operator.sub),
    ast.Mult: partial(_step, operator.mul),
    ast.Div: partial(_step, operator.truediv),
    ast.FloorDiv: partial(_step, operator.floordiv),
    ast.Mod: partial(_step, operator.mod),
    ast.Pow: _power,
    ast.USub: partial(_step, operator.neg),
    ast.UAdd: partial(_step, operator.pos),
}
_FUNCTIONS: dict[str, Callable[..., Fraction]] = {
    "sqrt": _root,
    "abs": partial(_step, abs),
    "round": _rounded,
    "min": partial(_step, min),
    "max": partial(_step, max),
    "floor": partial(_step, math.floor),
    "ceil": partial(_step, math.ceil),
}
#: The kinds of expression that are evaluated: no attribute, subscript, string, comparison or assignment.
_NODES = (ast.Expr, ast.BinOp, ast.UnaryOp, ast.Call, ast.Name)
