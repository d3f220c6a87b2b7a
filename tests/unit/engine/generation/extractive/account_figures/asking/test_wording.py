from __future__ import annotations

import pytest

from engine.generation.extractive.account_figures.asking.wording import respelt


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("how much remaning quota?", "how much remaining quota?"),
        ("¿cuántas me qedan?", "¿cuántas me quedan?"),
        ("how many members are there?", "how many members are there?"),
    ],
)
def test_words_for_what_is_left_are_respelt(text: str, right: str) -> None:
    assert respelt(text) == right
