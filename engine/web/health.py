"""What those ask who watch the service: whether it lives, whether it accepts calls, and `/metrics`."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from engine import metrics
from engine.service.access import Access
from engine.service.calls import InFlight
from engine.service.dependencies import Dependencies
from engine.web.exchange import call_of
from engine.web.openai.errors import response_of


@dataclass(frozen=True, slots=True)
class Health:
    """Answers probes, as `grpc.health.v1` does, from the last results.

    A dependency that fails shows under its name only: the engine still serves what does not need it.
    """

    in_flight: InFlight
    dependencies: Dependencies

    async def live(self, request: Request) -> JSONResponse:
        """The event loop turns."""
        del request
        return JSONResponse({"status": "ok"})

    async def ready(self, request: Request) -> JSONResponse:
        """200 while calls are accepted, 503 once the engine is stopping; with the state of each dependency."""
        del request
        serving = not self.in_flight.closed
        states = {name: _state(works) for name, works in self.dependencies.working.items()}
        body = {"status": _state(serving), "dependencies": states}
        return JSONResponse(body, 200 if serving else 503, {"cache-control": "no-store"})


def _state(works: bool) -> str:
    return "SERVING" if works else "NOT_SERVING"


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
