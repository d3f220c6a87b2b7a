"""Exports at a threshold, and the watch for a promoted artifact."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from classifier.decision import Layer, QueryType
from classifier.learning.label_files import label_files, read_labels
from classifier.learning.labels import Provenance
from classifier.linear.artifact import Artifact, ArtifactError
from engine.conversation.store.port import TurnRecord
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Outcome, Rating
from engine.routing.label_export import ArtifactWatch, LabelExports, sessions_in_order, signature
from engine.testing import FixedClock

WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@pytest.fixture(autouse=True)
def _all_levels() -> None:
    """Log lines of every level are seen, whatever a command before has set."""
    structlog.reset_defaults()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlSessionStore]:
    opened = SqlSessionStore(tmp_path / "sessions.sqlite3")
    yield opened
    await opened.close()


def turn(name: str, session_id: str = "s", principal: str = "ana", **more: Any) -> TurnRecord:
    values: dict[str, Any] = {"type": QueryType.PLATFORM, "layer": Layer.DECLARED, "created_at": 100.0} | more
    return TurnRecord(name, principal, session_id, f"the usage of {name}", "", outcome=Outcome.COMPLETE, **values)


def exports(store: SqlSessionStore, folder: Path, clock: FixedClock | None = None) -> LabelExports:
    return LabelExports(store, folder / "labels", lambda: Counter({"PLATFORM": 5000}), clock or FixedClock(200.0))


@pytest.mark.parametrize("size", [1, 2, 3, 100])
async def test_sessions_come_whole_and_in_order(store: SqlSessionStore, size: int) -> None:
    for place, name in enumerate(WORDS):
        await store.append(turn(name, f"s{place % 3}", ("ana", "bob")[place % 2]))
    found = [session async for session in sessions_in_order(store, size)]
    assert [(turns[0].principal, turns[0].session_id, len(turns)) for turns in found] == [
        ("ana", "s0", 2), ("ana", "s1", 1), ("ana", "s2", 2), ("bob", "s0", 2), ("bob", "s1", 2), ("bob", "s2", 1),
    ]  # fmt: skip
    assert all([entry.sequence for entry in turns] == list(range(1, len(turns) + 1)) for turns in found)


async def test_an_empty_store_has_no_sessions(store: SqlSessionStore) -> None:
    assert [session async for session in sessions_in_order(store)] == []


async def test_an_export_holds_what_is_new_or_changed(store: SqlSessionStore, tmp_path: Path) -> None:
    loop = exports(store, tmp_path)
    await store.append(turn("one"))
    await store.append(turn("two", layer=Layer.EMBEDDING))
    done = await loop.export()
    assert (done.written, done.selection.untrainable) == (1, 1)
    assert (await loop.export()).path is None
    await store.rate("ana", "two", Rating.DOWN, "that was about money")
    assert (await loop.export()).selection.untrainable == 1  # written for people to look at
    assert [(label.rating, label.remark) for label in read_labels(tmp_path / "labels")][1:] == [
        ("DOWN", "that was about money")
    ]
    await store.correct("ana", "two", QueryType.RETRIEVAL)
    again = await loop.export()
    assert again.written == 1
    assert [path.name for path in label_files(tmp_path / "labels")] == [f"labels-{n}.jsonl" for n in (1, 2, 3)]
    assert [label.provenance for label in read_labels(tmp_path / "labels")] == [
        Provenance.DECLARED,
        Provenance.CORRECTED,
    ]


async def test_an_export_is_due_at_the_threshold_of_sessions_since_the_last(
    store: SqlSessionStore, tmp_path: Path
) -> None:
    clock = FixedClock(200.0)
    loop = exports(store, tmp_path, clock)
    await store.append(turn("one", "a"))
    assert not await loop.due(2)
    await store.append(turn("two", "b"))
    assert await loop.due(2)
    await loop.export()
    assert not await loop.due(1)
    await store.append(turn("three", "c", created_at=300.0))
    assert await loop.due(1)


async def test_the_loop_exports_says_so_and_survives_a_failure(
    store: SqlSessionStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    blocked = tmp_path / "labels" / ".lock"
    blocked.mkdir(parents=True)

    async def waited(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 1:
            blocked.rmdir()
        if len(waits) == 3:
            raise asyncio.CancelledError

    monkeypatch.setattr("engine.routing.label_export.asyncio.sleep", waited)
    await store.append(turn("one"))
    with capture_logs() as logs, pytest.raises(asyncio.CancelledError):
        await exports(store, tmp_path).forever(1)
    assert [entry["event"] for entry in logs] == ["[labels] export failed", "[labels] exported 1"]
    assert waits == [60.0, 5.0, 5.0]
    assert "usage" not in str(logs)


class Watched:
    """An artifact file, what was read of it, and what was taken into use."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "a.npz"
        self.read: list[str] = []
        self.used: list[Any] = []
        self.watch = ArtifactWatch(lambda: self.path, self._read, self.used.append, signature(self.path))

    def _read(self, path: Path) -> Artifact:
        text = path.read_text("utf-8") if path.exists() else "gone"
        self.read.append(text)
        if text in ("junk", "gone"):
            raise ArtifactError(path, "is junk")
        return Artifact(text, None, None, path)  # type: ignore[arg-type]

    def promote(self, text: str) -> None:
        spare = self.path.with_name("spare")
        spare.write_text(text, "utf-8")
        os.replace(spare, self.path)  # noqa: PTH105

    @property
    def ids(self) -> list[str]:
        return [artifact.id for artifact in self.used]


async def test_a_file_that_does_not_change_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_text("one", "utf-8")
    watched = Watched(tmp_path)
    await watched.watch.look()
    assert watched.read == []


async def test_a_promoted_artifact_is_taken_once_and_a_refused_one_leaves_it(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    for text in ("one", "one", "junk", "two"):
        watched.promote(text)
        with capture_logs() as logs:
            await watched.watch.look()
            await watched.watch.look()
        expected = "no model: " if text == "junk" else "model loaded from "
        assert [entry["event"] for entry in logs] == [
            f"[classifier/L2] {expected}{watched.path}{': is junk' if text == 'junk' else ''}"
        ]
    assert watched.read == ["one", "one", "junk", "two"]
    assert watched.ids == ["one", "one", "two"]


async def test_an_artifact_at_another_path_is_seen(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    watched.promote("one")
    await watched.watch.look()
    other = tmp_path / "b.npz"
    other.write_text("two", "utf-8")
    watched.path = other
    await watched.watch.look()
    watched.path = tmp_path / "none.npz"
    await watched.watch.look()
    assert watched.ids == ["one", "two"]


async def test_the_watch_survives_whatever_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def find() -> Path:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise RuntimeError("a canary")
        raise asyncio.CancelledError

    async def waited(_: float) -> None:
        return None

    monkeypatch.setattr("engine.routing.label_export.asyncio.sleep", waited)
    watch = ArtifactWatch(find, lambda path: Artifact("x", None, None, path), lambda _: None, signature(tmp_path))  # type: ignore[arg-type]
    with capture_logs() as logs, pytest.raises(asyncio.CancelledError):
        await watch.forever()
    assert [entry["event"] for entry in logs] == ["[classifier/L2] no model: RuntimeError"]
