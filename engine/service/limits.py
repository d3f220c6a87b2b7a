"""What one caller, one connection and one server may take: rates, connections, and how long a stream may go unread."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from threading import Lock

from engine import metrics
from engine.errors import DeadlineExceeded, Overloaded

#: Callers that are remembered. One that is forgotten begins with a full bucket.
_CALLERS = 10_000
_MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """What each of the servers holds to.

    Attributes:
        connections: That are open at a time; the next is closed at once.
        stall: Seconds for which a caller may leave its stream unread.
    """

    connections: int = 4096
    stall: float = 30.0


class Rates:
    """Calls a minute of each caller, a minute's worth of which may come at once.

    A token bucket in its form as a schedule: of each caller the time is kept at which its bucket will be full again.
    Thread-safe.

    Source: ITU-T I.371, "Generic cell rate algorithm", virtual scheduling.

    Args:
        per_minute: Calls of one caller, at least 1.
        clock: A monotonic clock, seconds.
    """

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._each = _MINUTE / per_minute
        self._clock = clock
        self._lock = Lock()
        self._full_at: OrderedDict[str, float] = OrderedDict()  # the caller seen longest ago first

    def take(self, caller: str) -> None:
        """Counts a call.

        Raises:
            Overloaded: The caller has none left; the hint is when it will have one. A refused call is not counted.
        """
        now = self._clock()
        with self._lock:
            full_at = max(self._full_at.pop(caller, now), now) + self._each
            early = full_at - now - _MINUTE
            self._full_at[caller] = full_at if early <= 0 else full_at - self._each
            if len(self._full_at) > _CALLERS:
                self._full_at.popitem(last=False)
        if early > 0:
            told = f"engine: {self._per_minute} calls a minute are allowed to one caller (ENGINE_CALLER_RATE)"
            raise Overloaded(f"{told}; try again later", early, cause="rate")


async def read_in_time(sending: Awaitable[None], method: str, seconds: float) -> None:
    """Awaits that a message is taken by the transport, which waits for a reader that has not read the ones before.

    Args:
        sending: Sends the message.
        method: Of the call, for the metrics.
        seconds: The longest time.

    Raises:
        DeadlineExceeded: It was not taken in that time.
    """
    try:
        async with asyncio.timeout(seconds):
            await sending
    except TimeoutError:
        metrics.STALLED.labels(method).inc()
        told = f"the answer was not read for {seconds:g} s; read the stream while it comes"
        raise DeadlineExceeded(told) from None
