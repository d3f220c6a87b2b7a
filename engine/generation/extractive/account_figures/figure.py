"""A figure of an account, and values as people and programs write them."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from calendar import isleap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path

from engine.generation.extractive.account_figures.vocabulary import YEAR, is_period_unit
from engine.text.dates import find_dates, fold
from engine.text.language import Language, language_of
from engine.text.numbers import PLAIN, exact_digits, in_language, plain_numbers, rounded_digits, shown_percent
from engine.text.words import blanked, has_digit, plain_words

#: What stands where there is no value.
_MISSING = re.compile(
    r"(?:null|none|nil|n/?[ad]|undefined|unknown|desconocid[oa]|nan|-+|—|\?+|"
    r"(?:no|sin) (?:data|datos)(?: (?:available|disponibles))?|not available|no disponible)?",
    re.IGNORECASE,
)
_YES, _NO = frozenset({"true", "yes", "on", "sí", "si", "enabled"}), frozenset({"false", "no", "off", "disabled"})
#: Signs of currencies, dollars and pesos with the letters of their country: "A$", "MX$". The block is Unicode's.
SIGN = r"(?:(?<![^\W\d_])[A-Z]{1,3}\$|(?<![^\W\d_])S/|[$¢£¥\u20a0-\u20cf])"
#: Currencies by their codes and names.
CURRENCY = (
    r"(?<![^\W\d_])(?:EUR|USD|GBP|MXN|ARS|COP|CLP|PEN|BRL|JPY|CHF|CAD|AUD|NZD|HKD|SGD|CNY|INR|KRW|ZAR|ILS|AED|SAR|SEK|NOK|DKK|PLN|CZK|HUF|"
    r"RON|UYU|BOB|PYG|CRC|GTQ|DOP|euros?|d[oó]lares|dollars|pesos|pounds|libras|rupees|rupias|yen|yenes|kr|zł)(?![^\W\d_])"
)
_NUMBER = r"[-+]?\d[\d.,]*(?: \d{3})*(?:[.,]\d+)?"
_MONEY = re.compile(
    rf"(?P<before>{SIGN}|{CURRENCY})\s?(?P<n1>{_NUMBER})(?:\s(?:{CURRENCY})\b)?|"
    rf"(?P<n2>{_NUMBER})\s?(?P<after>{SIGN}|{CURRENCY})",
    re.IGNORECASE,
)
_PERCENT = re.compile(rf"(?P<n>{_NUMBER})\s?(?:%|percent|por ciento)", re.IGNORECASE)
_MEASURED = re.compile(rf"(?P<n>{_NUMBER})\s?(?P<unit>°[CF]|[^\W\d_]{{1,12}}[23]?(?:/[^\W\d_]{{1,6}}[23]?)?)")
_ISO = re.compile(r"(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?:[T ]\d{2}:\d{2}.*)?")
_MONTH = re.compile(r"(?P<y>\d{4})-(?P<m>0[1-9]|1[0-2])")
#: A month as cards have it: "09/2027".
_CARD_MONTH = re.compile(r"(?P<m>0?[1-9]|1[0-2])/(?P<y>20\d\d)")
#: A time of day behind a day: "14 January 2027, 16:45".
_CLOCK = re.compile(r"(?<=\w)[, ]\s*(?:a las?|at)?\s*\d{1,2}:\d{2}(?::\d{2})?(?:\s*(?:h|hrs?|[ap]\.?m))?\.?$")
#: A length of time in several units, the largest first: "4 h 25 min", "2 días y 6 horas".
_TIMES = {
    "d": (86_400, r"d(?:ays?|[ií]as?)?"),
    "h": (3_600, r"h(?:rs?|ours?|oras?)?"),
    "min": (60, r"m(?:in(?:s|utes?|utos?)?)?"),
    "s": (1, r"s(?:ec(?:s|onds?)?|eg(?:s|undos?)?)?"),
}
_DURATION = re.compile(
    r"(?<![\w.,])(?=(?:\d+\s?[^\W\d_]+,?\s?(?:(?:and|y)\s)?){2})"
    + "".join(
        rf"(?:(?P<{name}>\d+)\s?{unit}(?![^\W\d_])(?:,?\s?(?:(?:and|y)\s)?(?=\d))?)?"
        for name, (_, unit) in _TIMES.items()
    ),
    re.IGNORECASE,
)
#: Units of time.
TIMES = frozenset((*_TIMES, "ms"))
#: Characters of a number: what is longer is none.
_DIGITS = 40
#: Figures that are read of one context: what a dashboard shows, many times over.
MOST_FIGURES = 5_000
#: A day that stands for "no year is said".
_ANY_YEAR = date(2000, 1, 1)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with what it counts: `GB`, `%`, `€`; an empty unit where it says none.

    Attributes:
        before: The unit is written before the number.
    """

    value: Fraction
    unit: str = ""
    before: bool = False

    def shown(self, language: Language) -> str:
        """The amount as the language writes numbers; amounts of money that are no whole number have two decimals."""
        if self.unit == "%":
            return shown_percent(self.value, language)
        if len(units := self.unit.split()) > 1 and all(unit in _TIMES for unit in units):
            return _timed(self.value, units)
        digits = exact_digits(self.value, 15) or rounded_digits(self.value, 6)
        if self.is_money and self.value.denominator != 1:
            digits = f"{float(round(self.value, 2)):.2f}"
        written = in_language(digits, language)
        if not self.unit:
            return written
        sign = re.fullmatch(SIGN, self.unit) is not None
        if self.before:
            return f"{self.unit}{'' if sign else ' '}{written}"
        return f"{written} {self.unit}"

    @property
    def is_money(self) -> bool:
        """Whether the unit is a currency."""
        return _is_currency(self.unit)

    def like(self, value: Fraction) -> Amount:
        """Another number of the same unit."""
        return replace(self, value=value)


@lru_cache(256)
def _is_currency(unit: str) -> bool:
    return re.fullmatch(rf"{SIGN}|{CURRENCY}", unit, re.IGNORECASE) is not None


def _timed(seconds: Fraction, units: list[str]) -> str:
    """A length of time in these units, the largest first."""
    said: list[str] = []
    rest = round(seconds / _TIMES[units[-1]][0]) * _TIMES[units[-1]][0]
    for unit in units:
        count, rest = divmod(rest, _TIMES[unit][0])
        said.append(f"{count} {unit}")
    return " ".join(said)


@dataclass(frozen=True, slots=True)
class Day:
    """A date as it was written; one without a year is the same day of every year.

    Attributes:
        month: It names a month; `day` is the first of it.
    """

    day: date
    whole: bool = True
    written: str = ""
    month: bool = False

    def near(self, today: date) -> date:
        """The date; of one without a year, the one nearest to `today`."""
        leap = (self.day.month, self.day.day) == (2, 29)
        years = [year for year in range(today.year - 1, today.year + 2) if isleap(year) or not leap]
        dates = [self.day] if self.whole else [self.day.replace(year=year) for year in years]
        return min(dates, key=lambda one: abs(one - today), default=self.day)

    def same(self, other: Day) -> bool:
        """Whether both name one day, or one month."""
        if self.month is not other.month:
            return False
        if self.whole and other.whole:
            return self.day == other.day
        return (self.day.month, self.day.day) == (other.day.month, other.day.day)


Value = Amount | Day | bool | str | None


@dataclass(frozen=True, slots=True)
class Figure:
    """One value of the account.

    Attributes:
        path: The names that lead to it, outermost first, as words.
        value: None where the context says that there is none.
        row: What names its row in a list or table; empty outside of one.
        day: The day of its row, where that is a day.
        listed: The path of the list or table that its row stands in; None outside of one.
        row_key: What the names of its rows are called: `service`, `month`.
        across: Of a pivot table: what its columns are called, whose rows are periods.
    """

    path: tuple[str, ...]
    value: Value
    row: str = ""
    day: Day | None = None
    sentence: str = ""
    listed: tuple[str, ...] | None = None
    row_key: str = ""
    across: str = ""

    @property
    def name(self) -> str:
        """The path as one phrase, without words that repeat what was said before them."""
        said: list[str] = []
        for part in self.path:
            said += [word for word in part.split() if fold(word) not in map(fold, said)]
        return " ".join(said)


def words_of_key(key: str) -> str:
    """A key as words: `callsThisMonth` and `calls_this_month` are `calls this month`; kWh and mAh are one word each."""
    split = re.sub(r"(?<=[A-Za-z0-9][a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", key)
    spaced = re.sub(r"[_\-./()]+", " ", split).strip()
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in spaced.split())


def value_of(text: str, language: Language) -> Value:
    """What a written value is: an amount, a day, yes or no, nothing, or a text."""
    bare = text.strip().strip("\"'").strip()
    if _MISSING.fullmatch(bare):
        return None
    if bare.casefold() in _YES or bare.casefold() in _NO:
        return bare.casefold() in _YES
    return day_of(bare) or amount_of(bare, language) or bare


def day_of(text: str) -> Day | None:
    """The day that `text` is, and nothing else."""
    if found := _ISO.fullmatch(text):
        try:
            return Day(date(int(found["y"]), int(found["m"]), int(found["d"])), written=text)
        except ValueError:
            return None
    if month := _MONTH.fullmatch(text) or _CARD_MONTH.fullmatch(text):
        return Day(date(int(month["y"]), int(month["m"]), 1), written=text, month=True)
    folded = _CLOCK.sub("", fold(text).strip(" ."))
    named = find_dates(folded, _ANY_YEAR)
    relative = not has_digit(folded)
    if len(named) != 1 or relative or folded[: named[0].start].strip() or folded[named[0].end :].strip():
        return None
    return Day(named[0].day, named[0].whole, text.strip(" ."))


def days_in(text: str) -> list[tuple[int, int, Day]]:
    """The days that running text names, each with its place, from and to."""
    folded = fold(text)
    return [
        (one.start, one.end, found)
        for one in find_dates(folded, _ANY_YEAR)
        if (found := day_of(folded[one.start : one.end].removeprefix("on ").removeprefix("el ").strip())) is not None
    ]


def amount_of(text: str, language: Language) -> Amount | None:
    """The amount that `text` is, and nothing else."""
    bare = " ".join(text.split())
    if re.fullmatch(_NUMBER, bare):
        return _amount(bare, "", language)
    if found := _PERCENT.fullmatch(bare):
        return _amount(found["n"], "%", language)
    if found := _MONEY.fullmatch(bare):
        digits, unit = found["n1"] or found["n2"], found["before"] or found["after"]
        return _amount(digits, unit, language, before=found["before"] is not None)
    if (found := _DURATION.fullmatch(bare)) and (duration := _duration(found)):
        return duration
    if (found := _MEASURED.fullmatch(bare)) and (" " in bare or _unit_behind(found["unit"])):  # "3A" is a name
        return _amount(found["n"], found["unit"], language)
    return None


def _duration(found: re.Match[str]) -> Amount | None:
    """A length of time in several units, in seconds; None where it has one unit, or a number that is too long."""
    told = {name: count for name, count in found.groupdict().items() if count}
    if len(told) < 2 or max(map(len, told.values())) > _DIGITS:
        return None
    return Amount(Fraction(sum(int(count) * _TIMES[name][0] for name, count in told.items())), " ".join(told))


def _amount(digits: str, unit: str, language: Language, *, before: bool = False) -> Amount | None:
    if len(digits) > _DIGITS:
        return None
    plain = plain_numbers(digits.rstrip(".,"), language).replace(" ", "").lstrip("+")
    return Amount(Fraction(plain), unit, before) if PLAIN.fullmatch(plain.removeprefix("-")) else None


def amounts_in(text: str, language: Language) -> list[tuple[int, int, Amount]]:
    """The amounts that running text names, each with its place, from and to; the numbers of dates are none."""
    folded = fold(text)
    taken: list[tuple[int, int]] = []
    if len(folded) == len(text):
        taken = [(one.start, one.end) for one in find_dates(folded, _ANY_YEAR)]
    lasting = [(m.start(), m.end(), one) for m in _DURATION.finditer(text) if (one := _duration(m)) is not None]
    taken = sorted(taken + [(start, end) for start, end, _ in lasting])
    found = lasting
    pattern = re.compile(
        rf"{_MONEY.pattern}|(?<![\w.,])(?<!\w-)(?<!\d:)(?P<n3>{_NUMBER})(?!\d|:\d|(?:st|nd|rd|th|\.?(?:er|[ºª]))\b)"
        r"(?P<pc>\s?%|\s?percent\b|\s?por ciento\b)?",
        re.IGNORECASE,
    )
    for match in pattern.finditer(text):
        if _within(taken, *match.span()) or _is_year(text, match):
            continue
        digits = match["n1"] or match["n2"] or match["n3"]
        unit = match["before"] or match["after"] or ("%" if match["pc"] else _unit_behind(text[match.end() :]))
        one = _amount(digits, unit, language, before=match["before"] is not None)
        if one is not None:
            unit_end = match.end() + len(re.match(rf"\s?{re.escape(unit)}|", text[match.end() :])[0])  # type: ignore[index]
            found.append((match.start(), unit_end if unit else match.end(), one))
    return sorted(found, key=lambda one: one[0])


def _within(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether one of the spans, which are in order, has a place between `start` and `end`."""
    at = bisect_left(spans, (end,))
    return any(last > start for _, last in spans[max(at - _BEHIND, 0) : at])


def without_amounts(text: str) -> str:
    """A text in which spaces stand for its amounts of money: the words for their units say nothing else."""
    return blanked(text, ((start, end) for start, end, one in amounts_in(text, language_of(text)) if one.is_money))


#: Spans before a place that may reach over it: a date within a longer one.
_BEHIND = 3
#: Letters before a number in which a word for "in" is looked for.
_NEAR = 16


def _is_year(text: str, match: re.Match[str]) -> bool:
    """Whether a number is a year: "in 2025"."""
    if YEAR.fullmatch(match[0].rstrip(".,")) is None:  # "8,150 in 2024."
        return False
    before = text[max(match.start() - _NEAR, 0) : match.start()]
    last = next(reversed(plain_words(before)), "")
    behind = re.search(r"\b(?:in|en|since|desde|during|durante|del?)\s+$", before, re.IGNORECASE) is not None
    return behind or (before.endswith(f"{last} ") and is_period_unit(last))  # "3.er trimestre 2025"


def _unit_behind(rest: str) -> str:
    """A unit of measure right behind a number: GB, ms, km."""
    found = re.match(r"\s?(?P<unit>[KMGT]i?B|[kKmMgGtT]b|ms|kWh|MWh|km|kg|h|min|s)\b", rest)
    return found["unit"] if found else ""


#: Words of a name that is a currency and what it is paid for.
_PRICED = 2


@cache
def _units() -> dict[str, str]:
    """Units that a name ends in, as they are written behind a number (`units.json`)."""
    found: dict[str, str] = json.loads((Path(__file__).parent / "units.json").read_text("utf-8"))
    return found


def is_unit(text: str) -> bool:
    """Whether a text is a unit of measure, of time or of money."""
    known = {fold(unit) for pair in _units().items() for unit in pair} | TIMES
    return fold(text) in known or Amount(Fraction(1), text).is_money


def unit_in(path: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """A path without the unit that stands in its last names, and that unit: `disk gb` is `disk` in GB."""
    if (words := path[-1].split() if path else []) and len(words) == _PRICED and Amount(Fraction(1), words[0]).is_money:
        return (*path[:-1], f"price per {words[1]}"), words[0]  # "€/kWh", `usd_kg`
    if len(words) > _PRICED and fold(words[-1]) in _units() and Amount(Fraction(1), words[-2]).is_money:
        return (*path[:-1], " ".join([*words[:-2], words[-1]])), words[-2]  # "peak price (€/kWh)"
    for place in range(len(path) - 1, max(len(path) - 3, -1), -1):
        words = path[place].split()
        for at in range(len(words) - 1, -1, -1):
            unit = _units().get(fold(words[at]), "")
            if unit and len(words) == 1 and unit != "%":
                return path, unit
            if unit:
                rest = " ".join([*words[:at], *words[at + 1 :]])
                return ((*path[:place], *filter(None, [rest]), *path[place + 1 :]) or path), unit
    return path, ""


def measured(path: tuple[str, ...], amount: Amount) -> Figure:
    """An amount under its name: the unit in the name is its own, unless it has another, as a price has, or is one."""
    names, unit = unit_in(path)
    other = amount.unit and unit and fold(amount.unit) != fold(unit)
    if other or (unit not in ("", "%") and not Amount(amount.value, unit).is_money and is_price(Figure(names, amount))):
        return Figure(path, amount)
    return Figure(names, amount if amount.unit else Amount(amount.value, unit))


def is_price(figure: Figure) -> bool:
    """Whether the last name of a figure speaks of money."""
    return (
        re.search(
            r"\b(price|cost|amount|fee|balance|charge|charged|due|paid|spend|spent|invoice|bill|revenue|credit|payment|debt|budget|"
            r"precio|coste|costo|importe|tarifa|saldo|cargo|factura|recibo|gasto|gastado|pago|pagado|deuda|cuota|presupuesto|ppto|monto)s?\b",
            fold(" ".join(figure.path[-2:])),
        )
        is not None
    )
