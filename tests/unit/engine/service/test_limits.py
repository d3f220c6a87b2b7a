from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import DeadlineExceeded, Overloaded
from engine.service import limits
from engine.service.access import Access
from engine.service.calls import open_call
from engine.service.limits import Rates, read_in_time
from engine.service.status import Code, status_of
from engine.testing import FixedClock
from tests.metered import metered


def taken(rates: Rates, caller: str, times: int) -> int:
    """How many of so many calls are let through."""
    count = 0
    for _ in range(times):
        try:
            rates.take(caller)
        except Overloaded:
            continue
        count += 1
    return count


def test_a_minutes_worth_may_come_at_once_and_then_one_for_each_share_of_a_minute() -> None:
    clock = FixedClock()
    rates = Rates(30, clock=clock)
    assert taken(rates, "a", 100) == 30
    clock.move(2)
    assert taken(rates, "a", 5) == 1
    clock.move(7)
    assert taken(rates, "a", 5) == 3
    clock.move(3600)
    assert taken(rates, "a", 100) == 30


def test_callers_do_not_take_from_one_another() -> None:
    rates = Rates(3, clock=FixedClock())
    assert [taken(rates, caller, 5) for caller in ("a", "b", "a")] == [3, 3, 0]


def test_the_hint_is_when_the_next_call_is_let_through() -> None:
    clock = FixedClock()
    rates = Rates(6, clock=clock)
    taken(rates, "a", 6)
    clock.move(4)
    with pytest.raises(Overloaded, match=r"6 calls a minute .*ENGINE_CALLER_RATE") as caught:
        rates.take("a")
    assert caught.value.cause == "rate"
    assert caught.value.retry_after == pytest.approx(6)
    assert status_of(caught.value, "r").trailers == (("retry-after-ms", "6000"),)
    clock.move(caught.value.retry_after)
    rates.take("a")


@given(st.integers(1, 50), st.lists(st.floats(0, 40), max_size=60))
def test_never_more_than_the_rate_and_one_minutes_worth(per_minute: int, pauses: list[float]) -> None:
    clock = FixedClock()
    rates, passed = Rates(per_minute, clock=clock), 0.0
    let_through = 0
    for pause in pauses:
        clock.move(pause)
        passed += pause
        let_through += taken(rates, "a", 3)
        assert let_through <= per_minute + passed * per_minute / 60 + 1e-6


def test_so_many_callers_are_remembered_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_CALLERS", 100)
    rates = Rates(2, clock=FixedClock())
    for number in range(1000):
        rates.take(f"caller {number}")
        rates.take("regular") if number % 50 == 0 and number < 100 else None
    assert len(rates._full_at) == 100
    assert taken(rates, "caller 999", 5) == 1


async def test_a_call_over_the_rate_is_refused_before_anything_is_done_for_it() -> None:
    access = Access(rates=Rates(2, clock=FixedClock()))
    calls = [open_call(access, "Classify", (), None, "ipv4:10.0.0.7:4000") for _ in range(3)]
    calls.append(open_call(access, "Classify", (), None, "ipv4:10.0.0.8:4000"))
    assert [isinstance(call.refusal, Overloaded) for call in calls] == [False, False, True, False]
    with pytest.raises(Overloaded) as caught:
        calls[2].check()
    assert status_of(caught.value, "r").code is Code.RESOURCE_EXHAUSTED


async def test_a_message_that_nobody_takes_ends_the_stream() -> None:
    async def stuck() -> None:
        await asyncio.Event().wait()

    with metered() as counted:
        with pytest.raises(DeadlineExceeded, match=r"not read for 0\.001 s"):
            await read_in_time(stuck(), "AskAgentStream", 0.001)
        assert counted["engine_stalled_readers_total{method=AskAgentStream}"] == 1


async def test_a_message_that_is_taken_does_not() -> None:
    async def sent() -> None:
        await asyncio.sleep(0)

    with metered() as counted:
        await read_in_time(sent(), "AskAgentStream", 60)
        assert counted.changed() == {}
