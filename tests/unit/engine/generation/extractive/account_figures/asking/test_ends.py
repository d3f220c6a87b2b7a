"""Which end a question asks for where the head is hardly sure."""

from __future__ import annotations

import pytest

from engine.generation.extractive.account_figures.asking.heads import by_its_word


@pytest.mark.parametrize(
    ("text", "highest", "lowest", "most"),
    [
        ("en que mes gaste mas agua", 0.2, 0.3, True),
        ("en que mes gaste menos agua", 0.3, 0.2, False),
        ("cual es el mas barato", 0.1, 0.8, False),  # the head is sure
        ("which month was the most and which the least", 0.2, 0.3, False),  # both are said
        ("which month", 0.2, 0.3, False),
    ],
)
def test_the_word_decides_where_the_head_does_not(text: str, highest: float, lowest: float, most: bool) -> None:
    found = by_its_word({"highest": highest, "lowest": lowest}, text)
    assert (found["highest"] > found["lowest"]) is most
    assert sorted(found.values()) == sorted((highest, lowest))
