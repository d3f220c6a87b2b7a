"""What a decision takes: milliseconds, alone and in a crowd."""

from __future__ import annotations

import asyncio
import math
import statistics
import time
from collections.abc import Sequence

from classifier.cascade import Cascade
from classifier.decision import Query

#: Callers that ask at the same time.
CROWD = 32


async def milliseconds(router: Cascade, texts: Sequence[str]) -> dict[str, dict[str, float]]:
    """Median and 95th percentile of one decision for one caller, and for each of `CROWD` callers.

    Args:
        router: Asked through `decide`, as when serving.
        texts: Distinct, so that no memo answers; the first half is asked alone, the second by the crowd.
    """
    half = len(texts) // 2
    return {
        "1 caller": await _asked(router, texts[:half], 1),
        f"{CROWD} callers": await _asked(router, texts[half:], CROWD),
    }


async def _asked(router: Cascade, texts: Sequence[str], callers: int) -> dict[str, float]:
    """Figures of `texts`, asked by so many callers, each of whom waits for its own answer."""
    waiting, times = iter(texts), [0.0][:0]

    async def ask() -> None:
        for text in waiting:
            start = time.perf_counter()
            await router.decide(Query(text))
            times.append((time.perf_counter() - start) * 1000)

    start = time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(callers)))
    spent = time.perf_counter() - start
    ordered = sorted(times) or [0.0]
    return {
        "median": round(statistics.median(ordered), 3),
        "p95": round(ordered[math.ceil(0.95 * len(ordered)) - 1], 3),
        "per_second": round(len(times) / max(spent, 1e-9), 1),
    }
