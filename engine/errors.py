"""The error tree.

    EngineError
    ├── InvalidInput            the caller's: names the field               INVALID_ARGUMENT   never retry as is
    ├── Unauthenticated         no credentials, or none that are good       UNAUTHENTICATED    never retry as is
    ├── PermissionDenied        the caller lacks a scope, which is named    PERMISSION_DENIED  never retry as is
    ├── NotFound                unknown, or another principal's             NOT_FOUND          never retry
    ├── SessionBusy             another turn of the session is running      ABORTED            retry
    ├── Overloaded              no room now                                 RESOURCE_EXHAUSTED retry after the hint
    ├── DeadlineExceeded        the caller's deadline or a stage's budget   DEADLINE_EXCEEDED  retry with more time
    ├── DependencyUnavailable   a part outside the engine fails, by name    UNAVAILABLE        retry
    └── ConfigurationError      a setting, a file or an index is unusable   at start; FAILED_PRECONDITION over the wire

Messages are written for the person who can mend it: they name the field, the file or the variable and say what would
be right. They may reach callers, so they never hold an exception's text, a query, an answer or a key.
"""

from __future__ import annotations

import asyncio

#: What ends a task or the process, and is no failure of the work in hand. Anything else is one, also where it is no
#: `Exception`: a library in Rust that panics raises a `BaseException` of its own.
ENDINGS = (asyncio.CancelledError, GeneratorExit, KeyboardInterrupt, SystemExit)


class EngineError(Exception):
    """Anything this service raises on purpose."""

    retryable: bool = False


class InvalidInput(EngineError):
    """The caller sent something that cannot be served.

    Args:
        field: The field of the request.
        problem: What is wrong with it and what would be right.
    """

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field


class Unauthenticated(EngineError):
    """The caller is not known. One text for every reason: it tells nobody how close credentials were."""

    def __init__(self, message: str = "authorization: send `Bearer KEY` with a key or token that is good") -> None:
        super().__init__(message)


class PermissionDenied(EngineError):
    """The caller is known and lacks a scope.

    Args:
        field: What asked for it: a field of the request, or `authorization` for the whole method.
        problem: The scope that is missing.
    """

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field


class NotFound(EngineError):
    """What was asked for does not exist for this principal; the text is the same when it is another's."""


class SessionBusy(EngineError):
    """Another turn of the same session did not end in time."""

    retryable = True


class Overloaded(EngineError):
    """The engine is full.

    Args:
        retry_after: Seconds after which a new try is worth it.
        cause: What there is no room in, as metrics name it.
    """

    retryable = True

    def __init__(self, message: str, retry_after: float, cause: str = "queue") -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.cause = cause


class DeadlineExceeded(EngineError):
    """The caller's deadline, or the budget of a stage, has passed."""

    retryable = True


class DependencyUnavailable(EngineError):
    """A part outside the engine does not answer as it should.

    Args:
        dependency: Its name, as in the health service: `ollama`, `elasticsearch`, `database`.
        problem: What was seen, without the other side's own words.
    """

    retryable = True

    def __init__(self, dependency: str, problem: str) -> None:
        super().__init__(f"{dependency}: {problem}")
        self.dependency = dependency


class ConfigurationError(EngineError):
    """A setting, a file or an index is unusable; the message names it and the mend."""


def address_taken(variable: str, address: str) -> ConfigurationError:
    """What is said of an address that cannot be listened on.

    Args:
        variable: Where it was configured.
        address: host:port.
    """
    return ConfigurationError(
        f"{variable}: cannot listen on {address}; another process has the port, or the host is not of this machine. "
        "End that process, or choose another address"
    )
