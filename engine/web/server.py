"""The HTTP server: what is where, how it starts and how it stops."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from classifier.embedder import Embedder
from engine import telemetry
from engine.errors import ConfigurationError, DeadlineExceeded
from engine.retrieval.port import Index
from engine.service.calls import InFlight
from engine.service.dependencies import Dependencies
from engine.service.limits import ServerLimits, read_in_time
from engine.service.methods import AssistanceService
from engine.web import page
from engine.web.connections import limited
from engine.web.documents import Uploads
from engine.web.exchange import given_up
from engine.web.health import Exposition, Health
from engine.web.mcp import ModelContext
from engine.web.openai import endpoints as openai
from engine.web.openai.errors import error_body
from engine.web.origins import Origins
from engine.web.procedures import PATH, Procedures

if TYPE_CHECKING:
    from engine.identity.tls import ServerTls

#: Seconds that cut answers get to store what they have said, and that connections get to close.
_LAST_WORDS = 5.0
_CLOSE_SECONDS = 2
_KEEP_ALIVE_SECONDS = 75
#: Between two looks at the clock for the header `date`.
_HEADERS_SECONDS = 1.0


class WebServer:
    """Serves an `AssistanceService` over HTTP.

    Args:
        address: host:port; port 0 takes a free one.
        dependencies: Their state, for probes.
        embedder: For OpenAI's embeddings; None leaves them out.
        index: For the Model Context Protocol; None leaves it out.
        hosts: Names that it is called by, beside `localhost` and IP addresses.
        origins: Origins of pages of other sites that may call.
        tls: Certificates; None: clear text.
        limits: What connections and readers are held to.
        shared: Other processes may listen there too, which then share its connections.

    Attributes:
        address: Where it listens, once it does.
    """

    def __init__(
        self,
        service: AssistanceService,
        *,
        address: str,
        dependencies: Dependencies,
        embedder: Embedder | None = None,
        index: Index | None = None,
        hosts: Sequence[str] = (),
        origins: Sequence[str] = (),
        tls: ServerTls | None = None,
        limits: ServerLimits | None = None,
        shared: bool = False,
    ) -> None:
        limits = limits or ServerLimits()
        self._stall = limits.stall
        self._in_flight = InFlight()
        self._cut = asyncio.Event()
        self._asked = address
        self._shared = shared
        self.address = ""
        procedures = Procedures(service, self._in_flight, self._cut)
        health = Health(self._in_flight, dependencies)
        routes = [
            Route(PATH, procedures.endpoint, methods=["POST"]),
            Route("/documents/{name}", Uploads(service, self._in_flight, self._cut).endpoint, methods=["PUT"]),
            Route("/healthz", health.live),
            Route("/readyz", health.ready),
            Route("/metrics", Exposition(service.access).endpoint),
            *openai.routes(service, embedder, self._in_flight, self._cut),
            *page.routes(),
        ]
        self._mcp = None if index is None else ModelContext(service, index, self._in_flight, self._cut)
        if self._mcp is not None:
            routes.append(Route("/mcp", self._mcp))
        app = Starlette(routes=routes, exception_handlers={404: _nothing_there, 405: _other_method, 500: _broken})
        config = uvicorn.Config(
            _Contained(Origins(app, hosts=hosts, origins=origins), limits.stall),
            http=limited(limits.connections),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ssl_context_factory=None if tls is None else lambda _config, _default: tls.context(),
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_CLOSE_SECONDS,
        )
        # Its lines are not the engine's, and a traceback may quote a caller: `_Contained` logs what matters.
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
        self._server = _Uvicorn(config)
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Listens.

        Raises:
            ConfigurationError: The address cannot be listened on.
        """
        listening = _listen(self._asked, self._stall, shared=self._shared)
        self.address = f"{self._asked.rpartition(':')[0]}:{listening.getsockname()[1]}"
        self._running = asyncio.create_task(self._server.serve([listening]))
        ready = asyncio.create_task(self._server.listening.wait())
        await asyncio.wait([self._running, ready], return_when=asyncio.FIRST_COMPLETED)
        if self._running.done():
            ready.cancel()
            self._running.result()
        telemetry.logger().info(telemetry.SERVING_WEB.format(address=self.address))

    async def stop(self, grace: float) -> None:
        """Lets no new call in, waits for the running ones, cuts those that outlast `grace` seconds, and ends.

        A cut answer is stored as partial before this returns.
        """
        self._in_flight.close()
        await self._in_flight.wait_idle(grace)
        self._cut.set()
        await self._in_flight.wait_idle(_LAST_WORDS)
        if self._mcp is not None:
            await self._mcp.stop()
        self._server.leave()
        if self._running is not None:
            # Waited for, not awaited: a stop that is cancelled must not take the server's own end along.
            await asyncio.wait([self._running])


class _Uvicorn(uvicorn.Server):
    """Uvicorn on our event loop: signals are the command's, it says when it listens, and ends when it is told to."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()
        self._leaving = asyncio.Event()

    def leave(self) -> None:
        """Ends it."""
        self.should_exit = True
        self._leaving.set()

    async def main_loop(self) -> None:
        """Keeps the time of its headers until it is to end; it is told, and does not look ten times a second."""
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._leaving.wait(), _HEADERS_SECONDS)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leaves them alone."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listens."""
        await super().startup(sockets)
        self.listening.set()


class _Contained:
    """What an endpoint did not expect is logged without its words, and answered when there is still time to.

    A response that nobody reads for `stall` seconds is broken off.
    """

    def __init__(self, app: ASGIApp, stall: float) -> None:
        self._app = app
        self._stall = stall

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def noting(message: Message) -> None:
            nonlocal started
            started = True
            await read_in_time(send(message), "http", self._stall)

        try:
            await self._app(scope, receive, noting)
        except (ClientDisconnect, DeadlineExceeded):
            return
        except Exception as error:  # noqa: BLE001  # the boundary: nothing unmapped may reach a caller
            telemetry.logger().error(
                telemetry.UNEXPECTED.format(method="http"), kind=type(error).__name__, at=telemetry.where(error)
            )
            if not started:
                await JSONResponse({"code": "internal", "message": "internal error"}, 500)(scope, receive, send)
        finally:
            given_up(scope)


def _listen(address: str, stall: float, *, shared: bool = False) -> socket.socket:
    """A socket that listens on host:port.

    Args:
        stall: Seconds after which the system closes a connection whose other end takes nothing of what was sent, where
            it can (Linux, `TCP_USER_TIMEOUT`; the connections inherit it): a close would wait for that other end.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, int(port)), family=family, backlog=512, reuse_port=shared)
    except OSError:
        raise ConfigurationError(
            f"ENGINE_WEB_ADDRESS: cannot listen on {address}; another process has the port, or the host is not of this "
            "machine. End that process, choose another address, or set it to nothing to serve gRPC alone"
        ) from None
    # asyncio sets it on sockets that it makes itself only. Without it an event waits for the acknowledgement of the one
    # before, that the other end holds back for 40 ms (Nagle's algorithm, delayed acknowledgements; RFC 9293, 3.7.4).
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(stall * 1000))
    return listening


async def _broken(request: Request, error: Exception) -> Response:
    del request, error  # `_Contained` logs it
    return JSONResponse({"code": "internal", "message": "internal error"}, 500)


async def _nothing_there(request: Request, error: Exception) -> Response:
    del error
    message = f"{request.url.path[:100]}: there is nothing here; see docs/web.md for what is"
    return _told(request, 404, "not_found", message)


async def _other_method(request: Request, error: Exception) -> Response:
    headers = getattr(error, "headers", None)
    message = f"{request.method} is not served here; use {(headers or {}).get('Allow', 'another method')}"
    return _told(request, 405, "unimplemented", message, headers)


def _told(request: Request, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Response:
    """An error in the form of those who ask there."""
    if request.url.path.startswith("/v1/"):
        return JSONResponse(error_body(message, "invalid_request_error", code, None), status, headers)
    return JSONResponse({"code": code, "message": message}, status, headers)
