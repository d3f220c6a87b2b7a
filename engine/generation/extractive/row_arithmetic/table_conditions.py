"""Which rows of a table a question is about: by bounds on figures, times and months, by what cells say, by flags.

Each reader takes the words that it has understood out of the question, so that what is left over tells whether the
table has all that is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from engine.generation.extractive.account_figures.figure import day_of
from engine.generation.extractive.row_arithmetic.rows import Row, called_so, in_seconds
from engine.generation.extractive.row_arithmetic.table_words import kind_named
from engine.generation.extractive.row_arithmetic.wording import Token, asks, denies, telling, tokens
from engine.text.dates import months
from engine.text.questions.comparisons import figures
from engine.text.words import folded, is_common

#: How like a name a word is for it to be meant, and how much likelier than the next name.
MEANT, CLEAR = 0.8, 0.03
#: Words of the longest cell that says of what kind a row is.
_KIND_WORDS = 4
#: Tokens in front of a word in which it is denied: "no tienen garaje", "are not safe for pets".
_DENIED = 3
#: A time of the day, and nothing else.
_CLOCK = re.compile(r"(?P<hour>\d{1,2})[:h](?P<minute>\d{2})(?:\s?h)?")
#: "Don't", "isn't", as their words are read.
_NOT = re.compile(r"\b(?:do|does|did|is|are|has|have)n\b")
#: Says in a cell that something is not needed, not there or not so.
_NONE = re.compile(
    r"(?:none|no|not? (?:needed|required|included|necesari[oa]|incluid[oa])|false|ningun[oa]?|-|–|—)", re.IGNORECASE
)

#: How like texts are to names, by the encoder: shape (texts, names).
Likeness = Callable[[Sequence[str], Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Condition:
    """What a row has to be.

    Attributes:
        columns: What it is of.
        rows: Places of the rows that it holds for.
    """

    columns: tuple[str, ...]
    rows: frozenset[int]


@dataclass(slots=True)
class Words:
    """The words of a question, and which of them something has taken.

    Attributes:
        about: One of them means what the table is called.
        meant: How like the names that they mean they are, of those that mean one, added up.
    """

    said: list[Token]
    taken: set[int] = field(default_factory=set)
    about: bool = False
    meant: float = 0.0

    def left(self) -> Iterator[tuple[int, Token]]:
        """Those that say something and are not taken."""
        return (
            (at, one)
            for at, one in enumerate(self.said)
            if at not in self.taken and (one.count or one.text.isdigit() or not (is_common(one.text) or asks(one.text)))
        )

    def places(self, own: Sequence[Token]) -> set[int]:
        """Where all of these words are said; nothing where one of them is not."""
        found = [{at for at, token in enumerate(self.said) if token.like(one)} for one in own]
        return set().union(*found) if found and all(found) else set()

    def denied(self, places: Collection[int]) -> bool:
        """Whether the words in front of some deny these."""
        first = min(places)
        before = " ".join(token.text for token in self.said[max(0, first - _DENIED) : first])
        return denies(before) or _NOT.search(before) is not None


def has_clocks(column: str, every: Sequence[Row]) -> bool:
    """Whether a column has times of the day."""
    return any(_CLOCK.fullmatch(row.of(column).strip()) for row in every)


def minutes(clock: re.Match[str]) -> Fraction:
    """A time of the day in minutes, by the groups `hour` and `minute`."""
    return Fraction(60 * int(clock["hour"]) + int(clock["minute"]))


def values_of(column: str, every: Sequence[Row]) -> dict[int, Fraction]:
    """What rows have in a column as numbers, by their places: figures, days, and times of the day in minutes."""
    found: dict[int, Fraction] = {}
    for at, row in enumerate(every):
        text, cell = row.of(column).strip(), row.cell(column)
        if clock := _CLOCK.fullmatch(text):
            found[at] = minutes(clock)
        elif cell is not None:
            found[at] = (in_seconds(cell.amount) if cell.kind == "time" else None) or cell.amount.value
        elif (day := day_of(text)) is not None and day.whole:
            found[at] = Fraction(day.day.toordinal())
    return found


def columns_of(every: Sequence[Row]) -> tuple[str, ...]:
    """The columns of a table; of a list, what its figures are."""
    return every[0].columns or tuple(dict.fromkeys(cell.column for row in every for cell in row.cells))


def bare(column: str) -> str:
    """The name of a column without its unit in brackets, where anything else is left."""
    return re.sub(r"\([^()]*\)", "", column).replace("_", " ").strip() or column


def columns_named(words: Words, columns: Sequence[str]) -> dict[str, set[int]]:
    """Where columns are named: by all of their words, or by one that no other column has; these words are taken."""
    own = {column: [one for one in telling(bare(column)) if not one.text.isdigit()] for column in columns}
    found: dict[str, set[int]] = {}
    for column, name in own.items():
        others = [one for other, theirs in own.items() if other != column for one in theirs]
        whole = words.places(name) - words.taken
        alone = {at for at, one in words.left() if one.within(name) and not one.within(others) and not one.count}
        places = whole | alone
        if places and denies(folded(column)) in (False, words.denied(places)):
            found[column] = places
    found = {name: places for name, places in found.items() if not any(places < other for other in found.values())}
    said = {name: sum(one.within(words.said) for one in tokens(bare(name))) for name in found}
    found = {
        name: places
        for name, places in found.items()
        if said[name] == max(said[other] for other in found if found[other] == places)  # "off-peak", not "peak"
    }
    words.taken |= set().union(*found.values())
    return found


def by_cells(
    words: Words, rest: str, every: Sequence[Row], likeness: Likeness, names: Collection[str]
) -> list[Condition]:
    """What cells say that the question says too, as a whole or as one of several things; each word is of one column.

    Args:
        rest: The text of these words.
        names: Words that tell something though they are common, folded.
    """
    kind = kind_named(rest, every, names)
    if kind is None:
        return _by_whole_cells(words, every, likeness)
    chosen, left, by = kind
    if not by:
        return _by_whole_cells(words, every, likeness)
    kept = tokens(left)
    places = {at for at, one in enumerate(words.said) if one not in kept and at not in words.taken}
    if not places or all(words.said[at].text.isdigit() for at in places):
        return []
    words.taken |= places
    held = {at for at, row in enumerate(every) if row in chosen}
    columns = tuple(name for name in by if name in every[0].columns)
    return [Condition(columns, frozenset(set(range(len(every))) - held if words.denied(places) else held))]


def _by_whole_cells(words: Words, every: Sequence[Row], likeness: Likeness) -> list[Condition]:
    """The same by whole cells, where several columns have the words: "salen de la plaza" of "Origen" and "Destino"."""
    found: list[tuple[str, set[int], set[int]]] = []
    for column in every[0].columns:
        for text in dict.fromkeys(row.of(column) for row in every if row.cell(column) is None):
            if day_of(text.strip()):
                continue  # of "7 April" the month alone would be said: see `in_month`
            own = [one for one in telling(text) if not one.count]
            places = words.places(own) if 0 < len(own) <= _KIND_WORDS and not denies(folded(text)) else set()
            if places and max(places) - min(places) <= len(tokens(text)):
                found.append((column, places, {at for at, row in enumerate(every) if row.of(column) == text}))
    conditions: dict[str, Condition] = {}
    likeliest = _likeliest_first(words, found, likeness)
    for column, places, held in sorted(found, key=lambda one: (-len(one[1]), likeliest.index(one[0]))):
        if places & words.taken or column in conditions or len(held) == len(every):
            continue
        rows = set(range(len(every))) - held if words.denied(places) else held
        conditions[column] = Condition((column,), frozenset(rows))
        words.taken |= places
    return list(conditions.values())


def named_in_part(words: Words, every: Sequence[Row]) -> list[Condition]:
    """The rows whose names have a word of the question that others have not: "what does Ana teach" of "Ana Ruiz"."""
    called = tokens(called_so(every))
    names = [[one for one in telling(row.name) if not (one.count or one.within(called))] for row in every]
    conditions = []
    for at, word in words.left():
        rows = {place for place, name in enumerate(names) if len(name) > 1 and word.within(name)}
        if 0 < len(rows) < len(every):
            words.taken.add(at)
            conditions.append(Condition((), frozenset(rows)))
    return conditions


def _likeliest_first(words: Words, found: Sequence[tuple[str, set[int], set[int]]], likeness: Likeness) -> list[str]:
    """The columns, the one first that the other words of the question are likest to."""
    columns = list(dict.fromkeys(one[0] for one in found))
    taken = set().union(*(one[1] for one in found))
    rest = " ".join(token.text for at, token in enumerate(words.said) if at not in taken)
    if len(columns) < 2 or not rest:
        return columns
    return [columns[int(at)] for at in np.argsort(-likeness([rest], columns)[0], kind="stable")]


def flags_of(every: Sequence[Row]) -> dict[str, frozenset[int]]:
    """The columns whose cells say that there is something or none, with the places of those that have it."""
    found = {}
    for column in every[0].columns:
        texts = [row.of(column).strip() for row in every]
        none = [
            _NONE.fullmatch(text) is not None or (len(tokens(text)) <= _KIND_WORDS and denies(folded(text)))
            for text in texts
        ]
        if any(none) and not all(none) and all(texts) and not any(row.cell(column) for row in every):
            found[column] = frozenset(at for at, is_none in enumerate(none) if not is_none)
    return found


def flagged(
    named: Mapping[str, set[int]], words: Words, every: Sequence[Row], flags: Mapping[str, frozenset[int]]
) -> list[Condition]:
    """The conditions of columns that say whether there is something, of those that are named, with their places.

    Args:
        flags: See `flags_of`.
    """
    every_row = frozenset(range(len(every)))
    found = []
    for column, places in named.items():
        denied = bool(places) and words.denied(places)
        none = frozenset(at for at, row in enumerate(every) if _NONE.fullmatch(row.of(column).strip() or "-"))
        none |= frozenset(at for at, value in values_of(column, every).items() if value == 0)
        if column in flags:
            found.append(Condition((column,), every_row - flags[column] if denied else flags[column]))
        elif denied and none:  # "which car parks have no height limit?", where others have one
            found.append(Condition((column,), none))
    return found


def in_month(words: Words, columns: Collection[str], every: Sequence[Row]) -> list[Condition]:
    """The rows whose day is in the month that is named, of the column that is named or the first with days."""
    said = [(at, months()[one.text]) for at, one in enumerate(words.said) if one.text in months()]
    days = {
        column: {at: day.day.month for at, row in enumerate(every) if (day := day_of(row.of(column).strip()))}
        for column in every[0].columns
    }
    dated = [column for column, found in days.items() if len(found) == len(every)]
    if len(said) != 1 or not dated:
        return []
    at, month = said[0]
    words.taken.add(at)
    column = next((column for column in columns if column in dated), dated[0])
    return [Condition((column,), frozenset(row for row, own in days[column].items() if own == month))]


def kind_of_column(column: str, every: Sequence[Row]) -> str:
    """What the figures of a column are: see `Cell.kind`, or `clock` for times of the day; empty for days."""
    if has_clocks(column, every):
        return "clock"
    return next((cell.kind for row in every if (cell := row.cell(column)) is not None), "")


def is_of(column: str, measure_: str, every: Sequence[Row]) -> bool:
    """Whether the figures of a column are of a measure, by their units or the one that its name says."""
    cells = [cell for row in every if (cell := row.cell(column)) is not None]
    unit = column.partition("(")[2].rstrip(")") or column
    return any(
        cell.kind == measure_ or measure_ in figures(f"{cell.written} {unit}" if not cell.amount.unit else cell.written)
        for cell in cells
    )
