"""The RPCs of `engine.v1.AssistanceService`: each turns a request into values, calls, and turns the result back."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

from classifier.decision import IntentEntry
from classifier.linear.artifact import Artifact
from engine.answering.ports import Admitting, Router, fold
from engine.conversation.history import WINDOW, intent_history
from engine.conversation.store.forgetting import forget
from engine.conversation.store.locks import Leases
from engine.conversation.store.port import SessionStore
from engine.domain import Event
from engine.errors import ConfigurationError, NotFound, Overloaded
from engine.evaluation.golden import Measured, evaluate, read_golden_set, select, summarise
from engine.service import convert, requests
from engine.service.access import Access
from engine.service.calls import Call
from engine.service.library import Library
from engine.service.observed import ObservedTurn, count_refused
from engine.v1 import engine_pb2 as pb

#: Seconds after which whoever wants to evaluate while another does may try again.
_EVALUATION_RETRY = 30.0
#: Methods that ask for a turn.
_ASK = ("AskAgent", "AskAgentStream", "ChatCompletions")


@dataclass(frozen=True, slots=True)
class AssistanceService:
    """The service over an answer engine, a router and a session store.

    Attributes:
        golden_set: The file that EvaluateRAG reads when a request brings no cases along.
        leases: Those that the engine keeps the turns of a session in order by.
        session_wait: Seconds that a deletion waits for the first turn of its session.
        access: Says who calls and what they may; by default everybody everything.
        evaluation_seconds: The longest time of an evaluation.
        library: The documents of the index; None where there is none.
        artifact: What layer 2 of the router uses now.
    """

    engine: Admitting
    router: Router
    store: SessionStore
    golden_set: Path
    leases: Leases = field(default_factory=Leases)
    session_wait: float = 30.0
    access: Access = field(default_factory=Access)
    evaluation_seconds: float = 900.0
    library: Library | None = None
    artifact: Callable[[], Artifact | None] = lambda: None
    _evaluating: Lock = field(default_factory=Lock)

    def admitted(self, call: Call) -> Call:
        """`call` with a place for the turn that it asks for; as it is where it asks for none. For any thread.

        Raises:
            Overloaded: There is no place; the refusal is counted.
        """
        if call.method not in _ASK:
            return call
        try:
            return replace(call, place=self.engine.enter(call.caller or call.principal))
        except Overloaded as error:
            count_refused(call.method, error)
            raise

    async def ask_agent(self, request: pb.AgentRequest, call: Call) -> pb.AgentResponse:
        """One answer, folded from the events that `ask_agent_stream` sends."""
        return convert.response(await fold(self._events(request, call)))

    async def ask_agent_stream(self, request: pb.AgentRequest, call: Call) -> AsyncGenerator[pb.AgentEvent]:
        """The events of one answer."""
        async with aclosing(self._events(request, call)) as events:
            async for event in events:
                yield convert.event(event)

    async def classify(self, request: pb.ClassifyRequest, call: Call) -> pb.Route:
        """A dry run of the router, with every layer's opinion."""
        history: tuple[IntentEntry, ...] = ()
        if request.session_id:
            conversation = await self.store.load(call.principal, request.session_id, turns=WINDOW)
            if not conversation.turns:
                raise NotFound("session_id: there is no such session")
            history = intent_history(conversation)
        decision = await self.router.decide(
            requests.classify_query(request, history, platform=call.platform), every_layer=True
        )
        return convert.decision_message(decision)

    async def evaluate_rag(self, request: pb.EvaluateRagRequest, call: Call) -> AsyncGenerator[pb.EvaluateRagEvent]:
        """Progress after each case, then one report. One evaluation runs at a time, within a time of its own."""
        cases = requests.golden_cases(request) or read_golden_set(self.golden_set)
        type_, limit = requests.evaluated_type(request), requests.limit(request)
        chosen = select(cases, type_=type_, language=request.language, limit=limit)
        latest = asyncio.get_running_loop().time() + self.evaluation_seconds
        deadline = latest if call.deadline is None else min(call.deadline, latest)
        measured: list[Measured] = []
        with self._only_evaluation():
            run = evaluate(chosen, self.engine, self.store, new_id=lambda: uuid.uuid4().hex, deadline=deadline)
            async with aclosing(run) as results:
                async for result in results:
                    measured.append(result)
                    progress = pb.EvaluateRagProgress(done=len(measured), total=len(chosen), case_id=result.case.id)
                    yield pb.EvaluateRagEvent(progress=progress)
        yield pb.EvaluateRagEvent(report=convert.report(summarise(measured)))

    @contextmanager
    def _only_evaluation(self) -> Iterator[None]:
        if not self._evaluating.acquire(blocking=False):
            told = "engine: an evaluation is running already; one runs at a time"
            raise Overloaded(told, _EVALUATION_RETRY, cause="evaluation")
        try:
            yield
        finally:
            self._evaluating.release()

    async def get_session(self, request: pb.GetSessionRequest, call: Call) -> pb.Session:
        """A remembered session, or a page of a long one."""
        session_id = requests.identifier(request, "session_id")
        size, after = requests.turns_page(request)
        return convert.session(await self.store.session(call.principal, session_id, size=size, after=after))

    async def list_sessions(self, request: pb.ListSessionsRequest, call: Call) -> pb.ListSessionsResponse:
        """A page of the caller's sessions."""
        size = requests.page_size(request)
        return convert.session_page(await self.store.sessions(call.principal, size=size, token=request.page_token))

    async def delete_session(self, request: pb.DeleteSessionRequest, call: Call) -> pb.DeleteSessionResponse:
        """Forgets a session."""
        session_id = requests.identifier(request, "session_id")
        gone = await forget(self.store, self.leases, call.principal, session_id, wait=self.session_wait)
        return pb.DeleteSessionResponse(deleted_turns=gone)

    async def rename_session(self, request: pb.RenameSessionRequest, call: Call) -> pb.RenameSessionResponse:
        """Gives a session a name."""
        session_id, name = requests.identifier(request, "session_id"), " ".join(request.name.split())
        await self.store.rename(call.principal, session_id, name)
        return pb.RenameSessionResponse(session_id=session_id, name=name)

    async def rate_turn(self, request: pb.RateTurnRequest, call: Call) -> pb.RateTurnResponse:
        """What a person thinks of an answer."""
        turn_id, rating = requests.identifier(request, "turn_id"), requests.rating(request)
        stored = await self.store.rate(call.principal, turn_id, rating, request.reason.strip() if rating else "")
        return pb.RateTurnResponse(turn_id=turn_id, rating=request.rating, reason=stored.rating_reason)

    def documents(self) -> Library:
        """The documents of the index. Raises `ConfigurationError` where there is none."""
        if self.library is None:
            raise ConfigurationError("index: this service was built without one")
        return self.library

    async def list_documents(self, request: pb.ListDocumentsRequest, call: Call) -> pb.ListDocumentsResponse:
        """A page of what is in the index."""
        size, start = requests.documents_page(request)
        library = self.documents()
        may_change = call.documents and library.uploads is not None
        every, changed_at = await library.documents(), await library.changed_at()
        return pb.ListDocumentsResponse(
            documents=[convert.indexed_document(one) for one in every[start : start + size]],
            next_page_token=str(start + size) if start + size < len(every) else "",
            total=len(every),
            passages=sum(one.passages for one in every),
            embedder=library.embedder,
            updated_at=changed_at,
            may_change=may_change,
        )

    async def remove_document(self, request: pb.RemoveDocumentRequest, call: Call) -> pb.RemoveDocumentResponse:
        """Takes a document out of the index."""
        del call
        return pb.RemoveDocumentResponse(
            removed=await self.documents().remove(requests.identifier(request, "document"))
        )

    async def get_router(self, request: pb.GetRouterRequest, call: Call) -> pb.RouterCard:
        """The card of the artifact that layer 2 uses."""
        del request, call
        artifact = self.artifact()
        return (
            pb.RouterCard()
            if artifact is None
            else pb.RouterCard(artifact_id=artifact.id, card=artifact.card.to_json().decode())
        )

    async def correct_turn(self, request: pb.CorrectTurnRequest, call: Call) -> pb.CorrectTurnResponse:
        """A person's label for a turn."""
        turn_id, type_, relation = requests.correction(request)
        return convert.corrected(await self.store.correct(call.principal, turn_id, type_, relation))

    async def _events(self, request: pb.AgentRequest, call: Call) -> AsyncGenerator[Event]:
        """The engine's events."""
        turn = requests.turn(
            request, principal=call.principal, deadline=call.deadline, caller=call.caller, platform=call.platform
        )
        observed = ObservedTurn(call.method)
        async with aclosing((call.place or self.engine).answer(turn)) as events:
            async for event in events:
                observed.saw(event)
                yield event
