"""Whether the MCP servers of TOOLS_FILE can be talked to, and have what the file says. For `doctor`.

Not for the health service: a server that is down costs its own part of an answer only, and asking one may mean starting
a program.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from engine.errors import DependencyUnavailable
from engine.planning.tools.config import Server, ToolsFile
from engine.planning.tools.mcp.tool import connected

#: Seconds for a server to start, to list its tools and to end.
SECONDS = 10.0
_NAMES = 12


async def check_servers(file: ToolsFile, seconds: float = SECONDS) -> None:
    """Asks every server for its tools, side by side, each within `seconds`.

    Raises:
        DependencyUnavailable: Something of the file does not hold; the message names each place with its mend.
    """
    offers = await asyncio.gather(*(_offered(server, seconds) for server in file.servers))
    problems: list[str] = []
    for server, offered in zip(file.servers, offers, strict=True):
        if isinstance(offered, str):
            problems.append(f"servers.{server.name}: {offered}")
            continue
        problems += [
            f"tools.{tool.name}: {wrong}"
            for tool in file.tools
            if tool.server == server.name and (wrong := _misfit(tool.tool, {tool.query, *tool.arguments}, offered))
        ]
    if problems:
        raise DependencyUnavailable("tools", "; ".join(problems))


async def _offered(server: Server, seconds: float) -> Mapping[str, Mapping[str, Any]] | str:
    """The server's tools with the schemas of their arguments, or what is wrong."""
    where = "its `url`" if server.url else "its `command`"
    try:
        async with asyncio.timeout(seconds), connected(server) as client:
            page = await client.list_tools()
            tools = list(page.tools)
            while page.next_cursor:
                page = await client.list_tools(cursor=page.next_cursor)
                tools += page.tools
    except TimeoutError:
        return f"it does not list its tools within {seconds:g} s; see {where} in TOOLS_FILE"
    except Exception:  # noqa: BLE001  # the SDK's, the transport's and the system's errors are of many families
        return f"it cannot be started or reached; see {where} in TOOLS_FILE"
    return {tool.name: tool.input_schema for tool in tools}


def _misfit(name: str, given: set[str], offered: Mapping[str, Mapping[str, Any]]) -> str:
    """Why the server's tool of that name cannot be called with these arguments; empty when it can."""
    if name not in offered:
        return f"its server has no tool {name}; it has {', '.join(sorted(offered)[:_NAMES]) or 'none'}"
    schema = offered[name]
    takes = set(schema.get("properties", {}))
    unknown = sorted(given - takes)
    if unknown and schema.get("additionalProperties") is not True:
        return f"{name} takes no argument {unknown[0]}; it takes {', '.join(sorted(takes)) or 'none'}"
    lacking = sorted(set(schema.get("required", ())) - given)
    return f"{name} needs {lacking[0]}; give it in `arguments`" if lacking else ""
