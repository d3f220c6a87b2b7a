"""Several processes on one address, from outside."""

from __future__ import annotations

import asyncio
import os
import select
import signal
from pathlib import Path
from typing import Any

import httpx

from engine.client import AssistanceClient


def workers_of(service: Any) -> set[int]:
    """The processes that it has started and that are not its zombies."""
    children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children").read_text("ascii")
    return {int(pid) for pid in children.split()}


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


async def test_two_workers_share_an_address_and_a_session_and_end_with_ctrl_c(guide: Path, start: Any) -> None:
    service = start(guide, words=("--workers", "2"))
    begun = workers_of(service)
    assert len(begun) == 2
    answers = []
    for _ in range(6):  # each connection is one of the two workers'
        async with AssistanceClient(service.address) as client:
            answers.append(await client.ask("What is addVar in AVAP?", session_id="shared"))
    assert all(answer.citations for answer in answers)
    async with AssistanceClient(service.address) as client:
        session = await client.session("shared")
    assert [turn.turn_id for turn in session.turns] == [answer.turn_id for answer in answers]
    for _ in range(6):  # whichever of the two is asked
        async with httpx.AsyncClient(trust_env=False) as http:
            text = (await http.get(f"http://{service.web}/metrics")).text
        assert 'engine_calls_total{code="OK",method="AskAgent"} 6.0' in text
    assert await asyncio.to_thread(service.stop, signal.SIGINT) == 0
    assert not any(map(alive, begun))
    assert "Traceback" not in service.read_log()


async def test_a_worker_that_is_killed_is_replaced_and_none_outlives_the_service(guide: Path, start: Any) -> None:
    service = start(guide, words=("--workers", "2"))
    first, *others = sorted(workers_of(service))
    os.kill(first, signal.SIGKILL)
    while first in (now := workers_of(service)) or len(now) < 2:
        await asyncio.to_thread(service.wait, 0.05)
    assert now > set(others)
    assert f"worker {first} has ended with code -9" in service.read_log()
    service.process.kill()
    for pid in now:
        await asyncio.to_thread(_ended, pid)


def _ended(pid: int) -> None:
    """Returns when a process that is nobody's child here has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    with os.fdopen(descriptor):
        assert select.select([descriptor], [], [], 30)[0]
