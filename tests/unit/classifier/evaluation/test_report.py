import json
from pathlib import Path
from typing import Any

import pytest

from classifier.cascade import Cascade
from classifier.evaluation import report
from classifier.evaluation.outcomes import Outcome
from classifier.evaluation.stability import anchoring_gap, robustness
from classifier.training.dataset import Row


@pytest.fixture
def made(small_rows: list[Row]) -> dict[str, Any]:
    outcomes = [
        Outcome(row, row.label if row.label != "OUT_OF_SCOPE" else "PLATFORM", "RETRIEVAL", taken=row.label != "OUT_OF_SCOPE",
                confidence=0.9, reason="confident" if row.label != "OUT_OF_SCOPE" else "out_of_scope")
        for row in small_rows
    ]  # fmt: skip
    found = {
        "format": 1,
        "artifact": "linear-made",
        "headline": report.headline(outcomes, "rows of a test"),
        "stability_judged_by": "nobody",
        "anchoring": anchoring_gap(Cascade(), small_rows[:20]),
        "robustness": robustness(Cascade(), small_rows[:20], kinds=["typos", "command_route"]),
        "milliseconds": {"1 caller": {"median": 1.5, "p95": 2.0, "per_second": 600.0}},
    }
    return found | {"goals": report.goals(found)}


def test_the_headline_has_every_part(made: dict[str, Any]) -> None:
    head = made["headline"]
    assert head["judged_by"] == "rows of a test"
    assert set(head["by_language"]) == {"en", "es", "all"}
    assert head["by_language"]["all"]["macro_f1"] == 1.0
    assert head["by_language"]["all"]["out_of_scope_recall"] == 1.0
    assert sum(map(sum, head["confusion"])) == len(head["classes"]) * 48
    assert head["mistakes"] == {"en": [], "es": []}
    assert head["reliability"][0]["confidence"] == pytest.approx(0.9)
    assert head["accuracy_against_coverage"][-1]["coverage"] == 1.0


def test_goals_that_can_be_judged_are(made: dict[str, Any]) -> None:
    found = {goal["figure"]: goal for goal in made["goals"]}
    assert found["headline.by_language.en.macro_f1"]["met"]
    assert not found["headline.by_language.all.ece"]["met"]
    assert found["anchoring.all.gap"] == {
        "figure": "anchoring.all.gap", "value": 0.0, "goal": 0.01, "least": False, "met": True
    }  # fmt: skip
    assert report.goals({}) == []


def test_markdown_has_a_table_for_each_part(made: dict[str, Any]) -> None:
    text = report.markdown(made)
    for line in (
        "# Router linear-made",
        "Judged: rows of a test.",
        "| typos, en |",
        "| command_route, all |",
        "| 1 caller | 1.5000 | 2.0000 | 600.0000 |",
        "| anchoring.all.gap | 0.0000 | at most 0.01 | yes |",
    ):
        assert line in text
    tables = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert len(tables) == 8
    assert all(len({line.count("|") for line in table}) == 1 for table in tables)


def test_files_are_written(made: dict[str, Any], tmp_path: Path) -> None:
    paths = report.write(made, tmp_path / "new" / "folder")
    assert [path.name for path in paths] == [
        "router.json",
        "router.md",
        "reliability.svg",
        "confusion.svg",
        "coverage.svg",
    ]
    assert json.loads(paths[0].read_text("utf-8")) == made
    assert all(path.read_text("utf-8").startswith("<svg") for path in paths[2:])


def test_rows_without_any_in_scope(tmp_path: Path) -> None:
    outcomes = [
        Outcome(
            Row("x", "OUT_OF_SCOPE", "en", "f", "d"),
            "PLATFORM",
            "PLATFORM",
            taken=True,
            confidence=0.9,
            reason="confident",
        )
    ]
    head = report.headline(outcomes, "few")
    made = {
        "artifact": "a", "headline": head, "stability_judged_by": "", "goals": [],
        "anchoring": anchoring_gap(Cascade(), []), "robustness": {}, "milliseconds": {},
    }  # fmt: skip
    assert len(report.write(made, tmp_path)) == 5
    assert head["mistakes"]["en"][0]["best"] == "PLATFORM"
