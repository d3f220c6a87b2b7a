"""Domain values to protobuf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import Any

from classifier.decision import Decision, Opinion, QueryType
from engine.answering.records import citations_of
from engine.conversation.store.port import SessionPage, StoredSession, TurnRecord
from engine.domain import (
    Answer,
    Completed,
    Evaluation,
    Event,
    Evidence,
    Plan,
    Progress,
    Retrieved,
    Route,
    Routed,
    Subquery,
    TextDelta,
    ToolCall,
)
from engine.evaluation.golden import Metrics, Report
from engine.retrieval.port import StoredDocument
from engine.v1 import engine_pb2 as pb


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
            return pb.AgentEvent(text_delta=clean(text))
        case Completed(answer):
            return pb.AgentEvent(completed=response(answer))


def clean(text: str) -> str:
    """Text that protobuf can carry: lone surrogates, which no UTF-8 has, become replacement characters."""
    return text.encode("utf-8", "replace").decode("utf-8")


def decision_message(decision: Decision) -> pb.Route:
    """A routing decision without what follows from it."""
    return pb.Route(
        type=number(pb.QueryType, decision.type),
        layer=number(pb.Layer, decision.layer),
        confidence=decision.confidence,
        runner_up=number(pb.QueryType, decision.runner_up),
        runner_up_confidence=decision.runner_up_confidence,
        editor=decision.editor,
        reason=decision.reason,
        artifact_id=decision.artifact_id,
        milliseconds=decision.milliseconds,
        opinions=[_opinion(opinion) for opinion in decision.opinions],
    )


def _opinion(opinion: Opinion) -> pb.LayerOpinion:
    return pb.LayerOpinion(
        layer=number(pb.Layer, opinion.layer),
        type=number(pb.QueryType, opinion.type),
        confidence=opinion.confidence,
        reason=opinion.reason,
        milliseconds=opinion.milliseconds,
    )


def route_message(route: Route) -> pb.Route:
    """A whole receipt."""
    message = decision_message(route.decision)
    message.relation = number(pb.Relation, route.relation)
    message.relation_confidence = route.relation_confidence
    message.relation_reason = route.relation_reason
    message.action = number(pb.Action, route.action)
    message.plan_mode = number(pb.PlanMode, route.plan_mode)
    message.search_query = clean(route.search_query)
    message.model = route.model
    message.milliseconds.update(route.milliseconds)
    if route.plan is not None:
        message.plan.CopyFrom(_plan(route.plan))
    return message


def _plan(plan: Plan) -> pb.Plan:
    return pb.Plan(
        mode=plan.mode.lower(),
        reason=clean(plan.reason),
        complexity=plan.complexity,
        subqueries=[_subquery(subquery) for subquery in plan.subqueries],
    )


def _subquery(subquery: Subquery) -> pb.Subquery:
    return pb.Subquery(
        id=subquery.id,
        description=clean(subquery.description),
        query=clean(subquery.query),
        tool=subquery.tool,
        priority=subquery.priority,
    )


def _call(call: ToolCall) -> pb.ToolCall:
    return pb.ToolCall(
        subquery=call.subquery,
        tool=call.tool,
        milliseconds=call.milliseconds,
        error=call.error,
        characters=call.characters,
    )


def _evaluation(evaluation: Evaluation) -> pb.Evaluation:
    return pb.Evaluation(
        complete=evaluation.complete,
        completeness_score=evaluation.completeness_score,
        issues=[clean(issue) for issue in evaluation.issues],
        followup_subqueries=[_subquery(subquery) for subquery in evaluation.followup_subqueries],
    )


def source(piece: Evidence) -> pb.Source:
    """A passage given to the generator."""
    passage = piece.passage
    return pb.Source(
        number=piece.number,
        passage_id=passage.id,
        document=passage.document,
        title=passage.title,
        heading=passage.heading,
        text=passage.text,
        score=passage.score,
        origin=number(pb.Origin, piece.origin),
    )


def _citations(cited: Sequence[Evidence]) -> list[pb.Citation]:
    return [
        pb.Citation(
            number=piece.number,
            passage_id=piece.passage.id,
            document=piece.passage.document,
            title=piece.passage.title,
            heading=piece.passage.heading,
            text=piece.passage.text,
            origin=number(pb.Origin, piece.origin),
        )
        for piece in cited
    ]


def response(answer: Answer) -> pb.AgentResponse:
    """A whole answer."""
    return pb.AgentResponse(
        text=clean(answer.text),
        session_id=answer.session_id,
        turn_id=answer.turn_id,
        route=route_message(answer.route),
        citations=_citations(answer.citations),
        searches=answer.searches,
        usage=pb.Usage(prompt_tokens=answer.usage.prompt_tokens, completion_tokens=answer.usage.completion_tokens),
        timings=answer.timings,
        outcome=number(pb.Outcome, answer.outcome),
        tool_calls=[_call(call) for call in answer.calls],
        evaluation=None if answer.evaluation is None else _evaluation(answer.evaluation),
        passes=answer.passes,
        answerability=answer.answerability,
        grounding=answer.grounding.share,
        unsupported=[
            pb.UnsupportedSentence(start=one.start, end=one.end, reason=one.reason)
            for one in answer.grounding.unsupported
        ],
        prompt=None if answer.prompt is None else pb.PromptReceipt(**asdict(answer.prompt)),
    )


def _stored_turn(record: TurnRecord, evidence: dict[int, Evidence]) -> pb.StoredTurn:
    return pb.StoredTurn(
        turn_id=record.turn_id,
        sequence=record.sequence,
        query=clean(record.query),
        text=clean(record.answer),
        type=number(pb.QueryType, record.type),
        layer=number(pb.Layer, record.layer),
        relation=number(pb.Relation, record.relation),
        action=number(pb.Action, record.action),
        search_query=clean(record.search_query),
        outcome=number(pb.Outcome, record.outcome),
        model=record.model,
        created_at=record.created_at,
        corrected_type=number(pb.QueryType, record.corrected_type),
        corrected_relation=number(pb.Relation, record.corrected_relation),
        citations=_citations(citations_of(record, evidence)),
        extra_context=clean(record.extra_context),
        rating=number(pb.Rating, record.rating),
        rating_reason=clean(record.rating_reason),
    )


def session(stored: StoredSession) -> pb.Session:
    """A session, or a page of it."""
    return pb.Session(
        session_id=stored.session_id,
        turns=[_stored_turn(record, stored.evidence) for record in stored.turns],
        created_at=stored.created_at,
        updated_at=stored.updated_at,
        next_page_token=str(stored.turns[-1].sequence) if stored.more else "",
        name=stored.name,
    )


def session_page(page: SessionPage) -> pb.ListSessionsResponse:
    """A page of sessions."""
    summaries = [
        pb.SessionSummary(
            session_id=summary.session_id,
            turns=summary.turns,
            first_query=clean(summary.first_query),
            created_at=summary.created_at,
            updated_at=summary.updated_at,
            name=summary.name,
        )
        for summary in page.sessions
    ]
    return pb.ListSessionsResponse(sessions=summaries, next_page_token=page.next_token)


def indexed_document(document: StoredDocument) -> pb.IndexedDocument:
    """A document of the index."""
    return pb.IndexedDocument(
        name=clean(document.name),
        passages=document.passages,
        bytes=document.size,
        modified_at=document.modified,
    )


def corrected(record: TurnRecord) -> pb.CorrectTurnResponse:
    """A corrected turn."""
    return pb.CorrectTurnResponse(
        turn_id=record.turn_id,
        type=number(pb.QueryType, record.corrected_type),
        previous_type=number(pb.QueryType, record.type),
        relation=number(pb.Relation, record.corrected_relation),
        previous_relation=number(pb.Relation, record.relation),
    )


def query_type(value: int) -> QueryType | None:
    """A known wire number as a query type; None for the unspecified one."""
    return QueryType(pb.QueryType.Name(value)) if value else None


def _metrics(metrics: Metrics) -> pb.EvaluateRagMetrics:
    return pb.EvaluateRagMetrics(
        **{name: getattr(metrics, name) for name in pb.EvaluateRagMetrics.DESCRIPTOR.fields_by_name}
    )


def report(evaluated: Report) -> pb.EvaluateRagReport:
    """The result of an evaluation."""
    return pb.EvaluateRagReport(
        overall=_metrics(evaluated.overall),
        by_type={name: _metrics(metrics) for name, metrics in evaluated.by_type.items()},
        by_language={name: _metrics(metrics) for name, metrics in evaluated.by_language.items()},
    )
