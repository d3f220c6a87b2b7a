"""`grpc.health.v1`, with one name per dependency, from checks that run in the background.

A probe is answered from the last result, so that probing often does not mean asking often.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from grpc_health.v1 import health, health_pb2

from engine.rpc.boundary import SERVICE

Check = Callable[[], Awaitable[None]]

#: Seconds between checks, and that one check may take.
_EVERY = 10.0
_WITHIN = 3.0


class HealthMonitor:
    """Keeps the health service's answers up to date.

    The names "" and the service's own say whether calls are accepted. A dependency that fails shows under its own name
    only: the engine still serves what does not need it.

    Args:
        checks: By dependency name; a check that returns is fine, one that raises or lasts is not.
    """

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self.servicer = health.aio.HealthServicer()  # type: ignore[attr-defined]  # set at import time
        self._checks = dict(checks)

    async def start(self) -> None:
        """Checks everything once and says SERVING."""
        await self.check()
        for name in ("", SERVICE.full_name):
            await self.servicer.set(name, health_pb2.HealthCheckResponse.SERVING)

    async def run(self) -> None:
        """Checks for ever; cancel it to end it."""
        while True:
            await asyncio.sleep(_EVERY)
            await self.check()

    async def check(self) -> None:
        """Checks every dependency once, side by side."""
        await asyncio.gather(*(self._check(name, check) for name, check in self._checks.items()))

    async def stop(self) -> None:
        """Says NOT_SERVING from now on, also to those who watch."""
        await self.servicer.enter_graceful_shutdown()

    async def _check(self, name: str, check: Check) -> None:
        status = health_pb2.HealthCheckResponse.SERVING
        try:
            async with asyncio.timeout(_WITHIN):
                await check()
        except Exception:  # noqa: BLE001  # whatever is wrong with a dependency, it is not serving
            status = health_pb2.HealthCheckResponse.NOT_SERVING
        await self.servicer.set(name, status)
