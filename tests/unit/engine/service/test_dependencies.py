from __future__ import annotations

import asyncio

import pytest

from engine import metrics
from engine.service import dependencies
from engine.service.dependencies import Dependencies
from tests.metered import shown


async def fine() -> None:
    return


async def broken() -> None:
    raise ValueError("whatever")


async def silent() -> None:
    await asyncio.Event().wait()


async def test_what_was_not_checked_yet_does_not_work() -> None:
    assert Dependencies({"index": fine}).working == {"index": False}


async def test_each_dependency_has_its_own_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependencies, "_WITHIN", 0.01)
    parts = Dependencies({"index": fine, "ollama": broken, "database": silent})
    await parts.check()
    assert parts.working == {"index": True, "ollama": False, "database": False}


async def test_watching_checks_again_and_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependencies, "_EVERY", 0)
    seen: list[dict[str, bool]] = []
    works = asyncio.Event()

    async def later() -> None:
        if not works.is_set():
            raise ValueError("not yet")

    parts = Dependencies({"index": later})

    async def changed() -> None:
        seen.append(dict(parts.working))
        works.set()
        if len(seen) == 2:
            raise StopAsyncIteration

    with pytest.raises(StopAsyncIteration):
        await parts.watch(changed)
    assert seen == [{"index": False}, {"index": True}]


async def test_the_state_of_each_is_a_metric() -> None:
    await Dependencies({"index": fine, "ollama": broken}).check()
    states = shown(metrics.DEPENDENCY_UP)
    assert (states["index"], states["ollama"]) == (1.0, 0.0)
