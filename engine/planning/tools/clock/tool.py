"""The clock: what time and day it is where, days between dates, and dates so many days away."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta, tzinfo

from engine.planning.tools.calculator.arithmetic import digits
from engine.planning.tools.calculator.numerals import normal
from engine.planning.tools.clock.dates import dates_in
from engine.planning.tools.clock.places import OFFSET, zones_in
from engine.planning.tools.port import BAD_ARGUMENTS, QUERY_SCHEMA, Arguments, ToolResult, query_in

_I = re.IGNORECASE
_COUNT = re.compile(
    r"\bhow (many (days|weeks)|long)\b|\b(days|weeks) (until|till|to|since|between|left)\b"
    r"|\bcu[aá]nt[oa]s (d[ií]as|semanas)\b|\b(d[ií]as|semanas) (hasta|desde|entre|faltan)\b"
    r"|(幾|几|多少)\s*(天|日|週|周|個?星期)",
    _I,
)
_BACK = re.compile(r"\b(since|ago|passed|desde|pasado|hace)\b|過了|过了|已經|至今", _I)
_AWAY = re.compile(
    r"\b(?:in|dentro de|en) (?P<n1>\d{1,6}) (?P<u1>days?|weeks?|months?|years?|d[ií]as?|semanas?|meses|mes|años?)\b"
    r"|\b(?P<n2>\d{1,6}) (?P<u2>days?|weeks?|months?|years?|d[ií]as?|semanas?|meses|mes|años?) "
    r"(?P<back>before|ago|antes|after|from|later|despu[eé]s|desde|a partir)\b"
    r"|\bhace (?P<n3>\d{1,6}) (?P<u3>d[ií]as?|semanas?|meses|mes|años?)\b"
    r"|(?P<n4>\d{1,6})\s*(?P<u4>天|日|週|周|個?星期|個?月|年)\s*(?P<way>之?後|之?后|之?前)",
    _I,
)
_AT = re.compile(r"(?<!\d)(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]\d)(?!\d)|\b(?P<h12>1[0-2]|[1-9])\s*(?P<half>am|pm)\b", _I)
_DIFFERENCE = re.compile(r"\bdifference\b|\bdiferencia\b|時差|时差|相差", _I)
_SOMEWHERE = re.compile(r"\b(time|hora|date|fecha)\b.* (in|at|en) (?!the |this |my |this |este |ese )\w", _I)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Clock:
    """Times, dates and durations. Fulfils `Tool`.

    Args:
        now: The time, with its zone, which is the zone of questions that name none.
    """

    name = "time"
    description = (
        "Current time and date in a place or zone, weekday of a date, days between dates, dates so many days away. "
        "Query: the question itself, such as `time in Tokyo` or `days until 2026-12-25`."
    )
    schema = QUERY_SCHEMA
    seconds = 2.0

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now

    async def call(self, arguments: Arguments) -> ToolResult:
        """See `Tool.call`: one line for each time or date, in ISO 8601 with the weekday."""
        query = query_in(arguments)
        if not query:
            return BAD_ARGUMENTS
        try:
            return ToolResult(text=told(query, self._now()))
        except (ValueError, OverflowError):
            return ToolResult(error="the place or the date is not known")

    async def close(self) -> None:
        """See `Tool.close`: it holds nothing."""


def told(query: str, now: datetime) -> str:
    """What `query` asks of the clock.

    Raises:
        ValueError: A date that no calendar has, or a place without a known zone.
        OverflowError: A date too far away.
    """
    text = digits(normal(query), ordinals=False)
    zones = zones_in(text)
    here = now.astimezone(zones[0][1]) if zones else now
    back = _BACK.search(text) is not None
    days = dates_in(text, here.date(), ahead=not back)
    away = _AWAY.search(text)
    if away:
        return _away(away, days[0] if days else here.date())
    if days and _COUNT.search(text):
        return _between(days[0], days[1] if len(days) > 1 else here.date(), here.date())
    hour = _AT.search(OFFSET.sub("", text))
    if hour and zones:
        return _elsewhere(hour, zones, now)
    if zones:
        lines = [_line(name, now.astimezone(zone)) for name, zone in zones]
        return _difference(zones, now) if len(zones) > 1 and _DIFFERENCE.search(text) else "\n".join(lines)
    if days:
        return "\n".join(f"{day.isoformat()} is a {_WEEKDAYS[day.weekday()]}" for day in days)
    if _SOMEWHERE.search(text):
        raise ValueError("a place that has no zone here")
    return _line("Here", now)


def _line(name: str, moment: datetime) -> str:
    offset = moment.strftime("%z")
    weekday = _WEEKDAYS[moment.weekday()]
    return f"{name}: {weekday}, {moment.strftime('%Y-%m-%d %H:%M')}, UTC{offset[:3]}:{offset[3:5]}"


def _between(one: date, other: date, today: date) -> str:
    first, last = sorted((one, other))
    count = (last - first).days
    names = ["today" if day == today else "" for day in (first, last)]
    shown = [f"{day.isoformat()}{f' ({name})' if name else ''}" for day, name in zip((first, last), names, strict=True)]
    weeks = f" ({count // 7} weeks and {count % 7} days)" if count >= 14 else ""
    return f"From {shown[0]} to {shown[1]}: {count} day{'' if count == 1 else 's'}{weeks}"


def _away(match: re.Match[str], start: date) -> str:
    parts = match.groupdict()
    count = int(next(parts[name] for name in ("n1", "n2", "n3", "n4") if parts[name]))
    unit = next(parts[name] for name in ("u1", "u2", "u3", "u4") if parts[name]).lower()
    back = (
        bool(parts["n3"]) or (parts["back"] or "").lower() in ("before", "ago", "antes") or "前" in (parts["way"] or "")
    )
    day = _moved(start, -count if back else count, unit)
    way = "before" if back else "after"
    return f"{count} {unit} {way} {start.isoformat()}: {day.isoformat()}, a {_WEEKDAYS[day.weekday()]}"


def _moved(start: date, count: int, unit: str) -> date:
    if re.match(r"month|mes|個?月", unit) or re.match(r"year|año|年", unit):
        months = start.year * 12 + start.month - 1 + count * (1 if re.match(r"month|mes|個?月", unit) else 12)
        year, month = divmod(months, 12)
        for day in range(start.day, 0, -1):  # the 31st of a shorter month is its last day
            try:
                return date(year, month + 1, day)
            except ValueError:
                if day <= 28:
                    raise
    return start + timedelta(count * (7 if re.match(r"week|semana|週|周|個?星期", unit) else 1))


def _elsewhere(match: re.Match[str], zones: list[tuple[str, tzinfo]], now: datetime) -> str:
    """A time of day in the first place, in the others; in the questioner's own zone where only one place is named."""
    hour = int(match["h"] or 0) if match["h"] else int(match["h12"]) % 12 + (12 if match["half"].lower() == "pm" else 0)
    moment = now.astimezone(zones[0][1]).replace(hour=hour, minute=int(match["m"] or 0), second=0, microsecond=0)
    others = [(name, moment.astimezone(zone)) for name, zone in zones[1:]] or [("Here", moment.astimezone(now.tzinfo))]
    return "\n".join(_line(name, there) for name, there in [(zones[0][0], moment), *others])


def _difference(zones: list[tuple[str, tzinfo]], now: datetime) -> str:
    (one, first), (other, second) = zones[:2]
    here, there = now.astimezone(first), now.astimezone(second)
    minutes = int(((there.utcoffset() or timedelta()) - (here.utcoffset() or timedelta())).total_seconds() // 60)
    hours = f"{abs(minutes) // 60}:{abs(minutes) % 60:02d} hours"
    apart = f"{other} is {hours} {'ahead of' if minutes > 0 else 'behind'} {one}" if minutes else "the same time"
    return f"{apart}\n{_line(one, here)}\n{_line(other, there)}"
