"""Dates as people write them, in English, Spanish and Chinese, and how a date is written in a language.

Source:
    Names of months and weekdays are those of CLDR, as babel reads them. A general date parser (dateparser) was weighed
    and left out: it takes single words and numbers of a sentence for dates.
"""

from __future__ import annotations

import calendar
import itertools
import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache

from classifier.text import casefolded
from engine.text.language import Language

_LOCALES = ("en", "es")
_WEEK = 7
_APOSTROPHES = re.compile(r"['’]")
#: Letters of a text up to which it is remembered folded, and texts that are: names and words are folded time and again.
_SHORT, _REMEMBERED = 80, 8192
#: Days that have a name, as month and day; folded.
_NAMED = {
    r"christmas eve|nochebuena": (12, 24),
    r"christmas(?: day)?|(?:dia de )?navidad|聖誕節?|圣诞节?": (12, 25),
    r"new year s eve|new years eve|nochevieja|fin de ano": (12, 31),
    r"new year(?: ?s)?(?: day)?|(?:dia de )?ano nuevo|元旦|新年": (1, 1),
    r"valentine ?s day|(?:dia de )?san valentin": (2, 14),
    r"halloween": (10, 31),
}
#: Days counted from today, the longer words first; folded.
_RELATIVE = {
    r"(?:the )?day after tomorrow|pasado manana|後天|后天": 2,
    r"(?:the )?day before yesterday|anteayer|antes de ayer|前天": -2,
    r"tomorrow|manana|明天": 1,
    r"yesterday|ayer|昨天": -1,
    r"today|right now|now|hoy|ahora|今天|今日|現在|现在": 0,
}
#: What stands between the first and the last of several days of the week or months.
BETWEEN_ENDS = re.compile(r"\W*(?:-|–|to|through|thru|until|till|a|al|hasta)\W*(?:el\b\W*)?")
_ARTICLE = r"(?:\b(?:the|on|el|del|al|este|this)\s+)?"


@dataclass(frozen=True, slots=True)
class Named:
    """A date that a text names.

    Attributes:
        start, end: Its place in the folded text.
        whole: It is written with a year, or is counted from today.
    """

    start: int
    end: int
    day: date
    whole: bool = True


def fold(text: str) -> str:
    """`text` in lower case, without accents and apostrophes; as long as it was only where it had none of them."""
    return _folded(text) if len(text) <= _SHORT else _APOSTROPHES.sub(" ", casefolded(text))


@lru_cache(_REMEMBERED)
def _folded(text: str) -> str:
    return _APOSTROPHES.sub(" ", casefolded(text))


@cache
def months() -> dict[str, int]:
    """The numbers of the months, by folded name and abbreviation."""
    from babel import Locale

    found = {"sept": 9, "setiembre": 9}
    for locale in map(Locale.parse, _LOCALES):
        for width in ("wide", "abbreviated"):
            found |= {fold(name).rstrip("."): number for number, name in locale.months["format"][width].items()}
    return found


@cache
def weekdays() -> dict[str, int]:
    """The numbers of the days of the week, Monday is 0, by folded name."""
    from babel import Locale

    return {fold(name): number for one in _LOCALES for number, name in Locale.parse(one).days["format"]["wide"].items()}


def weekdays_named(text: str) -> set[int]:
    """The numbers of the days of the week that a text names, those between two of them too: "Monday to Friday"."""
    folded = fold(text)
    said = list(re.finditer(rf"\b({'|'.join(weekdays())})s?\b", folded))
    named = {weekdays()[match[1]] for match in said}
    for one, other in itertools.pairwise(said):
        if BETWEEN_ENDS.fullmatch(folded[one.end() : other.start()]):
            first, last = weekdays()[one[1]], weekdays()[other[1]]
            named |= {(first + step) % _WEEK for step in range((last - first) % _WEEK)}
    return named


@cache
def _forms() -> list[re.Pattern[str]]:
    """Each names year, month and day; a missing year is the one that is meant from where `today` stands."""
    month = "|".join(sorted(months(), key=len, reverse=True))
    day = "|".join(sorted(weekdays(), key=len, reverse=True))
    before = rf"{_ARTICLE}(?:\b(?:{day}),?\s+)?{_ARTICLE}"
    return [
        re.compile(before + pattern)
        for pattern in (
            r"\b(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})\b",
            r"(?:(?P<y>\d{4})\s*年\s*)?(?P<m>\d{1,2})\s*月\s*(?P<d>\d{1,2})\s*[日號号]?",
            rf"\b(?:dia )?(?P<d>\d{{1,2}})(?:st|nd|rd|th|º|°)?(?: of| de)? (?P<m>{month})\b\.?(?:,? (?:de |del )?(?P<y>\d{{4}}))?",  # noqa: E501
            rf"\b(?P<d>primero|first) (?:of|de) (?P<m>{month})\b(?:,? (?:de |del )?(?P<y>\d{{4}}))?",
            rf"\b(?P<m>{month})\b\.? (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s?%|[.,]\d)(?:,? (?P<y>\d{{4}}))?",
            r"\b(?P<d>\d{1,2})[/.-](?P<m>\d{1,2})[/.-](?P<y>\d{4})\b",
        )
    ]


@cache
def _named() -> list[tuple[re.Pattern[str], tuple[int, int]]]:
    after = r"(?![a-z])(?:\s+(?:of |de |del )?(?P<y>\d{4})\b)?"
    return [(re.compile(rf"{_ARTICLE}(?<![a-z])(?:{names}){after}"), day) for names, day in _NAMED.items()]


@cache
def _relative() -> list[tuple[re.Pattern[str], int]]:
    return [(re.compile(rf"(?<![a-z])(?:{names})(?![a-z])"), days) for names, days in _RELATIVE.items()]


@cache
def _weekday() -> re.Pattern[str]:
    day = "|".join(sorted(weekdays(), key=len, reverse=True))
    return re.compile(
        rf"{_ARTICLE}(?:\b(?P<far>next|coming|following|proximo|siguiente)\s+)?(?P<past>\blast\s+)?\b(?P<day>{day})\b"
        r"(?P<also>\s+(?:que viene|proximo|siguiente))?(?P<gone>\s+pasado)?"
    )


@cache
def _any() -> re.Pattern[str]:
    """What stands in every date: most texts are looked at once, instead of by each of the forms."""
    months_, days = ("|".join(sorted(names, key=len, reverse=True)) for names in (months(), weekdays()))
    return re.compile(
        rf"\d[-/.]\d{{1,2}}[-/.]\d|月|\b(?:{months_}|{days})\b|(?<![a-z])(?:{'|'.join((*_NAMED, *_RELATIVE))})(?![a-z])"
    )


def find_dates(text: str, today: date, *, ahead: bool = True, strict: bool = False) -> list[Named]:
    """The dates that a folded text names, in their order.

    Args:
        text: As `fold` makes it.
        ahead: A date without a year is the next one, otherwise the last one.
        strict: Refuses what no calendar has, "30 February"; otherwise that is no date.

    Raises:
        ValueError: No calendar has one of them.
    """
    if _any().search(text) is None:
        return []
    found: list[Named] = []
    rest = text
    for form in _forms():
        for match in form.finditer(rest):
            parts = match.groupdict()
            try:
                found.append(Named(*match.span(), _day(parts, today, ahead=ahead), bool(parts["y"])))
            except ValueError:
                if strict:
                    raise
        rest = form.sub(_blank, rest)
    for pattern, (month, number) in _named():
        for match in pattern.finditer(rest):
            year = int(match["y"] or 0)
            day = date(year, month, number) if year else _turned(today, month, number, ahead=ahead)
            found.append(Named(*match.span(), day, year > 0))
        rest = pattern.sub(_blank, rest)
    for pattern, days in _relative():
        found += [Named(*match.span(), today + timedelta(days)) for match in pattern.finditer(rest)]
        rest = pattern.sub(_blank, rest)
    found += [Named(*m.span(), _next_weekday(m.groupdict(), today)) for m in _weekday().finditer(rest)]
    return sorted(found, key=lambda one: one.start)


def dates_in(text: str, today: date, *, ahead: bool = True) -> list[date]:
    """The days that `text` names, in their order; see `find_dates`, which refuses what no calendar has."""
    return [named.day for named in find_dates(fold(text), today, ahead=ahead, strict=True)]


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _day(parts: dict[str, str], today: date, *, ahead: bool) -> date:
    month = months().get(parts["m"]) or int(parts["m"])
    number = int(parts["d"]) if parts["d"].isdigit() else 1
    if month > 12 >= number:  # 12/25/2026, as it is written in America
        month, number = number, month
    return date(int(parts["y"]), month, number) if parts["y"] else _turned(today, month, number, ahead=ahead)


def _next_weekday(parts: dict[str, str], today: date) -> date:
    """The next day of that name after today, or the last one before it."""
    number = weekdays()[parts["day"]]
    if parts["past"] or parts["gone"]:
        return today - timedelta((today.weekday() - number - 1) % _WEEK + 1)
    return today + timedelta((number - today.weekday() - 1) % _WEEK + 1)


def _turned(today: date, month: int, number: int, *, ahead: bool) -> date:
    """That day of the year which is meant: the next from today on, or the last until today."""
    for years in range(9):  # the 29th of February comes every four years, at a century's end every eight
        try:
            day = date(today.year + (years if ahead else -years), month, number)
        except ValueError:
            continue
        if day >= today if ahead else day <= today:
            return day
    raise ValueError("no year has this day")


def moved(start: date, count: int, unit: str) -> date:
    """`start` moved by so many days, weeks, months or years; the 31st of a shorter month is its last day."""
    if unit in ("day", "week"):
        return start + timedelta(count * (_WEEK if unit == "week" else 1))
    months_ = start.year * 12 + start.month - 1 + count * (12 if unit == "year" else 1)
    year, month = divmod(months_, 12)
    if not 1 <= year <= 9999:
        raise OverflowError("a year that no calendar has")
    return date(year, month + 1, min(start.day, calendar.monthrange(year, month + 1)[1]))


def written_date(day: date, language: Language, *, weekday: bool = False) -> str:
    """A date in the language, with its year: `December 25, 2026`, `25 de diciembre de 2026`."""
    from babel.dates import format_date

    return str(format_date(day, "full" if weekday else "long", locale=str(language)))


def weekday_of(day: date, language: Language) -> str:
    """The name of the day's weekday in the language."""
    from babel.dates import format_date

    return str(format_date(day, "EEEE", locale=str(language)))
