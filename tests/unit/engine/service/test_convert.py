from __future__ import annotations

from dataclasses import fields, replace
from enum import StrEnum
from typing import Any

import pytest

from classifier.decision import Decision, Layer, Opinion, QueryType
from engine import domain
from engine.conversation.store.port import SessionPage, SessionSummary, StoredSession, TurnRecord
from engine.domain import (
    Action,
    Answer,
    Completed,
    Complexity,
    Evaluation,
    Evidence,
    Grounding,
    Origin,
    Outcome,
    Passage,
    Plan,
    PlanMode,
    Progress,
    PromptReceipt,
    Relation,
    Retrieved,
    Route,
    Routed,
    Subquery,
    TextDelta,
    ToolCall,
    Unsupported,
    Usage,
)
from engine.evaluation.golden import Metrics, Report
from engine.retrieval.port import StoredDocument
from engine.service import convert
from engine.v1 import engine_pb2 as pb

PIECE = Evidence(3, Passage("p", "d.md", "T", "A > B", "text", 0.5), Origin.LEDGER)
DECISION = Decision(
    QueryType.PLATFORM,
    Layer.EMBEDDING,
    0.91,
    "confident",
    QueryType.RETRIEVAL,
    0.05,
    editor=True,
    artifact_id="a1",
    milliseconds={"embedding": 2.0},
    opinions=(Opinion(Layer.PREFIX, None, 0.0, "no_prefix", milliseconds=0.01),),
)
ROUTE = Route(
    DECISION, Relation.HISTORY_RECALL, Action.REWRITE, PlanMode.SINGLE_RETRIEVAL, "q2", "qwen3:0.6b", {"classify": 2.5},
    relation_confidence=0.75, relation_reason="relation_head",
)  # fmt: skip
ANSWER = Answer("said [1]", "s", "t", ROUTE, (PIECE,), 2, Usage(10, 20), {"total": 9.0}, Outcome.PARTIAL)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (QueryType, pb.QueryType),
        (Layer, pb.Layer),
        (domain.Relation, pb.Relation),
        (domain.Action, pb.Action),
        (domain.PlanMode, pb.PlanMode),
        (domain.Origin, pb.Origin),
        (domain.Outcome, pb.Outcome),
    ],
)
def test_every_value_has_a_number_on_the_wire_and_back(ours: type[StrEnum], theirs: Any) -> None:
    assert {value.name for value in ours} == {name for name, number in theirs.items() if number}
    assert convert.number(theirs, None) == 0


def test_a_receipt_keeps_everything() -> None:
    message = convert.route_message(ROUTE)
    assert (message.type, message.layer, message.confidence) == (pb.PLATFORM, pb.EMBEDDING, 0.91)
    assert (message.runner_up, message.runner_up_confidence) == (pb.RETRIEVAL, 0.05)
    assert (message.editor, message.reason, message.artifact_id) == (True, "confident", "a1")
    assert (message.relation, message.action, message.plan_mode) == (pb.HISTORY_RECALL, pb.REWRITE, pb.SINGLE_RETRIEVAL)
    assert (message.relation_confidence, message.relation_reason) == (0.75, "relation_head")
    assert (message.search_query, message.model) == ("q2", "qwen3:0.6b")
    assert dict(message.milliseconds) == {"embedding": 2.0, "classify": 2.5}
    assert [(o.layer, o.type, o.reason) for o in message.opinions] == [(pb.PREFIX, 0, "no_prefix")]


def test_an_answer_keeps_everything() -> None:
    message = convert.response(ANSWER)
    assert (message.text, message.session_id, message.turn_id, message.searches) == ("said [1]", "s", "t", 2)
    assert (message.usage.prompt_tokens, message.usage.completion_tokens) == (10, 20)
    assert message.outcome == pb.PARTIAL
    assert dict(message.timings) == {"total": 9.0}
    (citation,) = message.citations
    assert (citation.number, citation.passage_id, citation.document, citation.heading) == (3, "p", "d.md", "A > B")
    assert citation.origin == pb.LEDGER


def test_an_answer_says_what_it_stands_on_and_what_was_read() -> None:
    assert not convert.response(ANSWER).HasField("grounding")
    assert not convert.response(ANSWER).HasField("prompt")
    grounding = Grounding(0.5, (Unsupported(4, 9, "figure"),))
    message = convert.response(replace(ANSWER, grounding=grounding, prompt=PromptReceipt(700, 12.5, 3, 1, 90)))
    assert message.grounding == 0.5
    (marked,) = message.unsupported
    assert (marked.start, marked.end, marked.reason) == (4, 9, "figure")
    read = message.prompt
    assert (read.tokens, read.seconds, read.passages, read.exchanges, read.characters) == (700, 12.5, 3, 1, 90)


def test_what_was_planned_asked_and_judged_is_told() -> None:
    part = Subquery("q1", "what \ud800", "rain", "weather", 2)
    plan = Plan(PlanMode.MULTI_RETRIEVAL, "rules", Complexity.COMPLEX, (part, part))
    calls = (ToolCall("q1", "weather", 3.5, "", 40),)
    judged = Evaluation(complete=False, completeness_score=0.25, issues=("no figure",), followup_subqueries=(part,))
    message = convert.response(replace(ANSWER, route=replace(ROUTE, plan=plan), calls=calls, evaluation=judged))
    assert (message.route.plan.mode, message.route.plan.complexity) == ("multi_retrieval", "complex")
    told = message.route.plan.subqueries[1]
    assert (told.id, told.description, told.query, told.tool, told.priority) == ("q1", "what ?", "rain", "weather", 2)
    assert [(one.subquery, one.milliseconds, one.characters) for one in message.tool_calls] == [("q1", 3.5, 40)]
    assert (message.evaluation.completeness_score, list(message.evaluation.issues)) == (0.25, ["no figure"])
    assert list(message.evaluation.followup_subqueries) == [told]


def test_a_decision_alone_says_nothing_of_what_follows() -> None:
    message = convert.decision_message(DECISION)
    wire = {field.name for field in message.DESCRIPTOR.fields}
    after = {
        "relation",
        "action",
        "plan_mode",
        "search_query",
        "model",
        "relation_confidence",
        "relation_reason",
        "plan",
    }
    assert {field.name for field, _ in message.ListFields()} == wire - after


@pytest.mark.parametrize(
    ("kind", "values", "others"),
    [
        (pb.LayerOpinion, [Opinion], set()),
        (pb.Route, [Route, Decision], set()),
        (pb.Plan, [Plan], set()),
        (pb.Subquery, [Subquery], set()),
        (pb.ToolCall, [ToolCall], set()),
        (pb.Evaluation, [Evaluation], set()),
        (pb.Source, [Evidence, Passage], {"passage_id"}),
        (pb.Citation, [Evidence, Passage], {"passage_id"}),
        (pb.Usage, [Usage], set()),
        (pb.PromptReceipt, [PromptReceipt], set()),
        (pb.UnsupportedSentence, [Unsupported], set()),
        (pb.AgentResponse, [Answer], {"tool_calls", "unsupported"}),
        (pb.StoredTurn, [TurnRecord], {"text", "citations"}),
        (pb.Session, [StoredSession], {"next_page_token"}),
        (pb.SessionSummary, [SessionSummary], set()),
        (pb.ListSessionsResponse, [SessionPage], {"next_page_token"}),
        (pb.IndexedDocument, [StoredDocument], {"bytes", "modified_at"}),
        (pb.EvaluateRagMetrics, [Metrics], set()),
        (pb.EvaluateRagReport, [Report], set()),
    ],
)
def test_every_field_is_an_attribute_of_its_name_or_given_beside(
    kind: Any, values: list[Any], others: set[str]
) -> None:
    ours = {field.name for value in values for field in fields(value)}
    assert {name for name in kind.DESCRIPTOR.fields_by_name if name not in ours} == others


def test_no_sentence_supported_is_not_nothing_cited() -> None:
    message = convert.response(replace(ANSWER, grounding=Grounding(0.0)))
    assert message.HasField("grounding")


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (Routed(ROUTE), "route"),
        (Progress("retrieve"), "progress"),
        (Retrieved((PIECE,)), "sources"),
        (TextDelta("x"), "text_delta"),
        (Completed(ANSWER), "completed"),
    ],
)
def test_every_event_has_its_form(event: Any, kind: str) -> None:
    assert convert.event(event).WhichOneof("event") == kind


def test_text_that_no_utf_8_has_is_replaced() -> None:
    assert convert.event(TextDelta("a\ud800b")).text_delta == "a?b"
