"""The answer engine: one turn in, the events of its answer out. Every way of asking goes through here.

A turn runs in a task of its own that writes its events into a channel. So its deadline and its session's lease are held
by one task from beginning to end, whatever the caller does, and what was said is stored even when the caller is gone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Protocol, cast

from engine import telemetry
from engine.channel import Channel
from engine.conversation import evidence as ledger
from engine.conversation.history import WINDOW
from engine.conversation.store import SessionStore
from engine.domain import Answer, Completed, Event, Outcome, Progress, Retrieved, Routed, TextDelta, Turn, Usage
from engine.errors import DeadlineExceeded, DependencyUnavailable, EngineError
from engine.generation.citations import CitationFilter
from engine.generation.port import Token
from engine.graph import PrepareGraph
from engine.leases import Leases
from engine.nodes import Models
from engine.records import answer_of, record_of
from engine.state import AgentState

#: Events that may wait for a slow reader before the model has to wait too.
_CHANNEL = 64
#: Seconds after which it is looked whether the caller has to be told that work goes on: first, and then each time. A
#: silence may begin right after a look, so it lasts twice as long at most, which has to stay under ten seconds.
_FIRST_SIGN = 0.8
_SIGN = 4.0

Emit = Callable[[Event], Awaitable[None]]


class Answers(Protocol):
    """What servers need of the answer engine."""

    def answer(self, turn: Turn) -> AsyncGenerator[Event]:
        """The events of one answer."""
        ...


@dataclass(frozen=True, slots=True)
class Times:
    """How long things may take, in seconds.

    Attributes:
        deadline: One answer, when the caller sets no deadline.
        session_wait: A turn waits for the one before it in its session.
    """

    deadline: float = 300.0
    session_wait: float = 30.0


@dataclass(slots=True)
class _Draft:
    """What is known of an answer while it is made."""

    turn: Turn
    started: float
    created_at: float
    turn_id: str
    state: AgentState = field(default_factory=AgentState)
    citations: CitationFilter = field(default_factory=lambda: CitationFilter(()))
    text: list[str] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    usage: Usage = Usage()
    answer: Answer | None = None

    def finish(self, outcome: Outcome, now: float) -> Answer:
        """The answer as it stands."""
        self.timings = {**self.state.get("timings", {}), **self.timings, "total": (now - self.started) * 1000}
        return Answer(
            "".join(self.text),
            self.turn.session_id,
            self.turn_id,
            self.state["route"],
            self.citations.citations,
            self.state.get("searches", 0),
            usage=self.usage,
            timings=self.timings,
            outcome=outcome,
        )


class AnswerEngine:
    """Answers turns. Fulfils `Answers`.

    Args:
        graph: Prepares.
        models: Write.
        store: Remembers.
        times: Limits of time.
        new_id: Makes turn ids.
        now: Unix time, seconds.
        clock: A monotonic clock, seconds.
    """

    def __init__(
        self,
        graph: PrepareGraph,
        models: Models,
        store: SessionStore,
        *,
        new_id: Callable[[], str],
        times: Times | None = None,
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._graph = graph
        self._models = models
        self._store = store
        self._times = times or Times()
        self._new_id = new_id
        self._now = now
        self._clock = clock
        self._leases = Leases()

    async def answer(self, turn: Turn) -> AsyncGenerator[Event]:
        """The events of one answer, `Completed` last; the turn is stored before that one is sent.

        Closing the generator ends the turn: the model's connection is closed and what was said is stored as partial.

        Raises:
            SessionBusy: The session's turn before this one does not end.
            DeadlineExceeded: Time is up; what was said is stored as partial.
            DependencyUnavailable: A part that this answer needs does not work.
        """
        channel: Channel[Event] = Channel(_CHANNEL)
        task = asyncio.create_task(self._produce(turn, channel))
        alive = asyncio.create_task(_signs_of_life(channel))
        try:
            async for event in channel:
                yield event
        finally:
            alive.cancel()
            task.cancel()
            await asyncio.wait([task, alive])

    async def _produce(self, turn: Turn, channel: Channel[Event]) -> None:
        try:
            async with asyncio.timeout_at(self._deadline(turn)):
                await self._in_order(turn, channel.put)
        except TimeoutError:
            channel.close(DeadlineExceeded("the deadline passed before the answer was complete"))
        except BaseException as error:
            channel.close(error)
            if not isinstance(error, Exception):
                raise
        else:
            channel.close()

    def _deadline(self, turn: Turn) -> float:
        own = asyncio.get_running_loop().time() + self._times.deadline
        return own if turn.deadline is None else min(turn.deadline, own)

    async def _in_order(self, turn: Turn, emit: Emit) -> None:
        """Runs the turn when its session, and its request id, are free."""
        wait = self._times.session_wait
        async with self._leases.lease((turn.principal, "session", turn.session_id), wait=wait):
            if not turn.request_id:
                await self._run(turn, emit)
                return
            async with self._leases.lease((turn.principal, "request", turn.request_id), wait=wait):
                if not await self._replay(turn, emit):
                    await self._run(turn, emit)

    async def _replay(self, turn: Turn, emit: Emit) -> bool:
        """Sends the stored answer of a request that was asked before; whether there is one."""
        record = await self._store.find_request(turn.principal, turn.request_id)
        if record is None:
            return False
        evidence = await self._store.evidence(turn.principal, record.session_id, record.cited)
        answer = answer_of(record, evidence)
        await emit(Routed(answer.route))
        if answer.citations:
            await emit(Retrieved(tuple(evidence)))
        await emit(TextDelta(answer.text))
        await emit(Completed(answer))
        return True

    async def _run(self, turn: Turn, emit: Emit) -> None:
        draft = _Draft(turn, self._clock(), self._now(), self._new_id())
        outcome: Outcome | None = None
        try:
            outcome = await self._make(draft, emit)
        except EngineError as error:
            telemetry.logger().warning(telemetry.TURN_FAILED.format(kind=type(error).__name__))
            raise
        finally:
            if "route" in draft.state:
                await _whatever_happens(self._keep(draft, outcome))
        if draft.answer is not None:
            await emit(Completed(draft.answer))

    async def _make(self, draft: _Draft, emit: Emit) -> Outcome:
        """Prepares and writes; how it ended."""
        turn = draft.turn
        conversation = await self._store.load(turn.principal, turn.session_id, turns=WINDOW)
        draft.state = {"turn": turn, "conversation": conversation}
        async for kind, item in self._graph.astream(draft.state, stream_mode=["custom", "values"]):
            if kind == "values":
                draft.state = cast("AgentState", item)
            else:
                await emit(cast("Event", item))
        return await self._write(draft, emit)

    async def _write(self, draft: _Draft, emit: Emit) -> Outcome:
        """Streams the model's text through the citation filter."""
        prompt = draft.state["prompt"]
        model = self._models.of(prompt.type)
        draft.citations = CitationFilter(prompt.evidence)
        outcome: Outcome | None = None
        async with aclosing(model.stream(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Token):
                    await self._say(draft, draft.citations.feed(piece.text), emit)
                else:
                    outcome = Outcome.PARTIAL if piece.truncated else Outcome.COMPLETE
                    draft.usage = piece.usage
        await self._say(draft, draft.citations.flush(), emit)
        if outcome is None:
            raise DependencyUnavailable("model", f"the answer of {model.name} broke off")
        return outcome

    async def _say(self, draft: _Draft, text: str, emit: Emit) -> None:
        if text:
            draft.timings.setdefault("first_token", (self._clock() - draft.started) * 1000)
            draft.text.append(text)
            await emit(TextDelta(text))

    async def _keep(self, draft: _Draft, reached: Outcome | None) -> None:
        """Stores the turn.

        Only a turn that came to its end keeps the caller's request id: one that was cut or failed is no answer, and a
        retry with the same id runs anew.
        """
        outcome = reached or (Outcome.PARTIAL if draft.text else Outcome.FAILED)
        turn = draft.turn if reached else replace(draft.turn, request_id="")
        answer = draft.finish(outcome, self._clock())
        fresh = ledger.new(draft.state.get("evidence", ()), draft.state["conversation"].last_number)
        shown = tuple(piece.number for piece in draft.state.get("evidence", ()))
        record = record_of(turn, answer, created_at=draft.created_at, shown=shown, cited=draft.citations.cited)
        await self._store.append(record, fresh)
        telemetry.logger().info(telemetry.TURN_STORED.format(outcome=outcome.lower()), **_fields(answer))
        draft.answer = answer


def _fields(answer: Answer) -> dict[str, object]:
    """What rides beside the line of a stored turn: no text of anyone's."""
    return {
        "session": telemetry.session_hash(answer.session_id),
        "turn": answer.turn_id,
        "searches": answer.searches,
        "total_ms": round(answer.timings["total"], 1),
    }


async def _whatever_happens(work: Awaitable[None]) -> None:
    """Awaits `work` to its end, also while this task is being cancelled."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


async def _signs_of_life(channel: Channel[Event]) -> None:
    """Tells the caller that work goes on when nothing else does: idle connections get cut."""
    seen, pause = -1, _FIRST_SIGN
    while True:
        await asyncio.sleep(pause)
        if channel.written in (seen, 0):
            channel.put_now(Progress("working"))
        seen, pause = channel.written, _SIGN


async def fold(events: AsyncGenerator[Event]) -> Answer:
    """The answer of a stream of events: what AskAgent returns."""
    async with aclosing(events) as stream:
        async for event in stream:
            if isinstance(event, Completed):
                return event.answer
    raise EngineError("the answer ended without a result")
