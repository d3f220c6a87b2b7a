"""A test collection: passages, questions of conversations, and which passages answer them.

One folder holds one collection in the format of the MTRAG benchmark (Katsis et al., "mtRAG: A Multi-Turn
Conversational Benchmark for Evaluating Retrieval-Augmented Generation Systems", 2025)::

    corpus.jsonl               {"_id", "title", "text"}: a passage
    qrels.tsv                  query-id, corpus-id, score; the first line names them
    queries_lastturn.jsonl     {"_id", "text"}: the question as it was asked
    queries_rewrite.jsonl      the same question as a person would put it on its own; may be missing
    queries_questions.jsonl    all questions of the conversation up to it, one a line; may be missing

`tasks.jsonl`, in the folder or in the one above, gives the turns before a question with their answers; without it they
are the questions alone.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classifier.files import filled_lines
from engine.errors import InvalidInput, NotFound
from engine.text.words import content_stems

CORPUS = "corpus.jsonl"
_MARK = re.compile(r"^\s*\|user\|:\s*")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a conversation.

    Attributes:
        id: As the relevance judgements name it.
        query: As it was asked.
        gold: As a person would ask it without the conversation; empty where nobody has said.
        joined: All questions up to it, one a line.
        earlier: (question, answer) of the turns before it, oldest first; an answer that is not known is empty.
        relevant: Gain by passage id, more than 0.
    """

    id: str
    query: str
    gold: str
    joined: str
    earlier: tuple[tuple[str, str], ...]
    relevant: dict[str, float]

    @property
    def lacks_words(self) -> bool | None:
        """Whether its standalone form has words of the turns before it that the question has not. None: not known.

        People also put questions in other words that lack nothing, so that the words differ does not say that they had
        to. Words with a meaning count, by their stems.
        """
        if not self.gold:
            return None
        said = content_stems(" ".join(itertools.chain.from_iterable(self.earlier)))
        return bool((content_stems(self.gold) - content_stems(self.query)) & said)


@dataclass(frozen=True, slots=True)
class Collection:
    """Questions over one corpus."""

    name: str
    corpus: Path
    asked: tuple[Asked, ...]


def find_collections(folder: Path) -> list[Path]:
    """The folders of collections: `folder` itself, or those in it, by name.

    Raises:
        NotFound: There is none.
    """
    if (folder / CORPUS).is_file():
        return [folder]
    found = sorted(path.parent for path in folder.glob(f"*/{CORPUS}"))
    if not found:
        raise NotFound(f"there is no {CORPUS} in {folder}, nor in a folder in it")
    return found


def read_collection(folder: Path) -> Collection:
    """The collection in `folder`; questions that no passage is known to answer are left out.

    Raises:
        NotFound: A file that is needed is not there.
        InvalidInput: A line is not of the format; names file and line.
    """
    asked = _texts(folder / "queries_lastturn.jsonl")
    gold = _texts(folder / "queries_rewrite.jsonl", needed=False)
    joined = _texts(folder / "queries_questions.jsonl", needed=False)
    relevant = _judgements(folder / "qrels.tsv")
    told = _histories(folder)
    rows = []
    for id_, query in asked.items():
        if id_ not in relevant:
            continue
        questions = joined.get(id_, query)
        earlier = told.get(id_)
        if earlier is None:
            earlier = tuple((line, "") for line in questions.split("\n")[:-1])
        rows.append(Asked(id_, query, gold.get(id_, ""), questions, earlier, relevant[id_]))
    return Collection(folder.name, folder / CORPUS, tuple(rows))


def _texts(path: Path, *, needed: bool = True) -> dict[str, str]:
    """Text by id, without the marks of who speaks."""
    if not needed and not path.is_file():
        return {}
    found = {}
    for where, row in _rows(path):
        id_, text = row.get("_id"), row.get("text")
        if not isinstance(id_, str) or not isinstance(text, str):
            raise InvalidInput(where, "has no `_id` and `text` that are texts")
        found[id_] = "\n".join(_MARK.sub("", line).strip() for line in text.strip().split("\n"))
    return found


def _judgements(path: Path) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for place, line in enumerate(_read(path).split("\n"), start=1):
        cells = line.rstrip("\r").split("\t")
        if place == 1 or cells == [""]:
            continue
        try:
            query, passage, score = cells
            gain = float(score)
        except ValueError:
            raise InvalidInput(f"{path.name}:{place}", "is not a query id, a passage id and a score") from None
        if gain > 0:
            found.setdefault(query, {})[passage] = gain
    return found


def _histories(folder: Path) -> dict[str, tuple[tuple[str, str], ...]]:
    """The turns before each question, by its id; empty where nobody has written them down."""
    path = next((p for p in (folder / "tasks.jsonl", folder.parent / "tasks.jsonl") if p.is_file()), None)
    if path is None:
        return {}
    return {str(row.get("task_id")): _exchanges(row.get("history"), where) for where, row in _rows(path)}


def _exchanges(messages: Any, where: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise InvalidInput(where, "has no `history` that is a list of objects")
    turns: list[tuple[str, str]] = []
    for message in messages:
        text = str(message.get("text", ""))
        if message.get("role") == "user":
            turns.append((text, ""))
        elif turns:
            turns[-1] = (turns[-1][0], text)
    return tuple(turns)


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a file of JSON lines, each with where it stands."""
    for place, line in filled_lines(_read(path)):
        where = f"{path.name}:{place}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise InvalidInput(where, "is not JSON") from None
        if not isinstance(row, dict):
            raise InvalidInput(where, "is not an object")
        yield where, row


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError as error:
        raise NotFound(f"{path} cannot be read ({error.strerror})") from None
