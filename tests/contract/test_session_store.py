"""The promise of `SessionStore`, kept by every place that sessions are stored in."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from classifier.decision import Layer, QueryType
from engine.conversation.store.port import Conversation, Said, SessionStore, StoredSession, TurnRecord
from engine.conversation.store.postgres import PostgresPlace
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Action, Evidence, Origin, Outcome, Passage, PlanMode, Rating, Relation, Usage
from engine.errors import ConfigurationError, DependencyUnavailable, EngineError, InvalidInput, NotFound
from tests.metered import metered

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.backends)])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SessionStore]:
    """A new, empty store."""
    if request.param == "postgres":
        place: Path | PostgresPlace = PostgresPlace(request.getfixturevalue("postgres"), pool_size=4)
    else:
        place = tmp_path / "sessions.sqlite3"
    opened = SqlSessionStore(place)
    yield opened
    await opened.close()


def record(turn_id: str, session_id: str = "s", principal: str = "ana", **more: Any) -> TurnRecord:
    values: dict[str, Any] = {
        "query": f"Question of {turn_id}?",
        "answer": f"Answer of {turn_id}.",
        "type": QueryType.RETRIEVAL,
        "layer": Layer.EMBEDDING,
        "outcome": Outcome.COMPLETE,
        "created_at": 1000.0,
    }
    return TurnRecord(turn_id, principal, session_id, **{**values, **more})


def piece(number: int, id_: str = "") -> Evidence:
    id_ = id_ or f"p{number}"
    return Evidence(number, Passage(id_, "doc.md", "Title", "A > B", f"Text of {id_}.", 0.5), Origin.SEARCH)


async def filled(store: SessionStore, turns: int, session_id: str = "s", principal: str = "ana") -> None:
    for number in range(1, turns + 1):
        await store.append(record(f"{principal}-{session_id}-{number}", session_id, principal))


def ids(conversation: Conversation) -> list[str]:
    return [turn.turn_id for turn in conversation.recent]


async def test_a_session_that_is_not_there_is_an_empty_conversation(store: SessionStore) -> None:
    assert await store.load("ana", "nowhere", turns=5) == Conversation()
    assert await store.first("ana", "nowhere") is None


async def test_turns_come_back_oldest_first_with_sequences_from_one(store: SessionStore) -> None:
    returned = [await store.append(record(f"t{n}")) for n in range(1, 6)]
    assert [turn.sequence for turn in returned] == [1, 2, 3, 4, 5]
    conversation = await store.load("ana", "s", turns=3)
    assert list(conversation.recent) == returned[2:]
    assert conversation.turns == 5
    assert await store.first("ana", "s") == returned[0]


async def test_the_time_of_each_call_is_a_metric(store: SessionStore) -> None:
    with metered() as counted:
        await store.append(record("t1", "s"))
        await store.load("ana", "s", turns=3)
        await store.delete("ana", "s")
        for operation in ("append", "read", "write"):
            assert counted[f"engine_store_seconds_count{{operation={operation}}}"] == 1


async def test_the_sequence_given_is_not_looked_at(store: SessionStore) -> None:
    assert (await store.append(record("t1", sequence=77))).sequence == 1


async def test_nothing_of_a_turn_is_lost(store: SessionStore) -> None:
    full = record(
        "t1",
        request_id="r",
        confidence=0.9125,
        runner_up=QueryType.CODE_GENERATION,
        runner_up_confidence=0.05,
        reason="confident",
        editor=True,
        artifact_id="a-1",
        relation=Relation.CONTEXTUAL_FOLLOW_UP,
        action=Action.REWRITE,
        plan_mode=PlanMode.SINGLE_RETRIEVAL,
        search_query="rewritten",
        searches=2,
        model="qwen3",
        outcome=Outcome.PARTIAL,
        shown=(3, 1, 2),
        cited=(2, 3),
        usage=Usage(100, 20),
        timings={"total": 12.5, "retrieve": 0.1},
        corrected_type=QueryType.PLATFORM,
        corrected_relation=Relation.HISTORY_RECALL,
        relation_confidence=0.75,
        relation_reason="relation_head",
        fingerprint="f",
        extra_context='{"usage": {"llamadas": 7}}',
        rating=Rating.DOWN,
        rating_reason="not what I meant",
    )
    assert await store.append(full) == replace(full, sequence=1)
    assert (await store.load("ana", "s", turns=1)).recent == (replace(full, sequence=1),)


async def test_a_long_session_comes_in_pages(store: SessionStore) -> None:
    for number in range(1, 6):
        await store.append(record(f"t{number}", cited=(number,)), [piece(number)])
    pages: list[StoredSession] = []
    after = 0
    while not pages or pages[-1].more:
        pages.append(await store.session("ana", "s", size=2, after=after))
        after = pages[-1].turns[-1].sequence
    assert [[turn.turn_id for turn in page.turns] for page in pages] == [["t1", "t2"], ["t3", "t4"], ["t5"]]
    assert [sorted(page.evidence) for page in pages] == [[1, 2], [3, 4], [5]]
    whole = await store.session("ana", "s")
    assert (len(whole.turns), whole.more) == (5, False)
    assert (await store.session("ana", "s", size=2, after=99)).turns == ()
    with pytest.raises(NotFound):
        await store.session("bob", "s", size=2, after=99)


async def test_what_was_said_between_turns_comes_without_the_rest_of_it(store: SessionStore) -> None:
    for number in range(1, 4):
        given = record(f"t{number}", cited=(number,), relation=Relation.HISTORY_RECALL, search_query="rewritten")
        await store.append(replace(given, model="qwen3", timings={"total": 1.0}), [piece(number)])
    await store.append(record("t4", cited=()))
    whole = (await store.load("ana", "s", turns=4)).recent
    assert await store.told("ana", "s", after=0, before=3) == [Said.of(one) for one in whole[:2]]
    assert [one.cites for one in await store.told("ana", "s", after=2, before=5)] == [True, False]
    assert await store.told("ana", "s", after=2, before=3) == []
    assert await store.told("bob", "s", after=0, before=3) == []


async def test_turns_are_read_by_their_sequence(store: SessionStore) -> None:
    for number in range(1, 4):
        await store.append(record(f"t{number}", cited=(number,)), [piece(number)])
    whole = (await store.load("ana", "s", turns=3)).recent
    assert await store.turns("ana", "s", [3, 1, 9]) == [whole[0], whole[2]]
    assert await store.turns("bob", "s", [1]) == []


async def test_a_turn_of_a_forgotten_session_is_not_stored(store: SessionStore) -> None:
    await filled(store, 1)
    began = (await store.load("ana", "s", turns=1)).created_at
    assert began == 1000.0
    await store.append(record("t2"), began=began)
    await store.delete("ana", "s")
    with pytest.raises(NotFound, match="was deleted while this turn was running"):
        await store.append(record("t3"), [piece(1)], began=began)
    assert await store.load("ana", "s", turns=5) == Conversation()
    assert await store.known_numbers("ana", "s", ["p1"]) == {}
    await store.append(record("t4", created_at=2000.0))  # another of the same name
    with pytest.raises(NotFound):
        await store.append(record("t5"), began=began)
    assert ids(await store.load("ana", "s", turns=5)) == ["t4"]


async def test_a_turn_of_a_forgotten_session_takes_no_other_with_it(store: SessionStore) -> None:
    await filled(store, 1)
    await store.delete("ana", "s")
    outcomes = await asyncio.gather(
        *(store.append(record(f"t{n}", f"s{n}")) for n in range(8)),
        store.append(record("gone"), began=1000.0),
        return_exceptions=True,
    )
    assert [type(one) for one in outcomes] == [TurnRecord] * 8 + [NotFound]


STRANGE = [
    "🙂👩‍👩‍👧‍👦",
    "שלום עולם \u202e reversed \u202c",
    "مرحبا",
    "請告訴我最近一屆",
    "e\u0301 and é",
    "\u0001\u001f\u007f\u0085\u2028\u2029",
    "\ufeff\ufffe\uffff\U0010ffff",
    "'; DROP TABLE turns; -- \" % _ \\ {}",
    " \t\n\r ",
    "\x00 and \x1a0 and \x1a1 and \x1a\x00",
    "x" * 100_000,
]


@pytest.mark.parametrize("text", STRANGE)
async def test_any_unicode_is_kept_as_it_is(store: SessionStore, text: str) -> None:
    name = text[:200]  # the wire lets no longer ids through
    evidence = Evidence(1, Passage(name, text, text, text, text), Origin.SEARCH)
    given = record(name, name, name, query=text, answer=text, request_id=name, search_query=text, timings={text: 1.0})
    await store.append(given, [evidence])
    assert (await store.load(name, name, turns=1)).recent == (replace(given, sequence=1),)
    assert await store.evidence(name, name, [1]) == [replace(evidence, origin=Origin.LEDGER)]
    assert await store.known_numbers(name, name, [name]) == {name: 1}
    assert await store.find_request(name, name) == replace(given, sequence=1)
    (summary,) = (await store.sessions(name, size=5)).sessions
    assert (summary.session_id, summary.first_query) == (name, text)


async def test_the_numbers_of_many_passages_are_known_at_once(store: SessionStore) -> None:
    pieces = [piece(number, f"p{number}") for number in range(1, 40)]
    await store.append(record("t1"), pieces)
    for asked in (1, 3, 39):
        ids = [f"p{number}" for number in range(1, asked + 1)]
        assert await store.known_numbers("ana", "s", ids) == {name: int(name[1:]) for name in ids}
    unknown = [f"x{number}" for number in range(2_000)]
    assert await store.known_numbers("ana", "s", [*unknown, "p7"]) == {"p7": 7}
    assert await store.known_numbers("ana", "another", ["p1", "p2"]) == {}
    assert await store.known_numbers("bob", "s", ["p1", "p2"]) == {}


async def test_evidence_keeps_its_number(store: SessionStore) -> None:
    await store.append(record("t1"), [piece(1, "a"), piece(2, "b")])
    await store.append(record("t2"), [piece(3, "c")])
    assert (await store.load("ana", "s", turns=1)).last_number == 3
    assert await store.known_numbers("ana", "s", ["b", "c", "unknown"]) == {"b": 2, "c": 3}
    assert await store.known_numbers("ana", "s", []) == {}
    found = await store.evidence("ana", "s", [3, 9, 1])
    assert found == [replace(piece(3, "c"), origin=Origin.LEDGER), replace(piece(1, "a"), origin=Origin.LEDGER)]
    assert await store.evidence("ana", "s", []) == []


async def test_a_turn_without_evidence_keeps_the_last_number(store: SessionStore) -> None:
    await store.append(record("t1"), [piece(1), piece(2)])
    await store.append(record("t2"))
    assert (await store.load("ana", "s", turns=1)).last_number == 2


@pytest.mark.parametrize("clash", [piece(3, "new"), piece(9, "p3")])
async def test_an_append_is_all_or_nothing(store: SessionStore, clash: Evidence) -> None:
    await store.append(record("t1"), [piece(1), piece(2)])
    before = await store.session("ana", "s")
    with pytest.raises(DependencyUnavailable) as raised:
        await store.append(record("t2", created_at=2000.0), [piece(3), clash])
    assert raised.value.dependency == "database"
    assert "Text of" not in str(raised.value)
    assert await store.session("ana", "s") == before
    assert (await store.append(record("t2"), [piece(3)])).sequence == 2


async def test_a_new_session_whose_first_append_fails_does_not_exist(store: SessionStore) -> None:
    with pytest.raises(DependencyUnavailable):
        await store.append(record("t1"), [piece(1, "a"), piece(2, "a")])
    assert await store.load("ana", "s", turns=1) == Conversation()
    assert (await store.sessions("ana", size=5)).sessions == ()


async def test_a_turn_id_is_unique(store: SessionStore) -> None:
    await store.append(record("t1"))
    with pytest.raises(DependencyUnavailable):
        await store.append(record("t1", "other"))
    assert await store.load("ana", "other", turns=1) == Conversation()


async def test_a_request_id_is_one_turn_of_its_principal(store: SessionStore) -> None:
    stored = await store.append(record("t1", request_id="r"))
    with pytest.raises(DependencyUnavailable):
        await store.append(record("t2", "other", request_id="r"))
    other = await store.append(record("t3", principal="bob", request_id="r"))
    assert await store.find_request("ana", "r") == stored
    assert await store.find_request("bob", "r") == other
    assert await store.find_request("ana", "unknown") is None


async def test_turns_without_a_request_id_are_as_many_as_you_like(store: SessionStore) -> None:
    await filled(store, 3)
    assert await store.find_request("ana", "") is None


async def test_what_is_another_principals_looks_missing(store: SessionStore) -> None:
    await store.append(record("t1", request_id="r"), [piece(1)])

    async def seen(principal: str, session_id: str, turn_id: str) -> list[object]:
        async def refused(call: Any) -> tuple[type, str]:
            with pytest.raises(EngineError) as raised:
                await call
            return type(raised.value), str(raised.value)

        return [
            await store.load(principal, session_id, turns=5),
            await store.first(principal, session_id),
            await store.known_numbers(principal, session_id, ["p1"]),
            await store.evidence(principal, session_id, [1]),
            await store.find_request(principal, "r"),
            (await store.sessions(principal, size=5)).sessions,
            await refused(store.session(principal, session_id)),
            await refused(store.delete(principal, session_id)),
            await refused(store.correct(principal, turn_id, QueryType.PLATFORM)),
            await refused(store.rate(principal, turn_id, Rating.DOWN, "no")),
            await refused(store.rename(principal, session_id, "Mine")),
        ]

    assert await seen("bob", "s", "t1") == await seen("bob", "missing", "missing")
    assert (await seen("bob", "s", "t1"))[6] == (NotFound, "session_id: there is no such session")
    kept = await store.session("ana", "s")
    assert (kept.name, kept.turns[0].corrected_type, kept.turns[0].rating) == ("", None, None)


async def test_two_principals_may_have_a_session_of_the_same_name(store: SessionStore) -> None:
    await store.append(record("t1"), [piece(1, "a")])
    assert (await store.append(record("t2", principal="bob"), [piece(1, "b")])).sequence == 1
    assert await store.known_numbers("bob", "s", ["a", "b"]) == {"b": 1}
    await store.delete("bob", "s")
    assert ids(await store.load("ana", "s", turns=5)) == ["t1"]
    assert await store.known_numbers("ana", "s", ["a", "b"]) == {"a": 1}


async def test_a_whole_session(store: SessionStore) -> None:
    first = await store.append(record("t1", created_at=10.0), [piece(1)])
    second = await store.append(record("t2", created_at=20.0), [piece(2)])
    session = await store.session("ana", "s")
    assert (session.turns, session.created_at, session.updated_at) == ((first, second), 10.0, 20.0)
    assert session.evidence == {n: replace(piece(n), origin=Origin.LEDGER) for n in (1, 2)}


async def test_a_deleted_session_leaves_nothing(store: SessionStore) -> None:
    await store.append(record("t1", request_id="r"), [piece(1)])
    await store.append(record("t2"))
    await filled(store, 1, "other")
    assert await store.delete("ana", "s") == 2
    with pytest.raises(NotFound):
        await store.delete("ana", "s")
    assert await store.load("ana", "s", turns=5) == Conversation()
    assert await store.find_request("ana", "r") is None
    assert await store.evidence("ana", "s", [1]) == []
    assert [s.session_id for s in (await store.sessions("ana", size=5)).sessions] == ["other"]
    assert (await store.append(record("t1", request_id="r"), [piece(1)])).sequence == 1


async def test_old_sessions_are_purged_by_their_last_use(store: SessionStore) -> None:
    await store.append(record("old", "old", created_at=10.0), [piece(1)])
    await store.append(record("used-1", "used", created_at=10.0))
    await store.append(record("used-2", "used", created_at=30.0))
    await store.append(record("edge", "edge", "bob", created_at=20.0))
    assert await store.purge(20.0) == 1
    assert await store.purge(20.0) == 0
    assert await store.load("ana", "old", turns=5) == Conversation()
    assert await store.evidence("ana", "old", [1]) == []
    assert ids(await store.load("ana", "used", turns=5)) == ["used-1", "used-2"]
    assert ids(await store.load("bob", "edge", turns=5)) == ["edge"]


async def test_a_correction_is_kept(store: SessionStore) -> None:
    stored = await store.append(record("t1"))
    corrected = await store.correct("ana", "t1", QueryType.PLATFORM)
    assert corrected == replace(stored, corrected_type=QueryType.PLATFORM)
    assert (await store.load("ana", "s", turns=1)).recent == (corrected,)
    assert (await store.correct("ana", "t1", QueryType.CONVERSATIONAL)).corrected_type is QueryType.CONVERSATIONAL
    related = await store.correct("ana", "t1", relation=Relation.HISTORY_RECALL)
    assert related == replace(
        stored, corrected_type=QueryType.CONVERSATIONAL, corrected_relation=Relation.HISTORY_RECALL
    )
    both = await store.correct("ana", "t1", QueryType.PLATFORM, Relation.CONTEXTUAL_FOLLOW_UP)
    assert (both.corrected_type, both.corrected_relation) == (QueryType.PLATFORM, Relation.CONTEXTUAL_FOLLOW_UP)


async def test_a_rating_is_kept_beside_a_correction_and_taken_back(store: SessionStore) -> None:
    stored = await store.append(record("t1"))
    rated = await store.rate("ana", "t1", Rating.DOWN, "¿dónde está el bucle?")
    assert rated == replace(stored, rating=Rating.DOWN, rating_reason="¿dónde está el bucle?")
    assert (await store.correct("ana", "t1", QueryType.PLATFORM)).rating is Rating.DOWN
    assert (await store.load("ana", "s", turns=1)).recent[0].rating_reason == "¿dónde está el bucle?"
    assert (await store.rate("ana", "t1", Rating.UP, "")).rating is Rating.UP
    back = await store.rate("ana", "t1", None, "")
    assert back == replace(stored, corrected_type=QueryType.PLATFORM)


async def test_a_sessions_name_stays_while_it_goes_on_and_goes_with_it(store: SessionStore) -> None:
    await store.append(record("t1"))
    await store.rename("ana", "s", "Bucles, segunda parte")
    await store.append(record("t2", created_at=2000.0))
    (listed,) = (await store.sessions("ana", size=5)).sessions
    assert (listed.name, listed.first_query, listed.turns) == ("Bucles, segunda parte", "Question of t1?", 2)
    assert (listed.updated_at, (await store.session("ana", "s", size=1)).name) == (2000.0, "Bucles, segunda parte")
    await store.rename("ana", "s", "")
    assert (await store.session("ana", "s")).name == ""
    await store.rename("ana", "s", "Again")
    await store.delete("ana", "s")
    await store.append(record("t1"))
    assert (await store.session("ana", "s")).name == ""


async def test_sessions_are_listed_most_recently_used_first_and_each_once(store: SessionStore) -> None:
    for number in range(10):  # five share the same second
        await store.append(record(f"t{number}", f"s{number}", created_at=100.0 + max(number - 5, 0)))
    await store.append(record("t-again", "s0", created_at=200.0))
    await filled(store, 1, "foreign", "bob")
    listed, token, pages = [], "", 0
    while True:
        page = await store.sessions("ana", size=3, token=token)
        listed += [summary.session_id for summary in page.sessions]
        pages, token = pages + 1, page.next_token
        if not token:
            break
    assert listed == ["s0", "s9", "s8", "s7", "s6", "s1", "s2", "s3", "s4", "s5"]
    assert pages == 4


async def test_a_summary_says_what_a_session_is(store: SessionStore) -> None:
    await store.append(record("t1", query="The first?", created_at=10.0))
    await store.append(record("t2", query="The second?", created_at=20.0))
    page = await store.sessions("ana", size=1)
    (summary,) = page.sessions
    assert (summary.session_id, summary.turns, summary.first_query) == ("s", 2, "The first?")
    assert (summary.created_at, summary.updated_at) == (10.0, 20.0)
    assert page.next_token == ""


def token_of(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


@pytest.mark.parametrize(
    "token",
    [
        "x",
        "????",
        "\ud800",
        "é",
        base64.urlsafe_b64encode(b"\xff\xfe").decode(),
        token_of(5),
        token_of([]),
        token_of([1.0]),
        token_of([1.0, "s", 2]),
        token_of({"a": 1}),
        token_of(["yesterday", "s"]),
        token_of([None, "s"]),
        token_of([10**400, "s"]),
        base64.urlsafe_b64encode(b"[" * 100_000).decode(),
    ],
)
async def test_a_token_that_was_not_given_out_is_refused(store: SessionStore, token: str) -> None:
    await filled(store, 1)
    with pytest.raises(InvalidInput) as raised:
        await store.sessions("ana", size=1, token=token)
    assert raised.value.field == "page_token"


async def test_another_principals_token_shows_nothing_of_theirs(store: SessionStore) -> None:
    for number in range(3):
        await filled(store, 1, f"s{number}")
    token = (await store.sessions("ana", size=1)).next_token
    assert token
    assert (await store.sessions("bob", size=5, token=token)).sessions == ()


async def test_eight_tasks_appending_to_one_session_leave_no_gap(store: SessionStore) -> None:
    async def append(task: int) -> list[int]:
        return [(await store.append(record(f"t{task}-{n}"))).sequence for n in range(6)]

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(append(task)) for task in range(8)]
    for task in tasks:
        assert task.result() == sorted(task.result())
    assert sorted(sequence for task in tasks for sequence in task.result()) == list(range(1, 49))
    assert [turn.sequence for turn in (await store.session("ana", "s")).turns] == list(range(1, 49))


async def test_it_does_not_block_the_event_loop(store: SessionStore) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await store.append(record("t1"))
    ticking.cancel()
    assert ticks > 0


async def test_ping_and_a_second_close(store: SessionStore) -> None:
    await store.ping()
    await store.close()
    await store.close()


async def test_every_turn_comes_once_page_by_page_with_sessions_together(store: SessionStore) -> None:
    for number in range(1, 4):
        for principal, session_id in (("bob", "s"), ("ana", "t"), ("ana", "s")):
            await store.append(record(f"{principal}-{session_id}-{number}", session_id, principal))
    whole = await store.every_turn(size=100)
    assert [(turn.principal, turn.session_id, turn.sequence) for turn in whole] == [
        (*place, number) for place in (("ana", "s"), ("ana", "t"), ("bob", "s")) for number in (1, 2, 3)
    ]
    for size in (1, 2, 4, 9):
        found: list[TurnRecord] = []
        while page := await store.every_turn(size=size, after=found[-1] if found else None):
            assert len(page) <= size
            found += page
        assert found == whole


async def test_a_page_goes_on_behind_a_turn_that_is_gone_and_sees_what_came_since(store: SessionStore) -> None:
    await store.append(record("t1", "a"))
    await store.append(record("t2", "b"))
    (first,) = await store.every_turn(size=1)
    await store.delete("ana", "a")
    await store.append(record("t3", "b"))
    assert [turn.turn_id for turn in await store.every_turn(size=9, after=first)] == ["t2", "t3"]
    assert await store.every_turn(size=9, after=record("x", "z", "zoe", sequence=1)) == []


async def test_sessions_are_counted_from_when_they_began_for_all_principals(store: SessionStore) -> None:
    assert await store.sessions_since(0.0) == 0
    await store.append(record("t1", "a", created_at=10.0))
    await store.append(record("t2", "a", created_at=30.0))
    await store.append(record("t3", "b", "bob", created_at=20.0))
    assert [await store.sessions_since(when) for when in (0.0, 10.0, 19.9, 20.0)] == [2, 1, 1, 0]


# What follows is SQLite's own.


def steps(store: SqlSessionStore) -> list[int]:
    """Counts what the database does from now on: statements, and steps of its virtual machine."""
    counted = [0, 0]

    def step() -> int:
        counted[1] += 1
        return 0

    @event.listens_for(store._engine, "before_cursor_execute")
    def _before(connection: Any, *_rest: Any) -> None:
        counted[0] += 1
        connection.connection.driver_connection.set_progress_handler(step, 1)

    return counted


async def cost_of_a_turn(path: Path, turns: int) -> list[int]:
    """Statements and database steps of a load and an append, behind a session of so many turns."""
    store = SqlSessionStore(path)
    await filled(store, 20)
    with closing(sqlite3.connect(path)) as database, database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(turns)")]
        copied = ", ".join({"sequence": "n", "turn_id": "'copy-' || n"}.get(c, f'"{c}"') for c in columns)
        database.execute(
            f"WITH RECURSIVE many(n) AS (SELECT 21 UNION ALL SELECT n + 1 FROM many WHERE n < {turns}) "  # noqa: S608
            f"INSERT INTO turns SELECT {copied} FROM turns, many WHERE sequence = 1 AND n <= {turns}"
        )
        database.execute(f"UPDATE sessions SET turns = {turns}")  # noqa: S608
    counted = steps(store)
    conversation = await store.load("ana", "s", turns=12)
    assert [turn.sequence for turn in conversation.recent] == list(range(turns - 11, turns + 1))
    assert (await store.append(record("last"))).sequence == turns + 1
    await store.close()
    return counted


async def test_a_turn_behind_a_thousand_costs_what_one_behind_a_hundred_costs(tmp_path: Path) -> None:
    few = await cost_of_a_turn(tmp_path / "few.sqlite3", 100)
    many = await cost_of_a_turn(tmp_path / "many.sqlite3", 1000)
    assert many[0] == few[0]
    assert few[1] > 100
    assert many[1] <= few[1] * 1.02


@pytest.mark.parametrize("content", [b"not a database, but long enough to be looked at" * 50, None])
async def test_a_file_that_is_none_of_ours_is_a_configuration_error(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "sessions.sqlite3"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"sessions\.sqlite3 .*ENGINE_DATA_DIR"):
        SqlSessionStore(path)


async def test_a_locked_database_is_unavailable_and_usable_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.conversation.store.sqlite._BUSY_MS", 1)
    path = tmp_path / "sessions.sqlite3"
    store = SqlSessionStore(path)
    await filled(store, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DependencyUnavailable, match="database: another process has been writing"):
            await store.append(record("t2"))
        assert ids(await store.load("ana", "s", turns=5)) == ["ana-s-1"]
        other.execute("ROLLBACK")
    assert (await store.append(record("t2"))).sequence == 2
    await store.close()


APPENDS = """
import asyncio, sys
from pathlib import Path
from classifier.decision import Layer, QueryType
from engine.conversation.store.postgres import PostgresPlace
from engine.conversation.store.sql import SqlSessionStore
from engine.conversation.store.port import TurnRecord
from engine.domain import Evidence, Outcome, Passage

async def main(path, name, turns):
    store = SqlSessionStore(Path(path))
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(turns):
        record = TurnRecord(f"{name}-{number}", "ana", "s", "q" * 500, "a" * 2000, QueryType.RETRIEVAL, Layer.LLM,
                            Outcome.COMPLETE, 1.0 + number)
        fresh = [Evidence(number + 1, Passage(f"p{number}", "d", "t", "h", "x" * 1000))] if name == "lone" else []
        stored = await store.append(record, fresh)
        print(stored.turn_id, stored.sequence, flush=True)
    await store.close()

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


def appending(path: Path, name: str, turns: int) -> subprocess.Popen[str]:
    """A process that appends to one session and says which turns are acknowledged, once it is told to begin."""
    return subprocess.Popen(
        [sys.executable, "-c", APPENDS, str(path), name, str(turns)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def begin(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.write("go\n")
    process.stdin.flush()


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


@pytest.mark.parametrize("after", [1, 17, 60])
async def test_an_acknowledged_turn_survives_kill_9(tmp_path: Path, after: int) -> None:
    path = tmp_path / "sessions.sqlite3"
    with appending(path, "lone", 100_000) as process:
        assert said(process) == "ready"
        begin(process)
        acknowledged = [said(process) for _ in range(after)]
        process.kill()
        assert process.stdout
        acknowledged += process.stdout.read().split("\n")
    assert process.returncode == -9
    known = [line for line in acknowledged if line]
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    store = SqlSessionStore(path)
    session = await store.session("ana", "s")
    await store.close()
    assert [f"{turn.turn_id} {turn.sequence}" for turn in session.turns][: len(known)] == known
    assert len(session.turns) - len(known) in (0, 1)  # the one that was being stored or said
    assert len(session.evidence) == len(session.turns)


async def test_two_processes_appending_to_one_session_leave_no_gap(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"  # both make it
    with appending(path, "one", 25) as one, appending(path, "two", 25) as two:
        for process in (one, two):
            assert said(process) == "ready"
        for process in (one, two):
            begin(process)
        lines = [said(process) for _ in range(25) for process in (one, two)]
    assert (one.returncode, two.returncode) == (0, 0)
    store = SqlSessionStore(path)
    stored = [(turn.turn_id, turn.sequence) for turn in (await store.session("ana", "s")).turns]
    await store.close()
    assert [sequence for _, sequence in stored] == list(range(1, 51))
    assert {f"{turn_id} {sequence}" for turn_id, sequence in stored} == set(lines)


def test_a_sqlite_store_belongs_to_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "data"
    path = folder / "sessions.sqlite3"
    mask = os.umask(0o022)
    try:
        store = SqlSessionStore(path)
        asyncio.run(store.append(record("t1")))
        modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()}
        asyncio.run(store.close())
    finally:
        os.umask(mask)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert set(modes) >= {"sessions.sqlite3", "sessions.sqlite3-wal", "sessions.sqlite3-shm", "sessions.sqlite3.lock"}
    assert set(modes.values()) == {0o600}


def test_a_sqlite_store_that_was_open_to_others_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "data" / "sessions.sqlite3"
    asyncio.run(SqlSessionStore(path).close())
    path.chmod(0o644)
    path.parent.chmod(0o755)
    asyncio.run(SqlSessionStore(path).close())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_a_turn_whose_numbers_were_taken_meanwhile_gets_its_own(store: SessionStore) -> None:
    await store.append(record("t1", shown=(1,), cited=(1,)), [piece(1)])
    await store.append(record("t2", shown=(1, 2, 3), cited=(3, 1)), [piece(2), piece(3)])
    # Made beside t2, behind t1: it has found one passage that t2 has found too, and one that is new.
    beside = await store.append(record("t3", shown=(2, 1, 3), cited=(3, 2)), [piece(2, "new"), piece(3, "p2")])
    assert (beside.sequence, beside.shown, beside.cited) == (3, (4, 1, 2), (2, 4))
    session = await store.session("ana", "s")
    assert {number: one.passage.id for number, one in session.evidence.items()} == {1: "p1", 2: "p2", 3: "p3", 4: "new"}
    assert [(turn.turn_id, turn.shown) for turn in session.turns] == [
        ("t1", (1,)),
        ("t2", (1, 2, 3)),
        ("t3", (4, 1, 2)),
    ]
    assert (await store.load("ana", "s", turns=1)).last_number == 4
    with pytest.raises(DependencyUnavailable, match="stored by another request"):
        await store.append(record("t3"), [piece(9)])
    assert (await store.load("ana", "s", turns=1)).last_number == 4


class FullDisk:
    """Lets the files of a SQLite store grow no more, as a full disk does; with room when it is given some again."""

    def __init__(self, store: SqlSessionStore) -> None:
        self._engine = store._engine

    def limit(self, pages: int) -> None:
        @event.listens_for(self._engine, "begin")
        def _limited(connection: Any) -> None:
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")


async def test_a_full_disk_is_said_and_shows_in_health_until_there_is_room(tmp_path: Path) -> None:
    store = SqlSessionStore(tmp_path / "sessions.sqlite3")
    await store.append(record("t1"))
    await store.ping()
    disk = FullDisk(store)
    disk.limit(1)
    with pytest.raises(DependencyUnavailable, match="database: its disk is full; free some of it"):
        await store.append(record("t2", answer="x" * 100_000))
    with pytest.raises(DependencyUnavailable, match="its disk is full"):
        await store.ping()
    assert ids(await store.load("ana", "s", turns=5)) == ["t1"]  # what is there can be read
    disk.limit(1 << 20)
    await store.ping()
    await store.append(record("t3"))
    assert ids(await store.load("ana", "s", turns=5)) == ["t1", "t3"]
    assert len((await store.sessions("", size=5)).sessions) == 0  # trying to write left nothing
    await store.close()


async def test_a_store_that_may_not_be_written_says_so(tmp_path: Path) -> None:
    store = SqlSessionStore(tmp_path / "sessions.sqlite3")
    await store.append(record("t1"))

    @event.listens_for(store._engine, "begin")
    def _read_only(connection: Any) -> None:
        connection.exec_driver_sql("PRAGMA query_only=ON")

    with pytest.raises(DependencyUnavailable, match="it may not be written; make the file"):
        await store.append(record("t2"))
    await store.close()
