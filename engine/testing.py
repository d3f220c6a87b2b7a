"""The doubles that ship: small real implementations of the Protocols, for tests here and in programs that embed us."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import AsyncGenerator, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from classifier.decision import Decision, Layer, Query, QueryType
from engine.domain import Passage, Usage
from engine.errors import EngineError
from engine.generation.port import Done, Prompt, Token
from engine.retrieval.port import Half


class ScriptedModel:
    """A `ChatModel` that says what it is told to, and keeps the prompts it was given.

    Args:
        reply: The text of an answer, from its prompt; it is streamed word by word.
        name: For the receipt.
        fail_after: Raise `error` after this many tokens.
    """

    def __init__(
        self,
        reply: Callable[[Prompt], str] | str,
        *,
        name: str = "scripted",
        fail_after: int | None = None,
        error: Exception | None = None,
    ) -> None:
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
    """A router that looks its decisions up by text, and says RETRIEVAL by default."""

    def __init__(self, types: dict[str, QueryType] | None = None) -> None:
        self._types = types or {}
        self.asked: list[Query] = []

    async def decide(self, query: Query, *, every_layer: bool = False) -> Decision:
        """See `Router.decide`."""
        del every_layer
        self.asked.append(query)
        if query.declared is not None:
            return Decision(query.declared, Layer.DECLARED, 1.0, "declared")
        type_ = self._types.get(query.text)
        if type_ is None:
            return Decision(QueryType.RETRIEVAL, Layer.DEFAULT, 0.0, "default")
        return Decision(type_, Layer.EMBEDDING, 0.97, "confident")


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


class HashEmbedder:
    """An `Embedder` of bags of words: texts that share words are near, the same text is the same everywhere."""

    id = "hash-64"
    dimensions = 64

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.embed`."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.casefold().split():
                digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()
                vectors[row, int.from_bytes(digest) % self.dimensions] += 1
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(norms == 0, 1, norms)).astype(np.float32)


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
