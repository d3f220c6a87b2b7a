from __future__ import annotations

from contextlib import ExitStack

import pytest

from engine.errors import Overloaded
from engine.generation.ollama.admission import Admission
from engine.testing import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


def take(admission: Admission, clock: FixedClock, seconds: float) -> None:
    """One request that lasts so long."""
    with admission.admitted():
        clock.move(seconds)


def refusal(admission: Admission) -> Overloaded:
    with pytest.raises(Overloaded) as refused, admission.admitted():
        pass
    return refused.value


@pytest.mark.parametrize("parallel", [1, 2, 4])
def test_twice_as_many_as_are_worked_on_are_let_in(clock: FixedClock, parallel: int) -> None:
    admission = Admission("m", parallel, clock=clock)
    with ExitStack() as held:
        for inside in range(2 * parallel):
            assert admission.full is (inside >= parallel)
            held.enter_context(admission.admitted())
        assert "model m has" in str(refusal(admission))
        assert "OLLAMA_NUM_PARALLEL" in str(refusal(admission))
    assert not admission.full
    with admission.admitted():
        pass


def test_a_place_is_given_back_whatever_happens(clock: FixedClock) -> None:
    admission = Admission("m", 1, clock=clock)
    for _ in range(3):
        with pytest.raises(KeyError), admission.admitted():
            raise KeyError
    with admission.admitted(), admission.admitted():
        refusal(admission)
    with admission.admitted():
        pass


def test_the_hint_follows_what_requests_take_within_bounds(clock: FixedClock) -> None:
    admission = Admission("m", 1, clock=clock)
    with admission.admitted(), admission.admitted():
        assert refusal(admission).retry_after == 1
    for _ in range(40):
        take(admission, clock, 8)
    with admission.admitted(), admission.admitted():
        assert refusal(admission).retry_after == pytest.approx(8, abs=0.1)
    for _ in range(40):
        take(admission, clock, 300)
    with admission.admitted(), admission.admitted():
        assert refusal(admission).retry_after == 30
    for _ in range(60):
        take(admission, clock, 0)
    with admission.admitted(), admission.admitted():
        assert refusal(admission).retry_after == 1
