"""The figures of one written value: a number, a day, "7,500 of 10,000", or several pieces between signs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.generation.extractive.account_figures.figure import (
    SIGN,
    Amount,
    Day,
    Figure,
    amounts_in,
    day_of,
    days_in,
    measured,
    value_of,
    words_of_key,
)
from engine.generation.extractive.account_figures.measures import USED
from engine.generation.extractive.account_figures.reading.sentences import sentence_figures
from engine.generation.extractive.account_figures.vocabulary import role_of
from engine.text.language import Language, language_of
from engine.text.words import has_digit

#: A name with its value behind a sign; the name may be marked, indented, or an item of a list.
PAIR = re.compile(
    r"^(?P<indent>\s*)(?:[-*+•]\s+)?(?:\*\*)?(?P<key>[^\W\d_][^:=|\t]{0,60}?)(?:\*\*)?"
    r"\s*(?::(?:\*\*)?|=|\t)\s*(?P<value>.*)$"
)
#: Between the pieces of a value: brackets, semicolons, commas that stand in no number.
_BETWEEN = re.compile(r"\s*[();]\s*|,\s+(?:of which )?|\s+·\s+")
#: A name with its number behind it.
_COUNTED = re.compile(
    rf"(?P<name>[QT][1-4]|[^\W\d_][^\d:=$€£]*?)\s(?P<value>(?:{SIGN}\s?)?\d[\d.,]*(?:\s?[^\W\d_]{{1,12}}|\s?(?:%|{SIGN}))?)"
)
#: From one day to another, each as a sign.
_STRETCH = re.compile(
    r"(?:from|since|desde|del?)?\s*(?:el\s+)?#\s*(?:-|–|—|/|to|until|till|al?|hasta)\s*(?:el\s+)?#", re.IGNORECASE
)
#: The first day of a stretch within one month, before its last one as a sign: "1-30 June 2026".
_FROM_DAY = re.compile(r"(?:del?\s+)?(?P<day>\d{1,2})\s*(?:-|–|—|to|a|hasta)\s*(?:el\s+)?#", re.IGNORECASE)
#: A name with its value in brackets, what stands between two such, and the end of a statement behind a number.
_BRACKETED = re.compile(r"(?P<name>[^\W_][^(),;:]*?)\s*\((?P<value>[^()]+)\)")
_ITEMS, _ENDED = re.compile(r"(?<=\))\s*(?:[,;]|\band\b|\by\b)\s*"), re.compile(r"(?<=[\d€%])\.\s*$")
#: One year and the next, the second in full or by two digits: the name of a season or of a financial year.
_SEASON = re.compile(r"(?P<first>(?:19|20)\d\d)\s*[/–-]\s*(?P<second>(?:19|20)?\d\d)")
#: Names above a figure on one line: "storage: disk: used: 3 GB" has three.
_DEPTH = 8
#: Letters of a unit; what is longer is a thing that is counted.
_UNIT = 4


def figures_of(path: tuple[str, ...], value: str, language: Language) -> list[Figure]:
    """A line's figure; "7,500 of 10,000" are two."""
    shares = re.fullmatch(r"(?P<a>\S.*?)\s*(?:/|\bof\b|\bout of\b|\bde\b)\s*(?P<b>\S.*)", value)
    if shares and day_of(value) is None and not _is_season(value):
        one, other = value_of(shares["a"], language), value_of(shares["b"], language)
        if isinstance(one, Amount) and isinstance(other, Amount):
            unit, words = one.unit or other.unit, path[-1].split()
            thing = " ".join(word for word in words if role_of(word) != USED) or path[-1]  # "data used: 3 GB of 10 GB"
            used = path if thing != path[-1] else (*path, "used")
            return [Figure(used, Amount(one.value, unit)), Figure((*path[:-1], thing, "limit"), other)]
    typed = typed_of(path, value, language)
    return pieces(path, value, language) if isinstance(typed.value, str) else [typed]


def pieces(path: tuple[str, ...], value: str, language: Language) -> list[Figure]:
    """What a value of several pieces says: "64 (October: 71)", "2 (37,00 €)", "valid until 14 Feb 2027"."""
    if isinstance(typed := value_of(value, language), Day) or _is_season(value):
        return [Figure(path, typed)]
    days = days_in(value)
    between = _without_days(value, days)
    if days and _STRETCH.fullmatch(between):
        return _stretch(path, days[0][2], days[1][2])
    if len(days) == 1 and (first := _FROM_DAY.fullmatch(between)):
        return _from_day(path, int(first["day"]), days[0][2])
    if rows := _bracketed(path, value, language):
        return rows
    found: list[Figure] = []
    parts = [part for part in (part.strip() for part in _BETWEEN.split(_ENDED.sub("", value))) if part]
    named = [_COUNTED.fullmatch(part) for part in parts]
    whole = value_of(parts[0], language) if parts else None
    if len(parts) > 1 and all(named[isinstance(whole, Amount) :]):  # "26.4 t (Eastgate 14.1 t, Mill Road 12.3 t)"
        told = [(words_of_key(one["name"]), value_of(one["value"], language)) for one in named if one]
        of_parts = [Figure((*path, name), amount) for name, amount in told]
        return [Figure(path, whole), *of_parts] if isinstance(whole, Amount) else of_parts
    for piece in parts:
        found += _piece(path, piece, found, language)
    plain = len(found) > 1 and all(isinstance(f.value, str) for f in found)
    return [Figure(path, value)] if plain or not found else found


def _is_season(value: str) -> bool:
    """Whether a value is two years that follow one another: "2025/2026", "2025/26"."""
    years = _SEASON.fullmatch(value.strip())
    return years is not None and (int(years["first"]) + 1) % 100 == int(years["second"]) % 100


def _stretch(path: tuple[str, ...], first: Day, last: Day) -> list[Figure]:
    """The last day of a stretch, and the first, which is not of the thing: it ends."""
    since = "desde" if language_of(" ".join(path)) is Language.SPANISH else "since"
    return [Figure(path, last), Figure((*path[:-1], since), first)]


def _from_day(path: tuple[str, ...], first: int, last: Day) -> list[Figure]:
    """The last and the first day of a stretch within one month: "1-30 June 2026"."""
    if not 0 < first < last.day.day:
        return [Figure(path, last)]
    return _stretch(path, replace(last, day=last.day.replace(day=first), written=""), last)


def _bracketed(path: tuple[str, ...], value: str, language: Language) -> list[Figure]:
    """The rows of a list of names, each with its number or day in brackets: "Unit 3 (USD 870), Unit 7 (USD 45)"."""
    told = [_BRACKETED.fullmatch(part) for part in _ITEMS.split(value.strip(" ."))]
    if len(told) < 2 or None in told:
        return []
    rows = [(one["name"], typed_of(path, one["value"], language)) for one in told if one]
    if {type(figure.value) for _, figure in rows} not in ({Amount}, {Day}):
        return []
    return [replace(figure, row=name, listed=path, row_key=path[-1]) for name, figure in rows]


def _without_days(value: str, days: Sequence[tuple[int, int, Day]]) -> str:
    """A text with a sign in the place of each of its days."""
    for start, end, day in reversed(days):  # "al 30 de junio" is its day with a word before it
        value = f"{value[:start]}{'a ' if day.written.startswith('al ') else ''}#{value[end:]}"
    return value


def _piece(path: tuple[str, ...], piece: str, before: list[Figure], language: Language) -> list[Figure]:
    """What one piece says behind the figures before it."""
    one, days = value_of(piece, language), days_in(piece)
    if len(path) < _DEPTH and (inner := PAIR.match(piece)) and inner["value"]:
        return figures_of((*path, words_of_key(inner["key"])), inner["value"], language)
    if isinstance(one, Amount) and before and len(one.unit) > _UNIT and not one.is_money:  # "1,860.20 (62 orders)"
        return [Figure((*path, one.unit), Amount(one.value))]
    if isinstance(one, Amount | Day):
        return [Figure((*path, "date") if isinstance(one, Day) and before else path, one)]
    if days:
        rest = f"{piece[: days[0][0]]} {piece[days[0][1] :]}".strip()
        if has_digit(rest):
            return [Figure(path, days[0][2]), typed_of(path, rest, language)]
        return [Figure((*path, words_of_key(rest)), days[0][2])]
    return _counted(path, piece, before, language)


def _counted(path: tuple[str, ...], piece: str, before: list[Figure], language: Language) -> list[Figure]:
    """What a piece says that begins with a number; any other is a text."""
    amounts = amounts_in(piece, language)
    if len(amounts) > 1 and not amounts[0][0]:  # "$84,310 from 612 donors"
        rest = piece[amounts[0][1] :]
        return [
            Figure(path, amounts[0][2]),
            *(replace(f, path=(*path, *f.path)) for f in sentence_figures(rest, language)),
        ]
    if amounts and not amounts[0][0] and not has_digit(piece[amounts[0][1] :]):  # "9 are assigned"
        state = words_of_key(piece[amounts[0][1] :].strip())
        return [Figure((*path, state) if before and state else path, amounts[0][2])]
    return [Figure((*path, "status") if before else path, piece)]


def typed_of(path: tuple[str, ...], value: str, language: Language) -> Figure:
    """The figure of a value of one piece: what no amount and no day is, is a text."""
    typed = value_of(value, language)
    return measured(path, typed) if isinstance(typed, Amount) else Figure(path, typed)
