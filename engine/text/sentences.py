"""Text taken apart for quoting: sentences, list items and code blocks, each whole."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from engine.text.plain_lists import CODED, FENCE, ITEM, as_lists

_TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]+\|[\s:|-]*$")
#: The end of a cell; a bar that is escaped is a part of its text.
_CELL_END = re.compile(r"(?<!\\)\|")
#: Filled cells from which they are told apart by the names of their columns.
_NAMED_COLUMNS = 3
#: A bold line that states nothing, a heading of the list below it; and a bold name that a line begins with.
_LABEL = re.compile(r"\*\*[^*\n]*[^*\n.!…]\*\*:?")
#: Characters of an item that is not cut into sentences.
_SHORT_ITEM = 160
#: What an item or a row of two cells is called.
_LABELLED = re.compile(r"[*_`]*(?P<name>[^:\n]{1,60}?)[*_`]*:[*_`]*\s")
_BOLD = re.compile(r"(?P<mark>\*\*|__)(?P<name>[^*_\n]{1,60})(?P=mark)(?=\W)")
#: Characters of a line that leads in the rest of its paragraph, and sentences of both: one a line is a way to write.
_MOST_LEADING, _LEAST_LED = 80, 3
_FIELD = re.compile(r"\*\*[^*\n]+:\*\*\s")
#: A mark of an answer: the number of the passage that a sentence stands in.
MARK = re.compile(r"\[(\d{1,6})\]")
_MARKS = r"(?:\s?\[\d{1,6}\])*"
#: A sentence ends at a full stop with white space and the beginning of another one behind it: a capital letter, or a
#: name such as addVar or avap-isa. Closing quotes and citation marks behind the stop belong to it.
_BEGINS = r"[\"'«“(¿¡`*_]*(?:[A-ZÁÉÍÓÚÑ0-9`¿¡]|[a-z]+(?:[A-Z]|[-_][a-z]+\s))"
_END = re.compile(rf"[.!?…][\"'»”)\]]*{_MARKS}(?=\s+{_BEGINS})|[。！？]{_MARKS}")
#: A question: it begins as sentences do, perhaps behind its number, and neither with a quotation mark nor a dash.
_ASKED = re.compile(r"(?:\d{1,3}(?:\.\d{1,3})*[.)]?\s+)?(?P<told>[¿*_]*[^\W_a-z].*\?[*_]*)\Z")
ONLY_MARKS = re.compile(rf"{_MARKS}\Z")
#: Common shortenings after which a sentence goes on.
_SHORTENED = re.compile(r"\b(?:e\.g|i\.e|p\.ej|etc|vs|cf|sr|sra|dr|dra|mr|mrs|no|núm|art|ee\.uu)\.$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of text that can stand alone; numbered steps are one, with the line that introduces them.

    Attributes:
        whole: The table or list that a row or an item is of, with the line that introduces a list.
        pointer: It says what stands on another page.
        introduced: The line that introduces a block of code; see `quoted_units` for sentences.
        asks: It is a question on a line of its own, which what follows answers.
        leads: It is a short line above the rest of its paragraph, as the name of a fault is above its remedy.
        block: The paragraph, list or table that it stands in, counted from the text's beginning.
    """

    text: str
    code: bool = False
    whole: str = ""
    pointer: bool = False
    introduced: str = ""
    asks: bool = False
    block: int = field(default=0, compare=False)
    leads: bool = field(default=False, compare=False)


def is_one_question(text: str) -> bool:
    """Whether `text` is a single question, as its writer puts it above an answer: no speech, and nothing beside it."""
    asked = _ASKED.match(text)
    return asked is not None and len(sentences(asked["told"])) == 1


def units(text: str) -> list[Unit]:
    """The sentences, items, steps, table rows and code blocks of Markdown or plain text, in order; no headings."""
    reader = _Reader()
    for line in as_lists(text.splitlines()):
        reader.read(line)
    return reader.end()


def sentences(text: str) -> list[str]:
    """The sentences of running text."""
    whole: list[str] = []
    ends = [end.end() for end in _END.finditer(text)]
    for begin, end in itertools.pairwise([0, *ends, len(text)]):
        piece = text[begin:end].strip()
        if whole and _SHORTENED.search(whole[-1]):
            whole[-1] += " " + piece
        elif piece:
            whole.append(piece)
    return whole


def sentences_of_lines(text: str) -> list[str]:
    """The sentences of text whose lines do not go on in the next one, such as an answer's or a table's."""
    return [sentence for line in text.splitlines() for sentence in sentences(line)]


def _row_text(cells: Sequence[str], columns: Sequence[str]) -> str:
    """A table's row: its cells, those behind the first with the names of their columns where there are several."""
    if columns[:1] == ["#"]:  # the number of a row says nothing of it
        cells, columns = cells[1:], columns[1:]
    filled = [cell for cell in cells if cell]
    if len(filled) < _NAMED_COLUMNS or len(columns) != len(cells):
        return ": ".join(filled)
    return _named_cells(cells[0], [pair for pair in zip(columns[1:], cells[1:], strict=True) if pair[1]])


def _named_cells(first: str, others: Sequence[tuple[str, str]]) -> str:
    """Cells with the names of their columns, behind the first one where that is filled."""
    named = "; ".join(f"{name}: {cell}" if name else cell for name, cell in others)
    return f"{first} — {named}" if first else named


def with_columns(table: str, row: str, wanted: Callable[[str], bool]) -> str:
    """A row of a table with the columns alone whose names are wanted; `row` itself where none or all of them are.

    Args:
        table: As `Unit.whole` has it.
        row: The text of a unit of it.
        wanted: Whether a column of that name is wanted.
    """
    columns, rows = rows_of(table)
    cells = rows.get(row, [])
    if cells and len(cells) == len(columns):
        kept = [(name, cell) for name, cell in zip(columns[1:], cells[1:], strict=True) if cell and wanted(name)]
        return _named_cells(cells[0], kept) if kept and cells[0] and columns[0] != "#" else row
    return row


def row_name(text: str) -> str:
    """What a row or an item is called: its first cell, its code, or what is before a colon; empty without a name."""
    name, dash, _ = text.partition(" — ")
    label = CODED.match(text) or _LABELLED.match(text)
    return name if dash else label["name"] if label else ""


def item_name(text: str) -> str:
    """What a row or an item that was told is called: as `row_name`, else what it begins with in bold."""
    bold = _BOLD.match(text)
    return row_name(text) or (bold["name"].rstrip(":") if bold else "")


def rows_of(table: str) -> tuple[list[str], dict[str, list[str]]]:
    """The names of a table's columns, and the cells of its rows by the texts of the units that they are.

    Args:
        table: As `Unit.whole` has it.
    """
    lines = [_cells(line) for line in table.splitlines() if not _TABLE_RULE.match(line)]
    columns = lines[0] if lines else []
    return columns, {_row_text(cells, columns): cells for cells in reversed(lines[1:])}


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELL_END.split(line.strip().strip("|"))]


class _Reader:
    """Takes Markdown apart, line by line."""

    def __init__(self) -> None:
        self._found: list[Unit] = []
        self._paragraph: list[str] = []
        self._steps: list[str] = []
        self._first_step = 1  # its number: a list may be cut
        self._code: list[str] | None = None
        self._in_step = self._in_item = False
        self._columns: list[str] = []  # names of the table's columns that is being read
        self._first: list[str] = []  # cells of the table's first line, until the next one
        self._lines: list[str] = []  # of the table or list that is being read
        self._members = 0  # units that were found before it
        self._loose = False  # whether an empty line has been read in it
        self._block = 0  # paragraphs that have been read

    def read(self, line: str) -> None:
        """Takes the next line."""
        fence = FENCE.match(line)
        if self._code is not None:
            self._code.append(line)
            if fence:
                self._close_code()
            return
        table, item = line.lstrip().startswith("|"), ITEM.match(line)
        self._collect(line, item, table=table, fence=fence is not None)
        if fence:
            self._close_all()
            self._code = [line]
        elif not line.strip():
            self._close()
        elif line.lstrip().startswith("#"):
            self._close_all()
        elif table:
            self._close_all()
            self._row(line)
        elif item:
            self._close()
            self._in_step, self._in_item = item.group(1) is not None, True
            if self._in_step and not self._steps:
                self._first_step = int(item.group(1))
            self._paragraph.append(line[item.end() :].strip())  # an item may go on in the next lines
        else:
            if not self._in_step and _FIELD.match(line.lstrip()):
                self._close()  # one of several lines that each tell one thing
            self._paragraph.append(line.strip())

    def end(self) -> list[Unit]:
        """Everything that was found."""
        if self._code is not None:
            self._code.append("```")
            self._close_code()
        self._end_whole()
        self._close_all()
        return self._found

    def _collect(self, line: str, item: re.Match[str] | None, *, table: bool, fence: bool) -> None:
        """Keeps the lines of a table or list together; a line that is of none ends it."""
        bullet = item is not None and item.group(1) is None
        in_list = bullet or not (self._loose or item or fence)
        if not line.strip() and not (self._lines and self._of_table()):
            self._loose = bool(self._lines)
        elif self._lines and (table if self._of_table() else in_list):
            self._lines.append(line)
        else:
            self._end_whole()
            if table or bullet:
                self._close()
                self._label_introduces()
                self._lines, self._members, self._loose = [line], len(self._found), False

    def _label_introduces(self) -> None:
        """Makes the heading of a list what introduces it."""
        if self._found and _LABEL.fullmatch(self._found[-1].text):
            self._found[-1] = Unit(f"{self._found[-1].text.rstrip(':')}:")

    def _of_table(self) -> bool:
        return self._lines[0].lstrip().startswith("|")

    def _end_whole(self) -> None:
        """Tells the rows or items that were found what they are of."""
        if not self._lines:
            return
        self._close()
        before, members = self._found[: self._members], self._found[self._members :]
        introduced = before and before[-1].text.endswith(":") and not before[-1].code and not self._of_table()
        whole = "\n".join([before[-1].text, *self._lines] if introduced else self._lines)
        if len(members) > 1 or self._of_table():
            self._found = [*before, *(replace(unit, whole=whole) for unit in members)]
        self._lines, self._columns, self._first = [], [], []

    def _row(self, line: str) -> None:
        cells = _cells(line)
        if _TABLE_RULE.match(line):
            if self._first:
                self._found.pop()  # names of columns say nothing without a row
                self._columns = self._first
        elif any(cells):
            self._found.append(Unit(_row_text(cells, self._columns)))
        self._first = cells if len(self._lines) == 1 and any(cells) else []

    def _close_code(self) -> None:
        before = self._found[-1] if self._found else None
        introduced = before.text if before and before.text.endswith(":") and not before.code else ""
        self._found.append(Unit("\n".join(self._code or ()), code=True, introduced=introduced))
        self._code = None

    def _close_all(self) -> None:
        self._close()
        self._close_steps()

    def _close(self) -> None:
        """Ends a paragraph or an item."""
        lines, in_step, in_item = self._paragraph, self._in_step, self._in_item
        self._paragraph, self._in_step, self._in_item = [], False, False
        if not lines:
            return
        self._block += not in_item
        if lines and not in_item and is_one_question(lines[0]):
            self._close_steps()
            self._found.append(Unit(lines.pop(0), asks=True, block=self._block))
        text = " ".join(lines)
        if not text:
            return
        if in_step:
            self._steps.append(text)
            return
        self._close_steps()
        if self._found and self._found[-1].code and ONLY_MARKS.match(text):
            self._found[-1] = replace(self._found[-1], text=f"{self._found[-1].text}\n\n{text}")  # they cite the block
            return
        said = sentences(text)
        # What a short item says of the one name that it begins with belongs together.
        whole = in_item and len(text) <= _SHORT_ITEM and row_name(text) and not any(map(row_name, said[1:]))
        leads = not in_item and len(said) >= _LEAST_LED and said[0] == lines[0] and len(said[0]) <= _MOST_LEADING
        self._found += [Unit(sentence, block=self._block) for sentence in ([text] if whole else said)]
        if leads:
            self._found[-len(said)] = replace(self._found[-len(said)], leads=True)

    def _close_steps(self) -> None:
        """Ends a numbered list: its steps are of no use apart, nor is the line that introduces them."""
        if self._steps:
            self._label_introduces()
            introduced = self._found and self._found[-1].text.endswith(":") and not self._found[-1].code
            head = [self._found.pop().text] if introduced else []
            numbered = [f"{place}. {step}" for place, step in enumerate(self._steps, start=self._first_step)]
            self._found.append(Unit("\n".join([*head, *numbered])))
            self._steps = []
