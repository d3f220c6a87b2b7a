"""The session store on SQL: SQLite in WAL mode beside the engine.

Each read is one short transaction in a worker thread; appends that come at the same time share one. A write takes
SQLite's write lock when it begins, so that what it reads first is still true when it writes. A thread cannot be
cancelled, so an append that has begun ends.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, and_, create_engine, delete, event, func, insert, or_, select, tuple_, update
from sqlalchemy.exc import DatabaseError, IntegrityError

from classifier.decision import QueryType
from engine.conversation.store import Conversation, SessionPage, SessionSummary, StoredSession, TurnRecord
from engine.conversation.tables import (
    ledger,
    ledger_evidence,
    ledger_row,
    metadata,
    sessions,
    turn_record,
    turn_row,
    turns,
)
from engine.domain import Evidence
from engine.errors import ConfigurationError, DependencyUnavailable, InvalidInput, NotFound

_Result = TypeVar("_Result")

#: How long a write waits for another process's write, in milliseconds.
_BUSY_MS = 5000
_TAKEN = "the turn was stored by another request; try again"


@dataclass(frozen=True, slots=True)
class _Append:
    """A turn that waits to be stored, and the promise that it is."""

    record: TurnRecord
    new_evidence: tuple[Evidence, ...]
    stored: Future[TurnRecord] = field(default_factory=Future)


class SqlSessionStore:
    """Sessions in one SQLite file. Fulfils `SessionStore`.

    Args:
        path: The file; its folder is made when it is missing.

    Raises:
        ConfigurationError: The file cannot be opened or is not a database of ours.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._engine = _sqlite(path)
            with self._engine.begin() as connection:
                metadata.create_all(connection)
        except (DatabaseError, OSError) as error:
            raise ConfigurationError(
                f"the session store {path} cannot be opened ({type(error).__name__}): make its folder writable, or "
                "name another with ENGINE_DATA_DIR"
            ) from error
        # Readers side by side; one writer, as the database has one: its threads would only poll one another's lock.
        self._readers = ThreadPoolExecutor(4, thread_name_prefix="sessions-read")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="sessions-write")
        self._waiting: deque[_Append] = deque()

    async def load(self, principal: str, session_id: str, *, turns: int) -> Conversation:
        """See `SessionStore.load`."""
        return await self._run(lambda c: _load(c, principal, session_id, turns))

    async def append(self, record: TurnRecord, new_evidence: Sequence[Evidence] = ()) -> TurnRecord:
        """See `SessionStore.append`."""
        append = _Append(record, tuple(new_evidence))
        self._waiting.append(append)
        self._writer.submit(self._append_waiting)
        # Shielded: a caller who is cancelled does not take back what is already on its way.
        return await asyncio.shield(asyncio.wrap_future(append.stored))

    async def known_numbers(self, principal: str, session_id: str, passage_ids: Sequence[str]) -> dict[str, int]:
        """See `SessionStore.known_numbers`."""
        chosen = select(ledger.c.passage_id, ledger.c.number).where(
            _of(ledger, principal, session_id), ledger.c.passage_id.in_(passage_ids)
        )
        return await self._run(lambda c: {row.passage_id: row.number for row in c.execute(chosen)})

    async def evidence(self, principal: str, session_id: str, numbers: Sequence[int]) -> list[Evidence]:
        """See `SessionStore.evidence`."""
        chosen = select(ledger).where(_of(ledger, principal, session_id), ledger.c.number.in_(numbers))
        found = await self._run(lambda c: {row.number: ledger_evidence(row) for row in c.execute(chosen)})
        return [found[number] for number in numbers if number in found]

    async def first(self, principal: str, session_id: str) -> TurnRecord | None:
        """See `SessionStore.first`."""
        chosen = select(turns).where(_of(turns, principal, session_id)).order_by(turns.c.sequence).limit(1)
        return await self._one(chosen)

    async def find_request(self, principal: str, request_id: str) -> TurnRecord | None:
        """See `SessionStore.find_request`."""
        return await self._one(select(turns).where(turns.c.principal == principal, turns.c.request_id == request_id))

    async def session(self, principal: str, session_id: str) -> StoredSession:
        """See `SessionStore.session`."""
        return await self._run(lambda c: _session(c, principal, session_id))

    async def sessions(self, principal: str, *, size: int, token: str = "") -> SessionPage:
        """See `SessionStore.sessions`."""
        after = _read_token(token) if token else None
        return await self._run(lambda c: _page(c, principal, size, after))

    async def delete(self, principal: str, session_id: str) -> int:
        """See `SessionStore.delete`."""
        return await self._run(lambda c: _delete(c, principal, session_id), write=True)

    async def correct(self, principal: str, turn_id: str, type_: QueryType) -> TurnRecord:
        """See `SessionStore.correct`."""
        return await self._run(lambda c: _correct(c, principal, turn_id, type_), write=True)

    async def purge(self, before: float) -> int:
        """See `SessionStore.purge`."""
        return await self._run(lambda c: _purge(c, before), write=True)

    async def every_turn(self, *, size: int, after: TurnRecord | None = None) -> list[TurnRecord]:
        """See `SessionStore.every_turn`."""
        return await self._run(lambda c: _every(c, size, after))

    async def sessions_since(self, when: float) -> int:
        """See `SessionStore.sessions_since`."""
        chosen = select(func.count()).select_from(sessions).where(sessions.c.created_at > when)
        return int(await self._run(lambda c: c.execute(chosen).scalar_one()))

    async def ping(self) -> None:
        """See `SessionStore.ping`."""
        await self._run(lambda c: c.execute(select(func.count()).select_from(sessions).limit(1)).scalar())

    async def close(self) -> None:
        """See `SessionStore.close`."""
        await asyncio.to_thread(self._writer.shutdown)
        await asyncio.to_thread(self._readers.shutdown)
        self._engine.dispose()

    async def _one(self, chosen: Any) -> TurnRecord | None:
        row = await self._run(lambda c: c.execute(chosen).first())
        return None if row is None else turn_record(row)

    async def _run(self, work: Callable[[Connection], _Result], *, write: bool = False) -> _Result:
        threads = self._writer if write else self._readers
        return await asyncio.get_running_loop().run_in_executor(threads, self._transact, work, write)

    def _append_waiting(self) -> None:
        """Stores all appends that wait, in one transaction: a commit to the disk costs more than many rows.

        Nobody is told before the commit. One that the database refuses takes no other with it.
        """
        batch = [self._waiting.popleft() for _ in range(len(self._waiting))]
        if not batch:
            return  # the append that asked for this went with an earlier batch
        try:
            results = self._transact(lambda c: [_append_alone(c, append) for append in batch], write=True)
        except Exception as error:  # noqa: BLE001  # whatever it is, those who wait are told
            results = [error] * len(batch)
        for append, result in zip(batch, results, strict=True):
            if isinstance(result, Exception):
                append.stored.set_exception(result)
            else:
                append.stored.set_result(result)

    def _transact(self, work: Callable[[Connection], _Result], write: bool) -> _Result:
        try:
            with self._engine.connect().execution_options(write=write) as connection, connection.begin():
                return work(connection)
        except IntegrityError as error:
            raise DependencyUnavailable("database", _TAKEN) from error
        except DatabaseError as error:
            raise DependencyUnavailable("database", f"it refuses ({type(error).__name__})") from error


def _sqlite(path: Path) -> Engine:
    engine = create_engine(f"sqlite+pysqlite:///{path}")

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where SQLAlchemy says so, not at the first write
        for pragma in (f"busy_timeout={_BUSY_MS}", "journal_mode=WAL", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        write = connection.get_execution_options().get("write", True)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def _of(table: Any, principal: str, session_id: str) -> Any:
    return and_(table.c.principal == principal, table.c.session_id == session_id)


def _load(connection: Connection, principal: str, session_id: str, count: int) -> Conversation:
    head = connection.execute(select(sessions).where(_of(sessions, principal, session_id))).first()
    if head is None:
        return Conversation()
    chosen = select(turns).where(_of(turns, principal, session_id)).order_by(turns.c.sequence.desc()).limit(count)
    recent = [turn_record(row) for row in connection.execute(chosen)]
    return Conversation(tuple(reversed(recent)), head.turns, head.last_number)


def _append_alone(connection: Connection, append: _Append) -> TurnRecord | Exception:
    """One append of a batch, as if it were alone: what it did is taken back when it fails."""
    try:
        with connection.begin_nested():
            return _append(connection, append.record, append.new_evidence)
    except IntegrityError:
        return DependencyUnavailable("database", _TAKEN)


def _append(connection: Connection, record: TurnRecord, new_evidence: Sequence[Evidence]) -> TurnRecord:
    where = _of(sessions, record.principal, record.session_id)
    head = connection.execute(select(sessions.c.turns, sessions.c.last_number).where(where)).first()
    stored = replace(record, sequence=1 if head is None else head.turns + 1)
    last_number = max((e.number for e in new_evidence), default=0 if head is None else head.last_number)
    state = {"turns": stored.sequence, "last_number": last_number, "updated_at": record.created_at}
    if head is None:
        row = {"principal": record.principal, "session_id": record.session_id, "first_query": record.query}
        connection.execute(insert(sessions).values(**row, **state, created_at=record.created_at))
    else:
        connection.execute(update(sessions).where(where).values(**state))
    connection.execute(insert(turns).values(**turn_row(stored)))
    if new_evidence:
        rows = [ledger_row(record.principal, record.session_id, e) for e in new_evidence]
        connection.execute(insert(ledger), rows)
    return stored


def _session(connection: Connection, principal: str, session_id: str) -> StoredSession:
    head = connection.execute(select(sessions).where(_of(sessions, principal, session_id))).first()
    if head is None:
        raise NotFound("session_id: there is no such session")
    all_turns = select(turns).where(_of(turns, principal, session_id)).order_by(turns.c.sequence)
    shown = select(ledger).where(_of(ledger, principal, session_id))
    return StoredSession(
        session_id,
        tuple(turn_record(row) for row in connection.execute(all_turns)),
        {row.number: ledger_evidence(row) for row in connection.execute(shown)},
        head.created_at,
        head.updated_at,
    )


def _page(connection: Connection, principal: str, size: int, after: tuple[float, str] | None) -> SessionPage:
    chosen = select(sessions).where(sessions.c.principal == principal)
    if after is not None:
        when, session_id = after
        older = sessions.c.updated_at < when
        same = and_(sessions.c.updated_at == when, sessions.c.session_id > session_id)
        chosen = chosen.where(or_(older, same))
    chosen = chosen.order_by(sessions.c.updated_at.desc(), sessions.c.session_id).limit(size + 1)
    rows = list(connection.execute(chosen))
    page = tuple(
        SessionSummary(row.session_id, row.turns, row.first_query, row.created_at, row.updated_at)
        for row in rows[:size]
    )
    more = len(rows) > size
    return SessionPage(page, _make_token(page[-1].updated_at, page[-1].session_id) if more else "")


def _every(connection: Connection, size: int, after: TurnRecord | None) -> list[TurnRecord]:
    place = (turns.c.principal, turns.c.session_id, turns.c.sequence)
    chosen = select(turns).order_by(*place).limit(size)
    if after is not None:
        chosen = chosen.where(tuple_(*place) > tuple_(after.principal, after.session_id, after.sequence))
    return [turn_record(row) for row in connection.execute(chosen)]


def _delete(connection: Connection, principal: str, session_id: str) -> int:
    gone = connection.execute(delete(sessions).where(_of(sessions, principal, session_id))).rowcount
    if not gone:
        raise NotFound("session_id: there is no such session")
    connection.execute(delete(ledger).where(_of(ledger, principal, session_id)))
    return connection.execute(delete(turns).where(_of(turns, principal, session_id))).rowcount


def _correct(connection: Connection, principal: str, turn_id: str, type_: QueryType) -> TurnRecord:
    where = and_(turns.c.principal == principal, turns.c.turn_id == turn_id)
    if not connection.execute(update(turns).where(where).values(corrected_type=type_)).rowcount:
        raise NotFound("turn_id: there is no such turn")
    return turn_record(connection.execute(select(turns).where(where)).one())


def _purge(connection: Connection, before: float) -> int:
    old = select(sessions.c.principal, sessions.c.session_id).where(sessions.c.updated_at < before)
    gone = [(row.principal, row.session_id) for row in connection.execute(old)]
    for principal, session_id in gone:
        _delete(connection, principal, session_id)
    return len(gone)


def _make_token(updated_at: float, session_id: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([updated_at, session_id]).encode()).decode()


def _read_token(token: str) -> tuple[float, str]:
    try:
        updated_at, session_id = json.loads(base64.urlsafe_b64decode(token.encode()))
        return float(updated_at), str(session_id)
    except (binascii.Error, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise InvalidInput("page_token", "is not one that this service gave out") from error
