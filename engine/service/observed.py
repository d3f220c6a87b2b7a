"""What calls and turns leave in the metrics and the log, recorded once for all transports, from what passes by."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine import metrics, telemetry, tracing
from engine.domain import Answer, Completed, Event, Origin, Outcome, Retrieved, Route, Routed, TextDelta
from engine.errors import (
    ENDINGS,
    DependencyUnavailable,
    Overloaded,
    PermissionDenied,
    SessionBusy,
    Unauthenticated,
)
from engine.service.status import Code, status_of

#: The part that a refusal names when the service itself is what is not there.
STOPPING = "engine"
#: Times of an answer that are not stages of it: they have metrics of their own.
_NO_STAGES = ("first_token", "total")


@contextmanager
def observed_call(method: str, clock: Callable[[], float] = time.perf_counter) -> Iterator[None]:
    """Counts a call that is served, however it ends."""
    started = clock()
    metrics.STREAMS.inc()
    code = "OK"
    try:
        with tracing.call_span(method):
            yield
    except ENDINGS:
        code = Code.CANCELLED.name
        metrics.CANCELS.labels(method).inc()
        raise
    except BaseException as error:
        code = _failed(error)
        raise
    finally:
        metrics.STREAMS.dec()
        metrics.CALLS.labels(method, code).inc()
        if code not in _REFUSED:
            metrics.CALL_SECONDS.labels(method).observe(clock() - started)


def count_refused(method: str, error: BaseException) -> None:
    """Counts a call that was turned away before it was served."""
    metrics.CALLS.labels(method, _failed(error)).inc()


#: Codes of calls that are over before they have begun: their times would hide those of the others.
_REFUSED = {
    code.name for code in (Code.RESOURCE_EXHAUSTED, Code.UNAUTHENTICATED, Code.PERMISSION_DENIED, Code.INVALID_ARGUMENT)
}


def _failed(error: BaseException) -> str:
    """The name of an error's code; a refusal is counted by its cause too."""
    if cause := _cause(error):
        metrics.REFUSALS.labels(cause).inc()
    return status_of(error, "").code.name


def _cause(error: BaseException) -> str:
    match error:
        case Overloaded():
            return error.cause
        case SessionBusy():
            return "session"
        case Unauthenticated():
            return "identity"
        case PermissionDenied():
            return "scope"
        case DependencyUnavailable(dependency=name) if name == STOPPING:
            return "stopping"
    return ""


class ObservedTurn:
    """Reads along with the events of one answer, for the metrics and for the log line of its first text.

    Args:
        method: Of the call, as the line names it.
        clock: A monotonic clock, seconds.
    """

    def __init__(self, method: str, clock: Callable[[], float] = time.perf_counter) -> None:
        self._method = method
        self._clock = clock
        self._began = clock()
        self._type = ""
        self._found = 0
        self._told = False

    def saw(self, event: Event) -> None:
        """Takes note of the next event."""
        match event:
            case TextDelta():
                self._first_text()
            case Routed(route):
                self._routed(route)
            case Retrieved(evidence):
                self._found = sum(len(piece.passage.text) for piece in evidence if piece.origin is Origin.SEARCH)
            case Completed(answer):
                self._first_text()
                _answered(answer)

    def _routed(self, route: Route) -> None:
        self._type = route.type
        metrics.ROUTES.labels(route.type, route.decision.layer).inc()
        metrics.CONFIDENCE.labels(route.decision.layer).observe(route.decision.confidence)

    def _first_text(self) -> None:
        if self._told:
            return
        self._told = True
        metrics.FIRST_TEXT.labels(self._type).observe(self._clock() - self._began)
        line = telemetry.ANSWERING.format(method=self._method, type=self._type, length=self._found)
        telemetry.logger().info(line)


def _answered(answer: Answer) -> None:
    """Counts what the receipt of an answer says, and notes it on the call's span."""
    type_, decision = answer.route.type, answer.route.decision
    tracing.note(
        {
            "engine.turn_id": answer.turn_id,
            "engine.type": type_,
            "engine.layer": decision.layer,
            "engine.confidence": decision.confidence,
            "engine.outcome": answer.outcome,
            "engine.searches": answer.searches,
            "gen_ai.usage.input_tokens": answer.usage.prompt_tokens,
            "gen_ai.usage.output_tokens": answer.usage.completion_tokens,
        }
    )
    metrics.TURNS.labels(type_, answer.outcome).inc()
    metrics.TURN_SECONDS.labels(type_).observe(answer.timings.get("total", 0.0) / 1000)
    for stage, milliseconds in answer.timings.items():
        if stage not in _NO_STAGES:
            metrics.STAGES.labels(stage).observe(milliseconds / 1000)
    metrics.TOKENS.labels("prompt").inc(answer.usage.prompt_tokens)
    metrics.TOKENS.labels("completion").inc(answer.usage.completion_tokens)
    metrics.SEARCHES.inc(answer.searches)
    if answer.answerability is not None:
        metrics.ANSWERABILITY.observe(answer.answerability)
    if answer.outcome is Outcome.PARTIAL:  # it came to its end, so nothing but the limit of tokens cut it
        metrics.TRUNCATED.inc()
    for call in answer.calls:
        metrics.TOOL_CALLS.labels(call.tool, "failed" if call.error else "found").inc()
