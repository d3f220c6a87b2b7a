"""What storing a turn costs beside the least that its database can do: one row in one transaction, committed."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from statistics import median

import psycopg

from classifier.decision import Layer, QueryType
from engine.conversation.store.locks import Leases
from engine.conversation.store.port import TurnRecord
from engine.conversation.store.postgres import PostgresPlace
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Evidence, Outcome, Passage
from scripts.benchmarks.harness.material import Resolution
from scripts.benchmarks.harness.report import Row, Section, percentile

#: Read when this module is: the run itself has an environment without it.
_POSTGRES = os.environ.get("TEST_POSTGRES_ADDRESS", "")
_TEXT = "x" * 2000
_NOTE = (
    "A turn has a question of 200 characters, an answer of 2,000 and four new passages of 500. PostgreSQL is measured "
    "where TEST_POSTGRES_ADDRESS names a server, on loopback; its tables stay in it."
)


def measure(material: Resolution) -> Section:
    """Milliseconds of an append, of a load and of a lease."""
    rounds = 50 if material.quick else 300
    folder = material.fresh("sessions")
    with closing(sqlite3.connect(folder / "bare.sqlite3", isolation_level=None, check_same_thread=False)) as bare:
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            bare.execute(f"PRAGMA {pragma}")
        bare.execute("CREATE TABLE bare (id TEXT PRIMARY KEY, answer TEXT)")
        insert = _insert(bare.execute, "?")
        rows = asyncio.run(_rows("SQLite", folder / "sessions.sqlite3", insert, rounds))
    if _POSTGRES:
        plain = _POSTGRES.replace("+psycopg", "", 1)
        with psycopg.connect(plain, autocommit=True) as server:
            server.execute("CREATE TABLE IF NOT EXISTS bare (id TEXT PRIMARY KEY, answer TEXT)")
            rows += asyncio.run(_rows("PostgreSQL", PostgresPlace(_POSTGRES), _insert(server.execute, "%s"), rounds))
    return Section("sessions", rows, _NOTE)


def _insert(execute: Callable[..., object], mark: str) -> Callable[[], object]:
    return lambda: execute(f"INSERT INTO bare VALUES ({mark}, {mark})", (uuid.uuid4().hex, _TEXT))  # noqa: S608


async def _rows(name: str, place: Path | PostgresPlace, insert: Callable[[], object], rounds: int) -> list[Row]:
    store = SqlSessionStore(place)
    leases = Leases(store.locks)
    appends: list[float] = []
    inserts: list[float] = []
    loads: list[float] = []
    leased: list[float] = []
    session = ""
    for number in range(rounds + 5):
        session = f"bench-{uuid.uuid4().hex}" if number % 10 == 0 else session
        fresh = [
            Evidence(number % 10 * 4 + n, Passage(f"p{number}-{n}", "d", "t", "h", "y" * 500)) for n in range(1, 5)
        ]
        record = _record(session)
        appends.append(await _timed(store.append(record, fresh)))
        inserts.append(await _timed(asyncio.to_thread(insert)))
        loads.append(await _timed(store.load("bench", session, turns=12)))
        leased.append(await _timed(_lease(leases, session)))
    await store.close()
    more = {"p95 ms": percentile(appends[5:], 0.95), "load ms": median(loads[5:]), "lease ms": median(leased[5:])}
    return [
        Row(f"Session append, {name}, p50", "ms", median(appends[5:]), median(inserts[5:]), "bare INSERT", rounds, more)
    ]


def _record(session: str) -> TurnRecord:
    kinds = (QueryType.RETRIEVAL, Layer.EMBEDDING, Outcome.COMPLETE)
    return TurnRecord(uuid.uuid4().hex, "bench", session, "q" * 200, _TEXT, *kinds, time.time())


async def _lease(leases: Leases, session: str) -> None:
    async with leases.lease(("bench", "session", session), wait=5):
        return


async def _timed(work: Awaitable[object]) -> float:
    started = time.perf_counter()
    await work
    return (time.perf_counter() - started) * 1000
