"""Figures by what they measure: the used, the limit and the rest of one thing belong together, whatever names them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from engine.generation.extractive.account_figures.figure import Amount, Day, Figure
from engine.generation.extractive.account_figures.vocabulary import (
    Period,
    is_calendar_name,
    is_period_unit,
    narrowing,
    ordinal,
    period_in,
    period_of_words,
    role_of,
    stems_of,
    vocabulary,
    words_without_period,
)
from engine.text.dates import fold
from engine.text.words import COMMON, stem

#: The roles that a figure of a measure can have.
USED, LIMIT, LEFT, PERCENT, TOTAL, PLAIN = "used", "limit", "left", "percent", "total", ""
#: The name of what is used, or has a limit, where the context names only these.
USAGE = "usage"
_AMOUNTS = frozenset(["amount", "value", "importe", "cantidad", "valor", "monto"])
_PLANS = frozenset(["plan", "subscription", "tier", "tarifa", "suscripcion", "per"])


@dataclass(frozen=True, slots=True)
class Entry:
    """A figure with its part in a measure."""

    figure: Figure
    role: str = PLAIN
    period: Period = field(default_factory=Period)

    @property
    def own_words(self) -> list[str]:
        """The words of its name without those for its period."""
        return words_without_period(self.figure.name.split())


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
    def called(self) -> str:
        """What answers call it: its name, or where that is a stand-in the words for what is used."""
        main = self.first(USED) or self.entries[0]
        return self.label if self.label != USAGE else " ".join(self.common or main.own_words) or self.label

    @property
    def common(self) -> list[str]:
        """The words that the names of all its figures have, without periods."""
        told = [[fold(word) for word in entry.own_words] for entry in self.entries]
        return [word for word in self.entries[0].own_words if all(fold(word) in words for words in told)]

    @property
    def untold(self) -> set[str]:
        """The roles of its figures, where these are several; without those that its name says."""
        found = {entry.role for entry in self.entries}
        return found - set(map(role_of, self.called.split())) if len(found) > 1 else set()

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


def measures_of(figures: Sequence[Figure]) -> list[Measure]:
    """The measures of an account, in the order in which the context has them."""
    found: dict[frozenset[str], Measure] = {}
    for figure in _of_columns(figures):
        label, entry = _entry(figure)
        stems = stems_of(label) or frozenset({fold(label)})
        before = found.get(stems)
        if before is not None and _kind(before.entries[0]) != _kind(entry):  # "on" and "amount" of one charge
            stems |= {_kind(entry)}
            before = found.get(stems)
        if before is not None and label == USAGE and not _alike(before.entries[0], entry):
            stems |= {_measured_in(entry)}  # money that was spent is no part of a consumption
            before = found.get(stems)
        entries = (*(before.entries if before else ()), entry)
        found[stems] = Measure(before.label if before else label, stems, entries)
    return [_settled(one) for measure in _joined(_by_row(list(found.values()))) for one in _called(measure)]


def _called(measure: Measure) -> list[Measure]:
    """A measure whose names only say roles and periods, by the words that these have in common.

    Several that are used, by names that have nothing in common, are measures of their own.
    """
    told = [entry.own_words for entry in measure.entries]
    roles = {entry.role for entry in measure.entries}
    common = measure.common
    if measure.label != USAGE or roles == {LIMIT} or (not common and roles != {USED}):
        return [measure]
    names = dict.fromkeys(" ".join(common or words) for words in told)
    parts = [[e for e in measure.entries if common or " ".join(e.own_words) == name] for name in names]
    return [
        Measure(name or measure.label, stems_of(name) or measure.stems, tuple(part))
        for name, part in zip(names, parts, strict=True)
    ]


def _measured_in(entry: Entry) -> str:
    """The unit of an amount, in small letters; empty for any other value."""
    return entry.figure.value.unit.casefold() if isinstance(entry.figure.value, Amount) else ""


def _alike(one: Entry, other: Entry) -> bool:
    """Whether two entries may be of one thing by their units: that of one may be unsaid, or a share."""
    units = {_measured_in(one), _measured_in(other)} - {"", "%"}
    return len(units) < 2


def _of_columns(figures: Sequence[Figure]) -> list[Figure]:
    """Figures in which a column that only says "occupied" is that of the column before it: the occupied beds."""
    columns: dict[tuple[str, ...], list[Figure]] = {}
    for figure in figures:
        if figure.row and isinstance(figure.value, Amount) and not figure.value.is_money:
            columns.setdefault(figure.path, []).append(figure)
    bare = {
        path: role_of(path[-1].split()[0])
        for path in columns
        if path and path[-1].split() and all(map(role_of, path[-1].split()))
    }
    renamed: dict[tuple[str, ...], tuple[str, ...]] = {}
    for before, path in itertools.pairwise(columns):
        alone = [role for other, role in bare.items() if other[:-1] == path[:-1]]
        if alone in ([USED], [LIMIT]) and path in bare and _fills(columns[path], columns[before]):
            renamed[path] = (*before, path[-1])
    return [replace(figure, path=renamed.get(figure.path, figure.path)) for figure in figures]


def _fills(used: Sequence[Figure], whole: Sequence[Figure]) -> bool:
    """Whether one column is nowhere more than the other, and of its rows and unit."""
    return [f.row for f in used] == [f.row for f in whole] and all(
        isinstance(a.value, Amount) and isinstance(b.value, Amount) and a.value.unit == b.value.unit
        for a, b in zip(used, whole, strict=True)
    )


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


def _entry(figure: Figure) -> tuple[str, Entry]:
    """A figure's label without the words of its role and its period, and what these say."""
    role, period = PLAIN, Period()
    kept: list[str] = []
    if figure.sentence:
        said = period_in(figure.sentence)
        period = said if said is not None and said.which else period
    for part in figure.path:
        words = part.split()
        named = period_of_words(words)
        period = named if named and (named.which or named.month or not period.which) else period
        left = words_without_period(words)
        told = {word: role_of(word) for word in left if role_of(word) and not is_fee(word, figure)}
        role = list(told.values())[-1] if told else role
        kept += [word for word in left if word not in told]
    kept = kept if any(fold(word) not in COMMON for word in kept) else []
    kept, role = _bare(figure, kept, role, period)
    if not isinstance(figure.value, Amount):
        kept, role, period = [word for part in figure.path for word in part.split()], PLAIN, Period()
    timed = figure.day is not None or is_calendar_name(figure.row)
    spent = isinstance(figure.value, Amount) and (figure.value.is_money or timed)
    if figure.row and not kept and role in (USED, TOTAL) and spent:  # what each row cost, or was used of each month
        return figure.path[-1], Entry(figure, PLAIN, period)
    if figure.row and not kept and role:  # a table of what is used and what is the limit of each thing
        return figure.row, Entry(replace(figure, path=(figure.row,), row="", day=None), role, period)
    if figure.row and figure.listed and not kept and period.month:  # a column for each month
        return figure.listed[-1], Entry(figure, role, period)
    if role and kept and all(map(is_period_unit, kept)):
        period, kept = period_in(" ".join(kept), strict=True) or Period("day"), []
    unit = figure.value.unit if isinstance(figure.value, Amount) and period.unit and not role else ""
    label = " ".join(dict.fromkeys(kept)) or unit or (USAGE if role else figure.name)
    return label, Entry(figure, role, period)


def is_fee(word: str, figure: Figure) -> bool:
    """Whether a word that may name a limit or a rest names money: "cuota" and "saldo" are both."""
    money = isinstance(figure.value, Amount) and figure.value.is_money
    alone = len([word for part in figure.path for word in part.split()]) == 1
    return (fold(word).startswith("cuota") and money) or (fold(word) in ("balance", "saldo") and (money or alone))


def _bare(figure: Figure, kept: list[str], role: str, period: Period) -> tuple[list[str], str]:
    """The words of a label that say what is measured, and the role with what the value says of it."""
    if figure.day is not None and figure.row:  # "calls by day" are calls
        days = re.compile(r"(?:last|past|prev|ultim[oa]s?)\d+")
        kept = [w for w in kept if fold(w) not in vocabulary()["series"] and not days.fullmatch(fold(w))] or kept
    if period.unit and "to date" in fold(" ".join(kept)):
        return [word for word in kept if fold(word) not in ("to", "date")], USED
    while len(kept) > 1 and fold(kept[-1]) in ("per", "por", "of", "de"):
        kept = kept[:-1]
    if not isinstance(figure.value, Amount):
        return kept, role
    if not figure.row:
        kept = [word for word in kept if fold(word) not in _AMOUNTS] or kept  # "bill / amount" is the bill
    aimed = role == LEFT or (role == LIMIT and not figure.sentence)  # "80 % of the quota" is what is used of it
    return kept, PERCENT if figure.value.unit == "%" and not aimed else role


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
    for measure in list(by_stems.values()):  # "your plan includes 150 km" is the limit of the one thing that is in km
        unit = _unit(measure)
        alike = [m for m in by_stems.values() if m is not measure and _unit(m) == unit and fold(m.label) == fold(unit)]
        if unit and {entry.role for entry in measure.entries} == {LIMIT} and len(alike) == 1:
            used = tuple(replace(e, role=USED if e.role == PLAIN else e.role) for e in alike[0].entries)
            by_stems[alike[0].stems] = replace(alike[0], entries=(*used, *measure.entries))
            del by_stems[measure.stems]
    for measure in list(by_stems.values()):  # "messages sent" are what is used of the limit of messages
        made = [m for m in by_stems.values() if measure.stems < m.stems and _is_made(m, measure)]
        parts = [m for m in by_stems.values() if measure.stems < m.stems and _beside(m, measure)]
        told = {entry.role for entry in measure.entries}
        if (
            told == {LIMIT} and not made and len(parts) == 1 and not narrowing(_denied(parts[0]))
        ):  # the one part beside a limit is used
            made = parts
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


def _unit(measure: Measure) -> str:
    """The unit of measure of a number outside of rows; empty for counts, money and shares."""
    figure = measure.entries[0].figure
    counted = isinstance(figure.value, Amount) and not figure.value.is_money and figure.value.unit != "%"
    return figure.value.unit if counted and not figure.row else ""  # type: ignore[union-attr]


def _beside(measure: Measure, limit: Measure) -> bool:
    """Whether a measure is a plain number in the object of a limit, and no larger."""
    if len(measure.entries) > 1 or len(limit.entries) > 1:
        return False
    part, whole = measure.entries[0], limit.entries[0]
    both = (part.figure.value, whole.figure.value)
    alike = isinstance(both[0], Amount) and isinstance(both[1], Amount) and both[0].unit == both[1].unit
    inside = len(part.figure.path) > 1
    return (
        inside
        and alike
        and part.role == PLAIN
        and part.figure.path[:-1] == whole.figure.path[:-1]
        and not part.figure.row
    )


def _denied(measure: Measure) -> list[str]:
    """The words of a name that say what something has failed to be: "failed", "cancelled"."""
    against = {fold(word) for _, side in vocabulary()["opposites"] for word in side}
    return [word for word in measure.label.split() if fold(word) in against]


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


def _kind(entry: Entry) -> str:
    """The kind of an entry's value, as a word: what is told in words or by days is no amount of the same name."""
    value = entry.figure.value
    return "date" if isinstance(value, Day) else "text" if isinstance(value, str) and entry.figure.row else "amount"


def is_number(entry: Entry) -> bool:
    """Whether the entry is an amount."""
    return isinstance(entry.figure.value, Amount)


def is_passed_over(figure: Figure | None, which: str, today: date) -> bool:
    """Whether a figure is a day that its name calls the last one, and `which` is "next", or the other way round."""
    day = None if figure is None else figure.value if isinstance(figure.value, Day) else figure.day
    if figure is None or day is None or figure.row or (day.whole and (day.day < today) is not (which == "next")):
        return False
    turns = {ordinal(fold(word)) or period_in(word, strict=True) for word in figure.name.split()}
    past = bool(turns & {"last", Period("", "previous")})
    return past if which == "next" else "next" in turns
