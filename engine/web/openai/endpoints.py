"""Where OpenAI's endpoints are, with the short ones: the models, and the engine's embedder."""

from __future__ import annotations

import asyncio
import base64
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from classifier.embedder import Embedder
from engine.errors import InvalidInput, Overloaded
from engine.service.access import Access
from engine.service.calls import REQUEST_ID, Call, InFlight
from engine.service.methods import AssistanceService
from engine.text.material import encodable
from engine.web.exchange import answered, attended, call_of, read_body
from engine.web.openai.chat import Chat
from engine.web.openai.conversations import Conversations
from engine.web.openai.errors import UnknownModel, response_of
from engine.web.openai.forms import MODELS, object_of

#: Texts of one request, and requests that wait while one is worked on: all share the embedder with the questions.
_TEXTS = 256
_WAITING = 16
_RETRY_SECONDS = 1.0


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


@dataclass(slots=True)
class Embeddings:
    """Answers requests for embeddings, one at a time.

    Attributes:
        access: Says who calls and what they may.
        cut: Set when what is still running has to end.
    """

    embedder: Embedder
    access: Access
    in_flight: InFlight
    cut: asyncio.Event
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _waiting: int = 0

    async def endpoint(self, request: Request) -> Response:
        """The response to one request."""
        call = call_of(self.access, "Embeddings", request)
        return await answered(self._answer(request, call), call, response_of)

    async def _answer(self, request: Request, call: Call) -> Response:
        self.in_flight.check(call)
        body = object_of(await read_body(request))
        texts, as_base64 = self._texts(body), self._form(body)
        with self.in_flight.counted(call):
            vectors = await attended(self._embedded(texts), request.receive, self.cut)
        found: dict[str, Any] = {
            "object": "list",
            "data": _data(vectors, as_base64=as_base64),
            "model": self.embedder.id,
        }
        # The embedder does not say how many tokens it read.
        found["usage"] = {"prompt_tokens": 0, "total_tokens": 0}
        return JSONResponse(found, headers={REQUEST_ID: call.request_id})

    def _texts(self, body: dict[str, Any]) -> list[str]:
        name, given = body.get("model"), body.get("input")
        if not isinstance(name, str) or not name:
            raise InvalidInput("model", f"is required: {self.embedder.id}")
        if name != self.embedder.id:
            raise UnknownModel(name, [self.embedder.id])
        texts = [given] if isinstance(given, str) else given
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
            raise InvalidInput("input", "must be a text, or a list of texts, none of them empty; tokens are not read")
        if len(texts) > _TEXTS:
            raise InvalidInput("input", f"there are {len(texts)} texts; at most {_TEXTS} are allowed")
        return list(map(encodable, texts))

    def _form(self, body: dict[str, Any]) -> bool:
        """Whether vectors are written in base64."""
        if body.get("dimensions") not in (None, self.embedder.dimensions):
            raise InvalidInput("dimensions", f"must be {self.embedder.dimensions}, or left out")
        form = body.get("encoding_format", "float")
        if form not in ("float", "base64"):
            raise InvalidInput("encoding_format", "must be float or base64")
        return bool(form == "base64")

    async def _embedded(self, texts: list[str]) -> NDArray[np.float32]:
        if self._waiting >= _WAITING:
            raise Overloaded("engine: too many embeddings are waited for", _RETRY_SECONDS)
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(self.embedder.embed, texts)
        finally:
            self._waiting -= 1


def _data(vectors: NDArray[np.float32], *, as_base64: bool) -> list[dict[str, Any]]:
    written = (
        base64.b64encode(vector.astype("<f4").tobytes()).decode() if as_base64 else vector.tolist()
        for vector in vectors
    )
    return [{"object": "embedding", "index": place, "embedding": one} for place, one in enumerate(written)]
