"""Names of figures with what people ask for them: `names/*.txt`, written by hand for this project.

A block is a kind of account: ``# kind``, then of each figure ``english name | spanish name`` and its questions
(``  en: ...``, ``  es: ...``), each of which means this figure and none of its neighbours in the block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from engine.generation.extractive.account_figures.figure import words_of_key

HERE = Path(__file__).parent / "names"


@dataclass(frozen=True, slots=True)
class Asked:
    """A figure with its names, by language, and the questions that mean it."""

    names: dict[str, str]
    questions: list[str]


@dataclass(frozen=True, slots=True)
class Block:
    """A kind of account with its figures."""

    kind: str
    figures: list[Asked]


def blocks(folder: Path = HERE) -> list[Block]:
    """The blocks of all files, in order.

    Raises:
        ValueError: A line is none of the four kinds; it names the file and the line.
    """
    found: list[Block] = []
    for path in sorted(folder.glob("*.txt")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if line.startswith("# "):
                found.append(Block(line[2:].strip(), []))
            elif asked := re.fullmatch(r"  (?:en|es): (.+)", line):
                found[-1].figures[-1].questions.append(asked[1].strip())
            elif named := re.fullmatch(r"(\S.*?) \| (\S.*)", line):
                found[-1].figures.append(Asked({"en": plain(named[1]), "es": plain(named[2])}, []))
            elif line.strip():
                raise ValueError(f"{path}, line {number}: no kind, no names, no question: {line!r}")
    return found


def plain(name: str) -> str:
    """A name in words, as the reading of a context makes it of a key: `noShows` and `no_shows` are "no shows"."""
    return words_of_key(name).casefold()
