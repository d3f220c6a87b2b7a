"""What docs/extra-context.md says is answered, is answered so."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from tests.account_cases import encoder

PAGE = (Path(__file__).parents[6] / "docs" / "extra-context.md").read_text("utf-8")
EXAMPLES = re.findall(r"^\| ([^|]+\?) \| `(.+)` \|$", PAGE, re.MULTILINE)
BLOCKS = re.findall(r"```(?:json|text)\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2026, 11, 22))


@pytest.mark.parametrize(("query", "answer"), EXAMPLES)
def test_the_documented_answers_are_given(figures: AccountFigures, query: str, answer: str) -> None:
    assert figures.answer(query, BLOCKS[0]) == answer


@pytest.mark.parametrize("block", BLOCKS)
def test_every_documented_form_is_read(block: str) -> None:
    assert len(read_figures(block)) >= 4


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5
    assert len(BLOCKS) >= 4
