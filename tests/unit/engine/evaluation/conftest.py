"""A collection small enough to be read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

CORPUS = [
    ("p1", "Rivers", "The Penobscot river starts in Maine and ends in the Atlantic."),
    ("p2", "Rivers", "Salmon swim up the Penobscot river in spring."),
    ("p3", "Trees", "White pines grow in Maine."),
]


def write_lines(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two questions of one conversation over three passages."""
    home = tmp_path / "sets" / "rivers"
    home.mkdir(parents=True)
    first, second = "where does the penobscot river end", "Which fish live in it?"
    write_lines(home / "corpus.jsonl", [{"_id": i, "title": title, "text": text} for i, title, text in CORPUS])
    write_lines(
        home / "queries_lastturn.jsonl",
        [
            {"_id": "r<::>1", "text": f"|user|: {first}"},
            {"_id": "r<::>2", "text": f"|user|: {second}"},
            {"_id": "r<::>3", "text": "nobody has judged this"},
        ],
    )
    write_lines(
        home / "queries_rewrite.jsonl",
        [
            {"_id": "r<::>1", "text": "Where does the Penobscot River end?"},
            {"_id": "r<::>2", "text": "Which fish live in the Penobscot river?"},
        ],
    )
    write_lines(home / "queries_questions.jsonl", [{"_id": "r<::>2", "text": f"|user|: {first}\n|user|: {second}"}])
    (home / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\nr<::>1\tp1\t1\nr<::>2\tp2\t2\nr<::>2\tp3\t0\n", "utf-8"
    )
    return home


@pytest.fixture
def tasks(folder: Path) -> Path:
    """The turns before each question, with answers."""
    history = [
        {"role": "user", "text": "where does the penobscot river end"},
        {"role": "assistant", "text": "In the Atlantic."},
    ]
    path = folder.parent / "tasks.jsonl"
    write_lines(path, [{"task_id": "r<::>1", "history": []}, {"task_id": "r<::>2", "history": history}])
    return path
