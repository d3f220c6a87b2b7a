"""What a query over a table comes to, with where its figures stand."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from engine.generation.extractive.account_figures.composing import of_mean, of_sum
from engine.generation.extractive.row_arithmetic.last_row import is_quoted
from engine.generation.extractive.row_arithmetic.rows import Row, items_in, marks
from engine.generation.extractive.row_arithmetic.table_conditions import values_of
from engine.generation.extractive.row_arithmetic.table_operations import (
    IN_TOTAL,
    LISTING,
    asks_for_the_most,
    operation_of,
    superlative,
)
from engine.generation.extractive.row_arithmetic.table_query import TableQuery, TableReader
from engine.generation.extractive.row_arithmetic.terms import UNADDED, Term, told_mean, told_total, verdict
from engine.text import messages
from engine.text.language import Language
from engine.text.words import folded

#: Rows of the shortest table that has a most.
_ROWS = 3
#: Numbers that are years where all of a column are.
_YEARS = range(1900, 2101)
#: Asks what something does.
_DOES = re.compile(r"\b(?:do|does)\W*$|\b(?:hacen?|hace)\b")
#: Points at what an answer listed, which no other table is asked for.
_POINTING = re.compile(r"\b(?:of|de) (?:them|these|those|ell[oa]s|es[oa]s|est[oa]s)\b")
#: Characters up to which rows are told with all of their cells.
_WHOLE_CHARS = 700


def result(
    question: str,
    rows: Sequence[Row],
    reader: TableReader,
    language: Language,
    before: str = "",
    last: str = "",
    around: Sequence[str] = (),
    near: Collection[int] | None = None,
) -> str:
    """What one of the tables says to a question, the one that has most of its words; empty where that is none, or two.

    Blocks, as `TableReader` does.

    Args:
        rows: Of all tables and lists.
        before: The question that it goes on from, whose kind of rows it is of where it names none; empty without one.
        last: The answer that it goes on from: it is of the table of a row that was told where it names none.
        around: See `TableReader.read`.
        near: Marks of the passages whose tables need no word of the question as it is written; None: of all.
    """
    tables = _tables(rows)
    operation = operation_of(question, language, reader.operations) if tables else ""
    if not operation or _POINTING.search(folded(question)):
        return ""
    found: list[tuple[tuple[bool, bool, int, float], TableQuery, list[Row]]] = []
    for every in tables:
        asked = reader.read(question, operation, every, language, around)
        carried = bool(last) and any(is_quoted(row, last) for row in every)
        earlier = reader.read(before, operation, every, language) if before and asked else None
        own = asked is not None and (asked.own or (not last and earlier is not None and earlier.own))
        apart = near is not None and every[0].number not in near
        if asked is None or not (own or carried) or (apart and not (carried or asked.taken)):
            continue
        if earlier is not None and not asked.conditions and operation != "list":
            asked = replace(asked, conditions=earlier.conditions)
        found.append(((asked.own, carried, asked.taken, asked.meant - asked.left), asked, every))
    best = max((has for has, _, _ in found), default=None)
    told = [_told(question, asked, every, reader, language) for has, asked, every in found if has == best]
    told = list(filter(None, told))
    return told[0] if len(told) == 1 else ""


def _tables(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each table, and the items of each list that was read whole, where there are several."""
    found: dict[str, list[Row]] = {row.table: [] for row in rows if not row.single}
    for row in rows:
        if row.table in found:
            found[row.table].append(row)
    return [
        every
        for table, every in found.items()
        if len(every) > 1 and (every[0].columns or items_in(table) == len(every))
    ]


def those_that_hold(question: str, listed: Sequence[Row], reader: TableReader, language: Language) -> str:
    """Those of the rows that were listed which a bound holds for, or whose cell says "none" or does not; the most."""
    ends = operation_of(question, language, reader.operations) if superlative(question) else ""
    operation = ends if ends in ("highest", "lowest") else "list"
    asked = reader.read(_POINTING.sub(" ", folded(question)), operation, listed, language)
    if asked is None or asked.meant:
        return ""
    if operation != "list":
        return _extreme(question, asked, listed, _held(asked, listed), reader, language)
    return _listed(question, replace(asked, own=False), listed, _held(asked, listed), language)


def _held(asked: TableQuery, every: Sequence[Row]) -> list[int]:
    return [at for at in range(len(every)) if all(at in one.rows for one in asked.conditions)]


def _told(question: str, asked: TableQuery, every: Sequence[Row], reader: TableReader, language: Language) -> str:
    places = _held(asked, every)
    if asked.operation in LISTING:
        return _listed(question, asked, every, places, language)
    if asked.operation in ("highest", "lowest"):
        return _extreme(question, asked, every, places, reader, language) if len(every) >= _ROWS else ""
    column, terms = _terms(question, asked, every, places, reader)
    if not terms:
        return ""
    if asked.operation == "compare":
        return verdict(terms[:1], terms[1:], language) if len(terms) == 2 else ""
    if not (asked.named or asked.conditions):  # of all rows, whose names say nothing
        of_column, amounts = of_mean if asked.operation == "average" else of_sum, [term.cell.amount for term in terms]
        return f"{of_column(column, amounts, language)} {marks(term.row for term in terms)}"
    return told_mean(terms, language) if asked.operation == "average" else told_total(terms, language)


def _terms(
    question: str, asked: TableQuery, every: Sequence[Row], places: Sequence[int], reader: TableReader
) -> tuple[str, list[Term]]:
    """The figures that are put together, with their column; none where one is missing, or they are of several kinds.

    Args:
        places: Of the rows that conditions hold for: all of them where a named column is added up, or a mean asked for.
    """
    summed = asked.operation == "sum" and asked.columns and not asked.meant and IN_TOTAL.search(folded(question))
    of_all = not asked.left and (summed or (asked.operation == "average" and asked.own))
    places = list(asked.named) or (places if of_all or (asked.conditions and asked.operation != "cost") else [])
    column = reader.column_for(question, asked, every, places) if len(places) > 1 else ""
    cells = [(every[at], every[at].cell(column)) for at in places]
    terms = [Term(row, cell) for row, cell in cells if cell is not None]
    if len(terms) < len(places) or len({(term.cell.kind, term.cell.amount.unit) for term in terms}) > 1:
        return column, []
    unadded = asked.operation in ("sum", "cost") and terms and terms[0].cell.kind in UNADDED
    # "How many seats are there in all" names what bare numbers count.
    return column, [] if unadded and (terms[0].cell.kind or not asked.columns) else terms


def _listed(question: str, asked: TableQuery, every: Sequence[Row], places: Sequence[int], language: Language) -> str:
    """The rows that conditions hold for, a line each; their number above them where it is asked for.

    All rows of a file of rows where none is asked for and the question has no other words.
    """
    counts = asked.operation == "count"
    held = [every[at] for at in places]
    if not asked.conditions:
        if not asked.own or asked.left or not (counts or every[0].is_record):
            return ""
        lines = _lines(held, asked.columns) if asked.columns else _whole(held)
        return _counted(lines, held, language, counts=counts)
    if not 0 < len(held) < len(every) or (len(held) == 1 and (asked.left or counts)):
        return ""  # "how many napkins were ordered" is a figure of one row
    columns = [*asked.columns, *(name for one in asked.conditions for name in one.columns)]
    if len(held) == 1 and not asked.columns and _DOES.search(folded(question)):
        return f"{_whole(held)} {marks(held)}"
    return _counted(_lines(held, columns), held, language, counts=counts)


def _counted(lines: str, held: Sequence[Row], language: Language, *, counts: bool) -> str:
    told = f"{lines} {marks(held)}"
    return messages.IN_ALL[language].format(n=len(held), rows=told) if counts else told


def _lines(held: Sequence[Row], columns: Sequence[str]) -> str:
    """A line for each row, with its cells in these columns, but for the one that its name tells."""
    if not held[0].columns:
        return "\n".join(f"- {row.told}" for row in held)
    told = [name for name in dict.fromkeys(columns) if not (held[0].says_what and name == held[0].columns[0])]
    return "\n".join(f"- {row.told_by(told)}" for row in held)


def _whole(held: Sequence[Row]) -> str:
    """Rows with all of their cells, or their names alone where that is too much."""
    whole = "\n".join(f"- {row.told_by([name for name in row.columns if row.of(name)])}" for row in held)
    return whole if len(whole) <= _WHOLE_CHARS else _lines(held, ())


def _extreme(
    question: str,
    asked: TableQuery,
    every: Sequence[Row],
    places: Sequence[int],
    reader: TableReader,
    language: Language,
) -> str:
    """The row with the most or the least, where it is one alone and all figures are of one kind."""
    column = reader.column_for(question, asked, every, places) if len(places) > 1 else ""
    values = {at: value for at, value in values_of(column, every).items() if at in places} if column else {}
    cells = {at: every[at].cell(column) for at in values}
    if len({(cell.kind, cell.kind == "money" and cell.amount.unit) for cell in cells.values() if cell}) > 1:
        return ""
    timed = any(cell is not None and cell.kind == "time" for cell in cells.values())
    years = all(value in _YEARS for value in values.values())
    most = asks_for_the_most(question, asked.operation, reader.operations, reader.embedder, timed=timed, years=years)
    best = (max if most else min)(values.values(), default=None)
    rows = [at for at, value in values.items() if value == best]
    if len(rows) != 1:
        return ""
    row, cell = every[rows[0]], cells[rows[0]]
    one = f"{Term(row, cell).name}: {cell.written}" if cell else f"{row.full_name} — {column}: {row.of(column)}"
    beside = [
        name
        for name in asked.columns
        if name != column and not row.cell(name) and row.of(name) not in ("", row.says_what)
    ]
    one = "; ".join([one, *(f"{name}: {row.of(name)}" for name in beside)])
    return f"{(messages.MOST if most else messages.LEAST)[language].format(one=one)} [{row.number}]"
