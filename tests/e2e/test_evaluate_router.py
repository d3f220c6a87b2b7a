"""The router judged from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROWS = [
    {"text": "How many calls did I make this month?", "type": "PLATFORM", "language": "en", "source": "forum"},
    {"text": "Write a function that reverses a string", "type": "CODE_GENERATION", "language": "en", "source": "forum"},
    {"text": "What is addVar in AVAP?", "type": "RETRIEVAL", "language": "en", "source": "guide"},
    {"text": "gracias por la ayuda", "type": "CONVERSATIONAL", "language": "es"},
    {"text": "¿qué diferencia hay entre addParam y addVar?", "type": "RETRIEVAL", "language": "es", "source": "guide"},
    {"text": "Turn on the lights in the hallway", "type": "OUT_OF_SCOPE", "language": "en", "source": "home"},
]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path / "outside.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS), "utf-8")
    return path


def test_rows_from_outside_are_judged_by_the_artifact_in_use(tmp_path: Path, outside: Path, run_command: Any) -> None:
    out = tmp_path / "report"
    done = run_command(tmp_path, "evaluate-router", "--rows", str(outside), "--out", str(out), "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["headline"]["by_language"]["all"]["rows"] == 5
    assert report["headline"]["by_language"]["en"]["accuracy"] == 1.0
    assert set(report["headline"]["by_domain"]) == {"forum", "guide", "unnamed"}
    assert "outside.jsonl" in report["headline"]["judged_by"]
    assert report["anchoring"]["all"]["gap"] == 0.0
    assert set(report["milliseconds"]) == {"1 caller", "32 callers"}
    assert json.loads((out / "router.json").read_text("utf-8")) == report
    assert sorted(path.name for path in out.iterdir()) == [
        "confusion.svg", "coverage.svg", "reliability.svg", "router.json", "router.md"
    ]  # fmt: skip


def test_people_get_tables(tmp_path: Path, outside: Path, run_command: Any) -> None:
    done = run_command(tmp_path, "evaluate-router", "--rows", str(outside), "--each", "1")
    assert done.returncode == 0, done.stderr
    assert "# Router linear-" in done.stdout
    assert "| typos, en |" in done.stdout


@pytest.mark.parametrize(
    ("text", "told"),
    [("", "there are no rows"), ('{"text": "a"}', "outside.jsonl:1"), ("\n[", "outside.jsonl:2")],
)
def test_rows_that_are_none_are_named(tmp_path: Path, run_command: Any, text: str, told: str) -> None:
    path = tmp_path / "outside.jsonl"
    path.write_text(text, "utf-8")
    done = run_command(tmp_path, "evaluate-router", "--rows", str(path))
    assert done.returncode == 2
    assert told in done.stderr


def test_an_artifact_that_is_refused_is_said(tmp_path: Path, outside: Path, run_command: Any) -> None:
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"junk")
    done = run_command(tmp_path, "evaluate-router", "--rows", str(outside), CLASSIFIER_MODEL_PATH=str(broken))
    assert done.returncode == 2
    assert "layer 2 of the router is off" in done.stderr


def test_a_file_that_is_not_there_is_bad_usage(tmp_path: Path, run_command: Any) -> None:
    assert run_command(tmp_path, "evaluate-router", "--rows", "/nowhere.jsonl").returncode == 2
