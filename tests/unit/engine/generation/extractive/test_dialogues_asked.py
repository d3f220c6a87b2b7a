"""What a stranger asked in dialogues about documents: the turns that are right stay right, over a whole engine.

`asked/dialogues` holds six documents and 30 dialogues of four turns by a hand that knew no code; what is to be said, and
what never, stands at the turns that were answered right on 28 November 2026, 91 of 120. Nothing is fitted to them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.documented import answers_over

ASKED = Path(__file__).parent / "asked" / "dialogues"
DIALOGUES: list[dict[str, Any]] = [json.loads(line) for line in (ASKED / "dialogues.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What an engine over the documents says to each turn of each dialogue."""
    turns = [[turn["query"] for turn in one["turns"]] for one in DIALOGUES]
    told = answers_over(ASKED / "docs", tmp_path_factory.mktemp("dialogues"), turns)
    return {one["id"]: said for one, said in zip(DIALOGUES, told, strict=True)}


def test_most_turns_are_judged() -> None:
    assert sum("says" in turn for one in DIALOGUES for turn in one["turns"]) >= 91


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda one: one["id"])
def test_turns_that_were_answered_right(dialogue: dict[str, Any], answers: dict[str, list[str]]) -> None:
    for turn, text in zip(dialogue["turns"], answers[dialogue["id"]], strict=True):
        missing = [one for one in turn.get("says", ()) if not re.search(one, text, re.IGNORECASE)]
        wrong = [one for one in turn.get("never", ()) if re.search(one, text, re.IGNORECASE)]
        assert not missing + wrong, f"{turn['query']} -> {text}"
