"""A question read as a query over one table: what is to be done with its rows, which of them, and by which column.

A word of the question is taken by the first that has it: a bound on figures, what cells say, a column that says whether
there is something, the name of a column, what the table itself is called. Words that none of these has are compared
with all names in meaning, by the vectors that are fitted to names of figures (ADR 41), so that "bedrooms" finds
"Habitaciones". What is left over says that the table does not answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.row_arithmetic.rows import Row, called_so
from engine.generation.extractive.row_arithmetic.table_bounds import UnreadableError, bounded
from engine.generation.extractive.row_arithmetic.table_conditions import (
    CLEAR,
    MEANT,
    Condition,
    Words,
    bare,
    by_cells,
    columns_named,
    columns_of,
    flagged,
    flags_of,
    has_clocks,
    in_month,
    is_of,
    kind_of_column,
    named_in_part,
    values_of,
)
from engine.generation.extractive.row_arithmetic.table_operations import (
    DEFINES,
    HOW_MUCH,
    LISTING,
    LISTS,
    MEAN_WORDS,
    SPEED,
    counted,
    in_the_masculine,
    is_most,
    listed,
    superlative,
)
from engine.generation.extractive.row_arithmetic.table_words import (
    is_asked_for,
    restricts,
    same_unit,
    says_what,
    tells,
)
from engine.generation.extractive.row_arithmetic.wording import (
    AMOUNT,
    EACH,
    HAVING,
    Token,
    telling,
    tokens,
    without_doing,
    words_comparing,
)
from engine.text.language import Language, language_of
from engine.text.questions.comparisons import measure
from engine.text.words import content_stems, folded, has_digit, is_common, plain_words, stem

#: How like the name of a column superlative words are at least.
_OF = 0.58
#: What figures of a kind are called.
_KINDS = {"money": ("price", "precio", "cost"), "time": ("duration", "duración"), "clock": ("hora", "time of day")}
#: Measures that no figures of a table are of.
_NO_FIGURE = ("quality", "noise", "power")
#: How like some name a word is for the table to be asked about it at all.
_ABOUT = 0.72
#: Characters of a table that its language is read from.
_LANGUAGE_CHARS = 1_000
#: Words left over that a question may have: "the cheapest one that you sell".
_LEFT = 1
#: Names what several of something come to.
_TOTAL = re.compile(r"\b(?:total|importe|sum|suma)\b")
#: A word in capitals is a name, be it a common one otherwise.
_CAPITALS = re.compile(r"(?<!\w)[A-Z]{2,}(?!\w)")


@dataclass(frozen=True, slots=True)
class TableQuery:
    """What is asked of a table.

    Attributes:
        operation: `list`, `count`, `highest`, `lowest`, `sum`, `average`, `compare`, or `cost` of rows by their names.
        columns: Those that are asked for.
        named: Places of the rows that are asked for by their names.
        own: The question has a word of what the table itself is called, of its columns or of its cells.
        taken: How many words of the question it has as they are written.
        meant: How like it the others are, of those that it has in other words, added up.
        left: How many it does not have.
    """

    operation: str
    conditions: tuple[Condition, ...] = ()
    columns: tuple[str, ...] = ()
    named: tuple[int, ...] = ()
    own: bool = False
    taken: int = 0
    meant: float = 0.0
    left: int = 0


class TableReader:
    """Reads questions as queries over tables.

    Args:
        embedder: Tells the operation, and which names words mean; blocks.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.operations = Operations(embedder)  # one: reading its heads takes 4 ms

    def read(
        self,
        question: str,
        operation: str,
        every: Sequence[Row],
        language: Language,
        around: Sequence[str] = (),
    ) -> TableQuery | None:
        """The question as a query over these rows; None where the table does not have what it says.

        Args:
            operation: See `operation_of`.
            every: The rows of one table or list.
            around: The texts that it stands in, whose words may stand behind the name of a column.
        """
        if operation == "sum" and _is_counted(question, every):  # "how many boats are there in all"
            operation = "count"
        try:
            bound = bounded(question, every, language, self._likeness, self._is_most, exactly=operation in LISTING)
        except UnreadableError:
            return None
        rest = HAVING.sub(" ", without_doing(folded(question) if bound is None else bound[1], every))
        words = Words(tokens(MEAN_WORDS.sub(" ", rest) if operation == "average" else rest))
        named = _rows_named(words, every)
        conditions = [] if bound is None else [bound[0]]
        if _is_of_these_rows(operation, named, conditions) or _is_of_so_many(operation, rest, words):
            return None
        capitals = frozenset(map(folded, _CAPITALS.findall(question)))
        conditions += by_cells(words, rest, every, self._likeness, capitals)
        columns = columns_named(words, columns_of(every)[every[0].says_what != "" :])
        if columns and operation == "list" and not (named or conditions):
            conditions += named_in_part(words, every)
        operation = _as_asked(operation, question, rest, named, columns, every, bound=bound is not None)
        taken = len(words.taken) + len(conditions) + len(columns) + len(named)
        names = self._take_names(words, every, question)
        columns |= self._meant(words, question, columns, every, foreign=is_foreign(language, every[0].table))
        flags = flags_of(every) if columns else {}
        conditions += [*flagged(columns, words, every, flags), *(dated := in_month(words, columns, every))]
        left = _left_over(words, question, conditions, columns, every, around)
        if left is None or (left and not taken + names):
            return None
        if operation == "count" and not conditions and (columns or not _is_counted(question, every)):
            return None
        stated = bound is not None or dated or columns
        defined = (DEFINES.match(rest) and not stated) or not (conditions or LISTS.match(rest))
        if operation == "list" and (defined or not (conditions or columns or _is_listed(question, words, every))):
            return None  # what something is, where all of them are, or all of something else
        asked = tuple(name for name in columns if name not in flags) or _prices(operation, rest, every)
        own = bool(names or named or conditions or columns or words.about)
        return TableQuery(operation, tuple(conditions), asked, named, own, taken + names, words.meant, left)

    def column_for(self, question: str, asked: TableQuery, every: Sequence[Row], places: Sequence[int]) -> str:
        """The column of figures that a query is by: one that it names, else the one that is likest to the question.

        Empty where it names one whose figures cannot be read, or it is not clear which.
        """
        added = asked.operation in ("sum", "cost", "average", "compare")
        columns = columns_of(every)
        stated = {name: {at for at, row in enumerate(every) if row.cell(name)} for name in columns}
        values = stated if added else {name: set(values_of(name, every)) for name in columns}
        # Of what is the most some rows may have none: "n/a".
        among = [
            name
            for name, has in values.items()
            if set(places) <= has or (not added and name in asked.columns and len(has & set(places)) > 1)
        ]
        named = [name for name in among if name in asked.columns]
        told = " ".join(words_comparing(question, every)) if asked.operation == "compare" else superlative(question)
        by = "time" if SPEED.search(told) else measure(in_the_masculine(told), self.embedder.embed) if told else ""
        by = "money" if asked.operation == "cost" or (asked.operation == "sum" and not named) else by
        fitting = [name for name in among if by and is_of(name, by, every)]
        if by == "length" and not fitting:  # the longest takes the most time
            fitting = [name for name in among if is_of(name, "time", every)]
        unread = [name for name in asked.columns if name not in among and any(has_digit(row.of(name)) for row in every)]
        lacking = by == "money" or by in _NO_FIGURE or SPEED.search(told) or not (added or told)
        if not (named or fitting) and (unread or lacking):
            return ""
        if asked.operation == "sum" and len(fitting) > 1 and not named:  # the price of one is not what was paid
            fitting = [name for name in fitting if _TOTAL.search(folded(name))] or fitting
        if by == "money" and (asked.operation == "cost" or not added):
            # "the most expensive item per unit" is not of the units
            named = [name for name in named if name in fitting]
        among = named or fitting or among
        if len(among) == 1 and (named or fitting or added or not told):
            return among[0]
        return self._likeliest(told, question, among, every) if among else ""

    def _likeliest(self, told: str, question: str, among: Sequence[str], every: Sequence[Row]) -> str:
        """The column that words which compare are of, or else the whole question; empty where it is not clear."""
        kinds = {name: kind_of_column(name, every) for name in among}
        several = len(set(kinds.values())) > 1
        called = [
            (name, text) for name in among for text in (bare(name), *(_KINDS.get(kinds[name], ()) if several else ()))
        ]
        for text in dict.fromkeys([told or question, question]):
            found = self._likeness([text], [one for _, one in called])[0]
            likeness = {name: max(found[at] for at, one in enumerate(called) if one[0] == name) for name in among}
            first, *others = sorted(among, key=lambda name: -likeness[name])
            if not others or likeness[first] - likeness[others[0]] >= CLEAR:
                return first if likeness[first] >= _OF or not told else ""
        clocks = [name for name in among if has_clocks(name, every)]
        return clocks[0] if told and len(clocks) > 1 and first in clocks else ""

    def _likeness(self, texts: Sequence[str], names: Sequence[str]) -> NDArray[np.float32]:
        """How like texts are to names, shape (texts, names), by the vectors that are fitted to names of figures."""
        vectors = self.embedder.embed_names([*texts, *names])
        found: NDArray[np.float32] = vectors[: len(texts)] @ vectors[len(texts) :].T
        return found

    @property
    def _is_most(self) -> partial[bool | None]:
        return partial(is_most, timed=False, operations=self.operations)

    def _take_names(self, words: Words, every: Sequence[Row], question: str) -> int:
        """Takes the words by which the table itself and superlatives are said; how many, what rows are called twice."""
        about = [token for text in (every[0].about, every[0].heading, called_so(every)) for token in tokens(text)]
        told = tokens(superlative(question))
        own = {at for at, one in words.left() if one.within(about) or tells(one.text, every)}
        words.taken |= own | {at for at, one in words.left() if one.within(told)}
        return len(own) + sum(words.said[at].within(tokens(called_so(every))) for at in own)

    def _meant(
        self, words: Words, question: str, named: Mapping[str, set[int]], every: Sequence[Row], *, foreign: bool
    ) -> dict[str, set[int]]:
        """The columns that words left over mean; they are taken, as are those that are about the table at all.

        What is asked for has to be meant, where the table is in the question's language; what it has to be is of a
        column, and not what the table is called.

        Args:
            named: The columns that are named, by their places.
            foreign: The table is in another language than the question.
        """
        behind = {at + 1 for places in named.values() for at in places}
        asked_for = {at for at, _ in words.left() if at in behind or says_what(words.said, at, question)}
        restricting = {at for at in asked_for if restricts(words.said, at)}
        asked_for = set() if foreign else asked_for
        left = [(at, one.text) for at, one in words.left() if not (one.count or one.text.isdigit())]
        columns = list(columns_of(every)[every[0].says_what != "" :])
        title = [word for word in plain_words(f"{every[0].about} {every[0].heading}") if not is_common(word)]
        about = [text for text in (called_so(every), every[0].heading, *title) if text.strip()]
        if not left or not columns:
            return {}
        likeness = self._likeness([text for _, text in left], [*map(bare, columns), *dict.fromkeys(about)])
        found: dict[str, set[int]] = {}
        for (at, _), row in zip(left, likeness, strict=True):
            order = np.argsort(-row)
            clear = len(order) < 2 or row[order[0]] - row[order[1]] >= CLEAR
            if row[order[0]] >= MEANT and clear and order[0] < len(columns):
                found.setdefault(columns[int(order[0])], set()).add(at)
            words.about |= row[order[0]] >= MEANT and order[0] >= len(columns)
            of_column = order[0] < len(columns) or at not in restricting
            if of_column and row[order[0]] >= (MEANT if at in asked_for else _ABOUT):
                words.taken.add(at)
                words.meant += float(row[order[0]])
        return found


def _is_of_these_rows(operation: str, named: Sequence[int], conditions: Sequence[Condition]) -> bool:
    """Whether something is asked of rows that are named, and not which rows are so."""
    return bool(named) and operation in (*LISTING, "highest", "lowest") and not conditions


def _is_of_so_many(operation: str, rest: str, words: Words) -> bool:
    """Whether it is asked what each of several costs, or so many of each."""
    added = operation in ("sum", "cost")
    return added and (EACH.search(rest) is not None or any(one.count for _, one in words.left()))


def _as_asked(
    operation: str,
    question: str,
    rest: str,
    named: Sequence[int],
    columns: Collection[str],
    every: Sequence[Row],
    *,
    bound: bool,
) -> str:
    """The operation as the table has it: "how many seats are there on Fridays" adds up the seats."""
    of = counted(question) if operation == "count" else None
    if of is not None and any(of.within(tokens(name)) and any(row.cell(name) for row in every) for name in columns):
        return "sum"
    if bound and operation in ("cost", "compare") and len(named) < 2:  # "flats for less", "aged more than 12 months"
        return "list"
    return "list" if operation == "cost" and HOW_MUCH.match(rest) else operation


def _is_counted(question: str, every: Sequence[Row]) -> bool:
    """Whether it is asked how many there are of what the rows are called."""
    of = counted(question)
    return of is not None and tells(of.text, every) and not any(of.within(tokens(name)) for name in columns_of(every))


def _is_listed(question: str, words: Words, every: Sequence[Row]) -> bool:
    """Whether what is to be listed, where that is said, is what the table is called, in other words too."""
    of = listed(question)
    own = [token for text in (every[0].about, every[0].heading) for token in tokens(text)]
    return of is None or of.within(own) or tells(of.text, every) or words.about


def _prices(operation: str, rest: str, every: Sequence[Row]) -> tuple[str, ...]:
    """The columns of prices, where rows are listed with these and no column is named."""
    asked = operation == "list" and AMOUNT.search(rest)
    return tuple(name for name in columns_of(every) if asked and is_of(name, "money", every))


def _left_over(
    words: Words,
    question: str,
    conditions: Sequence[Condition],
    columns: Mapping[str, set[int]],
    every: Sequence[Row],
    around: Sequence[str],
) -> int | None:
    """How many words the table does not have; None where these are too many, or say what is asked for."""
    of = [*columns, *(name for one in conditions for name in one.columns)]
    left = [at for at, one in words.left() if not any(_is_in_name(one, name) for name in of)]
    named_by = set().union(*columns.values())
    headed = _is_headed(question, every)
    refused = [
        at
        for at in left
        if (at - 1 in named_by and not _is_around(words.said[at], around))
        or restricts(words.said, at)
        or (is_asked_for(words.said, at, question) and not headed)
    ]
    return None if len(left) > _LEFT or refused else len(left)


def _is_around(word: Token, texts: Sequence[str]) -> bool:
    return any(stem(word.text) in content_stems(text) for text in texts)


def _is_headed(question: str, every: Sequence[Row]) -> bool:
    """Whether a question has all words of what the table is called: what is asked of it is what its rows are."""
    heading = content_stems(every[0].heading)
    return bool(heading) and heading <= content_stems(question)


@lru_cache(64)
def is_foreign(language: Language, table: str) -> bool:
    """Whether a table is in another language than the question."""
    return language_of(table[:_LANGUAGE_CHARS]) is not language


def _is_in_name(word: Token, column: str) -> bool:
    """Whether the name of a column has a word, or its unit: "for 100 grams" of "Price per 100 g"."""
    return word.within(tokens(column)) or same_unit(word.text, column)


def _rows_named(words: Words, every: Sequence[Row]) -> tuple[int, ...]:
    """The places of the rows whose names are said, but for numbers behind them, in that order: they are taken."""
    found: dict[int, set[int]] = {}
    called = tokens(called_so(every))
    for at, row in enumerate(every):
        own = telling(row.name.partition("(")[0])
        own = [one for one in own if not one.text.isdigit()] or own
        if (places := words.places(own)) and not all(one.within(called) for one in own):  # "Other zones"
            found[at] = places
    kept = {at: places for at, places in found.items() if not any(places < other for other in found.values())}
    words.taken |= set().union(*kept.values())
    return tuple(sorted(kept, key=lambda at: max(kept[at])))
