"""What the conversation itself gives to an answer: decided before the first token, with the stored turns at hand.

`recall.relate` says from the words alone what a message is to the conversation. Here it is held against what is
stored: whether the turn that is asked about exists, whether the passages shown so far cover a follow-up, and whether
the figures said so far answer it. What does not hold is searched for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from classifier.decision import Decision, QueryType
from engine.conversation.followup import coverage
from engine.conversation.followup.dependence import Lean, lean
from engine.conversation.followup.history_recall import find, recall_in
from engine.conversation.followup.relation import relate, relate_topic
from engine.conversation.history import answered, exchanges
from engine.conversation.store.port import Conversation, SessionStore, TurnRecord
from engine.domain import Action, Evidence, Origin, Part, Recall, Relation, Turn
from engine.text.formats import Form, form_of, items
from engine.text.stated_figures import Figure, Reckoned, reckon

#: Passages of earlier turns that an answer is given at most.
PASSAGES = 8


@dataclass(frozen=True, slots=True)
class Material:
    """What an answer is made from, as far as the conversation goes.

    Attributes:
        relation: As on the receipt.
        action: HISTORY when no search is needed; never one that searches for a type that must not.
        turns: The turns that the generator is told, oldest first; None: the window as it is.
        numbers: Session numbers of the evidence that it is given, best first.
        recall: What is to be said again.
        reckoned: Figures said before, put together.
        question: What sentences are weighed against, where the message itself says too little.
        more: It asks for more than has been said.
    """

    relation: Relation | None
    action: Action
    turns: tuple[TurnRecord, ...] | None = None
    numbers: tuple[int, ...] = ()
    recall: Recall | None = None
    reckoned: Reckoned | None = None
    question: str = ""
    more: bool = False


async def consider(turn: Turn, decision: Decision, conversation: Conversation, store: SessionStore) -> Material:
    """What `turn` needs of its conversation.

    Raises:
        DependencyUnavailable: The store cannot be asked.
    """
    relation, action = relate(turn.query, decision.type, conversation)
    if relation is Relation.HISTORY_RECALL:
        return await _recalled(turn, decision.type, conversation, store)
    if action is Action.HISTORY:
        reckoned = _reckoned(turn.query, conversation)
        if reckoned is not None:
            return Material(relation, action, numbers=reckoned.numbers, reckoned=reckoned)
        return _reworked(turn.query, conversation, relation)
    if action is not Action.REWRITE or decision.editor or lean(turn.query, conversation) is not Lean.INCOMPLETE:
        return Material(relation, action)
    searched = Material(relation, action, more=coverage.asks_for_more(turn.query))
    return await _covered(turn, conversation, store) or searched


def _reckoned(query: str, conversation: Conversation) -> Reckoned | None:
    """What figures said before come to, with the session's numbers of where they came from."""
    reckoned = reckon(query, exchanges(conversation))
    if reckoned is None:
        return None
    cited = {
        (turn.sequence, place): number for turn in conversation.recent for place, number in enumerate(turn.cited, 1)
    }

    def numbered(figure: Figure) -> Figure:
        return replace(figure, number=cited.get((figure.sequence, figure.number), 0))

    return replace(reckoned, share=numbered(reckoned.share), amount=numbered(reckoned.amount))


async def _recalled(turn: Turn, type_: QueryType, conversation: Conversation, store: SessionStore) -> Material:
    """The turns that are asked about, or the search that is due when there are none."""
    recall = recall_in(turn.query)
    assert recall is not None  # noqa: S101  # that is what made it a recall
    turns = await _all_turns(turn, conversation, store)
    found = find(recall, turns)
    if not found and recall.part is not Part.ITEM and not recall.about:
        recall = replace(recall, place=0)  # there is no seventh question: all are told
        found = find(recall, turns)
    if not found and type_.searches:
        return Material(*relate_topic(turn.query, type_, conversation))
    return Material(Relation.HISTORY_RECALL, Action.HISTORY, found, _cited(found), recall)


async def _all_turns(turn: Turn, conversation: Conversation, store: SessionStore) -> Sequence[TurnRecord]:
    if conversation.turns <= len(conversation.recent):
        return conversation.recent
    return (await store.session(turn.principal, turn.session_id)).turns


async def _covered(turn: Turn, conversation: Conversation, store: SessionStore) -> Material | None:
    """A follow-up that the passages of the turn it leans on answer."""
    leaned = coverage.leans_on(conversation)
    if leaned is None:
        return None
    numbers = tuple(dict.fromkeys((*leaned.cited, *leaned.shown)))
    evidence = await store.evidence(turn.principal, turn.session_id, numbers)
    if not coverage.covers(turn.query, conversation, leaned, evidence):
        return None
    question = coverage.topic_of(conversation, leaned)
    more = coverage.asks_for_more(turn.query)
    question = f"{question} {_item_meant(turn.query, leaned.answer)}" if more else f"{turn.query} {question}"
    return Material(
        Relation.CONTEXTUAL_FOLLOW_UP,
        Action.HISTORY,
        numbers=numbers[:PASSAGES],
        question=question.strip(),
        more=more,
    )


def _item_meant(query: str, answer: str) -> str:
    """The item of a list that "the first one" is, when the answer has one."""
    listed = items(answer)
    place = re.search(r"\b(?:(first|primer)|(second|segund)|(third|tercer)|(last|[uú]ltim))", query, re.IGNORECASE)
    if not listed or place is None or not place.lastindex:
        return ""
    at = place.lastindex - 1 if place.lastindex < len(place.groups()) else -1
    return listed[at] if at < len(listed) else ""


def _reworked(query: str, conversation: Conversation, relation: Relation | None) -> Material:
    """Talk: it is about the last answer that said something, not about a courtesy after it."""
    turns = answered(conversation)
    last = next((place for place in range(len(turns) - 1, -1, -1) if _says_something(turns[place])), len(turns) - 1)
    kept = turns[: last + 1]
    latest = kept[-1:]
    numbers = _cited(latest)
    if form_of(query) is Form.LONGER:
        numbers = tuple(dict.fromkeys((*numbers, *(number for turn in latest for number in turn.shown))))
    return Material(relation, Action.HISTORY, kept, numbers[:PASSAGES])


def _says_something(turn: TurnRecord) -> bool:
    topical = turn.type is not QueryType.CONVERSATIONAL and turn.relation is not Relation.HISTORY_RECALL
    return bool(turn.cited) or topical or form_of(turn.query) is not None


def _cited(turns: Iterable[TurnRecord]) -> tuple[int, ...]:
    """The numbers that the turns cite, those of the last turn first."""
    latest_first = reversed(tuple(turns))
    return tuple(dict.fromkeys(number for turn in latest_first for number in turn.cited))[:PASSAGES]


async def evidence_of(turn: Turn, material: Material, store: SessionStore) -> tuple[Evidence, ...]:
    """The passages of `material`, as they were shown before."""
    if not material.numbers:
        return ()
    found = await store.evidence(turn.principal, turn.session_id, material.numbers)
    return tuple(Evidence(piece.number, piece.passage, Origin.LEDGER) for piece in found)
