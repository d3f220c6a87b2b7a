"""Cancellation: noticed where a library has swallowed it, and held back where work has to be finished."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable


def raise_if_cancelled() -> None:
    """Raises `CancelledError` when this task was asked to end and something it awaited has swallowed that.

    LangGraph 1.2.22 does: `astream` with the stream mode "custom" ends in `suppress(CancelledError): await task`. A
    cancel that is delivered at that await is lost, and with it a caller's departure or the turn's deadline.

    Source: `asyncio.Task.cancelling`, which counts requests whether they were delivered or not; `asyncio.timeout` takes
    its own one back when it ends, so a limit of time within the turn that has passed is not mistaken for one.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


async def to_the_end(work: Awaitable[None]) -> None:
    """Awaits `work` to its end, also while this task is being cancelled."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
