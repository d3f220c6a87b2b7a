"""Figures in lines and tables: `key: value`, sections, indented blocks, CSV, and Markdown tables."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote_plus

from engine.generation.extractive.account_figures.figure import (
    MOST_FIGURES,
    Amount,
    Day,
    Figure,
    day_of,
    value_of,
    words_of_key,
)
from engine.generation.extractive.account_figures.reading.pieces import PAIR, figures_of, typed_of
from engine.generation.extractive.account_figures.reading.pivots import counted_by, has_periods, is_period_name
from engine.generation.extractive.account_figures.reading.records import ASSIGNED, counted, figures_of_records, records
from engine.generation.extractive.account_figures.reading.sentences import sentence_figures
from engine.generation.extractive.account_figures.vocabulary import period_in, stems_of, words_without_period
from engine.text.language import Language

_HEADING = re.compile(r"^\s*(?:#{1,6}\s+(?P<a>.+?)\s*#*|\[(?P<b>[^\]]+)\]|\*\*(?P<c>[^*]+)\*\*:?)\s*$")
_RULE = re.compile(r"^\s*\|?[\s:|-]*-[\s:|-]*$")
#: A line of running text: two sentences, or one that ends.
_PROSE = re.compile(r"\w\w[.!?](?:\s|$)")
_SENTENCE = re.compile(r"[.!?]\s+[A-ZÁÉÍÓÚ¿¡]")
#: Names and values between which dots or an arrow lead, and those that are the cells of a line that is no row of its
#: table.
_LED = re.compile(r"^(?P<indent>\s*)(?P<key>[^\W\d_].{0,60}?)\s*(?:\.{3,}|…+|->|→|>>)\s*(?P<value>[^.\s].*?)\s*$")
_LOOSE = re.compile(
    r"^(?P<indent>\s*)(?:[-*+•]\s+)?(?P<key>[^\W\d_][\w %/()'’-]{0,50}?)\s*(?:;|(?<!\d),)\s*"
    r"(?P<value>[^;,\s].*?)[;,\s]*$"
)
#: Names and values between which a dash stands, and how many lines of a text have to be such.
_DASHED = re.compile(r"^(?P<indent>\s*)(?:[-*+•]\s+)?(?P<key>[^\W\d_][^:=|\t]{0,60}?)\s+[-–—]\s+(?P<value>\S.*)$")
_MOST_OF = 0.6
#: A time of day, which is no name with a value.
_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b")
#: Where a statement ends in a line that is no sentence: at signs, and before the next sentence.
_STATEMENTS = re.compile(r"\s+(?:[·•|]|//?|--+)\s+|\s{3,}|(?<=[\w)%€][.;])\s+(?=[A-ZÁÉÍÓÚÑ¿¡])")
#: Words of a name; what a column without a name is called.
_WORDS, _UNNAMED = 6, "row"
_DELIMITERS = ("\t", ";", ",", "|", "\v")
_ASSIGNED = re.compile(r"[^\W\d]\w{0,60}\s*=\s*\S")
_KEYED = re.compile(r"\s*[^\W\d_][\w ]{0,40}:\s*[^\s{][^{}]*")
_NAMED_PAIRS = re.compile(
    r"^(?P<indent>\s*)(?:[-*+•]\s+)?(?P<key>[^\W\d_][^:=,;|]{0,60}?)\s*:\s*"
    r"(?P<pairs>[^\W\d](?:\w{0,60}\s*=|[\w ]{0,40}:\s).*)$"
)
_INLINE = re.compile(r"^\s*(?P<key>[^\W\d_][^:{}]{0,60}?)\s*:\s*\{(?P<pairs>[^{}]+)\}\s*$")
#: The name of a day before its date: "Mon 2025-08-04".
_WEEKDAY = re.compile(r"^[^\W\d_]{2,9}\.?,?\s+(?=\d)")
#: Words from which on the one heading of a text is its title, with its sign.
_TITLE = 3
#: Columns that are aligned by spaces.
_SPACES = re.compile(r"(?<=\S) {2,}(?=\S)")


def _pairs(line: str) -> list[str]:
    """A line of `key=value` pairs between bars, semicolons or as a query string, a pair a line; others as they are."""
    named = _NAMED_PAIRS.match(line)  # "sales: mon=842.50; tue=790.00"
    head = [f"{named['indent']}{named['key']}:"] if named else []
    for between in (r"\s*[|;]\s*", r"\s*&\s*", r"\s*,\s+"):
        parts = [part for part in re.split(between, named["pairs"] if named else line.strip()) if part]
        paired = sum(_ASSIGNED.match(part) is not None for part in parts)
        if (paired > 1 and paired >= len(parts) - 1) or (len(parts) > 1 and all(map(_KEYED.fullmatch, parts))):
            parts = [unquote_plus(part) for part in parts] if "&" in between else parts
            return [*head, *(f"{named['indent']}  {part}" for part in parts)] if named else parts
    assigned = [found[0] for found in ASSIGNED.finditer(line)]
    if len(assigned) > 1 and not ASSIGNED.sub("", line).strip():  # "calls=12 errors=0"
        return assigned
    stated = [part.rstrip(".") for part in _STATEMENTS.split(line.strip())]
    if len(stated) > 1 and all(_is_stated(part) for part in stated):  # "Level: 2. Seats: 3 of 5."
        return stated
    if inline := _INLINE.match(line):  # "data: {used: 6.4 GB, cap: 20 GB}"
        return [f"{inline['key']} {part.strip()}" for part in inline["pairs"].split(",") if ":" in part]
    return [line]


def _is_stated(part: str) -> bool:
    """Whether a piece of a line is a name of few words with its value."""
    pair = PAIR.match(part)
    return pair is not None and bool(pair["value"]) and len(pair["key"].split()) <= _WORDS


def _lines(text: str) -> tuple[list[str], str]:
    """The lines of a text without its title, and what that says that the numbers below are."""
    lines = [line for line in text.splitlines() if line.strip()][:MOST_FIGURES]
    headings = [line for line in lines if _HEADING.match(line)]
    titled = len(headings) == 1 and len(headings[0].split()) > _TITLE  # "# Support desk, week 47" names no figure
    lines = [line for line in lines if not titled or line not in headings]
    if sum(_DASHED.match(line) is not None for line in lines) > _MOST_OF * len(lines):
        lines = [_DASHED.sub(r"\g<indent>\g<key>: \g<value>", line) for line in lines]
    title = counted_by(headings[0].strip(" #*")) if titled else ""
    return lines, title


def line_figures(text: str, language: Language) -> list[Figure]:
    """The figures of text that is made of lines; an empty list where it is running text."""
    lines, title = _lines(text)
    found: list[Figure] = []
    sections: list[tuple[int, str]] = []
    at = 0
    understood, read = 0, -1
    prose: list[str] = []
    while at < len(lines):
        block = _block(lines[at:], tuple(name for _, name in sections), title, language)
        if block is not None and at > read:
            count, figures = block
            found += figures
            understood += count
            at += count
            continue
        if at > read and len(parts := _pairs(lines[at])) > 1:
            lines[at : at + 1], read = parts, at + len(parts) - 1
        line = lines[at]
        at += 1
        if heading := _HEADING.match(line):
            sections = [(-1, words_of_key(heading["a"] or heading["b"] or heading["c"]))]
            understood += 1
        elif pair := _pair(line, language):
            understood += 1
            indent = len(pair["indent"].expandtabs(4))
            sections = [one for one in sections if one[0] < indent]
            key, value = words_of_key(pair["key"].strip(" `\"'")), pair["value"].strip().rstrip(",")
            if day := day_of(_WEEKDAY.sub("", pair["key"].strip())):
                path = tuple(name for _, name in sections)
                column = (*path, *([] if path else [_title(lines[0])]))
                told = figures_of(column, value, language)
                found += (replace(f, row=pair["key"].strip(), day=day, listed=path) for f in told)
            elif value or not _deeper(lines, at, indent):
                found += figures_of((*(name for _, name in sections), key), value, language)
            else:
                sections.append((indent, key))
        elif _PROSE.search(line) or at > 1:  # the first line is a title
            prose.append(line)
    if sum(len(line) for line in prose if _PROSE.search(line)) * 2 > len(text):  # a letter with its subject
        return []
    beside = [figure for line in prose for figure in _beside(line, language)]
    return [*found, *beside] if found and understood * 2 >= len(lines) else []


def _beside(line: str, language: Language) -> list[Figure]:
    """What a line says that stands beside a table or between pairs: statements, pairs, and names with their values."""
    found: list[Figure] = []
    for part in filter(None, (one.strip(" *#|()") for one in _STATEMENTS.split(line))):
        # looser than `_pair`: a time of day may stand in a statement, and what follows a comma may be a name
        pair = _LED.match(part) or PAIR.match(part) or _LOOSE.match(part)
        if pair and pair["value"] and len(pair["key"].split()) <= _WORDS:
            found += figures_of((words_of_key(pair["key"]),), pair["value"].rstrip("."), language)
        else:
            found += sentence_figures(part, language)
    return found


def _pair(line: str, language: Language) -> re.Match[str] | None:
    """The name and the value that a line consists of; those between which no colon stands have a number or a day."""
    if (led := _LED.match(line)) is not None:
        return led
    pair = PAIR.match(line)
    if pair and not _CLOCK.search(line[: pair.end("key") + 3]) and not _SENTENCE.search(pair["value"]):
        return pair
    loose = _LOOSE.match(line)
    return loose if loose and isinstance(value_of(loose["value"], language), Amount | Day) else None


def _title(line: str) -> str:
    """What a first line says that the values below are: the words up to the first sign."""
    told = "" if PAIR.match(line) else words_of_key(re.split(r"[,;:(–|]", line.strip(" #*"))[0])
    return told or "value"


def _block(lines: list[str], path: tuple[str, ...], title: str, language: Language) -> tuple[int, list[Figure]] | None:
    """What several lines say together that the text begins with, and how many they are: a table, records or counts.

    Args:
        title: What the numbers of a table are that does not say it.
    """
    if found := records(lines):
        return len(found), list(figures_of_records(found, path, language))
    if (table := _table(lines)) is not None:
        return table[0], _rows(table[1], path, title, language)
    if counts := counted(lines):
        return len(counts), [figure for name, value in counts for figure in figures_of((*path, name), value, language)]
    return None


def _deeper(lines: list[str], at: int, indent: int) -> bool:
    """Whether the next line belongs to the one before it."""
    if at >= len(lines):
        return False
    following = lines[at]
    deeper = len(following.expandtabs(4)) - len(following.expandtabs(4).lstrip()) > indent
    return deeper or following.lstrip().startswith(("-", "*", "•"))


def _table(lines: list[str]) -> tuple[int, list[list[str]]] | None:
    """The table that the lines begin with: how many lines it takes, and its rows, the header first."""
    if lines[0].lstrip().startswith("|"):
        block = _one_table(lines)
        rows = [
            [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]
            for line in block
            if not _RULE.match(line)
        ]
        return (len(block), rows) if len(rows) > 1 else None
    if _LED.match(lines[0]):
        return None
    for delimiter in _DELIMITERS:
        told: Iterator[str] = itertools.takewhile(lambda line: _HEADING.match(line) is None, lines)
        if delimiter == "\v":
            told = (_SPACES.sub("\v", line.strip()) for line in told)
        read = csv.reader(told, delimiter=delimiter, skipinitialspace=True)
        header = [cell.strip() for cell in next(read, [])]
        if (
            delimiter == "\v"
            and len(lines) > 2
            and {len(_SPACES.split(one.strip())) for one in lines[1:3]} == {len(header) + 1}
        ):
            header = [_UNNAMED, *header]  # the corner above the names of the rows is empty
        if len(header) < 2 or not _is_header(header) or any(": " in line for line in lines[1:3]):
            continue
        rows = [header]
        for row in read:  # no further than they are alike: a text has many lines
            if len(row) != len(header):
                break
            rows.append([cell.strip() for cell in row])
        if len(rows) > 1:
            return len(rows), [row for row in rows if any(row)]
    return None


def _one_table(lines: list[str]) -> list[str]:
    """The lines of the Markdown table that a text begins with: up to the header of the next, which has a rule, too."""
    block: list[str] = []
    ruled = -1
    for line in itertools.takewhile(lambda line: line.lstrip().startswith("|"), lines):
        if block and _RULE.match(line):
            if 0 <= ruled < len(block) - 1:
                return block[:-1]
            ruled = len(block)
        block.append(line)
    return block


def _is_header(cells: list[str]) -> bool:
    return all(
        cell and not re.match(r"[-\d$€£]", cell) and len(cell) <= 40 and not cell.endswith(".") for cell in cells
    )


def _rows(rows: list[list[str]], path: tuple[str, ...], title: str, language: Language) -> list[Figure]:
    """One figure for each cell behind the first; the first names its row."""
    header, found = rows[0], []
    above = (title,) if title and not path and has_periods(header) else path  # what the numbers are of its periods
    paths = [above if is_period_name(name) else path for name in header]
    pairs = len(header) == 2 and sum(
        isinstance(value_of(row[1], language), Amount) for row in rows[1:] if len(row) > 1
    ) < len(rows)
    first_is_day = all(day_of(row[0]) for row in rows[1:] if row)
    measures = pairs and not first_is_day and _names_a_measure(rows)
    compared = len(header) > 2 and not stems_of(header[0]) and all(map(_is_relative, header[1:]))
    for row in rows[1:]:
        if measures and len(row) > 1:
            found += figures_of((*path, words_of_key(row[0])), row[1], language)
            continue
        if compared:
            told = zip(header[1:], row[1:], strict=False)
            found += [
                typed_of((*path, words_of_key(row[0]), words_of_key(when)), cell, language) for when, cell in told
            ]
            continue
        day = day_of(row[0])
        for within, name, cell in zip(paths[1:], header[1:], row[1:], strict=False):
            figure = typed_of((*within, words_of_key(name)), cell, language)
            found.append(replace(figure, row=row[0], day=day, listed=(*within, words_of_key(header[0]))))
    return found


def _is_relative(name: str) -> bool:
    """Whether a name says no more than that something is of this period or of the one before it."""
    period = period_in(name, strict=True)
    return period is not None and period.which != "" and not words_without_period(name.split())


def _names_a_measure(rows: list[list[str]]) -> bool:
    """Whether the second column holds values of different kinds, so that the first one says what each is."""
    return re.search(r"\b(value|valor|amount|cantidad|current|actual)\b", rows[0][1], re.IGNORECASE) is not None or (
        len({type(value_of(row[1], Language.ENGLISH)) for row in rows[1:] if len(row) > 1}) > 1
    )
