"""A small file that is read again when it changes, so that what is taken out of it stops without a restart."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from engine import telemetry
from engine.errors import ConfigurationError, DependencyUnavailable

_T = TypeVar("_T")
#: Name of this part in errors and in the health service.
DEPENDENCY = "identity"
#: Bytes that such a file may have: keys for thousands of callers.
_LARGEST = 8 << 20


class Watched(Generic[_T]):
    """The parsed content of a file. A look at its metadata costs some microseconds; it is read only when that changes.

    A file that becomes unreadable or damaged lets nobody in: what was taken out of it might still count otherwise.

    Args:
        path: Of the file.
        read: Parses its content, or None where there is no file. Raises `ValueError` that says what is wrong with it.
    """

    def __init__(self, path: Path, read: Callable[[bytes | None], _T]) -> None:
        self._path = path
        self._read = read
        self._seen: tuple[int, ...] | None = ()
        self._value: _T | None = None
        self._problem = ""
        self._told = ""

    def load(self) -> _T:
        """The content as it is now.

        Raises:
            ConfigurationError: The file is unusable; the message names it and what is wrong.
        """
        seen = self._metadata()
        if seen != self._seen:
            content = self._content()  # one that cannot be read now is tried again at the next call
            self._value, problem = None, ""
            try:
                self._value = self._read(content)
            except ValueError as error:
                problem = str(error)
            except RecursionError:
                problem = "is nested too deeply"
            self._problem = problem and f"{self._path}: {problem}"
            self._seen = seen
        if self._value is None:
            raise ConfigurationError(self._problem)
        self._told = ""
        return self._value

    def value(self) -> _T:
        """The content as it is now, for a caller who is to be told nothing of files.

        Raises:
            DependencyUnavailable: The file is unusable.
        """
        try:
            return self.load()
        except ConfigurationError as error:
            if str(error) != self._told:  # once, not for every call
                self._told = str(error)
                telemetry.logger().error(telemetry.IDENTITY_UNREADABLE.format(problem=error))
            raise DependencyUnavailable(DEPENDENCY, "callers cannot be identified now; the log says why") from None

    def _metadata(self) -> tuple[int, ...] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    def _content(self) -> bytes | None:
        try:
            # A pipe that stands in its place is not waited for.
            descriptor = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as file:
                content = file.read(_LARGEST + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ConfigurationError(f"{self._path}: cannot be read ({error.strerror})") from None
        if len(content) > _LARGEST:
            raise ConfigurationError(f"{self._path}: has more than {_LARGEST} bytes")
        return content
