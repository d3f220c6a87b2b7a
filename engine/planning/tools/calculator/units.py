"""Quantities with units: "3 km + 200 m", "convert 5 miles to km", "cuántos metros son 2 km", "3公里等於多少公尺".

The unit library costs a second to import and is imported by the first question that has units.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import Any

from engine.planning.tools.calculator.arithmetic import CannotCalculate, calculate, digits, shown
from engine.planning.tools.calculator.numerals import normal

_I = re.IGNORECASE
_UNREADABLE = "it is not a quantity that can be read"
#: Units by the names that people use, in the library's own; longer names first where one begins with another.
_NAMES = {
    "kilometer": "kilómetros? kilometros? kilometres? 公里 千米",
    "centimeter": "cent[ií]metros? centimetres? 公分 厘米 釐米",
    "millimeter": "mil[ií]metros? millimetres? 毫米 公釐",
    "meter": "metros? metres? 公尺 米",
    "mile": "millas? 英里 哩",
    "foot": "pies? 英尺 呎",
    "inch": "pulgadas? 英寸 英吋 吋",
    "yard": "yardas? 碼 码",
    "kilogram": "kilos? kilogramos? 公斤 千克",
    "gram": "gramos? grams? 公克 克",
    "pound": "libras? lbs? 英磅 磅",
    "ounce": "onzas? 盎司",
    "tonne": "toneladas? tons? 公噸 公吨 噸 吨",
    "liter": "litros? litres? 公升 升",
    "milliliter": "mililitros? millilitres? 毫升",
    "gallon": "galones gal[oó]n 加侖 加仑",
    "hour": "horas? 小時 小时 鐘頭",
    "minute": "minutos? 分鐘 分钟",
    "second": "segundos? 秒鐘 秒",
    "day": "d[ií]as? 天",
    "week": "semanas? 星期 週 周",
    "degC": r"(?:degrees? |grados? )?(?:celsius|cent[ií]grados?) °c ℃ 攝氏度? 摄氏度?",
    "degF": r"(?:degrees? |grados? )?fahrenheit °f ℉ 華氏度? 华氏度?",
}
_ONE = r"[a-zµ°][a-z°_]*(?:\^[1-9])?"
#: A unit as it is handed to the library, which would also calculate with numbers in it, of any size.
_UNIT = re.compile(rf"{_ONE}(?:(?:\s*[/*]\s*|\s+){_ONE}){{0,4}}", _I)
_PAIR = [
    re.compile(pattern, _I)
    for pattern in (
        r"^how many (?P<to>.+?) (?:are|is|equals?|in|make)(?: there)?(?: in)? (?P<of>.+)$",
        r"^cu[aá]nt[oa]s? (?P<to>.+?) (?:son|es|hay en|equivalen? a|tiene[n]?) (?P<of>.+)$",
        r"^(?P<of>.+?)\s*(?:等於|等于|是|換算成|换算成|轉換成|转换成|有)\s*(?:多少|幾|几)?\s*(?P<to>[^\d]+)$",
        (
            r"^(?:what is |what's |convert |how much is |cu[aá]nto (?:es|son) |convierte |pasa |把|將|将)?"
            r"(?P<of>\S*\d.*?) (?:in|into|to|as|a|en) (?P<to>[a-zµ°]\D*(?:\^\d)?)$"
        ),
        r"^(?:what is |what's |calculate |how much is |cu[aá]nto (?:es|son) |calcula )?(?P<of>[(\d].*)$",
    )
]


def convert(text: str) -> str:
    """The quantity that `text` asks for, with its unit, as `5 mile = 8.04672 kilometer`.

    Raises:
        CannotCalculate: It is no quantity, its units are unknown, or they do not go together.
    """
    asked = _renamed(digits(normal(text).strip(" ?。.!¿¡"), ordinals=False))
    for pattern in _PAIR:
        found = pattern.match(asked)
        if found:
            parts = found.groupdict()
            return _converted(parts["of"].strip(), (parts.get("to") or "").strip())
    raise CannotCalculate(_UNREADABLE)


def _renamed(text: str) -> str:
    for name, others in _NAMES.items():
        for other in re.split(r" (?![^(]*\))", others):
            edge = r"\b" if other[0].isalpha() and other[0] < "一" else ""
            text = re.sub(f"{edge}{other}{edge}", f" {name} ", text, flags=_I)
    return " ".join(text.split())


def _converted(of: str, to: str) -> str:
    from pint import DimensionalityError, OffsetUnitCalculusError, UndefinedUnitError

    try:
        quantity = _sum(of)
        if to:
            quantity = quantity.to(_unit(to))
        named = _named(quantity)
    except UndefinedUnitError:
        raise CannotCalculate("a unit is unknown") from None
    except (DimensionalityError, OffsetUnitCalculusError):
        raise CannotCalculate("its units do not go together") from None
    except CannotCalculate:
        raise
    except Exception:  # noqa: BLE001  # the library parses text: whatever it raises, this was no quantity
        raise CannotCalculate(_UNREADABLE) from None
    if not named:
        raise CannotCalculate(_UNREADABLE)
    value = shown(Fraction(quantity.magnitude).limit_denominator(10**15))
    return f"{of} {value if value.startswith('≈') else f'= {value}'} {named}"


def _unit(name: str) -> Any:
    """The unit of that name; in lower case where that is what people mean by `Miles`."""
    if _UNIT.fullmatch(name) is None:
        raise CannotCalculate(_UNREADABLE)
    from pint import UndefinedUnitError

    units = _registry()
    try:
        return units.parse_units(name)
    except UndefinedUnitError:
        return units.parse_units(name.lower())


def _named(quantity: Any) -> str:
    """Its unit as `kilometer / hour^2`; the library's own formats fail on exponents that are fractions."""
    over: list[str] = []
    under: list[str] = []
    for name, exponent in quantity.unit_items():
        power = shown(abs(Fraction(exponent)))
        (over if exponent > 0 else under).append(name if power == "1" else f"{name}^{power}")
    return " / ".join([" * ".join(over), *under]) if over or not under else f"1 / {' / '.join(under)}"


def _sum(text: str) -> Any:
    """The quantity of terms such as `3 km + 200 m`, `5 kg * 3` or `100 degC`; numbers are exact."""
    units = _registry()
    terms = re.split(r"\s*([-+])\s*(?=\d)", text)
    total = _product(terms[0])
    for sign, term in zip(terms[1::2], terms[2::2], strict=True):
        other = _product(term)
        total = total + other if sign == "+" else total - other
    return units.Quantity(total.magnitude, total.units)


def _product(term: str) -> Any:
    units = _registry()
    total = units.Quantity(Fraction(1))
    operation = "*"
    for piece in re.split(r"\s*([*/])\s*(?=\d)", term):
        if piece in "*/":
            operation = piece
            continue
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-zµ°].*)?", piece.strip(), _I)
        if found is None:
            raise CannotCalculate(_UNREADABLE)
        number, unit = calculate(found[1]), (found[2] or "").strip()
        one = units.Quantity(number, _unit(unit)) if unit else number
        if operation == "*":
            total = one if total.magnitude == 1 and total.dimensionless and unit else total * one
        else:
            total = total / one
    return total


@cache
def _registry() -> Any:
    """The unit library over exact numbers."""
    import pint

    registry: Any = pint.UnitRegistry(non_int_type=Fraction)
    return registry
