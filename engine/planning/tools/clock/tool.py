"""The clock: what time and day it is where, days between dates, and dates so many days away."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, tzinfo

from engine.planning.tools.calculator.numerals import normal
from engine.planning.tools.calculator.reading import digits
from engine.planning.tools.clock import sentences
from engine.planning.tools.clock.places import OFFSET, zones_in
from engine.planning.tools.clock.questions import clock_answer
from engine.planning.tools.port import QueryTool, ToolResult
from engine.text.dates import dates_in, moved
from engine.text.language import Language, language_of

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
#: Asks of this moment, or of a day by how far it is from this one.
_NOW = re.compile(
    r"\b(?:now|today|tomorrow|yesterday|tonight|current|is it|here|ahora|hoy|mañana|ayer|actual|aquí)\b"
    r"|\b(?:time|date|day|hora|d[ií]a|fecha)(?: is| es)?\W*$|現在|现在|今天|明天|昨天",
    _I,
)
#: What words for days are read from where it is only asked whether there are any.
_ANY_DAY = date(2024, 1, 1)
_UNITS = (("month", "month|mes|個?月"), ("year", "year|año|年"), ("week", "week|semana|週|周|個?星期"), ("day", ""))


class Clock(QueryTool):
    """Times, dates and durations. Fulfils `Tool`.

    Args:
        now: The time, with its zone, which is the zone of questions that name none.
    """

    name = "time"
    description = (
        "Current time and date in a place or zone, weekday of a date, days between dates, dates so many days away. "
        "Query: the question itself, such as `time in Tokyo` or `days until 2026-12-25`."
    )
    seconds = 2.0

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now

    async def answer(self, query: str) -> ToolResult:
        """The answer in the language of the query, one line for each time or date."""
        try:
            return ToolResult(text=told(query, self._now()))
        except (ValueError, OverflowError):
            return ToolResult(error="the place or the date is not known")


def is_for_a_clock(text: str) -> bool:
    """Whether a question about time names what a clock knows: now, a place or a date, and not a thing's day."""
    plain = digits(normal(text), language_of(text), ordinals=False)
    return _NOW.search(text) is not None or bool(zones_in(plain)) or bool(dates_in(plain, _ANY_DAY))


def told(query: str, now: datetime) -> str:
    """What `query` asks of the clock, in its language; a query that is more than that is read for what it names.

    Raises:
        ValueError: A date that no calendar has, or a place without a known zone.
        OverflowError: A date too far away.
    """
    return clock_answer(query, now) or _told(query, now, language_of(query))


def _told(query: str, now: datetime, language: Language) -> str:
    text = digits(normal(query), language, ordinals=False)
    zones = zones_in(text)
    here = now.astimezone(zones[0][1]) if zones else now
    back = _BACK.search(text) is not None
    days = dates_in(text, here.date(), ahead=not back)
    away = _AWAY.search(text)
    if away:
        return _away(away, days[0] if days else here.date(), here.date(), language)
    if days and _COUNT.search(text):
        other = days[1] if len(days) > 1 else here.date()
        return sentences.between(days[0], other, here.date(), "day", language)
    hour = _AT.search(OFFSET.sub("", text))
    if hour and zones:
        return _elsewhere(hour, zones, now, language)
    if len(zones) > 1 and _DIFFERENCE.search(text):
        return sentences.difference(zones, now, language)
    if zones or days:
        said = [sentences.moment(name, now.astimezone(zone), language) for name, zone in zones]
        return "\n".join(said or [sentences.weekday(day, here.date(), language) for day in days])
    if _SOMEWHERE.search(text):
        raise ValueError("a place that has no zone here")
    return sentences.moment("", now, language)


def _away(match: re.Match[str], start: date, today: date, language: Language) -> str:
    parts = match.groupdict()
    count = int(next(parts[name] for name in ("n1", "n2", "n3", "n4") if parts[name]))
    written = next(parts[name] for name in ("u1", "u2", "u3", "u4") if parts[name]).lower()
    back = (
        bool(parts["n3"]) or (parts["back"] or "").lower() in ("before", "ago", "antes") or "前" in (parts["way"] or "")
    )
    unit = next(unit for unit, names in _UNITS if re.match(names, written))
    day = moved(start, -count if back else count, unit)
    return sentences.away(sentences.counted(count, unit, language), start, day, today, language, back=back)


def _elsewhere(match: re.Match[str], zones: list[tuple[str, tzinfo]], now: datetime, language: Language) -> str:
    """A time of day in the first place, in the others; in the questioner's own zone where only one place is named."""
    hour = int(match["h"] or 0) if match["h"] else int(match["h12"]) % 12 + (12 if match["half"].lower() == "pm" else 0)
    moment = now.astimezone(zones[0][1]).replace(hour=hour, minute=int(match["m"] or 0), second=0, microsecond=0)
    others = [(name, moment.astimezone(zone)) for name, zone in zones[1:]] or [("", moment.astimezone(now.tzinfo))]
    return "\n".join(sentences.moment(name, there, language) for name, there in [(zones[0][0], moment), *others])
