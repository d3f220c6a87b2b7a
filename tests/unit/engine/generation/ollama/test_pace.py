from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.generation.ollama.pace import ReadingPace

TEXT = "abcdefghij" * 100


def report(seconds: float, tokens: int = 250) -> dict[str, Any]:
    return {"prompt_eval_count": tokens, "prompt_eval_duration": int(seconds * 1e9)}


def test_nobody_knows_before_the_first_report() -> None:
    pace = ReadingPace(20.0)
    assert not pace.known
    assert pace.seconds(TEXT) is None
    assert pace.begin(TEXT).seconds is None


def test_the_wait_follows_from_length_and_the_last_pace() -> None:
    pace = ReadingPace(20.0)
    pace.learn(pace.begin(TEXT), report(10.0))  # 100 characters a second
    assert pace.known
    assert pace.seconds("z" * 500) == pytest.approx(5.0)
    assert pace.seconds("z" * 5000) == pytest.approx(50.0)


def test_what_the_server_has_just_read_is_not_read_again() -> None:
    pace = ReadingPace(20.0)
    pace.learn(pace.begin(TEXT), report(10.0))
    assert pace.seconds(TEXT) == 0.0
    assert pace.seconds(TEXT + "z" * 300) == pytest.approx(3.0)
    assert pace.seconds(TEXT[:900] + "z" * 300) == pytest.approx(3.0)


def test_a_report_is_of_the_part_that_was_new() -> None:
    pace = ReadingPace(20.0)
    pace.learn(pace.begin(TEXT), report(10.0))
    again = pace.begin(TEXT + "z" * 400)
    assert again.fresh == 400
    pace.learn(again, report(4.0, tokens=350))
    assert pace.seconds("y" * 100) == pytest.approx(1.0)


def test_a_prompt_that_was_hardly_new_says_nothing_of_the_pace() -> None:
    pace = ReadingPace(20.0)
    pace.learn(pace.begin(TEXT), report(10.0))
    pace.learn(pace.begin(TEXT + "zz"), report(0.001))
    assert pace.seconds("y" * 100) == pytest.approx(1.0)


def test_the_slower_of_the_last_two_reports_counts() -> None:
    pace = ReadingPace(20.0)
    seen: list[int] = []
    for rate in (100, 50, 200, 200, 400):
        pace.learn(pace.begin(f"{rate} {len(seen)} {TEXT}"), report(len(TEXT) / rate))
        seen.append(round(100 / (pace.seconds("y" * 100) or 1)))
    assert seen == pytest.approx([100, 50, 50, 200, 200], rel=0.05)


@pytest.mark.parametrize(
    "figures",
    [
        {},
        {"prompt_eval_count": 0, "prompt_eval_duration": 10},
        {"prompt_eval_count": 250, "prompt_eval_duration": 0},
        {"prompt_eval_count": 250},
        {"prompt_eval_count": "250", "prompt_eval_duration": "x"},
        {"prompt_eval_count": None, "prompt_eval_duration": None},
        {"prompt_eval_count": -1, "prompt_eval_duration": -1},
    ],
)
def test_a_report_without_figures_says_nothing(figures: dict[str, Any]) -> None:
    pace = ReadingPace(20.0)
    pace.learn(pace.begin(TEXT), figures)
    assert not pace.known


def test_a_server_with_several_places_keeps_several_prompts() -> None:
    one, two = ReadingPace(20.0), ReadingPace(20.0, parallel=2)
    for pace in (one, two):
        pace.learn(pace.begin(TEXT), report(10.0))
        pace.begin("Another prompt")
    assert one.seconds(TEXT) == pytest.approx(10.0)
    assert two.seconds(TEXT) == 0.0


@given(st.text(alphabet="ab", max_size=30), st.text(alphabet="ab", max_size=30))
def test_the_shared_beginning_is_found_exactly(one: str, other: str) -> None:
    pace = ReadingPace(20.0)
    pace.begin(one)
    shared = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    assert pace.begin(other).fresh == len(other) - shared
