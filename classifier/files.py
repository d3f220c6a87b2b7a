"""Files that are on the disk whole or not at all, lines of files, and locks between processes."""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

#: How the name of a half-written file ends; one that a killed process has left may be removed by who holds the lock.
PARTIAL_SUFFIX = ".partial"


def filled_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, each with its number, the first of which is 1.

    Not those of `splitlines`: text in JSON may hold other line separators than the one that ends a row.
    """
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def sync_folder(folder: Path) -> None:
    """Makes renames and removals in `folder` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def replacing(path: Path, mode: int = 0o644, former: Path | None = None) -> Generator[BinaryIO]:
    """A new content of `path`, put under its name at once: synced, renamed, and the folder synced.

    Two writers at a time do not disturb each other; the later rename stands. When the block raises, the former file
    stays and nothing is left beside it.

    Args:
        path: Replaced when it exists.
        mode: Permissions of the new file, before the umask.
        former: Where the file that is replaced is kept.

    Raises:
        OSError: It cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PARTIAL_SUFFIX}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if former is not None and path.exists():
            _keep(path, former)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def _keep(path: Path, former: Path) -> None:
    """Puts the present file under another name too while it stays where it is, so that a reader always finds one."""
    spare = path.with_name(f".{path.name}.spare")
    spare.unlink(missing_ok=True)
    os.link(path, spare)
    spare.replace(former)


@contextmanager
def locked(path: Path, mode: int = 0o600, *, wait: bool = True) -> Generator[None]:
    """Holds the lock file `path`, made where there is none. The kernel lets go when the process ends, however it ends.

    Raises:
        BlockingIOError: Somebody holds it, and `wait` is false.
        OSError: The file cannot be made.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, mode)
    try:
        # flock, not lockf: it belongs to the open file, so two holders within one process exclude each other too.
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)
