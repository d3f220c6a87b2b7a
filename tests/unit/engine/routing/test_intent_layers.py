"""The shipped encoder with the layers fitted to the types: no stand-in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from classifier.embedder import Embedder
from classifier.linear.artifact import read_artifact
from classifier.linear.card import OUTPUTS
from classifier.linear.scoring import read_all
from classifier.training.held_out_logits import HeldOut
from classifier.training.seed import shipped_rows
from engine.bootstrap import CLASSIFIER_DATA, HELD_OUT, MODEL_DIR
from engine.errors import ConfigurationError
from engine.retrieval.embedding.cache import KeptStates, MemoEmbedder
from engine.retrieval.embedding.graphs import Parts
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.routing.fitted_layers import IntentEmbedder

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


def test_the_types_are_told_apart(encoder: OnnxEmbedder, intent: Embedder) -> None:
    found = intent.embed(TEXTS)
    assert found.shape == (len(TEXTS), len(OUTPUTS)) == (len(TEXTS), intent.dimensions) == (len(TEXTS), encoder.intents)
    best = [OUTPUTS[place] for place in found.argmax(axis=1)]
    assert best == ["RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL", "PLATFORM"]


def test_a_message_is_recalled_by_the_vector_that_the_search_has_of_it(encoder: OnnxEmbedder, intent: Embedder) -> None:
    assert np.array_equal(intent.embed_queries(TEXTS), encoder.embed_queries(TEXTS))
    assert intent.unrelated == encoder.unrelated > 0.5


def test_what_the_router_looked_for_is_not_encoded_again_by_the_search(
    encoder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = MemoEmbedder(encoder)
    looked = IntentEmbedder(encoder, HELD_OUT, search.embed_queries).embed_queries(TEXTS[:1])
    monkeypatch.setattr(Parts, "states", lambda *_: pytest.fail("encoded again"))
    assert np.array_equal(search.embed_queries(TEXTS[:1]), looked)


def test_a_text_has_the_same_logits_in_company(intent: Embedder) -> None:
    assert np.array_equal(intent.embed(TEXTS)[2], intent.embed(TEXTS[2:3])[0])
    assert intent.embed([]).shape == (0, intent.dimensions)


def test_a_text_that_was_judged_has_the_same_vector(encoder: OnnxEmbedder, intent: Embedder) -> None:
    fresh = encoder.embed_queries(TEXTS)
    for text, vector in zip(TEXTS, fresh, strict=True):
        intent.embed([text])
        assert np.array_equal(encoder.embed_queries([text])[0], vector)
        assert np.array_equal(encoder.embed_queries([text])[0], vector)


def test_the_lower_half_is_run_once_for_both(
    encoder: OnnxEmbedder, intent: Embedder, runs: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = [f"{text} once more" for text in TEXTS]  # no other test has asked for them
    intent.embed(fresh[:1])
    encoder.embed_queries(fresh[:2])
    assert len(runs) == 2
    encoder.embed_queries(fresh[:1])
    for _ in range(2):
        encoder.answers_in(fresh[0], [fresh[0]])  # as a sentence it is another text
    assert len(runs) == 3
    monkeypatch.setattr(encoder, "_begun", KeptStates(64))
    for number in range(20):
        intent.embed([f"text {number}"])
    runs.clear()
    encoder.embed_queries(["text 19"])
    assert not runs
    encoder.embed_queries(["text 0"])  # pushed out
    assert len(runs) == 1


def test_a_text_that_was_judged_is_pooled_without_another_run(
    encoder: OnnxEmbedder, intent: Embedder, runs: list[object]
) -> None:
    asked = f"{TEXTS[0]} and what for?"
    intent.embed([asked])
    runs.clear()
    pooled = encoder.embed_pooled([asked])
    assert not runs
    assert np.array_equal(pooled[0], OnnxEmbedder(MODEL_DIR).embed_pooled([asked])[0])


def test_sentences_are_kept_apart_from_queries_for_the_next_question(
    encoder: OnnxEmbedder, runs: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = [f"Tile {number} is kept dry." for number in range(4)]
    first = encoder.answers_in("Which tile is kept dry?", sentences)
    assert len(runs) == 5
    again = encoder.answers_in("Which tile is kept dry?", sentences)
    assert len(runs) == 5
    assert first is not None
    assert again is not None
    assert np.array_equal(first, again)
    for number in range(20):
        encoder.embed_queries([f"query {number} of many"])
    runs.clear()
    encoder.answers_in("Which tile stands on edge?", sentences)
    assert len(runs) == 1  # the question
    monkeypatch.setattr(encoder, "_said", KeptStates(16))
    encoder.answers_in("Which tile stands on edge?", sentences[:1])
    encoder.answers_in("Which tile stands on edge?", ["Another tile is wet."])
    runs.clear()
    encoder.answers_in("Which tile stands on edge?", sentences[:1])
    assert len(runs) == 1  # pushed out


def test_texts_of_the_seed_are_read_as_if_they_had_not_been_fitted_on(encoder: OnnxEmbedder, tmp_path: Path) -> None:
    other = np.asarray([[9, 8, 7, 6, 5]], np.float32)
    HeldOut.of(TEXTS[1:2], other).write(tmp_path / "held_out.npz")
    embedder = IntentEmbedder(encoder, tmp_path / "held_out.npz")
    seen, unseen = embedder.embed(TEXTS), embedder.embed_unseen(TEXTS)
    assert np.array_equal(unseen[1], other[0])
    unseen[1] = seen[1]
    assert np.array_equal(unseen, seen)


def test_the_shipped_file_knows_the_shipped_rows_as_they_are_read() -> None:
    """Those it does not know are judged by layers that do. Mend: python -m scripts.tuning.tune_intent, then train."""
    artifact = read_artifact(CLASSIFIER_DATA / "classifier_model.npz")
    rows = shipped_rows()[::10]
    reading = read_all([row.text for row in rows], artifact.weights)
    known, _ = HeldOut.read(HELD_OUT).find(reading.sentences)
    assert known.mean() > 0.98


def test_a_file_that_is_missing_is_named_where_it_is_needed(encoder: OnnxEmbedder, tmp_path: Path) -> None:
    embedder = IntentEmbedder(encoder, tmp_path / "nowhere.npz")
    embedder.embed(TEXTS[:1])
    with pytest.raises(ConfigurationError, match=r"nowhere\.npz.*tune_intent"):
        embedder.embed_unseen(TEXTS[:1])


def test_the_shipped_artifact_was_trained_for_these_layers(intent: Embedder) -> None:
    card = read_artifact(CLASSIFIER_DATA / "classifier_model.npz").card
    assert (card.embedder, card.dimensions) == (intent.id, intent.dimensions)
    assert intent.id.startswith("multilingual-e5-small-int8+types-")
