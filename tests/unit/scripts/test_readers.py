"""The loads of readers that stop and of callers who leave, in small."""

from __future__ import annotations

from pathlib import Path

from scripts.soaking.readers import cancelled, running, stalled


async def test_readers_that_stop_are_ended_and_their_turns_are_partial(tmp_path: Path) -> None:
    async with running(tmp_path, stall=2, turns=8) as engine:
        came_to = await stalled(engine, stopped=3, healthy=2, asks=3)
        assert engine.model.live == 0
    assert came_to.partial == 3
    assert came_to.ended > 0.1
    assert min(came_to.alone, came_to.beside) > 0


async def test_callers_who_leave_leave_nothing_at_the_model(tmp_path: Path) -> None:
    async with running(tmp_path, stall=30, turns=200) as engine:
        grown, seconds = await cancelled(engine, 100)
        assert engine.model.live == 0
    assert abs(grown) < 500  # it is in megabytes; how many is for the full size to say
    assert seconds >= 0
