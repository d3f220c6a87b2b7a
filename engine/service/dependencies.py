"""Whether the parts that the engine needs work, from checks that run in the background.

A probe is answered from the last result, so that probing often does not mean asking often.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from engine import metrics

Check = Callable[[], Awaitable[None]]

#: Seconds between checks, and that one check may take.
_EVERY = 10.0
_WITHIN = 3.0


class Dependencies:
    """Keeps the state of every dependency.

    Args:
        checks: By dependency name; a check that returns is fine, one that raises or lasts is not.

    Attributes:
        working: The last result by name; False for what has not been checked yet.
    """

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = dict(checks)
        self.working = dict.fromkeys(self._checks, False)

    async def check(self) -> None:
        """Checks every dependency once, side by side."""
        results = await asyncio.gather(*(_works(check) for check in self._checks.values()))
        self.working = dict(zip(self._checks, results, strict=True))
        for name, works in self.working.items():
            metrics.DEPENDENCY_UP.labels(name).set(works)

    async def watch(self, changed: Callable[[], Awaitable[None]]) -> None:
        """Checks for ever, and calls `changed` after each time; cancel it to end it."""
        while True:
            await asyncio.sleep(_EVERY)
            await self.check()
            await changed()


async def _works(check: Check) -> bool:
    try:
        async with asyncio.timeout(_WITHIN):
            await check()
    except Exception:  # noqa: BLE001  # whatever is wrong with a dependency, it is not serving
        return False
    return True
