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


class Rating(StrEnum):
    """What a person thinks of an answer."""

    UP = "UP"
    DOWN = "DOWN"


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
        caller: Whom admission counts the turn for; empty: the principal.
        new_session: Whether the caller named no session.
        platform: Whether the caller may speak as the platform: a known prefix counts.
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
    caller: str = ""
    new_session: bool = False
    platform: bool = True


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
        similarity: Cosine to the query that it was found for; None where it was not found by its vector.
    """

    id: str
    document: str
    title: str
    heading: str
    text: str
    score: float = 0.0
    similarity: float | None = field(default=None, compare=False)


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
    """An earlier question with its answer.

    Attributes:
        sequence: The turn's place in its session, from 1; 0 where it does not matter.
    """

    query: str
    answer: str
    sequence: int = 0


class Part(StrEnum):
    """What of a conversation is asked for."""

    QUESTION = "question"
    ANSWER = "answer"
    ITEM = "item"
    TOPICS = "topics"


@dataclass(frozen=True, slots=True)
class Recall:
    """What of the conversation a message asks to hear again: by its place, or by the words of what it was about.

    Attributes:
        place: Which one: 1 the first, -1 the last, -2 the one before; 0 none is named.
        count: How many answers, the last ones; 0: all that are about it.
    """

    part: Part
    place: int = 0
    about: tuple[str, ...] = ()
    count: int = 1


class Complexity(StrEnum):
    """Whether a question is answered by one look-up or needs several."""

    SIMPLE = "simple"
    COMPLEX = "complex"


@dataclass(frozen=True, slots=True)
class Subquery:
    """One thing to look up.

    Attributes:
        id: Names it within its plan: `q1`, or `f1` for a follow-up.
        description: What it is for, as the caller may be shown it.
        query: What the tool is given; it can be understood without the conversation.
        tool: The tool's name.
        priority: 1 is started first, 9 last.
    """

    id: str
    description: str
    query: str
    tool: str
    priority: int = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """How a question is going to be answered.

    Attributes:
        reason: A stable code for a plan by rules or a fallback; a model's own words otherwise.
        subqueries: None for DIRECT_LLM, one for SINGLE_RETRIEVAL, more for MULTI_RETRIEVAL.
    """

    mode: PlanMode
    reason: str
    complexity: Complexity = Complexity.SIMPLE
    subqueries: tuple[Subquery, ...] = ()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is said of a draft.

    Attributes:
        completeness_score: From 0 to 1: how much of what was asked the draft answers.
        issues: What is missing, for the receipt.
        followup_subqueries: What a second pass would look up.
    """

    complete: bool
    completeness_score: float
    issues: tuple[str, ...] = ()
    followup_subqueries: tuple[Subquery, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A line of the receipt: a tool was asked.

    Attributes:
        error: Why there is no result, in one sentence of the engine's own; empty when there is one.
        characters: Of the result's text.
    """

    subquery: str
    tool: str
    milliseconds: float
    error: str = ""
    characters: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the model counted them; zero where no model was asked."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """The tokens of both."""
        return Usage(self.prompt_tokens + other.prompt_tokens, self.completion_tokens + other.completion_tokens)


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A sentence of an answer that its passages do not support.

    Attributes:
        start: Of the sentence in the answer's text, in characters.
        end: Behind its last character.
        reason: A stable code: `uncited`, `figure`, `name` or `meaning`.
    """

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Grounding:
    """How well an answer stands on what it cites.

    Attributes:
        share: Of its sentences, those that the passages they cite support, 0 to 1; None where nothing is cited.
        unsupported: The others, as they follow each other.
    """

    share: float | None = None
    unsupported: tuple[Unsupported, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptReceipt:
    """How much a model was given to read, and what was left out so that its first word comes in time.

    Attributes:
        tokens: Estimated from the length of the text.
        seconds: That the model was expected to read; 0 where its pace was not known.
        passages: Passages that were found and left out.
        exchanges: Question-answer pairs of the conversation that were left out.
        characters: Left out of the request's own texts.
    """

    tokens: int
    seconds: float = 0.0
    passages: int = 0
    exchanges: int = 0
    characters: int = 0


@dataclass(frozen=True, slots=True)
class Route:
    """A routing decision with what follows from it: the receipt that every answer carries.

    Attributes:
        plan: What is looked up, in detail; None on a stored turn, which keeps the mode alone.
        relation_confidence: How sure it is of the relation, 0 to 1.
        relation_reason: What said so, a code of `classifier.reasons`; empty where there is no relation.
    """

    decision: Decision
    relation: Relation | None = None
    action: Action = Action.NONE
    plan_mode: PlanMode = PlanMode.DIRECT_LLM
    search_query: str = ""
    model: str = ""
    milliseconds: dict[str, float] = field(default_factory=dict)
    plan: Plan | None = None
    relation_confidence: float = 0.0
    relation_reason: str = ""

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
        calls: The tools that were asked, in the order of the plan.
        evaluation: What was said of the last draft; None where one search was enough.
        passes: Drafts that were made and judged.
        answerability: How probable it is that the passages found answer the question, 0 to 1; None without a search.
        prompt: What the model was given to read; None where none was asked.
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
    calls: tuple[ToolCall, ...] = ()
    evaluation: Evaluation | None = None
    passes: int = 0
    answerability: float | None = None
    grounding: Grounding = Grounding()
    prompt: PromptReceipt | None = None


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
