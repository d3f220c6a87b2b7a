from __future__ import annotations

import asyncio
import time

from scripts.soaking.overload import Ended, faults, firsts, lateness, row

ENDED = [Ended("OK", 0.01, 0.2), Ended("OK", 0.03, 0.4), Ended("RESOURCE_EXHAUSTED", None, 0.005)]


def test_an_answer_or_a_refusal_is_no_fault_and_anything_else_is() -> None:
    assert faults(ENDED) == {}
    assert faults([*ENDED, Ended("CANCELLED", None, 30.0), Ended("CANCELLED", 0.1, 30.0)]) == {"CANCELLED": 2}


def test_a_row_has_medians_and_tails_in_milliseconds() -> None:
    made = row("3 at once", ENDED, 2.0)
    assert made.figure == (
        "2 answered (1.0/s), 1 refused; ms: first event 20 / 30, whole answer 300 / 400, refusal 5 / 5"
    )
    assert made.holds


def test_a_row_of_refusals_alone_has_no_times_of_answers() -> None:
    made = row("x", ENDED[2:], 1.0)
    assert made.figure == "0 answered (0.0/s), 1 refused; ms: first event -, whole answer -, refusal 5 / 5"


def test_a_row_with_another_code_names_it_and_does_not_hold() -> None:
    made = row("x", [*ENDED, Ended("CANCELLED", None, 30.0)], 1.0)
    assert made.figure.endswith("; {'CANCELLED': 1}")
    assert not made.holds


def test_only_what_was_answered_has_a_first_event() -> None:
    assert firsts([*ENDED, Ended("CANCELLED", 0.5, 1.0)]) == [0.01, 0.03]


async def test_a_loop_that_is_held_up_comes_late() -> None:
    async def busy() -> None:
        started = time.perf_counter()
        while time.perf_counter() < started + 0.05:
            pass

    late, _ = await asyncio.gather(lateness(0.1), busy())
    assert max(late) >= 0.03
