from __future__ import annotations

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.wording import respelt, without_named_days
from tests.account_cases import encoder


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


@pytest.mark.parametrize(
    ("text", "names", "right"),
    [
        ("how much did Casual Friday cost", ["Casual Friday", "Budget"], f"how much did {' ' * 13} cost"),
        ("¿y el gran sábado?", ["Gran sábado"], f"¿y el {' ' * 11}?"),
        ("what was sold on friday", ["Casual Friday"], "what was sold on friday"),
        ("sold on friday night", ["friday night"], "sold on friday night"),
        ("the casual fridays of june", ["Casual Friday"], "the casual fridays of june"),
        ("how much did the Casual Corner cost", ["Casual Corner"], "how much did the Casual Corner cost"),
    ],
)
def test_a_day_of_the_week_in_a_name_is_no_date(text: str, names: list[str], right: str) -> None:
    assert without_named_days(text, names) == right


def test_what_is_named_by_a_day_is_answered_whatever_day_it_is() -> None:
    figures = AccountFigures(encoder())
    context = '[{"offer": "Casual Friday", "budget": 2000, "spent": 740}, {"offer": "Plain Tuesday", "spent": 300}]'
    assert figures.answer("how much did we spend on Casual Friday", context) == "Spent, Casual Friday: 740."
