"""What three strangers who knew no code asked of tables: the most, which rows are so, how many, sums, what is not there.

`asked.jsonl` holds their tables (18 documents) and all of their 255 questions that no single cell answers, each with
patterns of the right answer and of wrong ones. The first two hands' were read while the reading of tables was written,
the third's after it was asked once. `right` says what was answered right, or nothing where nothing is there, on
29 November 2026; that stays. How the tables are found is not tried here.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic
from engine.text.language import language_of
from tests.account_cases import encoder

ASKED = [json.loads(line) for line in Path(__file__).with_name("asked.jsonl").read_text(encoding="utf-8").splitlines()]


def told(document: dict[str, Any], question: str) -> str:
    name = document["document"]
    evidence = [
        Evidence(number, Passage(str(number), name, name, heading, text))
        for number, (heading, text) in enumerate(document["tables"], start=1)
    ]
    return RowArithmetic(encoder()).answer(question, evidence, language_of(question))


def is_right(asked: dict[str, Any], answer: str) -> bool:
    if asked["kind"] == "missing":
        return not answer
    said = bool(answer) and all(re.search(one, answer, re.IGNORECASE) for one in asked["says"])
    return said and not any(re.search(one, answer, re.IGNORECASE) for one in asked["never"])


@pytest.mark.parametrize("document", ASKED, ids=lambda one: str(one["document"]))
def test_what_was_answered_right_stays_right(document: dict[str, Any]) -> None:
    right = [one for one in document["questions"] if one["right"]]

    assert len(right) > len(document["questions"]) / 3
    assert [one["query"] for one in right if not is_right(one, told(document, one["query"]))] == []


def test_few_answers_are_wrong_without_a_word_of_doubt() -> None:
    asked = [(document, one) for document in ASKED for one in document["questions"]]
    answers = [(one, told(document, one["query"])) for document, one in asked]

    wrong = [one["query"] for one, answer in answers if answer and not is_right(one, answer)]
    assert len(wrong) <= 0.04 * len(asked)
