"""Where OpenAI's endpoints are."""

from __future__ import annotations

import asyncio
import time

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from classifier.decision import Embedder
from engine.service.calls import InFlight
from engine.service.methods import AssistanceService
from engine.web.exchange import call_of
from engine.web.openai.chat import Chat
from engine.web.openai.conversations import Conversations
from engine.web.openai.embeddings import Embeddings
from engine.web.openai.errors import UnknownModel, response_of
from engine.web.openai.forms import MODELS


def routes(
    service: AssistanceService, embedder: Embedder | None, in_flight: InFlight, cut: asyncio.Event
) -> list[Route]:
    """The endpoints; embeddings where there is an embedder."""
    chat = Chat(service, Conversations(service.store, service.router), in_flight, cut)
    names = [*MODELS, *([embedder.id] if embedder else [])]
    listed = {name: _described(name, int(time.time())) for name in names}

    async def every_model(request: Request) -> Response:
        call = call_of(service.access, "Models", request)
        if call.refusal is not None:
            return response_of(call.refusal, call)
        return JSONResponse({"object": "list", "data": list(listed.values())})

    async def one_model(request: Request) -> Response:
        call, name = call_of(service.access, "Models", request), request.path_params["name"]
        if call.refusal is not None:
            return response_of(call.refusal, call)
        return JSONResponse(listed[name]) if name in listed else response_of(UnknownModel(name, names), call)

    found = [
        Route("/v1/models", every_model),
        Route("/v1/models/{name:path}", one_model),
        Route("/v1/chat/completions", chat.endpoint, methods=["POST"]),
    ]
    if embedder is not None:
        embeddings = Embeddings(embedder, service.access, in_flight, cut)
        found.append(Route("/v1/embeddings", embeddings.endpoint, methods=["POST"]))
    return found


def _described(name: str, created: int) -> dict[str, object]:
    return {"id": name, "object": "model", "created": created, "owned_by": "assistance-engine"}
