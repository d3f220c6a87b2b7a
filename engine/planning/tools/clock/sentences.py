"""What the clock says, in English and in Spanish."""

from __future__ import annotations

from datetime import date, datetime, timedelta, tzinfo

from engine.text.dates import weekday_of, written_date
from engine.text.language import Language
from engine.text.numbers import in_language

_EN, _ES = Language.ENGLISH, Language.SPANISH
_UNITS = {
    "day": ("day|days", "día|días"),
    "week": ("week|weeks", "semana|semanas"),
    "month": ("month|months", "mes|meses"),
    "year": ("year|years", "año|años"),
    "hour": ("hour|hours", "hora|horas"),
    "minute": ("minute|minutes", "minuto|minutos"),
}
_TODAY = {_EN: "today", _ES: "hoy"}
_HERE = {_EN: "Here", _ES: "Aquí"}


def counted(count: int, unit: str, language: Language) -> str:
    """So many of a unit: `1 day`, `45 días`."""
    one, many = _UNITS[unit][language is _ES].split("|")
    return f"{in_language(str(count), language)} {one if count == 1 else many}"


def between(one: date, other: date, today: date, unit: str, language: Language) -> str:
    """How far two days are apart, in days and in the unit that was asked for."""
    first, last = sorted((one, other))
    days = (last - first).days
    also = _in_units(first, last, days, unit, language)
    return f"{counted(days, 'day', language)}{also}: {_from_to(first, last, today, language)}."


def _in_units(first: date, last: date, days: int, unit: str, language: Language) -> str:
    if unit == "hour":
        return f" ({counted(days * 24, 'hour', language)})"
    if unit in ("month", "year"):
        return f" ({_years(first, last, language)})"
    if days < 14:
        return ""
    parts = [counted(days // 7, "week", language)] + ([counted(days % 7, "day", language)] if days % 7 else [])
    return f" ({_joined(parts, language)})"


def _years(first: date, last: date, language: Language) -> str:
    whole = (last.year - first.year) * 12 + last.month - first.month - (last.day < first.day)
    years, months = divmod(whole, 12)
    parts = [counted(years, "year", language)] if years else []
    parts += [counted(months, "month", language)] if months or not years else []
    return _joined(parts, language)


def age(born: date, today: date, language: Language) -> str:
    """How old somebody is who was born on a day."""
    return f"{_years(born, today, language)}: {_from_to(born, today, today, language)}."


def _from_to(first: date, last: date, today: date, language: Language) -> str:
    one, other = (_day(day, today, language) for day in (first, last))
    return f"del {one} al {other}" if language is _ES else f"from {one} to {other}"


def _joined(parts: list[str], language: Language) -> str:
    return (" y " if language is _ES else " and ").join(parts)


def _day(day: date, today: date, language: Language) -> str:
    return f"{written_date(day, language)}{f' ({_TODAY[language]})' if day == today else ''}"


def away(moved_by: str, start: date, day: date, today: date, language: Language, *, back: bool) -> str:
    """The date that is so far from another one."""
    full = f"{written_date(day, language, weekday=True)} ({day.isoformat()})"
    if language is _ES:
        if start == today:
            return f"{'Hace' if back else 'Dentro de'} {moved_by}{' fue' if back else ' será'} {full}."
        return f"{moved_by} {'antes' if back else 'después'} del {written_date(start, language)}: {full}."
    if start == today:
        return f"{moved_by} ago was {full}." if back else f"In {moved_by} it will be {full}."
    return f"{moved_by} {'before' if back else 'after'} {written_date(start, language)}: {full}."


def weekday(day: date, today: date, language: Language) -> str:
    """The day of the week of a date."""
    name, shown = weekday_of(day, language), f"{written_date(day, language)} ({day.isoformat()})"
    if language is _ES:
        if day == today:
            return f"Hoy es {name}, {shown}."
        return f"El {shown} {'fue' if day < today else 'será'} {name}."
    if day == today:
        return f"Today is {name}, {shown}."
    return f"{shown} {'was' if day < today else 'is'} a {name}."


def moment(name: str, then: datetime, language: Language) -> str:
    """The time at a place; an empty name is where the question comes from."""
    offset = then.strftime("%z")
    at = then.strftime("%H:%M")
    day = f"{weekday_of(then.date(), language)}, {written_date(then.date(), language)}"
    return f"{name or _HERE[language]}: {at}, {day} (UTC{offset[:3]}:{offset[3:5]})"


def difference(zones: list[tuple[str, tzinfo]], now: datetime, language: Language) -> str:
    """How far the clocks of two places are apart, with the time at both."""
    (one, first), (other, second) = zones[:2]
    here, there = now.astimezone(first), now.astimezone(second)
    minutes = int(((there.utcoffset() or timedelta()) - (here.utcoffset() or timedelta())).total_seconds() // 60)
    hours, rest = divmod(abs(minutes), 60)
    parts = [counted(hours, "hour", language)] + ([counted(rest, "minute", language)] if rest else [])
    apart = _joined(parts, language)
    if language is _ES:
        way = "por delante de" if minutes > 0 else "por detrás de"
        said = f"{other} va {apart} {way} {one}." if minutes else f"{one} y {other} tienen la misma hora."
    else:
        way = "ahead of" if minutes > 0 else "behind"
        said = f"{other} is {apart} {way} {one}." if minutes else f"{one} and {other} have the same time."
    return "\n".join([said, moment(one, here, language), moment(other, there, language)])


def leap(year: int, language: Language, *, is_leap: bool) -> str:
    """Whether a year is a leap year."""
    if language is _ES:
        return f"{'Sí' if is_leap else 'No'}: {year} {'es' if is_leap else 'no es'} bisiesto."
    return f"{'Yes' if is_leap else 'No'}: {year} {'is' if is_leap else 'is not'} a leap year."


def length(days: int, name: str, language: Language) -> str:
    """How many days a month or a year has."""
    count = counted(days, "day", language)
    return f"{name[0].upper()}{name[1:]} {'tiene' if language is _ES else 'has'} {count}."
