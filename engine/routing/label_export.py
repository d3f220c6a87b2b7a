"""The loop that the running service keeps turning: labels out at a threshold, a promoted artifact in."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from classifier.learning.label_files import (
    exported_at,
    exporting,
    pseudonym_key,
    read_labels,
    set_exported_at,
    write_labels,
)
from classifier.learning.labels import Label, Selection, latest, select
from classifier.linear.artifact import Artifact, ArtifactError
from engine import telemetry
from engine.conversation.store.port import SessionStore, TurnRecord
from engine.routing.turn_labels import labels_of

#: Turns that are read at once.
PAGE = 200
#: Seconds between looks: for a new artifact, for enough new sessions, and after an export that failed.
WATCH_EVERY, EXPORT_EVERY, RETRY_AFTER = 2.0, 5.0, 60.0

#: Tells one state of a file from the next: path, inode, size and time of its last change; zeros where there is none.
Signature = tuple[Path, int, int, int]


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export did.

    Attributes:
        path: The file that was written; None when nothing was new.
        written: Labels in it.
        selection: All labels that may train layer 2, those of earlier exports included, and what was left out.
    """

    path: Path | None
    written: int
    selection: Selection


async def sessions_in_order(store: SessionStore, size: int = PAGE) -> AsyncIterator[list[TurnRecord]]:
    """Every stored session, whole, one after another; a page of turns is in memory at a time, and one session."""
    held: list[TurnRecord] = []
    last: TurnRecord | None = None
    while page := await store.every_turn(size=size, after=last):
        for turn in page:
            if held and (held[-1].principal, held[-1].session_id) != (turn.principal, turn.session_id):
                yield held
                held = []
            held.append(turn)
        last = page[-1]
    if held:
        yield held


class LabelExports:
    """Exports the labels of stored turns.

    Args:
        store: Whose turns are read.
        folder: Where the files go.
        base: By type, the rows that a training has beside the labels; read in a worker thread.
        clock: Unix seconds.
    """

    def __init__(
        self,
        store: SessionStore,
        folder: Path,
        base: Callable[[], Mapping[str, int]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._folder = folder
        self._base = base
        self._clock = clock

    async def due(self, threshold: int) -> bool:
        """Whether so many sessions have begun since the last export."""
        since = await asyncio.to_thread(exported_at, self._folder)
        return await self._store.sessions_since(since) >= threshold

    async def export(self) -> Exported:
        """Writes what is new or changed since the exports before.

        Raises:
            DependencyUnavailable: The store cannot be asked.
            LabelFileError: An earlier export is not as it was written.
            OSError: The folder cannot be written to.
        """
        began = self._clock()
        key = await asyncio.to_thread(self._key)
        found: list[Label] = []
        async for session in sessions_in_order(self._store):
            found += await asyncio.to_thread(lambda turns: list(labels_of(turns, key)), session)
        return await asyncio.to_thread(self._write, found, began)

    async def forever(self, threshold: int) -> None:
        """Exports whenever it is due; a failure is logged and tried again. Cancel it to end it."""
        while True:
            wait = EXPORT_EVERY
            try:
                if await self.due(threshold):
                    done = await self.export()
                    telemetry.logger().info(telemetry.LABELS_EXPORTED.format(count=done.written))
            except Exception as error:  # noqa: BLE001  # answers go on whatever becomes of labels
                telemetry.logger().warning(telemetry.EXPORT_FAILED, kind=type(error).__name__)
                wait = RETRY_AFTER
            await asyncio.sleep(wait)

    def _key(self) -> bytes:
        with exporting(self._folder):
            return pseudonym_key(self._folder)

    def _write(self, found: list[Label], began: float) -> Exported:
        with exporting(self._folder):
            known = read_labels(self._folder)
            every = latest([*known, *found])
            selection = select(every, self._base())
            before, judged = set(known), [label for label in every if label.relation or label.rating]
            fresh = [label for label in dict.fromkeys([*selection.labels, *judged]) if label not in before]
            path = write_labels(self._folder, fresh)
            set_exported_at(self._folder, began)
        return Exported(path, len(fresh), selection)


def signature(path: Path) -> Signature:
    """The present state of the file at `path`."""
    try:
        status = path.lstat()
    except OSError:
        return path, 0, 0, 0
    return path, status.st_ino, status.st_size, status.st_mtime_ns


class ArtifactWatch:
    """Takes a promoted artifact into use without a restart.

    Args:
        find: The path of the artifact that should be in use now.
        read: Reads one, or raises `ArtifactError`; called in a worker thread.
        use: Takes one into use; called on the event loop.
        seen: The state that is in use, or was refused, already.
    """

    def __init__(
        self,
        find: Callable[[], Path],
        read: Callable[[Path], Artifact],
        use: Callable[[Artifact], None],
        seen: Signature,
    ) -> None:
        self._find = find
        self._read = read
        self._use = use
        self._seen = seen

    async def look(self) -> None:
        """Reads the artifact if it is another one than before; one that is refused leaves the running one alone."""
        path = await asyncio.to_thread(self._find)
        now = await asyncio.to_thread(signature, path)
        if now == self._seen:
            return
        self._seen = now
        try:
            artifact = await asyncio.to_thread(self._read, path)
            self._use(artifact)
        except (ArtifactError, ValueError) as error:
            telemetry.logger().warning(telemetry.ARTIFACT_REFUSED.format(reason=error))
        else:
            telemetry.logger().info(telemetry.ARTIFACT_LOADED.format(path=path), artifact=artifact.id)

    async def forever(self) -> None:
        """Looks every few seconds. Cancel it to end it."""
        while True:
            try:
                await self.look()
            except Exception as error:  # noqa: BLE001  # the running artifact goes on whatever becomes of the new one
                telemetry.logger().warning(telemetry.ARTIFACT_REFUSED.format(reason=type(error).__name__))
            await asyncio.sleep(WATCH_EVERY)
