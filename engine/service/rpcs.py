"""The RPCs by their names in engine.proto, each with the messages that it takes and gives, for every transport."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from google.protobuf.message import Message

from engine.service.calls import Call
from engine.service.methods import AssistanceService
from engine.v1 import engine_pb2 as pb

_Request = TypeVar("_Request", bound=Message)
_Response = TypeVar("_Response", bound=Message)

#: What a transport calls; it has parsed the request, so it has to be of the RPC's own type.
UnaryCall = Callable[[Message, Call], Awaitable[Message]]
StreamCall = Callable[[Message, Call], AsyncGenerator[Message]]


@dataclass(frozen=True, slots=True)
class _Unary(Generic[_Request, _Response]):
    request: type[_Request]
    serve: Callable[[_Request, Call], Awaitable[_Response]]

    async def __call__(self, message: Message, call: Call) -> Message:
        return await self.serve(_of(self.request, message), call)


@dataclass(frozen=True, slots=True)
class _Stream(Generic[_Request, _Response]):
    request: type[_Request]
    serve: Callable[[_Request, Call], AsyncGenerator[_Response]]

    def __call__(self, message: Message, call: Call) -> AsyncGenerator[Message]:
        return self.serve(_of(self.request, message), call)


def unary_rpcs(service: AssistanceService) -> dict[str, UnaryCall]:
    """The RPCs with one response."""
    return {
        "AskAgent": _Unary(pb.AgentRequest, service.ask_agent),
        "Classify": _Unary(pb.ClassifyRequest, service.classify),
        "GetSession": _Unary(pb.GetSessionRequest, service.get_session),
        "ListSessions": _Unary(pb.ListSessionsRequest, service.list_sessions),
        "DeleteSession": _Unary(pb.DeleteSessionRequest, service.delete_session),
        "RenameSession": _Unary(pb.RenameSessionRequest, service.rename_session),
        "RateTurn": _Unary(pb.RateTurnRequest, service.rate_turn),
        "ListDocuments": _Unary(pb.ListDocumentsRequest, service.list_documents),
        "RemoveDocument": _Unary(pb.RemoveDocumentRequest, service.remove_document),
        "GetRouter": _Unary(pb.GetRouterRequest, service.get_router),
        "CorrectTurn": _Unary(pb.CorrectTurnRequest, service.correct_turn),
    }


def stream_rpcs(service: AssistanceService) -> dict[str, StreamCall]:
    """The RPCs with a stream of responses."""
    return {
        "AskAgentStream": _Stream(pb.AgentRequest, service.ask_agent_stream),
        "EvaluateRAG": _Stream(pb.EvaluateRagRequest, service.evaluate_rag),
    }


def _of(kind: type[_Request], message: Message) -> _Request:
    if not isinstance(message, kind):
        raise TypeError(f"a {kind.DESCRIPTOR.full_name} is needed")
    return message
