"""Which session a chat belongs to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from classifier.decision import Layer, QueryType
from engine.conversation.history import WINDOW
from engine.conversation.store.port import TurnRecord
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Outcome
from engine.routing.turn_labels import type_and_source
from engine.testing import FixedClock, ScriptedRouter, counting_ids
from engine.web.openai.conversations import REASON, Conversations
from engine.web.openai.forms import SOURCES, Exchanged

FIRST = Exchanged("What is addVar?", f"It sets a variable [1].{SOURCES}[1] a.md")
SECOND = Exchanged("And addParam?", "It reads one.")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlSessionStore]:
    opened = SqlSessionStore(tmp_path / "sessions.sqlite3")
    yield opened
    await opened.close()


def conversations(store: SqlSessionStore, router: ScriptedRouter | None = None) -> Conversations:
    return Conversations(store, router or ScriptedRouter(), now=FixedClock(), new_id=counting_ids("id"))


async def say(store: SqlSessionStore, session: str, said: Exchanged) -> None:
    """What the engine does when it answers."""
    await store.append(
        TurnRecord(
            f"turn-of-{said.query}-{session}", "local", session, said.query, said.answer, QueryType.RETRIEVAL,
            Layer.EMBEDDING, Outcome.COMPLETE, 1.0,
        )
    )  # fmt: skip


async def test_a_new_conversation_has_a_new_session(store: SqlSessionStore) -> None:
    chats = conversations(store)
    assert await chats.session_of("local", ()) != await chats.session_of("local", ())


async def test_what_was_answered_goes_on_in_its_session(store: SqlSessionStore) -> None:
    chats = conversations(store)
    session = await chats.session_of("local", ())
    await say(store, session, FIRST)
    await chats.remember("local", (FIRST,), session)
    trimmed = Exchanged(f" {FIRST.query}", f"{FIRST.answer}\n")
    assert await chats.session_of("local", (trimmed,)) == session
    assert await chats.session_of("other", (FIRST,)) != session


async def test_a_conversation_that_branches_off_is_another_session(store: SqlSessionStore) -> None:
    chats = conversations(store)
    session = await chats.session_of("local", ())
    await say(store, session, FIRST)
    await chats.remember("local", (FIRST,), session)
    await say(store, session, SECOND)  # it went on there meanwhile
    branch = await chats.session_of("local", (FIRST,))
    assert branch != session
    assert [turn.query for turn in (await store.session("local", branch)).turns] == [FIRST.query]


async def test_a_history_of_the_clients_becomes_a_session_that_teaches_nothing(store: SqlSessionStore) -> None:
    router = ScriptedRouter({SECOND.query: QueryType.CODE_GENERATION})
    session = await conversations(store, router).session_of("local", (FIRST, SECOND))
    turns = (await store.session("local", session)).turns
    assert [(turn.query, turn.answer) for turn in turns] == [
        (FIRST.query, "It sets a variable [1]."),
        (SECOND.query, SECOND.answer),
    ]
    assert [turn.type for turn in turns] == [QueryType.RETRIEVAL, QueryType.CODE_GENERATION]
    assert {turn.reason for turn in turns} == {REASON}
    assert [type_and_source(turn) for turn in turns] == [None, None]


async def test_of_a_long_history_the_end_is_kept(store: SqlSessionStore) -> None:
    router = ScriptedRouter()
    long = tuple(Exchanged(f"q{place}", f"a{place}") for place in range(WINDOW + 5))
    session = await conversations(store, router).session_of("local", long)
    turns = (await store.session("local", session)).turns
    assert [turn.query for turn in turns] == [one.query for one in long[-WINDOW:]]
    assert len(router.asked) == 3
