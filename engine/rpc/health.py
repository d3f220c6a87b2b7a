"""`grpc.health.v1`, with one name per dependency."""

from __future__ import annotations

from grpc_health.v1 import health, health_pb2

from engine.rpc.front import Front
from engine.service.calls import SERVICE
from engine.service.dependencies import Dependencies


class HealthMonitor:
    """Keeps the health service's answers up to date.

    The names "" and the service's own say whether calls are accepted. A dependency that fails shows under its own name
    only: the engine still serves what does not need it.

    Args:
        dependencies: Checked on the event loop of whoever calls.
        front: Where the servicer is served.
    """

    def __init__(self, dependencies: Dependencies, front: Front) -> None:
        self.servicer = health.aio.HealthServicer()  # type: ignore[attr-defined]  # set at import time
        self._dependencies = dependencies
        self._front = front

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
        await self._front.run(self.servicer.enter_graceful_shutdown())

    async def _tell(self) -> None:
        for name, works in self._dependencies.working.items():
            await self._set(name, serving=works)

    async def _set(self, name: str, *, serving: bool) -> None:
        states = health_pb2.HealthCheckResponse
        await self._front.run(self.servicer.set(name, states.SERVING if serving else states.NOT_SERVING))
