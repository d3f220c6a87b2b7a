from __future__ import annotations

import pytest

from engine import errors
from engine.service.status import Code, status_of


def subclasses(kind: type[errors.EngineError]) -> list[type[errors.EngineError]]:
    return [kind_ for child in kind.__subclasses__() for kind_ in (child, *subclasses(child))]


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (errors.InvalidInput("query", "is empty"), Code.INVALID_ARGUMENT, "query: is empty"),
        (errors.NotFound("no such turn"), Code.NOT_FOUND, "no such turn"),
        (errors.SessionBusy("busy"), Code.ABORTED, "busy"),
        (errors.DeadlineExceeded("late"), Code.DEADLINE_EXCEEDED, "late"),
        (errors.DependencyUnavailable("ollama", "gone"), Code.UNAVAILABLE, "ollama: gone"),
        (errors.ConfigurationError("wrong"), Code.FAILED_PRECONDITION, "wrong"),
    ],
)
def test_an_error_of_ours_has_its_code_and_its_text(error: Exception, code: Code, text: str) -> None:
    status = status_of(error, "id-1")
    assert (status.code, status.message, status.expected) == (code, text, True)


def test_overload_carries_a_hint_in_milliseconds() -> None:
    status = status_of(errors.Overloaded("full", retry_after=0.25), "id-1")
    assert status.code is Code.RESOURCE_EXHAUSTED
    assert status.trailers == (("retry-after-ms", "250"),)


@pytest.mark.parametrize("error", [ValueError("secret"), KeyError("secret"), errors.EngineError("secret")])
def test_any_other_error_is_a_request_id_and_nothing_else(error: Exception) -> None:
    status = status_of(error, "id-1")
    assert status.code is Code.INTERNAL
    assert status.message == "internal error; request id id-1"
    assert not status.expected


def test_every_kind_of_error_has_a_code() -> None:
    made: dict[type, tuple[object, ...]] = {errors.Overloaded: ("a", 1.0)}
    for two in (errors.InvalidInput, errors.DependencyUnavailable, errors.PermissionDenied):
        made[two] = ("a", "b")
    for kind in (kind for kind in subclasses(errors.EngineError) if kind.__module__ == errors.__name__):
        error = kind(*made.get(kind, ("a",)))
        assert status_of(error, "").code is not Code.INTERNAL, kind
