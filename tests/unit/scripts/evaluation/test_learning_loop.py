"""The drifted domain that the learning loop is judged on, and what its script makes of the answers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from classifier.learning.labels import text_key
from classifier.training.dataset import Row, check
from classifier.training.seed import shipped_rows
from scripts.benchmarks.learning import TYPES, accuracies, drifted, fixed_set, missed_goals, poison, rows_of


@pytest.fixture(scope="module", params=["drifted", "drifted_tuning"])
def rows(request: pytest.FixtureRequest) -> list[Row]:
    return drifted(request.param)


@pytest.mark.parametrize(("name", "by_type"), [("drifted", (88, 48, 32, 32)), ("drifted_tuning", (52, 28, 20, 20))])
def test_a_meaning_has_two_wordings_to_correct_and_two_held_back(name: str, by_type: tuple[int, ...]) -> None:
    rows = drifted(name)
    parts = Counter((row.family, row.register) for row in rows)
    assert set(parts.values()) == {2}
    assert len(rows_of(rows, "corrected")) == len(rows_of(rows, "held back")) == len(parts) == sum(by_type)
    assert Counter(row.language for row in rows) == {"en": len(parts), "es": len(parts)}
    types = ("PLATFORM", "RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL")
    assert Counter(row.label for row in rows_of(rows, "held back")) == dict(zip(types, by_type, strict=True))


def test_what_the_radii_are_tuned_by_has_no_domain_of_what_judges_them() -> None:
    assert not {row.domain for row in drifted()} & {row.domain for row in drifted("drifted_tuning")}
    assert not {text_key(row.text) for row in drifted()} & {text_key(row.text) for row in drifted("drifted_tuning")}


def test_no_two_of_them_say_the_same_in_the_same_words(rows: list[Row]) -> None:
    found = check(rows)
    assert (found.near_duplicates, found.conflicts, found.crossing) == ((), (), ())


def test_the_seed_has_none_of_them(rows: list[Row]) -> None:
    assert not {text_key(row.text) for row in rows} & {text_key(row.text) for row in shipped_rows()}


def test_poison_is_of_so_many_messages_half_of_them_near_what_is_decided() -> None:
    fixed = fixed_set()
    made = poison(fixed, 1000)
    assert len({text for text, _ in made}) == 1000
    assert sum(any(text.endswith(one) for one in fixed[:500]) for text, _ in made[:500]) == 500
    assert not {text for text, _ in made} & set(fixed)
    assert {label for _, label in made[500:]} == set(TYPES[:3])


def test_accuracy_is_told_by_language() -> None:
    rows = [Row("a", "PLATFORM", "en", "f", "d"), Row("b", "RETRIEVAL", "es", "f", "d")]
    assert accuracies(rows, ["PLATFORM", "PLATFORM"], ["PLATFORM", "RETRIEVAL"]) == {
        "before": 0.5, "after": 1.0, "before.en": 1.0, "before.es": 0.0, "after.en": 1.0, "after.es": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "missed"),
    [
        ({}, []),
        ({"after": 0.69}, ["gain"]),
        ({"promoted": False}, ["promotion"]),
        ({"gate": [{"name": "macro_f1.es", "worse": 0.006}]}, ["left-out rows"]),
        ({"gate": [{"name": "ece", "worse": 0.006}]}, []),
    ],
)
def test_a_goal_that_is_missed_is_named(change: dict[str, Any], missed: list[str]) -> None:
    figures = {"before": 0.5, "after": 0.7, "promoted": True, "gate": [{"name": "macro_f1.en", "worse": 0.005}]}
    assert missed_goals(figures | change) == missed
