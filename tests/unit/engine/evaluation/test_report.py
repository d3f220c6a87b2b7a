from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from engine.evaluation.report import goals, markdown, write

FORM = {"text": 0.25, "dense": 0.4, "both": 0.43}
FOUND = {"precision": 0.8, "recall": 0.9, "f1": 0.847, "hits": 9, "false_alarms": 2, "misses": 1, "rejections": 4}


def trial(**more: Any) -> dict[str, Any]:
    forms = dict.fromkeys(("last_turn", "gold", "rewrite"), FORM)
    return {
        "questions": 7, "passages": 1234, "ndcg": forms, "recall": forms, "fusion_gain": {"last_turn": 0.03},
        "gap_closed": {"text": None, "dense": 0.5, "both": 0.61}, "needs_rewrite": FOUND, **more,
    }  # fmt: skip


def report(**trials: Any) -> dict[str, Any]:
    return {"format": 1, "embedder": "small", "trials": trials, "goals": goals(trials)}


def test_goals_are_over_all_collections() -> None:
    found = goals({"a": trial(), "b": trial(fusion_gain={"last_turn": -0.01, "gold": 0.04}, gap_closed={"both": 0.4})})
    assert [(goal["value"], goal["met"]) for goal in found] == [
        (-0.01, False),
        (pytest.approx(0.02), True),
        (0.4, False),
    ]


def test_a_goal_without_a_figure_is_left_out() -> None:
    assert len(goals({"a": trial(gap_closed={})})) == 2
    assert goals({}) == []


def test_the_tables_hold_the_figures() -> None:
    text = markdown(report(rivers=trial()))
    assert "## rivers\n\n7 questions over 1234 passages." in text
    assert "| last turn | 0.2500 | 0.4000 | 0.4300 |" in text
    assert "| share closed |  | 0.5000 | 0.6100 |" in text
    assert "| rivers | 0.8000 | 0.9000 | 0.8470 | 9 | 2 | 1 | 4 |" in text
    assert "| share of the gap closed, worst | 0.6100 | 0.5000 | yes |" in text


def test_what_a_collection_does_not_have_has_no_table() -> None:
    text = markdown(report(rivers=trial(gap_closed={}, needs_rewrite={})))
    assert "share closed" not in text
    assert "Needs a rewrite" not in text


def test_the_files_can_be_read_again(tmp_path: Path) -> None:
    found = report(rivers=trial(), trees=trial())
    paths = write(found, tmp_path / "new" / "out")
    assert [path.name for path in paths] == [
        "retrieval.json",
        "retrieval.md",
        "ndcg-rivers.svg",
        "ndcg-trees.svg",
    ]
    assert json.loads(paths[0].read_text("utf-8")) == found
    assert paths[1].read_text("utf-8") == markdown(found)
    picture = ET.fromstring(paths[2].read_text("utf-8"))  # noqa: S314 - written by the line above
    assert "nDCG@10, rivers" in [element.text for element in picture.iter()]
