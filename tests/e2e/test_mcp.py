"""`assistance-engine mcp` as assistants start it: a process of its own that speaks on stdin and stdout."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.conftest import command, environment
from tests.forked import ROOT

START = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mcp")
    notes = folder / "notes"
    notes.mkdir()
    (notes / "harbour.md").write_text("# Harbour\n\n## Opening hours\n\nThe harbour office opens at 9:40.\n", "utf-8")
    done = command(folder / "data", "index", str(notes))
    assert done.returncode == 0, done.stderr
    return folder / "data"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_starts_it_asks_and_reads(data: Path, tmp_path: Path, mode: str) -> None:
    started = StdioServerParameters(
        command=sys.executable, args=["-m", "engine", "mcp"], env=environment(data), cwd=ROOT
    )
    with (tmp_path / "stderr").open("w") as errors:
        async with Client(stdio_client(started, errlog=errors), mode=mode) as client:
            found = await client.call_tool("search", {"query": "when does the harbour office open?"})
            answer = await client.call_tool("ask", {"query": "When does the harbour office open?", "session": "s-1"})
            (resource,) = (await client.list_resources()).resources
            (passage,) = (await client.read_resource(resource.uri)).contents
    hits: Any = found.structured_content
    said: Any = answer.structured_content
    assert hits["hits"][0]["document"].endswith("harbour.md")
    assert "9:40" in said["text"]
    assert said["citations"][0]["uri"] == resource.uri
    assert "9:40" in getattr(passage, "text", "")
    assert "Traceback" not in (tmp_path / "stderr").read_text()
    listed = json.loads(command(data, "sessions", "show", "s-1", "--json").stdout)
    assert listed["turns"][-1]["outcome"] == "COMPLETE"


@pytest.fixture
def process(data: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "engine", "mcp"],
        cwd=ROOT,
        env=environment(data),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as started:
        yield started
        started.kill()


def send(process: subprocess.Popen[str], method: str, **params: Any) -> dict[str, Any]:
    assert process.stdin
    assert process.stdout
    print(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), file=process.stdin, flush=True)
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def test_it_ends_with_its_client(process: subprocess.Popen[str]) -> None:
    assert send(process, "initialize", **START)["result"]["serverInfo"]["name"] == "assistance-engine"
    rest, errors = process.communicate(timeout=60)  # closes stdin
    assert (process.returncode, rest) == (0, ""), errors


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_it_waits_for_a_line(process: subprocess.Popen[str], name: signal.Signals) -> None:
    send(process, "initialize", **START)
    process.send_signal(name)
    assert process.wait(60) == 0
    assert process.stderr
    assert process.stderr.read() == ""
