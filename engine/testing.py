"""The doubles that ship: small real implementations of the Protocols, for tests here and in programs that embed us."""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import AsyncGenerator, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from classifier.decision import Decision, Layer, Query, QueryType
from classifier.dialogue_act.acts import ActReading, DialogueAct
from classifier.embedder import Embedder
from engine.domain import Passage, Usage
from engine.errors import EngineError
from engine.generation.port import Done, Pace, Prompt, Token
from engine.retrieval.port import Half

_WORD = re.compile(r"\w+")


class ScriptedModel:
    """A `ChatModel` that says what it is told to, and keeps the prompts it was given.

    Args:
        reply: The text of an answer, from its prompt; it is streamed word by word.
        name: For the receipt.
        fail_after: Raise `error` after this many tokens.
        pace: How fast it pretends to read.
        busy: Whether it pretends to be at work for others.
    """

    def __init__(
        self,
        reply: Callable[[Prompt], str] | str,
        *,
        name: str = "scripted",
        fail_after: int | None = None,
        error: Exception | None = None,
        pace: Pace | None = None,
        busy: bool = False,
    ) -> None:
        self.pace = pace
        self.busy = busy
        self._reply = reply
        self._name = name
        self._fail_after = fail_after
        self._error = error or EngineError("scripted failure")
        self.prompts: list[Prompt] = []
        self.closed = 0

    @property
    def name(self) -> str:
        """See `ChatModel.name`."""
        return self._name

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        """See `ChatModel.stream`."""
        self.prompts.append(prompt)
        text = self._reply if isinstance(self._reply, str) else self._reply(prompt)
        words = text.split(" ")
        try:
            for place, word in enumerate(words):
                if self._fail_after == place:
                    raise self._error
                yield Token(word if place == len(words) - 1 else word + " ")
            yield Done(Usage(sum(len(m.content) for m in prompt.messages) // 4, len(words)))
        finally:
            self.closed += 1

    async def ping(self) -> None:
        """See `ChatModel.ping`."""

    async def close(self) -> None:
        """See `ChatModel.close`."""


class ScriptedRouter:
    """A router that looks its decisions up by text, and says RETRIEVAL by default.

    Args:
        types: The type of a text.
        acts: The dialogue act of a text.
    """

    def __init__(self, types: dict[str, QueryType] | None = None, acts: dict[str, DialogueAct] | None = None) -> None:
        self._types = types or {}
        self._acts = acts or {}
        self.asked: list[Query] = []

    async def decide(self, query: Query, *, every_layer: bool = False) -> Decision:
        """See `Router.decide`."""
        del every_layer
        self.asked.append(query)
        if query.declared is not None:
            return Decision(query.declared, Layer.DECLARED, 1.0, "declared")
        type_ = self._types.get(query.text)
        act = ActReading(self._acts.get(query.text, DialogueAct.NONE))
        if type_ is None:
            return Decision(QueryType.RETRIEVAL, Layer.DEFAULT, 0.0, "default", act=act)
        return Decision(type_, Layer.EMBEDDING, 0.97, "confident", act=act)


class ListRetriever:
    """A `Retriever` over a list of passages, by shared words; it keeps the queries it was given."""

    def __init__(self, passages: Sequence[Passage] = (), *, error: Exception | None = None) -> None:
        self._passages = list(passages)
        self._error = error
        self.queries: list[str] = []

    async def search(self, query: str, *, k: int = 8, half: Half = Half.BOTH) -> list[Passage]:
        """See `Retriever.search`."""
        del half
        self.queries.append(query)
        if self._error is not None:
            raise self._error
        asked = set(query.casefold().split())
        weighed = [(len(asked & set(f"{p.heading} {p.text}".casefold().split())), p) for p in self._passages]
        return [passage for weight, passage in sorted(weighed, key=lambda pair: -pair[0]) if weight][:k]

    async def count(self) -> int:
        """See `Retriever.count`."""
        return len(self._passages)

    async def ping(self) -> None:
        """See `Retriever.ping`."""
        if self._error is not None:
            raise self._error

    async def close(self) -> None:
        """See `Retriever.close`."""


class HashedWordsEmbedder(Embedder):
    """A bag of words, hashed: texts that share words are close, others are not.

    Deterministic in every process, and thread-safe. A text without words gets the first unit vector.

    Args:
        dimensions: Length of a vector, at least 1.
        name: Beginning of the id, to stand for different models.

    Attributes:
        embedded: Texts that were embedded so far, in order.
    """

    def __init__(self, dimensions: int = 64, name: str = "hashed-words") -> None:
        self._dimensions = dimensions
        self._name = name
        self.embedded: list[str] = []

    @property
    def id(self) -> str:
        """Names the double and its size."""
        return f"{self._name}-{self._dimensions}"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of `texts`, shape (len(texts), dimensions), in the order given."""
        self.embedded.extend(texts)
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in _WORD.findall(text.lower()):
                row[zlib.crc32(word.encode("utf-8", "replace")) % self._dimensions] += 1.0
            if not row.any():
                row[0] = 1.0
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def counting_ids(prefix: str = "turn") -> Callable[[], str]:
    """Ids in order: turn-1, turn-2 ..."""
    numbers = itertools.count(1)
    return lambda: f"{prefix}-{next(numbers)}"


class FixedClock:
    """A clock that stands until it is moved. Seconds."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """The time."""
        return self.now

    def move(self, seconds: float) -> None:
        """Lets `seconds` pass."""
        self.now += seconds
