"""A process that answers turns over a store that it shares with others: `python -m tests.turn_process PLACE NAME BOOK`.

PLACE is a SQLite file or the address of a PostgreSQL database. For each line `SESSION COUNT WAIT` on stdin it asks COUNT
questions of SESSION at the same time, then says `done` and the outcome of each. BOOK is a file in which every answer
notes when it begins and when it ends, so that a reader sees whether two were made at a time.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TextIO

from engine import telemetry
from engine.answering.engine import AnswerEngine, Times
from engine.answering.nodes import Limits, Models, Nodes
from engine.answering.ports import fold
from engine.conversation.store.locks import Leases
from engine.conversation.store.postgres import PostgresPlace
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Passage, Turn
from engine.errors import EngineError
from engine.generation.port import Done, Prompt, Token
from engine.planning.workflow import Workflow
from engine.testing import ListRetriever, ScriptedRouter, counting_ids

#: Each question finds one passage that every process knows, and one of its own.
COMMON = Passage("common", "doc.md", "Title", "", "variable")


class NotingModel:
    """A `ChatModel` that notes its beginning and its end."""

    name = "noting"
    pace = None
    busy = False

    def __init__(self, book: TextIO) -> None:
        self._book = book

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        """See `ChatModel.stream`; the question `hang` gets its first word and no more."""
        self._note(f"begin {prompt.query}")
        for piece in prompt.evidence:
            await asyncio.sleep(0)
            yield Token(f"word [{piece.number}] ")
        if prompt.query.startswith("hang"):
            _say("hanging")
            await asyncio.sleep(600)
        self._note(f"end {prompt.query}")
        yield Done()

    def _note(self, line: str) -> None:
        self._book.write(f"{line}\n")
        self._book.flush()

    async def ping(self) -> None:
        """See `ChatModel.ping`."""

    async def close(self) -> None:
        """See `ChatModel.close`."""


def engine_over(store: SqlSessionStore, name: str, book: TextIO, wait: float) -> AnswerEngine:
    """An engine of its own, as one process has it."""
    own = [Passage(f"{name}-{n}", "doc.md", "Title", "", f"variable q{n}") for n in range(8)]
    models = Models(NotingModel(book), NotingModel(book))
    retriever = ListRetriever([COMMON, *own])
    workflow = Workflow.by_rules(retriever)
    nodes = Nodes(ScriptedRouter(), retriever, store, models, Limits(passages=2), workflow)
    return AnswerEngine(nodes, new_id=counting_ids(name), times=Times(session_wait=wait), leases=Leases(store.locks))


def _say(*words: str) -> None:
    sys.stdout.write("\t".join(words) + "\n")
    sys.stdout.flush()


async def _ask(engine: AnswerEngine, session: str, query: str) -> str:
    try:
        return (await fold(engine.answer(Turn(query, session, principal="ana")))).outcome
    except EngineError as error:
        return f"{type(error).__name__}: {error}"


async def main(place: str, name: str, book: Path) -> None:
    """Answers until stdin ends."""
    telemetry.configure_logging("text", "error")  # stdout is for what the test reads
    store = SqlSessionStore(PostgresPlace(place, 4) if "://" in place else Path(place))
    with book.open("a", encoding="utf-8") as pages:
        _say("ready")
        while line := await asyncio.to_thread(sys.stdin.readline):
            session, count, wait = line.split()
            if count == "hang":
                await _ask(engine_over(store, name, pages, float(wait)), session, "hang variable")
                continue
            engine = engine_over(store, f"{name}-{session}", pages, float(wait))
            asked = (_ask(engine, session, f"What is variable q{n} of {name}?") for n in range(int(count)))
            _say("done", *await asyncio.gather(*asked))
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
