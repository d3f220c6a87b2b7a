"""The sentences of an answer that say something, with where they stand and what they cite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.text.sentences import MARK, sentences
from engine.text.words import content

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
#: Where a block begins: behind an empty line, and with every item, heading or row of a table.
_BLOCK = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+•|#]|\d{1,3}[.)][ \t]))")
_LEAD = re.compile(r"[ \t\n]*(?:(?:[-*+•>|]|\d{1,3}[.)])[ \t]+)*(?:\*\*|__)?")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of an answer that says something.

    Attributes:
        start: In the answer's text, in characters.
        end: Behind its last character.
        text: Without marks.
        cited: Numbers of the marks that it ends with, or that its block has next.
    """

    start: int
    end: int
    text: str
    cited: tuple[int, ...]


def closed(answer: str) -> bool:
    """Whether a mark may stand behind an answer: it does not end with code."""
    last = answer.rstrip().rpartition("\n")[2]
    return answer.count("```") % 2 == 0 and not last.startswith("```") and last.count("`") % 2 == 0


def statements(answer: str) -> list[Statement]:
    """The sentences of an answer in order: no code, headings, questions, or lines that introduce something."""
    prose = _FENCE.sub(lambda fence: " " * len(fence.group()), answer)
    ends = [block.start() for block in _BLOCK.finditer(prose)]
    begins = [0, *(block.end() for block in _BLOCK.finditer(prose))]
    found: list[Statement] = []
    for begin, end in zip(begins, [*ends, len(prose)], strict=True):
        found += _of_block(prose[begin:end].replace("\n", " "), begin)
    return found


def _of_block(block: str, offset: int) -> Iterator[Statement]:
    lead = _LEAD.match(block)
    at = lead.end() if lead else 0
    placed = []
    for sentence in [] if block.lstrip().startswith("#") else sentences(block[at:]):
        start = block.find(sentence, at)
        start = at if start < 0 else start
        at = start + len(sentence)
        placed.append((offset + start, offset + at, sentence))
    following: tuple[int, ...] = ()
    made = []
    for start, end, sentence in reversed(placed):
        following = tuple(int(number) for number in MARK.findall(sentence)) or following
        text = " ".join(MARK.sub("", sentence).split())
        if _says_something(text):
            made.append(Statement(start, end, text, following))
    yield from reversed(made)


def _says_something(text: str) -> bool:
    return not text.endswith((":", "?")) and any(True for _ in content(text))
