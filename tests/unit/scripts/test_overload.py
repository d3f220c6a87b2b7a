from __future__ import annotations

from scripts.benchmarks.overload import Ended, faults, row

ENDED = [Ended("OK", 0.01, 0.2), Ended("OK", 0.03, 0.4), Ended("RESOURCE_EXHAUSTED", None, 0.005)]


def test_an_answer_or_a_refusal_is_no_fault_and_anything_else_is() -> None:
    assert faults(ENDED) == {}
    assert faults([*ENDED, Ended("CANCELLED", None, 30.0), Ended("CANCELLED", 0.1, 30.0)]) == {"CANCELLED": 2}


def test_a_row_has_medians_and_tails_in_milliseconds() -> None:
    assert row("3 at once", ENDED, 2.0) == "| 3 at once | 2 | 1 | 0 | 1.0 | 20 / 30 | 300 / 400 | 5 / 5 |"


def test_a_row_of_refusals_alone_has_no_times_of_answers() -> None:
    assert row("x", ENDED[2:], 1.0) == "| x | 0 | 1 | 0 | 0.0 | - | - | 5 / 5 |"
