"""What the session store needs to know of the database it works on; `sqlite` and `postgres` each make one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from engine.conversation.store.locks import SharedLocks


@dataclass(slots=True)
class Database:
    """A database, and how it is worked with.

    Attributes:
        engine: Gives connections out, to as many threads as there are readers and writers.
        connect: A connection for one transaction, of which it is known whether it writes.
        migrate: Brings the schema up to date; called once, before the first transaction.
        problem: What an error of the database says to the person who can mend it.
        locks: Shared by all processes on this database.
        close_locks: Gives back what the locks hold.
        readers: Threads that read.
        writers: Threads that write.
        batch: Appends that share a transaction at most.
        budget: Seconds that a caller waits at most; None where the database itself never waits long.
    """

    engine: Engine
    connect: Callable[..., Connection]
    migrate: Callable[[Engine], None]
    problem: Callable[[SQLAlchemyError], str]
    locks: SharedLocks
    close_locks: Callable[[], None]
    readers: int
    writers: int
    batch: int
    budget: float | None = None
    _prepared: bool = False
    _preparing: Lock = field(default_factory=Lock)

    def prepare(self) -> None:
        """Brings the schema up to date, if that was not done yet. One that fails is tried again next time."""
        if self._prepared:
            return
        with self._preparing:
            if not self._prepared:
                self.migrate(self.engine)
                self._prepared = True

    def close(self) -> None:
        """Closes all connections. Idempotent."""
        self.close_locks()
        self.engine.dispose()
