"""The MCP server of one engine: its handlers, and what a caller is told of an error."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any, TypeVar

from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
)
from structlog.contextvars import bound_contextvars

from engine.errors import ENDINGS
from engine.mcp.documents import TEMPLATE, Documents
from engine.mcp.tools import TOOLS, Tools
from engine.retrieval.port import Index
from engine.service.calls import Call, explain
from engine.service.methods import AssistanceService
from engine.service.status import Code

_T = TypeVar("_T")
#: The caller of one request, for transports that have several.
CallOf = Callable[[ServerRequestContext[Any, Any]], Call]

INSTRUCTIONS = (
    "Answers from the documents that were put into its index, with citations. `ask` answers; `search` gives passages "
    "without an answer; the resources are the documents themselves."
)
_CALLERS = (Code.INVALID_ARGUMENT, Code.NOT_FOUND)


def build_server(service: AssistanceService, index: Index, call_of: CallOf) -> Server:
    """A server with the tools and the documents.

    Args:
        service: Answers and routes.
        index: Is searched and listed.
        call_of: Says who makes a request; what it raises is the caller's answer.
    """
    tools, documents = Tools(service, index), Documents(index)

    async def list_tools(_ctx: ServerRequestContext, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=list(TOOLS))

    async def call_tool(ctx: ServerRequestContext, params: CallToolRequestParams) -> CallToolResult:
        call, stages = call_of(ctx), 0

        async def report(stage: str) -> None:
            nonlocal stages
            stages += 1
            await ctx.session.report_progress(stages, message=stage)

        with bound_contextvars(request_id=call.request_id, method=call.method):
            try:
                call.check()
                return await tools.run(params.name, params.arguments or {}, call, report)
            except ENDINGS:
                raise
            except BaseException as error:  # noqa: BLE001  # nothing unmapped may reach a caller
                status = explain(error, call)
                told = TextContent(text=f"{status.code.name}: {status.message}")
                return CallToolResult(content=[told], is_error=True)

    async def list_resources(ctx: ServerRequestContext, params: PaginatedRequestParams | None) -> ListResourcesResult:
        return await _told(call_of(ctx), documents.page(params.cursor if params else None))

    async def list_templates(
        _ctx: ServerRequestContext, _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=[TEMPLATE])

    async def read_resource(ctx: ServerRequestContext, params: ReadResourceRequestParams) -> ReadResourceResult:
        return ReadResourceResult(contents=[*await _told(call_of(ctx), documents.read(params.uri))])

    return Server(
        "assistance-engine",
        version=version("assistance-engine"),
        title="Assistance engine",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def local_call(_ctx: ServerRequestContext) -> Call:
    """The one caller of a server on stdin and stdout: whoever has started it."""
    return Call("Mcp", "stdio", "local", None, caller="stdio", platform=True)


async def _told(call: Call, work: Awaitable[_T]) -> _T:
    """The result of `work`, or what the protocol says of its error."""
    try:
        return await work
    except ENDINGS:
        raise
    except BaseException as error:  # noqa: BLE001  # as above
        status = explain(error, call)
        raise MCPError(INVALID_PARAMS if status.code in _CALLERS else INTERNAL_ERROR, status.message) from None
