"""The tables of the session store: plain columns, lists of numbers and times as JSON, no serialised objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import JSON, Boolean, Column, Dialect, Float, Index, Integer, MetaData, Table, UniqueConstraint
from sqlalchemy import Text as AnyText
from sqlalchemy.dialects import postgresql
from sqlalchemy.types import TypeDecorator

from classifier.decision import Layer, QueryType
from engine.conversation.store.port import Said, TurnRecord
from engine.domain import Action, Evidence, Origin, Outcome, Passage, PlanMode, Rating, Relation, Usage

metadata = MetaData()

#: PostgreSQL has no NUL in its texts. There it is written as the second of these pairs says; the first makes that
#: reversible.
_ESCAPES = (("\x1a", "\x1a1"), ("\x00", "\x1a0"))


class Text(TypeDecorator[str]):
    """Any Unicode text, compared and ordered by its code points in every database."""

    impl = AnyText().with_variant(postgresql.TEXT(collation="C"), "postgresql")
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """The text as it is written."""
        if value is not None and dialect.name == "postgresql" and ("\x00" in value or "\x1a" in value):
            for plain, written in _ESCAPES:
                value = value.replace(plain, written)
        return value

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], str | None] | None:
        """None where texts come as they were given: most of what a row costs was asking each of its texts."""
        return super().result_processor(dialect, coltype) if dialect.name == "postgresql" else None

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """The text as it was given."""
        if value is not None and dialect.name == "postgresql" and "\x1a" in value:
            for plain, written in reversed(_ESCAPES):
                value = value.replace(written, plain)
        return value


#: One row a session, so that its order, its counts and its age need no look at its turns.
sessions = Table(
    "sessions",
    metadata,
    Column("principal", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("first_query", Text, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("last_number", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    Column("name", Text, nullable=False, server_default=""),
    Index("sessions_by_use", "principal", "updated_at", "session_id"),
)

#: Append-only, but for a person's correction and rating.
turns = Table(
    "turns",
    metadata,
    Column("principal", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("sequence", Integer, primary_key=True),
    Column("turn_id", Text, nullable=False, unique=True),
    Column("request_id", Text, nullable=True),
    Column("query", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("layer", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("runner_up", Text, nullable=True),
    Column("runner_up_confidence", Float, nullable=False),
    Column("reason", Text, nullable=False),
    Column("editor", Boolean, nullable=False),
    Column("artifact_id", Text, nullable=False),
    Column("relation", Text, nullable=True),
    Column("action", Text, nullable=False),
    Column("plan_mode", Text, nullable=False),
    Column("search_query", Text, nullable=False),
    Column("searches", Integer, nullable=False),
    Column("model", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("shown", JSON, nullable=False),
    Column("cited", JSON, nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("completion_tokens", Integer, nullable=False),
    Column("timings", JSON, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("corrected_type", Text, nullable=True),
    Column("fingerprint", Text, nullable=False, server_default=""),
    Column("corrected_relation", Text, nullable=True),
    Column("relation_confidence", Float, nullable=False, server_default="0"),
    Column("relation_reason", Text, nullable=False, server_default=""),
    Column("extra_context", Text, nullable=False, server_default=""),
    Column("rating", Text, nullable=True),
    Column("rating_reason", Text, nullable=False, server_default=""),
    UniqueConstraint("principal", "request_id", name="one_turn_a_request"),
)

#: The evidence ledger: each passage a session was shown, once, under its number.
ledger = Table(
    "ledger",
    metadata,
    Column("principal", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("passage_id", Text, nullable=False),
    Column("document", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("heading", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("score", Float, nullable=False),
    Column("origin", Text, nullable=False),
    UniqueConstraint("principal", "session_id", "passage_id", name="one_number_a_passage"),
)

#: Columns of `turns` that are spelt otherwise in a record.
_SPECIAL = {"request_id", "shown", "cited", "prompt_tokens", "completion_tokens"}
_SAME = [column.name for column in turns.columns if column.name not in _SPECIAL]
#: What the values of columns are made into, where there are any.
_KINDS: dict[str, Callable[[Any], Any]] = {
    "type": QueryType,
    "layer": Layer,
    "outcome": Outcome,
    "action": Action,
    "plan_mode": PlanMode,
    "relation": Relation,
    "runner_up": QueryType,
    "corrected_type": QueryType,
    "corrected_relation": Relation,
    "rating": Rating,
    "shown": tuple,
    "cited": tuple,
}


def turn_row(record: TurnRecord) -> dict[str, Any]:
    """A record as a row of `turns`."""
    row = {name: getattr(record, name) for name in _SAME}
    return row | {
        "request_id": record.request_id or None,  # NULLs are distinct: turns without one do not collide
        "shown": list(record.shown),
        "cited": list(record.cited),
        "prompt_tokens": record.usage.prompt_tokens,
        "completion_tokens": record.usage.completion_tokens,
    }


def turn_record(row: Mapping[Any, Any]) -> TurnRecord:
    """A row of `turns`, or some columns of one, as a record: what is not in it is as a new record has it."""
    values: dict[str, Any] = dict(row)
    for name, kind in _KINDS.items():
        if (value := values.get(name)) is not None:
            values[name] = kind(value)
    if "prompt_tokens" in values:
        values["usage"] = Usage(values.pop("prompt_tokens"), values.pop("completion_tokens"))
    values["request_id"] = values.get("request_id") or ""
    return TurnRecord(**values)


#: By value: to call an enumeration with it takes longer, and hundreds of turns are read for one recall.
_TYPES, _OUTCOMES = {str(one): one for one in QueryType}, {str(one): one for one in Outcome}
_RELATIONS: dict[str | None, Relation | None] = {None: None} | {str(one): one for one in Relation}


def said_in(row: Any) -> Said:
    """What a row with the columns of `Said`, in their order, says."""
    sequence, query, answer, type_, outcome, relation, cites = row  # by place: a column's name takes longer to look up
    return Said(sequence, query, answer, _TYPES[type_], _OUTCOMES[outcome], _RELATIONS[relation], bool(cites))


def ledger_row(principal: str, session_id: str, evidence: Evidence) -> dict[str, Any]:
    """A piece of evidence as a row of `ledger`."""
    passage = evidence.passage
    return {
        "principal": principal,
        "session_id": session_id,
        "number": evidence.number,
        "passage_id": passage.id,
        "document": passage.document,
        "title": passage.title,
        "heading": passage.heading,
        "text": passage.text,
        "score": passage.score,
        "origin": evidence.origin,
    }


def ledger_evidence(row: Any) -> Evidence:
    """A row of `ledger` as evidence of an earlier turn."""
    passage = Passage(row.passage_id, row.document, row.title, row.heading, row.text, row.score)
    return Evidence(row.number, passage, Origin.LEDGER)
