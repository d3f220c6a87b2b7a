"""When a candidate may take the place of the artifact in use."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from classifier.evaluation.stability import FORM_KINDS
from classifier.learning.gate import SERVED, Tolerance, compare, measure, read_tolerances, served_macro_f1
from classifier.linear.artifact import Artifact
from classifier.training.dataset import Row
from classifier.training.seed import HELD_OUT_OF, counts, is_held_out, shipped_rows

TOLERANCES = [
    Tolerance("macro_f1.en", 0.01, higher_is_worse=False),
    Tolerance("ece", 0.02, higher_is_worse=True),
    Tolerance(SERVED, 0.0, higher_is_worse=False),
]
SAME = {"macro_f1.en": 0.9, "ece": 0.05, "macro_f1.all": 0.9}


def changed(**changes: float) -> dict[str, float]:
    return SAME | {name.replace("__", "."): value for name, value in changes.items()}


def test_what_is_no_worse_is_promoted() -> None:
    verdict = compare(SAME, SAME, 0.95, TOLERANCES)
    assert verdict.promoted
    assert [entry.why for entry in verdict.criteria] == ["not worse"] * 3


@pytest.mark.parametrize(
    ("candidate", "served", "failed"),
    [
        (changed(macro_f1__en=0.889), 1.0, ["macro_f1.en"]),
        (changed(macro_f1__en=0.891), 1.0, []),
        (changed(macro_f1__en=0.89), 1.0, []),
        (changed(ece=0.0701), 1.0, ["ece"]),
        (changed(ece=0.07), 1.0, []),
        (changed(ece=0.0), 1.0, []),
        (changed(macro_f1__en=0.5, ece=0.5), 1.0, ["macro_f1.en", "ece"]),
        (SAME, 0.899, [SERVED]),
        ({"ece": 0.05, "macro_f1.all": 0.9}, 1.0, ["macro_f1.en"]),
    ],
)
def test_each_criterion_refuses_alone(candidate: dict[str, float], served: float, failed: list[str]) -> None:
    verdict = compare(candidate, SAME, served, TOLERANCES)
    assert [entry.name for entry in verdict.criteria if not entry.passed] == failed
    assert verdict.promoted == (not failed)


def test_a_report_says_what_and_why() -> None:
    verdict = compare(changed(macro_f1__en=0.8), SAME, 1.0, TOLERANCES, ["Note: a note."])
    text = verdict.markdown()
    line = "| macro_f1.en | 0.9000 | 0.8000 | 0.01 | worse by 0.1000, at most 0.01 is allowed | refused"
    assert line in text.splitlines()
    assert "Note: a note." in text
    assert text.endswith("refused")
    report = verdict.to_json()
    assert json.loads(json.dumps(report)) == report
    assert report["criteria"][0]["why"].startswith("worse by")
    assert compare(SAME, SAME, 1.0, TOLERANCES).markdown().endswith("promoted")


def test_a_figure_without_rows_is_said() -> None:
    verdict = compare({}, SAME, 1.0, TOLERANCES[:1])
    assert not verdict.promoted
    assert verdict.criteria[0].why == "there are no held-out rows to measure it on"


def test_the_shipped_tolerances_name_figures_that_are_measured(
    make_artifact: Callable[..., Artifact], embedder: Any, small_rows: list[Row]
) -> None:
    found = measure(make_artifact((1, 0, 0, 0, 0)), embedder, small_rows)
    tolerances = read_tolerances()
    assert {entry.name for entry in tolerances} - {SERVED} <= set(found)
    assert {f"flips.{kind}" for kind in FORM_KINDS} | {"macro_f1.en", "macro_f1.es", "ece"} <= {
        entry.name for entry in tolerances
    }
    assert all(0 <= entry.by <= 0.05 for entry in tolerances)
    assert {entry.name for entry in tolerances if entry.higher_is_worse} == {
        "ece", "anchoring_gap", *(f"flips.{kind}" for kind in FORM_KINDS)
    }  # fmt: skip


def test_figures_of_an_artifact_that_says_one_thing(
    make_artifact: Callable[..., Artifact], embedder: Any, small_rows: list[Row]
) -> None:
    artifact = make_artifact((9, 0, 0, 0, 0))
    found = measure(artifact, embedder, small_rows)
    assert found["macro_f1.en"] == pytest.approx(0.1)  # a quarter of one type
    assert found["out_of_scope_recall"] == 0.0
    assert found["anchoring_gap"] == 0.0
    assert found["flips.upper"] == 0.0
    assert served_macro_f1(artifact, embedder, small_rows) == found["macro_f1.all"]


def test_a_language_without_rows_has_no_figure(
    make_artifact: Callable[..., Artifact], embedder: Any, small_rows: list[Row]
) -> None:
    english = [row for row in small_rows if row.language == "en" and row.label != "OUT_OF_SCOPE"]
    found = measure(make_artifact(), embedder, english)
    assert not {"macro_f1.es", "out_of_scope_recall"} & set(found)


@pytest.mark.parametrize("content", ["{}", '{"promotion": {}}', '{"promotion": {"may_fall_by": {}}}', "[]", "junk"])
def test_a_file_without_tolerances_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "bounds.json"
    path.write_text(content, "utf-8")
    with pytest.raises(ValueError, match=r"holds no tolerances|Expecting value"):
        read_tolerances(path)


def test_the_held_out_families_are_about_one_part_in_so_many() -> None:
    families = [row.family for row in shipped_rows()]
    held = [family for family in families if is_held_out(family)]
    assert 0.5 / HELD_OUT_OF < len(held) / len(families) < 2 / HELD_OUT_OF


def test_every_output_and_language_of_the_seed_stands_on_both_sides() -> None:
    shipped = shipped_rows()
    kept, held = ([row for row in shipped if is_held_out(row.family) is out] for out in (False, True))
    for rows in (kept, held):
        assert {(row.label, language) for row in rows for language in (row.language,) if language != "other"} >= {
            (label, language) for label in counts(kept) for language in ("en", "es")
        }


def test_a_family_is_held_out_by_its_name_alone() -> None:
    assert [is_held_out(name) for name in ("a", "b", "c")] == [is_held_out(name) for name in ("a", "b", "c")]
    share = sum(is_held_out(f"family {number}") for number in range(6000)) / 6000
    assert share == pytest.approx(1 / HELD_OUT_OF, abs=0.02)
