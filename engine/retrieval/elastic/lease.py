"""One writer at a time, among any number of machines: a lease that is kept in the server itself.

The lease is one document. Whoever holds it changes it every now and then; whoever wants it watches it. A document that
changes is held; one that stays as it is for longer than the lease lasts was left by a writer that was killed, and is
taken over by a change that only succeeds when nobody else has made one (the server's sequence numbers). Only the
watcher's own clock counts, so clocks need not agree.

Source of the scheme: Gray and Cheriton, "Leases" (SOSP 1989); fencing by the caller asking `confirm` before it writes.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from elastic_transport import TransportError
from elasticsearch import ApiError, BadRequestError, ConflictError, Elasticsearch, NotFoundError

from engine.retrieval.elastic.client import unavailable

#: Seconds that a writer may be silent. A killed one keeps the next waiting for as long.
LEASE_SECONDS = 10.0
#: Beats in that time, and looks of those who watch.
_BEATS = 8
_ID = "writer"


class WriterLease:
    """Holds the right to write while entered.

    Args:
        client: Used from a second thread too.
        name: Of the index; the lease lies in an index of its own, `name-lock`.
        seconds: How long the lease lasts without a beat.
        clock: Monotonic, in seconds.
        pause: Waits for so many seconds.
    """

    def __init__(
        self,
        client: Elasticsearch,
        name: str,
        *,
        seconds: float = LEASE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._index = f"{name}-lock"
        self._seconds = seconds
        self._clock = clock
        self._pause = pause
        self._owner = uuid.uuid4().hex
        self._held: tuple[int, int] | None = None
        self._last_beat = 0.0
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._beating = threading.Thread(target=self._beat, name="index-lease", daemon=True)

    def __enter__(self) -> Self:
        """Takes the lease.

        Raises:
            DependencyUnavailable: Another process holds it.
        """
        self._held = self._take()
        self._last_beat = self._clock()
        self._beating.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Gives the lease back; where that fails, it ends by itself."""
        self._ended.set()
        self._beating.join()
        if self._held:
            number, term = self._held
            with suppress(TransportError, ApiError):
                self._client.delete(index=self._index, id=_ID, if_seq_no=number, if_primary_term=term)

    def confirm(self) -> None:
        """Returns when the lease is held now.

        Raises:
            DependencyUnavailable: This process was silent for so long that another has taken it.
        """
        self._renew()
        if self._held is None:
            raise unavailable(
                "another process has begun to write to the index, as this one did not answer for too long"
            )

    def _take(self) -> tuple[int, int]:
        with suppress(BadRequestError):  # it is there already
            self._client.indices.create(
                index=self._index, settings={"number_of_shards": 1, "auto_expand_replicas": "0-1", "hidden": True}
            )
        seen: tuple[int, int] | None = None
        since = self._clock()
        while True:
            try:
                if seen is None:
                    return self._write(op_type="create")
                if self._clock() - since > self._seconds:
                    return self._write(if_seq_no=seen[0], if_primary_term=seen[1])
            except ConflictError:
                if seen is not None:
                    raise unavailable("another process is writing to the index; try again when it has ended") from None
            found = self._look()
            if found and seen and found != seen:
                raise unavailable("another process is writing to the index; try again when it has ended")
            if found:
                self._pause(self._seconds / _BEATS / 2)
            seen = found

    def _look(self) -> tuple[int, int] | None:
        try:
            return _place(self._client.get(index=self._index, id=_ID, realtime=True))
        except NotFoundError:
            return None

    def _write(self, **conditions: Any) -> tuple[int, int]:
        return _place(self._client.index(index=self._index, id=_ID, document={"owner": self._owner}, **conditions))

    def _beat(self) -> None:
        while not self._ended.wait(self._seconds / _BEATS):
            self._renew()

    def _renew(self) -> None:
        with self._lock:
            if self._held is None:
                return
            try:
                self._held = self._write(if_seq_no=self._held[0], if_primary_term=self._held[1])
                self._last_beat = self._clock()
            except ConflictError:
                self._held = None
            except (TransportError, ApiError):
                # The next beat may succeed; a write that succeeded without an answer shows as a conflict then.
                if self._clock() - self._last_beat > self._seconds:
                    self._held = None


def _place(answer: Any) -> tuple[int, int]:
    return int(answer["_seq_no"]), int(answer["_primary_term"])
