"""Passages with questions that they answer and questions that they leave open, written for this project.

`passages/en.txt` and `es.txt` hold blocks, parted by empty lines: `# heading`, the passage on one line, then questions:
`+2 ...` is answered by the second sentence, `- ...` is about the passage's subject and not answered. One half of the
questions is in the other language.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("passages")


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a passage; `sentence` is the place of the one that answers it, from 0, or -1."""

    text: str
    sentence: int


@dataclass(frozen=True, slots=True)
class Block:
    """A passage with its questions."""

    language: str
    heading: str
    text: str
    questions: tuple[Question, ...]


def read_blocks(folder: Path = FOLDER) -> Iterator[Block]:
    """The blocks of each file, in order.

    Raises:
        ValueError: A block has another form; the message names the file and the block.
    """
    for path in sorted(folder.glob("*.txt")):
        for number, block in enumerate(path.read_text(encoding="utf-8").strip().split("\n\n"), start=1):
            try:
                yield _block(path.stem, block.splitlines())
            except ValueError as error:
                raise ValueError(f"{path}, block {number}: {error}") from error


def _block(language: str, lines: list[str]) -> Block:
    if len(lines) < 3 or not lines[0].startswith("# "):
        raise ValueError("a heading behind '# ', a line of text and questions are needed")
    return Block(language, lines[0][2:], lines[1], tuple(map(_question, lines[2:])))


def _question(line: str) -> Question:
    mark, _, text = line.partition(" ")
    if mark == "-":
        return Question(text, -1)
    if not text or mark[:1] != "+" or not mark[1:].isdecimal():
        raise ValueError(f"{line!r} begins neither with '- ' nor with '+' and the number of a sentence")
    return Question(text, int(mark[1:]) - 1)
