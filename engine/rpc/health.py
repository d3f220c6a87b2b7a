"""`grpc.health.v1`, with one name per dependency."""

from __future__ import annotations

from grpc_health.v1 import health, health_pb2

from engine.service.calls import SERVICE
from engine.service.dependencies import Dependencies


class HealthMonitor:
    """Keeps the health service's answers up to date.

    The names "" and the service's own say whether calls are accepted. A dependency that fails shows under its own name
    only: the engine still serves what does not need it.
    """

    def __init__(self, dependencies: Dependencies) -> None:
        self.servicer = health.aio.HealthServicer()  # type: ignore[attr-defined]  # set at import time
        self._dependencies = dependencies

    async def start(self) -> None:
        """Checks everything once and says SERVING."""
        await self._dependencies.check()
        await self._tell()
        for name in ("", SERVICE.full_name):
            await self._set(name, serving=True)

    async def run(self) -> None:
        """Checks for ever; cancel it to end it."""
        await self._dependencies.watch(self._tell)

    async def stop(self) -> None:
        """Says NOT_SERVING from now on, also to those who watch."""
        await self.servicer.enter_graceful_shutdown()

    async def _tell(self) -> None:
        for name, works in self._dependencies.working.items():
            await self._set(name, serving=works)

    async def _set(self, name: str, *, serving: bool) -> None:
        states = health_pb2.HealthCheckResponse
        await self.servicer.set(name, states.SERVING if serving else states.NOT_SERVING)
