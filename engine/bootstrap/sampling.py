"""What no call shows and has to be looked at from time to time: the event loop's lag, the size of the index."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from engine import metrics
from engine.errors import EngineError

#: Seconds between looks at the loop, and looks at the index for each of those at the loop.
_EVERY = 0.5
_LOOKS = 60


async def sample_forever(
    count: Callable[[], Awaitable[int]],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float] | None = None,
) -> None:
    """Records how late the event loop is twice a second, and how many passages there are every half minute.

    Args:
        count: The passages in the index.
        sleep: Waits for so many seconds.
        clock: The event loop's, seconds.
    """
    now = clock or asyncio.get_running_loop().time
    while True:
        await _sample_index(count)
        for _ in range(_LOOKS):
            due = now() + _EVERY
            await sleep(_EVERY)
            metrics.LOOP_LAG.observe(max(now() - due, 0.0))


async def _sample_index(count: Callable[[], Awaitable[int]]) -> None:
    try:
        metrics.PASSAGES.set(await count())
    except EngineError:  # its health says so; the last figure stands
        return
