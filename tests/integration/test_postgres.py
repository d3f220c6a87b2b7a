"""What only a real PostgreSQL shows: its schema, outages, limits of time, and two engines that share it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import psycopg
import pytest
from sqlalchemy import create_engine

from classifier.decision import Layer, QueryType
from engine.conversation.store.locks import lock_number
from engine.conversation.store.migrating import HEAD
from engine.conversation.store.port import TurnRecord
from engine.conversation.store.postgres import AdvisoryLocks, PostgresPlace
from engine.conversation.store.sql import SqlSessionStore
from engine.conversation.store.tables import metadata
from engine.domain import Outcome
from engine.errors import DependencyUnavailable
from tests.postgres import address, new_database, plain
from tests.relay import Relay

pytestmark = pytest.mark.backends

BUDGET = 1.0
#: Seconds that a busy machine may take beside the budget; what a budget does not end takes minutes.
SLACK = 3.0
COLUMNS = """
SELECT table_name, column_name, data_type, is_nullable, coalesce(collation_name, '') FROM information_schema.columns
WHERE table_schema = 'public' AND table_name <> 'alembic_version' ORDER BY table_name, ordinal_position
"""
INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'alembic_version' ORDER BY 1"


def record(turn_id: str) -> TurnRecord:
    return TurnRecord(turn_id, "ana", "s", "q", "a", QueryType.RETRIEVAL, Layer.LLM, Outcome.COMPLETE, 1.0)


def schema(url: str) -> list[list[tuple[object, ...]]]:
    with psycopg.connect(plain(url)) as connection:
        return [connection.execute(question).fetchall() for question in (COLUMNS, INDEXES)]


@dataclass(frozen=True)
class Wire:
    """A store whose way to the server can be broken."""

    store: SqlSessionStore
    relay: Relay
    url: str
    direct: str


@pytest.fixture
async def wire(postgres: str) -> AsyncIterator[Wire]:
    server = urlsplit(plain(postgres))
    assert server.hostname
    assert server.port
    async with Relay(server.hostname, server.port).running() as relay:
        url = postgres.replace(f":{server.port}/", f":{relay.port}/")
        store = SqlSessionStore(PostgresPlace(url, 2, BUDGET))
        await store.append(record("first"))
        yield Wire(store, relay, url, postgres)
        relay.resume()
        await relay.refuse()
        await store.close()


async def refused(store: SqlSessionStore) -> tuple[str, float]:
    """What the store says, and the seconds until it does."""
    started = time.monotonic()
    with pytest.raises(DependencyUnavailable) as raised:
        await store.load("ana", "s", turns=1)
    assert raised.value.dependency == "database"
    return str(raised.value), time.monotonic() - started


async def test_the_steps_lead_to_what_the_code_works_with(postgres: str) -> None:
    store = SqlSessionStore(PostgresPlace(postgres, 2))
    await store.ping()
    await store.close()
    with new_database(address()) as other:
        engine = create_engine(other)
        metadata.create_all(engine)
        engine.dispose()
        for ours, theirs in zip(schema(postgres), schema(other), strict=True):
            assert ours == theirs
    with psycopg.connect(plain(postgres)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]


async def test_engines_that_start_together_migrate_once(postgres: str) -> None:
    stores = [SqlSessionStore(PostgresPlace(postgres, 2)) for _ in range(4)]
    await asyncio.gather(*(store.append(record(f"t{n}")) for n, store in enumerate(stores)))
    assert (await stores[0].load("ana", "s", turns=9)).turns == 4
    await asyncio.gather(*(store.close() for store in stores))


async def test_a_server_that_is_not_there_yet_is_waited_for_without_a_restart(wire: Wire) -> None:
    await wire.relay.refuse()
    late = SqlSessionStore(PostgresPlace(wire.url, 2, BUDGET))
    said, _ = await refused(late)
    assert said.startswith("database: it cannot be reached (")
    assert "DATABASE_URL" in said
    await wire.relay.listen()
    assert (await late.load("ana", "s", turns=1)).turns == 1
    await late.close()


async def test_an_outage_is_said_at_once_and_ends_by_itself(wire: Wire) -> None:
    await wire.relay.refuse()
    said, seconds = await refused(wire.store)
    assert "it cannot be reached" in said
    assert seconds < BUDGET + 0.1
    with pytest.raises(DependencyUnavailable):
        await wire.store.append(record("lost"))
    await wire.relay.listen()
    assert (await wire.store.append(record("second"))).sequence == 2
    assert (await wire.store.load("ana", "s", turns=9)).turns == 2


async def test_connections_that_were_cut_are_made_anew_and_nobody_notices(wire: Wire) -> None:
    for number in range(3):
        wire.relay.cut()
        await asyncio.sleep(0.05)
        assert (await wire.store.append(record(f"t{number}"))).sequence == number + 2
        assert (await wire.store.load("ana", "s", turns=1)).turns == number + 2


async def test_a_silent_server_costs_no_more_than_the_budget(wire: Wire) -> None:
    wire.relay.hold()
    for _ in range(3):
        said, seconds = await refused(wire.store)
        assert "no answer within 1 s" in said
        assert seconds < BUDGET + 0.1
    wire.relay.resume()
    async with asyncio.timeout(5):
        while True:
            try:
                assert (await wire.store.load("ana", "s", turns=1)).turns >= 1
                break
            except DependencyUnavailable:
                continue


async def test_a_statement_that_waits_for_a_lock_ends(wire: Wire) -> None:
    with psycopg.connect(plain(wire.direct)) as other:
        other.execute("LOCK TABLE sessions")
        started = time.monotonic()
        with pytest.raises(DependencyUnavailable, match="database"):
            await wire.store.append(record("second"))
        assert time.monotonic() - started < BUDGET + SLACK
    assert (await wire.store.append(record("third"))).sequence == 2


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("postgres@", "nobody@"), "it cannot be reached"),
        (("/test_", "/none_"), "it cannot be reached"),
        (("postgres@", "postgres:canary-5177@"), ""),
    ],
)
async def test_what_is_wrong_is_said_without_a_secret(postgres: str, change: tuple[str, str], says: str) -> None:
    place = PostgresPlace(postgres.replace(*change), 2)
    store = SqlSessionStore(place)
    if says:
        said, _ = await refused(store)
        assert says in said
    else:
        await store.ping()
    await store.close()
    assert "canary" not in repr(place)


async def test_a_user_without_the_right_to_make_tables_is_told_so(postgres: str) -> None:
    with psycopg.connect(plain(postgres), autocommit=True) as connection:
        connection.execute("REVOKE ALL ON SCHEMA public FROM public")
        connection.execute("DO $$ BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
        connection.execute("GRANT USAGE ON SCHEMA public TO reader")
    store = SqlSessionStore(PostgresPlace(postgres.replace("postgres@", "reader@"), 2))
    said, _ = await refused(store)
    assert "grant it CREATE" in said
    await store.close()


async def test_no_more_connections_than_asked_for(postgres: str) -> None:
    store = SqlSessionStore(PostgresPlace(postgres, 3))
    await store.append(record("t"))
    assert await store.locks.enter(2)
    await asyncio.gather(*(store.load("ana", "s", turns=1) for _ in range(50)))
    with psycopg.connect(plain(postgres)) as connection:
        count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        found = connection.execute(count).fetchone()
    assert found
    assert 2 <= found[0] <= 4
    await store.close()


async def test_locks_come_back_after_an_outage(wire: Wire) -> None:
    number = lock_number("s")
    assert await wire.store.locks.enter(number)
    wire.store.locks.leave(number)
    await wire.relay.refuse()
    with pytest.raises(DependencyUnavailable, match="database: it cannot be reached"):
        await wire.store.locks.enter(number)
    await wire.relay.listen()
    assert await wire.store.locks.enter(number)
    wire.relay.cut()  # the server frees what a lost connection held
    other = AdvisoryLocks(lambda: create_engine(wire.url), BUDGET)
    async with asyncio.timeout(5):
        while not await other.enter(number):  # noqa: ASYNC110  # another process's lock has no event
            await asyncio.sleep(0.01)
    assert not await wire.store.locks.enter(number)
    other.close()


async def test_locks_of_a_silent_server_cost_no_more_than_the_budget(wire: Wire) -> None:
    assert await wire.store.locks.enter(2)
    wire.relay.hold()
    started = time.monotonic()
    with pytest.raises(DependencyUnavailable, match="no answer within 1 s"):
        await wire.store.locks.enter(4)
    assert time.monotonic() - started < BUDGET + SLACK
