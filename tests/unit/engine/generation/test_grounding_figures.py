"""What is caught of a real small model's sentences, with the bundled encoder; they were judged by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.bootstrap import MODEL_DIR
from engine.generation.grounding import Grounder
from engine.retrieval.embedding.onnx import OnnxEmbedder
from scripts.fitting.grounding import ROWS, marked

JUDGED = Path(__file__).resolve().parents[4] / "examples" / "golden" / "grounding.jsonl"


@pytest.fixture(scope="module")
def grounder() -> Grounder:
    embedder = OnnxEmbedder(MODEL_DIR, 1)
    embedder.warm_up()
    return Grounder(embedder)


def test_most_inventions_of_a_small_model_are_marked_and_no_true_sentence(grounder: Grounder) -> None:
    rows = [json.loads(line) for line in JUDGED.read_text("utf-8").splitlines()]
    found = marked(rows, grounder)
    caught = sum(mark for mark, row in zip(found, rows, strict=True) if not row["supported"])
    wrong = [row["sentence"] for mark, row in zip(found, rows, strict=True) if mark and row["supported"]]
    assert caught >= 15  # 17 of 28 where it was measured
    assert wrong == []


def test_no_judged_sentence_is_among_those_that_the_rule_was_set_on() -> None:
    judged = {json.loads(line)["sentence"] for line in JUDGED.read_text("utf-8").splitlines()}
    assert not judged & {json.loads(line)["sentence"] for line in ROWS.read_text("utf-8").splitlines()}
