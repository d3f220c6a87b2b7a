"""Text taken apart for quoting: sentences, list items and code blocks, each whole."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

_FENCE = re.compile(r"^\s*(```+|~~~+)")
#: A list item; the group is there when it is numbered.
_ITEM = re.compile(r"^\s*(?:[-*+•]|(\d{1,3})[.)])\s+")
_TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]+\|[\s:|-]*$")
_MARKS = r"(?:\s?\[\d{1,6}\])*"
#: A sentence ends at a full stop with white space and the beginning of another one behind it: a capital letter, or the
#: name of a command such as addVar. Closing quotes and citation marks behind the stop belong to it.
_END = re.compile(rf"[.!?…][\"'»”)\]]*{_MARKS}(?=\s+[\"'«“(¿¡`*_]*(?:[A-ZÁÉÍÓÚÑ0-9`¿¡]|[a-z]+[A-Z]))|[。！？]{_MARKS}")
_ONLY_MARKS = re.compile(rf"{_MARKS}\Z")
#: Common shortenings after which a sentence goes on.
_SHORTENED = re.compile(r"\b(?:e\.g|i\.e|p\.ej|etc|vs|cf|sr|sra|dr|dra|mr|mrs|no|núm|art|ee\.uu)\.$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of text that can stand alone; numbered steps are one, with the line that introduces them."""

    text: str
    code: bool = False


def units(text: str) -> list[Unit]:
    """The sentences, items, steps, table rows and code blocks of Markdown or plain text, in order; no headings."""
    reader = _Reader()
    for line in text.splitlines():
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


class _Reader:
    """Takes Markdown apart, line by line."""

    def __init__(self) -> None:
        self._found: list[Unit] = []
        self._paragraph: list[str] = []
        self._steps: list[str] = []
        self._code: list[str] | None = None
        self._in_step = False

    def read(self, line: str) -> None:
        """Takes the next line."""
        fence = _FENCE.match(line)
        if self._code is not None:
            self._code.append(line)
            if fence:
                self._close_code()
        elif fence:
            self._close_all()
            self._code = [line]
        elif not line.strip():
            self._close()
        elif line.lstrip().startswith("#"):
            self._close_all()
        elif line.lstrip().startswith("|"):
            self._close_all()
            self._row(line)
        elif item := _ITEM.match(line):
            self._close()
            self._in_step = item.group(1) is not None
            self._paragraph.append(line[item.end() :].strip())  # an item may go on in the next lines
        else:
            self._paragraph.append(line.strip())

    def end(self) -> list[Unit]:
        """Everything that was found."""
        if self._code is not None:
            self._code.append("```")
            self._close_code()
        self._close_all()
        return self._found

    def _row(self, line: str) -> None:
        if not _TABLE_RULE.match(line):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            self._found.append(Unit(": ".join(cell for cell in cells if cell)))

    def _close_code(self) -> None:
        self._found.append(Unit("\n".join(self._code or ()), code=True))
        self._code = None

    def _close_all(self) -> None:
        self._close()
        self._close_steps()

    def _close(self) -> None:
        """Ends a paragraph or an item."""
        text, in_step = " ".join(self._paragraph), self._in_step
        self._paragraph, self._in_step = [], False
        if not text:
            return
        if in_step:
            self._steps.append(text)
            return
        self._close_steps()
        if self._found and self._found[-1].code and _ONLY_MARKS.match(text):
            self._found[-1] = Unit(f"{self._found[-1].text}\n\n{text}", code=True)  # they cite the block
            return
        self._found += [Unit(sentence) for sentence in sentences(text)]

    def _close_steps(self) -> None:
        """Ends a numbered list: its steps are of no use apart, nor is the line that introduces them."""
        if self._steps:
            introduced = self._found and self._found[-1].text.endswith(":") and not self._found[-1].code
            head = [self._found.pop().text] if introduced else []
            numbered = [f"{place}. {step}" for place, step in enumerate(self._steps, start=1)]
            self._found.append(Unit("\n".join([*head, *numbered])))
            self._steps = []
