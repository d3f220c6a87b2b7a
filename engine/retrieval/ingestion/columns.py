"""Tables and lists of plain text as Markdown.

Lines whose columns are set apart by tabs, spaces or bars become those of a table. Where there is no line with the names
of the columns, because dots lead from each name to its value or each line explains the word before it, they become the
items of a list, `- name: value`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

#: Lines and columns of the smallest table; the first line has the names of the columns.
_LEAST_LINES, _LEAST_COLUMNS = 3, 2
#: Characters of the longest cell: what is longer is text in columns.
_MOST_CHARS = 60
#: Characters of the longest word that is explained behind a gap.
_MOST_NAME = 24
_GAP = re.compile(r"\t+| {2,}")
#: Dots that lead from a name to its value.
_LEADER = re.compile(r"(?<![.\s])\s?(?:\.{3,}|…+)\s*(?=\S)")
_ENDS = (".", "!", "?", ";")
_BAR = re.compile(r"(?<!\s)\s+\|\s+")
_CELL = re.compile(r"\S+(?: \S+)*")


def with_tables(text: str) -> str:
    """`text` with the tables and lists of names in it as Markdown; a text without any is the same.

    A table is at least three lines that follow one another with as many cells each, two at least, which begin or end
    below one another where neither tabs nor bars part them. A list of names is at least two lines with dots that lead
    to a value, or three with explanations that begin below one another: of codes, or in sentences.

    Args:
        text: With line feeds alone.
    """
    lines: list[str] = []
    for block, is_table in _blocks(_with_lists(text.split("\n"))):
        lines += _markdown(block) if is_table else block
    return "\n".join(lines)


def _with_lists(lines: list[str]) -> list[str]:
    """The lines with those that name and explain something as items."""
    made: list[str] = []
    for kind, run in groupby(lines, key=_kind):
        block = list(run)
        pairs = _led(block) if kind == "led" else _explained(block) if kind == "explained" else []
        made += [f"- {name}: {value}" for name, value in pairs] if pairs else block
    return made


def _kind(line: str) -> str:
    """What a line may be a part of: lines of one kind that follow one another are looked at together."""
    told = line.strip()
    if len(_LEADER.split(told)) == _LEAST_COLUMNS:
        return "led"
    cells = _GAP.split(told, maxsplit=1)
    return "explained" if len(cells) == _LEAST_COLUMNS and len(cells[0]) <= _MOST_NAME else ""


def _led(lines: list[str]) -> list[list[str]]:
    """The names and values of lines of that kind; none of one that is alone."""
    return [_LEADER.split(line.strip()) for line in lines] if len(lines) > 1 else []


def _explained(lines: list[str]) -> list[list[str]]:
    """The words and explanations of lines of that kind; none where names of columns may stand above them."""
    pairs = [_GAP.split(line.strip(), maxsplit=1) for line in lines]
    if len(lines) < _LEAST_LINES:
        return []
    begins = {line.rindex(value) for line, (_, value) in zip(lines, pairs, strict=True)}
    codes = all(any(map(str.isdigit, name)) and not name[0].isdigit() for name, _ in pairs)
    sentences = all(value.rstrip().endswith(_ENDS) for _, value in pairs)
    return pairs if len(begins) == 1 and (codes or sentences) else []


def _blocks(lines: list[str]) -> Iterator[tuple[list[str], bool]]:
    """The lines in order, those of each table together; each line is read once."""
    place = 0
    while place < len(lines):
        end = place + 1
        while end < len(lines) and _may_follow(lines, place, end):
            end += 1
        block = lines[place:end]
        yield block, len(block) >= _LEAST_LINES and _may_follow(lines, place, place) and _in_columns(block)
        place = end


def _may_follow(lines: list[str], first: int, place: int) -> bool:
    """Whether a line has as many cells as the first one of a table."""
    cells, barred = _cells(lines[place]), _is_barred(lines[place])
    if not _LEAST_COLUMNS <= len(cells) == len(_cells(lines[first])) or barred is not _is_barred(lines[first]):
        return False
    return barred or max(map(len, cells)) <= _MOST_CHARS


def _is_barred(line: str) -> bool:
    """Whether bars part its cells; with bars around them too it is Markdown already."""
    return _BAR.search(line) is not None and not line.lstrip().startswith("|")


def _cells(line: str) -> list[str]:
    told = line.strip()
    if not told or told.startswith("|"):
        return []
    return (_BAR if _is_barred(told) else _GAP).split(told)


def _in_columns(lines: list[str]) -> bool:
    """Whether the cells of each column begin or end at one place, or tabs or bars part them."""
    if all("\t" in line.strip() for line in lines) or _is_barred(lines[0]):
        return True
    spans = zip(*([cell.span() for cell in _CELL.finditer(line)] for line in lines), strict=True)
    return all(len({begin for begin, _ in column}) == 1 or len({end for _, end in column}) == 1 for column in spans)


def _markdown(lines: list[str]) -> list[str]:
    rows = [[cell.replace("|", "\\|") for cell in _cells(line)] for line in lines]
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return [head, f"|{' --- |' * len(rows[0])}", *body]
