"""The mean of queries that is taken off a query beside the encoder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from classifier.embedder import PassingOn
from engine.bootstrap import MODEL_DIR
from engine.errors import ConfigurationError
from engine.retrieval.embedding.cache import MemoEmbedder
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.testing import HashedWordsEmbedder

#: Questions that are in no row of the seed.
QUESTIONS = (
    "how do I tie a bowline?",
    "¿cuándo se poda el naranjo?",
    "which bridge is the oldest one here",
    "qué hago si pierdo el guante",
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = tmp_path / "encoder"
    shutil.copytree(MODEL_DIR, folder)
    return folder


def test_it_is_near_to_any_question_and_not_so_near_to_what_is_told() -> None:
    encoder = OnnxEmbedder(MODEL_DIR, threads=1)
    mean = encoder.query_mean
    assert mean is not None
    asked = encoder.embed_queries(QUESTIONS) @ mean
    told = (
        encoder.embed(["A bowline is a knot that does not slip.", "Los naranjos se podan a final de invierno."]) @ mean
    )
    assert asked.min() > told.max()
    assert float(np.linalg.norm(mean)) < 1.0


def test_wrappers_hand_it_on() -> None:
    encoder = OnnxEmbedder(MODEL_DIR, threads=1)
    assert MemoEmbedder(encoder).query_mean is encoder.query_mean
    assert PassingOn(encoder).query_mean is encoder.query_mean
    assert HashedWordsEmbedder().query_mean is None


def test_an_encoder_may_have_none(copy: Path) -> None:
    card = json.loads((copy / "card.json").read_text("utf-8"))
    del card["bytes"]["query_mean.npy"]
    (copy / "card.json").write_text(json.dumps(card), "utf-8")
    assert OnnxEmbedder(copy).query_mean is None


def test_a_damaged_one_is_told_at_the_start(copy: Path) -> None:
    path = copy / "query_mean.npy"
    np.save(path, np.full(3, np.nan, np.float32))
    card = json.loads((copy / "card.json").read_text("utf-8"))
    card["bytes"][path.name] = path.stat().st_size
    (copy / "card.json").write_text(json.dumps(card), "utf-8")
    with pytest.raises(ConfigurationError, match=r"query_mean\.npy.*restore"):
        OnnxEmbedder(copy).warm_up()
