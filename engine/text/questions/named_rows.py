"""The rows of tables and items of lists that a question names: by a code, or as the sides of a comparison."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from engine.domain import Passage
from engine.text.questions.comparisons import Compared, beginnings, compared, words_compared
from engine.text.quotation import quoted_units
from engine.text.sentences import Unit, row_name, rows_of
from engine.text.words import content_stems, folded, is_common, words

#: A code as it is written in a question: 409, E4, F-12, --jobs, card_declined.
_CODE = re.compile(
    r"(?<![\w.,€$£-])(?:--[a-z][\w-]*|[a-z]{0,4}-?\d{1,6}[a-z]?|[a-z]+(?:_[a-z\d]+)+)(?![\w%€$£]|[.,]\d)",
    re.IGNORECASE,
)
#: A size, which is a code as a whole.
_SIZE = re.compile(r"(?<![\w.,])\d{1,6}(?:[.,]\d{1,3})?\s?[x×]\s?\d{1,6}(?:[.,]\d{1,3})?(?!\w)", re.IGNORECASE)
_TIMES = re.compile(r"(?<=\d)\s?[x×]\s?(?=\d)")
#: Digits from which a number alone is taken for a code where nothing else says that it is one.
_LONG_NUMBER = 3
#: Common words that are counted.
_COUNTED = frozenset(["people", "person", "persons", "time", "times", "day", "days", "year", "years", "vez", "veces"])
#: A cell has a code among others where it is at most so many times as long.
_FEW = 5
_SEVERAL = re.compile(r"\s*[,/]\s*|\s(?:and|or|y|o)\s")
_MARKS = "`*\"'“”«» "
#: Codes of a question that are looked for: one with more was pasted, and each is held against each cell.
_MOST_CODES = 12


@dataclass(frozen=True, slots=True)
class Named:
    """A row that a question names.

    Attributes:
        place: Of its passage among those that were read.
    """

    place: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class _Row:
    place: int
    unit: Unit
    cells: Sequence[str]
    columns: Sequence[str]
    about: str


def named_rows(question: str, passages: Sequence[Passage]) -> tuple[Named, ...]:
    """The rows of one table or list of `passages` that the question names; empty where it names none.

    A code names the rows that have it as a cell. A number alone does so in the column that the question speaks of, or
    where the question is of little else; with something behind it, it counts. A comparison names a row for each side:
    by words of the first cells, else of any, and where these are in several rows by the words of the other side. Rows
    of something else, which only have the sides in a further cell, are not named where one lacks a side, or a sentence
    tells of both.

    Args:
        question: As it was written.
        passages: Best first.
    """
    codes = _codes(question)
    of_two = compared(question)
    if of_two is not None and of_two.by:  # by a property, which a row need not tell
        of_two = None
    if not codes and of_two is None:
        return ()
    tables = _tables(passages)
    found = _by_code(question, codes, tables) if codes else ()
    found = found or (_compared(of_two, tables, passages) if of_two is not None else ())
    return tuple(Named(row.place, row.unit) for row in found)


def rows_called(question: str, passages: Sequence[Passage]) -> tuple[Named, ...]:
    """The rows that are called as what the question compares by a property: what they tell of it is for the reader.

    Args:
        question: As it was written.
        passages: Best first.
    """
    of_two = compared(question)
    if of_two is None or not of_two.by:
        return ()
    rows = _compared(of_two, _tables(passages), passages)
    called = zip(rows, of_two.own, strict=False)
    every = all(beginnings(row.cells[0]).intersection(own) for row, own in called)
    return tuple(Named(row.place, row.unit) for row in rows) if every else ()


def beside_codes(question: str) -> frozenset[str] | None:
    """The stems of what a question says beside the codes that it names; None where it names none but numbers."""
    if all(_codes(question).values()):
        return None
    return content_stems(_CODE.sub(" ", question))


def _tables(passages: Sequence[Passage]) -> list[list[_Row]]:
    return [list(rows) for _, rows in groupby(_rows(passages), key=lambda row: (row.place, row.unit.whole))]


def _rows(passages: Sequence[Passage]) -> Iterator[_Row]:
    for place, passage in enumerate(passages):
        about = f"{passage.title} {passage.heading}"
        tables: dict[str, tuple[list[str], dict[str, list[str]]]] = {}
        for unit in quoted_units(passage):
            if not unit.whole or unit.code:
                continue
            if unit.whole.lstrip().startswith("|"):
                columns, cells = tables.setdefault(unit.whole, rows_of(unit.whole))
                yield _Row(place, unit, cells.get(unit.text, [unit.text]), columns, about)
            elif name := row_name(unit.text):
                yield _Row(place, unit, [name, unit.text], [], about)


def _codes(question: str) -> dict[str, bool]:
    """The codes of a question as they are compared, and whether each is a number alone."""
    sizes = {_plain(found[0]): False for found in _SIZE.finditer(question)}
    codes = sizes | {found[0].casefold(): found[0].isdigit() for found in _CODE.finditer(_SIZE.sub(" ", question))}
    return dict(islice(codes.items(), _MOST_CODES))


def _plain(text: str) -> str:
    """A cell or a size as it is compared."""
    return _TIMES.sub(" x ", text.strip(_MARKS).casefold())


def _by_code(question: str, codes: dict[str, bool], tables: Sequence[Sequence[_Row]]) -> Sequence[_Row]:
    """The rows of the table that is about most of what the question says."""
    best: tuple[int, int] = (0, 0)
    found: Sequence[_Row] = ()
    for table in tables:
        rows = [row for row in table if any(_has(row, code, bare=codes[code], question=question) for code in codes)]
        about = content_stems(f"{table[0].about} {' '.join(table[0].columns)}")
        worth = (len(about & content_stems(question)), len(rows) > 0)
        if rows and (not found or worth > best):
            best, found = worth, rows
    return found


def _has(row: _Row, code: str, *, bare: bool, question: str) -> bool:
    columns = [*row.columns, *[""] * len(row.cells)]
    return any(
        _is_cell(code, cell, begins=place == 0 and not bare)
        and (not bare or _is_code(question, code, columns[place], row.about, first=place == 0))
        for place, cell in enumerate(row.cells)
    )


def _is_cell(code: str, cell: str, *, begins: bool) -> bool:
    """Whether a cell is a code, has it among a few others, or begins with it where that is enough: `--jobs N`."""
    plain = _plain(cell)
    few = len(plain) <= _FEW * len(code)
    if " x " in code and few and plain.startswith(code):  # with its unit behind: "4 x 40 mm"
        return True
    return plain == code or (few and code in _SEVERAL.split(plain)) or (begins and plain.partition(" ")[0] == code)


def _is_code(question: str, number: str, column: str, about: str, *, first: bool) -> bool:
    """Whether a number in a question is one of a column, and no count of something."""
    before, _, behind = question.casefold().partition(number)
    following, preceding = words(behind)[:1], words(before)[-1:]
    counts = bool(following) and (not is_common(following[0]) or folded(following[0]) in _COUNTED)
    asked = content_stems(question) - {number}
    if content_stems(column) & asked:
        return True
    if not first or counts:
        return False
    named = bool(preceding) and not is_common(preceding[0])
    return named or not asked or len(number) >= _LONG_NUMBER or bool(content_stems(about) & asked)


def _compared(of_two: Compared, tables: Sequence[Sequence[_Row]], passages: Sequence[Passage]) -> Sequence[_Row]:
    """A row for each side, of the table where they have most of the sides' words."""
    best, found = 0, list[_Row]()
    sides = [words_compared(side) for side in of_two.sides]
    for table in tables:
        chosen: list[_Row] = []
        worth = 0
        for side in sides:
            others = [word for other in sides if other is not side for word in other]
            weighed = [(_likeness(row, side, others), row) for row in table if row not in chosen]
            (had, *_, shared), row = max(weighed, key=lambda one: one[0], default=((0, 0, 0.0, 0.0), None))
            if row is None or not (had or (worth and shared)):
                break
            chosen.append(row)
            worth += had
        if len(chosen) == len(sides) and worth > best:
            best, found = worth, chosen
    if any(beginnings(row.cells[0]).intersection(side) for row in found for side in sides):
        return found
    every = all(beginnings(" ".join(row.cells)).intersection(side) for row, side in zip(found, sides, strict=False))
    prose = [unit.text for one in passages for unit in quoted_units(one) if not unit.whole and not unit.code]
    return found if every and not any(map(all, of_two.told(prose))) else []


def _likeness(row: _Row, side: Sequence[str], others: Sequence[str]) -> tuple[int, int, float, float]:
    """Words of a side that a row has, and its first cell, how much of that they are, and words of the other sides.

    Of these the first ones count most: "the red light and the flashing one" leaves out what both are.
    """
    first, every = beginnings(row.cells[0]), beginnings(" ".join(row.cells))
    had = first.intersection(side)
    shared = sum(1 / place for place, word in enumerate(others, start=1) if word in every)
    alike = shared + len(had) / max(len(first), 1)
    return len(every.intersection(side)), len(had), alike, shared
