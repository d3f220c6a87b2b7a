"""The router as the service runs it: layer 2 can be missing, be added, and be exchanged."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs

from classifier.decision import Layer, Query
from classifier.embedder import Embedder
from classifier.linear.artifact import ArtifactError
from classifier.prefix import PrefixLayer
from engine import metrics
from engine.bootstrap import CLASSIFIER_DATA, HELD_OUT, MODEL_DIR
from engine.errors import ConfigurationError
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.routing.fitted_layers import IntentEmbedder
from engine.routing.router import ArtifactSource, Routing, build_router
from tests.metered import shown

SHIPPED = CLASSIFIER_DATA / "classifier_model.npz"
QUERY = Query("What is addVar in AVAP?")


@pytest.fixture(autouse=True)
def _all_levels() -> None:
    """Log lines of every level are seen, whatever a command before has set."""
    structlog.reset_defaults()


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return IntentEmbedder(OnnxEmbedder(MODEL_DIR, 1), HELD_OUT)


def built(path: Path, embedder: Embedder, closed: list[str] | None = None) -> Routing:
    async def close() -> None:
        if closed is not None:
            closed.append("closed")

    prefixes = PrefixLayer.from_file(CLASSIFIER_DATA / "prefixes.json")
    return build_router(ArtifactSource(lambda: path, embedder), prefixes, (), (close,))


async def test_the_artifact_that_is_found_is_used(embedder: Embedder) -> None:
    with capture_logs() as logs:
        routing = built(SHIPPED, embedder)
    assert [entry["event"] for entry in logs] == [f"[classifier/L2] model loaded from {SHIPPED}"]
    await routing.check()
    decision = await routing.cascade.decide(QUERY)
    assert shown(metrics.ARTIFACT)[decision.artifact_id] == 1
    assert routing.layer2
    assert decision.artifact_id == routing.layer2.artifact.id
    await routing.close()


async def test_without_a_usable_artifact_the_others_go_on_and_health_says_why(
    embedder: Embedder, tmp_path: Path
) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(b"junk")
    with capture_logs() as logs:
        routing = built(path, embedder)
    assert logs[0]["event"].startswith(f"[classifier/L2] no model: {path}: ")
    with pytest.raises(ConfigurationError, match="layer 2 of the router is off"):
        await routing.check()
    assert (await routing.cascade.decide(QUERY)).layer is Layer.DEFAULT
    await routing.close()


async def test_a_router_that_started_without_layer_2_gets_it_behind_layer_1(embedder: Embedder, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    routing = built(path, embedder)
    watch = routing.watch()
    await watch.look()
    assert routing.layer2 is None
    shutil.copy(SHIPPED, path)
    await watch.look()
    await routing.check()
    assert routing.artifact == str(path)
    assert [layer.layer for layer in routing.cascade.layers] == [Layer.PREFIX, Layer.EMBEDDING]
    assert (await routing.cascade.decide(QUERY)).layer is Layer.EMBEDDING
    await routing.close()


async def test_a_broken_artifact_leaves_the_running_one(embedder: Embedder, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    shutil.copy(SHIPPED, path)
    routing = built(path, embedder)
    before = (await routing.cascade.decide(QUERY)).artifact_id
    path.write_bytes(b"junk")
    with capture_logs() as logs:
        await routing.watch().look()
    assert "no model" in logs[0]["event"]
    assert (await routing.cascade.decide(QUERY)).artifact_id == before
    await routing.check()
    await routing.close()


def test_slips_are_taken_back_by_the_words_of_layer_2(embedder: Embedder, tmp_path: Path) -> None:
    routing = built(tmp_path / "none.npz", embedder)
    assert routing.respelt("a comand", "en", lambda _: False) == "a comand"
    routing = built(SHIPPED, embedder)
    assert routing.respelt("a comand of comand", "en", lambda _: False) == "a command of command"
    assert routing.respelt("a comand", "en", lambda word: word == "comand") == "a comand"


async def test_closing_ends_what_the_layers_hold(embedder: Embedder) -> None:
    closed: list[str] = []
    routing = built(SHIPPED, embedder, closed)
    await routing.close()
    assert closed == ["closed"]


def test_a_source_refuses_what_is_not_for_its_embedder(embedder: Embedder, tmp_path: Path) -> None:
    with pytest.raises(ArtifactError):
        ArtifactSource(lambda: tmp_path, embedder).read(tmp_path)
