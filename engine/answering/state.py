"""What travels through the prepare graph: values only, so that a step can be read without running it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from classifier.decision import Decision, IntentEntry
from engine.conversation.followup.resolve import Resolution
from engine.conversation.store.port import Conversation
from engine.domain import Event, Evidence, Route, Subquery, Turn
from engine.generation.port import Prompt
from engine.planning.execute import Found
from engine.retrieval.spelling import Correction

#: One line of the intent history that classify is given: type and the beginning of the query, never raw messages.
ClassifyEntry = IntentEntry
#: Sends an event to the caller; never waits.
Tell = Callable[[Event], None]


class AgentState(TypedDict, total=False):
    """The state of one preparation.

    Each node adds its keys and changes none that are there, but `route`; a second pass looks up and composes anew.

    Attributes:
        turn: The request. Given.
        conversation: What the session remembers. Given.
        classify_history: Intent history derived from the conversation.
        decision: By classify.
        asked: By classify: the request without a greeting or thanks around its question.
        figures: By classify: what was said of the account in an earlier turn, where this one says nothing.
        route: The receipt, with its plan: by relate; retrieve puts right what its query misspells.
        resolution: What the message refers to, and so what its answer is made from: by relate.
        said: By relate: the whole answer, where it needs neither search nor model.
        wanted: By relate, and again before a second pass: what is looked up with tools.
        found: By look_up: what came of it, of both passes.
        evidence: By retrieve, look_up or remember: numbered passages, best first.
        correction: By retrieve: the query as it was meant.
        searches: By retrieve or look_up.
        answerability: By retrieve or look_up, where documents were searched.
        prompt: By compose.
        timings: Milliseconds by stage.
    """

    turn: Turn
    conversation: Conversation
    classify_history: tuple[ClassifyEntry, ...]
    decision: Decision
    asked: Turn
    figures: str
    route: Route
    resolution: Resolution
    said: str
    wanted: tuple[Subquery, ...]
    found: tuple[Found, ...]
    evidence: tuple[Evidence, ...]
    correction: Correction
    searches: int
    answerability: float | None
    prompt: Prompt
    timings: dict[str, float]
