"""The comparison with the peer, with a stand-in for its package: figures are counted right, sides take turns."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.embedder import Embedder
from classifier.evaluation.outcomes import Outcome
from classifier.linear.artifact import Artifact
from classifier.training.dataset import Row
from classifier.training.embedding_cache import FittedEmbedder, KnownEmbedder
from scripts.benchmarks import peer_router
from scripts.benchmarks.peer_router import (
    Split,
    compare,
    our_quality,
    pace,
    peer,
    peer_outcomes,
    quality,
    rejecting,
    splits,
)
from scripts.evaluation import compare_routers

LABELS = ("RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL", "PLATFORM", "OUT_OF_SCOPE")
ROWS = [
    Row(f"{label.lower()} {number}", label, ("en", "es")[number % 2], f"{label} {number}", f"{label} {number}")
    for label in LABELS
    for number in range(4)
]


class Letters(Embedder):
    """The first letter and the length as a vector."""

    id = "letters"
    dimensions = 2

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.asarray([[ord(text[0]), len(text)] for text in texts], dtype=np.float32)


class Choice:
    def __init__(self, name: str, confidence: float) -> None:
        self.name = name
        self.confidence = confidence


class Encoder:
    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


class Route(Choice):
    def __init__(self, name: str, utterances: list[str]) -> None:
        super().__init__(name, 1.0)
        self.utterances = utterances


class Nearest:
    """Takes the route whose name begins as the query does; surer of longer queries."""

    def __init__(self, encoder: Any, routes: list[Route], aggregation: str) -> None:
        self.encoder, self.routes, self.aggregation = encoder, routes, aggregation
        self.learnt = encoder([text for route in routes for text in route.utterances])

    def __call__(self, query: str) -> Choice:
        self.encoder([query])
        first = sorted(self.routes, key=lambda route: not route.name.lower().startswith(query.split(maxsplit=1)[0]))
        return Choice(first[0].name, len(query) / 100)

    async def acall(self, query: str, limit: int | None = 1) -> Any:
        best = self(query)
        others = [Choice(route.name, 0.0) for route in self.routes if route.name != best.name]
        return best if limit == 1 else [best, *others]


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the stand-in where the package would be."""
    modules: dict[str, dict[str, Any]] = {
        "semantic_router": {"Route": Route},
        "semantic_router.encoders": {"DenseEncoder": Encoder},
        "semantic_router.routers": {"IndexedRouter": Nearest},
    }
    for name, parts in modules.items():
        module = types.ModuleType(name)
        module.__dict__.update(parts)
        monkeypatch.setitem(sys.modules, name, module)


def made(label: str, best: str, confidence: float, *, taken: bool = True, language: str = "en") -> Outcome:
    reason = "confident" if taken else "out_of_scope"
    return Outcome(Row("x", label, language, "f", "d"), best, best, taken=taken, confidence=confidence, reason=reason)


class TestPeer:
    def test_a_route_for_each_type_and_one_for_the_rest_if_asked(self) -> None:
        assert [route.name for route in peer(ROWS, Letters(), "max").routes] == list(LABELS[:-1])
        router = peer(ROWS, Letters(), "mean", reject_route=True)
        assert [route.name for route in router.routes] == list(LABELS)
        assert router.aggregation == "mean"
        assert len(router.learnt) == len(ROWS)
        assert router.learnt[0] == [float(ord("r")), float(len("retrieval 0"))]

    async def test_its_best_type_and_its_score(self) -> None:
        found = await peer_outcomes(peer(ROWS, Letters(), "mean"), ROWS)
        assert [outcome.best for outcome in found[:16]] == [row.label for row in ROWS[:16]]
        assert all(outcome.taken for outcome in found)
        assert found[0].confidence == pytest.approx(0.11)

    async def test_its_reject_route_is_a_rejection(self) -> None:
        found = await peer_outcomes(peer(ROWS, Letters(), "mean", reject_route=True), ROWS)
        # The stand-in's route for the rest is called as the class, the rows begin with it.
        assert [outcome.taken for outcome in found[-4:]] == [False] * 4
        assert found[-1].best != "OUT_OF_SCOPE"


class TestQuality:
    ours = (made("RETRIEVAL", "RETRIEVAL", 0.9), made("PLATFORM", "PLATFORM", 0.2, taken=False), made("OUT_OF_SCOPE", "PLATFORM", 0.5, taken=False))  # fmt: skip

    def test_at_our_coverage_the_peer_decides_as_much(self) -> None:
        theirs = [
            made("RETRIEVAL", "RETRIEVAL", 0.8),
            made("PLATFORM", "RETRIEVAL", 0.3),
            made("OUT_OF_SCOPE", "PLATFORM", 0.4),
        ]
        found = quality(theirs, self.ours)
        assert found["accuracy en"] == 0.5
        assert found["out of scope kept out at our coverage"] == 1.0
        assert found["selective accuracy at our coverage"] == 1.0
        assert found["accuracy es"] == 0.0

    def test_ours_at_its_own_thresholds(self) -> None:
        found = our_quality(self.ours)
        assert (found["coverage"], found["false rejects"], found["accuracy en"]) == (0.5, 0.5, 1.0)
        assert found["out of scope kept out at our false rejects"] == 1.0
        assert found["selective accuracy at our coverage"] == 1.0

    def test_a_reject_route(self) -> None:
        assert rejecting(self.ours) == {"out of scope kept out": 1.0, "false rejects": 0.5}


@pytest.fixture
def split(base: Artifact) -> Split:
    return Split(ROWS[::2], ROWS[1::2], base)


@pytest.fixture
def base(tmp_path: Path) -> Artifact:
    from classifier.linear.artifact import LANGUAGE_COLUMNS, Weights, write_artifact
    from classifier.linear.card import Card
    from classifier.linear.features import COLUMNS
    from classifier.linear.spelling import Spelling

    def zeros(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, np.float32)

    weights = Weights(
        zeros(COLUMNS, 5), zeros(5), zeros(2, 5), zeros(5), zeros(LANGUAGE_COLUMNS, 3), zeros(3), zeros(3, 2),
        zeros(3, 5), zeros(3, 1), zeros(3, 5), Spelling({"en": ["invoice"], "es": ["factura"]}, []),
    )  # fmt: skip
    card = Card(
        embedder="letters", dimensions=2, temperature=1.0, thresholds=dict.fromkeys(LABELS[:-1], 0.2), margin=0.0,
        reject_threshold=0.9, training_sha256="0" * 64, rows=20, shortcut=0.9, weights_sha256="0" * 64,
    )  # fmt: skip
    return write_artifact(tmp_path / "0.npz", card, weights)


def test_every_side_is_judged_on_the_same_rows(split: Split) -> None:
    known = KnownEmbedder(Letters())
    table = compare([split], known, known)
    assert list(table) == [
        "layer 2",
        "IndexedRouter, mean", "IndexedRouter, mean, reject route",
        "IndexedRouter, max", "IndexedRouter, max, reject route",
    ]  # fmt: skip
    assert table["IndexedRouter, max"]["accuracy es"] == 1.0
    assert table["layer 2"]["accuracy es"] == 0.25
    assert compare([split], known, known, each=len(split.left)) == table
    assert set(compare([split], known, known, each=1)) == set(table)


def test_ours_is_judged_as_if_it_had_not_been_fitted_on_the_rows(split: Split) -> None:
    class Fitted(Letters, FittedEmbedder):
        def embed_unseen(self, texts: Sequence[str]) -> NDArray[np.float32]:
            asked.extend(texts)
            return self.embed(texts)

    asked: list[str] = []
    compare([split], KnownEmbedder(Fitted()), KnownEmbedder(Letters()))
    assert asked


async def test_sides_take_turns_and_are_timed(split: Split) -> None:
    found = await pace(split, Letters(), Letters(), ["a text", "another"], rounds=2)
    assert "layer 2, no shortcut" in found
    assert "encoding alone" in found
    assert all(0 < figures["median"] <= figures["p95"] for figures in found.values())


def test_an_artifact_that_is_there_is_not_fitted_again(
    base: Artifact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted: list[Path] = []

    def fit(rows: Sequence[Row], _: object, path: Path) -> Artifact:
        assert rows
        fitted.append(path)
        return base

    monkeypatch.setattr(peer_router, "fit_artifact", fit)
    found = splits(ROWS, Letters(), 2, tmp_path)
    assert [path.name for path in fitted] == ["1.npz"]
    assert len(found[0].left) + len(found[1].left) == len(ROWS)
    assert found[0].artifact.id == base.id


def test_the_tables_show_ratios(capsys: pytest.CaptureFixture[str]) -> None:
    times = {name: {"median": 2.0, "p95": 3.0} for name in ("layer 2", "IndexedRouter, awaited")}
    compare_routers.show({"layer 2": {"accuracy en": 0.9}, "peer": {"other": 0.5}}, times)
    told = capsys.readouterr().out
    assert "| layer 2 | 0.9 |  |" in told
    assert "| layer 2 | 2.00 | 3.00 | 1.00 |" in told


def test_its_help_needs_no_package(run: Callable[[list[str]], str]) -> None:
    assert "semantic-router" in run(["--help"])


@pytest.fixture
def run() -> Callable[[list[str]], str]:
    import subprocess

    script = Path(compare_routers.__file__)

    def call(words: list[str]) -> str:
        done = subprocess.run([sys.executable, str(script), *words], capture_output=True, text=True, check=True)
        return done.stdout

    return call
