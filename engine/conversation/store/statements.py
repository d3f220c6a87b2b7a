"""What the session store says to its database: each function is the work of one transaction."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import (
    Connection,
    Float,
    Integer,
    Text,
    and_,
    bindparam,
    case,
    cast,
    delete,
    insert,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from engine.conversation.ledger import number
from engine.conversation.store.port import Conversation, Said, SessionPage, SessionSummary, StoredSession, TurnRecord
from engine.conversation.store.tables import (
    ledger,
    ledger_evidence,
    ledger_row,
    said_in,
    sessions,
    turn_record,
    turn_row,
    turns,
)
from engine.domain import Evidence
from engine.errors import InvalidInput, NotFound

_NO_SESSION = "session_id: there is no such session"
#: A principal that nobody is, and a text of several pages.
_NOBODY, _PAGES = "", "x" * 16_384


def append(
    connection: Connection, record: TurnRecord, new_evidence: Sequence[Evidence], began: float | None = None
) -> TurnRecord:
    """Stores a turn behind the last one of its session.

    The session's row comes first, whether it is there or not, in one statement: it locks the session, so that the
    sequence it gives is the turn's own.

    Args:
        began: When the session that the turn continues was made; None for a turn that makes one if need be.

    Raises:
        NotFound: That session is not there any more.
    """
    last = max((e.number for e in new_evidence), default=0)
    stored = replace(record, sequence=_next_sequence(connection, record, last, began))
    connection.execute(_NEW_TURN, turn_row(stored))
    if new_evidence:
        rows = [ledger_row(record.principal, record.session_id, e) for e in new_evidence]
        connection.execute(_NEW_EVIDENCE, rows)
    return stored


def numbered_anew(
    connection: Connection, record: TurnRecord, new_evidence: Sequence[Evidence]
) -> tuple[TurnRecord, list[Evidence]]:
    """A turn whose numbers another one has taken, with the numbers that are its own; the session is locked from here.

    Two turns of a session are made at a time where the lock of the first one was lost. What readers have seen of the
    later one keeps its numbers; what is stored has one number for each passage.

    Returns:
        The turn, and what of its evidence the ledger does not have yet.
    """
    whose = (record.principal, record.session_id)
    connection.execute(select(sessions.c.turns).where(of_session(sessions, *whose)).with_for_update())
    stored = connection.execute(select(ledger.c.passage_id, ledger.c.number).where(of_session(ledger, *whose)))
    known = {row.passage_id: row.number for row in stored}
    placed = number([piece.passage for piece in new_evidence], known, max(known.values(), default=0))
    places = {piece.number: own.number for piece, own in zip(new_evidence, placed, strict=True)}
    fresh = [replace(piece, number=places[piece.number]) for piece in new_evidence if piece.passage.id not in known]
    shown, cited = (tuple(places.get(one, one) for one in numbers) for numbers in (record.shown, record.cited))
    return replace(record, shown=shown, cited=cited), fresh


def _next_sequence(connection: Connection, record: TurnRecord, last_number: int, began: float | None) -> int:
    """The turn's place in its session, whose row says so from now on."""
    values = {"of": record.principal, "session": record.session_id, "now": record.created_at, "last": last_number}
    if began is not None:  # a session that was forgotten while its turn was being made stays forgotten
        sequence = connection.execute(_GO_ON, {**values, "began": began}).scalar()
    else:
        sequence = connection.execute(_BEGIN[connection.dialect.name], {**values, "query": record.query}).scalar()
    if sequence is None:
        raise NotFound("session_id: the session was deleted while this turn was running")
    return int(sequence)


def of_session(table: Any, principal: Any, session_id: Any) -> Any:
    """The condition that a row belongs to a session."""
    return and_(table.c.principal == principal, table.c.session_id == session_id)


_LAST, _NOW = bindparam("last", type_=Integer), bindparam("now", type_=Float)


def _upsert(insert_of: Any) -> Any:
    """Makes a session or goes on with it, whether it is there or not, in one statement; the turn's sequence."""
    row = {
        "principal": bindparam("of"),
        "session_id": bindparam("session"),
        "first_query": bindparam("query"),
        "turns": 1,
        "last_number": _LAST,
        "created_at": _NOW,
        "updated_at": _NOW,
    }
    made = insert_of(sessions).values(**row)
    return made.on_conflict_do_update(index_elements=["principal", "session_id"], set_=_GONE_ON).returning(
        sessions.c.turns
    )


# What every turn says is made once: making a statement takes longer than what the database does with it.
_WHOSE: dict[str, Any] = {"principal": bindparam("of"), "session_id": bindparam("session")}
_GONE_ON: dict[str, Any] = {
    "turns": sessions.c.turns + 1,
    "updated_at": _NOW,
    "last_number": case((_LAST > 0, _LAST), else_=sessions.c.last_number),
}
_BEGIN = {"sqlite": _upsert(sqlite.insert), "postgresql": _upsert(postgresql.insert)}
_GO_ON = (
    update(sessions)
    .where(of_session(sessions, **_WHOSE), sessions.c.created_at == bindparam("began", type_=Float))
    .values(**_GONE_ON)
    .returning(sessions.c.turns)
)
_NEW_TURN, _NEW_EVIDENCE = insert(turns), insert(ledger)
_SESSION = select(sessions).where(of_session(sessions, **_WHOSE))
_RECENT = (
    select(turns)
    .where(of_session(turns, **_WHOSE))
    .order_by(turns.c.sequence.desc())
    .limit(bindparam("count", type_=Integer))
)


#: Of the turns between two what a recall looks through, in the order of `Said`.
_TOLD = (
    select(
        *(turns.c[name] for name in ("sequence", "query", "answer", "type", "outcome", "relation")),
        (cast(turns.c.cited, Text) != "[]").label("cites"),
    )
    .where(
        of_session(turns, **_WHOSE),
        turns.c.sequence > bindparam("after", type_=Integer),
        turns.c.sequence < bindparam("before", type_=Integer),
    )
    .order_by(turns.c.sequence)
)


_NUMBERS = select(ledger.c.passage_id, ledger.c.number).where(
    of_session(ledger, **_WHOSE), ledger.c.passage_id.in_(bindparam("ids", expanding=True))
)


def known_numbers(
    connection: Connection, principal: str, session_id: str, passage_ids: Sequence[str]
) -> dict[str, int]:
    """The numbers that passages have in a session's ledger, by the passage's id, of those that have one."""
    bounds = {"of": principal, "session": session_id, "ids": list(passage_ids)}
    return {row.passage_id: row.number for row in connection.execute(_NUMBERS, bounds)}


def told(connection: Connection, principal: str, session_id: str, after: int, before: int) -> list[Said]:
    """What was said between the turns of the sequences `after` and `before`."""
    bounds = {"of": principal, "session": session_id, "after": after, "before": before}
    return [said_in(row) for row in connection.execute(_TOLD, bounds).all()]


def turns_of(connection: Connection, principal: str, session_id: str, sequences: Sequence[int]) -> list[TurnRecord]:
    """The turns of those sequences."""
    whose = of_session(turns, principal, session_id)
    chosen = select(turns).where(whose, turns.c.sequence.in_(sequences)).order_by(turns.c.sequence)
    return [turn_record(row) for row in connection.execute(chosen).mappings()]


def load(connection: Connection, principal: str, session_id: str, count: int) -> Conversation:
    """The last `count` turns of a session."""
    whose = {"of": principal, "session": session_id}
    head = connection.execute(_SESSION, whose).first()
    if head is None:
        return Conversation()
    recent = [turn_record(row) for row in connection.execute(_RECENT, {**whose, "count": count}).mappings()]
    return Conversation(tuple(reversed(recent)), head.turns, head.last_number, head.created_at)


def session(
    connection: Connection, principal: str, session_id: str, size: int | None = None, after: int = 0
) -> StoredSession:
    """The turns of a session behind the one of sequence `after`, at most `size`. Raises `NotFound`."""
    head = connection.execute(select(sessions).where(of_session(sessions, principal, session_id))).first()
    if head is None:
        raise NotFound(_NO_SESSION)
    whose = of_session(turns, principal, session_id)
    chosen = select(turns).where(whose, turns.c.sequence > after).order_by(turns.c.sequence)
    found = [turn_record(row) for row in connection.execute(chosen if size is None else chosen.limit(size)).mappings()]
    cited = {number for record in found for number in record.cited}
    shown = select(ledger).where(of_session(ledger, principal, session_id))
    return StoredSession(
        session_id,
        tuple(found),
        {row.number: ledger_evidence(row) for row in connection.execute(shown) if size is None or row.number in cited},
        head.created_at,
        head.updated_at,
        more=bool(found) and found[-1].sequence < head.turns,
        name=head.name,
    )


def page(connection: Connection, principal: str, size: int, after: tuple[float, str] | None) -> SessionPage:
    """A page of sessions behind the one that `after` names, the most recently used first."""
    chosen = select(sessions).where(sessions.c.principal == principal)
    if after is not None:
        when, session_id = after
        older = sessions.c.updated_at < when
        same = and_(sessions.c.updated_at == when, sessions.c.session_id > session_id)
        chosen = chosen.where(or_(older, same))
    chosen = chosen.order_by(sessions.c.updated_at.desc(), sessions.c.session_id).limit(size + 1)
    rows = list(connection.execute(chosen))
    found = tuple(
        SessionSummary(row.session_id, row.turns, row.first_query, row.created_at, row.updated_at, row.name)
        for row in rows[:size]
    )
    more = len(rows) > size
    return SessionPage(found, make_token(found[-1].updated_at, found[-1].session_id) if more else "")


def every(connection: Connection, size: int, after: TurnRecord | None) -> list[TurnRecord]:
    """The next `size` turns of all principals behind `after`."""
    place = (turns.c.principal, turns.c.session_id, turns.c.sequence)
    chosen = select(turns).order_by(*place).limit(size)
    if after is not None:
        chosen = chosen.where(tuple_(*place) > tuple_(after.principal, after.session_id, after.sequence))
    return [turn_record(row) for row in connection.execute(chosen).mappings()]


def forget(connection: Connection, principal: str, session_id: str) -> int:
    """Forgets a session; how many turns it had. Raises `NotFound`."""
    if not connection.execute(delete(sessions).where(of_session(sessions, principal, session_id))).rowcount:
        raise NotFound(_NO_SESSION)
    return _forget_turns(connection, principal, session_id)


def _forget_turns(connection: Connection, principal: str, session_id: str) -> int:
    connection.execute(delete(ledger).where(of_session(ledger, principal, session_id)))
    return connection.execute(delete(turns).where(of_session(turns, principal, session_id))).rowcount


def rename(connection: Connection, principal: str, session_id: str, name: str) -> None:
    """Gives a session a name. Raises `NotFound`."""
    renamed = update(sessions).where(of_session(sessions, principal, session_id)).values(name=name)
    if not connection.execute(renamed).rowcount:
        raise NotFound(_NO_SESSION)


def amend(connection: Connection, principal: str, turn_id: str, values: Mapping[str, Any]) -> TurnRecord:
    """Sets columns of a turn that are a person's to set. Raises `NotFound`."""
    where = and_(turns.c.principal == principal, turns.c.turn_id == turn_id)
    if not connection.execute(update(turns).where(where).values(**values)).rowcount:
        raise NotFound("turn_id: there is no such turn")
    return turn_record(connection.execute(select(turns).where(where)).mappings().one())


def purge(connection: Connection, before: float) -> int:
    """Forgets the sessions last used before `before`; how many.

    Always in the same order, so that two processes that purge do not lock each other out; and only those that are still
    there and still old when it is their turn, as another process may have come first.
    """
    old = sessions.c.updated_at < before
    place = (sessions.c.principal, sessions.c.session_id)
    gone = 0
    for principal, session_id in connection.execute(select(*place).where(old).order_by(*place)).all():
        if connection.execute(delete(sessions).where(of_session(sessions, principal, session_id), old)).rowcount:
            _forget_turns(connection, principal, session_id)
            gone += 1
    return gone


def try_to_write(connection: Connection) -> None:
    """Writes some pages and takes them back, in one transaction: a full disk refuses one or the other."""
    row = {"principal": _NOBODY, "session_id": "", "first_query": _PAGES, "turns": 0, "last_number": 0}
    nobodys = of_session(sessions, _NOBODY, "")
    connection.execute(delete(sessions).where(nobodys))
    connection.execute(insert(sessions).values(**row, created_at=0.0, updated_at=0.0))
    connection.execute(delete(sessions).where(nobodys))


def make_token(updated_at: float, session_id: str) -> str:
    """The token of the page behind a session."""
    return base64.urlsafe_b64encode(json.dumps([updated_at, session_id]).encode()).decode()


def read_token(token: str) -> tuple[float, str]:
    """The place that a token names. Raises `InvalidInput` for one that was not made here."""
    try:
        updated_at, session_id = json.loads(base64.urlsafe_b64decode(token.encode()))
        return float(updated_at), str(session_id)
    except (binascii.Error, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise InvalidInput("page_token", "is not one that this service gave out") from error
