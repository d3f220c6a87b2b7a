"""The values that every room speaks, and the events of one answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from classifier.decision import Decision, QueryType


class Relation(StrEnum):
    """How a message relates to the conversation before it."""

    HISTORY_RECALL = "HISTORY_RECALL"
    CONTEXTUAL_FOLLOW_UP = "CONTEXTUAL_FOLLOW_UP"
    NEW_TOPIC_PROCEDURAL = "NEW_TOPIC_PROCEDURAL"
    NEW_TOPIC_INFORMATIONAL = "NEW_TOPIC_INFORMATIONAL"


class Action(StrEnum):
    """What is done to have the material of an answer."""

    NONE = "NONE"
    HISTORY = "HISTORY"
    REWRITE = "REWRITE"
    FRESH = "FRESH"

    @property
    def searches(self) -> bool:
        """Whether this action makes a search."""
        return self in (Action.REWRITE, Action.FRESH)


class PlanMode(StrEnum):
    """How an answer is planned."""

    DIRECT_LLM = "DIRECT_LLM"
    SINGLE_RETRIEVAL = "SINGLE_RETRIEVAL"
    MULTI_RETRIEVAL = "MULTI_RETRIEVAL"


class Origin(StrEnum):
    """Where a passage that the generator sees came from."""

    SEARCH = "SEARCH"
    LEDGER = "LEDGER"
    TOOL = "TOOL"


class Outcome(StrEnum):
    """How a turn ended."""

    COMPLETE = "COMPLETE"
    PARTIAL = "PARTIAL"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class Turn:
    """A request that has been validated and identified.

    Attributes:
        principal: Whose sessions these are.
        session_id: Never empty: a caller who gave none has been given one.
        request_id: The caller's, or one of ours.
        declared: The type that the caller declared.
        deadline: On the event loop's clock, seconds; None: the engine's own limit applies.
    """

    query: str
    session_id: str
    principal: str = "local"
    request_id: str = ""
    declared: QueryType | None = None
    editor_content: str = ""
    selected_text: str = ""
    extra_context: str = ""
    user_info: str = ""
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document, as it is found and shown.

    Attributes:
        id: Made from the content, so the same text has the same id in every index.
        document: The document's name: a path relative to what was indexed, or the id of a JSON line.
        title: The document's title.
        heading: The path of headings that lead to it, joined by " > ".
        text: What the generator reads and the caller is shown.
        score: The retriever's, comparable within one result list only.
    """

    id: str
    document: str
    title: str
    heading: str
    text: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage with the number that is its for the whole session: what `[n]` in an answer means."""

    number: int
    passage: Passage
    origin: Origin = Origin.SEARCH


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a model's prompt; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question with its answer."""

    query: str
    answer: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the model counted them; zero where no model was asked."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Route:
    """A routing decision with what follows from it: the receipt that every answer carries."""

    decision: Decision
    relation: Relation | None = None
    action: Action = Action.NONE
    plan_mode: PlanMode = PlanMode.DIRECT_LLM
    search_query: str = ""
    model: str = ""
    milliseconds: dict[str, float] = field(default_factory=dict)

    @property
    def type(self) -> QueryType:
        """The query's type."""
        return self.decision.type


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, as `Completed` carries it and as it is stored.

    Attributes:
        citations: Evidence numbered as it stands in the text, in order of appearance.
        searches: Searches that this turn made.
        timings: Milliseconds by stage.
    """

    text: str
    session_id: str
    turn_id: str
    route: Route
    citations: tuple[Evidence, ...] = ()
    searches: int = 0
    usage: Usage = Usage()
    timings: dict[str, float] = field(default_factory=dict)
    outcome: Outcome = Outcome.COMPLETE


@dataclass(frozen=True, slots=True)
class Routed:
    """The router has decided. The first event of an answer, unless a progress event came before it."""

    route: Route


@dataclass(frozen=True, slots=True)
class Progress:
    """Something that takes time has begun."""

    stage: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The passages that the generator is given."""

    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More text of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Completed:
    """The answer, stored. The last event."""

    answer: Answer


#: The events of one answer, in the order they come: Routed, Progress and Retrieved, TextDelta ..., Completed.
Event = Routed | Progress | Retrieved | TextDelta | Completed
