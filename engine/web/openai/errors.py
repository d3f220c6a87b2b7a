"""The engine's errors as OpenAI's clients read them."""

from __future__ import annotations

import math
from typing import Any

from starlette.responses import JSONResponse

from engine.errors import InvalidInput, NotFound
from engine.service.calls import REQUEST_ID, Call, explain
from engine.service.status import Code
from engine.web.exchange import TooLarge

#: The type of what the caller has to mend.
_CALLERS = "invalid_request_error"
#: HTTP's status, and OpenAI's type and code of an error.
_KINDS: dict[Code, tuple[int, str, str | None]] = {
    Code.INVALID_ARGUMENT: (400, _CALLERS, None),
    Code.NOT_FOUND: (404, _CALLERS, "not_found"),
    Code.UNAUTHENTICATED: (401, "authentication_error", "invalid_api_key"),
    Code.PERMISSION_DENIED: (403, "permission_error", None),
    Code.ABORTED: (409, "conflict_error", "session_busy"),
    Code.RESOURCE_EXHAUSTED: (429, "rate_limit_error", "rate_limit_exceeded"),
    Code.FAILED_PRECONDITION: (500, "server_error", None),
    Code.DEADLINE_EXCEEDED: (504, "server_error", "timeout"),
    Code.UNAVAILABLE: (503, "server_error", "unavailable"),
}
_INTERNAL = (500, "server_error", None)


class UnknownModel(NotFound):
    """A model that is not served."""

    def __init__(self, name: str, served: list[str]) -> None:
        super().__init__(f"model: {name[:100]!r} is not served; there are {', '.join(served)}")


def error_body(message: str, kind: str, code: str | None, param: str | None) -> dict[str, Any]:
    """An error in OpenAI's form."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def body_of(error: BaseException, call: Call) -> tuple[int, dict[str, Any], dict[str, str]]:
    """HTTP's status, the body and the headers for an error."""
    headers = {REQUEST_ID: call.request_id}
    if isinstance(error, TooLarge):
        return 413, error_body(str(error), _CALLERS, None, None), headers
    if isinstance(error, UnknownModel):
        return 404, error_body(str(error), _CALLERS, "model_not_found", "model"), headers
    status = explain(error, call)
    http, kind, code = _KINDS.get(status.code, _INTERNAL)
    headers |= dict(status.trailers)
    if wait := headers.get("retry-after-ms"):
        headers["retry-after"] = str(math.ceil(int(wait) / 1000))
    param = error.field if isinstance(error, InvalidInput) else None
    return http, error_body(status.message, kind, code, param), headers


def response_of(error: BaseException, call: Call) -> JSONResponse:
    """The response for an error."""
    http, body, headers = body_of(error, call)
    return JSONResponse(body, http, headers)
