"""Figures by what they measure: the used, the limit and the rest of one thing belong together, whatever names them."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from engine.generation.extractive.account_figures.figure import Amount, Day, Figure
from engine.text.dates import fold, months
from engine.text.words import COMMON, stem

#: The roles that a figure of a measure can have.
USED, LIMIT, LEFT, PERCENT, TOTAL, PLAIN = "used", "limit", "left", "percent", "total", ""
#: The name of what is used, or has a limit, where the context names only these.
USAGE = "usage"
_PERIODS = {
    "day": "today|day|daily|hoy|diario|diaria|dia|dias|days",
    "week": "week|weekly|semana|semanal",
    "month": "month|monthly|mes|mensual",
    "year": "year|yearly|annual|ano|anual",
    "period": "period|cycle|periodo|ciclo",
}
_WHICH = {
    "previous": "last|previous|prev|prior|past|anterior|pasado|pasada|previo|previa|yesterday|ayer",
    "current": "this|current|present|este|esta|actual|today|hoy",
}
#: Words of paths that say nothing of what is measured.
_GENERIC = frozenset(
    [
        "account",
        "data",
        "stats",
        "statistics",
        "metrics",
        "metric",
        "info",
        "number",
        "count",
        "value",
        "amount",
        "billing",
        "details",
        "summary",
        "cuenta",
        "datos",
        "resumen",
        "numero",
        "cantidad",
        "valor",
        "have",
        "has",
        "had",
        "is",
        "are",
        "was",
    ]
)
_AMOUNTS = frozenset(["amount", "value", "importe", "cantidad", "valor", "monto"])
_PLANS = frozenset(["plan", "subscription", "tier", "tarifa", "suscripcion", "per"])


@dataclass(frozen=True, slots=True)
class Period:
    """Which stretch of time a figure or a question is about.

    Attributes:
        unit: day, week, month, year or period; empty where only "last" or "this" is said.
        which: current or previous; empty where it is only counted per unit.
        month: A month by its number; 0 for none.
    """

    unit: str = ""
    which: str = ""
    month: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A figure with its part in a measure."""

    figure: Figure
    role: str = PLAIN
    period: Period = field(default_factory=Period)


@dataclass(frozen=True, slots=True)
class Measure:
    """The figures of one thing that is measured.

    Attributes:
        label: Its name, as the context has it.
        stems: Of the label, by which measures are told apart.
    """

    label: str
    stems: frozenset[str]
    entries: tuple[Entry, ...]

    @property
    def rows(self) -> list[Entry]:
        """Those in the rows of a list or table, one for each: of what is used, where its limit is there too."""
        listed = [entry for entry in self.entries if entry.figure.row]
        main = [entry for entry in listed if entry.role in (PLAIN, USED)] or listed
        return [entry for entry in main if entry.period.which != "previous"] or main

    def of_row(self, row: Entry, name: str) -> Measure:
        """What the row of an entry says, as a measure of its own."""
        mine = (e for e in self.entries if e.figure.row == row.figure.row and e.period == row.period)
        entries = tuple(replace(e, figure=replace(e.figure, row="", day=None)) for e in mine)
        return Measure(f"{self.label}, {name}", self.stems, entries)

    def first(self, role: str, period: Period | None = None) -> Entry | None:
        """The first entry in that role, and in that period where one is named."""
        fits = (
            e for e in self.entries if e.role == role and not e.figure.row and (period is None or e.period == period)
        )
        return next(fits, None)


@cache
def roles() -> dict[str, str]:
    """Roles by the folded words that tell them (`roles.json`)."""
    rows = json.loads((Path(__file__).parent / "roles.json").read_text("utf-8"))
    return {fold(word): role for role, words in rows.items() for word in words}


def measures_of(figures: Sequence[Figure]) -> list[Measure]:
    """The measures of an account, in the order in which the context has them."""
    found: dict[frozenset[str], Measure] = {}
    for figure in figures:
        label, entry = _entry(figure)
        stems = stems_of(label) or frozenset({fold(label)})
        before = found.get(stems)
        if before is not None and _is_day(before.entries[0]) is not _is_day(entry):  # "on" and "amount" of one charge
            stems |= {"date"} if _is_day(entry) else {"amount"}
            before = found.get(stems)
        entries = (*(before.entries if before else ()), entry)
        found[stems] = Measure(before.label if before else label, stems, entries)
    return [_settled(measure) for measure in _joined(_by_row(list(found.values())))]


def _by_row(measures: Sequence[Measure]) -> list[Measure]:
    """A list of things that each have a limit becomes a measure of each: "resources" are disk, mailboxes ..."""
    found: list[Measure] = []
    for measure in measures:
        named = {e.figure.row for e in measure.entries if e.figure.row and e.figure.day is None}
        limited = {e.figure.row for e in measure.entries if e.role == LIMIT}
        used = {e.figure.row for e in measure.entries if e.role in (USED, LEFT)}
        if not named or named != limited or named != used:
            found.append(measure)
            continue
        for row in dict.fromkeys(e.figure.row for e in measure.entries):
            own = [replace(e, figure=replace(e.figure, row="")) for e in measure.entries if e.figure.row == row]
            found.append(Measure(row, stems_of(row) or frozenset({fold(row)}), tuple(own)))
    return found


def stems_of(text: str) -> frozenset[str]:
    """The stems of the words that say what a text is about; "next" and "last" are told apart."""
    words = (fold(word) for word in re.findall(r"[^\W_]{2,}|\d", text))
    kept = (word for word in words if word not in _GENERIC and (word not in COMMON or word.isdigit() or ordinal(word)))
    return frozenset(ordinal(word) or stem(word) for word in kept)


@cache
def vocabulary() -> dict[str, Any]:
    """Words that say nothing of a measure, that order its rows, and that are opposites (`words.json`)."""
    return cast("dict[str, Any]", json.loads((Path(__file__).parent / "words.json").read_text("utf-8")))


def ordinal(word: str) -> str:
    """`first`, `last` or `next` where a folded word says which of several is meant; empty otherwise."""
    return next((which for which, words in vocabulary()["ordinals"].items() if word in words), "")


def narrowing(words: Sequence[str]) -> list[str]:
    """Those of the words that tell one thing from another: not verbs of having, using and making."""
    return [word for word in words if stem(fold(word)) not in _light() and not ordinal(fold(word))]


@cache
def _light() -> frozenset[str]:
    return frozenset(stem(fold(word)) for word in light_words())


@cache
def light_words() -> frozenset[str]:
    """Words that belong to the way of asking, folded, with the forms of regular Spanish verbs."""
    endings = "ar e é ó amos aste aron ado ada ando aba aban abamos an aria arian are aremos".split()  # noqa: SIM905
    made = (f"{verb[:-2]}{ending}" for verb in vocabulary()["light_ar"] for ending in endings)
    return frozenset((*vocabulary()["light"], *made, *roles()))


@cache
def subjects() -> list[list[str]]:
    """Things that accounts have, each by all of its names in English and Spanish (`subjects.json`)."""
    found: list[list[str]] = json.loads((Path(__file__).parent / "subjects.json").read_text("utf-8"))
    return found


def _entry(figure: Figure) -> tuple[str, Entry]:
    """A figure's label without the words of its role and its period, and what these say."""
    role, period = PLAIN, Period()
    kept: list[str] = []
    if figure.sentence:
        said = period_in(figure.sentence)
        period = said if said is not None and said.which else period
    for part in figure.path:
        words = part.split()
        period = _period(words) or period
        left = _without_period(words)
        told = {word: roles()[fold(word)] for word in left if fold(word) in roles() and not _is_fee(word, figure)}
        role = list(told.values())[-1] if told else role
        kept += [word for word in left if word not in told]
    kept, role = _bare(figure, kept, role, period)
    if not isinstance(figure.value, Amount):
        kept, role, period = [word for part in figure.path for word in part.split()], PLAIN, Period()
    if figure.row and not kept and role == USED and isinstance(figure.value, Amount) and figure.value.is_money:
        return figure.path[-1], Entry(figure, PLAIN, period)  # what each row cost
    if figure.row and not kept and role:  # a table of what is used and what is the limit of each thing
        return figure.row, Entry(replace(figure, path=(figure.row,), row="", day=None), role, period)
    if figure.row and figure.listed and not kept and period.month:  # a column for each month
        return figure.listed[-1], Entry(figure, role, period)
    if role and kept and all(re.fullmatch("|".join(_PERIODS.values()), fold(word)) for word in kept):
        period, kept = period_in(" ".join(kept), strict=True) or Period("day"), []
    unit = figure.value.unit if isinstance(figure.value, Amount) and period.unit and not role else ""
    label = " ".join(dict.fromkeys(kept)) or unit or (USAGE if role else figure.name)
    return label, Entry(figure, role, period)


def _is_fee(word: str, figure: Figure) -> bool:
    """Whether a word that may name a limit names a payment: "cuota" is both."""
    return fold(word).startswith("cuota") and isinstance(figure.value, Amount) and figure.value.is_money


def _bare(figure: Figure, kept: list[str], role: str, period: Period) -> tuple[list[str], str]:
    """The words of a label that say what is measured, and the role with what the value says of it."""
    if figure.day is not None and figure.row:  # "calls by day" are calls
        days = re.compile(r"(?:last|past|prev|ultim[oa]s?)\d+")
        kept = [w for w in kept if fold(w) not in vocabulary()["series"] and not days.fullmatch(fold(w))] or kept
    if period.unit and fold(" ".join(kept)) == "to date":
        return [], USED
    if not isinstance(figure.value, Amount):
        return kept, role
    if not figure.row:
        kept = [word for word in kept if fold(word) not in _AMOUNTS] or kept  # "bill / amount" is the bill
    aimed = role == LEFT or (role == LIMIT and not figure.sentence)  # "80 % of the quota" is what is used of it
    return kept, PERCENT if figure.value.unit == "%" and not aimed else role


def _period(words: Iterable[str]) -> Period | None:
    return period_in(" ".join(words), strict=True)


def period_in(text: str, *, strict: bool = False) -> Period | None:
    """The period that a text names: last month, this week, today, October.

    Args:
        strict: Of a path, where "last" alone counts only if it is all that a name says.
    """
    folded = fold(text)
    for form in (r"\b(?:{which})\s+(?:{unit})\b", r"\b(?:{unit})\s+(?:{which})\b"):
        for (unit, units), (which, words) in itertools.product(_PERIODS.items(), _WHICH.items()):
            if re.search(form.format(which=words, unit=units), folded):
                return Period(unit, which)
    if near := re.search(r"\b(?:(yesterday|ayer)|today|hoy)\b", folded):
        return Period("day", "previous" if near[1] else "current")
    if strict and (alone := next((which for which, words in _WHICH.items() if re.fullmatch(words, folded)), "")):
        return Period("", alone)
    if month := _month_in(folded):
        return Period("month", "", month)
    if strict:
        found = next((unit for unit, units in _PERIODS.items() if re.search(rf"\b(?:{units})\b", folded)), "")
        return Period(found) if found and found != "day" else None
    return None


def _month_in(folded: str) -> int:
    """The month that a folded text names, by its number; 0 for none. "May" alone is a verb."""
    if re.search(r"\b(?:in|for|of|during|since|last|than|to|and) may\b", folded):
        return 5
    return next((number for name, number in months().items() if len(name) > 3 and re.search(rf"\b{name}\b", folded)), 0)


def period_words(text: str) -> str:
    """The words by which a text names a period, folded: "last month"; empty where it names none."""
    units, which = "|".join(_PERIODS.values()), "|".join(_WHICH.values())
    found = re.search(rf"\b(?:(?:{which}) (?:{units})|(?:{units}) (?:{which})|yesterday|ayer|today|hoy)\b", fold(text))
    return found[0] if found else ""


def without_periods(folded: str) -> str:
    """A folded text without the periods and months that it names."""
    units, which = "|".join(_PERIODS.values()), "|".join(_WHICH.values())
    named = "|".join(name for name in months() if len(name) > 3)
    article = r"(?:\b(?:the|el|la|en|in|on|for|de|del)\s+)*"
    return re.sub(
        rf"{article}\b(?:(?:{which})\s+(?:{units})|(?:{units})\s+(?:{which})|yesterday|ayer|today|hoy|{named})\b",
        " ",
        folded,
    )


def _without_period(words: list[str]) -> list[str]:
    if _period(words) is None:
        return words
    units = "|".join([*_PERIODS.values(), *_WHICH.values(), *(name for name in months() if len(name) > 3)])
    return [word for word in words if not re.fullmatch(units, fold(word))]


def _joined(measures: list[Measure]) -> list[Measure]:
    """Measures of one thing: "plan / calls" is the limit of "usage / calls"."""
    plans = {stem(word) for word in _PLANS}
    by_stems = {measure.stems: measure for measure in measures}
    for measure in measures:
        host = by_stems.get(measure.stems - plans)
        plain = all(entry.role in (PLAIN, LIMIT) and is_number(entry) for entry in measure.entries)
        if host is not None and host is not measure and plain and measure.stems & plans:
            limits = tuple(replace(entry, role=LIMIT) for entry in measure.entries)
            by_stems[host.stems] = replace(host, entries=(*host.entries, *limits))
            del by_stems[measure.stems]
    for measure in list(by_stems.values()):  # what the period before repeats of a part of the present one
        hosts = [m for m in by_stems.values() if m.label.endswith(f" {measure.label}")]
        if all(e.period.which == "previous" for e in measure.entries) and len(hosts) == 1:
            by_stems[hosts[0].stems] = replace(hosts[0], entries=(*hosts[0].entries, *measure.entries))
            del by_stems[measure.stems]
    for measure in list(by_stems.values()):  # "messages sent" are what is used of the limit of messages
        made = [m for m in by_stems.values() if measure.stems < m.stems and _is_made(m, measure)]
        if {entry.role for entry in measure.entries} in ({LIMIT}, {TOTAL}) and len(made) == 1:
            used = tuple(replace(e, role=USED if e.role == PLAIN else e.role) for e in made[0].entries)
            limits = tuple(replace(entry, role=LIMIT) for entry in measure.entries)
            by_stems[made[0].stems] = replace(made[0], entries=(*used, *limits))
            del by_stems[measure.stems]
    return _nameless(list(by_stems.values()))


def _is_made(measure: Measure, limit: Measure) -> bool:
    """Whether a measure counts what was made of a thing, and not which of it: "sent" is all, "failed" is a part."""
    extra = [word for word in measure.label.split() if stem(fold(word)) in measure.stems - limit.stems]
    plain = all(entry.role == PLAIN and is_number(entry) for entry in measure.entries)
    plain = plain and {e.figure.row for e in measure.entries} == {e.figure.row for e in limit.entries}
    return plain and not narrowing(extra)


def _nameless(measures: list[Measure]) -> list[Measure]:
    """Measures in which a used and a limit of nothing in particular are those of the one thing that has dated rows."""
    bare = next((m for m in measures if m.label == USAGE and {e.role for e in m.entries} >= {USED, LIMIT}), None)
    dated = [m for m in measures if m is not bare and any(e.figure.row and e.figure.day for e in m.entries)]
    if bare is None or len(dated) != 1 or any(e.role for e in dated[0].entries):
        return measures
    whole = replace(dated[0], entries=(*bare.entries, *dated[0].entries))
    return [whole if m is dated[0] else m for m in measures if m is not bare]


def _settled(measure: Measure) -> Measure:
    """Roles that follow from the others of a row: beside a limit a plain figure is what is used."""
    told: dict[str, set[str]] = {}
    for entry in measure.entries:
        told.setdefault(entry.figure.row, set()).add(entry.role)
    entries = (replace(entry, role=_role(entry, told[entry.figure.row])) for entry in measure.entries)
    return replace(measure, entries=tuple(entries))


def _role(entry: Entry, told: set[str]) -> str:
    """The role of an entry among those that are told of its row; a total beside what is used is a limit."""
    if entry.role == TOTAL:
        return LIMIT if told & {USED, LEFT} or (PLAIN in told and entry.figure.row) else PLAIN
    if entry.role == PERCENT and LIMIT in told and USED not in told:  # what is aimed at is a share itself
        return USED
    if entry.role == PLAIN and isinstance(entry.figure.value, Amount):
        if told & {LIMIT, LEFT} or (TOTAL in told and entry.figure.row):
            return USED
        if USED in told and not entry.period.which:
            return LIMIT
    return entry.role


def is_period(word: str) -> bool:
    """Whether a word names a stretch of time."""
    return re.fullmatch("|".join([*_PERIODS.values(), *_WHICH.values()]), fold(word)) is not None


def _is_day(entry: Entry) -> bool:
    return isinstance(entry.figure.value, Day)


def is_number(entry: Entry) -> bool:
    """Whether the entry is an amount."""
    return isinstance(entry.figure.value, Amount)
