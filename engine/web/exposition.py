"""`/metrics`: what the service counts, in Prometheus' text format."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from engine import metrics
from engine.service.access import Access
from engine.web.exchange import call_of
from engine.web.openai.errors import response_of


@dataclass(frozen=True, slots=True)
class Exposition:
    """Shows the metrics to whoever has the scope `metrics`, or to everybody where identity is off."""

    access: Access

    async def endpoint(self, request: Request) -> Response:
        """The metrics with their present values; also while the service is stopping."""
        call = call_of(self.access, "Metrics", request)
        try:
            call.check()
        except Exception as error:  # noqa: BLE001  # the boundary
            return response_of(error, call)
        return Response(metrics.exposition(), media_type=metrics.CONTENT_TYPE, headers={"cache-control": "no-store"})
