"""Spans of calls and of the steps of a turn, for OpenTelemetry; off, and its library not loaded, until `use` is called.

A span is begun and ended here and never made "current" in OpenTelemetry's own context: an asynchronous generator may be
closed in another context than it was begun in, where OpenTelemetry fails to detach. What is current is kept in a
variable of our own, which a task inherits from the one that starts it.

No span has a text of anyone's: attributes are types, counts and names of errors.

Source: W3C Trace Context (traceparent, tracestate); OpenTelemetry, "Semantic conventions for RPC".
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from structlog.contextvars import bind_contextvars

from engine.errors import ENDINGS

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")
_Function = Callable[_Given, Coroutine[Any, Any, _Result]]

#: The headers, or metadata, in which a caller sends the context of its own trace.
TRACEPARENT, TRACESTATE = "traceparent", "tracestate"

_SERVICE = "engine.v1.AssistanceService"

_tracer: Tracer | None = None
_current: ContextVar[Span | None] = ContextVar("engine_span", default=None)
_remote: ContextVar[dict[str, str]] = ContextVar("engine_remote_trace")


def use(tracer: Tracer | None) -> None:
    """Makes spans with `tracer` from now on; None makes none."""
    global _tracer  # noqa: PLW0603  # one for the process, as the logger is
    _tracer = tracer


def called_from(metadata: Iterable[tuple[str, str]]) -> None:
    """Remembers the trace that the call of this task belongs to, by the caller's headers."""
    if _tracer is not None:
        _remote.set({name: value for name, value in metadata if name in (TRACEPARENT, TRACESTATE)})


@contextmanager
def call_span(method: str) -> Iterator[None]:
    """The span of a served call, in the caller's trace where it sent one. May be held across a `yield`.

    The log lines of the call carry the id of its trace from here on.
    """
    if _tracer is None:
        yield
        return
    from opentelemetry.trace import SpanKind
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    parent = TraceContextTextMapPropagator().extract(_remote.get({}))
    attributes = {"rpc.service": _SERVICE, "rpc.method": method}
    span = _tracer.start_span(f"{_SERVICE}/{method}", parent, SpanKind.SERVER, attributes)
    _current.set(span)
    bind_contextvars(trace_id=f"{span.get_span_context().trace_id:032x}")
    with _ended(span):
        yield


def traced(name: str) -> Callable[[_Function[_Given, _Result]], _Function[_Given, _Result]]:
    """Makes each run of a coroutine function a span below the current one."""

    def decorate(function: _Function[_Given, _Result]) -> _Function[_Given, _Result]:
        @wraps(function)
        async def run(*given: _Given.args, **named: _Given.kwargs) -> _Result:
            if _tracer is None:
                return await function(*given, **named)
            with _step(_tracer, name):
                return await function(*given, **named)

        return run

    return decorate


def note(attributes: Mapping[str, str | float]) -> None:
    """Adds attributes to the current span: never a text of anyone's."""
    if _tracer is not None and (span := _current.get()) is not None:
        span.set_attributes(attributes)


@contextmanager
def _step(tracer: Tracer, name: str) -> Iterator[None]:
    from opentelemetry.trace import set_span_in_context

    parent = _current.get()
    span = tracer.start_span(name, None if parent is None else set_span_in_context(parent))
    token = _current.set(span)
    try:
        with _ended(span):
            yield
    finally:
        _current.reset(token)


@contextmanager
def _ended(span: Span) -> Iterator[None]:
    """Ends a span however it ends; of an error it has the kind, whose words may be a caller's."""
    from opentelemetry.trace import StatusCode

    try:
        yield
    except BaseException as error:
        span.set_attribute("error.type", type(error).__name__)
        if not isinstance(error, ENDINGS):  # a caller who leaves is no error
            span.set_status(StatusCode.ERROR, type(error).__name__)
        raise
    finally:
        span.end()
