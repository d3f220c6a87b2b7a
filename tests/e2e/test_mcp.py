"""`assistance-engine mcp` as assistants start it: a process of its own that speaks on stdin and stdout."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.conftest import command, environment
from tests.forked import ROOT, Forked

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


@dataclass
class Spoken:
    """A server on stdin and stdout, forked."""

    process: Forked
    stdin: IO[bytes]
    stdout: IO[bytes]
    errors: Path

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """What it answers."""
        self.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
        answer: dict[str, Any] = json.loads(self.stdout.readline())
        return answer


@pytest.fixture
def spoken(data: Path, tmp_path: Path) -> Iterator[Spoken]:
    (given, into), (out, told) = os.pipe(), os.pipe()
    errors = tmp_path / "errors"
    with os.fdopen(given, "rb") as theirs, os.fdopen(told, "wb") as said, errors.open("wb") as stderr:
        process = Forked(["mcp"], environment(data), theirs, said, stderr)
    with os.fdopen(into, "wb", buffering=0) as stdin, os.fdopen(out, "rb") as stdout:
        yield Spoken(process, stdin, stdout, errors)
    process.kill()


def test_it_ends_with_its_client(spoken: Spoken) -> None:
    assert spoken.send("initialize", **START)["result"]["serverInfo"]["name"] == "assistance-engine"
    spoken.stdin.close()
    assert (spoken.process.wait(60), spoken.stdout.read()) == (0, b""), spoken.errors.read_text()


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_it_waits_for_a_line(spoken: Spoken, name: signal.Signals) -> None:
    spoken.send("initialize", **START)
    spoken.process.send_signal(name)
    assert spoken.process.wait(60) == 0
    assert spoken.errors.read_text() == ""
