"""What the service knows of a caller, and the Protocol of whoever finds it out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Scope(StrEnum):
    """What a caller may do."""

    ASK = "ask"
    """Ask, classify, and read, correct and delete sessions of one's own."""
    PLATFORM = "platform"
    """Declare the type PLATFORM, and have the platform's known openings count (layer 1)."""
    DOCUMENTS = "documents"
    """Change what is in the index."""
    METRICS = "metrics"
    """Read what the service counts."""
    EVALUATE = "evaluate"
    """Run golden sets through the pipeline."""
    ADMIN = "admin"
    """Everything, the other scopes included."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A caller who has been identified.

    Attributes:
        principal: Whose sessions are read and written. Never empty.
        scopes: What was granted.
    """

    principal: str
    scopes: frozenset[Scope]

    def may(self, scope: Scope) -> bool:
        """Whether `scope` was granted, by itself or by `admin`."""
        return scope in self.scopes or Scope.ADMIN in self.scopes


#: Everybody, where identity is off.
LOCAL = Identity("local", frozenset(Scope))


class Rejected(Exception):
    """Credentials that identify nobody.

    Args:
        reason: A code for the log, one of a fixed set; never a part of the credentials. Callers are not told it.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Authenticator(Protocol):
    """Finds out whose a bearer token is. Called on the event loop for every call: work of less than a millisecond."""

    def identify(self, token: str) -> Identity:
        """The caller.

        Raises:
            Rejected: The token identifies nobody.
            DependencyUnavailable: What tokens are checked against cannot be read.
        """
        ...


def granted(names: Iterable[str]) -> frozenset[Scope]:
    """The scopes among `names`; those of other services are left out."""
    return frozenset(scope for scope in Scope if scope in set(names))
