"""`PUT /documents/NAME`: a file into the index. Its body is the file as it is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from structlog.contextvars import bound_contextvars

from engine.errors import ENDINGS
from engine.retrieval.ingestion.limits import MOST_BYTES
from engine.retrieval.port import IndexReport
from engine.service.calls import REQUEST_ID, Call, InFlight
from engine.service.methods import AssistanceService
from engine.web.exchange import CallerGone, TooLarge, attended, call_of, read_body
from engine.web.procedures import refused


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
        call, name = call_of(self.service.access, "AddDocument", request), request.path_params["name"]
        with bound_contextvars(request_id=call.request_id, method=call.method):
            try:
                self.in_flight.check(call)  # before the body is read
                content = await read_body(request, name, MOST_BYTES)
                report = await attended(self._put(name, content, call), request.receive, self.cut)
                problems = [{"path": one.path, "reason": one.reason} for one in report.left_out]
                counts = {field: getattr(report, field) for field in ("added", "updated", "unchanged", "passages")}
                return JSONResponse({**counts, "problems": problems}, headers={REQUEST_ID: call.request_id})
            except CallerGone:
                return Response(status_code=499)
            except ENDINGS:
                raise
            except BaseException as error:  # noqa: BLE001  # nothing unmapped may reach a caller
                return refused(error, call, 413 if isinstance(error, TooLarge) else None)

    async def _put(self, name: str, content: bytes, call: Call) -> IndexReport:
        with self.in_flight.counted(call):
            return await self.service.documents().add(name, content)
