"""A typed asynchronous client.

    async with AssistanceClient("127.0.0.1:50051") as client:
        async for event in client.stream("What is addVar in AVAP?"):
            print(event.text_delta, end="")

Errors of the wire come back as the engine's own: `InvalidInput`, `NotFound`, `SessionBusy` ...
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from engine.errors import (
    ConfigurationError,
    DeadlineExceeded,
    DependencyUnavailable,
    EngineError,
    InvalidInput,
    NotFound,
    Overloaded,
    PermissionDenied,
    SessionBusy,
    Unauthenticated,
)
from engine.text.material import encodable
from engine.v1 import engine_pb2 as pb
from engine.v1 import engine_pb2_grpc as stubs

if TYPE_CHECKING:
    from engine.identity.tls import ClientTls

_OPTIONS = (("grpc.max_receive_message_length", 16 << 20),)


class AssistanceClient:
    """Talks to one engine. Build it on the event loop that uses it.

    Args:
        address: host:port.
        timeout: Seconds that a whole call may take.
        token: API key or signed token to send; empty: none.
        tls: What the service is known by; None: clear text.
    """

    def __init__(self, address: str, *, timeout: float = 300.0, token: str = "", tls: ClientTls | None = None) -> None:
        self._channel = _channel(address, tls)
        self._stub: Any = stubs.AssistanceServiceStub(self._channel)  # type: ignore[no-untyped-call]
        self._health: Any = health_pb2_grpc.HealthStub(self._channel)
        self._timeout = timeout
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._address = address

    async def __aenter__(self) -> Self:
        """The client itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the connection."""
        await self.close()

    async def close(self) -> None:
        """Closes the connection; running calls are cancelled."""
        await self._channel.close(None)

    async def serving(self, name: str = "", *, within: float = 1.0) -> bool:
        """Whether the engine, or the part of it named, says that it is serving."""
        try:
            response = await self._health.Check(health_pb2.HealthCheckRequest(service=name), timeout=within)
        except grpc.aio.AioRpcError:
            return False
        return bool(response.status == health_pb2.HealthCheckResponse.SERVING)

    async def ask(self, query: str, **fields: Any) -> pb.AgentResponse:
        """A whole answer.

        Args:
            query: The question.
            fields: The other fields of `AgentRequest`, such as `session_id` or `query_type`.
        """
        response: pb.AgentResponse = await self.call("AskAgent", pb.AgentRequest(**request_fields(query, fields)))
        return response

    async def stream(self, query: str, **fields: Any) -> AsyncGenerator[pb.AgentEvent]:
        """The events of an answer; leaving the loop cancels it."""
        call = self._stub.AskAgentStream(
            pb.AgentRequest(**request_fields(query, fields)), timeout=self._timeout, metadata=self._metadata
        )
        try:
            async for event in _translated(call, self._address):
                yield event
        finally:
            call.cancel()

    async def classify(self, query: str, **fields: Any) -> pb.Route:
        """A dry run of the router."""
        route: pb.Route = await self.call("Classify", pb.ClassifyRequest(**request_fields(query, fields)))
        return route

    async def evaluate(self, cases: Iterable[pb.GoldenCase] = (), **fields: Any) -> AsyncGenerator[pb.EvaluateRagEvent]:
        """Progress and the report of an evaluation."""
        call = self._stub.EvaluateRAG(pb.EvaluateRagRequest(cases=cases, **fields), metadata=self._metadata)
        try:
            async for event in _translated(call, self._address):
                yield event
        finally:
            call.cancel()

    async def session(self, session_id: str) -> pb.Session:
        """A remembered session with all its turns, however many pages they take."""
        whole: pb.Session = await self.call("GetSession", pb.GetSessionRequest(session_id=session_id))
        while token := whole.next_page_token:
            whole.next_page_token = ""
            request = pb.GetSessionRequest(session_id=session_id, page_token=token)
            whole.MergeFrom(await self.call("GetSession", request))
        return whole

    async def sessions(self, *, page_size: int = 0, page_token: str = "") -> pb.ListSessionsResponse:
        """A page of sessions."""
        request = pb.ListSessionsRequest(page_size=page_size, page_token=page_token)
        page: pb.ListSessionsResponse = await self.call("ListSessions", request)
        return page

    async def delete_session(self, session_id: str) -> int:
        """Forgets a session; how many turns it had."""
        response = await self.call("DeleteSession", pb.DeleteSessionRequest(session_id=session_id))
        return int(response.deleted_turns)

    async def correct_turn(
        self, turn_id: str, type_: str | None = None, *, relation: str | None = None
    ) -> pb.CorrectTurnResponse:
        """Gives a turn the type it should have had, such as "PLATFORM", its relation ("HISTORY_RECALL"), or both."""
        request = pb.CorrectTurnRequest(turn_id=turn_id, type=type_, relation=relation)
        corrected: pb.CorrectTurnResponse = await self.call("CorrectTurn", request)
        return corrected

    async def rename_session(self, session_id: str, name: str) -> str:
        """Gives a session a name, or takes it back with an empty one; the name as it is stored."""
        request = pb.RenameSessionRequest(session_id=session_id, name=name)
        return str((await self.call("RenameSession", request)).name)

    async def rate_turn(self, turn_id: str, rating: str, reason: str = "") -> pb.RateTurnResponse:
        """Says what a person thinks of an answer: "UP", "DOWN", or "RATING_UNSPECIFIED" to take it back."""
        rated: pb.RateTurnResponse = await self.call(
            "RateTurn", pb.RateTurnRequest(turn_id=turn_id, rating=rating, reason=reason)
        )
        return rated

    async def call(self, method: str, request: Any, *, metadata: tuple[tuple[str, str], ...] = ()) -> Any:
        """Any unary method by name."""
        with _translating(self._address):
            return await getattr(self._stub, method)(request, timeout=self._timeout, metadata=self._metadata + metadata)


def _channel(address: str, tls: ClientTls | None) -> grpc.aio.Channel:
    if tls is None:
        return grpc.aio.insecure_channel(address, options=_OPTIONS)
    own = (tls.key or None, tls.certificate or None)
    named = (("grpc.ssl_target_name_override", tls.name),) if tls.name else ()
    return grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(tls.ca, *own), options=(*_OPTIONS, *named))


async def _translated(call: Any, address: str) -> AsyncIterator[Any]:
    with _translating(address):
        async for message in call:
            yield message


@contextmanager
def _translating(address: str) -> Any:
    try:
        yield
    except grpc.aio.AioRpcError as error:
        raise _error(error, address) from error


_BY_TEXT: dict[grpc.StatusCode, type[EngineError]] = {
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.UNAUTHENTICATED: Unauthenticated,
    grpc.StatusCode.ABORTED: SessionBusy,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceeded,
    grpc.StatusCode.FAILED_PRECONDITION: ConfigurationError,
}


def _error(error: grpc.aio.AioRpcError, address: str) -> EngineError:
    """The engine's error that a status stands for."""
    code, text = error.code(), error.details() or error.code().name
    subject, _, rest = text.partition(": ")
    if code is grpc.StatusCode.INVALID_ARGUMENT:
        return InvalidInput(subject, rest)
    if code is grpc.StatusCode.PERMISSION_DENIED:
        return PermissionDenied(subject, rest)
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        hints: dict[Any, Any] = dict(error.trailing_metadata() or ())  # type: ignore[arg-type]  # pairs
        return Overloaded(text, float(hints.get("retry-after-ms", 1000)) / 1000)
    if code is grpc.StatusCode.UNAVAILABLE:
        ours = rest and " " not in subject
        return DependencyUnavailable(*(subject, rest) if ours else ("engine", f"nothing answers at {address}"))
    return _BY_TEXT.get(code, EngineError)(text)


def request_fields(query: str, fields: dict[str, Any]) -> dict[str, Any]:
    """All fields of a request; what a terminal could not read of the query is a question mark.

    Raises:
        InvalidInput: Another field is no text: names must not become alike.
    """
    for name, value in fields.items():
        if isinstance(value, str) and encodable(value) != value:
            raise InvalidInput(name, "must be text in UTF-8")
    return {"query": encodable(query), **fields}
