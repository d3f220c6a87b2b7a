"""The values of a routing decision and the Protocols of what decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from classifier.dialogue_act.acts import REFORMULATIONS, REWRITINGS, SURE_TALK, UNREAD, ActReading, DialogueAct
from classifier.relation.relations import UNRELATED, Relation, RelationReading

#: Probability of a relation, and of an act, from which talk that it belongs to is no question. Of 14 follow-ups on the
#: guide that were taken for talk, documents answer 7 with .4 or more; of 23 wishes for another form of an answer, 3.
RELATION_SURE, ACT_SURE = 0.9, 0.6

#: Probability from which a first message surely asks what the assistant can do: of 700 messages of the seed's talk, the
#: eight that documents of two kinds would answer are above it.
ABILITIES_SURE = 0.95
#: Characters of an earlier query that an intent line shows (the product's routing specification).
INTENT_QUERY_CHARS = 60


class QueryType(StrEnum):
    """What a query is about."""

    RETRIEVAL = "RETRIEVAL"
    """To understand the language or the documentation. The default: the safe, expensive path."""
    CODE_GENERATION = "CODE_GENERATION"
    """Working code, or work on code that is shown."""
    CONVERSATIONAL = "CONVERSATIONAL"
    """The conversation itself: rephrase, shorten, recall, thank."""
    PLATFORM = "PLATFORM"
    """The caller's own account: usage, quota, plan, billing, or a prompt injected by a dashboard."""

    @property
    def searches(self) -> bool:
        """Whether answers of this type may look documents up."""
        return self in (QueryType.RETRIEVAL, QueryType.CODE_GENERATION)


#: What is taken when every layer abstains: the safe, expensive path. Never a class by its place in a list.
DEFAULT_TYPE = QueryType.RETRIEVAL


class Layer(StrEnum):
    """Which layer decided."""

    DECLARED = "DECLARED"
    PREFIX = "PREFIX"
    EMBEDDING = "EMBEDDING"
    LLM = "LLM"
    DEFAULT = "DEFAULT"


@dataclass(frozen=True, slots=True)
class IntentEntry:
    """One earlier turn as the router may see it: never the raw messages."""

    type: QueryType
    query: str

    def line(self) -> str:
        """The compact form that layer 3 reads: `[TYPE] "first 60 characters"`."""
        return f'[{self.type}] "{" ".join(self.query.split())[:INTENT_QUERY_CHARS]}"'


@dataclass(frozen=True, slots=True)
class Query:
    """What is to be routed, with the evidence beside the text.

    Attributes:
        text: The message as the caller wrote it.
        declared: The type that the caller declared, which ends the matter.
        history: Earlier turns of the session, oldest first.
        has_selection: A part of the file in the editor is selected.
        has_editor: A file is open in the caller's editor.
        has_context: The platform sent figures beside the message.
        platform: The caller may speak as the platform: a known opening counts.
    """

    text: str
    declared: QueryType | None = None
    history: tuple[IntentEntry, ...] = ()
    has_selection: bool = False
    has_editor: bool = False
    has_context: bool = False
    platform: bool = True


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one layer says of a query; it abstains when `type` is None.

    Attributes:
        layer: Who says it.
        type: Its verdict, or None when it abstains.
        confidence: Calibrated probability of the best type, 0 to 1, also when it abstains.
        runner_up: The second best type, where the layer ranks types.
        runner_up_confidence: Its probability.
        reason: A stable code: `prefix`, `confident`, `low_confidence`, `timeout` ...
        editor: The question is about the code in the editor or the selection.
        milliseconds: Wall time of this layer.
        best: The best type even when the layer abstains.
        artifact_id: The trained artifact behind it; empty for layers without one.
    """

    layer: Layer
    type: QueryType | None
    confidence: float
    reason: str
    runner_up: QueryType | None = None
    runner_up_confidence: float = 0.0
    editor: bool = False
    milliseconds: float = 0.0
    best: QueryType | None = None
    artifact_id: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The router's answer and its receipt.

    Attributes:
        opinions: Of every layer that was asked, in order.
        act: What the message does in its conversation, where that was read.
        language: What it is to be answered in, `en` or `es`; empty where nobody has said.
        relation: What it is to the questions before it, where that was read.
        artifact_id: The layer 2 artifact that was asked; empty where none was.
        milliseconds: Wall time by layer name, lower case.
    """

    type: QueryType
    layer: Layer
    confidence: float
    reason: str
    runner_up: QueryType | None = None
    runner_up_confidence: float = 0.0
    editor: bool = False
    artifact_id: str = ""
    milliseconds: dict[str, float] = field(default_factory=dict)
    opinions: tuple[Opinion, ...] = ()
    act: ActReading = UNREAD
    language: str = ""
    relation: RelationReading = UNRELATED

    @property
    def may_ask(self) -> bool:
        """Whether talk may as well be a question in few words: no act is clear, and no relation of talk."""
        related = self.relation
        if self.type is not QueryType.CONVERSATIONAL or related.relation is None:
            return False
        talks = related.relation in (Relation.RECALL, Relation.COURTESY) and related.confidence >= RELATION_SURE
        return not talks and (self.act.act is DialogueAct.NONE or self.act.confidence < ACT_SURE)

    @property
    def asks_first(self) -> bool:
        """Whether talk that begins a conversation may as well be a question.

        It was read, and is no act, or one that asks what the assistant can do, of which the layers are not sure, or
        wants another form of an answer, of which there is none yet: "list all commands".
        """
        doubted = self.act.act is DialogueAct.ABILITIES and self.confidence < ABILITIES_SURE
        doubted |= self.act.act in REFORMULATIONS | REWRITINGS
        read = self.type is QueryType.CONVERSATIONAL and self.act != UNREAD
        return read and (doubted or self.act.act is DialogueAct.NONE)

    @property
    def act_read(self) -> DialogueAct:
        """The act, as the type says what it may be; none where it is not sure."""
        return self.act.act_of_talk if self.type is QueryType.CONVERSATIONAL else self.act.act

    @property
    def clear_act(self) -> DialogueAct:
        """The act; none for a question of which it is not sure that it wants the last answer anew, or an example."""
        doubtful = self.act_read in REWRITINGS or self.act_read is DialogueAct.EXAMPLE
        doubted = self.type.searches and doubtful and self.act.confidence < SURE_TALK
        return DialogueAct.NONE if doubted else self.act_read


class DecisionLayer(Protocol):
    """One layer of the cascade.

    Promise: `decide` returns an opinion or abstains, within its own time limit; it does not raise for anything
    a text can contain, and it does not block the event loop.
    """

    layer: Layer

    async def decide(self, query: Query) -> Opinion:
        """The layer's opinion of `query`."""
        ...


class Labeller(Protocol):
    """A small model that answers with one of the labels it is given (layer 3's door to a model server).

    Promise: returns the model's text or raises; `asyncio.CancelledError` closes the connection to the model.
    """

    @property
    def name(self) -> str:
        """The model's name, for the receipt and the log."""
        ...

    async def label(self, prompt: str, labels: Sequence[str]) -> str:
        """One of `labels` as the model wrote it; the caller checks it."""
        ...
