"""Quantities with units: "3 km + 200 m", "convert 5 miles to km", "cuántos metros son 2 km", "3公里等於多少公尺".

The unit library costs a second to import and is imported by the first question that has units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

from engine.planning.tools.calculator.arithmetic import MAX_CHARS, CannotCalculate, calculate, shown
from engine.planning.tools.calculator.numerals import normal
from engine.planning.tools.calculator.reading import compiled, digits, rewritten, unpolite
from engine.text.language import Language, language_of
from engine.text.numbers import in_language
from engine.text.unit_names import names, one_unit, quantity_in, units
from engine.text.words import has_digit

_I = re.IGNORECASE
_UNREADABLE = "it is not a quantity that can be read"
DIFFERENT = "its units do not go together"
_ONE = r"[a-zµ°][a-z°_]*(?:\^[1-9])?"
#: A unit as it is handed to the library, which would also calculate with numbers in it, of any size.
_UNIT = re.compile(rf"{_ONE}(?:(?:\s*[/*]\s*|\s+){_ONE}){{0,4}}", _I)
_NUMBER = r"-?\d+(?:\.\d+)?"
_FRAME = (
    r"(?:(?:what(?:['’]?s| is| are)|how much (?:is|are)|convert|change|turn|calculate|cu[aá]nto (?:es|son|hacen|suman?)|"  # noqa: E501
    r"convierte|convertir|convi[eé]rteme|pasa|pasar|p[aá]same|cambia|calcula|a cu[aá]nto equivalen?|"
    r"cu[aá]nto equivalen?|把|將|将) (?:the |los |las )?)?"
)
_INTO = r"(?:in|into|to|as|a|en|expressed in|expresado en|equals?|is|are|es|son|=)"
_MANY = r"(?:how many|cu[aá]nt[oa]s?)"
_ARE = (
    r"(?:(?:are|is|in|equals?|makes?|make up|there|does|do|would|be|fit|go|son|es|hay|en|tiene|tienen|equivalen?|equivale|a|"  # noqa: E501
    r"caben|contiene|contienen|corresponden?|suman?|hacen?|ser[ií]an?) )+"
)
#: What is asked, each with the quantity `of` and the unit `to`; every border of a question is tried.
_PAIRS = [
    re.compile(pattern, _I)
    for pattern in (
        rf"^{_MANY} (?P<to>.+?) {_ARE}(?P<of>.+?)(?: have| has| equal| contain| make| tienen?| son| hay)?$",
        rf"^a {_MANY} (?P<to>.+?) {_ARE}(?P<of>.+?)$",
        rf"^{_FRAME}(?P<of>.+?)(?: {_INTO})? {_MANY} (?P<to>.+?)(?: son| equivalen?| hay| is that| are that)?$",
        r"^(?:把|將|将)?(?P<of>.+?)\s*(?:等於|等于|是|換算成|换算成|轉換成|转换成|有)\s*(?:多少|幾|几)?\s*(?P<to>[^\d]+)$",
    )
]
_SPLIT = re.compile(rf"\s{_INTO}(?=\s)", _I)
_ALONE = re.compile(rf"^{_FRAME}(?P<of>[(\d-].*)$", _I)
_A = re.compile(r"^(?:an?|one|each|every|una?|cada)\s+(?=\D)", _I)
_PARTS = compiled(
    (r"\b(?:a quarter of an?|un cuarto de)\s+(?=[^\W\d])", "0.25 "),
    (r"\b(?:half an?|half|medi[oa])\s+(?=[^\W\d])", "0.5 "),
)
_HALVES = compiled(
    (r"(?<![\d.])(\d+)\s*½", r"\1.5"),
    (r"(?<![\d.])(\d+)\s+([^\W\d_]+)\s*½", r"\1.5 \2"),
    (r"(?:\b(?:an?|one|una?)\s+)?\b([^\W\d_]+)\s*½", r"1.5 \1"),
)
#: "Two and a half" of something, said behind the number or behind what is counted; minutes behind hours, and inches
#: behind feet, as they are abbreviated.
_SPELT = compiled(
    (r"\s+(?:and a half|y medi[oa])\b", " ½"),
    (r"(\d\s*h(?:rs?|ours?|oras?)?\s*\d+\s*)m\b", r"\1min"),
    (
        (
            r"(\d+)\s*(?:ft|feet|foot|pies?|['’′])\s*(\d+)(?:\s*(?:in(?:ch(?:es)?)?\b|pulgadas?|[\"”″]))?"
            r"(?=\s*(?:$|(?:in|into|to|as|en|a)\b))"
        ),
        r"\1 feet \2 inches",
    ),
)
_OPERATIONS = compiled(
    (r"\b(?:times|multiplied by|(?:multiplicado )?por)\s+(?=\d)", "* "),
    (r"\b(?:divided by|(?:dividido )?entre)\s+(?=\d)", "/ "),
    (r"\b(?:plus|m[aá]s)\s+(?=\d)", "+ "),
    (r"\b(?:minus|less|menos)\s+(?=\d)", "- "),
)
_SCALES = {"c": "degC", "f": "degF", "k": "kelvin"}


def convert(text: str) -> str:
    """The quantity that `text` asks for, in its language, as `5 miles = 8.04672 kilometers`.

    Raises:
        CannotCalculate: It is no quantity, its units are unknown, or they do not go together.
    """
    language = language_of(text)
    asked = _asked(text, language)
    splits = list(_splits(asked))
    known = [one for one in splits if _known(*one)]
    for of, to in [*known, *splits][:1]:
        return _converted(*(_scaled(of, to) or (_expanded(of), _expanded(to) if to else "")), language)
    raise CannotCalculate(_UNREADABLE)


def is_conversion(text: str) -> bool:
    """Whether `text` is nothing but a question for a quantity, all of whose units are known by name."""
    asked = _asked(text, language_of(text))
    return len(asked) <= MAX_CHARS and any(_known(of, to) for of, to in _splits(asked))


def _asked(text: str, language: Language) -> str:
    """`text` without courtesies, its numbers in digits; "half a" is a number here."""
    bare = rewritten(unpolite(normal(text).strip(" ?。.!¿¡")), _SPELT)
    bare = re.sub(r"[^\W\d_]+(?= ½)", lambda word: digits(word[0], language, ordinals=False), bare)
    bare = rewritten(bare, _PARTS)
    asked = digits(re.sub(r"(?<=[a-z])\^([23])\b", r"\1", bare, flags=_I), language, ordinals=False)
    return rewritten(asked, (*_HALVES, *_OPERATIONS))


def _splits(asked: str) -> Iterator[tuple[str, str]]:
    """The ways to read a question as a quantity and the unit that it is wanted in, the likeliest first."""
    for pattern in _PAIRS:
        if found := pattern.match(asked):
            of = _A.sub("1 ", found["of"].strip())
            yield of if has_digit(of) else f"1 {of}", found["to"].strip()
    if alone := _ALONE.match(asked):
        for border in reversed(list(_SPLIT.finditer(alone["of"]))):
            yield alone["of"][: border.start()].strip(), alone["of"][border.end() :].strip()
        yield alone["of"].strip(), ""
    elif found := re.match(rf"^{_FRAME}(?P<of>(?:an?|una?) \S.*?)\s{_INTO}\s(?P<to>.+)$", asked, _I):
        yield _A.sub("1 ", found["of"]), found["to"].strip()


@cache
def _quantity() -> re.Pattern[str]:
    """Numbers with the names of units, added up, or multiplied or divided by a number or a quantity."""
    term = rf"{_NUMBER}\s*(?:{one_unit()})"
    return re.compile(rf"{term}(?:\s*(?:[-+,]|and|y|con)?\s*{term})*(?:\s*[*/]\s*{_NUMBER}\s*(?:{one_unit()})?)*", _I)


def _known(of: str, to: str) -> bool:
    lowered = of.lower()
    if _quantity().fullmatch(lowered) is None:
        return _scaled(of, to) is not None
    if not to:  # a quantity alone asks for nothing
        return re.search(r"[a-zñáéíóúµ°]\s*[-+*/]\s*\d", lowered) is not None
    return " ".join(to.lower().split()) in names() or _scaled(of, to) is not None


def _scaled(of: str, to: str) -> tuple[str, str] | None:
    """Degrees that are written with the letter of their scale alone, or without one: 30 C in F, 30 degrees in F."""
    found = re.fullmatch(rf"({_NUMBER})\s*(?:(degrees?|grados?|[°º])\s*)?([cfk])?", of, _I)
    scale = re.fullmatch(r"(?:degrees?\s*|grados?\s*|[°º]\s*)?([cfk])", to, _I)
    wanted = _SCALES[scale[1].lower()] if scale else units().get(names().get(to.lower(), ""), "")
    if found is None or wanted not in _SCALES.values() or not (found[2] or found[3]):
        return None
    given = _SCALES[found[3].lower()] if found[3] else ("degF" if wanted == "degC" else "degC")
    return f"{found[1]} {given}", wanted


def _expanded(text: str) -> str:
    """`text` with the unit library's names for those that people use."""
    whole = names().get(" ".join(text.lower().split()))
    if whole:
        return units()[whole]

    def named(match: re.Match[str]) -> str:
        return f" {units()[names()[match[0].lower()]]} "

    # Names of one or two letters are units only right behind a number.
    text = re.sub(
        rf"(?:(?<=\d)|(?<=\d\s)|(?<![^\W\d_])(?=[^\W\d_]{{3}}|[°℃℉一-龥]))(?:{one_unit()})", named, text, flags=_I
    )
    return " ".join(text.split())


def _converted(of: str, to: str, language: Language) -> str:
    from pint import DimensionalityError, OffsetUnitCalculusError, UndefinedUnitError

    try:
        quantity = _sum(of)
        if to:
            quantity = _in_unit(quantity, _unit(to))
        elif told := _hours_and_minutes(quantity, language):
            return f"{_written(of, language)} = {told}"
        named = _named(quantity)
    except UndefinedUnitError:
        raise CannotCalculate("a unit is unknown") from None
    except (DimensionalityError, OffsetUnitCalculusError):
        raise CannotCalculate(DIFFERENT) from None
    except CannotCalculate:
        raise
    except Exception:  # noqa: BLE001  # the library parses text: whatever it raises, this was no quantity
        raise CannotCalculate(_UNREADABLE) from None
    if not named:
        raise CannotCalculate(_UNREADABLE)
    value = shown(Fraction(quantity.magnitude).limit_denominator(10**15))
    sign, found = ("≈", value[2:]) if value.startswith("≈") else ("=", value)
    return f"{_written(of, language)} {sign} {_quantified(found, named, language)}"


def _in_unit(quantity: Any, unit: Any) -> Any:
    """`quantity` in `unit`, or what one of `unit` comes to: consumption is said by volume and by distance."""
    from pint import DimensionalityError

    try:
        return quantity.to(unit)
    except DimensionalityError:
        return (1 / quantity).to(unit)


def _hours_and_minutes(quantity: Any, language: Language) -> str:
    """A length of time with minutes that is no decimal number of hours; empty for any other."""
    names = [name for name, _ in quantity.unit_items()]
    minutes = Fraction(quantity.magnitude) * 60
    if names != ["hour"] or minutes.denominator != 1 or minutes < 60 or minutes % 3 == 0:
        return ""
    parts = ((minutes // 60, "duration-hour"), (minutes % 60, "duration-minute"))
    return " ".join(quantity_in(str(many), in_language(str(many), language), unit, language) for many, unit in parts)


def _written(of: str, language: Language) -> str:
    """The quantity that was asked about, each of its terms in the language."""
    terms = re.sub(
        rf"({_NUMBER})\s*([a-zµ°][^-+*]*?)(?=\s*(?:[-+*/,]\s*\d|$)|\s+\d|\s+(?:and|y|con)\b)",
        lambda match: _quantified(match[1], match[2].strip(), language),
        of,
        flags=_I,
    )
    return re.sub(r"(?<=\s)\d+(?:\.\d+)?$", lambda match: in_language(match[0], language), terms.replace(" * ", " × "))


def _quantified(number: str, unit: str, language: Language) -> str:
    written = in_language(number, language)
    identifier = _identifiers().get(unit) or _identifiers().get(_canonical(unit))
    return quantity_in(number, written, identifier, language) if identifier else f"{written} {unit}"


def _canonical(unit: str) -> str:
    from pint import UndefinedUnitError

    try:
        return _named(_registry().Quantity(1, _unit(unit)))
    except (UndefinedUnitError, CannotCalculate):
        return unit


@cache
def _identifiers() -> dict[str, str]:
    """CLDR identifiers by the unit as the library names it."""
    found: dict[str, str] = {}
    for identifier, expression in units().items():
        found.setdefault(expression, identifier)
        found.setdefault(_canonical(expression), identifier)
    return found


def _unit(name: str) -> Any:
    """The unit of that name; in lower case where that is what people mean by `Miles`."""
    if _UNIT.fullmatch(name) is None:
        raise CannotCalculate(_UNREADABLE)
    from pint import UndefinedUnitError

    registry = _registry()
    try:
        return registry.parse_units(name)
    except UndefinedUnitError:
        return registry.parse_units(name.lower())


def _named(quantity: Any) -> str:
    """Its unit as `kilometer / hour^2`; the library's own formats fail on exponents that are fractions."""
    over: list[str] = []
    under: list[str] = []
    for name, exponent in quantity.unit_items():
        power = shown(abs(Fraction(exponent)))
        (over if exponent > 0 else under).append(name if power == "1" else f"{name}^{power}")
    return " / ".join([" * ".join(over), *under]) if over or not under else f"1 / {' / '.join(under)}"


def _sum(text: str) -> Any:
    """The quantity of terms such as `3 km + 200 m`, `5 foot 3 inch` or `5 kg * 3`; numbers are exact."""
    registry = _registry()
    negative = text.startswith("-")
    # Terms side by side are one quantity: 5 feet 3 inches, 2 hours and 30 minutes.
    joined = re.sub(r"(?<=[a-zµ°])\s*(?:,|\band\b|\by\b|\bcon\b)?\s+(?=\d)", " + ", text.lstrip("- "), flags=_I)
    terms = re.split(r"\s*([-+])\s*(?=\d)", joined)
    total = _product(terms[0], negative=negative)
    for sign, term in zip(terms[1::2], terms[2::2], strict=True):
        other = _product(term)
        total = total + other if sign == "+" else total - other
    return registry.Quantity(total.magnitude, total.units)


def _product(term: str, *, negative: bool = False) -> Any:
    registry = _registry()
    total = registry.Quantity(Fraction(1))
    operation = "*"
    for piece in re.split(r"\s*([*/])\s*(?=\d)", term):
        if piece in "*/":
            operation = piece
            continue
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-zµ°].*)?", piece.strip(), _I)
        if found is None:
            raise CannotCalculate(_UNREADABLE)
        number, unit = calculate(found[1]) * (-1 if negative else 1), (found[2] or "").strip()
        one = registry.Quantity(number, _unit(unit)) if unit else number
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
