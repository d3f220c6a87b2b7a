"""Expressions calculated exactly.

Numbers are fractions, so 0.1 + 0.2 is 0.3 and a third times three is one. `reading` turns what people write into the
expressions.
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

from engine.text.numbers import exact_digits, rounded_digits

#: Characters of a calculation: more is not something that a person typed to have it calculated.
MAX_CHARS = 300
#: Bits of a number at any step: 2 ** 10000 takes some microseconds, its tenth power some seconds.
_MAX_BITS = 10_000
#: Digits in which an irrational result is found.
_WORKING = Context(prec=40)
_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)"
#: What an expression that divides by zero is refused with; callers tell it from other refusals.
BY_ZERO = "it divides by zero"
TOO_LARGE = "its numbers are too large"
NEGATIVE_ROOT = "a root of a negative number, or of too large a one"


class CannotCalculate(ValueError):
    """Not arithmetic, or arithmetic that is refused; the text says which, without the input's words."""


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
        raise CannotCalculate(BY_ZERO) from None
    except CannotCalculate:
        raise
    except (InvalidExpression, SyntaxError, TypeError, ValueError, ArithmeticError, RecursionError, MemoryError):
        raise CannotCalculate("it is not a calculation that can be read") from None


def shown(value: Fraction) -> str:
    """The value in decimal digits: exact where that takes at most 60, else rounded to 12 behind a `≈`."""
    return exact_digits(value) or f"≈ {rounded_digits(value)}"


def _sized(value: Fraction) -> Fraction:
    if value.numerator.bit_length() + value.denominator.bit_length() > _MAX_BITS:
        raise CannotCalculate(TOO_LARGE)
    return value


def _step(operation: Callable[..., object], *values: Fraction) -> Fraction:
    return _sized(Fraction(operation(*values)))  # type: ignore[call-overload]


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator == 1:
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if abs(exponent) * bits > _MAX_BITS:
            raise CannotCalculate(TOO_LARGE)
        return _sized(Fraction(base ** int(exponent)))
    if base < 0 or max(abs(exponent), base) > 10**9:
        raise CannotCalculate(NEGATIVE_ROOT)
    found = _WORKING.power(_decimal(base), _decimal(exponent))
    nearest = Fraction(round(found))
    return nearest if nearest**exponent.denominator == base**exponent.numerator else Fraction(found)


def _root(value: Fraction) -> Fraction:
    if value < 0:
        raise CannotCalculate(NEGATIVE_ROOT)
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    return Fraction(_WORKING.sqrt(_decimal(value)))


def _decimal(value: Fraction) -> Decimal:
    return _WORKING.divide(Decimal(value.numerator), Decimal(value.denominator))


def _factorial(value: Fraction) -> Fraction:
    if value < 0 or value.denominator != 1:
        raise CannotCalculate("a factorial of what is no whole number")
    if value > 1000:
        raise CannotCalculate(TOO_LARGE)
    return _sized(Fraction(math.factorial(int(value))))


def _cube_root(value: Fraction) -> Fraction:
    root = _power(abs(value), Fraction(1, 3))
    return root if value >= 0 else -root


def _mean(*values: Fraction) -> Fraction:
    return _sized(sum(values, Fraction(0)) / len(values))


def _total(*values: Fraction) -> Fraction:
    return _sized(sum(values, Fraction(0)))


def _percent(value: Fraction) -> Fraction:
    return _sized(value * 100)


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
    "cbrt": _cube_root,
    "factorial": _factorial,
    "mean": _mean,
    "sum": _total,
    "percent": _percent,
    "abs": partial(_step, abs),
    "round": _rounded,
    "min": partial(_step, min),
    "max": partial(_step, max),
    "floor": partial(_step, math.floor),
    "ceil": partial(_step, math.ceil),
}
#: The kinds of expression that are evaluated: no attribute, subscript, string, comparison or assignment.
_NODES = (ast.Expr, ast.BinOp, ast.UnaryOp, ast.Call, ast.Name)
