"""The servers of one engine: gRPC, and the web beside it, over the same service. A piece of the composition root."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from classifier.embedder import Embedder
from engine import telemetry
from engine.bootstrap.descriptors import server_limits
from engine.bootstrap.identity import build_tls, warn_of_open_doors
from engine.errors import ConfigurationError
from engine.retrieval.port import Index
from engine.rpc.server import GrpcServer
from engine.service.methods import AssistanceService
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.web.server import WebServer


class Servers:
    """Both servers, started and stopped as one.

    Args:
        settings: ENGINE_WEB_ADDRESS set to nothing leaves the web out. Where it is not set at all and another process
            has the default port, as where several engines run on one machine, the engine says so and serves gRPC alone.
        shared: Other processes listen on the same addresses.

    Attributes:
        grpc: The gRPC server.
        web: The web server, where there is one.
    """

    def __init__(
        self,
        settings: Settings,
        service: AssistanceService,
        grpc: GrpcServer,
        embedder: Embedder | None = None,
        index: Index | None = None,
        shared: bool = False,
    ) -> None:
        self._settings = settings
        self._may_miss = "engine_web_address" not in settings.model_fields_set
        self.grpc = grpc
        self.web = _web(settings, service, grpc, embedder, index, shared) if settings.engine_web_address else None

    async def start(self) -> None:
        """Listens.

        Raises:
            ConfigurationError: An address cannot be listened on; nothing is left running.
        """
        warn_of_open_doors(self._settings)
        await self.grpc.start()
        if self.web is None:
            return
        try:
            await self.web.start()
        except ConfigurationError as error:
            if not self._may_miss:
                await self.grpc.stop(0)
                raise
            self.web = None
            telemetry.logger().warning(telemetry.NO_WEB.format(reason=error))

    async def stop(self, grace: float) -> None:
        """Stops both at the same time; see their own."""
        await asyncio.gather(self.grpc.stop(grace), *([] if self.web is None else [self.web.stop(grace)]))


def _web(
    settings: Settings,
    service: AssistanceService,
    grpc: GrpcServer,
    embedder: Embedder | None,
    index: Index | None,
    shared: bool,
) -> WebServer:
    from engine.web.server import WebServer

    return WebServer(
        service,
        address=settings.engine_web_address,
        dependencies=grpc.dependencies,
        embedder=embedder,
        index=index,
        hosts=settings.web_hosts,
        origins=settings.cors_origins,
        tls=build_tls(settings),
        limits=server_limits(settings),
        shared=shared,
    )
