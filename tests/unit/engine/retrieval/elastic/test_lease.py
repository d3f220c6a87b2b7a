"""The lease against a server that is one document; the real one is asked in tests/integration."""

from __future__ import annotations

import itertools
from typing import Any, cast

import pytest
from elastic_transport import ApiResponseMeta, HttpHeaders, NodeConfig
from elastic_transport import ConnectionError as NoConnection
from elasticsearch import ConflictError, Elasticsearch, NotFoundError

from engine.errors import DependencyUnavailable
from engine.retrieval.elastic.lease import WriterLease
from engine.testing import FixedClock

META = ApiResponseMeta(409, "1.1", HttpHeaders(), 0.1, NodeConfig("http", "x", 1))


class OneDocument:
    """What a lease uses of a client.

    Attributes:
        owner: Who holds the lease; None when nobody does.
        down: Whether every request fails.
    """

    def __init__(self) -> None:
        self.owner: str | None = None
        self.number = 0
        self.down = False
        self.indices = self
        self._numbers = itertools.count(1)

    def create(self, **_: Any) -> None:
        self._reach()

    def get(self, **_: Any) -> dict[str, int]:
        self._reach()
        if self.owner is None:
            raise NotFoundError("x", META, {})
        return {"_seq_no": self.number, "_primary_term": 1}

    def index(self, *, document: dict[str, str], op_type: str = "", if_seq_no: int = -1, **_: Any) -> dict[str, int]:
        self._reach()
        if (self.owner is not None) if op_type == "create" else (if_seq_no != self.number):
            raise ConflictError("x", META, {})
        self.owner, self.number = document["owner"], next(self._numbers)
        return {"_seq_no": self.number, "_primary_term": 1}

    def delete(self, *, if_seq_no: int, **_: Any) -> None:
        self._reach()
        if if_seq_no != self.number:
            raise ConflictError("x", META, {})
        self.owner = None

    def _reach(self) -> None:
        if self.down:
            raise NoConnection("x")


@pytest.fixture
def server() -> OneDocument:
    return OneDocument()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


def lease(server: OneDocument, clock: FixedClock, seconds: float = 1_000.0) -> WriterLease:
    """One whose beats are too far apart to come during a test; waiting moves the clock."""
    return WriterLease(cast("Elasticsearch", server), "x", seconds=seconds, clock=clock, pause=clock.move)


def test_it_is_held_and_given_back(server: OneDocument, clock: FixedClock) -> None:
    with lease(server, clock) as held:
        held.confirm()
        assert server.owner is not None
    assert server.owner is None


def test_one_that_was_left_is_taken_over_after_its_time(server: OneDocument, clock: FixedClock) -> None:
    server.owner, server.number = "killed", 7
    started = clock.now
    with lease(server, clock) as held:
        held.confirm()
        assert server.owner != "killed"
    assert 1_000 < clock.now - started < 1_200


def test_one_that_changes_is_held(server: OneDocument, clock: FixedClock) -> None:
    server.owner, server.number = "alive", 7

    def beat_meanwhile(seconds: float) -> None:
        clock.move(seconds)
        server.number += 1

    second = WriterLease(cast("Elasticsearch", server), "x", seconds=1_000, clock=clock, pause=beat_meanwhile)
    with pytest.raises(DependencyUnavailable, match="another process is writing"), second:
        pytest.fail("two writers")
    assert server.owner == "alive"


def test_of_two_that_take_over_one_does(server: OneDocument, clock: FixedClock) -> None:
    server.owner, server.number = "killed", 7

    def another_is_faster(seconds: float) -> None:
        clock.move(2_000)
        real, server.get = server.get, lambda **_: {"_seq_no": 7, "_primary_term": 1}  # type: ignore[method-assign]
        del real
        server.owner, server.number = "faster", 99

    second = WriterLease(cast("Elasticsearch", server), "x", seconds=1_000, clock=clock, pause=another_is_faster)
    with pytest.raises(DependencyUnavailable, match="another process is writing"), second:
        pytest.fail("two writers")
    assert server.owner == "faster"


def test_one_that_is_given_back_while_it_is_watched_is_taken_at_once(server: OneDocument, clock: FixedClock) -> None:
    server.owner, server.number = "ending", 7

    def end(seconds: float) -> None:
        clock.move(seconds)
        server.owner = None

    with WriterLease(cast("Elasticsearch", server), "x", seconds=1_000, clock=clock, pause=end) as held:
        held.confirm()
    assert clock.now < FixedClock().now + 1_000


def test_one_that_was_taken_is_not_confirmed_nor_deleted(server: OneDocument, clock: FixedClock) -> None:
    with lease(server, clock) as held:
        server.owner, server.number = "another", 500
        with pytest.raises(DependencyUnavailable, match="another process has begun"):
            held.confirm()
    assert server.owner == "another"


def test_a_server_that_is_away_for_less_than_the_lease_does_no_harm(server: OneDocument, clock: FixedClock) -> None:
    with lease(server, clock) as held:
        server.down = True
        clock.move(900)
        held.confirm()
        server.down = False
        held.confirm()


def test_a_server_that_is_away_for_longer_ends_it(server: OneDocument, clock: FixedClock) -> None:
    with lease(server, clock) as held:
        server.down = True
        clock.move(1_001)
        with pytest.raises(DependencyUnavailable, match="another process has begun"):
            held.confirm()


def test_it_is_renewed_by_itself(server: OneDocument) -> None:
    beaten = []

    class Beaten(OneDocument):
        def index(self, **named: Any) -> dict[str, int]:
            beaten.append(named)
            return super().index(**named)

    counting = Beaten()
    with WriterLease(cast("Elasticsearch", counting), "x", seconds=0.08) as held:
        while len(beaten) < 4:
            held._ended.wait(0.01)
        held.confirm()
    assert counting.owner is None
