from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigurationError
from engine.planning.tools.config import DESCRIPTIONS, MappedTool, Server, read_tools_file

GOOD: dict[str, Any] = {
    "servers": {
        "city": {"command": "python", "args": ["s.py"], "env": {"KEY": "v"}, "cwd": "/srv"},
        "search": {"url": "https://tools.example/mcp", "headers": {"Authorization": "Bearer x"}},
    },
    "tools": {
        "weather": {"server": "city", "tool": "forecast", "query": "place", "arguments": {"days": 3}, "seconds": 4},
        "web_search": {"server": "search", "tool": "search"},
        "recipes": {"server": "search", "tool": "cook", "description": "Recipes."},
    },
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tools.json"


def test_it_is_read(file: Path) -> None:
    file.write_text(json.dumps(GOOD), "utf-8")
    found = read_tools_file(file)
    assert found.servers == (
        Server("city", "python", ("s.py",), {"KEY": "v"}, "/srv"),
        Server("search", url="https://tools.example/mcp", headers={"Authorization": "Bearer x"}),
    )
    assert found.tools == (
        MappedTool("weather", "city", "forecast", DESCRIPTIONS["weather"], "place", {"days": 3}, 4.0),
        MappedTool("web_search", "search", "search", DESCRIPTIONS["web_search"]),
        MappedTool("recipes", "search", "cook", "Recipes."),
    )


def test_the_example_of_the_documentation_is_right(file: Path) -> None:
    page = (Path(__file__).parents[5] / "docs" / "tools.md").read_text("utf-8")
    example = re.search(r"```json\n(.*?)```", page, re.DOTALL)
    assert example
    file.write_text(example[1], "utf-8")
    assert [tool.name for tool in read_tools_file(file).tools] == ["weather", "web_search"]


@pytest.mark.parametrize("content", ["{}", '{"servers": {}}', '{"tools": {}}'])
def test_nothing_is_nothing(file: Path, content: str) -> None:
    file.write_text(content, "utf-8")
    assert read_tools_file(file).tools == ()


def with_server(**changes: Any) -> dict[str, Any]:
    return {"servers": {"city": {"command": "python", **changes}}, "tools": {}}


def with_tool(name: str = "weather", **changes: Any) -> dict[str, Any]:
    return {"servers": GOOD["servers"], "tools": {name: {"server": "city", "tool": "forecast", **changes}}}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ([], "the file: an object in braces"),
        ({"server": {}}, "the file.server: no such key; there are servers, tools"),
        ({"servers": []}, "servers: an object in braces"),
        ({"servers": {"city": "python"}}, "servers.city: an object in braces"),
        ({"servers": {"city": {}}}, "servers.city: either `command` (a program) or `url`"),
        (with_server(url="http://x"), "servers.city: either `command`"),
        (with_server(command=["python"]), "servers.city: either `command`"),
        (with_server(command="", url="ftp://x"), "servers.city: either `command`"),
        (with_server(command="", url="http://x y"), "servers.city: either `command`"),
        (with_server(command="", url=7), "servers.city: either `command`"),
        (with_server(headers={}), "servers.city.headers: not beside `command`"),
        ({"servers": {"a": {"url": "http://x", "env": {}}}}, "servers.a.env: not beside `url`"),
        (with_server(args="s.py"), "servers.city.args: a list of texts"),
        (with_server(args=[1]), "servers.city.args: a list of texts"),
        (with_server(env={"A": 1}), "servers.city.env: an object of texts"),
        (with_server(cwd=1), "servers.city.cwd: a folder"),
        (with_server(argz=[]), "servers.city.argz: no such key; there are args, command, cwd, env, headers, url"),
        (with_tool("kb"), "tools.kb: a name in lower case letters, digits and _, and none of calculator, database, kb"),
        (with_tool("Weather"), "tools.Weather: a name in lower case"),
        (with_tool("a b"), "tools.a b: a name in lower case"),
        (with_tool(server="town"), "tools.weather.server: one of city, search"),
        ({"tools": {"weather": {"server": "x", "tool": "y"}}}, "one of the servers, of which there are none"),
        (with_tool(tool=""), "tools.weather.tool: a text that is not empty"),
        (with_tool(tool=None), "tools.weather.tool: a text that is not empty"),
        (with_tool(query=""), "tools.weather.query: a text that is not empty"),
        (with_tool(seconds=0), "tools.weather.seconds: a number above 0, at most 300"),
        (with_tool(seconds="10"), "tools.weather.seconds: a number above 0"),
        (with_tool(seconds=True), "tools.weather.seconds: a number above 0"),
        (with_tool(seconds=301), "tools.weather.seconds: a number above 0"),
        (with_tool(arguments=[1]), "tools.weather.arguments: an object in braces"),
        (with_tool("recipes"), "tools.recipes.description: a text that is not empty"),
        (with_tool(extra=1), "tools.weather.extra: no such key"),
    ],
)
def test_what_is_wrong_is_named_with_the_place_and_what_is_right(file: Path, content: Any, says: str) -> None:
    file.write_text(json.dumps(content), "utf-8")
    with pytest.raises(ConfigurationError) as error:
        read_tools_file(file)
    assert str(error.value).startswith(f"TOOLS_FILE: {file}: ")
    assert says in str(error.value)


def test_a_file_that_is_not_json_is_named_with_the_line(file: Path) -> None:
    file.write_text('{\n  "servers": {,}\n}', "utf-8")
    with pytest.raises(ConfigurationError, match=r"tools\.json: line 2, column 15: this is not JSON"):
        read_tools_file(file)


def test_a_file_that_cannot_be_read_is_named(file: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"the file cannot be read; name a JSON file in UTF-8"):
        read_tools_file(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match=r"the file cannot be read"):
        read_tools_file(file)


def test_a_file_that_is_too_large_is_refused(file: Path) -> None:
    file.write_text(json.dumps({"servers": {}, "tools": {}}) + " " * 300_000, "utf-8")
    with pytest.raises(ConfigurationError, match="at most 256 KiB"):
        read_tools_file(file)


def test_a_secret_in_the_file_is_not_repeated(file: Path) -> None:
    content = {"servers": {"s": {"url": "http://x", "headers": {"Authorization": "canary"}, "env": {"A": "canary"}}}}
    file.write_text(json.dumps(content), "utf-8")
    with pytest.raises(ConfigurationError) as error:
        read_tools_file(file)
    assert "canary" not in str(error.value)
