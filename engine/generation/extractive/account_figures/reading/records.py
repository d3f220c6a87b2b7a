"""Lines of one form as the rows of a table: logs of `key=value`, items of `key: value`, and lists of counts.

What all lines name is a column; what stands without a name, or the first text, names the row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.generation.extractive.account_figures.asking.synonyms import is_state
from engine.generation.extractive.account_figures.figure import (
    Amount,
    Day,
    Figure,
    Value,
    amount_of,
    day_of,
    measured,
    value_of,
    words_of_key,
)
from engine.generation.extractive.account_figures.vocabulary import is_calendar_name
from engine.text.language import Language
from engine.text.plain_lists import ITEM

#: What stands between the cells of a line, the surest first.
_BETWEEN = (re.compile(r"\s*\|\s*"), re.compile(r"\s*[;·\t]\s*"), re.compile(r",\s+"))
#: A name with its value behind "=".
ASSIGNED = re.compile(r"(?P<key>[^\W\d][\w.\-]{0,60})=(?P<value>\"[^\"]*\"|[^\s,;|]+)")
_KEYED = re.compile(r"(?P<key>[^\W\d_][^:=]{0,40}?)\s*[:=]\s*(?P<value>\S.*)")
_COUNTED = re.compile(r"(?P<key>[^\W\d_][^\d:=$€£]*?)\s+(?P<value>[-+$€£]?\s?\d.*)")
_COUNTING = re.compile(r"(?P<value>\d[\d.,]*)\s+(?P<key>[^\W\d_][^\d:=]*)")
#: The least share of the names of two lines that they have in common as rows of one table; cells of one name that a
#: row has, and letters of a cell.
_ALIKE, _NAMED, _LONG = 0.5, 2, 80


@dataclass(frozen=True, slots=True)
class Record:
    """A line with the cells that are named, and those that are not.

    Attributes:
        between: What its cells are told apart by.
    """

    named: dict[str, str]
    bare: tuple[str, ...]
    between: int

    def like(self, other: Record) -> bool:
        """Whether both are rows of one table."""
        shared = self.named.keys() & other.named.keys()
        return self.between == other.between and len(shared) >= _ALIKE * len(self.named.keys() | other.named.keys())


def records(lines: Sequence[str]) -> list[Record]:
    """The records that `lines` begin with; an empty list where they are fewer than two."""
    found: list[Record] = []
    for line in lines:
        one = _record(line)
        if one is None or (found and not found[0].like(one)):
            break
        found.append(one)
    if len(found) < 2:
        return []
    first = found[0]
    told_apart = first.bare or _first(first) or not all(map(_is_value, first.named.values()))
    return found if told_apart else []


def figures_of_records(found: Sequence[Record], path: tuple[str, ...], language: Language) -> Iterator[Figure]:
    """One figure for each cell that has a name, but for the one that names its row."""
    key = _key_of_rows(found, language)
    headed = all(one.bare and one.bare[0].endswith(":") for one in found)  # "sales: mon=842 tue=790"
    for place, one in enumerate(found, start=1):
        name, day = _row(one, key, place)
        for column, text in one.named.items():
            if column == key:
                continue
            value = value_of(text, language)
            if headed:
                yield _figure((*path, words_of_key(name), column), value)
            else:
                yield replace(_figure((*path, column), value), row=name, day=day, listed=path, row_key=key)


def _row(one: Record, key: str, place: int) -> tuple[str, Day | None]:
    """What names a row, and its day: that of its name, or the only one in it."""
    days = [day for text in (*one.bare, *one.named.values()) if (day := day_of(text)) is not None]
    text = one.named.get(key, "")
    name = one.bare[0].rstrip(":") if one.bare else f"{key} {text}" if text.isdigit() else text
    return name or str(place), days[0] if len(days) == 1 or day_of(name) is not None else None


def _figure(path: tuple[str, ...], value: Value) -> Figure:
    """A figure, with the unit that its name ends in."""
    return measured(path, value) if isinstance(value, Amount) else Figure(path, value)


def counted(lines: Sequence[str]) -> list[tuple[str, str]]:
    """The names and amounts of the lines of one count each that `lines` begin with: `Jan 9.1 m3`."""
    found: dict[str, str] = {}
    for line in lines:
        cell = _COUNTED.fullmatch(ITEM.sub("", line).strip())
        name = words_of_key(cell["key"]) if cell is not None else ""
        if cell is None or name in found or not _is_value(cell["value"]):
            break
        found[name] = cell["value"]
    return list(found.items()) if len(found) > 1 else []


def _record(line: str) -> Record | None:
    """A line as a record; None where fewer than two of its cells have a name, or one is a text of several sentences."""
    text = ITEM.sub("", line).strip()
    assigned = list(ASSIGNED.finditer(text))
    if len(assigned) >= _NAMED:
        rest = ASSIGNED.sub(" ", text).split("  ")
        bare = tuple(part.strip(" ,;|[]-") for part in rest if part.strip(" ,;|[]-"))
        return Record({words_of_key(m["key"]): m["value"].strip('"') for m in assigned}, bare, len(_BETWEEN))
    head, colon, behind = text.partition(": ")
    dated = bool(colon) and (day_of(head) is not None or is_calendar_name(head))  # "2027-01-09: shipped 31, returned 4"
    for between, pattern in enumerate(_BETWEEN):
        cells = [cell for cell in ([head, *pattern.split(behind)] if dated else pattern.split(text)) if cell]
        if len(cells) >= _NAMED + dated and all(len(cell) <= _LONG for cell in cells):
            return _of_cells(cells, between)
    return None


def _of_cells(cells: Sequence[str], between: int) -> Record | None:
    named: dict[str, str] = {}
    bare: list[str] = []
    for cell in cells:
        found = _KEYED.fullmatch(cell) or _COUNTED.fullmatch(cell) or _COUNTING.fullmatch(cell)
        name = words_of_key(found["key"]) if found else ""
        if found is None or name in named or (":" not in cell and "=" not in cell and not _is_value(found["value"])):
            bare.append(cell)
        else:
            named[name] = found["value"].strip("\"'")
    return Record(named, tuple(bare), between) if len(named) >= _NAMED and len(bare) <= len(named) else None


def _is_value(text: str) -> bool:
    return amount_of(text, Language.ENGLISH) is not None or day_of(text) is not None


def _key_of_rows(found: Sequence[Record], language: Language) -> str:
    """The column that names the rows where nothing else does: the first text, else a first count that differs."""
    if all(one.bare for one in found):
        return ""
    for column in found[0].named:
        values = [one.named.get(column, "") for one in found]
        if all(values) and not any(isinstance(value_of(text, language), Amount | Day | bool) for text in values):
            number = _first(found[0])
            numbers = {one.named.get(number) for one in found}
            return number if any(map(is_state, values)) and len(numbers) == len(found) else column
    return _first(found[0])


def _first(one: Record) -> str:
    """The first name of a record whose value is a bare whole number or a day: `unit 07`."""
    name = next(iter(one.named))
    return name if one.named[name].isdigit() or day_of(one.named[name]) is not None else ""
