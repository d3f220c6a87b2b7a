"""Who may make a call: the one place where identity is asked for, whatever the transport."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock

from engine import telemetry
from engine.errors import PermissionDenied, Unauthenticated
from engine.identity.port import LOCAL, Authenticator, Identity, Rejected, Scope
from engine.service.limits import Rates

#: The scope that each method asks for. One that is not named here asks for `admin`.
SCOPES = {
    "AskAgent": Scope.ASK,
    "AskAgentStream": Scope.ASK,
    "Classify": Scope.ASK,
    "GetSession": Scope.ASK,
    "ListSessions": Scope.ASK,
    "DeleteSession": Scope.ASK,
    "RenameSession": Scope.ASK,
    "CorrectTurn": Scope.ASK,
    "RateTurn": Scope.ASK,
    "ListDocuments": Scope.ASK,
    "AddDocument": Scope.DOCUMENTS,
    "RemoveDocument": Scope.DOCUMENTS,
    "GetRouter": Scope.ASK,
    "EvaluateRAG": Scope.EVALUATE,
    "Metrics": Scope.METRICS,
    # Of OpenAI's endpoints.
    "ChatCompletions": Scope.ASK,
    "Embeddings": Scope.ASK,
    "Models": Scope.ASK,
    # All that the Model Context Protocol offers.
    "Mcp": Scope.ASK,
}
#: Characters that credentials may have. A signed token with some dozen claims has two thousand.
LONGEST = 8192
#: Seconds between log lines about refused credentials: one for each would be load too.
_LOG_EVERY = 1.0


@dataclass(slots=True)
class Access:
    """Identifies callers and holds them to their scopes. Thread-safe.

    Attributes:
        authenticator: None where identity is off: then everybody is one principal with every scope.
        clock: Monotonic, seconds.
        rates: Of calls by each caller; None where they have no limit.
    """

    authenticator: Authenticator | None = None
    clock: Callable[[], float] = time.monotonic
    rates: Rates | None = None
    _lock: Lock = field(default_factory=Lock, init=False)
    _refused: int = field(default=0, init=False)
    _logged: float = field(default=float("-inf"), init=False)

    @property
    def open(self) -> bool:
        """Whether identity is off."""
        return self.authenticator is None

    def identify(self, method: str, authorization: Sequence[str]) -> Identity:
        """The caller of `method`.

        Args:
            authorization: The values of the header or metadata of that name.

        Raises:
            Unauthenticated: No credentials, or none that identify anybody. The text is the same for all.
            PermissionDenied: The caller lacks the method's scope, which the text names.
            DependencyUnavailable: Credentials cannot be checked now.
        """
        if self.authenticator is None:
            return LOCAL
        try:
            with self._lock:
                identity = self.authenticator.identify(bearer(authorization))
        except Rejected as error:
            self._count(error.reason)
            raise Unauthenticated from None
        needed = SCOPES.get(method, Scope.ADMIN)
        if not identity.may(needed):
            raise PermissionDenied("authorization", f"this needs the scope `{needed}`")
        return identity

    def _count(self, reason: str) -> None:
        self._refused += 1
        if self.clock() - self._logged >= _LOG_EVERY:
            telemetry.logger().warning(telemetry.UNIDENTIFIED.format(count=self._refused), reason=reason)
            self._logged, self._refused = self.clock(), 0


def bearer(authorization: Sequence[str]) -> str:
    """The token of `Bearer TOKEN` (RFC 6750, section 2.1; the scheme's case does not matter: RFC 9110, 11.1).

    Raises:
        Rejected: There is no such value, or more than one, or it is too long.
    """
    if not authorization:
        raise Rejected("missing")
    if len(authorization) > 1:
        raise Rejected("several")
    value = authorization[0]
    if len(value) > LONGEST:
        raise Rejected("too_long")
    scheme, _, token = value.strip(" ").partition(" ")
    token = token.strip(" ")
    if scheme.lower() != "bearer" or not token or not token.isascii() or not token.isprintable() or " " in token:
        raise Rejected("not_bearer")
    return token
