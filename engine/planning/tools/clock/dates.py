"""Dates as people write them, in English, Spanish and Chinese."""

from __future__ import annotations

import re
from datetime import date, timedelta

_MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "january jan enero ene",
            "february feb febrero",
            "march mar marzo",
            "april apr abril abr",
            "may mayo",
            "june jun junio",
            "july jul julio",
            "august aug agosto ago",
            "september sep sept septiembre setiembre",
            "october oct octubre",
            "november nov noviembre",
            "december dec diciembre dic",
        ],
        1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
#: Each names year, month and day; a missing year is the one that is meant from where `today` stands.
_FORMS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})\b",
        r"(?:(?P<y>\d{4})\s*年\s*)?(?P<m>\d{1,2})\s*月\s*(?P<d>\d{1,2})\s*[日號号]",
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of| de)? (?P<m>{_MONTH})\b\.?(?:,? (?:de |del )?(?P<y>\d{{4}}))?",
        rf"\b(?P<m>{_MONTH})\b\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y>\d{{4}}))?",
        r"\b(?P<d>\d{1,2})/(?P<m>\d{1,2})/(?P<y>\d{4})\b",
    )
]
#: Days that have a name, as month and day.
_NAMED = [
    (re.compile(r"\b(christmas( day)?|navidad)\b|聖誕節?|圣诞节?", re.IGNORECASE), (12, 25)),
    (re.compile(r"\b(new year('?s day)?|año nuevo)\b|元旦|新年", re.IGNORECASE), (1, 1)),
]
#: Days counted from today, the longer words first.
_RELATIVE = [
    (re.compile(r"\b(day after tomorrow|pasado mañana)\b|後天|后天", re.IGNORECASE), 2),
    (re.compile(r"\b(day before yesterday|anteayer)\b|前天", re.IGNORECASE), -2),
    (re.compile(r"\b(tomorrow|mañana)\b|明天", re.IGNORECASE), 1),
    (re.compile(r"\b(yesterday|ayer)\b|昨天", re.IGNORECASE), -1),
    (re.compile(r"\b(today|hoy|now|ahora)\b|今天|今日|現在|现在", re.IGNORECASE), 0),
]


def dates_in(text: str, today: date, *, ahead: bool = True) -> list[date]:
    """The dates that `text` names, in their order.

    Args:
        ahead: A date without a year is the next one, otherwise the last one.

    Raises:
        ValueError: No calendar has one of them.
    """
    found: list[tuple[int, date]] = []
    rest = text
    for form in _FORMS:
        found += [(match.start(), _day(match.groupdict(), today, ahead=ahead)) for match in form.finditer(rest)]
        rest = form.sub(lambda match: " " * len(match[0]), rest)
    for named, (month, number) in _NAMED:
        found += [(m.start(), _turned(today, month, number, ahead=ahead)) for m in named.finditer(rest)]
    for relative, days in _RELATIVE:
        found += [(m.start(), today + timedelta(days)) for m in relative.finditer(rest)]
        rest = relative.sub(lambda match: " " * len(match[0]), rest)
    return [day for _, day in sorted(found, key=lambda pair: pair[0])]


def _day(parts: dict[str, str], today: date, *, ahead: bool) -> date:
    month = _MONTHS.get(parts["m"].lower()) or int(parts["m"])
    number = int(parts["d"])
    if month > 12 >= number:  # 12/25/2026, as it is written in America
        month, number = number, month
    return date(int(parts["y"]), month, number) if parts["y"] else _turned(today, month, number, ahead=ahead)


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
