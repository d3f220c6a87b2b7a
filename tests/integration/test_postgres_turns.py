"""Turns of engines that share a real PostgreSQL: request ids, forgetting, a full disk, locks lost in mid-turn.

The same promises on SQLite: `tests/unit/engine/answering/test_engine.py`, `tests/contract/test_session_store.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from structlog.testing import capture_logs

from engine.answering.engine import AnswerEngine, Times
from engine.answering.ports import fold
from engine.conversation.store.forgetting import forget
from engine.conversation.store.locks import Leases
from engine.conversation.store.postgres import PostgresPlace
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Answer, Outcome, Turn
from engine.errors import DependencyUnavailable, InvalidInput, NotFound, SessionBusy
from tests.postgres import plain
from tests.relay import Relay
from tests.unit.engine.answering.test_engine import Bench, GatedModel

pytestmark = pytest.mark.backends

BUDGET, SECONDS = 5.0, 30.0
NO_ROOM = """
CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER no_room BEFORE INSERT ON turns FOR EACH ROW EXECUTE FUNCTION no_room();
CREATE TRIGGER no_room BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION no_room();
"""
ROOM = "DROP FUNCTION no_room CASCADE"


def turn(query: str = "addVar variable", session_id: str = "s", **more: Any) -> Turn:
    return Turn(query, session_id, principal="ana", **more)


@dataclass(frozen=True)
class Replica:
    """One engine's store and leases, as a process has them; its way to the server can be broken."""

    bench: Bench
    store: SqlSessionStore
    leases: Leases
    relay: Relay

    def engine(self, model: Any = "It adds [1].", wait: float = SECONDS) -> AnswerEngine:
        return self.bench.engine(model, store=self.store, leases=self.leases, times=Times(session_wait=wait))

    async def ask(self, given: Turn, model: Any = "It adds [1].", wait: float = SECONDS) -> Answer:
        return await fold(self.engine(model, wait).answer(given))

    async def stored(self) -> list[tuple[int, str, Outcome]]:
        turns = (await self.store.session("ana", "s")).turns
        return [(one.sequence, one.query, one.outcome) for one in turns]


@pytest.fixture
async def replicas(postgres: str) -> AsyncIterator[tuple[Replica, Replica]]:
    server = urlsplit(plain(postgres))
    assert server.hostname
    assert server.port
    async with (
        Relay(server.hostname, server.port).running() as one,
        Relay(server.hostname, server.port).running() as two,
    ):
        addresses = [postgres.replace(f":{server.port}/", f":{relay.port}/") for relay in (one, two)]
        stores = [SqlSessionStore(PostgresPlace(address, 2, BUDGET)) for address in addresses]
        bench = Bench(stores[0])
        made = [
            Replica(bench, store, Leases(store.locks), relay) for store, relay in zip(stores, (one, two), strict=True)
        ]
        yield made[0], made[1]
        for store in stores:
            await store.close()


Replicas = tuple[Replica, Replica]


@pytest.mark.parametrize("other", [{"query": "getVar variable"}, {"session_id": "other"}, {"extra_context": "x"}])
async def test_a_request_id_stands_for_one_request_in_every_engine(replicas: Replicas, other: dict[str, Any]) -> None:
    one, two = replicas
    first = await one.ask(turn(request_id="r"))
    with pytest.raises(InvalidInput, match=r"request_id: was used for another question or session"):
        await two.ask(turn(**{"request_id": "r", **other}))
    again = await two.ask(turn(request_id="r"))
    assert (again.turn_id, again.text) == (first.turn_id, first.text)
    assert len(await two.stored()) == 1


async def test_the_same_request_at_the_same_time_in_two_engines_is_one_turn(replicas: Replicas) -> None:
    answers = await asyncio.gather(*(replicas[n % 2].ask(turn(request_id="r")) for n in range(6)))
    assert len({answer.turn_id for answer in answers}) == 1
    assert len(await replicas[0].stored()) == 1


async def test_a_session_that_another_engine_deletes_while_its_turn_runs_stays_deleted(replicas: Replicas) -> None:
    one, two = replicas
    model = GatedModel()
    await one.ask(turn())
    running = asyncio.create_task(one.ask(turn("getVar variable"), model))
    await model.reached.wait()
    assert await forget(two.store, two.leases, "ana", "s", wait=SECONDS) == 1
    model.gate.set()
    with pytest.raises(NotFound, match="deleted while this turn was running"):
        await running
    for replica in replicas:
        with pytest.raises(NotFound):
            await replica.store.session("ana", "s")


async def test_another_engine_that_deletes_a_session_waits_for_its_first_turn(replicas: Replicas) -> None:
    one, two = replicas
    model = GatedModel()
    running = asyncio.create_task(one.ask(turn(), model))
    await model.reached.wait()
    with pytest.raises(SessionBusy):
        await forget(two.store, two.leases, "ana", "s", wait=0.05)
    deleting = asyncio.create_task(forget(two.store, two.leases, "ana", "s", wait=SECONDS))
    model.gate.set()
    assert (await running).outcome is Outcome.COMPLETE
    assert await deleting == 1
    with pytest.raises(NotFound):
        await one.store.session("ana", "s")


async def test_a_full_disk_is_said_and_shows_in_health_until_there_is_room(replicas: Replicas, postgres: str) -> None:
    one, two = replicas
    await one.ask(turn())
    with psycopg.connect(plain(postgres), autocommit=True) as server:
        server.execute(NO_ROOM)
        with (
            capture_logs() as logs,
            pytest.raises(DependencyUnavailable, match="database: its disk is full; free some"),
        ):
            await one.ask(turn("getVar variable"))
        assert any("its disk is full" in str(line["event"]) for line in logs)
        with pytest.raises(DependencyUnavailable, match="its disk is full"):
            await one.store.ping()
        assert len(await two.stored()) == 1  # what is there can be read
        server.execute(ROOM)
    await one.store.ping()
    await one.ask(turn("startLoop loop"))
    assert [query for _, query, _ in await two.stored()] == ["addVar variable", "startLoop loop"]


async def test_a_lock_that_is_lost_in_mid_turn_loses_no_turn_and_no_number(replicas: Replicas) -> None:
    one, two = replicas
    await one.ask(turn())
    model = GatedModel(before=("It reads [1] ",))
    running = asyncio.create_task(one.ask(turn("getVar variable"), model))
    await model.reached.wait()
    with pytest.raises(SessionBusy):
        await two.ask(turn("startLoop loop"), wait=0.05)
    one.relay.cut()  # the server frees what the connection held, and the other engine's turn runs beside this one
    beside = await two.ask(turn("startLoop loop"))
    model.gate.set()
    own = await running
    assert (beside.outcome, own.outcome) == (Outcome.COMPLETE, Outcome.COMPLETE)
    assert await one.stored() == [
        (place, query, Outcome.COMPLETE)
        for place, query in enumerate(("addVar variable", "startLoop loop", "getVar variable"), start=1)
    ]
    ledger = (await two.store.session("ana", "s")).evidence
    passages = [piece.passage.id for piece in ledger.values()]
    assert sorted(ledger) == list(range(1, len(ledger) + 1))
    assert len(set(passages)) == len(passages)


async def test_a_session_is_kept_in_order_again_after_its_lock_was_lost(replicas: Replicas) -> None:
    one, two = replicas
    lost, kept = GatedModel(), GatedModel()
    running = asyncio.create_task(one.ask(turn("addVar first"), lost))
    await lost.reached.wait()
    one.relay.cut()
    after = asyncio.create_task(two.ask(turn("addVar second"), kept))
    await kept.reached.wait()
    lost.gate.set()
    await running  # leaves without a lock, and takes none from the other
    with pytest.raises(SessionBusy):
        await one.ask(turn("addVar third"), wait=0.05)
    kept.gate.set()
    await after
    assert (await one.ask(turn("addVar third"))).outcome is Outcome.COMPLETE
    assert [query for _, query, _ in await two.stored()] == ["addVar first", "addVar second", "addVar third"]


async def test_a_server_that_is_gone_in_mid_turn_is_said_and_the_session_goes_on(replicas: Replicas) -> None:
    one, two = replicas
    model = GatedModel()
    running = asyncio.create_task(one.ask(turn(request_id="r"), model))
    await model.reached.wait()
    await one.relay.refuse()
    model.gate.set()
    with pytest.raises(DependencyUnavailable, match="database: it cannot be reached"):
        await running
    await one.relay.listen()
    for replica, query in ((two, "getVar variable"), (one, "startLoop loop")):
        assert (await replica.ask(turn(query))).outcome is Outcome.COMPLETE
    assert [query for _, query, _ in await one.stored()] == ["getVar variable", "startLoop loop"]
    assert (await one.ask(turn(request_id="r"))).outcome is Outcome.COMPLETE  # the id of what was lost is free
