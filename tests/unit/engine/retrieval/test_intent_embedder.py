"""The shipped encoder with the layers fitted to the types: no stand-in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.artifact import read_artifact
from classifier.card import OUTPUTS
from classifier.decision import Embedder
from classifier.held_out import HeldOut
from engine.bootstrap import CLASSIFIER_DATA, HELD_OUT, MODEL_DIR
from engine.errors import ConfigurationError
from engine.retrieval.intent_embedder import IntentEmbedder
from engine.retrieval.onnx_embedder import OnnxEmbedder

TEXTS = [
    "What does the registerEndpoint command do?",
    "Write a function that sorts a list of dates",
    "make that shorter please",
    "how many API calls have I made this month",
]


@pytest.fixture(scope="module")
def encoder() -> OnnxEmbedder:
    return OnnxEmbedder(MODEL_DIR, threads=2)


@pytest.fixture(scope="module")
def intent(encoder: OnnxEmbedder) -> Embedder:
    return IntentEmbedder(encoder, HELD_OUT)


def test_the_vector_is_the_encoders_own_and_the_types_stand_behind_it(encoder: OnnxEmbedder, intent: Embedder) -> None:
    found = intent.embed(TEXTS)
    assert found.shape == (len(TEXTS), encoder.dimensions + len(OUTPUTS)) == (len(TEXTS), intent.dimensions)
    assert np.array_equal(found[:, : encoder.dimensions], encoder.embed(TEXTS))
    best = found[:, encoder.dimensions :].argmax(axis=1)
    assert [OUTPUTS[place] for place in best] == ["RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL", "PLATFORM"]


def test_a_text_has_the_same_logits_in_company(intent: Embedder) -> None:
    assert np.array_equal(intent.embed(TEXTS)[2], intent.embed(TEXTS[2:3])[0])
    assert intent.embed([]).shape == (0, intent.dimensions)


def test_whoever_searches_is_told_the_vector_of_a_text_that_comes_alone(encoder: OnnxEmbedder) -> None:
    told: list[tuple[str, NDArray[np.float32]]] = []
    embedder = IntentEmbedder(encoder, HELD_OUT, lambda text, vector: told.append((text, vector)))
    embedder.embed(TEXTS)  # a batch is somebody training
    assert told == []
    embedder.embed(TEXTS[:1])
    ((text, vector),) = told
    assert text == TEXTS[0]
    assert np.array_equal(vector, encoder.embed([text])[0])


def test_texts_of_the_seed_are_read_as_if_they_had_not_been_fitted_on(encoder: OnnxEmbedder, tmp_path: Path) -> None:
    other = np.asarray([[9, 8, 7, 6, 5]], np.float32)
    HeldOut.of(TEXTS[1:2], other).write(tmp_path / "held_out.npz")
    embedder = IntentEmbedder(encoder, tmp_path / "held_out.npz")
    seen, unseen = embedder.embed(TEXTS), embedder.embed_unseen(TEXTS)
    assert np.array_equal(unseen[1, encoder.dimensions :], other[0])
    unseen[1] = seen[1]
    assert np.array_equal(unseen, seen)


def test_the_shipped_file_knows_the_shipped_rows(intent: IntentEmbedder) -> None:
    texts = ["Write a query that lists customers without orders"]
    rows = read_artifact(CLASSIFIER_DATA / "classifier_model.npz").card.rows
    assert len(HeldOut.read(HELD_OUT).digests) > rows
    assert intent.embed_unseen(texts).shape == (1, intent.dimensions)


def test_a_file_that_is_missing_is_named_where_it_is_needed(encoder: OnnxEmbedder, tmp_path: Path) -> None:
    embedder = IntentEmbedder(encoder, tmp_path / "nowhere.npz")
    embedder.embed(TEXTS[:1])
    with pytest.raises(ConfigurationError, match=r"nowhere\.npz.*tune_intent"):
        embedder.embed_unseen(TEXTS[:1])


def test_the_shipped_artifact_was_trained_for_these_layers(intent: Embedder) -> None:
    card = read_artifact(CLASSIFIER_DATA / "classifier_model.npz").card
    assert (card.embedder, card.dimensions) == (intent.id, intent.dimensions)
    assert intent.id.startswith("all-MiniLM-L6-v2-int8+intent-")
