from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from classifier.decision import Decision, Layer, QueryType
from engine.domain import (
    Answer,
    Completed,
    Event,
    Evidence,
    Origin,
    Outcome,
    Passage,
    Progress,
    Retrieved,
    Route,
    Routed,
    TextDelta,
    ToolCall,
    Usage,
)
from engine.errors import (
    DependencyUnavailable,
    EngineError,
    InvalidInput,
    NotFound,
    Overloaded,
    PermissionDenied,
    SessionBusy,
    Unauthenticated,
)
from engine.service.calls import Call, InFlight
from engine.service.observed import ObservedTurn, observed_call
from engine.testing import FixedClock
from tests.metered import metered

ROUTE = Route(Decision(QueryType.RETRIEVAL, Layer.EMBEDDING, 0.97, "head"), model="scripted")
FOUND = Evidence(1, Passage("a", "a.md", "A", "", "four"))
TOLD = Evidence(2, Passage("b", "", "B", "", "by a tool"), Origin.TOOL)
TIMINGS = {"classify": 4.0, "retrieve": 20.0, "first_token": 30.0, "total": 50.0}
ANSWER = Answer("text", "s", "t", ROUTE, (), 1, Usage(70, 9), TIMINGS, answerability=0.9)
CALL = Call("AskAgentStream", "r-1", "ana", None)


def seen(*events: Event, seconds: float = 0.2) -> None:
    """A turn of these events, with so much time before each."""
    clock = FixedClock()
    turn = ObservedTurn("AskAgentStream", clock)
    for event in events:
        clock.move(seconds)
        turn.saw(event)


def test_a_turn_is_counted_from_its_events() -> None:
    with metered() as counted:
        seen(
            Progress("queue", "1"),
            Routed(ROUTE),
            Retrieved((FOUND,)),
            TextDelta("te"),
            TextDelta("xt"),
            Completed(ANSWER),
        )
    assert counted["engine_routes_total{layer=EMBEDDING,type=RETRIEVAL}"] == 1
    assert counted["engine_route_confidence_sum{layer=EMBEDDING}"] == pytest.approx(0.97)
    assert counted["engine_turns_total{outcome=COMPLETE,type=RETRIEVAL}"] == 1
    assert counted["engine_turn_seconds_sum{type=RETRIEVAL}"] == pytest.approx(0.05)
    assert counted["engine_first_text_seconds_sum{type=RETRIEVAL}"] == pytest.approx(0.8)
    assert counted["engine_first_text_seconds_count{type=RETRIEVAL}"] == 1
    assert counted["engine_stage_seconds_sum{stage=retrieve}"] == pytest.approx(0.02)
    assert counted["engine_stage_seconds_count{stage=total}"] == 0
    assert counted["engine_tokens_total{direction=prompt}"] == 70
    assert counted["engine_tokens_total{direction=completion}"] == 9
    assert counted["engine_searches_total"] == 1
    assert counted["engine_answerability_sum"] == pytest.approx(0.9)
    assert counted["engine_truncated_answers_total"] == 0


def test_an_answer_that_a_model_broke_off_and_its_tools_are_counted() -> None:
    calls = (ToolCall("q1", "clock", 2.0), ToolCall("q2", "database", 9.0, "it did not answer"))
    with metered() as counted:
        seen(Completed(replace(ANSWER, outcome=Outcome.PARTIAL, calls=calls, answerability=None)))
    assert counted["engine_turns_total{outcome=PARTIAL,type=RETRIEVAL}"] == 1
    assert counted["engine_truncated_answers_total"] == 1
    assert counted["engine_tool_calls_total{result=found,tool=clock}"] == 1
    assert counted["engine_tool_calls_total{result=failed,tool=database}"] == 1
    assert counted["engine_answerability_count"] == 0


def test_the_line_of_the_first_text_is_written_once_with_the_length_of_what_a_search_found() -> None:
    with capture_logs() as lines:
        seen(Routed(ROUTE), Retrieved((FOUND, TOLD)), TextDelta("te"), TextDelta("xt"), Completed(ANSWER))
        seen(Routed(ROUTE), Completed(ANSWER))  # nothing was said before the end
    assert [line["event"] for line in lines] == [
        "[AskAgentStream] query_type=RETRIEVAL context_len=4",
        "[AskAgentStream] query_type=RETRIEVAL context_len=0",
    ]


@pytest.mark.parametrize(
    ("error", "code", "cause"),
    [
        (Overloaded("full", 1.0), "RESOURCE_EXHAUSTED", "queue"),
        (Overloaded("full", 1.0, cause="model"), "RESOURCE_EXHAUSTED", "model"),
        (SessionBusy("busy"), "ABORTED", "session"),
        (Unauthenticated(), "UNAUTHENTICATED", "identity"),
        (PermissionDenied("authorization", "no"), "PERMISSION_DENIED", "scope"),
        (DependencyUnavailable("engine", "stopping"), "UNAVAILABLE", "stopping"),
        (DependencyUnavailable("ollama", "down"), "UNAVAILABLE", ""),
        (NotFound("session_id: none"), "NOT_FOUND", ""),
        (InvalidInput("query", "is empty"), "INVALID_ARGUMENT", ""),
        (EngineError("?"), "INTERNAL", ""),
        (KeyError("a caller's words"), "INTERNAL", ""),
    ],
)
def test_a_call_is_counted_by_its_code_and_a_refusal_by_its_cause(error: Exception, code: str, cause: str) -> None:
    with metered() as counted:
        with pytest.raises(type(error)), observed_call("Classify"):
            raise error
        assert counted[f"engine_calls_total{{code={code},method=Classify}}"] == 1
        refused = {series: more for series, more in counted.changed().items() if "refusals" in series}
        assert refused == ({f"engine_refusals_total{{cause={cause}}}": 1} if cause else {})
        assert counted["engine_streams_in_flight"] == 0


@pytest.mark.parametrize("ending", [asyncio.CancelledError, GeneratorExit])
def test_a_caller_who_leaves_is_counted_as_a_cancel(ending: type[BaseException]) -> None:
    with metered() as counted:
        with pytest.raises(ending), observed_call("AskAgent"):
            raise ending
        assert counted["engine_calls_total{code=CANCELLED,method=AskAgent}"] == 1
        assert counted["engine_cancels_total{method=AskAgent}"] == 1


def test_the_time_of_what_was_refused_is_not_among_that_of_what_was_served() -> None:
    clock = FixedClock()
    with metered() as counted:
        with observed_call("AskAgent", clock):
            clock.move(3)
        with pytest.raises(Overloaded), observed_call("AskAgent", clock):
            raise Overloaded("full", 1.0)
        assert counted["engine_call_seconds_count{method=AskAgent}"] == 1
        assert counted["engine_call_seconds_sum{method=AskAgent}"] == pytest.approx(3)


async def test_streams_in_flight_are_those_that_are_served() -> None:
    in_flight = InFlight()
    with metered() as counted:
        with in_flight.counted(CALL), in_flight.counted(CALL):
            assert counted["engine_streams_in_flight"] == 2
        assert counted["engine_streams_in_flight"] == 0
        assert counted["engine_calls_total{code=OK,method=AskAgentStream}"] == 2


async def test_what_is_not_let_in_is_counted_and_never_in_flight() -> None:
    in_flight = InFlight()
    with metered() as counted:
        with pytest.raises(Unauthenticated), in_flight.counted(replace(CALL, refusal=Unauthenticated())):
            raise AssertionError
        in_flight.close()
        with pytest.raises(DependencyUnavailable, match="stopping"), in_flight.counted(CALL):
            raise AssertionError
        assert counted.changed() == {
            "engine_calls_total{code=UNAUTHENTICATED,method=AskAgentStream}": 1,
            "engine_calls_total{code=UNAVAILABLE,method=AskAgentStream}": 1,
            "engine_refusals_total{cause=identity}": 1,
            "engine_refusals_total{cause=stopping}": 1,
        }
