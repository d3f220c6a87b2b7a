"""Lists of plain text as those of Markdown: lines that state one thing each, counted steps, names of lists."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from engine.text.words import is_common

#: A list item; the group is there when it is numbered.
ITEM = re.compile(r"^\s*(?:[-*+•·▪◦‣]|(\d{1,3})[.)])\s+")
FENCE = re.compile(r"^\s*(```+|~~~+)")
#: A line of plain text that states one thing: "Water tank: 28 pounds".
STATED = re.compile(r"[^\W_a-z][^:.!?\n]{0,60}:\s\S")
#: A line of plain text that says what a code stands for: "F12 - Door open."
CODED = re.compile(r"(?=\S*\d)(?=\S*[A-Z])(?P<name>[A-Z\d][\w.-]{0,8})\s+[-–—=]\s+(?=\S)")
#: A bullet that Markdown does not know.
_BULLET = re.compile(r"^(\s*)[•·▪◦‣]\s+")
#: A step that is counted by a word: "Step 2: ...", "Paso 2. ...".
_STEP = re.compile(r"^\s*[*_]{0,2}(?:step|paso)\s+(\d{1,3})\s*[*_]{0,2}[.:)–—-][*_]{0,2}\s+(?=\S)", re.IGNORECASE)
#: Lines are seldom wrapped to fewer characters: a line that is shorter than all ends where its writer ended it.
_NARROW = 60
#: Characters that are left in such a line, beside the first word of the next one.
_LEFT = 8
#: Characters and words of the longest line that introduces a list without a colon.
_LABEL_CHARS, _LABEL_WORDS = 70, 9
#: Lines of the shortest list whose lines state nothing, and characters of the longest of them.
_LEAST_LINES, _LINE_CHARS = 3, 90
_ENDED = (".", "!", "?", "…", ":", ";", ",", "。", "！", "？", "：", "|")
#: A name of a list: words without a stop, a colon or marks.
_LABEL = re.compile(r"[¿(\"“«]?[^\W_][^.:;!…`*|#\n]*[^\W_][)?\"”»]?")
_WORD = re.compile(r"\w+")
_BEGINS = re.compile(r"[\"'«“(¿¡*_]*[A-ZÁÉÍÓÚÑ0-9]")


def list_name(whole: str, heading: str) -> str:
    """What a list is called: the line that introduces it, else its heading.

    Args:
        whole: As `Unit.whole` has it.
        heading: What its section is about.
    """
    first = next(iter(whole.splitlines()), "")
    return heading if not first or ITEM.match(first) else first.rstrip(" :")


def as_lists(lines: Sequence[str]) -> list[str]:
    """`lines` with the lists of plain text written as Markdown has them; what is Markdown stays as it is.

    A paragraph whose lines were broken on purpose, and that state one thing each or have no full stop, is a list;
    "Step 2: ..." is a numbered item; a short line without a full stop that stands alone above a list introduces it.
    """
    found: list[str] = []
    for prose, block in _blocks([_BULLET.sub(r"\1- ", _STEP.sub(r"\1. ", line)) for line in lines]):
        told = _told(block) if prose else block
        if ITEM.match(told[0]):
            _introduce(found)
        found += told
    return found


def _blocks(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    """The lines in order: those of each paragraph of running text together, with True; every other one alone."""
    prose: list[str] = []
    fence, in_item = "", False
    for line in lines:
        mark = FENCE.match(line)
        if not fence and not mark and line.strip() and not in_item and not _is_marked(line):
            prose.append(line)
            continue
        if prose:
            yield True, prose
            prose = []
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence:
            in_item = bool(line.strip()) and (in_item or ITEM.match(line) is not None)
        yield False, [line]
    if prose:
        yield True, prose


def _is_marked(line: str) -> bool:
    """Whether a line is of a list, a table, a heading or a quotation of Markdown."""
    return ITEM.match(line) is not None or line.lstrip().startswith(("|", "#", ">"))


def _told(lines: list[str]) -> list[str]:
    """A paragraph as a list where it is one, else with its lines apart where they were broken on purpose."""
    head = lines[:1] if len(lines) > 1 and lines[0].rstrip().endswith((":", "?")) else []
    rest = [line.strip() for line in lines[len(head) :]]
    width = max(_NARROW, *map(len, rest))
    broken = [_on_purpose(one, other, width) for one, other in itertools.pairwise(rest)]
    if broken and all(broken) and _is_list(rest):
        return [*head, *(f"- {line}" for line in rest)]
    told = list(head)
    for line, here in zip(rest, [*broken, False], strict=True):
        told += [line, ""] if here and not line.endswith(_ENDED) else [line]
    return told


def _is_list(lines: Sequence[str]) -> bool:
    stated = sum((STATED.match(line) or CODED.match(line)) is not None for line in lines)
    if 2 * stated >= len(lines) and stated > 1:
        return True
    return len(lines) >= _LEAST_LINES and not any(line.endswith(_ENDED) or len(line) > _LINE_CHARS for line in lines)


def _on_purpose(line: str, following: str, width: int) -> bool:
    """Whether a line ends where the next thing begins, rather than where no more words fitted."""
    if _BEGINS.match(following) is None or line.endswith((",", ";", "(", "-")):
        return False
    if line.endswith(_ENDED) or (STATED.match(line) and STATED.match(following)):
        return True
    last = _WORD.findall(line)[-1:]
    first = len(following.split(maxsplit=1)[0])
    return len(line) + 1 + first + _LEFT <= width and not (last and is_common(last[0]) and not last[0].isdigit())


def _introduce(found: list[str]) -> None:
    """Writes a colon behind the last line that was read, where it is the name of the list that comes now."""
    place = next((at for at in range(len(found) - 1, -1, -1) if found[at].strip()), -1)
    line = found[place].rstrip() if place >= 0 else ""
    alone = place == 0 or (place > 0 and not found[place - 1].strip())
    if alone and len(line) <= _LABEL_CHARS and len(line.split()) <= _LABEL_WORDS and _LABEL.fullmatch(line):
        found[place] = f"{line}:"
