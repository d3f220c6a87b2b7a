"""Questions for the clock that are nothing else, in English and Spanish: their whole text is one of a few forms.

Dates (D), durations (N) and places (Z) are found first and stand in the forms as one letter each, so that "how many
days until the certificate expires?" fits none: what the clock does not understand whole is not its question.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from functools import cache

from engine.planning.tools.calculator.numerals import normal
from engine.planning.tools.calculator.reading import digits, unpolite
from engine.planning.tools.clock import sentences
from engine.planning.tools.clock.places import find_zones
from engine.text.dates import find_dates, fold, months, moved, written_date
from engine.text.language import Language, language_of
from engine.text.words import blanked

_UNIT = {
    "day": "days?|dias?",
    "week": "weeks?|semanas?",
    "month": "months?|mes(?:es)?",
    "year": "years?|anos?",
    "hour": "hours?|horas?",
    "minute": "minutes?|minutos?",
}
_UNITS = "|".join(_UNIT.values())
#: One of these stands in each form that names a place; looking for the places themselves takes a millisecond.
_OF_A_PLACE = re.compile("time|hour|hora")
_DURATION = re.compile(rf"\b(?P<n>\d{{1,6}}|an?|un|una)\s+(?P<u>{_UNITS})\b")
_MANY = rf"(?:how many (?P<u>{_UNITS})|how (?:long|much time))"
_CUANTOS = rf"(?:cuant[oa]s? (?P<u>{_UNITS})|cuanto(?: tiempo)?)"
_LEFT = r"(?:left|remaining|to go|more|are|is|there|it|do we have|do i have|have we got|we have|to wait|will it be)"
_WILL = r"(?:is|was|will be|it is|it was|it will be|is it|was it|will it be|would it be|would that be|does|did|will|falls|fell)"  # noqa: E501
_SERA = r"(?:es|era|fue|sera|seria|cae|caia|cayo|caera|va a caer|va a ser|estaremos|tendremos|estabamos)"
_AWAY = (
    r"(?P<after>in N|N (?:from|after|later than) D|N (?:from now|later|hence)|D (?:plus|\+) N)"
    r"|(?P<before>N (?:before|earlier than|prior to) D|N ago|D (?:minus|-) N)"
)
_FUERA = (
    r"(?P<after>dentro de N|en N|de aqui a N|N (?:despues (?:de )?|a partir de |desde |mas tarde que )D|D mas N|pasados N)"  # noqa: E501
    r"|(?P<before>hace N|N antes (?:de )?D|N atras|D menos N)"
)
_DAY = r"(?:day|date|day of the week|weekday|day of week)(?: of the week)?"
_DIA = r"(?:dia de la semana|dia|fecha)(?: de la semana)?"
_FORMS: dict[str, tuple[str, ...]] = {
    "count": (
        rf"{_MANY}(?: {_LEFT})* (?:until|till|til|to|before) D(?: from D)?",
        rf"(?P<u>{_UNITS})(?: {_LEFT})* (?:until|till|til|to|before) D",
        rf"{_MANY}(?: {_LEFT})* (?:between|from) D (?:and|to|until|till) D",
        rf"(?P<u>{_UNITS}) between D and D",
        rf"from D (?:to|until|till) D {_MANY}(?: {_LEFT})*",
        rf"{_CUANTOS} (?:faltan?|quedan?|restan?|hay) (?:para|hasta|a) D",
        rf"(?:faltan?|quedan?) {_CUANTOS} (?:para|hasta) D",
        rf"{_CUANTOS} (?:hay|van|pasan|transcurren|quedan) (?:entre|desde|de) D (?:y|hasta|a) D",
        rf"(?P<u>{_UNITS}) (?:entre|desde) D (?:y|hasta) D",
    ),
    "since": (
        rf"{_MANY} (?:(?:is it|has it been|have passed|has passed|passed|have gone by|it is) )?since D",
        rf"{_MANY} (?:ago )?(?:was|is) D(?: ago)?",
        rf"(?P<u>{_UNITS}) since D",
        rf"{_CUANTOS} (?:han pasado|pasaron|ha pasado|hace|van|llevamos) desde D",
        rf"hace {_CUANTOS} (?:que )?fue D",
        rf"cuant[oa]s? (?P<u>{_UNITS}) hace (?:que fue|de|desde) D",
    ),
    "age": (
        r"how old (?:is|are|am|was|will|would) [a-z ]{1,40} born (?:on )?D",
        r"(?:que edad|cuantos anos) (?:tiene|tengo|tienes|tendra|tendria) [a-z ]{1,40} D",
        r"(?:si )?(?:naci|nacio|ha nacido) (?:el )?D (?:que edad|cuantos anos) [a-z ]{1,40}",
        r"(?:i was )?born (?:on )?D how old [a-z ]{1,40}",
    ),
    "away": (
        rf"(?:(?:what|which) (?:is )?(?:the )?{_DAY} (?:{_WILL} )?(?:the date )?)?(?:{_AWAY})",
        rf"(?:{_AWAY}) (?:what|which) (?:{_DAY}|time) {_WILL}",
        rf"what time (?:{_WILL} )?(?:{_AWAY})",
        rf"que hora (?:{_SERA} )?(?:{_FUERA})",
        rf"(?:{_FUERA}) que hora {_SERA}",
        rf"what (?:is|was|will) (?:the )?(?:date|day)(?: be)? (?:{_AWAY})",
        rf"(?:the )?date (?:{_AWAY})",
        rf"(?:(?:que|cual|a que|en que) (?:(?:es|sera|era|fue) la )?{_DIA} (?:{_SERA} )?)?(?:{_FUERA})",
        rf"(?:{_FUERA}) (?:a |en )?que {_DIA} {_SERA}",
        rf"fecha (?:{_FUERA})",
    ),
    "weekday": (
        rf"(?:on )?(?:what|which) {_DAY} (?:{_WILL} )?D(?: be| fall(?: on)?| on)?",
        rf"(?:what|which) {_DAY} of the week (?:{_WILL} )?D(?: be| fall(?: on)?| on)?",
        rf"(?:what is )?(?:the )?{_DAY} (?:of|for|on) D",
        r"(?:what is )?D s date",
        r"when is D",
        rf"D (?:what|which) {_DAY}(?: {_WILL}(?: it)?)?",
        rf"(?:en |a )?que {_DIA} {_SERA}? ?D",
        rf"cuando {_SERA} D",
        r"(?:cual es la |la )?fecha de D",
        r"a que (?:dia|fecha)? ?estamos D",
    ),
    "today": (
        r"what (?:is )?(?:the |today s )?(?:current )?(?:date|day)(?: is it)?",
        r"(?:the )?current date",
        r"(?:que|cual es la|a que|dime la) (?:fecha|dia)(?: es| estamos| tenemos)?(?: actual)?",
        r"a cuantos estamos(?: D)?",
    ),
    "time": (
        r"what (?:is )?(?:the )?(?:current |local )?time(?: is it)?(?: D)?(?: (?:in|at) Z)?(?: D)?",
        r"(?:the )?(?:current |local )?time (?:D )?(?:in|at) Z",
        r"que hora (?:es|sera)(?: D)?(?: mismo)?(?: en Z)?(?: D)?",
        r"(?:dime |me dices )?(?:la )?hora (?:actual |D )?(?:en|de) Z",
        r"(?:en Z )que hora es",
    ),
    "difference": (
        r"(?:what is )?(?:the )?(?:time|hour) difference (?:between|from) Z (?:and|to) Z",
        r"how many hours (?:are (?:there )?|apart are )?(?:between|ahead of|behind) Z (?:and|is) Z",
        r"how many hours (?:ahead|behind) is Z (?:of|from|than|compared to)? ?Z",
        r"(?:cual es la |que |la )?diferencia (?:horaria|de (?:hora|horas|horario))(?: hay)? (?:entre|de) Z (?:y|a) Z",
        r"cuantas horas (?:de diferencia )?(?:hay )?(?:entre|de) Z (?:y|a) Z",
    ),
    "leap": (
        r"(?:is|was|will) (?:the year )?(?P<y>\d{4}) (?:be )?a leap year",
        r"(?:es|fue|sera) (?:el ano )?(?P<y>\d{4}) (?:un ano )?bisiesto",
        r"(?:es|fue|sera) (?:un ano )?bisiesto (?:el )?(?:ano )?(?P<y>\d{4})",
        r"(?:el ano )?(?P<y>\d{4}) (?:es|fue|sera) (?:un ano )?bisiesto",
    ),
    "length": (
        r"how many days (?:(?:are )?(?:there )?in|does|are in|has|did|will) (?P<m>M)?(?: ?(?:of )?(?:the year )?(?P<y>\d{4}))?(?: have)?",  # noqa: E501
        r"cuantos dias (?:tiene|hay en|tuvo|tendra|trae) (?:el mes de |el ano )?(?P<m>M)?(?: ?(?:de |del )?(?P<y>\d{4}))?",  # noqa: E501
    ),
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question taken apart: its form, and what stands in its places."""

    form: str
    parts: dict[str, str | None]
    days: list[date]
    spans: list[tuple[int, str]]
    zones: list[tuple[str, tzinfo]]
    now: datetime
    language: Language

    @property
    def unit(self) -> str:
        """The unit that is asked for; days where none is named."""
        return _unit(self.parts.get("u") or "day")


@cache
def _forms() -> list[tuple[str, re.Pattern[str]]]:
    month = "|".join(sorted(months(), key=len, reverse=True))
    return [
        (name, re.compile(form.replace("(?P<m>M)", f"(?P<m>{month})")))
        for name, forms in _FORMS.items()
        for form in forms
    ]


def clock_answer(text: str, now: datetime) -> str:
    """What the clock says to a question that is wholly one for it; empty for every other text.

    Raises:
        ValueError: A date that no calendar has.
        OverflowError: A date too far away.
    """
    language = language_of(text)
    asked = _taken_apart(text, now, language)
    return _ANSWERS[asked.form](asked) if asked else ""


def _taken_apart(text: str, now: datetime, language: Language) -> _Asked | None:
    folded = fold(digits(normal(unpolite(text)), language, ordinals=False)).strip(" ?!.,¿¡:;")
    folded = re.sub(r"\bwhats\b|\bwhat s\b", "what is", folded.replace("¿", " "))
    folded = " ".join(re.sub(r"[,;:](?!\d)", " ", folded).split())
    back = (
        re.search(r"\b(since|ago|passed|desde|pasado|pasaron|hace|was|fue|era|cayo|born|naci(?:o|d[oa])?)\b", folded)
        is not None
    )
    named = find_dates(folded, now.date(), ahead=not back, strict=True)
    taken = [(one.start, one.end, "D") for one in named]
    free = blanked(folded, (one[:2] for one in taken))
    places = find_zones(free) if _OF_A_PLACE.search(folded) else []
    taken += [(start, end, "Z") for start, end, _, _ in places]
    free = blanked(folded, (one[:2] for one in taken))
    durations = list(_DURATION.finditer(free))
    taken += [(*match.span(), "N") for match in durations]
    skeleton, at = "", 0
    for start, end, letter in sorted(taken):
        skeleton, at = f"{skeleton}{folded[at:start]} {letter} ", end
    skeleton = re.sub(r"\bN (?:and|y|e|,)? ?N\b", "N", " ".join(f"{skeleton}{folded[at:]}".split()))
    spans = [(int(m["n"]) if m["n"].isdigit() else 1, _unit(m["u"])) for m in durations]
    zones = [(name, zone) for _, _, name, zone in places]
    for form, pattern in _forms():
        if found := pattern.fullmatch(skeleton):
            return _Asked(form, found.groupdict(), [one.day for one in named], spans, zones, now, language)
    return None


def _unit(word: str) -> str:
    return next(unit for unit, names in _UNIT.items() if re.fullmatch(names, word))


def _count(asked: _Asked) -> str:
    today = asked.now.date()
    one, other = asked.days[0], asked.days[1] if len(asked.days) > 1 else today
    return sentences.between(one, other, today, asked.unit, asked.language)


def _away(asked: _Asked) -> str:
    back = asked.parts.get("before") is not None
    today = asked.now.date()
    by = (" y " if asked.language is Language.SPANISH else " and ").join(
        sentences.counted(count, unit, asked.language) for count, unit in asked.spans
    )
    if any(unit in ("hour", "minute") for _, unit in asked.spans):
        minutes = sum(count * (60 if unit == "hour" else 1) for count, unit in asked.spans)
        then = asked.now + timedelta(minutes=-minutes if back else minutes)
        return sentences.moment("", then, asked.language)
    start = asked.days[0] if asked.days else today
    day = start
    for count, unit in asked.spans:
        day = moved(day, -count if back else count, unit)
    return sentences.away(by, start, day, today, asked.language, back=back)


def _weekday(asked: _Asked) -> str:
    day = asked.days[0] if asked.days else asked.now.date()
    return sentences.weekday(day, asked.now.date(), asked.language)


def _time(asked: _Asked) -> str:
    if not asked.zones:
        return sentences.moment("", asked.now, asked.language)
    return "\n".join(sentences.moment(name, asked.now.astimezone(zone), asked.language) for name, zone in asked.zones)


def _leap(asked: _Asked) -> str:
    year = int(asked.parts["y"] or 0)
    return sentences.leap(year, asked.language, is_leap=calendar.isleap(year))


def _length(asked: _Asked) -> str:
    month, year = asked.parts.get("m"), asked.parts.get("y")
    if not month and not year:
        return ""
    if not month:
        return sentences.length(365 + calendar.isleap(int(year or 0)), str(year), asked.language)
    first = date(int(year or asked.now.year), months()[month], 1)
    name = re.sub(r"^\W*\d+\W*(?:de )?|(?<=[a-z]) 1(?=,)", "", written_date(first, asked.language))
    return sentences.length(calendar.monthrange(first.year, first.month)[1], name.replace(",", ""), asked.language)


_ANSWERS: dict[str, Callable[[_Asked], str]] = {
    "count": _count,
    "since": _count,
    "age": lambda asked: sentences.age(asked.days[0], asked.now.date(), asked.language),
    "away": _away,
    "weekday": _weekday,
    "today": _weekday,
    "time": _time,
    "difference": lambda asked: sentences.difference(asked.zones, asked.now, asked.language),
    "leap": _leap,
    "length": _length,
}
