"""Text taken apart for quoting: sentences, list items and code blocks, each whole."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r"^\s*(```+|~~~+)")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]+\|[\s:|-]*$")
#: A sentence ends at a full stop with white space behind it and the beginning of another one after that.
_END = re.compile(r"(?<=[.!?…:])[\"'»”)\]]*\s+(?=[\"'«“(¿¡`*_]*[A-ZÁÉÍÓÚÑ0-9`¿¡])|(?<=[。！？])")
#: Common shortenings after which a sentence goes on.
_SHORTENED = re.compile(r"\b(?:e\.g|i\.e|p\.ej|etc|vs|cf|sr|sra|dr|dra|mr|mrs|no|núm|art|ee\.uu)\.$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of text that can stand alone."""

    text: str
    code: bool = False


def units(text: str) -> list[Unit]:
    """The sentences, list items, table rows and code blocks of Markdown or plain text, in order; headings left out."""
    found: list[Unit] = []
    paragraph: list[str] = []
    code: list[str] | None = None
    for line in text.splitlines():
        fence = _FENCE.match(line)
        if code is not None:
            code.append(line)
            if fence:
                found.append(Unit("\n".join(code), code=True))
                code = None
        elif fence:
            _close(paragraph, found)
            code = [line]
        elif not line.strip() or line.lstrip().startswith("#"):
            _close(paragraph, found)
        elif _ITEM.match(line) or "|" in line[1:]:
            _close(paragraph, found)
            _item(line, paragraph, found)
        else:
            paragraph.append(line.strip())
    _close(paragraph, found)
    if code:
        found.append(Unit("\n".join([*code, "```"]), code=True))
    return found


def sentences(text: str) -> list[str]:
    """The sentences of running text."""
    whole: list[str] = []
    for piece in _END.split(text):
        if whole and _SHORTENED.search(whole[-1]):
            whole[-1] += " " + piece
        elif piece and piece.strip():
            whole.append(piece.strip())
    return whole


def _item(line: str, paragraph: list[str], found: list[Unit]) -> None:
    if line.lstrip().startswith("|"):
        if not _TABLE_RULE.match(line):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            found.append(Unit(": ".join(cell for cell in cells if cell)))
        return
    paragraph.append(_ITEM.sub("", line).strip())  # an item may go on in the next lines


def _close(paragraph: list[str], found: list[Unit]) -> None:
    found += [Unit(sentence) for sentence in sentences(" ".join(paragraph))]
    paragraph.clear()
