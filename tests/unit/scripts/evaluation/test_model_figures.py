"""The figures of a golden run with a real model, from answers that are written here."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.evaluation.model_figures import figures


def answer(**more: Any) -> dict[str, Any]:
    """An answer of forty tokens that came in four seconds, two of them before its first word."""
    row: dict[str, Any] = {
        "query": "What is a valve?",
        "first": 2.0,
        "total": 4.0,
        "type": "RETRIEVAL",
        "cited": [[1, "A valve closes a pipe."]],
        "unsupported": [],
        "grounding": 1.0,
        "receipt": {"passages": 2, "seconds": 2.5},
        "usage": {"prompt_tokens": 300, "completion_tokens": 40},
    }
    return row | more


def test_times_and_shares_are_of_the_answers_that_a_model_wrote() -> None:
    told = figures([answer(), answer(first=6.0, total=10.0, grounding=0.5), answer(receipt=None, cited=[])])
    assert (told["asked"], told["by the model"], told["cite"]) == (3, 2, 2)
    assert told["grounding, mean"] == 0.75
    assert (told["first word, median s"], told["first word, most s"]) == (4.0, 6.0)
    assert told["tokens written a second, median"] == pytest.approx((20 + 10) / 2)
    assert told["prompt tokens, median"] == 300
    assert told["passages left out, mean"] == 2


@pytest.mark.parametrize(
    ("more", "neither"),
    [
        ({}, False),
        ({"cited": [], "grounding": None, "unsupported": [{"start": 0, "end": 5, "reason": "uncited"}]}, False),
        ({"cited": [], "grounding": None}, True),
        ({"cited": [], "grounding": None, "type": "CONVERSATIONAL"}, False),
    ],
)
def test_an_answer_from_documents_that_neither_cites_nor_is_marked_is_named(
    more: dict[str, Any], neither: bool
) -> None:
    assert figures([answer(**more)])["neither"] == (["What is a valve?"] if neither else [])


def test_a_failure_is_told_and_counts_for_no_other_figure() -> None:
    failed: dict[str, Any] = {
        "query": "What is a pump?",
        "first": None,
        "total": 9.0,
        "stages": [],
        "problem": "ollama: gone",
    }
    told = figures([failed, answer()])
    assert told["failed"] == ["ollama: gone"]
    assert (told["asked"], told["by the model"]) == (2, 1)


def test_a_run_without_a_model_has_no_figures_of_one() -> None:
    told = figures([answer(receipt=None)])
    assert told["by the model"] == 0
    assert told["first word, median s"] is None
    assert told["grounding, mean"] is None
