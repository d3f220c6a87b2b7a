from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest

from engine.planning.tools.config import Server
from engine.planning.tools.mcp.stdio import program

PING = SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method="ping"))
#: Answers every line with itself.
ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"


def running(code: str, **env: str) -> Server:
    return Server("s", sys.executable, ("-c", code), env=env)


async def test_messages_go_and_come_in_lines() -> None:
    async with program(running(ECHO), max_line=1_000) as (incoming, outgoing):
        await outgoing.send(PING)
        came = await incoming.receive()
    assert isinstance(came, SessionMessage)
    assert came.message == PING.message


async def test_a_line_that_is_no_message_is_passed_on_as_an_error() -> None:
    code = f"print('hello, I am a server', flush=True)\n{ECHO}"
    async with program(running(code), max_line=1_000) as (incoming, outgoing):
        assert isinstance(await incoming.receive(), ValueError)
        await outgoing.send(PING)
        assert isinstance(await incoming.receive(), SessionMessage)


@pytest.mark.parametrize("code", ["print('x' * 100_000)", "pass", "import os; os._exit(3)"])
async def test_a_line_too_long_or_an_end_ends_the_stream(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.planning.tools.mcp.stdio._GRACE", 0.02)  # the first of them waits until it is read
    async with program(running(code), max_line=1_000) as (incoming, _outgoing):
        with pytest.raises(anyio.EndOfStream):
            await incoming.receive()


async def test_writing_to_a_program_that_has_ended_breaks_nothing() -> None:
    async with program(running("pass"), max_line=1_000) as (incoming, outgoing):
        with pytest.raises(anyio.EndOfStream):
            await incoming.receive()
        await outgoing.send(PING)


async def test_it_inherits_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_SECRET", "canary")
    code = (
        "import json, os\nprint(json.dumps({'jsonrpc': '2.0', 'method': 'm', 'params': dict(os.environ)}), flush=True)"
    )
    async with program(running(code, OWN="value"), max_line=100_000) as (incoming, _outgoing):
        came = await incoming.receive()
    assert isinstance(came, SessionMessage)
    told = came.message.model_dump()["params"]
    assert told["OWN"] == "value"
    assert "ENGINE_SECRET" not in told
    assert "PATH" in told


async def test_what_it_writes_to_stderr_is_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    code = f"import sys; print('canary', file=sys.stderr, flush=True)\n{ECHO}"
    async with program(running(code), max_line=1_000) as (incoming, outgoing):
        await outgoing.send(PING)
        await incoming.receive()
    assert "canary" not in "".join(capfd.readouterr())


async def test_a_program_that_cannot_be_started_is_an_error() -> None:
    with pytest.raises(OSError, match="no-such-program"):
        async with program(Server("s", "no-such-program"), max_line=1_000):
            pass


async def test_it_ends_with_the_block_also_when_that_is_cancelled(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    code = f"import os, pathlib\npathlib.Path({str(file)!r}).write_text(str(os.getpid()))\nprint('{{}}', flush=True)\n{ECHO}"
    begun = asyncio.Event()

    async def hold() -> None:
        async with program(running(code), max_line=1_000) as (incoming, _outgoing):
            await incoming.receive()
            begun.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(hold())
    await begun.wait()
    started = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.perf_counter() - started < 10
    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)


async def test_a_program_that_will_not_end_is_killed_and_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.planning.tools.mcp.stdio._GRACE", 0.0)  # too short for any end, one by a kill included
    code = (
        "import json, os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print(json.dumps({'jsonrpc': '2.0', 'method': 'm', 'params': {'pid': os.getpid()}}), flush=True)\ntime.sleep(60)"
    )
    async with program(running(code), max_line=1_000) as (incoming, _outgoing):
        came = await incoming.receive()
    assert isinstance(came, SessionMessage)
    with pytest.raises(ProcessLookupError):
        os.kill(came.message.model_dump()["params"]["pid"], 0)
