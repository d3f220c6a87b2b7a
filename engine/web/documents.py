"""`PUT /documents/NAME`: a file into the index. Its body is the file as it is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from engine.retrieval.ingestion.limits import MOST_BYTES
from engine.retrieval.port import IndexReport
from engine.service.calls import REQUEST_ID, Call, InFlight
from engine.service.methods import AssistanceService
from engine.web.exchange import answered, attended, call_of, read_body
from engine.web.procedures import refused_body


@dataclass(frozen=True, slots=True)
class Uploads:
    """Takes files.

    Attributes:
        cut: Set when what is still running has to end.
    """

    service: AssistanceService
    in_flight: InFlight
    cut: asyncio.Event

    async def endpoint(self, request: Request) -> Response:
        """The response to one file: what became of it, as JSON."""
        call = call_of(self.service.access, "AddDocument", request)
        return await answered(self._taken(request, call), call, refused_body)

    async def _taken(self, request: Request, call: Call) -> Response:
        self.in_flight.check(call)  # before the body is read
        name = request.path_params["name"]
        content = await read_body(request, name, MOST_BYTES)
        report = await attended(self._put(name, content, call), request.receive, self.cut)
        problems = [{"path": one.path, "reason": one.reason} for one in report.left_out]
        counts = {field: getattr(report, field) for field in ("added", "updated", "unchanged", "passages")}
        return JSONResponse({**counts, "problems": problems}, headers={REQUEST_ID: call.request_id})

    async def _put(self, name: str, content: bytes, call: Call) -> IndexReport:
        with self.in_flight.counted(call):
            return await self.service.documents().add(name, content)
