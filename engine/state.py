"""What travels through the prepare graph: values only, so that a step can be read without running it."""

from __future__ import annotations

from typing import TypedDict

from classifier.decision import Decision, IntentEntry
from engine.conversation.store import Conversation
from engine.domain import Evidence, Route, Turn
from engine.generation.port import Prompt

#: One line of the intent history that classify is given: type and the beginning of the query, never raw messages.
ClassifyEntry = IntentEntry


class AgentState(TypedDict, total=False):
    """The state of one preparation. Each node adds its keys and changes none that are there, but `route`.

    Attributes:
        turn: The request. Given.
        conversation: What the session remembers. Given.
        classify_history: Intent history derived from the conversation.
        decision: By classify.
        route: The receipt: by relate; times are added by the nodes after it.
        evidence: By retrieve or remember: numbered passages, best first.
        searches: By retrieve.
        first_query: By remember.
        prompt: By compose.
        timings: Milliseconds by stage.
    """

    turn: Turn
    conversation: Conversation
    classify_history: tuple[ClassifyEntry, ...]
    decision: Decision
    route: Route
    evidence: tuple[Evidence, ...]
    searches: int
    first_query: str
    prompt: Prompt
    timings: dict[str, float]
