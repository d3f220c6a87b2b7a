"""`doctor`'s look at the MCP servers of TOOLS_FILE: real ones, and what can be wrong with them."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from engine.errors import DependencyUnavailable
from engine.planning.tools.config import ToolsFile, read_tools_file
from engine.planning.tools.mcp.check import check_servers

SERVER = Path(__file__).resolve().parents[1] / "mcp_server.py"
PROGRAM: dict[str, Any] = {"command": sys.executable, "args": [str(SERVER)]}
WEATHER = {"server": "s", "tool": "get_forecast", "query": "place", "arguments": {"days": 2}}


@pytest.fixture
def file(tmp_path: Path) -> Any:
    without = {"PYTHONDONTWRITEBYTECODE": "1"}

    def make(servers: dict[str, Any], **tools: dict[str, Any]) -> ToolsFile:
        servers = {name: (one | {"env": without} if "command" in one else one) for name, one in servers.items()}
        path = tmp_path / "tools.json"
        path.write_text(json.dumps({"servers": servers, "tools": tools}), "utf-8")
        return read_tools_file(path)

    return make


async def problem(file: ToolsFile, seconds: float = 60) -> str:
    with pytest.raises(DependencyUnavailable) as told:
        await check_servers(file, seconds)
    assert told.value.dependency == "tools"
    return str(told.value)


async def test_what_holds_over_both_transports_says_nothing(file: Any, tool_server: str) -> None:
    servers = {"s": PROGRAM, "far": {"url": tool_server}}
    await check_servers(file(servers, weather=WEATHER, web_search={"server": "far", "tool": "search"}), 60)
    await check_servers(file({}), 60)


async def test_each_thing_that_does_not_hold_is_named_with_what_there_is(file: Any) -> None:
    said = await problem(
        file(
            {"s": PROGRAM, "none": {"command": "/nowhere/at/all"}, "deaf": {"url": "http://127.0.0.1:1/mcp"}},
            weather=WEATHER,
            web_search={"server": "s", "tool": "no_such_tool"},
            finance={"server": "s", "tool": "get_quote", "query": "no_such_argument"},
            transport={"server": "s", "tool": "get_forecast", "query": "days"},
        )
    )
    assert "servers.none: it cannot be started or reached; see its `command` in TOOLS_FILE" in said
    assert "servers.deaf: it cannot be started or reached; see its `url` in TOOLS_FILE" in said
    assert "tools.web_search: its server has no tool no_such_tool; it has die, environment, fail" in said
    assert "tools.finance: get_quote takes no argument no_such_argument; it takes query" in said
    assert "tools.transport: get_forecast needs place; give it in `arguments`" in said
    assert "weather" not in said


async def test_a_server_that_says_nothing_has_a_limit(file: Any) -> None:
    silent = {"command": sys.executable, "args": ["-c", "import time; time.sleep(600)"]}
    started = time.monotonic()
    said = await problem(file({"s": silent, "t": silent}), 0.5)
    assert "servers.s: it does not list its tools within 0.5 s" in said
    assert "servers.t: " in said
    assert time.monotonic() - started < 10  # side by side; a program gets some seconds to end
