"""Domain values to protobuf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import is_dataclass
from enum import Enum, StrEnum
from functools import cache
from typing import Any, TypeVar

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from classifier.decision import Decision
from engine.answering.records import citations_of
from engine.conversation.store.port import SessionPage, StoredSession, TurnRecord
from engine.domain import Answer, Completed, Event, Evidence, Progress, Retrieved, Route, Routed, TextDelta
from engine.evaluation.golden import Report
from engine.retrieval.port import StoredDocument
from engine.text.material import encodable
from engine.v1 import engine_pb2 as pb

_Kind = TypeVar("_Kind", bound=Message)


def number(enum: Any, value: StrEnum | None) -> Any:
    """The wire number of a domain value; the unspecified one for None."""
    return 0 if value is None else enum.Value(value.name)


def event(item: Event) -> pb.AgentEvent:
    """An event of an answer."""
    match item:
        case Routed(route):
            return pb.AgentEvent(route=route_message(route))
        case Progress(stage, detail):
            return pb.AgentEvent(progress=pb.Progress(stage=stage, detail=detail))
        case Retrieved(evidence):
            return pb.AgentEvent(sources=pb.Sources(sources=[source(piece) for piece in evidence]))
        case TextDelta(text):
            return pb.AgentEvent(text_delta=encodable(text))
        case Completed(answer):
            return pb.AgentEvent(completed=response(answer))


def decision_message(decision: Decision) -> pb.Route:
    """A routing decision without what follows from it."""
    return _message(pb.Route, decision, relation=None)


def route_message(route: Route) -> pb.Route:
    """A whole receipt."""
    plan = None if route.plan is None else _message(pb.Plan, route.plan, mode=route.plan.mode.lower())
    milliseconds = route.decision.milliseconds | route.milliseconds
    return _message(pb.Route, route, route.decision, plan=plan, milliseconds=milliseconds)


def source(piece: Evidence) -> pb.Source:
    """A passage given to the generator."""
    return _message(pb.Source, piece, piece.passage, passage_id=piece.passage.id)


def _citations(cited: Sequence[Evidence]) -> list[pb.Citation]:
    return [_message(pb.Citation, piece, piece.passage, passage_id=piece.passage.id) for piece in cited]


def response(answer: Answer) -> pb.AgentResponse:
    """A whole answer."""
    return _message(
        pb.AgentResponse,
        answer,
        route=route_message(answer.route),
        citations=_citations(answer.citations),
        tool_calls=[_message(pb.ToolCall, call) for call in answer.calls],
        grounding=answer.grounding.share,
        unsupported=[_message(pb.UnsupportedSentence, one) for one in answer.grounding.unsupported],
    )


def session(stored: StoredSession) -> pb.Session:
    """A session, or a page of it."""
    turns = [
        _message(
            pb.StoredTurn,
            record,
            text=encodable(record.answer),
            citations=_citations(citations_of(record, stored.evidence)),
        )
        for record in stored.turns
    ]
    return _message(
        pb.Session, stored, turns=turns, next_page_token=str(stored.turns[-1].sequence) if stored.more else ""
    )


def session_page(page: SessionPage) -> pb.ListSessionsResponse:
    """A page of sessions."""
    return _message(pb.ListSessionsResponse, page, next_page_token=page.next_token)


def indexed_document(document: StoredDocument) -> pb.IndexedDocument:
    """A document of the index."""
    return _message(pb.IndexedDocument, document, bytes=document.size, modified_at=document.modified)


def corrected(record: TurnRecord) -> pb.CorrectTurnResponse:
    """A corrected turn."""
    return pb.CorrectTurnResponse(
        turn_id=record.turn_id,
        type=number(pb.QueryType, record.corrected_type),
        previous_type=number(pb.QueryType, record.type),
        relation=number(pb.Relation, record.corrected_relation),
        previous_relation=number(pb.Relation, record.relation),
    )


def report(evaluated: Report) -> pb.EvaluateRagReport:
    """The result of an evaluation."""
    return _message(pb.EvaluateRagReport, evaluated)


def _message(kind: type[_Kind], *values: object, **others: Any) -> _Kind:
    """A message: its fields are `others`, else attributes of their names, of the first of `values` that has one."""
    fields = others.copy()
    for name, field in _fields(kind.DESCRIPTOR):
        for value in values if name not in others else ():
            if hasattr(value, name):
                fields[name] = _carried(getattr(value, name), field)
                break
    return kind(**fields)


@cache
def _fields(descriptor: Any) -> list[tuple[str, Any]]:
    return list(descriptor.fields_by_name.items())


def _carried(value: Any, field: Any) -> Any:
    """A value as a field takes it; None is unset."""
    if isinstance(value, str):
        if isinstance(value, Enum) and field.enum_type:
            return field.enum_type.values_by_name[value.name].number
        return encodable(value)
    if isinstance(value, tuple | list):
        return [_carried(one, field) for one in value]
    if isinstance(value, dict) and (inner := field.message_type.fields_by_name["value"]).message_type:
        return {key: _carried(one, inner) for key, one in value.items()}
    return _message(GetMessageClass(field.message_type), value) if is_dataclass(value) else value
