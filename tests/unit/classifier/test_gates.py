"""The shipped artifact against `classifier/data/bounds.json`: nothing that was reached may be lost unseen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import classifier
from classifier.cascade import Cascade
from classifier.decision import QueryType
from classifier.evaluation.bounds import Bound, problems, read_bounds, watched_figures
from classifier.linear.artifact import Artifact, read_artifact
from classifier.linear.layer import LinearLayer
from classifier.prefix import PrefixLayer
from classifier.training.embedding_cache import KnownEmbedder
from classifier.training.perturbation import KINDS
from classifier.training.seed import shipped_rows
from engine.bootstrap import HELD_OUT, MODEL_DIR
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.routing.fitted_layers import IntentEmbedder

DATA = Path(classifier.__file__).parent / "data"
BOUNDS = read_bounds()


@pytest.fixture(scope="module")
def artifact() -> Artifact:
    return read_artifact(DATA / "classifier_model.npz")


@pytest.fixture(scope="module")
def watched(artifact: Artifact) -> dict[str, Any]:
    layer = LinearLayer(artifact, KnownEmbedder(IntentEmbedder(OnnxEmbedder(MODEL_DIR), HELD_OUT)))
    router = Cascade(PrefixLayer.from_file(DATA / "prefixes.json"), layer)
    return watched_figures(router, artifact.card, shipped_rows())


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: bound.name)
def test_the_shipped_artifact_keeps(bound: Bound, watched: dict[str, Any]) -> None:
    assert problems(watched, [bound]) == []


def test_what_is_watched_covers_every_kind_and_both_languages(watched: dict[str, Any]) -> None:
    names = {bound.name for bound in BOUNDS}
    assert {kind for kind in KINDS if any(name.startswith(f"robustness.{kind}.") for name in names)} == set(KINDS)
    assert {"anchoring.en.gap", "anchoring.es.gap", "language_gap"} <= names
    assert watched["anchoring"]["en"]["rows"] > 100
    assert watched["anchoring"]["es"]["rows"] > 100


def test_every_goal_of_form_that_is_met_is_a_bound(watched: dict[str, Any]) -> None:
    limits = {bound.name: bound.limit for bound in BOUNDS}
    for goal in read_bounds(section="goals"):
        if goal.name.startswith("robustness.") and goal.kept(watched):
            parts = [goal.name.replace(".all.", f".{language}.") for language in ("en", "es")]
            assert all(limits[part] <= goal.limit for part in parts), goal.name


def test_the_card_s_classes_are_the_types_and_the_reject_class(artifact: Artifact) -> None:
    assert artifact.card.classes[:-1] == tuple(QueryType)
