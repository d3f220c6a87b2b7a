"""The session store on SQL: SQLite beside the engine, or PostgreSQL for several of them.

Each call is one short transaction in a worker thread. A thread cannot be cancelled, so a transaction that has begun
ends; who waits for it, waits as long as the database's budget says and no longer.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from classifier.decision import QueryType
from engine import metrics
from engine.conversation.store import statements
from engine.conversation.store.database import Database
from engine.conversation.store.locks import SharedLocks
from engine.conversation.store.port import Conversation, Said, SessionPage, StoredSession, TurnRecord
from engine.conversation.store.postgres import PostgresPlace, open_postgres
from engine.conversation.store.sqlite import open_sqlite
from engine.conversation.store.tables import ledger, ledger_evidence, sessions, turn_record, turns
from engine.domain import Evidence, Rating, Relation
from engine.errors import DependencyUnavailable, NotFound

_Result = TypeVar("_Result")


class _Taken(DependencyUnavailable):
    """Something that a turn has for its own is another's."""

    def __init__(self) -> None:
        super().__init__("database", "the turn was stored by another request; try again")


@dataclass(frozen=True, slots=True)
class _Append:
    """A turn that waits to be stored, and the promise that it is."""

    record: TurnRecord
    new_evidence: tuple[Evidence, ...]
    began: float | None
    stored: Future[TurnRecord] = field(default_factory=Future)


class SqlSessionStore:
    """Sessions in a database. Fulfils `SessionStore`.

    Args:
        place: The file of a SQLite database, made with its folder when it is missing; or where PostgreSQL is, which
            need not be there yet.

    Raises:
        ConfigurationError: The file cannot be opened or is not a database of ours.
    """

    def __init__(self, place: Path | PostgresPlace) -> None:
        self._database: Database = open_sqlite(place) if isinstance(place, Path) else open_postgres(place)
        self._engine = self._database.engine
        self._readers = ThreadPoolExecutor(self._database.readers, thread_name_prefix="sessions-read")
        self._writer = ThreadPoolExecutor(self._database.writers, thread_name_prefix="sessions-write")
        self._waiting: deque[_Append] = deque()
        self._refused_a_write = False

    @property
    def locks(self) -> SharedLocks:
        """The locks of all processes on this database, for the order of a session's turns."""
        return self._database.locks

    async def load(self, principal: str, session_id: str, *, turns: int) -> Conversation:
        """See `SessionStore.load`."""
        return await self._run(lambda c: statements.load(c, principal, session_id, turns))

    async def append(
        self, record: TurnRecord, new_evidence: Sequence[Evidence] = (), *, began: float | None = None
    ) -> TurnRecord:
        """See `SessionStore.append`."""
        append = _Append(record, tuple(new_evidence), began)
        self._waiting.append(append)
        self._writer.submit(self._append_waiting)
        # Shielded: a caller who is cancelled does not take back what is already on its way.
        with metrics.STORE_SECONDS.labels("append").time():
            return await self._within_budget(asyncio.shield(asyncio.wrap_future(append.stored)))

    async def known_numbers(self, principal: str, session_id: str, passage_ids: Sequence[str]) -> dict[str, int]:
        """See `SessionStore.known_numbers`."""
        return await self._run(lambda c: statements.known_numbers(c, principal, session_id, passage_ids))

    async def evidence(self, principal: str, session_id: str, numbers: Sequence[int]) -> list[Evidence]:
        """See `SessionStore.evidence`."""
        whose = statements.of_session(ledger, principal, session_id)
        chosen = select(ledger).where(whose, ledger.c.number.in_(numbers))
        found = await self._run(lambda c: {row.number: ledger_evidence(row) for row in c.execute(chosen)})
        return [found[number] for number in numbers if number in found]

    async def first(self, principal: str, session_id: str) -> TurnRecord | None:
        """See `SessionStore.first`."""
        whose = statements.of_session(turns, principal, session_id)
        return await self._one(select(turns).where(whose).order_by(turns.c.sequence).limit(1))

    async def told(self, principal: str, session_id: str, *, after: int, before: int) -> list[Said]:
        """See `SessionStore.told`."""
        return await self._run(lambda c: statements.told(c, principal, session_id, after, before))

    async def turns(self, principal: str, session_id: str, sequences: Sequence[int]) -> list[TurnRecord]:
        """See `SessionStore.turns`."""
        return await self._run(lambda c: statements.turns_of(c, principal, session_id, sequences))

    async def find_request(self, principal: str, request_id: str) -> TurnRecord | None:
        """See `SessionStore.find_request`."""
        return await self._one(select(turns).where(turns.c.principal == principal, turns.c.request_id == request_id))

    async def session(
        self, principal: str, session_id: str, *, size: int | None = None, after: int = 0
    ) -> StoredSession:
        """See `SessionStore.session`."""
        return await self._run(lambda c: statements.session(c, principal, session_id, size, after))

    async def sessions(self, principal: str, *, size: int, token: str = "") -> SessionPage:
        """See `SessionStore.sessions`."""
        after = statements.read_token(token) if token else None
        return await self._run(lambda c: statements.page(c, principal, size, after))

    async def delete(self, principal: str, session_id: str) -> int:
        """See `SessionStore.delete`."""
        return await self._run(lambda c: statements.forget(c, principal, session_id), write=True)

    async def correct(
        self, principal: str, turn_id: str, type_: QueryType | None = None, relation: Relation | None = None
    ) -> TurnRecord:
        """See `SessionStore.correct`."""
        given = {"corrected_type": type_, "corrected_relation": relation}
        values = {name: value for name, value in given.items() if value is not None}
        return await self._run(lambda c: statements.amend(c, principal, turn_id, values), write=True)

    async def rate(self, principal: str, turn_id: str, rating: Rating | None, reason: str) -> TurnRecord:
        """See `SessionStore.rate`."""
        values = {"rating": rating, "rating_reason": reason}
        return await self._run(lambda c: statements.amend(c, principal, turn_id, values), write=True)

    async def rename(self, principal: str, session_id: str, name: str) -> None:
        """See `SessionStore.rename`."""
        await self._run(lambda c: statements.rename(c, principal, session_id, name), write=True)

    async def purge(self, before: float) -> int:
        """See `SessionStore.purge`."""
        return await self._run(lambda c: statements.purge(c, before), write=True)

    async def every_turn(self, *, size: int, after: TurnRecord | None = None) -> list[TurnRecord]:
        """See `SessionStore.every_turn`."""
        return await self._run(lambda c: statements.every(c, size, after))

    async def sessions_since(self, when: float) -> int:
        """See `SessionStore.sessions_since`."""
        chosen = select(func.count()).select_from(sessions).where(sessions.c.created_at > when)
        return int(await self._run(lambda c: c.execute(chosen).scalar_one()))

    async def ping(self) -> None:
        """See `SessionStore.ping`: by a read; by a write from when one was refused until one is taken again."""
        if self._refused_a_write:
            await self._run(statements.try_to_write, write=True)
        await self._run(lambda c: c.execute(select(sessions.c.turns).limit(1)).first())

    async def close(self) -> None:
        """See `SessionStore.close`."""
        await asyncio.to_thread(self._writer.shutdown)
        await asyncio.to_thread(self._readers.shutdown)
        await asyncio.to_thread(self._database.close)

    async def _one(self, chosen: Any) -> TurnRecord | None:
        row = await self._run(lambda c: c.execute(chosen).mappings().first())
        return None if row is None else turn_record(row)

    async def _run(self, work: Callable[[Connection], _Result], *, write: bool = False) -> _Result:
        threads = self._writer if write else self._readers
        asked = asyncio.get_running_loop().run_in_executor(threads, self._transact, work, write)
        with metrics.STORE_SECONDS.labels("write" if write else "read").time():
            return await self._within_budget(asked)

    async def _within_budget(self, asked: asyncio.Future[_Result]) -> _Result:
        try:
            async with asyncio.timeout(self._database.budget):
                return await asked
        except TimeoutError:
            raise DependencyUnavailable("database", f"no answer within {self._database.budget:g} s") from None

    def _append_waiting(self) -> None:
        """Stores appends that wait, in one transaction: a commit to the disk costs more than many rows.

        Nobody is told before the commit. One that the database refuses takes no other with it.
        """
        batch: list[_Append] = []
        while self._waiting and len(batch) < self._database.batch:
            try:
                batch.append(self._waiting.popleft())
            except IndexError:  # another thread was quicker
                break
        if not batch:
            return  # the append that asked for this went with an earlier batch
        store = _append_alone if len(batch) > 1 else _append
        try:
            try:
                results = self._transact(lambda c: [store(c, append) for append in batch], write=True)
            except _Taken:
                results = self._transact(lambda c: [_append_anew(c, append) for append in batch], write=True)
        except Exception as error:  # noqa: BLE001  # whatever it is, those who wait are told
            results = [error] * len(batch)
        for append, result in zip(batch, results, strict=True):
            if isinstance(result, Exception):
                append.stored.set_exception(result)
            else:
                append.stored.set_result(result)

    def _transact(self, work: Callable[[Connection], _Result], write: bool) -> _Result:
        try:
            self._database.prepare()
            with self._database.connect(write=write) as connection, connection.begin():
                result = work(connection)
        except IntegrityError as error:
            raise _Taken from error
        except SQLAlchemyError as error:
            self._refused_a_write |= write
            raise DependencyUnavailable("database", self._database.problem(error)) from error
        if write:
            self._refused_a_write = False
        return result


def _append(connection: Connection, append: _Append) -> TurnRecord | Exception:
    return statements.append(connection, append.record, append.new_evidence, append.began)


def _append_anew(connection: Connection, append: _Append) -> TurnRecord:
    """An append whose numbers another turn of the session may have taken."""
    record, fresh = statements.numbered_anew(connection, append.record, append.new_evidence)
    return statements.append(connection, record, fresh, append.began)


def _append_alone(connection: Connection, append: _Append) -> TurnRecord | Exception:
    """One append of a batch, as if it were alone: what it did is taken back when it fails."""
    try:
        with connection.begin_nested():
            return _append(connection, append)
    except IntegrityError:
        return _Taken()
    except NotFound as error:
        return error
