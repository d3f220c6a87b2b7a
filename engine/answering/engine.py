"""The answer engine: one turn in, the events of its answer out. Every way of asking goes through here.

A turn runs in a task of its own that writes its events into a channel. So its deadline and its session's lease are held
by one task from beginning to end, whatever the caller does, and what was said is stored even when the caller is gone.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from classifier.decision import QueryType
from engine import telemetry
from engine.answering.admission import Admission, Entered, Ticket
from engine.answering.cancellation import raise_if_cancelled, to_the_end
from engine.answering.channel import Channel
from engine.answering.draft import Draft
from engine.answering.graph import PrepareGraph, build_prepare_graph, build_second_pass
from engine.answering.nodes import Nodes
from engine.answering.records import answer_of, record_of, same_request
from engine.answering.state import AgentState, Tell
from engine.conversation import ledger
from engine.conversation.history import WINDOW
from engine.conversation.store.forgetting import session_key
from engine.conversation.store.locks import Leases
from engine.domain import (
    Answer,
    Completed,
    Event,
    Outcome,
    Progress,
    Retrieved,
    Routed,
    TextDelta,
    Turn,
)
from engine.errors import ENDINGS, DeadlineExceeded, DependencyUnavailable, EngineError, InvalidInput, Overloaded
from engine.generation.citations import CitationFilter
from engine.generation.grounding import Grounder
from engine.generation.port import Token
from engine.generation.sections import EchoFilter
from engine.generation.statements import closed
from engine.planning.evaluate import wants_another_pass
from engine.planning.workflow import not_found
from engine.text.language import spoken
from engine.text.material import SeenStream, seen
from engine.tracing import traced

#: Events that may wait for a slow reader before the model has to wait too.
_CHANNEL = 64
#: Seconds after which it is looked whether the caller has to be told that work goes on: first, and then each time. A
#: silence may begin right after a look, so it lasts twice as long at most, which has to stay under ten seconds.
_FIRST_SIGN = 0.8
_SIGN = 4.0

Emit = Callable[[Event], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Times:
    """How long things may take, in seconds.

    Attributes:
        deadline: One answer, when the caller sets no deadline.
        session_wait: A turn waits for the one before it in its session.
    """

    deadline: float = 300.0
    session_wait: float = 30.0


class AnswerEngine:
    """Answers turns. Fulfils `Answers`.

    Args:
        nodes: What prepares an answer, and the parts that write, judge and remember it.
        times: Limits of time.
        new_id: Makes turn ids.
        now: Unix time, seconds.
        clock: A monotonic clock, seconds.
        leases: Keep a session's turns in order; those of this engine alone when none are given.
        admission: How many turns run at a time and how many wait.
        grounder: Holds what a model wrote against its passages; None: nobody does.
    """

    def __init__(
        self,
        nodes: Nodes,
        *,
        new_id: Callable[[], str],
        times: Times | None = None,
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.perf_counter,
        leases: Leases | None = None,
        admission: Admission | None = None,
        grounder: Grounder | None = None,
    ) -> None:
        self._grounder = grounder
        self._graph = build_prepare_graph(nodes)
        self._second = build_second_pass(nodes)
        self._workflow = nodes.workflow
        self._models = nodes.models
        self._store = nodes.store
        self._times = times or Times()
        self._new_id = new_id
        self._now = now
        self._clock = clock
        self.leases = Leases() if leases is None else leases
        self.admission = admission or Admission()

    def enter(self, caller: str) -> Entered:
        """See `Admitting.enter`."""
        return Entered(self.answer, self.admission.enter(caller))

    async def answer(self, turn: Turn, ticket: Ticket | None = None) -> AsyncGenerator[Event]:
        """The events of one answer, `Completed` last; the turn is stored before that one is sent.

        Closing the generator ends the turn: the model's connection is closed and what was said is stored as partial.

        Raises:
            Overloaded: As many turns run and wait as may; nothing is stored.
            InvalidInput: Its request id was used for something else.
            SessionBusy: The session's turn before this one does not end.
            NotFound: Its session was deleted while it ran; it is not stored.
            DeadlineExceeded: Time is up; what was said is stored as partial.
            DependencyUnavailable: A part that this answer needs does not work.
        """
        ticket = ticket or self.admission.enter(turn.caller or turn.principal)  # first of all: a refusal costs nothing
        turn = _seen(turn)
        channel: Channel[Event] = Channel(_CHANNEL, _joined)
        task = asyncio.create_task(self._produce(turn, channel, ticket))
        task.add_done_callback(partial(_ended, channel, ticket))
        ticket.on_refusal(task.cancel)
        alive = asyncio.create_task(_signs_of_life(channel))
        try:
            async for event in channel:
                yield event
        finally:
            alive.cancel()
            task.cancel()
            await asyncio.wait([task, alive])

    async def _produce(self, turn: Turn, channel: Channel[Event], ticket: Ticket) -> None:
        @traced("queue")
        async def admitted() -> None:
            await ticket.granted(lambda place: channel.put_now(Progress("queue", str(place))))

        try:
            async with asyncio.timeout_at(self._deadline(turn)):
                await self._in_order(turn, channel, admitted)
        except TimeoutError:
            channel.close(DeadlineExceeded("the deadline passed before the answer was complete"))
        except BaseException as error:
            channel.close(ticket.refusal or error)
            if isinstance(error, ENDINGS):
                raise
        else:
            channel.close()

    def _deadline(self, turn: Turn) -> float:
        own = asyncio.get_running_loop().time() + self._times.deadline
        return own if turn.deadline is None else min(turn.deadline, own)

    @traced("turn")
    async def _in_order(self, turn: Turn, channel: Channel[Event], admitted: Callable[[], Awaitable[None]]) -> None:
        """Runs the turn when its session, its request id and a place among the running turns are free.

        The place comes last: a turn that waits for its session keeps nobody else from running.
        """
        wait = self._times.session_wait
        async with self.leases.lease(session_key(turn.principal, turn.session_id), wait=wait):
            if not turn.request_id:
                await admitted()
                await self._run(turn, channel)
                return
            async with self.leases.lease((turn.principal, "request", turn.request_id), wait=wait):
                await admitted()
                if not await self._replay(turn, channel.put):
                    await self._run(turn, channel)

    async def _replay(self, turn: Turn, emit: Emit) -> bool:
        """Sends the stored answer of a request that was asked before; whether there is one."""
        record = await self._store.find_request(turn.principal, turn.request_id)
        if record is None:
            return False
        if not same_request(turn, record):
            raise InvalidInput("request_id", "was used for another question or session; give each request its own id")
        evidence = await self._store.evidence(turn.principal, record.session_id, record.cited)
        answer = answer_of(record, evidence)
        await emit(Routed(answer.route))
        if answer.citations:
            await emit(Retrieved(tuple(evidence)))
        await emit(TextDelta(answer.text))
        await emit(Completed(answer))
        return True

    async def _run(self, turn: Turn, channel: Channel[Event]) -> None:
        draft = Draft(turn, self._clock(), self._now(), self._new_id())
        outcome: Outcome | None = None
        refused = False
        try:
            outcome = await self._make(draft, channel)
        except EngineError as error:
            refused = isinstance(error, Overloaded) and not draft.text
            self._failed(error, refused=refused)
            raise
        finally:
            if "route" in draft.state and not refused:  # what was refused is counted, not stored
                await to_the_end(self._keep(draft, outcome))
        if draft.answer is not None:
            await channel.put(Completed(draft.answer))

    def _failed(self, error: EngineError, *, refused: bool) -> None:
        if refused:
            self.admission.count_refusal()
        else:
            telemetry.logger().warning(telemetry.TURN_FAILED.format(kind=type(error).__name__))

    async def _make(self, draft: Draft, channel: Channel[Event]) -> Outcome:
        """Prepares and writes; how it ended."""
        turn = draft.turn
        conversation = await self._store.load(turn.principal, turn.session_id, turns=WINDOW)
        draft.state = {"turn": turn, "conversation": conversation}
        await self._prepare(self._graph, draft, channel.put_now)
        if said := draft.state["said"]:
            await self._say(draft, said, channel.put)
            return Outcome.COMPLETE
        judged = draft.state.get("found")
        outcome = await (self._write_judged(draft, channel) if judged else self._write(draft, channel.put))
        if self._grounder is not None and draft.state["prompt"].receipt is not None:
            await self._ground(draft, self._grounder, channel.put)
        return outcome

    async def _ground(self, draft: Draft, grounder: Grounder, emit: Emit) -> None:
        """Holds what a model wrote against what it cites; where it cites nothing, against what it was shown."""
        prompt = draft.state["prompt"]
        text = "".join(draft.text)
        if not draft.citations.cited and prompt.evidence and closed(text):
            numbers = await asyncio.to_thread(grounder.supporting, text, prompt)
            marks = "".join(f"[{number}]" for number in numbers)
            await self._say(draft, draft.citations.feed(f" {marks}") + draft.citations.flush() if marks else "", emit)
            text = "".join(draft.text)
        cited = draft.citations.citations
        # Without citations there is nothing to encode, and a thread costs more than the rest.
        ground = partial(grounder.ground, text, cited, prompt)
        draft.grounding = await asyncio.to_thread(ground) if cited else ground()

    async def _prepare(self, graph: PrepareGraph, draft: Draft, tell: Tell) -> None:
        """Runs a graph on the state; its few events go to the caller at once, over the channel's limit if need be."""
        async for state in graph.astream(draft.state, stream_mode="values", context=tell):
            draft.state = cast("AgentState", state)
        raise_if_cancelled()

    async def _write_judged(self, draft: Draft, channel: Channel[Event]) -> Outcome:
        """Writes a draft, has it judged, and writes again when something can still be found.

        A draft that may be replaced is not shown; the second one is, as it is the last.
        """
        emit = channel.put
        text: list[str] = []

        async def keep(event: Event) -> None:
            if isinstance(event, TextDelta):
                text.append(event.text)
            else:
                await emit(event)

        await emit(Progress("draft"))
        outcome = await self._write(draft, keep)
        await emit(Progress("evaluate"))
        query, plan, found, evidence = draft.judged
        draft.evaluation = await self._workflow.judge(query, plan, "".join(text), found, evidence)
        draft.passes = 1
        if wants_another_pass(draft.evaluation, draft.passes):
            draft.state["wanted"] = draft.evaluation.followup_subqueries
            draft.text.clear()
            await self._prepare(self._second, draft, channel.put_now)
            outcome = await self._write(draft, emit)
            query, plan, found, evidence = draft.judged
            draft.evaluation = self._workflow.judge_at_once(query, plan, "".join(draft.text), found, evidence)
            draft.passes = 2
        else:
            for piece in text:
                await emit(TextDelta(piece))
        if lacking := not_found(spoken(draft.state["decision"].language, query), found):
            await self._say(draft, f"\n\n{lacking}", emit)
        return outcome

    @traced("generate")
    async def _write(self, draft: Draft, emit: Emit) -> Outcome:
        """Streams the model's text through the citation filter."""
        prompt = draft.state["prompt"]
        model = self._models.of(prompt.type)
        shown = {piece.number for piece in prompt.evidence}
        draft.citations = CitationFilter([one for one in draft.state.get("evidence", ()) if one.number in shown])
        cleaned = SeenStream()
        answer = EchoFilter(prompt.given, coding=prompt.type is QueryType.CODE_GENERATION)
        outcome: Outcome | None = None
        if model.pace is not None and prompt.receipt is not None:
            await emit(Progress("read", str(math.ceil(prompt.receipt.seconds)) if prompt.receipt.seconds else ""))
        async with aclosing(model.stream(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Token):
                    await self._say(draft, draft.citations.feed(answer.feed(cleaned.feed(piece.text))), emit)
                else:
                    outcome = Outcome.PARTIAL if piece.truncated else Outcome.COMPLETE
                    draft.usage += piece.usage
        raise_if_cancelled()
        rest = answer.feed(cleaned.flush()) + answer.flush()
        await self._say(draft, draft.citations.feed(rest) + draft.citations.flush(), emit)
        if outcome is None:
            raise DependencyUnavailable("model", f"the answer of {model.name} broke off")
        if not draft.spoken:
            raise DependencyUnavailable("model", f"{model.name} answered nothing; ask again")
        return outcome

    async def _say(self, draft: Draft, text: str, emit: Emit) -> None:
        if text:
            draft.timings.setdefault("first_token", (self._clock() - draft.started) * 1000)
            draft.text.append(text)
            await emit(TextDelta(text))

    @traced("store")
    async def _keep(self, draft: Draft, reached: Outcome | None) -> None:
        """Stores the turn.

        Only a turn that came to its end keeps the caller's request id: one that was cut or failed is no answer, and a
        retry with the same id runs anew.
        """
        outcome = reached or (Outcome.PARTIAL if draft.spoken else Outcome.FAILED)
        turn = draft.turn if reached else replace(draft.turn, request_id="")
        answer = draft.finish(outcome, self._clock())
        fresh = ledger.new(draft.state.get("evidence", ()), draft.state["conversation"].last_number)
        shown = tuple(piece.number for piece in draft.state.get("evidence", ()))
        record = record_of(turn, answer, created_at=draft.created_at, shown=shown, cited=draft.citations.cited)
        try:
            await self._store.append(record, fresh, began=draft.state["conversation"].created_at)
        except EngineError as error:  # the text has been sent: the log is where an operator can see that it is not kept
            telemetry.logger().error(telemetry.TURN_NOT_STORED.format(problem=error), kind=type(error).__name__)
            raise
        telemetry.logger().info(telemetry.TURN_STORED.format(outcome=outcome.lower()), **_fields(answer))
        draft.answer = answer


def _ended(channel: Channel[Event], ticket: Ticket, task: asyncio.Task[None]) -> None:
    """Frees the place of a turn; one that was sent away before its first step has told nobody."""
    ticket.leave()
    if task.cancelled():
        channel.close(ticket.refusal)


def _fields(answer: Answer) -> dict[str, object]:
    """What rides beside the line of a stored turn: no text of anyone's."""
    return {
        "session": telemetry.session_hash(answer.session_id),
        "turn": answer.turn_id,
        "searches": answer.searches,
        "total_ms": round(answer.timings["total"], 1),
    }


def _joined(first: Event, second: Event) -> Event | None:
    """Text that waits for its reader goes as one event: each costs a message on the wire."""
    if isinstance(first, TextDelta) and isinstance(second, TextDelta):
        return TextDelta(first.text + second.text)
    return None


def _seen(turn: Turn) -> Turn:
    """A turn without characters that nobody sees, in any of its texts."""
    return replace(
        turn,
        query=seen(turn.query),
        editor_content=seen(turn.editor_content),
        selected_text=seen(turn.selected_text),
        extra_context=seen(turn.extra_context),
        user_info=seen(turn.user_info),
    )


async def _signs_of_life(channel: Channel[Event]) -> None:
    """Tells the caller that work goes on when nothing else does: idle connections get cut."""
    seen, pause = -1, _FIRST_SIGN
    while True:
        await asyncio.sleep(pause)
        if channel.written in (seen, 0):
            channel.put_now(Progress("working"))
        seen, pause = channel.written, _SIGN
