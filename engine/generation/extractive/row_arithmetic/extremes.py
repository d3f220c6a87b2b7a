"""The most and the least of a column of a table that the question names: "which course is the shortest?"."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date
from fractions import Fraction

from classifier.decision import Embedder
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.row_arithmetic.last_row import is_quoted
from engine.generation.extractive.row_arithmetic.rows import Cell, Row, called_so, in_seconds
from engine.generation.extractive.row_arithmetic.terms import Term
from engine.generation.extractive.row_arithmetic.wording import SUPERLATIVE, column_stems, read, without_doing
from engine.text import messages
from engine.text.language import Language
from engine.text.words import content_stems, folded, has_digit, is_common, stem

#: What stands in front of the most, and not of a comparison ("are there longer ones?").
_WHICH = re.compile(r"\b(?:which|what\W?s?|the|cu[aá]l(?:es)?|qu[eé]|el|la|los|las|lo)\b", re.IGNORECASE)
#: The most of something that is counted, or to be something.
_COUNTED = re.compile(r"(?:the|which) (?:most|least)\s", re.IGNORECASE)
_SPANISH = re.compile(r"\b(?:m[aá]s|menos)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_SPEED = re.compile(r"fast|quick|r[aá]pid|(?P<slow>slow|lent)", re.IGNORECASE)
#: The probability from which the most, or the least, is asked for.
_SURE = 0.8
#: Rows of the shortest table that has a most.
_ROWS = 3
#: Nothing that is asked of a day is answered here.
_TODAY = date(2000, 1, 1)


def extreme(
    question: str,
    rows: Sequence[Row],
    embedder: Embedder,
    likeliest: Callable[[str, Sequence[Cell]], Sequence[Cell]],
    language: Language,
    around: Iterable[str] = (),
    before: str = "",
    last: str = "",
) -> str:
    """The row of one table with the most or the least; empty where it is not sure of which table, or of which column.

    Every row of the table states a figure in that column, all of one kind, and one of them alone is the most.

    Args:
        question: It names nothing but the table, by its heading, and a column.
        rows: Of one document.
        likeliest: The columns, one at most, that superlative words are of.
        before: The question that it goes on from, whose kind of rows it is of where it names none; empty without one.
        last: The answer that it goes on from: it names the table of a row that was told where it names nothing.
        around: What stands around the rows: words of it may stand beside the name of a column.
    """
    superlatives = SUPERLATIVE.finditer(question)
    told = [one[0] for one in superlatives if not is_common(one[0]) and _WHICH.search(question[: one.end()])]
    if len(told) != 1:
        return ""
    bare = without_doing(question.replace(told[0], " "), rows)
    found: list[tuple[bool, str]] = []
    for table in dict.fromkeys(row.table for row in rows):
        every = [row for row in rows if row.table == table]
        own, rest = _of_a_kind(_without(bare, content_stems(called_so(every))), every)
        if before and own is every:  # "and the most expensive?"
            own, _ = _of_a_kind(before, every)
        called = rest != bare or own is not every
        asked = read(rest, own)
        shared = [cell for cell in own[0].cells if all(row.cell(cell.column) for row in own)]
        figured = {cell.column for cell in shared}.intersection(asked.columns)
        # "The dearest article" names the column that says what articles there are.
        called |= bool(asked.columns) and not figured
        carried = bool(last) and rest == bare and not asked.left and any(is_quoted(row, last) for row in every)
        named = [cell for cell in shared if cell.column in figured] or _worded(bare, shared)
        left = {stem(word) for word in asked.left} - _what_rows_are(question, told[0], every)
        beside = not left or (len(named) == 1 and left <= content_stems(" ".join(around)))
        if len(every) < _ROWS or not beside or any(asked.sides) or len(figured) > 1:
            continue
        if not (asked.told or named or called or carried):
            continue
        if not named and _names_figures(bare, own, {cell.column for cell in shared}):
            continue
        if not named and _COUNTED.match(told[0]) and is_common(told[0].split()[-1]):  # "the most people"
            continue
        if not named:
            named = shared if len(shared) < 2 else list(likeliest(told[0], shared))
        if len(named) == 1 and (one := _most(told[0], own, named[0].column, embedder, language)):
            found.append((rest != bare or carried, one))
    likeliest_tables = [one for named, one in found if named == any(named for named, _ in found)]
    return likeliest_tables[0] if len(likeliest_tables) == 1 else ""


def _what_rows_are(question: str, told: str, every: Sequence[Row]) -> set[str]:
    """The stem of the noun beside superlative words, where the question names the table by all of its heading.

    "The tallest tree of the north garden" says what stands in the table "North garden".
    """
    heading = content_stems(every[0].heading)
    if not heading or not heading <= content_stems(question):
        return set()
    before, _, behind = question.partition(told)
    beside = _WORD.findall(before)[-1:] if _SPANISH.match(told) else _WORD.findall(behind)[:1]
    return set(map(stem, beside))


def _worded(question: str, cells: Sequence[Cell]) -> list[Cell]:
    """The one column that has words of the question in its name; nothing where none has, or several."""
    asked = content_stems(question)
    found = [cell for cell in cells if asked & column_stems(cell.column)]
    return found if len(found) == 1 else []


def _names_figures(question: str, rows: Sequence[Row], read: Collection[str]) -> bool:
    """Whether a question names a column whose figures cannot be read: "the deepest water" of 1.2 to 2.0 m."""
    unread = [name for name in rows[0].columns if name not in read and any(has_digit(row.of(name)) for row in rows)]
    return bool(content_stems(question) & column_stems(" ".join(unread)))


def _of_a_kind(question: str, rows: list[Row]) -> tuple[list[Row], str]:
    """The rows of the kind that a question names by words of several of them, "the cheapest lamp", and its other words.

    All rows, where it names none so.
    """
    had = [content_stems(" ".join((row.name, *row.texts))) for row in rows]
    columns = content_stems(" ".join(rows[0].columns))
    several = {word for word in content_stems(question) - columns if 1 < sum(word in one for one in had) < len(rows)}
    kind = [row for row, words in zip(rows, had, strict=True) if several <= words]
    return (kind, _without(question, several)) if several and len(kind) > 1 else (rows, question)


def _without(question: str, stems: Collection[str]) -> str:
    """`question` without words, such as what all rows are called: "which zone" does not name "Other zones"."""
    return _WORD.sub(lambda word: " " if stem(word[0]) in stems else word[0], question)


def is_most(told: str, *, timed: bool, embedder: Embedder) -> bool | None:
    """Whether superlative words ask for the most; None where they are not sure to ask for either.

    They are read in a question of their own: other words of the question may sound like the most ("high season").
    """
    if timed and (speed := _SPEED.search(told)):  # what is the fastest takes the least time
        return speed["slow"] is not None
    frame = "which is the {}" if _SPANISH.search(told) is None else "cuál es el {}"
    if _SPANISH.match(told):
        told = re.sub(r"(?:a|as|os)$", "o", told)
    elif _SPANISH.search(told):
        frame = "cuál es el que {}"
    chances = Operations(embedder).read(frame.format(told), _TODAY).chances
    sure = [name for name in ("highest", "lowest") if chances[name] >= _SURE]
    return sure[0] == "highest" if sure else None


def _most(told: str, rows: Sequence[Row], column: str, embedder: Embedder, language: Language) -> str:
    cells = [cell for row in rows if (cell := row.cell(column))]
    if (
        len({cell.kind for cell in cells}) != 1
        or len({folded(cell.amount.unit) for cell in cells if cell.kind == "money"}) > 1
    ):
        return ""
    values = [_value(cell) for cell in cells]
    most = is_most(told, timed=cells[0].kind == "time", embedder=embedder)
    best = max(values) if most else min(values)
    if most is None or values.count(best) != 1:
        return ""
    row, cell = rows[values.index(best)], cells[values.index(best)]
    said = messages.MOST if most else messages.LEAST
    return f"{said[language].format(one=f'{Term(row, cell).name}: {cell.written}')} [{row.number}]"


def _value(cell: Cell) -> Fraction:
    seconds = in_seconds(cell.amount) if cell.kind == "time" else None
    return cell.amount.value if seconds is None else seconds
