"""One table from the engine's errors to status codes; nothing else decides one, whatever the transport."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from engine.errors import (
    ConfigurationError,
    DeadlineExceeded,
    DependencyUnavailable,
    InvalidInput,
    NotFound,
    Overloaded,
    PermissionDenied,
    SessionBusy,
    Unauthenticated,
)


class Code(IntEnum):
    """The status codes that are in use here, with gRPC's names and numbers (google/rpc/code.proto)."""

    CANCELLED = 1
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    UNAUTHENTICATED = 16


_CODES: dict[type[BaseException], Code] = {
    InvalidInput: Code.INVALID_ARGUMENT,
    Unauthenticated: Code.UNAUTHENTICATED,
    PermissionDenied: Code.PERMISSION_DENIED,
    NotFound: Code.NOT_FOUND,
    SessionBusy: Code.ABORTED,
    Overloaded: Code.RESOURCE_EXHAUSTED,
    DeadlineExceeded: Code.DEADLINE_EXCEEDED,
    DependencyUnavailable: Code.UNAVAILABLE,
    ConfigurationError: Code.FAILED_PRECONDITION,
}


@dataclass(frozen=True, slots=True)
class Status:
    """What a caller is told.

    Attributes:
        trailers: Metadata beside the status, such as the retry hint.
        expected: Whether the engine raised the error on purpose.
    """

    code: Code
    message: str
    trailers: tuple[tuple[str, str], ...] = ()
    expected: bool = True


def status_of(error: BaseException, request_id: str) -> Status:
    """The status of `error`. The text of an error that is not the engine's own never reaches a caller."""
    code = _CODES.get(type(error))
    if code is None:
        return Status(Code.INTERNAL, f"internal error; request id {request_id}", expected=False)
    trailers: tuple[tuple[str, str], ...] = ()
    if isinstance(error, Overloaded):
        trailers = (("retry-after-ms", str(int(error.retry_after * 1000))),)
    if isinstance(error, Unauthenticated):  # RFC 9110, section 15.5.2, asks for it beside HTTP's 401
        trailers = (("www-authenticate", "Bearer"),)
    return Status(code, str(error), trailers)
