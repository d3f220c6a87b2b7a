"""The page for people and the widget: files that ship with the engine, kept in memory, under a strict policy."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FOLDER = Path(__file__).parent / "static"
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
#: Nothing from elsewhere, no script or style in the page itself, and nobody may frame it.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
_HEADERS = {
    "cache-control": "no-cache",
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}
#: The widget is for pages of other sites to load; what it may ask is decided by ENGINE_CORS_ORIGINS.
_SHARED = {"cross-origin-resource-policy": "cross-origin", "access-control-allow-origin": "*"}
_IMPORT = re.compile(r"^import .*$\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def routes() -> list[Route]:
    """Where the page, its parts and the widget are."""
    found = (path for path in FOLDER.rglob("*") if path.suffix in _KINDS)
    files = {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in found}
    return [
        _route("/", files["index.html"], ".html"),
        _route("/widget.js", _widget(files), ".js", _SHARED),
        *(_route(f"/page/{name}", body, Path(name).suffix) for name, body in files.items() if name != "widget.js"),
    ]


def _route(path: str, body: bytes, suffix: str, more: dict[str, str] | None = None) -> Route:
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {**_HEADERS, **(more or {}), "etag": tag}

    async def serve(request: Request) -> Response:
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(body, media_type=_KINDS[suffix], headers=headers)

    return Route(path, serve)


def _widget(files: dict[str, bytes]) -> bytes:
    """The widget with the protocol in one file that any script element can load."""
    inner = _EXPORT.sub("", files["protocol.js"].decode()) + _IMPORT.sub("", files["widget.js"].decode())
    return f"(() => {{\n{inner}}})();\n".encode()
