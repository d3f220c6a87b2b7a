from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from engine import metrics
from engine.bootstrap.sampling import sample_forever
from engine.errors import DependencyUnavailable
from engine.testing import FixedClock
from tests.metered import metered, shown


def sleeping(clock: FixedClock, late: float, times: int) -> Callable[[float], Awaitable[None]]:
    """A sleep that wakes so many seconds late, and that ends the sampling after so many times."""
    left = [times]

    async def sleep(seconds: float) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise asyncio.CancelledError
        clock.move(seconds + late)

    return sleep


async def test_lag_is_how_late_the_loop_wakes() -> None:
    async def count() -> int:
        return 640

    clock = FixedClock()
    with metered() as counted:
        with pytest.raises(asyncio.CancelledError):
            await sample_forever(count, sleeping(clock, 0.2, 3), clock)
        assert counted["engine_event_loop_lag_seconds_count"] == 3
        assert counted["engine_event_loop_lag_seconds_sum"] == pytest.approx(0.6)
    assert shown(metrics.PASSAGES) == {"": 640}


async def test_an_index_that_cannot_be_read_leaves_the_last_figure_and_the_sampling_goes_on() -> None:
    asked = []

    async def count() -> int:
        asked.append(True)
        if len(asked) == 2:
            raise DependencyUnavailable("index", "damaged")
        return len(asked)

    clock = FixedClock()
    with pytest.raises(asyncio.CancelledError):
        await sample_forever(count, sleeping(clock, 0.0, 100), clock)
    assert len(asked) == 2
    assert shown(metrics.PASSAGES) == {"": 1}
