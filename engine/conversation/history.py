"""Views of a conversation: what the router, the generator and the answerer see of earlier turns."""

from __future__ import annotations

from classifier.decision import IntentEntry
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Exchange, Outcome

#: Turns of a session that a new turn reads; intent history and the generator's window come from them.
WINDOW = 12


def intent_history(conversation: Conversation) -> tuple[IntentEntry, ...]:
    """One entry per earlier turn, oldest first, with a person's correction where there is one."""
    return tuple(IntentEntry(turn.corrected_type or turn.type, turn.query) for turn in conversation.recent)


def answered(conversation: Conversation) -> tuple[TurnRecord, ...]:
    """The earlier turns that have an answer, oldest first."""
    return tuple(turn for turn in conversation.recent if turn.answer and turn.outcome is not Outcome.FAILED)


def exchanges(conversation: Conversation) -> tuple[Exchange, ...]:
    """Question-answer pairs, oldest first, each with its answer's own numbers in its marks."""
    return tuple(Exchange(turn.query, turn.answer, turn.sequence) for turn in answered(conversation))


def in_hand(conversation: Conversation) -> str:
    """What the platform said of the account last, in the turns that are remembered; empty where it said nothing."""
    return next((turn.extra_context for turn in reversed(conversation.recent) if turn.extra_context.strip()), "")
