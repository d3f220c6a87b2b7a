"""TOOLS_FILE: which MCP servers there are, and which of our tools each of their tools is.

    {
      "servers": {
        "city": {"command": "python", "args": ["city_server.py"], "env": {"CITY": "Hong Kong"}},
        "search": {"url": "https://tools.example/mcp", "headers": {"Authorization": "Bearer ..."}}
      },
      "tools": {
        "weather": {"server": "city", "tool": "get_forecast", "query": "place", "arguments": {"days": 3}},
        "web_search": {"server": "search", "tool": "search", "seconds": 15, "description": "The public web."}
      }
    }

A server has `command` with `args`, `env` and `cwd`, or `url` with `headers`. It gets no variable of ours but PATH, HOME
and their like: what it needs stands in `env`. A tool names its server and the server's tool; `query` is the server's
argument that takes the query (unset: `query`), `arguments` are given along unchanged, `seconds` is the budget of one
call, and `description` tells the planner when to use it (the well-known names have one).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import ConfigurationError

VARIABLE = "TOOLS_FILE"
#: Names that are taken by the tools that are built in.
BUILT_IN = frozenset({"kb", "calculator", "time", "database"})
#: What the planner is told of the well-known names.
DESCRIPTIONS = {
    "web_search": "The public web: news, people, prizes, ratings, anything not in the documentation. Query: key words.",
    "weather": "Weather now and forecasts. Query: the place and the day.",
    "finance": "Prices of shares, currencies and goods, now and before. Query: the name or symbol, and the period.",
    "transport": "Routes, times and fares between places. Query: from where to where, and when.",
    "vision": "What is in a picture. Query: its address and the question.",
}
_SECONDS = 10.0
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_MAX_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Server:
    """An MCP server: a program to start (`command`), or an address to talk to (`url`). One of the two is empty."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    cwd: str | None = None
    url: str = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MappedTool:
    """One of our tools, and the server's tool that it is.

    Attributes:
        query: The server's argument that takes the query.
        arguments: Given along with each call.
        seconds: Budget of one call.
    """

    name: str
    server: str
    tool: str
    description: str
    query: str = "query"
    arguments: dict[str, Any] = field(default_factory=dict)
    seconds: float = _SECONDS


@dataclass(frozen=True, slots=True)
class ToolsFile:
    """What the file says."""

    servers: tuple[Server, ...]
    tools: tuple[MappedTool, ...]


def read_tools_file(path: Path) -> ToolsFile:
    """What `path` says.

    Raises:
        ConfigurationError: It cannot be used; the message names variable, file and place, and says what is right.
    """
    try:
        return _Reader(path).read()
    except (OSError, UnicodeDecodeError):
        problem = "the file cannot be read; name a JSON file in UTF-8"
        raise ConfigurationError(f"{VARIABLE}: {path}: {problem}") from None
    except json.JSONDecodeError as error:
        problem = f"line {error.lineno}, column {error.colno}: this is not JSON"
        raise ConfigurationError(f"{VARIABLE}: {path}: {problem}") from None


class _Reader:
    """Reads the file, and knows at which place of it something is wrong."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> ToolsFile:
        if self._path.stat().st_size > _MAX_BYTES:
            raise self._wrong("the file", f"at most {_MAX_BYTES // 1024} KiB")
        try:
            written = json.loads(self._path.read_text("utf-8"))
        except RecursionError:
            raise self._wrong("the file", "less deeply nested JSON") from None
        found = self._object(written, "the file", {"servers", "tools"})
        servers = self._object(found.get("servers", {}), "servers")
        tools = self._object(found.get("tools", {}), "tools")
        return ToolsFile(
            tuple(self._server(name, item) for name, item in servers.items()),
            tuple(self._tool(name, item, servers) for name, item in tools.items()),
        )

    def _server(self, name: str, item: object) -> Server:
        place = f"servers.{name}"
        found = self._object(item, place, {"command", "args", "env", "cwd", "url", "headers"})
        command, url = found.get("command", ""), found.get("url", "")
        remote = isinstance(url, str) and re.fullmatch(r"https?://\S+", url) is not None
        if bool(command) == bool(url) or not isinstance(command, str) or (url and not remote):
            raise self._wrong(place, "either `command` (a program) or `url` (an http or https address)")
        for key in ("args", "env", "cwd") if url else ("headers",):
            if key in found:
                raise self._wrong(f"{place}.{key}", f"not beside `{'url' if url else 'command'}`")
        args = found.get("args", [])
        if not isinstance(args, list) or not all(isinstance(one, str) for one in args):
            raise self._wrong(f"{place}.args", "a list of texts")
        cwd = found.get("cwd")
        if cwd is not None and not isinstance(cwd, str):
            raise self._wrong(f"{place}.cwd", "a folder")
        env = self._texts(found.get("env", {}), f"{place}.env")
        headers = self._texts(found.get("headers", {}), f"{place}.headers")
        return Server(name, command, tuple(args), env, cwd, url, headers)

    def _tool(self, name: str, item: object, servers: dict[str, Any]) -> MappedTool:
        place = f"tools.{name}"
        if _NAME.fullmatch(name) is None or name in BUILT_IN:
            built_in = ", ".join(sorted(BUILT_IN))
            raise self._wrong(place, f"a name in lower case letters, digits and _, and none of {built_in}")
        keys = {"server", "tool", "query", "arguments", "seconds", "description"}
        found = self._object(item, place, keys)
        if found.get("server") not in servers:
            raise self._wrong(
                f"{place}.server", f"one of {', '.join(servers) or 'the servers, of which there are none'}"
            )
        seconds = found.get("seconds", _SECONDS)
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= 300:
            raise self._wrong(f"{place}.seconds", "a number above 0, at most 300")
        return MappedTool(
            name,
            found["server"],
            self._text(found.get("tool"), f"{place}.tool"),
            self._text(found.get("description", DESCRIPTIONS.get(name)), f"{place}.description"),
            self._text(found.get("query", "query"), f"{place}.query"),
            self._object(found.get("arguments", {}), f"{place}.arguments"),
            float(seconds),
        )

    def _object(self, found: object, place: str, keys: set[str] | None = None) -> dict[str, Any]:
        if not isinstance(found, dict):
            raise self._wrong(place, "an object in braces")
        unknown = sorted(found.keys() - keys) if keys else []
        if unknown:
            raise self._wrong(f"{place}.{unknown[0]}", f"no such key; there are {', '.join(sorted(keys or ()))}")
        return found

    def _texts(self, found: object, place: str) -> dict[str, str]:
        items = self._object(found, place)
        if not all(isinstance(value, str) for value in items.values()):
            raise self._wrong(place, "an object of texts")
        return items

    def _text(self, found: object, place: str) -> str:
        if not isinstance(found, str) or not found.strip():
            raise self._wrong(place, "a text that is not empty")
        return found

    def _wrong(self, place: str, right: str) -> ConfigurationError:
        return ConfigurationError(f"{VARIABLE}: {self._path}: {place}: {right}")
