"""The gRPC server: where it listens, how it starts and how it stops."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from engine import telemetry
from engine.errors import address_taken
from engine.rpc.boundary import Boundary
from engine.rpc.front import Front
from engine.rpc.health import HealthMonitor
from engine.service.calls import SERVICE, InFlight
from engine.service.dependencies import Check, Dependencies
from engine.service.limits import ServerLimits
from engine.service.methods import AssistanceService

if TYPE_CHECKING:
    from engine.identity.tls import ServerTls

#: Seconds that cut answers get to store what they have said.
_LAST_WORDS = 5.0
#: Seconds that what has been answered gets to reach its caller.
_FLUSH = 0.5
_OPTIONS: tuple[tuple[str, int], ...] = (
    # A little above our own limit, so that too large a request gets our message and not the library's.
    ("grpc.max_receive_message_length", 1 << 20),
    # Clients may ping a stream that is silent while a cold model loads.
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_ping_strikes", 0),
    # A peer that is gone without a word, or whose process stands still, is noticed within 80 seconds.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    # A connection that never speaks HTTP/2 is closed, and one without calls told to go; clients open another unasked.
    ("grpc.server_handshake_timeout_ms", 20_000),
    ("grpc.max_connection_idle_ms", 600_000),
)


class GrpcServer:
    """Serves an `AssistanceService`.

    Args:
        address: host:port; port 0 takes a free one.
        checks: Dependencies for the health service, by name.
        reflection_on: Serve server reflection.
        tls: Certificates; None: clear text.
        limits: What connections and readers are held to.
        shared: Other processes may listen there too, which then share its calls.

    Attributes:
        dependencies: Their state, checked while this server runs.
        address: Where it listens, once it does.
    """

    def __init__(
        self,
        service: AssistanceService,
        *,
        address: str,
        checks: Mapping[str, Check],
        reflection_on: bool,
        tls: ServerTls | None = None,
        limits: ServerLimits | None = None,
        shared: bool = False,
    ) -> None:
        self._service = service
        self._limits = limits or ServerLimits()
        self._in_flight = InFlight()
        self.dependencies = Dependencies(checks)
        self._front = Front()
        self._health = HealthMonitor(self.dependencies, self._front)
        self._shared = shared
        self._reflection_on = reflection_on
        self._asked = address
        self._tls = tls
        self._server: Any = None
        self._background: asyncio.Task[None] | None = None
        self.address = ""

    async def start(self) -> None:
        """Listens.

        Raises:
            ConfigurationError: The address cannot be listened on.
        """
        self._front.start()
        port = await self._front.run(self._listen(asyncio.get_running_loop()))
        if not port:
            await self._front.stop()
            raise address_taken("ENGINE_GRPC_ADDRESS", self._asked)
        self.address = f"{self._asked.rpartition(':')[0]}:{port}"
        await self._health.start()
        self._background = asyncio.create_task(self._health.run())
        telemetry.logger().info(telemetry.SERVING.format(address=self.address))

    async def _listen(self, engine: asyncio.AbstractEventLoop) -> int:
        """Makes and starts gRPC's server on the loop that runs this; its port, 0 where the address is taken."""
        most = ("grpc.max_allowed_incoming_connections", self._limits.connections)
        # Two servers on one port seem to work both: unless that is wanted, the second must fail.
        server: Any = grpc.aio.server(options=(*_OPTIONS, most, ("grpc.so_reuseport", int(self._shared))))
        boundary = Boundary(self._service, self._in_flight, self._limits.stall, engine)
        server.add_generic_rpc_handlers((boundary.handlers(),))
        health_pb2_grpc.add_HealthServicer_to_server(self._health.servicer, server)
        if self._reflection_on:
            names = (SERVICE.full_name, health_pb2.DESCRIPTOR.services_by_name["Health"].full_name)
            reflection.enable_server_reflection((*names, reflection.SERVICE_NAME), server)
        try:
            if self._tls is None:
                port = server.add_insecure_port(self._asked)
            else:
                port = server.add_secure_port(self._asked, _credentials(self._tls))
        except RuntimeError:
            return 0
        await server.start()
        self._server = server
        return int(port)

    async def stop(self, grace: float) -> None:
        """Lets no new call in, waits for the running ones, cuts those that outlast `grace` seconds, and ends.

        A cut answer is stored as partial before this returns. Idempotent.
        """
        telemetry.logger().info(telemetry.STOPPING.format(seconds=grace))
        if self._background is not None:
            self._background.cancel()
        self._in_flight.close()
        if self._server is not None:
            await self._health.stop()
            await self._in_flight.wait_idle(grace)
            # What has been made may be on its way out yet. Health watches never end by themselves: there is a limit.
            await self._front.run(self._server.stop(_FLUSH))
            await self._in_flight.wait_idle(_LAST_WORDS)
            self._server = None
        await self._front.stop()
        telemetry.logger().info(telemetry.STOPPED)


def _credentials(tls: ServerTls) -> grpc.ServerCredentials:
    """What gRPC shows, and asks of clients."""
    return grpc.ssl_server_credentials(
        [(tls.key, tls.certificate)],
        root_certificates=tls.client_ca or None,
        require_client_auth=bool(tls.client_ca),
    )
