"""The values of a routing decision and the Protocols of what decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from classifier.dialogue_act.acts import REWRITINGS, SURE_TALK, UNREAD, ActReading, DialogueAct
from classifier.relation.relations import UNRELATED, Relation, RelationReading

#: Probability of a relation, and of an act, from which talk that it belongs to is no question. Of 14 follow-ups on the
#: guide that were taken for talk, documents answer 7 with .4 or more; of 23 wishes for another form of an answer, 3.
RELATION_SURE, ACT_SURE = 0.9, 0.6

#: The likeness of words up to which they have nothing to do with each other, by what the nearest of some hundred is.
_UNLIKE = 0.3
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
        """Whether talk that begins a conversation may as well be a question: it was read, and is no act."""
        return self.type is QueryType.CONVERSATIONAL and self.act != UNREAD and self.act.act is DialogueAct.NONE

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


class Embedder(Protocol):
    """Text to vectors. Implementations are thread-safe and may block: call them in a worker thread."""

    @property
    def id(self) -> str:
        """Names the model and its variant; artifacts and indexes refuse another embedder's vectors."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of `texts`, shape (len(texts), dimensions), in the order given."""
        ...


@runtime_checkable
class QueryEmbedder(Protocol):
    """An embedder that reads queries otherwise than passages, with another prefix."""

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `Embedder.embed`, for texts that are to find others."""
        ...


def embed_queries(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors of queries, shape (len(texts), dimensions), by whatever embedder."""
    # By name, as in the next two: asking a Protocol that is checked at run time takes 0.2 ms, some ten times a turn.
    encode: Callable[[Sequence[str]], NDArray[np.float32]] = getattr(embedder, "embed_queries", embedder.embed)
    return encode(texts)


class NameEmbedder(Protocol):
    """An embedder with vectors in which a question is near the name of the figure that it means."""

    @property
    def name_id(self) -> str:
        """As `Embedder.id`, of these vectors."""
        ...

    def embed_names(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of names, and of questions for what is named, shape (len(texts), dimensions)."""
        ...


def embed_names(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """What `NameEmbedder.embed_names` says; of another embedder, its vectors of any text."""
    encode: Callable[[Sequence[str]], NDArray[np.float32]] = getattr(embedder, "embed_names", embedder.embed)
    return encode(texts)


def name_id(embedder: Embedder) -> str:
    """What names the vectors of `embed_names`."""
    return str(getattr(embedder, "name_id", embedder.id))


class WordEmbedder(Protocol):
    """An embedder that knows what a word means for itself, in no sentence."""

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32] | None:
        """Unit vectors of words, shape (len(words), n), or zeros; None where a part of it does not know them.

        Words of like meaning are near, in one language and in two; a word that has nothing to do with another is at 0.
        """
        ...


def word_vectors(embedder: Embedder, words: Sequence[str]) -> NDArray[np.float32] | None:
    """What `WordEmbedder.word_vectors` says; None of an embedder of texts alone."""
    made: Callable[[Sequence[str]], NDArray[np.float32] | None] | None = getattr(embedder, "word_vectors", None)
    return made(words) if made else None


class AnswerEmbedder(Protocol):
    """An embedder that tells a sentence that answers a question from one that is about the same."""

    def answers_in(
        self, question: str, sentences: Sequence[str], states: Mapping[str, NDArray[np.float32]] | None = None
    ) -> NDArray[np.float32] | None:
        """How far each sentence answers: logits, shape (len(sentences),); None where a part of it does not know.

        Args:
            question: As a person asks it.
            sentences: At least one.
            states: By sentence, what `StatesEmbedder` made of it before; the others are read.
        """
        ...


def answers_in(
    embedder: Embedder,
    question: str,
    sentences: Sequence[str],
    states: Mapping[str, NDArray[np.float32]] | None = None,
) -> NDArray[np.float32] | None:
    """What `AnswerEmbedder.answers_in` says of at least one sentence; None of an embedder of texts alone."""
    answers: Callable[..., NDArray[np.float32] | None] | None = getattr(embedder, "answers_in", None)
    if answers is None:
        return None
    return answers(question, sentences, states) if states else answers(question, sentences)


class StatesEmbedder(Protocol):
    """An embedder that also gives what its lower layers make of short texts, which `AnswerEmbedder` reads."""

    def embed_with_states(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[NDArray[np.float32] | None]]:
        """The vectors of `Embedder.embed`, and of each text its states, shape (tokens, width); None of a longer one."""
        ...


def embed_with_states(
    embedder: Embedder, texts: Sequence[str]
) -> tuple[NDArray[np.float32], list[NDArray[np.float32] | None]]:
    """What `StatesEmbedder.embed_with_states` says; of another embedder its vectors, and no states."""
    read: Callable[..., tuple[NDArray[np.float32], list[NDArray[np.float32] | None]]] | None
    read = getattr(embedder, "embed_with_states", None)
    return read(texts) if read else (embedder.embed(texts), [None] * len(texts))


class PooledEmbedder(Protocol):
    """An embedder whose lower layers can be read by themselves: what a text asks for shows there."""

    def embed_pooled(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """What the lower layers make of texts as queries; shape (len(texts), 3 * width).

        Of each number of a token's state the mean, the greatest and the least over the tokens, one behind the other.
        """
        ...


def embed_pooled(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """`PooledEmbedder.embed_pooled`; of an embedder that is none no numbers, shape (len(texts), 0)."""
    pooled: Callable[[Sequence[str]], NDArray[np.float32]] | None = getattr(embedder, "embed_pooled", None)
    return pooled(texts) if pooled else np.empty((len(texts), 0), dtype=np.float32)


def words_alike(embedder: Embedder, words: Sequence[str], others: Sequence[str]) -> NDArray[np.float32] | None:
    """How like each of `words` is to each of `others` in meaning, shape (len(words), len(others)); at most 1.

    0 or less is of words that have nothing to do with each other. None where `embedder` knows no words, or there are
    none.
    """
    vectors = word_vectors(embedder, [*words, *others]) if words and others else None
    if vectors is None:
        return None
    alike: NDArray[np.float32] = (vectors[: len(words)] @ vectors[len(words) :].T - _UNLIKE) / (1 - _UNLIKE)
    return alike


class ScaledEmbedder(Protocol):
    """An embedder whose cosines do not begin at 0."""

    @property
    def unrelated(self) -> float:
        """The cosine of a query and a passage that have nothing to do with each other."""
        ...


def unrelated_cosine(embedder: Embedder) -> float:
    """The cosine from which likeness begins: 0 for an embedder that is no `ScaledEmbedder`."""
    return float(getattr(embedder, "unrelated", 0.0))


class BilingualEmbedder(Protocol):
    """An embedder that finds a query nearer to passages in its own language than to those in the other."""

    @property
    def language_offset(self) -> NDArray[np.float32] | None:
        """From passages in English to those in Spanish that say the same, shape (dimensions,); None: not known."""
        ...


def language_offset(embedder: Embedder) -> NDArray[np.float32] | None:
    """What `BilingualEmbedder.language_offset` says; None of an embedder that is none."""
    offset: NDArray[np.float32] | None = getattr(embedder, "language_offset", None)
    return offset


def likeness(cosines: NDArray[np.float32], floor: float) -> NDArray[np.float32]:
    """Cosines as shares of the way from texts that have nothing to do with each other to the same text, 0 to 1."""
    shares: NDArray[np.float32] = np.clip((cosines - floor) / (1 - floor), 0.0, 1.0)
    return shares


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
