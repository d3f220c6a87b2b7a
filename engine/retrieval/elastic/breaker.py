"""A circuit breaker: a server that has failed several times in a row is left alone for a while."""

from __future__ import annotations

import time
from collections.abc import Callable


class CircuitBreaker:
    """Counts failures in a row; when there are too many, calls are refused at once instead of waiting for their limit.

    After `seconds` one call is let through to try. While it has not told, and for as long again when it never does
    (it was cancelled), the others are still refused. One success closes the breaker. For one event loop: no locks.

    Source: Nygard, "Release It!" (2nd edition 2018), "Circuit Breaker". The libraries at hand take no clock, or are not
    looked after any more (docs/adr/0010-elasticsearch.md).

    Args:
        failures: In a row, after which it opens; at least 1.
        seconds: That it stays open before a call is let through.
        clock: Monotonic, in seconds.
    """

    def __init__(self, *, failures: int = 5, seconds: float = 5.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = failures
        self._seconds = seconds
        self._clock = clock
        self._failures = 0
        self._quiet_until = 0.0

    def admits(self) -> bool:
        """Whether a call may be made now; one that may has to tell how it ended."""
        if self._failures < self._limit:
            return True
        now = self._clock()
        if now < self._quiet_until:
            return False
        self._quiet_until = now + self._seconds
        return True

    def succeeded(self) -> None:
        """A call has been answered, whatever the answer was."""
        self._failures = 0

    def failed(self) -> None:
        """A call has not been answered, or by a server that cannot do its work now."""
        self._failures += 1
        if self._failures >= self._limit:
            self._quiet_until = self._clock() + self._seconds
