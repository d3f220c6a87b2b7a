"""Files that are on the disk whole or not at all, and the lock of the one who writes."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import ConfigurationError, DependencyUnavailable

#: What a half-written file is called: a later writer removes those that a killed one has left.
TEMPORARY_SUFFIX = ".partial"
_LOCK_NAME = "WRITER.lock"


def sync_folder(folder: Path) -> None:
    """Makes renames and removals in `folder` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_durably(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Puts a file under its name at once: written beside it, synced, renamed, and the folder synced.

    Args:
        path: Replaced when it exists.
        parts: The content, in order.
    """
    temporary = path.with_name(path.name + TEMPORARY_SUFFIX)
    with temporary.open("wb") as file:
        for part in parts:
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


@contextmanager
def writer_lock(folder: Path) -> Iterator[None]:
    """Holds the right to write in `folder`; the kernel gives it back when the process ends, however it ends.

    Raises:
        ConfigurationError: The folder cannot be made or written to.
        DependencyUnavailable: Somebody else is writing.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / _LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise ConfigurationError(f"The index folder {folder} cannot be written to ({error.strerror}).") from error
    try:
        # flock, not lockf: it belongs to the open file, so two writers within one process exclude each other too.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise DependencyUnavailable(
            "index", f"another process is writing to {folder}; wait for it to end, then try again"
        ) from error
    try:
        yield
    finally:
        os.close(descriptor)
