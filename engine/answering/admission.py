"""Admission of turns: how many run at a time, and a bounded, fair queue for those that wait.

Source: A. Demers, S. Keshav, S. Shenker, "Analysis and Simulation of a Fair Queueing Algorithm", SIGCOMM 1989 (turns by
caller instead of by arrival); P. McKenney, "Stochastic Fairness Queueing", INFOCOM 1990 (a full queue drops from the
longest flow).
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from functools import partial
from threading import RLock

from engine import metrics, telemetry
from engine.domain import Event, Turn
from engine.errors import Overloaded

#: Least and most seconds that a refused caller is told to wait.
_LEAST, _MOST = 1.0, 30.0
#: Weight of the last turn in what a turn is taken to last.
_WEIGHT = 0.2
#: Seconds between two reports of a changed place in the queue, and between two log lines about refusals.
_REPORT_EVERY, _LOG_EVERY = 1.0, 10.0


class Ticket:
    """The place of one turn: in the queue first, then among the turns that run. Made by `Admission.enter`.

    Whatever thread it is made in, the rest of it belongs to the event loop that the turn runs on.

    Attributes:
        caller: Whom it is counted for.
        refusal: Why the turn was sent away while it waited; None as long as it was not.
    """

    def __init__(self, admission: Admission, caller: str) -> None:
        self.caller = caller
        self.refusal: Overloaded | None = None
        self._admission = admission
        self._granted: asyncio.Future[None] | None = None
        self._cancel: Callable[[], object] | None = None

    def on_refusal(self, cancel: Callable[[], object]) -> None:
        """Names what ends the turn, on this event loop, when it is sent away while it waits, or has been."""
        self._cancel = partial(asyncio.get_running_loop().call_soon_threadsafe, cancel)
        if self.refusal is not None:
            self._cancel()

    async def granted(self, report: Callable[[int], object]) -> None:
        """Returns when the turn may run.

        Args:
            report: Is given the place in the queue (1 is next): at once where there is one, then when it has changed.

        Raises:
            Overloaded: It was sent away.
        """
        granted = self._granted = asyncio.get_running_loop().create_future()
        self._admission.queue(self)
        told = 0
        while not granted.done():
            place = self._admission.place(self)
            if place != told:
                report(place)
                told = place
            await asyncio.wait([granted], timeout=_REPORT_EVERY)

    def grant(self) -> None:
        """Lets the turn run."""
        assert self._granted is not None  # noqa: S101  # it has been queued
        self._granted.set_result(None)

    def send_away(self, refusal: Overloaded) -> None:
        """Ends a turn that waits."""
        self.refusal = refusal
        if self._cancel is not None:
            self._cancel()

    def leave(self) -> None:
        """Gives up the place, whether the turn ran or not. Idempotent."""
        self._admission.leave(self)


@dataclass(frozen=True, slots=True)
class Entered:
    """The place of a turn that is to come. Fulfils `Place`."""

    answers: Callable[[Turn, Ticket], AsyncGenerator[Event]]
    ticket: Ticket

    def answer(self, turn: Turn) -> AsyncGenerator[Event]:
        """See `Answers.answer`."""
        return self.answers(turn, self.ticket)

    def leave(self) -> None:
        """See `Place.leave`."""
        self.ticket.leave()


class Admission:
    """Lets `turns` turns run at a time and `places` wait; the next is refused at once.

    Each caller has a queue of its own, and the queues take turns. When all places are taken, a caller who has fewer
    waiting than another takes the place of the newest one of whoever has most: that one is sent away. So one caller can
    neither keep others waiting nor keep them out. `enter` may be called in any thread; turns run on one event loop.

    Args:
        turns: That run at a time, at least 1.
        places: Turns that wait, at least 0.
        clock: A monotonic clock, seconds.
        each: Turns of one caller that run or wait; 0: as many as there are places.

    Attributes:
        refused: Turns that were refused or sent away so far.
    """

    def __init__(
        self, turns: int = 8, places: int = 64, *, clock: Callable[[], float] = time.monotonic, each: int = 0
    ) -> None:
        self.refused = 0
        self._lock = RLock()
        self._each = each
        self._turns = turns
        self._places = places
        self._clock = clock
        self._outside: dict[Ticket, float] = {}  # entered, not running; in the order they came, with the time
        self._queues: OrderedDict[str, deque[Ticket]] = OrderedDict()  # next to be served first
        self._running: dict[Ticket, float] = {}
        self._usual = _LEAST
        self._logged = float("-inf")
        self._unlogged = 0

    @property
    def running(self) -> int:
        """Turns that run now."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Turns that have a place and do not run yet."""
        return len(self._outside)

    def enter(self, caller: str) -> Ticket:
        """A place for a turn. Never waits.

        Raises:
            Overloaded: There is none; the hint is how long the turns before it are likely to take.
        """
        with self._lock:
            if self._each and self._of(caller) >= self._each:
                self.count_refusal()
                told = f"engine: {self._each} turns of one caller may run or wait at a time (ENGINE_CALLER_TURNS)"
                raise Overloaded(f"{told}; try again when one has ended", self._wait(1), cause="caller")
            if len(self._running) + len(self._outside) >= self._turns + self._places:
                self._make_room(caller)
            ticket = Ticket(self, caller)
            self._outside[ticket] = self._clock()
            self._tell()
            return ticket

    def queue(self, ticket: Ticket) -> None:
        """Lets a turn run that is ready to, or puts it in its caller's queue.

        Raises:
            Overloaded: It was sent away.
        """
        with self._lock:
            _check(ticket)
            if len(self._running) < self._turns and not self._queues:
                self._start(ticket)
            else:
                self._queues.setdefault(ticket.caller, deque()).append(ticket)

    def place(self, ticket: Ticket) -> int:
        """Where a turn stands in the queue: 1 is next; the queues of callers are served in rotation.

        Raises:
            Overloaded: It was sent away.
        """
        with self._lock:
            _check(ticket)
            own = self._queues[ticket.caller].index(ticket)
            ahead, passed = own, False
            for caller, others in self._queues.items():
                if caller == ticket.caller:
                    passed = True
                else:
                    ahead += min(len(others), own + (not passed))
            return ahead + 1

    def leave(self, ticket: Ticket) -> None:
        """Takes a turn out, and lets the next ones run."""
        with self._lock:
            started = self._running.pop(ticket, None)
            if started is not None:
                self._usual += _WEIGHT * (self._clock() - started - self._usual)
            elif self._outside.pop(ticket, None) is not None:
                self._unqueue(ticket)
            while self._queues and len(self._running) < self._turns:
                self._start(self._next())
            self._tell()

    def _start(self, ticket: Ticket) -> None:
        now = self._clock()
        metrics.QUEUE_WAIT.observe(now - self._outside.pop(ticket))
        self._running[ticket] = now
        self._tell()
        ticket.grant()

    def _tell(self) -> None:
        metrics.RUNNING.set(self.running)
        metrics.WAITING.set(self.waiting)

    def _next(self) -> Ticket:
        """The first turn of the caller who has fewest running; among those, of the one served longest ago."""
        running = Counter(ticket.caller for ticket in self._running)
        caller = min(self._queues, key=lambda one: running[one])
        ticket = self._queues[caller].popleft()
        self._queues.move_to_end(caller)
        if not self._queues[caller]:
            del self._queues[caller]
        return ticket

    def _unqueue(self, ticket: Ticket) -> None:
        queue = self._queues.get(ticket.caller, deque())
        if ticket in queue:  # otherwise it waits for its session yet
            queue.remove(ticket)
            if not queue:
                del self._queues[ticket.caller]

    def _make_room(self, caller: str) -> None:
        """Sends the newest turn of the caller with most away, if `caller` would still have no more than that one.

        Raises:
            Overloaded: Nobody waits who has so many.
        """
        waiting = Counter(ticket.caller for ticket in self._outside)
        refusal = self._refusal()
        longest, most = max(waiting.items(), key=lambda item: item[1], default=("", 0))
        if most < waiting[caller] + 2:
            raise refusal
        newest = next(ticket for ticket in reversed(self._outside) if ticket.caller == longest)
        del self._outside[newest]
        self._unqueue(newest)
        newest.send_away(refusal)

    def count_refusal(self) -> None:
        """Counts a turn that is not answered for want of room: here, or at a model that is full."""
        with self._lock:
            self.refused += 1
            self._unlogged += 1
            if self._clock() - self._logged >= _LOG_EVERY:  # a line for each would be load too
                telemetry.logger().warning(telemetry.REFUSED.format(count=self._unlogged), running=self.running)
                self._logged, self._unlogged = self._clock(), 0

    def _refusal(self) -> Overloaded:
        self.count_refusal()
        return Overloaded(
            f"engine: {self.running} turns are running and {self.waiting} wait, which is all that ENGINE_MAX_TURNS and "
            "ENGINE_QUEUE allow; try again later",
            self._wait(len(self._outside) + 1),
        )

    def _wait(self, ahead: int) -> float:
        """Seconds that so many turns are likely to take."""
        return min(max(self._usual * ahead / self._turns, _LEAST), _MOST)

    def _of(self, caller: str) -> int:
        """Turns of one caller that run or wait."""
        return sum(ticket.caller == caller for tickets in (self._running, self._outside) for ticket in tickets)


def _check(ticket: Ticket) -> None:
    """Raises why a turn was sent away."""
    if ticket.refusal is not None:
        raise ticket.refusal
