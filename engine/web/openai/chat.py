"""`/v1/chat/completions`: a turn of the engine as a completion, at once or as a stream of server-sent events.

Source of the stream's form: the HTML standard, "Server-sent events".
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from engine.errors import ENDINGS, EngineError, InvalidInput
from engine.service.calls import REQUEST_ID, Call, InFlight
from engine.service.methods import AssistanceService
from engine.v1 import engine_pb2 as pb
from engine.web.exchange import Streamed, admitted, answered, attended, call_of, read_body
from engine.web.openai.conversations import Conversations
from engine.web.openai.errors import body_of, response_of
from engine.web.openai.forms import (
    ChatRequest,
    Completion,
    Exchanged,
    chat_request,
    cited_places,
    finish_reason,
    object_of,
    sources,
)

#: The header in which a client may name the session, and is told it.
SESSION = "x-session-id"
#: The stage of an event that says only that work goes on.
_WORKING = "working"
_DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Chat:
    """Answers chat completions.

    Attributes:
        cut: Set when what is still running has to end.
    """

    service: AssistanceService
    conversations: Conversations
    in_flight: InFlight
    cut: asyncio.Event

    async def endpoint(self, request: Request) -> ASGIApp:
        """The response to one request."""
        call = call_of(self.service.access, "ChatCompletions", request)
        return await answered(self._answer(request, call), call, response_of)

    async def _answer(self, request: Request, call: Call) -> ASGIApp:
        self.in_flight.check(call)  # before the body is read, and before the store is asked for the conversation
        call = admitted(self.service, call, request)
        body = object_of(await read_body(request))
        asked = chat_request(body)
        try:
            if asked.stream:
                return await self._stream(request, asked, call)
            return await attended(self._whole(request, asked, call), request.receive, self.cut)
        except InvalidInput as error:
            if error.field != "query":
                raise
            field = f"messages[{len(body['messages']) - 1}].content"  # what the field is called here
            raise InvalidInput(field, str(error).removeprefix("query: ")) from None

    async def _whole(self, request: Request, asked: ChatRequest, call: Call) -> Response:
        session, completion = await self._begin(request, asked, call)
        with self.in_flight.counted(call):
            answer = await self.service.ask_agent(asked.agent_request(session), call)
        await self._remember(asked, call, session, answer)
        return JSONResponse(completion.whole(answer), headers=_headers(call, session))

    async def _stream(self, request: Request, asked: ChatRequest, call: Call) -> ASGIApp:
        """A stream, once there is something to say: an error before that has a status of its own."""
        session, completion = await self._begin(request, asked, call)
        events = self._events(asked.agent_request(session), call)
        try:
            first = await attended(_first(events), request.receive, self.cut)
        except BaseException:
            await events.aclose()
            raise

        async def pieces() -> AsyncGenerator[bytes]:
            async with aclosing(events):
                yield _sent(completion.chunk({"role": "assistant", "content": ""}))
                try:
                    yield await self._piece(first, asked, call, completion)
                    async for event in events:
                        yield await self._piece(event, asked, call, completion)
                except ENDINGS:
                    raise
                except BaseException as error:  # noqa: BLE001  # as in `answered`; a stream has no other place for it
                    yield _sent(body_of(error, call)[1])
                else:
                    yield _DONE

        headers = {"content-type": "text/event-stream; charset=utf-8", **_headers(call, session)}
        return Streamed(pieces, headers=headers, cut=self.cut, last=lambda error: _sent(body_of(error, call)[1]))

    async def _begin(self, request: Request, asked: ChatRequest, call: Call) -> tuple[str, Completion]:
        """The session that the request belongs to, and what makes the objects of the response."""
        session = asked.session_id or request.headers.get(SESSION, "")
        if not session:
            session = await self.conversations.session_of(call.principal, asked.before, platform=call.platform)
        return session, Completion(f"chatcmpl-{uuid.uuid4().hex}", int(time.time()), asked.model)

    async def _events(self, request: pb.AgentRequest, call: Call) -> AsyncGenerator[pb.AgentEvent]:
        with self.in_flight.counted(call):
            async with aclosing(self.service.ask_agent_stream(request, call)) as events:
                async for event in events:
                    yield event

    async def _piece(self, event: pb.AgentEvent, asked: ChatRequest, call: Call, completion: Completion) -> bytes:
        """An event as the stream has it; a comment, which clients read over, where OpenAI has no such thing."""
        kind = str(event.WhichOneof("event"))
        if kind == "text_delta":
            return _sent(completion.chunk({"content": event.text_delta}))
        if kind != "completed":
            return f": {kind}\n\n".encode()
        answer = event.completed
        await self._remember(asked, call, answer.session_id, answer)
        last: dict[str, Any] = {"content": sources(answer)} if answer.citations else {}
        if answer.citations:
            last["annotations"] = cited_places(answer)
        sent = _sent(completion.chunk(last)) if last else b""
        sent += _sent(completion.chunk({}, finish_reason(answer)))
        return sent + (_sent(completion.usage_chunk(answer)) if asked.with_usage else b"")

    async def _remember(self, asked: ChatRequest, call: Call, session: str, answer: pb.AgentResponse) -> None:
        said = (*asked.before, Exchanged(asked.query, answer.text + sources(answer)))
        await self.conversations.remember(call.principal, said, session)


def _headers(call: Call, session: str) -> dict[str, str]:
    """The request's id, and the session's where a header can hold it."""
    named = {SESSION: session} if session.isascii() and session.isprintable() else {}
    return {REQUEST_ID: call.request_id, **named}


async def _first(events: AsyncGenerator[pb.AgentEvent]) -> pb.AgentEvent:
    """The first event that says something, or that takes long."""
    async for event in events:
        if event.WhichOneof("event") in ("text_delta", "completed") or event.progress.stage == _WORKING:
            return event
    raise EngineError("the answer ended without a result")


def _sent(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n\n"
