"""Sums that go on from the last result."""

from __future__ import annotations

import pytest

from engine.planning.fast_path import Fast
from engine.planning.sum_follow_up import sum_follow_up

LAST = "48 / 2 = 24"


@pytest.mark.parametrize(
    ("query", "result"),
    [
        ("and plus 6?", "= 30"),
        ("now take half of it", None),  # "take" is no word of sums
        ("half of it", "= 12"),
        ("multiply it by 5", "= 120"),
        ("multiply by 5", "= 120"),
        ("times three", "= 72"),
        ("- 4", "= 20"),
        ("subtract 4", "= 20"),
        ("what is 50% of that?", "= 12"),
        ("and squared?", "= 576"),
        ("ahora réstale 4", "= 20"),
        ("multiplícalo por 5", "= 120"),
        ("y dividido entre 6", "= 4"),
        ("¿y el triple?", "= 72"),
        ("más 0,5", "= 24,5"),
        ("25", None),
        ("line 3", None),
        ("and the third one?", None),
        ("¿y el 3?", None),
        ("in 3 sentences", None),
        ("how many commands are there?", None),
        ("thanks", None),
        ("", None),
        (f"plus 1{' and so on' * 9}", None),
    ],
)
def test_the_last_result_is_put_where_it_is_meant(query: str, result: str | None) -> None:
    found = sum_follow_up(query, LAST)
    if result is None:
        assert found is None
    else:
        assert found is not None
        assert found.kind is Fast.ARITHMETIC
        assert found.result.endswith(result)


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("10 / 3 ≈ 3.333333333", "4,333333333"),
        ("1000 × 1,5 = 1.500", "1501"),
        ("AVAP has 56 opcodes. [1]", None),
        ("```\nx = 24\n```", None),
        ("x is set, as here:\n\ny = 24", None),
        ("", None),
    ],
)
def test_only_a_calculation_is_gone_on_from(answer: str, result: str | None) -> None:
    found = sum_follow_up("más 1", answer)
    assert (found and found.result.rpartition(" ")[2]) == result
