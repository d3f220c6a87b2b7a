"""The lock of the one who writes to an index folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from classifier.files import locked
from engine.errors import ConfigurationError, DependencyUnavailable

_LOCK_NAME = "WRITER.lock"


@contextmanager
def writer_lock(folder: Path) -> Iterator[None]:
    """Holds the right to write in `folder`; the kernel gives it back when the process ends, however it ends.

    Raises:
        ConfigurationError: The folder cannot be made or written to.
        DependencyUnavailable: Somebody else is writing.
    """
    with ExitStack() as held:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(locked(folder / _LOCK_NAME, 0o644, wait=False))
        except BlockingIOError as error:
            raise DependencyUnavailable(
                "index", f"another process is writing to {folder}; wait for it to end, then try again"
            ) from error
        except OSError as error:
            raise ConfigurationError(f"The index folder {folder} cannot be written to ({error.strerror}).") from error
        yield


def is_being_written(folder: Path) -> bool:
    """Whether somebody is writing to the index in `folder` now; False where that cannot be told."""
    if not (folder / _LOCK_NAME).exists():
        return False
    try:
        with writer_lock(folder):
            return False
    except DependencyUnavailable:
        return True
    except ConfigurationError:
        return False
