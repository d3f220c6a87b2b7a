"""The MCP server by the command line of the official inspector, another implementation than the SDK's client."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Service, command, environment
from tests.forked import ROOT

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
pytestmark = [
    pytest.mark.backends,
    pytest.mark.timeout(600),
    pytest.mark.skipif(shutil.which("npx") is None, reason="no npx here: install Node.js and npm"),
]
Inspect = Callable[..., Any]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inspected")
    (folder / "harbour.md").write_text("# Harbour\n\nThe harbour office opens at 9:40.\n", "utf-8")
    assert command(folder / "data", "index", str(folder / "harbour.md")).returncode == 0
    return folder / "data"


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    done = subprocess.run(
        ["npx", "--yes", INSPECTOR, "--help"], capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        pytest.skip(f"the inspector cannot be installed: {done.stderr.strip().splitlines()[-1:]}")


@pytest.fixture(scope="module", params=["stdio", "http"])
def inspect(request: pytest.FixtureRequest, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inspect]:
    """Runs the inspector for one method of the protocol."""

    def run(target: list[str], *words: str) -> Any:
        done = subprocess.run(
            ["npx", "--yes", INSPECTOR, "--cli", *target, *words],
            cwd=ROOT,
            env=environment(data),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    if request.param == "stdio":
        configured = tmp_path_factory.mktemp("inspector") / "servers.json"
        started = {"command": sys.executable, "args": ["-m", "engine", "mcp"], "env": {"ENGINE_DATA_DIR": str(data)}}
        configured.write_text(json.dumps({"mcpServers": {"engine": started}}), "utf-8")
        yield lambda *words: run(["--config", str(configured), "--server", "engine"], *words)
        return
    service = Service(data, tmp_path_factory.mktemp("service") / "log")
    yield lambda *words: run([f"http://{service.web}/mcp", "--transport", "http"], *words)
    service.end()


def test_it_lists_the_tools(inspect: Inspect) -> None:
    listed = inspect("--method", "tools/list")
    assert {tool["name"] for tool in listed["tools"]} == {"ask", "search", "classify"}


def test_it_asks(inspect: Inspect) -> None:
    asked = ["--tool-name", "ask", "--tool-arg", "query=When does the harbour office open?"]
    answer = inspect("--method", "tools/call", *asked)
    assert "9:40" in answer["structuredContent"]["text"]
    assert answer["structuredContent"]["citations"][0]["document"] == "harbour.md"


def test_it_lists_and_reads_the_documents(inspect: Inspect) -> None:
    (document,) = inspect("--method", "resources/list")["resources"]
    (passage,) = inspect("--method", "resources/read", "--uri", document["uri"])["contents"]
    assert "9:40" in passage["text"]
