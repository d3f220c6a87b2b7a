"""Golden conversations through the real pipeline: is a search made exactly when it is needed, and is it the right one.

A case is a conversation; each of its messages says whether it needs a search, and what an answer, a receipt or a
rewritten question has to hold. The failing direction of the engine is to search, so precision is what suffers first.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from classifier.files import filled_lines
from engine.answering.ports import Answers, fold
from engine.conversation.store.port import SessionStore
from engine.domain import Action, Answer, Origin, Relation, Turn
from engine.errors import InvalidInput, NotFound
from engine.evaluation.golden import PRINCIPAL, forget
from engine.evaluation.measures import known_mean


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a golden conversation.

    Attributes:
        search: Whether it needs one.
        relation: What it is to the conversation; None: not judged.
        says: Words that a right answer holds.
        carries: Words that its rewritten question holds.
    """

    query: str
    search: bool
    relation: Relation | None = None
    says: tuple[str, ...] = ()
    carries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A golden conversation."""

    id: str
    turns: tuple[Said, ...]
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Heard:
    """One message, answered. None where the case does not say.

    Attributes:
        cited_known: Of the citations of an answer from history, how many the session had been shown; None: no such.
    """

    dialogue: str
    language: str
    said: Said
    action: Action
    searches: int
    relation_right: bool | None
    said_right: bool | None
    carried: bool | None
    cited_known: float | None
    total_ms: float


@dataclass(frozen=True, slots=True)
class Talked:
    """Shares from 0 to 1 over messages; milliseconds are medians.

    Attributes:
        search_precision: Of the searches made, those that were needed.
        search_recall: Of those needed, those that were made.
        citation_precision: Of the citations of answers from history, those of passages shown before.
        rewrites: Rewritten questions that hold what they lacked.
        history_ms, search_ms: How long answers without and with a search took.
    """

    messages: int = 0
    search_precision: float = 0.0
    search_recall: float = 0.0
    relation_accuracy: float = 0.0
    answers_right: float = 0.0
    citation_precision: float = 0.0
    rewrites: float = 0.0
    history_ms: float = 0.0
    search_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Conversations:
    """The result, with the messages that did not do as they should."""

    overall: Talked
    by_language: dict[str, Talked] = field(default_factory=dict)
    wrong: tuple[str, ...] = ()


def read_dialogues(path: Path) -> list[Dialogue]:
    """The conversations of a JSON lines file.

    Raises:
        NotFound: There is no such file.
        InvalidInput: A line is not a conversation; the message names file and line.
    """
    if not path.is_file():
        raise NotFound(f"there are no golden conversations at {path}")
    lines = filled_lines(path.read_text("utf-8", "replace"))
    return [_dialogue(line, f"{path.name}:{place}") for place, line in lines]


def _dialogue(line: str, where: str) -> Dialogue:
    try:
        row = json.loads(line)
        turns = tuple(_said(turn) for turn in row["turns"])
        return Dialogue(str(row["id"]), turns, str(row.get("language", "en")))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(
            where,
            f"is not a golden conversation ({type(error).__name__}): id and turns with query and search are needed",
        ) from None


def _said(row: dict[str, Any]) -> Said:
    if not isinstance(row["search"], bool):
        raise TypeError
    relation = Relation(row["relation"]) if row.get("relation") else None
    return Said(str(row["query"]), row["search"], relation, tuple(row.get("says", ())), tuple(row.get("carries", ())))


async def converse(
    dialogues: Iterable[Dialogue], engine: Answers, store: SessionStore, *, new_id: Callable[[], str]
) -> AsyncGenerator[Heard]:
    """Holds the conversations one after another, each in a session that is forgotten afterwards."""
    for dialogue in dialogues:
        session = new_id()
        known: set[str] = set()
        try:
            for said in dialogue.turns:
                answer = await fold(engine.answer(Turn(said.query, session, principal=PRINCIPAL)))
                yield heard(dialogue, said, answer, known)
                known |= {piece.passage.id for piece in answer.citations}
        finally:
            await forget(store, session)


def heard(dialogue: Dialogue, said: Said, answer: Answer, known: set[str]) -> Heard:
    """What one answer is worth.

    Args:
        known: Ids of the passages that the conversation has cited so far.
    """
    route, text = answer.route, answer.text.casefold()
    from_history = route.action is Action.HISTORY and bool(answer.citations)
    kept = [piece.origin is Origin.LEDGER or piece.passage.id in known for piece in answer.citations]
    query = route.search_query.casefold()
    return Heard(
        dialogue.id,
        dialogue.language,
        said,
        route.action,
        answer.searches,
        relation_right=route.relation is said.relation if said.relation else None,
        said_right=all(word.casefold() in text for word in said.says) if said.says else None,
        carried=all(word.casefold() in query for word in said.carries) if said.carries else None,
        cited_known=sum(kept) / len(kept) if from_history else None,
        total_ms=answer.timings.get("total", 0.0),
    )


def summarise(messages: Sequence[Heard]) -> Conversations:
    """The shares, overall and by language, and what went wrong."""
    languages = sorted({message.language for message in messages})
    return Conversations(
        _talked(messages),
        {name: _talked([m for m in messages if m.language == name]) for name in languages},
        tuple(f"{m.dialogue}: {m.said.query} ({fault})" for m in messages for fault in _faults(m)),
    )


def _faults(message: Heard) -> list[str]:
    needless = message.searches and not message.said.search
    checks = {
        "searched": not needless,
        "not searched": bool(message.searches) or not message.said.search,
        "relation": message.relation_right,
        "words": message.said_right,
        "rewrite": message.carried,
        "citations": message.cited_known in (None, 1.0),
    }
    return [fault for fault, right in checks.items() if right is False]


def _talked(messages: Sequence[Heard]) -> Talked:
    if not messages:
        return Talked()
    made = [m for m in messages if m.searches]
    needed = [m for m in messages if m.said.search]
    both = sum(1 for m in needed if m.searches)
    return Talked(
        len(messages),
        both / len(made) if made else 1.0,
        both / len(needed) if needed else 1.0,
        known_mean(m.relation_right for m in messages),
        known_mean(m.said_right for m in messages),
        known_mean(m.cited_known for m in messages),
        known_mean(m.carried for m in messages),
        _median(m.total_ms for m in messages if not m.searches),
        _median(m.total_ms for m in made),
    )


def _median(values: Iterable[float]) -> float:
    known = list(values)
    return statistics.median(known) if known else 0.0
