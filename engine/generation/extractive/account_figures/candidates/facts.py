"""The facts of a context as single values and as columns of tables.

Values that stand side by side under one name (the members of an object, keys with one word in common) are the rows of
a table as well: `students_english`, `students_french`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property

from engine.generation.extractive.account_figures.candidates.fact import (
    BEFORE,
    LAST,
    Fact,
    Row,
    Table,
    present_day,
    transposed,
)
from engine.generation.extractive.account_figures.candidates.row_names import asked_of_another
from engine.generation.extractive.account_figures.composing import only_names, without_joints
from engine.generation.extractive.account_figures.figure import Amount, Day, Figure
from engine.generation.extractive.account_figures.reading.objects import with_rows
from engine.generation.extractive.account_figures.vocabulary import (
    YEAR,
    is_period,
    month_called,
    role_of,
    stems_of,
    vocabulary,
    years_asked,
)
from engine.text.dates import fold, months

#: Values that make a table of what stands side by side.
_SIDE_BY_SIDE = 3
_MANY = re.compile(r"\bhow (?:many|much)\b|\bcu[aá]nt[oa]s?\b", re.IGNORECASE)
#: A month with its year.
_DATED = re.compile(r"\b(?P<month>[^\W\d_]{3,10})\.?,? (?:de |del )?(?:19|20)\d\d\b")


def _with_latest(facts: Sequence[Fact]) -> list[Fact]:
    """Facts of the last of several periods as present ones where others are of the one before: last run, run before."""
    before = [fact.thing for fact in facts if any(re.fullmatch(BEFORE, fold(word)) for word in fact.words)]
    return [
        replace(fact, latest=True)
        if any(re.fullmatch(LAST, fold(word)) for word in fact.words)
        and any(thing >= fact.thing - {"last"} for thing in before)
        else fact
        for fact in facts
    ]


def _of_month(facts: Sequence[Fact]) -> list[Fact]:
    """Facts that stand beside the name of a month in one object are of that month: `{"month": "May", "net": 1200}`."""
    told = {fact.parent: month_called(fact.value) for fact in facts if fact.parent and isinstance(fact.value, str)}
    return [replace(fact, month=told.get(fact.parent, 0)) for fact in facts]


def _with_earlier(facts: Sequence[Fact]) -> list[Fact]:
    """Facts of a month by their names as of an earlier one, where one of the same thing has no period in its name."""
    present = {(f.thing, f.unit) for f in facts if f.thing and not f.period.month and not f.period.which}
    return [
        replace(fact, earlier=True)
        if fact.period.month and not fact.month and not fact.said and (fact.thing, fact.unit) in present
        else fact
        for fact in facts
    ]


def facts_of(figures: Sequence[Figure]) -> tuple[list[Fact], list[Table]]:
    """The single values and the tables of a context, in its order."""
    figures = [*with_rows(figures)]
    single = [f for f in figures if not f.row]
    facts = [Fact(f.name, f.path[-1] if f.path else f.name, " ".join(f.path[:-1]), (f,)) for f in single if f.path]
    facts = _with_earlier(_of_month(_with_latest(facts)))
    tables = [_table(listed, group) for listed, group in _listed(figures)]
    return facts, [*tables, *filter(None, map(transposed, tables)), *_families(facts)]


def _listed(figures: Sequence[Figure]) -> Iterator[tuple[tuple[str, ...], list[Figure]]]:
    found: dict[tuple[str, ...], list[Figure]] = {}
    for figure in figures:
        if figure.row:
            found.setdefault(figure.listed or (), []).append(figure)
    yield from found.items()


def _table(listed: tuple[str, ...], figures: Sequence[Figure]) -> Table:
    """The table of the figures of one list: a row ends where its name changes or a column comes again."""
    lines: list[dict[tuple[str, ...], Figure]] = []
    called: dict[str, list[dict[tuple[str, ...], Figure]]] = {}
    filled: dict[tuple[str, tuple[str, ...]], int] = {}
    for figure in figures:
        if not lines or figure.path in lines[-1] or next(iter(lines[-1].values())).row != figure.row:
            own, at = called.setdefault(figure.row, []), filled.get((figure.row, figure.path), 0)
            while at < len(own) and figure.path in own[at]:
                at += 1
            filled[figure.row, figure.path] = at  # no line before it is without this column
            if at < len(own) and len(lines) > 1:  # a column behind the others
                own[at][figure.path] = figure
                continue
            lines.append({})
            own.append(lines[-1])
        lines[-1][figure.path] = figure
    paths = list(dict.fromkeys(path for line in lines for path in line))
    rows = tuple(_row(line, listed) for line in lines)
    name, key = (
        (listed[-1] if listed and not _is_dating(listed[-1]) else ""),
        next((f.row_key for f in figures if f.row_key), ""),
    )
    columns = [
        Fact(_named(path, listed), _leaf(path, listed), name, tuple(line.get(path) for line in lines), rows, name)
        for path in paths
    ]
    return Table(name, key, rows, tuple(columns), across=next((f.across for f in figures if f.across), ""))


def _is_dating(name: str) -> bool:
    """Whether a name is that of a column of days, which says nothing of its rows."""
    return {fold(word) for word in name.split()} <= {*vocabulary()["dating"]}


def _named(path: tuple[str, ...], listed: tuple[str, ...]) -> str:
    rest = path[len(listed) :] if path[: len(listed)] == listed else path
    behind = bool(listed) and rest[-len(listed) :] == listed  # the period of all rows
    return " ".join(() if behind else rest) or " ".join(listed[-1:])


def _leaf(path: tuple[str, ...], listed: tuple[str, ...]) -> str:
    return next(reversed(_named(path, listed).split()), "")  # a column may have no name


def _row(line: dict[tuple[str, ...], Figure], listed: tuple[str, ...]) -> Row:
    first = next(iter(line.values()))
    told = {_named(path, listed): f.value for path, f in line.items() if isinstance(f.value, str)}
    holds = {_named(path, listed): f.value for path, f in line.items() if isinstance(f.value, bool)}
    return Row(first.row, first.day, told, holds)


def _families(facts: Sequence[Fact]) -> Iterator[Table]:
    """Tables of what stands side by side: members of one object, or keys that differ in one word."""
    groups: dict[tuple[str, str, str], list[tuple[str, Fact]]] = {}
    for fact in facts:
        figure = fact.figures[0]
        if figure is None or not isinstance(fact.value, Amount):
            continue
        words = fact.leaf.split()
        if fact.parent and not any(map(role_of, words)):
            groups.setdefault(("in", fact.parent, fact.unit), []).append((fact.leaf, fact))
        if figure.sentence and not fact.role:
            groups.setdefault(("said", figure.sentence, fact.unit), []).append((fact.label, fact))
        if len(words) > 1 and not fact.role:
            first, last = (f"{fact.parent} {word}".strip() for word in (words[0], words[-1]))
            if not is_period(words[0]):
                groups.setdefault((first, "", fact.unit), []).append((" ".join(words[1:]), fact))
            if not is_period(words[-1]):
                groups.setdefault(("", last, fact.unit), []).append((" ".join(words[:-1]), fact))
    for (kind, parent, _), members in groups.items():
        told = _without_total([one for one in members if not one[1].previous])
        if len(told) >= _SIDE_BY_SIDE and len({name for name, _ in told}) == len(told):
            name = "" if kind == "said" else parent if kind == "in" else kind or parent
            rows = tuple(Row(row, fact.figures[0].day if fact.figures[0] else None, {}, {}) for row, fact in told)
            figures = tuple(fact.figures[0] for _, fact in told)
            yield Table(name, "", rows, (Fact(name, name, "", figures, rows, name),), family=True)


def _without_total(members: Sequence[tuple[str, Fact]]) -> list[tuple[str, Fact]]:
    """Members without the one that is the sum of all others."""
    amounts = [fact.value.value if isinstance(fact.value, Amount) else 0 for _, fact in members]
    whole = sum(amounts)
    return [
        one for one, number in zip(members, amounts, strict=True) if len(members) < _SIDE_BY_SIDE or 2 * number != whole
    ]


def names_of(facts: Iterable[Fact], tables: Iterable[Table]) -> list[str]:
    """What a context calls things: its facts, tables, rows, and what these say."""
    found: dict[str, None] = {}
    for fact in facts:
        found |= dict.fromkeys([fact.label, fact.leaf, *([fact.value] if isinstance(fact.value, str) else [])])
    for table in tables:
        found |= dict.fromkeys([table.name, table.key, *(column.label for column in table.columns)])
        for row in table.rows:
            found |= dict.fromkeys([row.name, *row.told.values()])
    return [name for name in found if name]


def _month_told(facts: Iterable[Fact]) -> int:
    """The month that a context says to be of by a period's name: `current_month`, `period: {from, to}`; 0 for none."""
    told: list[int] = []
    for fact in facts:
        words = (fact.parent or fact.label).split()
        if not all(map(is_period, words)) or fact.previous:
            continue
        value = fact.value
        if isinstance(value, Day) and (fact.parent or value.month):
            told.append(value.day.month)
        elif isinstance(value, str):
            told.append(month_called(value))
    return told[0] if len(set(told)) == 1 else 0


def _month_of_title(context: str) -> int:
    """The month of a title, which ends the first line or stands in a heading; 0 for none."""
    line = context.strip().partition("\n")[0]
    dated = _DATED.search(fold(line)) if len(context.strip()) > len(line) else None
    titled = dated is not None and (line.startswith("#") or dated.end() >= len(fold(line).rstrip(" *.:")))
    return months().get(dated["month"], 0) if dated and titled else 0


class Reading:
    """The facts of contexts, as they are ranked.

    Attributes:
        years: Those that the contexts name.
        month: The month that the figures are of which say none themselves; 0 for none.
        today: What "tomorrow" is counted from: see `present_day`.
    """

    def __init__(self, figures: Sequence[Figure], *contexts: str, today: date = date.min) -> None:
        self.facts, self.tables = facts_of(figures)
        self.today = present_day(self.facts, today)
        self.names = names_of(self.facts, self.tables)
        self.years = frozenset(year for context in contexts for year in YEAR.findall(context))
        self.month = next(filter(None, [_month_told(self.facts), *map(_month_of_title, contexts)]), 0)

    def within(self, table: Table, facts: Sequence[Fact]) -> Reading:
        """The same with nothing but these columns of a table, and the single values among the facts."""
        found = Reading([], today=self.today)
        found.facts = [fact for fact in facts if not fact.rows]
        found.tables = [replace(table, columns=tuple(fact for fact in facts if fact.rows))]
        found.names, found.years, found.month = names_of(found.facts, found.tables), self.years, self.month
        return found

    def in_turn(self, which: str, today: date) -> Reading:
        """The same without the days that are of the other turn by their names: the last one for the next."""
        found = Reading([], today=self.today)
        found.facts = [fact for fact in self.facts if not fact.is_passed_over(which, today)]
        found.tables, found.names, found.years, found.month = self.tables, self.names, self.years, self.month
        return found

    @cached_property
    def whose(self) -> list[str]:
        """What a context says in words of the whole of itself: of whom it is, and at which company."""
        return [f.value for f in self.facts if isinstance(f.value, str) and not f.parent]

    @property
    def months_alone(self) -> list[tuple[Table, Fact]]:
        """The only column of numbers by months, with its table; empty where there are several."""
        columns = [
            (table, column)
            for table in self.tables
            if table.monthly
            for column in table.columns
            if isinstance(column.value, Amount)
        ]
        return columns if len(columns) == 1 else []

    def elsewhere(self, text: str, earlier: str) -> str:
        """The earlier question of the row that `text` only names, where it names another one; empty otherwise."""
        for table in self.tables if len(fold(earlier)) == len(earlier) else ():
            names = list(dict.fromkeys(row.name for row in table.rows if row.name))
            here = [name for name in names if only_names(text, name)]
            there = [
                said for name in names if (said := re.search(rf"(?<!\w){re.escape(fold(name))}(?!\w)", fold(earlier)))
            ]
            asked = not any(only_names(earlier, name) for name in names)  # it goes on from another one itself
            if asked and len(here) == len(there) == 1:
                return f"{earlier[: there[0].start()]}{here[0]}{earlier[there[0].end() :]}"
        lists = (list(dict.fromkeys(row.name for row in table.rows if row.name)) for table in self.tables)
        return next(filter(None, (asked_of_another(without_joints(text), earlier, names) for names in lists)), "")

    def only_name(self, text: str) -> bool:
        """Whether a text is the name of a fact, or its last word, and nothing else: "and the gross?"."""
        facts = [*self.facts, *(column for table in self.tables for column in table.columns)]
        bare = [" ".join(word for word in fact.words if not role_of(word)) for fact in facts]
        names = filter(None, {*bare, *(fact.label for fact in facts), *(fact.leaf for fact in facts)})
        return any(only_names(_MANY.sub("", text), name) for name in names)

    def rows_beside(self, row: str) -> frozenset[str]:
        """The stems of the names of all rows of the table that has this one."""
        tables = (table for table in self.tables if any(one.name == row for one in table.rows))
        return frozenset().union(*(stems_of(one.name) for table in tables for one in table.rows))

    def named_in(self, text: str) -> str:
        """The one row that a text names; empty where it names none or several."""
        names = {row.name for table in self.tables for row in table.rows if row.name}
        found = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
        return found[0] if len(found) == 1 else ""

    def strange_years(self, question: str, present: int) -> list[str]:
        """The years that a question is about and no context names; the `present` one goes without saying."""
        return [year for year in years_asked(question) if year not in {*self.years, str(present)}]
