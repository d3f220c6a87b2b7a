"""What `evaluate-router` is made of, on a small set of rows and an artifact by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.cascade import BatchLayer, Cascade
from classifier.decision import Layer, Opinion, Query
from classifier.embedder import Embedder
from classifier.evaluation import cross_validation
from classifier.linear.artifact import LANGUAGE_COLUMNS, Artifact, Weights, write_artifact
from classifier.linear.card import OUTPUTS, Card
from classifier.linear.features import COLUMNS
from classifier.linear.layer import LinearLayer
from classifier.linear.spelling import Spelling
from classifier.prefix import PrefixLayer
from classifier.training import seed
from classifier.training.dataset import Row
from engine.cli.evaluation import evaluate_router
from engine.cli.evaluation.evaluate_router import Plan
from engine.errors import ConfigurationError, InvalidInput

ROWS = [
    Row(f"{label.lower()} about {topic}", label, ("en", "es")[place % 2], f"{label} {topic}", topic)
    for label in OUTPUTS
    for place, topic in enumerate(("storage", "tokens", "queries", "webhooks", "tables", "reports"))
]


class Lengths(Embedder):
    """A text's length as its vector."""

    id = "lengths"
    dimensions = 2

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.asarray([[1.0, len(text) / 100] for text in texts], dtype=np.float32).reshape(-1, 2)


class Model:
    """A layer that must not be asked."""

    layer = Layer.LLM

    async def decide(self, query: Query) -> Opinion:
        raise AssertionError(f"a model is asked for {query.text}")


@pytest.fixture
def artifact(tmp_path: Path) -> Artifact:
    def zeros(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, np.float32)

    weights = Weights(
        zeros(COLUMNS, 5), zeros(5), zeros(2, 5), zeros(5), zeros(LANGUAGE_COLUMNS, 3), zeros(3), zeros(3, 2) + 1,
        zeros(3, 5), zeros(3, 1), zeros(3, 5), Spelling({"en": ["invoice"], "es": ["factura"]}, []),
    )  # fmt: skip
    card = Card(
        embedder="lengths", dimensions=2, temperature=1.0, thresholds=dict.fromkeys(OUTPUTS[:-1], 0.3), margin=0.0,
        reject_threshold=0.9, training_sha256="0" * 64, rows=20, weights_sha256="0" * 64,
    )  # fmt: skip
    return write_artifact(tmp_path / "made.npz", card, weights)


@pytest.fixture
def router(artifact: Artifact) -> Cascade:
    return Cascade(PrefixLayer(["you have a project"]), LinearLayer(artifact, Lengths()))


@pytest.fixture
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seed, "shipped_rows", lambda: ROWS)


@pytest.mark.usefixtures("few_rows")
class TestHeadline:
    def test_the_shipped_rows_are_judged_by_heads_that_have_not_seen_them(
        self, router: Cascade, artifact: Artifact
    ) -> None:
        rows, head = evaluate_router._headline(router, artifact, Lengths(), Plan(None, 3, whole=False, each=0))
        assert rows == ROWS
        assert head["by_language"]["all"]["rows"] == 24
        assert head["by_language"]["all"]["accuracy"] > 0.5
        assert head["judged_by"].startswith("30 shipped rows, each by one of 3 trainings of the heads")

    def test_whole_trainings_if_asked(
        self, router: Cascade, artifact: Artifact, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fitted: list[int] = []

        def fit(rows: Sequence[Row], _: Embedder, __: Path) -> Artifact:
            fitted.append(len(rows))
            return artifact

        monkeypatch.setattr(cross_validation, "fit_artifact", fit)
        _, head = evaluate_router._headline(router, artifact, Lengths(), Plan(None, 2, whole=True, each=0))
        assert len(fitted) == 2
        assert sum(fitted) == len(ROWS)
        assert "2 whole trainings" in head["judged_by"]

    def test_rows_from_outside_are_judged_by_the_artifact_itself(
        self, router: Cascade, artifact: Artifact, tmp_path: Path
    ) -> None:
        path = tmp_path / "outside.jsonl"
        path.write_text('{"text": "You have a project at 20%", "type": "PLATFORM", "language": "en"}', "utf-8")
        rows, head = evaluate_router._headline(router, artifact, Lengths(), Plan(path, 2, whole=False, each=0))
        assert len(rows) == 1
        assert head["by_language"]["en"]["accuracy"] == 1.0
        assert head["judged_by"] == f"1 rows of outside.jsonl, by {artifact.id}"

    @pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe"])
    def test_rows_that_cannot_be_used_are_bad_input(
        self, router: Cascade, artifact: Artifact, tmp_path: Path, content: bytes
    ) -> None:
        path = tmp_path / "outside.jsonl"
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match="rows"):
            evaluate_router._headline(router, artifact, Lengths(), Plan(path, 2, whole=False, each=0))


def test_a_model_is_not_asked(router: Cascade) -> None:
    layers = evaluate_router._batched(Cascade(*router.layers, Model())).layers
    assert [layer.layer for layer in layers] == [Layer.PREFIX, Layer.EMBEDDING]
    assert all(isinstance(layer, BatchLayer) for layer in layers)


def test_the_artifact_in_use(artifact: Artifact) -> None:
    assert evaluate_router._artifact(LinearLayer(artifact, Lengths()), "made.npz") is artifact


def test_without_layer_2_there_is_nothing_to_judge() -> None:
    with pytest.raises(ConfigurationError, match="is a pickle"):
        evaluate_router._artifact(None, "old.pkl: is a pickle")


@pytest.mark.parametrize(("terminal", "told"), [(True, "trained 1 of 4\n"), (False, "")])
def test_progress_is_for_terminals(
    terminal: bool, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    evaluate_router._say_progress(4, 1)
    assert capsys.readouterr().err == told
