"""What is refused and what is answered right without a model, on small collections of documents that only judge.

    python -m scripts.evaluation.refusals [--collections FOLDER] [--errors]

FOLDER holds one folder of documents a collection, and `questions.tsv`: collection, kind, question, fact. `answered` is
a question that the documents answer, with the fact that a right answer states; `near` one about their subject that they
leave open; `other` one about something else. Written by hands that knew no code; nothing is fitted to them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from engine import bootstrap
from engine.cli.common import settings_for_command
from engine.domain import Answer, Completed, Turn
from engine.retrieval.answerability import THRESHOLD
from engine.text.language import read_language
from scripts.benchmarks.harness.children import environment

COLLECTIONS = Path(__file__).with_name("collections")


@dataclass(frozen=True, slots=True)
class Row:
    """A question of a collection; see the module."""

    collection: str
    kind: str
    question: str
    fact: str


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a question.

    Attributes:
        across: Asked in another language than that of the documents.
        refused: The answer was that nothing was found.
        right: The answer states the fact.
    """

    row: Row
    across: bool
    refused: bool
    right: bool
    text: str


def read_rows(folder: Path) -> list[Row]:
    """The questions of all collections.

    Raises:
        ValueError: A line has other fields; the message names the file and the line.
    """
    path, rows = folder / "questions.tsv", []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        fields = line.split("\t")
        if len(fields) != 4 or fields[1] not in ("answered", "near", "other"):
            raise ValueError(f"{path}:{number}: collection, kind (answered, near, other), question and fact, by tabs")
        rows.append(Row(*fields))
    return rows


def states(text: str, fact: str) -> bool:
    """Whether an answer states a fact: by its letters, as whole words."""
    return re.search(rf"(?<!\w){re.escape(fact.casefold())}(?!\w)", text.casefold()) is not None


def language_of(folder: Path) -> str:
    """The language of a collection's documents."""
    return read_language(" ".join(path.read_text(encoding="utf-8") for path in folder.glob("*.md"))).code


async def judged(folder: Path, rows: list[Row], language: str) -> list[Judged]:
    """Asks the questions of one collection, in that language, each in a session of its own."""
    found = []
    with indexed(folder):
        async with bootstrap.engine(settings_for_command()) as engine:
            for number, row in enumerate(rows):
                answer = await _answer(engine, Turn(row.question, f"judged-{number}", principal="judge"))
                refused = answer.answerability is not None and answer.answerability < THRESHOLD
                right = row.kind == "answered" and not refused and states(answer.text, row.fact)
                across = read_language(row.question).code != language
                found.append(Judged(row, across, refused, right, answer.text))
    return found


@contextmanager
def indexed(folder: Path) -> Iterator[None]:
    """Settings whose data is an index of `folder`, with no model."""
    with (
        tempfile.TemporaryDirectory(prefix="refusals-") as data,
        patch.dict(os.environ, environment(Path(data)), clear=True),
    ):
        command = [sys.executable, "-m", "engine", "index", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        yield


async def _answer(engine: bootstrap.Engine, turn: Turn) -> Answer:
    async with aclosing(engine.answers.answer(turn)) as events:
        async for event in events:
            if isinstance(event, Completed):
                return event.answer
    raise RuntimeError("an answer ended without its last event")


def report(found: list[Judged]) -> Iterator[str]:
    """A line for each kind, in the documents' language, in another and in all."""
    groups = defaultdict(list)
    for one in found:
        for where in ("across" if one.across else "alike", "all"):
            groups[one.row.kind, where].append(one)
    for (kind, where), some in sorted(groups.items()):
        refused, right = sum(one.refused for one in some), sum(one.right for one in some)
        told = f", right {right} ({right / len(some):.2f})" if kind == "answered" else ""
        yield f"{kind:9} {where:7} {len(some):4} questions, refused {refused} ({refused / len(some):.2f}){told}"


def main() -> None:
    """Reads the arguments, asks, reports."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--collections", type=Path, default=COLLECTIONS, metavar="FOLDER")
    parser.add_argument("--errors", action="store_true", help="show what went wrong")
    options = parser.parse_args()
    rows, found = read_rows(options.collections), list[Judged]()
    for name in dict.fromkeys(row.collection for row in rows):
        folder = (options.collections / name).resolve()
        found += asyncio.run(judged(folder, [row for row in rows if row.collection == name], language_of(folder)))
    for one in found if options.errors else ():
        if one.refused == (one.row.kind == "answered") or (one.row.kind == "answered" and not one.right):
            print(f"{one.row.kind} {one.row.question!r} {one.row.fact}: {' '.join(one.text.split())[:200]}")
    print("\n".join(report(found)))


if __name__ == "__main__":
    main()
