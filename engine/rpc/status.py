"""One table from the engine's errors to gRPC's status codes; nothing else decides one."""

from __future__ import annotations

from dataclasses import dataclass

import grpc

from engine.errors import (
    ConfigurationError,
    DeadlineExceeded,
    DependencyUnavailable,
    InvalidInput,
    NotFound,
    Overloaded,
    SessionBusy,
)

_CODES: dict[type[Exception], grpc.StatusCode] = {
    InvalidInput: grpc.StatusCode.INVALID_ARGUMENT,
    NotFound: grpc.StatusCode.NOT_FOUND,
    SessionBusy: grpc.StatusCode.ABORTED,
    Overloaded: grpc.StatusCode.RESOURCE_EXHAUSTED,
    DeadlineExceeded: grpc.StatusCode.DEADLINE_EXCEEDED,
    DependencyUnavailable: grpc.StatusCode.UNAVAILABLE,
    ConfigurationError: grpc.StatusCode.FAILED_PRECONDITION,
}


@dataclass(frozen=True, slots=True)
class Status:
    """What a caller is told.

    Attributes:
        trailers: Metadata beside the status, such as the retry hint.
    """

    code: grpc.StatusCode
    message: str
    trailers: tuple[tuple[str, str], ...] = ()
    expected: bool = True


def status_of(error: Exception, request_id: str) -> Status:
    """The status of `error`. The text of an error that is not the engine's own never reaches a caller."""
    code = _CODES.get(type(error))
    if code is None:
        return Status(grpc.StatusCode.INTERNAL, f"internal error; request id {request_id}", expected=False)
    trailers: tuple[tuple[str, str], ...] = ()
    if isinstance(error, Overloaded):
        trailers = (("retry-after-ms", str(int(error.retry_after * 1000))),)
    return Status(code, str(error), trailers)
