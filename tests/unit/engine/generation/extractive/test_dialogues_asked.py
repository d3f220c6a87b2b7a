"""What strangers asked in dialogues about documents: the turns that are right stay right, over a whole engine.

Each folder of `asked/dialogues` holds six documents and 30 dialogues of four turns by a hand that knew no code; what is
to be said, and what never, stands at the turns that were answered right: 90 of 120 of the first (29 November 2026), 104
and 96 of the second and the third (29 November 2026). No row of a fit is of them; the second was read while
follow-ups were mended.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.documented import answers_over

ASKED = Path(__file__).parent / "asked" / "dialogues"
HANDS = sorted(one.name for one in ASKED.iterdir())


@cache
def dialogues(hand: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (ASKED / hand / "dialogues.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[list[str]]]:
    """What an engine over a hand's documents says to each turn of each of its dialogues; played once."""

    @cache
    def played(hand: str) -> list[list[str]]:
        turns = [[turn["query"] for turn in one["turns"]] for one in dialogues(hand)]
        return answers_over(ASKED / hand / "docs", tmp_path_factory.mktemp("dialogues"), turns)

    return played


@pytest.mark.parametrize(("hand", "count"), [("1", 90), ("2", 104), ("3", 96)])
def test_most_turns_are_judged(hand: str, count: int) -> None:
    judged = [turn for one in dialogues(hand) for turn in one["turns"] if "says" in turn]
    assert len(judged) >= count


@pytest.mark.parametrize(("hand", "place"), [(hand, at) for hand in HANDS for at in range(len(dialogues(hand)))])
def test_turns_that_were_answered_right(hand: str, place: int, answers: Callable[[str], list[list[str]]]) -> None:
    for turn, text in zip(dialogues(hand)[place]["turns"], answers(hand)[place], strict=True):
        missing = [one for one in turn.get("says", ()) if not re.search(one, text, re.IGNORECASE)]
        wrong = [one for one in turn.get("never", ()) if re.search(one, text, re.IGNORECASE)]
        assert not missing + wrong, f"{turn['query']} -> {text}"
