"""The dialogues that the relation of a message to its conversation is learnt from, and how they are read.

A line of a file is one dialogue: ``{"id", "language", "domain", "fold", "turns": [{"text", "type", "relation",
"refers_to", "standalone"}]}``. The turns are the user's messages; answers are not written down.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classifier.decision import QueryType
from classifier.files import filled_lines
from classifier.relation.relations import EARLIER, Relation

#: Languages that dialogues are written in.
LANGUAGES = ("en", "es", "zh")
#: How many turns a dialogue may have.
SHORTEST, LONGEST = 3, 8
#: Parts that the domains are dealt out to, and with them the ways to thank, to recall and to ask for other words.
FOLDS = 5


#: What points at earlier turns, and what says its question in full.
POINTING = frozenset({Relation.FOLLOW_UP, Relation.REWORDING, Relation.RECALL})
ASKING = frozenset({Relation.STANDS_ALONE, Relation.FOLLOW_UP})


class DialogueError(ValueError):
    """A line is not a dialogue; the message names the file, the line and the field."""


@dataclass(frozen=True, slots=True)
class DialogueTurn:
    """One message of the user.

    Attributes:
        text: As it was typed.
        type: What it asks for.
        relation: What it is to the turns before it.
        refers_to: Numbers of the turns that it points at, from 1, ascending; all are earlier.
        standalone: The question in full; None where it asks none (`ASKING`).
    """

    text: str
    type: QueryType
    relation: Relation
    refers_to: tuple[int, ...] = ()
    standalone: str | None = None


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation, as its user's messages.

    Attributes:
        id: Unique among all dialogues.
        language: One of `LANGUAGES`.
        domain: What it is about. No domain stands on two sides of a split.
        fold: The part of the domains that it belongs to, from 0 and below `FOLDS`.
        turns: `SHORTEST` to `LONGEST` of them.
    """

    id: str
    language: str
    domain: str
    fold: int
    turns: tuple[DialogueTurn, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """One message with what was asked before it: what a relation head reads.

    Attributes:
        dialogue: Where it comes from.
        number: Which turn of that it is, from 1.
        earlier: The last messages before it that ask something (`ASKING`), oldest first, at most `EARLIER`.
    """

    dialogue: Dialogue
    number: int
    earlier: tuple[str, ...]

    @property
    def turn(self) -> DialogueTurn:
        """The message."""
        return self.dialogue.turns[self.number - 1]


def dialogue_files(folder: Path) -> list[Path]:
    """The files of a folder in a fixed order.

    Raises:
        DialogueError: There is none.
    """
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise DialogueError(f"{folder}: there is no .jsonl file of dialogues")
    return files


def read_dialogues(paths: Iterable[Path]) -> list[Dialogue]:
    """The dialogues of JSON-lines files, in order.

    Raises:
        DialogueError: A line is no dialogue, an id is used twice, or there is none at all.
    """
    dialogues: list[Dialogue] = []
    ids: set[str] = set()
    for path in paths:
        for number, line in filled_lines(path.read_text(encoding="utf-8")):
            dialogue = _dialogue(line, f"{path}:{number}")
            if dialogue.id in ids:
                raise DialogueError(f"{path}:{number}: id {dialogue.id!r} is that of an earlier dialogue")
            ids.add(dialogue.id)
            dialogues.append(dialogue)
    if not dialogues:
        raise DialogueError("there are no dialogues")
    return dialogues


def examples(dialogues: Iterable[Dialogue]) -> list[Example]:
    """Every message with those before it, in order."""
    found = []
    for dialogue in dialogues:
        earlier: list[str] = []
        for number, turn in enumerate(dialogue.turns, start=1):
            found.append(Example(dialogue, number, tuple(earlier[-EARLIER:])))
            if turn.relation in ASKING:
                earlier.append(turn.text)
    return found


def split(dialogues: Sequence[Dialogue], fold: int) -> tuple[list[Dialogue], list[Dialogue]]:
    """The dialogues to fit on and those of one fold to judge by: other domains, and other ways to thank or recall."""
    return [one for one in dialogues if one.fold != fold], [one for one in dialogues if one.fold == fold]


def _dialogue(line: str, place: str) -> Dialogue:
    """One dialogue of a file.

    Raises:
        DialogueError: It is not one; names the place.
    """
    try:
        entry = json.loads(line)
        id_, language, domain = entry["id"], entry["language"], entry["domain"]
        fold, turns = entry["fold"], list(entry["turns"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DialogueError(f"{place}: is not an object with id, language, domain, fold and turns") from error
    if not all(isinstance(text, str) and text.strip() for text in (id_, domain)):
        raise DialogueError(f"{place}: id and domain are texts that are not empty")
    if language not in LANGUAGES:
        raise DialogueError(f"{place}: language is one of {', '.join(LANGUAGES)}, not {language!r}")
    if not _is_number(fold) or not 0 <= fold < FOLDS:
        raise DialogueError(f"{place}: fold is a number from 0 to {FOLDS - 1}, not {fold!r}")
    if not SHORTEST <= len(turns) <= LONGEST:
        raise DialogueError(f"{place}: turns are {SHORTEST} to {LONGEST}, not {len(turns)}")
    read = tuple(_turn(turn, number, f"{place}: turn {number}") for number, turn in enumerate(turns, start=1))
    return Dialogue(id_, language, domain, fold, read)


def _turn(entry: Any, number: int, place: str) -> DialogueTurn:
    """One turn of a dialogue.

    Raises:
        DialogueError: It is not one, or contradicts itself; names the place and the field.
    """
    try:
        text, refers_to, standalone = entry["text"], entry["refers_to"], entry["standalone"]
        type_, relation = QueryType(entry["type"]), Relation(entry["relation"])
    except (KeyError, TypeError) as error:
        raise DialogueError(f"{place} is not an object with text, type, relation, refers_to and standalone") from error
    except ValueError as error:
        raise DialogueError(
            f"{place}: type is one of {_names(QueryType)} and relation of {_names(Relation)}"
        ) from error
    if not isinstance(text, str) or not text.strip():
        raise DialogueError(f"{place}: text is empty")
    if not isinstance(refers_to, list) or not all(_is_number(one) and 0 < one < number for one in refers_to):
        raise DialogueError(f"{place}: refers_to is a list of numbers of earlier turns, not {refers_to!r}")
    if refers_to != sorted(set(refers_to)):
        raise DialogueError(f"{place}: refers_to is ascending and names no turn twice, not {refers_to!r}")
    if bool(refers_to) is not (relation in POINTING):
        raise DialogueError(f"{place}: refers_to is empty for {relation} exactly if it points at no turn")
    if (isinstance(standalone, str) and bool(standalone.strip())) is not (relation in ASKING):
        raise DialogueError(f"{place}: standalone is the question in full for {_names(sorted(ASKING))}, else null")
    return DialogueTurn(text, type_, relation, tuple(refers_to), standalone if relation in ASKING else None)


def _is_number(value: object) -> bool:
    """Whether a value of JSON is a whole number; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def _names(values: Iterable[object]) -> str:
    """Values as a list in words."""
    return ", ".join(str(value) for value in values)
