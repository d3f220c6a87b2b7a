"""What a status becomes on the caller's side."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from engine import errors
from engine.client import AssistanceClient, _error


def refused(code: grpc.StatusCode, text: str, trailers: Any = ()) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(
        code, grpc.aio.Metadata(), grpc.aio.Metadata(*trailers), details=text, debug_error_string=None
    )


@pytest.mark.parametrize(
    ("code", "text", "kind"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, "query: is empty", errors.InvalidInput),
        (grpc.StatusCode.NOT_FOUND, "session_id: there is no such session", errors.NotFound),
        (grpc.StatusCode.ABORTED, "session_id: busy", errors.SessionBusy),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "late", errors.DeadlineExceeded),
        (grpc.StatusCode.FAILED_PRECONDITION, "wrong", errors.ConfigurationError),
        (grpc.StatusCode.UNAVAILABLE, "ollama: it is gone", errors.DependencyUnavailable),
        (grpc.StatusCode.INTERNAL, "internal error; request id 1", errors.EngineError),
    ],
)
def test_a_status_is_the_error_that_it_came_from(code: Any, text: str, kind: type[Exception]) -> None:
    error = _error(refused(code, text), "somewhere")
    assert type(error) is kind
    assert str(error) == text


def test_an_overload_brings_its_hint() -> None:
    error = _error(refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", [("retry-after-ms", "250")]), "somewhere")
    assert isinstance(error, errors.Overloaded)
    assert error.retry_after == 0.25


def test_a_connection_that_fails_names_the_address() -> None:
    error = _error(refused(grpc.StatusCode.UNAVAILABLE, "failed to connect to all addresses; last error: x"), "h:1")
    assert str(error) == "engine: nothing answers at h:1"


async def test_nobody_there_is_an_unavailable_engine() -> None:
    async with AssistanceClient("127.0.0.1:1") as client:
        assert not await client.serving()
        with pytest.raises(errors.DependencyUnavailable, match="engine: nothing answers"):
            await client.ask("hi")


async def test_what_a_terminal_could_not_read_is_replaced_in_the_query() -> None:
    events = AssistanceClient("127.0.0.1:9").stream("caf\udce9 warranty")
    with pytest.raises(errors.DependencyUnavailable):  # it was sent
        await anext(events)


@pytest.mark.parametrize("field", ["session_id", "user_id"])
async def test_a_name_that_is_no_text_is_refused_by_its_field(field: str) -> None:
    client = AssistanceClient("127.0.0.1:9")
    with pytest.raises(errors.InvalidInput, match=f"{field}: must be text in UTF-8"):
        await anext(client.stream("hi", **{field: "caf\udce9"}))
    with pytest.raises(errors.InvalidInput, match=field):
        await client.ask("hi", **{field: "caf\udce9"})
