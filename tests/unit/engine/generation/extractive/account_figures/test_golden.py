from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import AccountCase, account_cases, doubts, encoder

CASES = account_cases()
#: Of the 311 questions: the share that has to be right, and how many may be wrong without a word of doubt.
RIGHT, WRONG = 0.965, 2


@pytest.fixture(scope="module")
def answers() -> dict[str, str]:
    figures = AccountFigures(encoder(), lambda: date(2026, 11, 22))
    return {case.id: figures.answer(case.query, case.context) for case in CASES}


def test_the_golden_set_is_large_enough() -> None:
    assert len(CASES) >= 300
    assert len({case.context for case in CASES}) >= 34
    assert min(sum(case.language == language for case in CASES) for language in ("en", "es")) >= 120


def test_the_right_figures_are_given_and_no_other(answers: dict[str, str]) -> None:
    failed = {case.query: answers[case.id] for case in CASES if not case.holds(answers[case.id])}
    assert len(failed) <= (1 - RIGHT) * len(CASES), failed


def test_hardly_any_answer_is_wrong_without_a_word_of_doubt(answers: dict[str, str]) -> None:
    wrong = {
        case.query: answers[case.id]
        for case in CASES
        if not case.holds(answers[case.id]) and not doubts(answers[case.id])
    }
    assert len(wrong) <= WRONG, wrong


@pytest.mark.parametrize(
    ("answer", "holds"),
    [("Calls: 12.", True), ("Calls: 12 of 40.", False), ("Calls: 13.", False), ("", False)],
)
def test_an_answer_is_held_against_every_number_in_it(answer: str, holds: bool) -> None:
    assert AccountCase("c", "en", "how many calls?", "{}", says=("12",)).holds(answer) is holds
