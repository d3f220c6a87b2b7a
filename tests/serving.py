"""Both servers over one service of doubles, for tests that need to say what an answer does."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classifier.decision import Decision, Layer, QueryType
from classifier.embedder import Embedder
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import (
    Answer,
    Completed,
    Event,
    Evidence,
    Passage,
    Progress,
    Retrieved,
    Route,
    Routed,
    TextDelta,
    Turn,
    Usage,
)
from engine.errors import Overloaded
from engine.identity.tls import ServerTls
from engine.retrieval.port import Document, Index, IndexReport, LeftOut, ProgressBar, StoredDocument
from engine.rpc.server import GrpcServer
from engine.service.access import Access
from engine.service.library import Library
from engine.service.limits import ServerLimits
from engine.service.methods import AssistanceService
from engine.testing import ListRetriever, ScriptedRouter
from engine.web.server import WebServer

Script = Callable[[Turn], AsyncGenerator[Event]]


class ScriptedAnswers:
    """An answer engine that does what a test says; it knows when an answer was closed."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.turns: list[Turn] = []
        self.ended = asyncio.Event()

    def enter(self, caller: str) -> ScriptedAnswers:
        """Itself: it has room for everybody."""
        return self

    def leave(self) -> None:
        """See `Place.leave`."""

    async def answer(self, turn: Turn) -> AsyncGenerator[Event]:
        self.turns.append(turn)
        try:
            async for event in self._script(turn):
                yield event
        finally:
            self.ended.set()


class Full(ScriptedAnswers):
    """Answers that have room for nobody."""

    def enter(self, caller: str) -> ScriptedAnswers:
        del caller
        raise Overloaded("full", 2.0)


class Placed(ScriptedAnswers):
    """Answers that know how many places were taken and given up."""

    taken, left = 0, 0

    def enter(self, caller: str) -> ScriptedAnswers:
        self.taken += 1
        return super().enter(caller)

    def leave(self) -> None:
        self.left += 1


#: What the router of a scripted answer has decided.
ROUTE = Route(Decision(QueryType.RETRIEVAL, Layer.EMBEDDING, 0.93, "confident"), model="scripted")


def telling(
    cited: Evidence, *deltas: str, text: str, note: str = "", timings: Mapping[str, float] | None = None
) -> Script:
    """An answer with every kind of event.

    Args:
        cited: The one passage that was found.
        deltas: The text as it is streamed.
        text: The text as it is stored.
        note: Of the progress.
        timings: Of the answer.
    """

    async def script(turn: Turn) -> AsyncGenerator[Event]:
        yield Routed(ROUTE)
        yield Progress("retrieve", note)
        yield Retrieved((cited,))
        for delta in deltas:
            yield TextDelta(delta)
        yield Completed(Answer(text, turn.session_id, "turn-1", ROUTE, (cited,), 1, Usage(7, 5), dict(timings or {})))

    return script


def failing(error: BaseException) -> Script:
    """An answer that fails at once."""

    def fail() -> str:
        raise error

    async def script(_turn: Turn) -> AsyncGenerator[Event]:
        yield TextDelta(fail())

    return script


async def endless(_turn: Turn) -> AsyncGenerator[Event]:
    """An answer that says one word and then nothing."""
    yield TextDelta("first")
    await asyncio.Event().wait()


@dataclass
class Served:
    """What runs.

    Attributes:
        url: Of the web server.
    """

    grpc: GrpcServer
    web: WebServer
    answers: ScriptedAnswers
    store: SqlSessionStore
    service: AssistanceService

    @property
    def url(self) -> str:
        return f"http://{self.web.address}"


class ListIndex(ListRetriever):
    """An index over a list of passages, whose documents are named by them."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        super().__init__(passages)
        self._kept = list(passages)

    def documents(self) -> list[StoredDocument]:
        """See `Catalogue.documents`."""
        counts = Counter(passage.document for passage in self._kept)
        return [StoredDocument(name, f"/files/{name}", n, 0, 0.0, "") for name, n in sorted(counts.items())]

    def changed_at(self) -> float:
        """See `Catalogue.changed_at`."""
        return 0.0

    def passages_of(self, document: StoredDocument) -> list[Passage]:
        """See `Catalogue.passages_of`."""
        return [passage for passage in self._kept if passage.document == document.name]

    def index(
        self, documents: Iterable[Document | LeftOut], *, roots: Sequence[str] = (), progress: ProgressBar | None = None
    ) -> IndexReport:
        """See `Indexer.index`; nothing changes."""
        del documents, roots, progress
        return IndexReport()


@asynccontextmanager
async def serving(
    folder: Path,
    script: Script = endless,
    *,
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
    embedder: Embedder | None = None,
    documents: Index | None = None,
    access: Access | None = None,
    tls: ServerTls | None = None,
    limits: ServerLimits | None = None,
    kind: type[ScriptedAnswers] = ScriptedAnswers,
    **checks: Any,
) -> AsyncIterator[Served]:
    """Both servers, stopped at the end."""
    store = SqlSessionStore(folder / "sessions.sqlite3")
    answers = kind(script)
    library = Library(documents or ListIndex([]), "none", folder / "uploads")
    service = AssistanceService(
        answers, ScriptedRouter(), store, folder / "none.jsonl", access=access or Access(), library=library
    )
    grpc = GrpcServer(service, address="127.0.0.1:0", checks=checks, reflection_on=False, tls=tls, limits=limits)
    web = WebServer(
        service,
        address="127.0.0.1:0",
        dependencies=grpc.dependencies,
        embedder=embedder,
        index=documents,
        hosts=hosts,
        origins=origins,
        tls=tls,
        limits=limits,
    )
    await grpc.start()
    await web.start()
    try:
        yield Served(grpc, web, answers, store, service)
    finally:
        await asyncio.gather(grpc.stop(0), web.stop(0))
        await store.close()
