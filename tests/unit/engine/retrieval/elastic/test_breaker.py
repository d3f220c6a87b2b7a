from __future__ import annotations

import pytest

from engine.retrieval.elastic.breaker import CircuitBreaker
from engine.testing import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def breaker(clock: FixedClock) -> CircuitBreaker:
    return CircuitBreaker(failures=3, seconds=5.0, clock=clock)


def opened(breaker: CircuitBreaker) -> CircuitBreaker:
    for _ in range(3):
        assert breaker.admits()
        breaker.failed()
    return breaker


def test_it_admits_until_there_were_too_many_failures(breaker: CircuitBreaker) -> None:
    assert not opened(breaker).admits()


def test_only_failures_in_a_row_count(breaker: CircuitBreaker) -> None:
    for _ in range(10):
        breaker.failed()
        breaker.failed()
        breaker.succeeded()
    assert breaker.admits()


def test_after_a_while_one_call_may_try(breaker: CircuitBreaker, clock: FixedClock) -> None:
    opened(breaker)
    clock.move(4.9)
    assert not breaker.admits()
    clock.move(0.2)
    assert breaker.admits()
    assert not breaker.admits()


def test_a_try_that_succeeds_closes_it(breaker: CircuitBreaker, clock: FixedClock) -> None:
    opened(breaker)
    clock.move(5.1)
    assert breaker.admits()
    breaker.succeeded()
    assert all(breaker.admits() for _ in range(10))


def test_a_try_that_fails_keeps_it_open_for_as_long_again(breaker: CircuitBreaker, clock: FixedClock) -> None:
    opened(breaker)
    clock.move(5.1)
    assert breaker.admits()
    clock.move(2.0)
    breaker.failed()
    clock.move(4.9)
    assert not breaker.admits()
    clock.move(0.2)
    assert breaker.admits()


def test_a_try_that_never_tells_does_not_keep_it_open_for_ever(breaker: CircuitBreaker, clock: FixedClock) -> None:
    opened(breaker)
    clock.move(5.1)
    assert breaker.admits()
    clock.move(5.1)
    assert breaker.admits()


def test_a_success_from_elsewhere_closes_it(breaker: CircuitBreaker) -> None:
    opened(breaker).succeeded()
    assert breaker.admits()
