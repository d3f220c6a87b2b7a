"""Lines that a message names, and how they are quoted."""

from __future__ import annotations

import pytest

from engine.text.lines import Lines, lines_named, quoted

CODE = "\n".join(f"step_{place}()" for place in range(1, 12))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("why is line 7 there", Lines(7, 7)),
        ("see Lines 3-5, please", Lines(3, 5)),
        ("lines 5 to 3", Lines(3, 5)),
        ("línea 12", Lines(12, 12)),
        ("las lineas 2 a 4 sobran", Lines(2, 4)),
        ("el renglón número 9", Lines(9, 9)),
        ("第 6 行是什么", Lines(6, 6)),
    ],
)
def test_named_lines_are_read(text: str, lines: Lines) -> None:
    assert lines_named(text) == lines


@pytest.mark.parametrize("text", ["how many lines are there", "a timeline 7 days long", "line 0", "deadline 5", ""])
def test_other_numbers_name_no_line(text: str) -> None:
    assert lines_named(text) is None


def test_lines_are_quoted_with_those_around_them() -> None:
    assert quoted(CODE, Lines(10, 10)).splitlines() == [
        "   8  step_8()",
        "   9  step_9()",
        "> 10  step_10()",
        "  11  step_11()",
    ]
    assert Lines(2, 3).of(CODE) == "step_2()\nstep_3()"


def test_a_quotation_has_an_end() -> None:
    assert len(quoted("\n".join("x" * 3 for _ in range(500)), Lines(1, 500)).splitlines()) == 40
