"""SQLite in WAL mode: one file beside the engine, and the locks of processes that share it.

Appends that come at the same time share a transaction, as each commit waits for the disk. A write takes SQLite's write
lock when it begins, so that what it reads first is still true when it writes.
"""

from __future__ import annotations

import fcntl
import os
import stat
import struct
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, SQLAlchemyError

from engine.conversation.store.database import Database
from engine.conversation.store.migrating import migrate
from engine.errors import ConfigurationError, DependencyUnavailable

#: How long a write waits for another process's write, in milliseconds.
_BUSY_MS = 5000
_BATCH = 1024
#: Locks that belong to an open file and not to a process; Linux has them since 3.15. `struct flock` of 64-bit systems.
_OWN = getattr(fcntl, "F_OFD_SETLK", None)
_FLOCK = "hhlli4x"


def open_sqlite(path: Path) -> Database:
    """The database in the file `path`, its schema up to date.

    Raises:
        ConfigurationError: The file cannot be opened or is not a database of ours.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _close_to_others(path)
        engine = _engine(path)
        locks = FileLocks(path.with_name(f"{path.name}.lock"))
        # Readers side by side; one writer, as the database has one: its threads would only poll one another's lock.
        database = Database(
            engine, lambda *, write: _connect(engine, write), migrate, _problem, locks, locks.close, 4, 1, _BATCH
        )
        database.prepare()
    except (DatabaseError, OSError) as error:
        raise ConfigurationError(
            f"the session store {path} cannot be opened ({type(error).__name__}): make its folder writable, or "
            "name another with ENGINE_DATA_DIR"
        ) from error
    return database


class FileLocks:
    """Locks on bytes of one file that holds none. Fulfils `SharedLocks`.

    A lock is on the byte at its number, a place in line on the one behind it. The kernel frees both when the process
    ends, however it ends. Asking takes a microsecond, so it is done on the event loop.

    Args:
        path: The file; it is made when it is missing and stays empty.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._inside: set[int] = set()
        self._next: set[int] = set()

    async def enter(self, number: int) -> bool:
        """See `SharedLocks.enter`."""
        if number not in self._next:
            if not self._lock(number + 1, fcntl.F_WRLCK):
                return False
            self._next.add(number)
        if not self._lock(number, fcntl.F_WRLCK):
            return False
        self._inside.add(number)
        self._leave_line(number)
        return True

    def leave(self, number: int) -> None:
        """See `SharedLocks.leave`."""
        if number in self._inside:
            self._inside.discard(number)
            self._lock(number, fcntl.F_UNLCK)
        self._leave_line(number)

    def close(self) -> None:
        """Frees everything. Idempotent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _leave_line(self, number: int) -> None:
        if number in self._next:
            self._next.discard(number)
            self._lock(number + 1, fcntl.F_UNLCK)

    def _lock(self, byte: int, kind: int) -> bool:
        if self._file < 0:
            return False
        try:
            if _OWN is None:
                asked = fcntl.LOCK_UN if kind == fcntl.F_UNLCK else fcntl.LOCK_EX | fcntl.LOCK_NB
                fcntl.lockf(self._file, asked, 1, byte)
            else:
                fcntl.fcntl(self._file, _OWN, struct.pack(_FLOCK, kind, os.SEEK_SET, byte, 1, 0))
        except (BlockingIOError, PermissionError):  # as systems differ in how they say that another has it
            return False
        except OSError as error:
            raise DependencyUnavailable("database", "its lock file does not take locks") from error
        return True


def _close_to_others(path: Path) -> None:
    """Makes the file, its companions and its folder readable by their owner alone: they hold what people wrote.

    SQLite gives `-wal` and `-shm` the permissions of the file. A folder that is not ours, or that all may write to like
    `/tmp`, is left as it is.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    for name in (path, *(path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm", ".lock"))):
        if name.exists() and name.stat().st_uid == os.geteuid():
            name.chmod(0o600)
    folder = path.parent.stat()
    if folder.st_uid == os.geteuid() and not folder.st_mode & stat.S_ISVTX:
        path.parent.chmod(0o700)


def _connect(engine: Engine, write: bool) -> Connection:
    return engine.connect().execution_options(write=write)


#: What the beginning of a result code's name means to the person who can mend it.
_PROBLEMS = {
    "SQLITE_FULL": "its disk is full; free some of it, or name another with ENGINE_DATA_DIR",
    "SQLITE_IOERR": "its disk fails, or is full; look at the system's log",
    "SQLITE_READONLY": "it may not be written; make the file and its folder writable for the user of the service",
    "SQLITE_CORRUPT": "its file is damaged; put a copy of it back, or move it away to begin anew",
    "SQLITE_NOTADB": "its file is damaged; put a copy of it back, or move it away to begin anew",
    "SQLITE_BUSY": "another process has been writing to it for too long",
}


def _problem(error: SQLAlchemyError) -> str:
    name = str(getattr(getattr(error, "orig", None), "sqlite_errorname", ""))
    known = [told for begins, told in _PROBLEMS.items() if name.startswith(begins)]
    return known[0] if known else f"it refuses ({name or type(error).__name__})"


def _engine(path: Path) -> Engine:
    engine = create_engine(f"sqlite+pysqlite:///{path}")

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where SQLAlchemy says so, not at the first write
        for pragma in (f"busy_timeout={_BUSY_MS}", "journal_mode=WAL", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        write = connection.get_execution_options().get("write", True)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine
