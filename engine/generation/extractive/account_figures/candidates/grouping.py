"""Rows of a list by what a column of them says, by their day or their month: hours by person, amounts by client."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.asking.synonyms import same, stem_of, subjects_in
from engine.generation.extractive.account_figures.candidates.choosing import Choice
from engine.generation.extractive.account_figures.candidates.fact import Fact, Row, Table
from engine.generation.extractive.account_figures.candidates.pairing import (
    Part,
    amount,
    is_priced,
    is_whole_sum,
    summed,
)
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.composing import month_name
from engine.generation.extractive.account_figures.figure import Amount, Figure
from engine.generation.extractive.account_figures.ranking.forms import HOW_MANY, WHO_ALONE
from engine.generation.extractive.account_figures.ranking.matching import Matcher
from engine.generation.extractive.account_figures.vocabulary import stems_of, vocabulary
from engine.text.dates import fold

#: The word for what rows are told apart by: "which client", "per person", "busiest day", "de cada tipo de proyecto".
_BY = re.compile(
    r"\b(?:which|what|que|cual(?:es)?|quien(?:es)?|per|por|by|each|every|cada|segun|an?(?! que\b)|al|"
    r"how many|cuant[oa]s|best|worst|top|mejor|peor|\w+est)\s+(?:de (?:los|las) |cada |different |distinct )?"
    r"(?:(?:tipo|type|kind)s? (?:of|de) )?(?P<thing>[^\W\d_]+)"
)
_WITH_MOST = re.compile(
    r"(?P<thing>[^\W\d_]+) (?:con|de|with|that has|que) (?:the )?(?:mas|menos|most|least|fewest|mayor|menor)\b"
)
_WHERE = re.compile(r"\W*(?:where|(?:en |a )?donde)\b")
#: Asks for all of them, and not for one.
_EACH = re.compile(r"\b(?:per|por|by|each|every|cada|segun)\b")
_DAYS, _MONTHS = ("day", "dia", "date", "fecha"), ("month", "mes")
#: Rows that are told at least, and values of a column; what a word has to mean of the name of one, in another language.
_LEAST, _MEANT = 2, 0.25


def grouped(question: Question, matcher: Matcher, table: Table, choice: Choice | None) -> Table | None:
    """The table with a row for each thing that the question tells its rows apart by; None where it does not.

    It is so only where several rows are of one thing, whose numbers are added up.

    Args:
        choice: The rows that the question names; others are left out.
    """
    flat = not (table.family or table.periods or table.across or len(table.rows) <= _LEAST)
    by = _by(question, matcher, table) if flat else None
    if by is None or (choice is not None and choice.lacks):
        return None
    name, values = by
    places = choice.places if choice is not None else range(len(table.rows))
    groups: dict[str, list[int]] = {}
    for place in places:
        if values[place]:
            groups.setdefault(values[place], []).append(place)
    if len(groups) < _LEAST:
        return None
    said = ", ".join(choice.names) if choice is not None and not choice.timed else ""
    asked = stems_of(question.text) & stems_of(table.name)
    return _with_sums(table, name, groups, said, counts=bool(asked) and name != table.name)


def of_named(question: Question, matcher: Matcher, table: Table, choice: Choice | None) -> list[Candidate]:
    """What the numbers of the thing that the question names come to, where the table has several rows of it.

    "How many" asks for rows, unless it says what of them.
    """
    if choice is None or table.family or table.periods or len(choice.places) < _LEAST or len(choice.names) != 1:
        return []
    (name,) = choice.names
    if choice.without or any(
        name not in table.rows[p].told.values() or table.rows[p].name == name for p in choice.places
    ):
        return []
    row = Row(name, None, {}, {})
    counts = HOW_MANY.match(fold(question.text)) is not None
    columns = [one for one in table.columns if _is_added(one) and (not counts or matcher.told(one.label))]
    sums = [(column, parts) for column in columns if (parts := _parts(table, column, choice))]
    facts = [
        replace(column, figures=(Figure((column.label,), summed(column, choice.places), name),), rows=(row,))
        for column, parts in sums
    ]
    only = Table(table.name, "", (row,), tuple(facts))
    return [
        Candidate("value", (fact,), fact.value, fact.label, parts, (row,), only, choice)
        for fact, (_, parts) in zip(facts, sums, strict=True)
        if isinstance(fact.value, Amount)
    ]


def _parts(table: Table, column: Fact, choice: Choice) -> tuple[Part, ...]:
    """The numbers that the chosen rows have in a column, with their names."""
    return tuple((table.rows[place].name, one) for place in choice.places if (one := amount(column.figures[place])))


def lists_all(question: Question) -> bool:
    """Whether the question asks for what each of several things comes to, and for no end of them."""
    folded = fold(question.text)
    means = re.search(rf"\b(?:{'|'.join(vocabulary()['superlatives']['average'])})\b", folded) is not None
    return _EACH.search(folded) is not None and not means and question.operation not in ("highest", "lowest")


def _by(question: Question, matcher: Matcher, table: Table) -> tuple[str, list[str]] | None:
    """What the question tells rows apart by, with the value of each row; None where it is nothing of the table."""
    folded = fold(question.text)
    asked = [found["thing"] for pattern in (_BY, _WITH_MOST) for found in pattern.finditer(folded)]
    dimensions, stems = _dimensions(table), list(map(stem_of, asked))
    for name, values in dimensions.items():
        words, kin = [stem_of(word) for word in fold(name).split()], subjects_in(name)
        if any(same(one, word) for one in stems for word in words) or any(kin & subjects_in(one) for one in asked):
            return _repeated(name, values)
    if WHO_ALONE.match(folded):
        people = [name for name in dimensions if {fold(word) for word in name.split()} & {*vocabulary()["people"]}]
        if len(people) == 1:
            return _repeated(people[0], dimensions[people[0]])
    if _WHERE.match(folded) and table.key in dimensions:
        return _repeated(table.key, dimensions[table.key])
    days = [row.day for row in table.rows]
    if any(same(one, stem_of(word)) for one in stems for word in _DAYS):
        return _repeated(_DAYS[0], [day.written if day else "" for day in days])
    if any(same(one, stem_of(word)) for one in stems for word in _MONTHS):
        called = partial(month_name, language=question.language)
        return _repeated(_MONTHS[0], [called(day.day.month) if day and not day.month else "" for day in days])
    near = sorted(((matcher.meant_by(asked, name), name) for name in dimensions if name), reverse=True)
    clear = bool(near) and near[0][0] >= _MEANT and all(other < near[0][0] / 2 for other, _ in near[1:])
    return _repeated(near[0][1], dimensions[near[0][1]]) if clear else None


def _dimensions(table: Table) -> dict[str, list[str]]:
    """What each row says in the column that names rows, and in those of texts, by their labels."""
    rows = stems_of(table.name)  # "which membership" of a list of memberships is one of its rows
    columns = dict.fromkeys(column for row in table.rows for column in row.told)
    found = {
        one: [row.told.get(one, "") for row in table.rows]
        for one in columns
        if not (of := stems_of(one)) or not of <= rows
    }
    dated = all(row.day is not None and row.day.written == row.name for row in table.rows)
    return found if dated else {table.key or table.name: [row.name for row in table.rows], **found}


def _repeated(name: str, values: list[str]) -> tuple[str, list[str]] | None:
    """A name with its values, where there are several and some come more than once."""
    told = [value for value in values if value]
    return (name, values) if _LEAST <= len(set(told)) < len(told) else None


def _with_sums(table: Table, by: str, groups: dict[str, list[int]], said: str, *, counts: bool) -> Table | None:
    days = {name: table.rows[places[0]].day if by == _DAYS[0] else None for name, places in groups.items()}
    rows = tuple(Row(name, days[name], {}, {}) for name in groups)
    columns = [*_columns(table, groups, rows, said), *(_counts(table, groups, rows) if counts else ())]
    return Table(by, by, rows, tuple(columns)) if columns else None


def _columns(table: Table, groups: dict[str, list[int]], rows: tuple[Row, ...], said: str) -> Iterator[Fact]:
    for column in table.columns:
        sums = [summed(column, places) for places in groups.values()]
        if _is_added(column) and any(one is not None for one in sums):
            label = f"{column.label}, {said}" if said else column.label
            cells = [
                None if one is None else Figure((label,), one, row.name) for one, row in zip(sums, rows, strict=True)
            ]
            yield Fact(label, column.leaf, column.parent, tuple(cells), rows, table.name)


def _counts(table: Table, groups: dict[str, list[int]], rows: tuple[Row, ...]) -> Iterator[Fact]:
    """How many rows there are of each, where these have a name."""
    if table.name and table.name != table.key:
        counts = [Amount(Fraction(len(places))) for places in groups.values()]
        figures = (Figure((table.name,), one, row.name) for one, row in zip(counts, rows, strict=True))
        yield Fact(table.name, table.name, "", tuple(figures), rows, table.name)


def _is_added(column: Fact) -> bool:
    """Whether the numbers of a column may be added up: no share, price, mean or mark."""
    numbers = ((place, amount(figure)) for place, figure in enumerate(column.figures))
    place, value = next((one for one in numbers if one[1] is not None), (0, None))
    words = {fold(word) for word in column.words}
    if value is None or value.unit in ("%", "C") or words & {*vocabulary()["not_added"]}:
        return False
    return not is_priced(column, place) or is_whole_sum(column) or not words & {*vocabulary()["each_costs"]}
