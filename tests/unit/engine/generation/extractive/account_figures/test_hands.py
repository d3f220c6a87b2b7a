"""What four strangers asked of 52 accounts: what is answered right stays right, with a word of doubt or without.

Each file of `asked` holds a hand's contexts with ten questions each, what an answer has to say and what never, and how
it was answered on 29 November 2026: "sure", "doubted", or empty where it was not right. Two thirds are asked in words of
the account. No row of a fit is of them; the bound of the nearest figure was chosen with the first two in sight.
"""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import doubts, encoder

FILES = sorted((Path(__file__).parent / "asked").glob("*.jsonl"))
CONTEXTS: list[tuple[str, dict[str, Any]]] = [
    (f"{path.stem}-{place}", json.loads(line))
    for path in FILES
    for place, line in enumerate(path.read_text("utf-8").splitlines())
]


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2026, 11, 29))


def test_most_questions_are_judged() -> None:
    asked = [one for _, context in CONTEXTS for one in context["questions"]]
    assert len(asked) == 520
    assert sum(one["right"] != "" for one in asked) >= 408
    assert sum(one["right"] == "sure" for one in asked) >= 312


@pytest.mark.parametrize("context", [context for _, context in CONTEXTS], ids=[name for name, _ in CONTEXTS])
def test_what_was_answered_right(context: dict[str, Any], figures: AccountFigures) -> None:
    for one in context["questions"]:
        if not one["right"]:
            continue
        text = figures.answer(one["question"], context["context"])
        missing = [pattern for pattern in one["says"] if not re.search(pattern, text, re.IGNORECASE)]
        wrong = [pattern for pattern in one["never"] if re.search(pattern, text, re.IGNORECASE)]
        assert not missing, f"{one['question']} -> {text}"
        if one["right"] == "sure":
            assert not doubts(text), f"{one['question']} -> {text}"
        if not doubts(text) or not one["says"]:
            assert not wrong, f"{one['question']} -> {text}"
