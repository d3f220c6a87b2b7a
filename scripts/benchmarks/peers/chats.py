"""Whole turns over the guide with a scripted model: the engine beside LlamaIndex and Haystack, on the same encoder.

Ours decides the type, puts follow-ups as questions of their own, searches by words and vectors, stores each turn
durably and keeps a session's turns in order. LlamaIndex condenses follow-ups by the model and searches by vector;
Haystack searches by both and is given the conversation; neither stores it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Any, Protocol

from engine.bootstrap import MODEL_DIR
from engine.domain import Passage
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.retrieval.port import Chunk

WORDS = [f"token{place:02} " for place in range(64)]
_PASSAGES = 8


class Chat(Protocol):
    """Answers questions of sessions."""

    @abstractmethod
    async def start(self, chunks: Sequence[Chunk]) -> None:
        """Gets ready to answer from these passages."""

    @abstractmethod
    def answer(self, query: str, session: str) -> AsyncGenerator[str]:
        """The pieces of an answer."""

    async def close(self) -> None:
        """Gives back what it holds."""
        return


class Ours(Chat):
    """The engine as it is built, but for the model.

    Args:
        data: Its folder, with the passages in its index.
    """

    def __init__(self, data: Path) -> None:
        self._data = data
        self._open = AsyncExitStack()
        self._answers: Any = None

    async def start(self, chunks: Sequence[Chunk]) -> None:
        """See `Chat.start`: they are in its index."""
        del chunks
        from engine import bootstrap
        from engine.answering.nodes import Models
        from engine.settings import load_settings
        from engine.testing import ScriptedModel

        model = ScriptedModel("".join(WORDS))
        settings = load_settings(engine_data_dir=self._data, engine_max_turns=64, _env_file=None)
        engine = await self._open.enter_async_context(bootstrap.engine(settings, models=Models(model, model)))
        self._answers = engine.answers

    async def answer(self, query: str, session: str) -> AsyncGenerator[str]:
        """See `Chat.answer`."""
        from engine.domain import TextDelta, Turn

        async with aclosing(self._answers.answer(Turn(query, session))) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    yield event.text

    async def close(self) -> None:
        """See `Chat.close`."""
        await self._open.aclose()


class LlamaIndex(Chat):
    """CondensePlusContextChatEngine over a vector index.

    Args:
        folder: Of its LanceDB; None: its default store, in memory.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._index: Any = None
        self._model: Any = None
        self._sessions: dict[str, Any] = {}

    async def start(self, chunks: Sequence[Chunk]) -> None:
        """See `Chat.start`."""
        from llama_index.core import StorageContext, VectorStoreIndex
        from llama_index.core.schema import TextNode

        from scripts.benchmarks.peers.llama import Bundled, Scripted

        nodes = [TextNode(text=chunk.searchable, id_=chunk.passage.id) for chunk in chunks]
        storage = None
        if self._folder is not None:
            from llama_index.vector_stores.lancedb import LanceDBVectorStore

            storage = StorageContext.from_defaults(vector_store=LanceDBVectorStore(uri=str(self._folder)))
        self._index = VectorStoreIndex(nodes, storage_context=storage, embed_model=Bundled(encoder()))
        self._model = Scripted(words=WORDS)

    async def answer(self, query: str, session: str) -> AsyncGenerator[str]:
        """See `Chat.answer`."""
        if session not in self._sessions:
            self._sessions[session] = self._index.as_chat_engine(
                chat_mode="condense_plus_context", llm=self._model, similarity_top_k=_PASSAGES
            )
        response = await self._sessions[session].astream_chat(query)
        async for piece in response.async_response_gen():
            yield piece


class Haystack(Chat):
    """A hybrid pipeline in memory, given the last turns of the session."""

    def __init__(self) -> None:
        self._pipeline: Any = None
        self._sessions: dict[str, list[Any]] = {}

    async def start(self, chunks: Sequence[Chunk]) -> None:
        """See `Chat.start`."""
        from scripts.benchmarks.peers.hay import pipeline

        texts = [chunk.searchable for chunk in chunks]
        self._pipeline = pipeline(texts, encoder(), WORDS, _PASSAGES)

    async def answer(self, query: str, session: str) -> AsyncGenerator[str]:
        """See `Chat.answer`: its pieces come when the pipeline has run, as they do without a callback."""
        from haystack.dataclasses import ChatMessage

        said = self._sessions.setdefault(session, [])
        given = {"query": query}
        done = await self._pipeline.run_async(
            {"embed": {"text": query}, "words": given, "prompt": {"query": query, "said": said[-6:]}}
        )
        reply = done["model"]["replies"][0]
        said += [ChatMessage.from_user(query), reply]
        yield reply.text


def encoder() -> OnnxEmbedder:
    """The bundled one, of its own."""
    made = OnnxEmbedder(MODEL_DIR, threads=2)
    made.warm_up()
    return made


def passages_of(data: Path) -> list[Chunk]:
    """The guide's passages as an index holds them."""
    from engine.retrieval.local.index import LocalIndex

    index = LocalIndex(data / "index", encoder())
    found: list[Passage] = [passage for one in index.documents() for passage in index.passages_of(one)]
    return [
        Chunk(passage, "\n".join(filter(None, (passage.title, passage.heading, passage.text)))) for passage in found
    ]


#: By the name that the report shows, ours first; given a folder of its own and one with the guide in an index.
CHATS: dict[str, Callable[[Path, Path], Chat]] = {
    "this engine": lambda _own, data: Ours(data),
    "LlamaIndex": lambda _own, _data: LlamaIndex(None),
    "LlamaIndex over LanceDB": lambda own, _data: LlamaIndex(own),
    "Haystack": lambda _own, _data: Haystack(),
}
