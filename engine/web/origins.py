"""Who may ask from a browser: the Host header against DNS rebinding, and the Origin header against other sites' pages.

A page of another site can send requests to an address on this machine, and one whose name was made to point here
(DNS rebinding) can read the answers too. A name that is neither ours nor an IP address is therefore refused, and so
is a page whose origin is neither our own nor in ENGINE_CORS_ORIGINS. Programs send no Origin header: they may.

Source: the Fetch standard (fetch.spec.whatwg.org), "CORS protocol".
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SAFE = ("GET", "HEAD")
_EXPOSED = "x-request-id, retry-after-ms, grpc-status, grpc-message"
#: Seconds for which a browser may remember what it is allowed.
_REMEMBER = "7200"


class Origins:
    """Lets requests through to `app`, or refuses them. ASGI middleware.

    Args:
        hosts: Names that this server is called by, beside `localhost` and IP addresses; "*" is any.
        origins: Origins of pages that may call, such as https://dashboard.example.com; "*" is any.
    """

    def __init__(self, app: ASGIApp, *, hosts: Sequence[str], origins: Sequence[str]) -> None:
        self._app = app
        self._hosts = {host.lower() for host in hosts}
        self._origins = {origin.lower() for origin in origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin", "").lower()
        if not self._is_ours(host):
            await _refused(421, "Host: this name is not served here; add it to ENGINE_WEB_HOSTS")(scope, receive, send)
            return
        allowed = origin in self._origins or "*" in self._origins
        foreign = bool(origin) and origin.partition("://")[2] != host.lower()
        if foreign and not allowed and scope["method"] not in _SAFE:
            told = "Origin: pages of this origin may not call; add it to ENGINE_CORS_ORIGINS"
            await _refused(403, told)(scope, receive, send)
            return
        if foreign and allowed:
            await self._crossing(scope, receive, send, headers)
            return
        await self._app(scope, receive, send)

    def _is_ours(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        return name == "localhost" or name in self._hosts or "*" in self._hosts or _is_address(name)

    async def _crossing(self, scope: Scope, receive: Receive, send: Send, headers: Headers) -> None:
        """Serves a page of another origin that is allowed to."""
        shared = {"access-control-allow-origin": headers["origin"], "vary": "Origin"}
        if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            preflight = {
                **shared,
                "access-control-allow-methods": "GET, POST",
                "access-control-allow-headers": headers.get("access-control-request-headers", "content-type"),
                "access-control-max-age": _REMEMBER,
            }
            if "access-control-request-private-network" in headers:
                preflight["access-control-allow-private-network"] = "true"
            await Response(status_code=204, headers=preflight)(scope, receive, send)
            return

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = MutableHeaders(scope=message)
                added.update({**shared, "access-control-expose-headers": _EXPOSED})
            await send(message)

        await self._app(scope, receive, adding)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _refused(status: int, message: str) -> Response:
    return JSONResponse({"code": "permission_denied", "message": message}, status)
