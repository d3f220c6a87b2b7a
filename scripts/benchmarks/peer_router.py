"""Layer 2 against semantic-router: the same encoder, the same rows to learn from, the same rows to be judged on.

The package is not among what the engine needs: `pip install 'assistance-engine[bench]'` into an environment apart.
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from classifier.cascade import Cascade
from classifier.decision import Query
from classifier.embedder import Embedder
from classifier.evaluation.cross_validation import domain_folds, fit_artifact
from classifier.evaluation.outcomes import Outcome, judge_rows
from classifier.evaluation.stability import sample
from classifier.linear.artifact import Artifact, read_artifact
from classifier.linear.card import OUTPUTS, REJECT
from classifier.linear.layer import LinearLayer
from classifier.training.dataset import Row
from classifier.training.embedding_cache import KnownEmbedder, unseen
from scripts.benchmarks.harness.report import median, percentile

#: How the peer makes one score of the utterances of a route that are near; "mean" is its default.
AGGREGATIONS = ("mean", "max")


@dataclass(frozen=True, slots=True)
class Split:
    """One way to leave domains out.

    Attributes:
        kept: To be learnt from.
        left: To be judged on.
        artifact: Ours, fitted on `kept`.
    """

    kept: list[Row]
    left: list[Row]
    artifact: Artifact


def splits(rows: Sequence[Row], embedder: Embedder, folds: int, folder: Path) -> list[Split]:
    """The ways to leave domains out; artifacts that stand in `folder` are taken, others are fitted into it."""
    found = []
    for number, (kept, left) in enumerate(domain_folds(rows, folds)):
        path, learnt = folder / f"{number}.npz", [rows[place] for place in kept]
        artifact = read_artifact(path) if path.exists() else fit_artifact(learnt, embedder, path)
        found.append(Split(learnt, [rows[place] for place in left], artifact))
    return found


def peer(rows: Sequence[Row], embedder: Embedder, aggregation: str, reject_route: bool = False) -> Any:
    """semantic-router's IndexedRouter with one route for each type, and one for what is out of scope if asked."""
    from semantic_router import Route
    from semantic_router.encoders import DenseEncoder
    from semantic_router.routers import IndexedRouter

    class Bundled(DenseEncoder):  # type: ignore[misc]
        """The engine's embedder as the package takes encoders."""

        name: str = "bundled"
        embedder: Any = None

        def __call__(self, docs: list[Any]) -> list[list[float]]:
            vectors: list[list[float]] = self.embedder.embed([str(text) for text in docs]).tolist()
            return vectors

    names = OUTPUTS if reject_route else OUTPUTS[:-1]
    routes = [Route(name=name, utterances=[row.text for row in rows if row.label == name]) for name in names]
    return IndexedRouter(encoder=Bundled(embedder=embedder), routes=routes, aggregation=aggregation)


async def peer_outcomes(router: Any, rows: Sequence[Row]) -> list[Outcome]:
    """What the peer makes of rows, with its raw score as its confidence; its reject route is a rejection."""
    found = []
    for row in rows:
        choices = await router.acall(row.text, limit=None)
        best = next((choice for choice in choices if choice.name != REJECT), choices[0])
        taken = choices[0].name != REJECT
        found.append(
            Outcome(row, best.name, best.name, taken, float(best.confidence), "confident" if taken else "out_of_scope")
        )
    return found


def quality(outcomes: Sequence[Outcome], ours: Sequence[Outcome]) -> dict[str, float]:
    """Accuracy by language, and abstention where as much in scope is decided as by ours.

    The threshold is chosen on the judged rows themselves, which flatters whom it is chosen for: the peer.
    """
    scoped = [entry for entry in outcomes if entry.scoped]
    found = {
        f"accuracy {part}": _share([entry.best == entry.row.label for entry in scoped if entry.row.language == part])
        for part in ("en", "es")
    }
    for name, flags in (("coverage", [e.taken for e in ours]), ("false rejects", [not e.rejected for e in ours])):
        share = _share([flag for flag, entry in zip(flags, ours, strict=True) if entry.scoped])
        bar = float(np.quantile([entry.confidence for entry in scoped], 1.0 - share))
        sure = [entry for entry in scoped if entry.confidence >= bar]
        out = [entry.confidence < bar for entry in outcomes if not entry.scoped]
        found[f"out of scope kept out at our {name}"] = _share(out)
        if name == "coverage":
            found["selective accuracy at our coverage"] = _share([entry.best == entry.row.label for entry in sure])
    return found


def our_quality(ours: Sequence[Outcome]) -> dict[str, float]:
    """The same figures of layer 2, at the thresholds that its training chose."""
    scoped, others = [e for e in ours if e.scoped], [e for e in ours if not e.scoped]
    return {
        **{
            f"accuracy {part}": _share([e.best == e.row.label for e in scoped if e.row.language == part])
            for part in ("en", "es")
        },
        "out of scope kept out at our coverage": _share([not e.taken for e in others]),
        "selective accuracy at our coverage": _share([e.best == e.row.label for e in scoped if e.taken]),
        "out of scope kept out at our false rejects": _share([e.rejected for e in others]),
        "coverage": _share([e.taken for e in scoped]),
        "false rejects": _share([e.rejected for e in scoped]),
    }


def rejecting(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """How a route of its own for what is out of scope does."""
    return {
        "out of scope kept out": _share([not entry.taken for entry in outcomes if not entry.scoped]),
        "false rejects": _share([not entry.taken for entry in outcomes if entry.scoped]),
    }


def compare(
    found: Sequence[Split], intent: KnownEmbedder, encoder: KnownEmbedder, each: int = 0
) -> dict[str, dict[str, float]]:
    """Quality over all splits together: every row is judged once, by routers that never saw its domain.

    Args:
        found: What each side learns from and is judged on.
        intent: What ours reads.
        encoder: What the peer reads.
        each: Rows of a type and language that are judged of each split; 0: all.
    """
    ours: list[Outcome] = []
    theirs: dict[str, list[Outcome]] = {name: [] for name in AGGREGATIONS}
    rejects: dict[str, list[Outcome]] = {name: [] for name in AGGREGATIONS}
    for split in found:
        left = sample(split.left, each) if each else split.left
        ours += judge_rows(Cascade(LinearLayer(split.artifact, unseen(intent))), left)
        for name in AGGREGATIONS:
            theirs[name] += asyncio.run(peer_outcomes(peer(split.kept, encoder, name), left))
            router = peer(split.kept, encoder, name, reject_route=True)
            rejects[name] += asyncio.run(peer_outcomes(router, left))
    table = {"layer 2": our_quality(ours)}
    for name in AGGREGATIONS:
        table[f"IndexedRouter, {name}"] = quality(theirs[name], ours)
        table[f"IndexedRouter, {name}, reject route"] = rejecting(rejects[name])
    return table


async def pace(
    split: Split, intent: Embedder, encoder: Embedder, texts: Sequence[str], rounds: int
) -> dict[str, dict[str, float]]:
    """Milliseconds of a decision; the sides take turns, round by round, over the same texts.

    Args:
        split: Whose artifact decides, and whose rows the peer learns from.
        intent: What ours reads.
        encoder: What the peer reads.
        texts: To be decided.
        rounds: Turns of each side.
    """
    short = LinearLayer(split.artifact, intent)
    card = dataclasses.replace(split.artifact.card, shortcut=None)
    whole = LinearLayer(dataclasses.replace(split.artifact, card=card), intent)
    router = peer(split.kept, KnownEmbedder(encoder), "mean")
    router.encoder.embedder = encoder  # what was learnt from is not paid for again, what is asked is
    sides: dict[str, Callable[[str], Awaitable[Any]]] = {
        "layer 2": lambda text: short.decide(Query(text)),
        "layer 2, no shortcut": lambda text: whole.decide(Query(text)),
        "IndexedRouter, awaited": router.acall,
        "IndexedRouter, called": lambda text: asyncio.to_thread(_timed_call, router, text),
        "encoding alone": lambda text: asyncio.to_thread(_timed_call, encoder.embed, [text]),
    }
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, decide in sides.items():
            for text in texts:
                start = time.perf_counter()
                inner = await decide(text)
                spent = time.perf_counter() - start
                times[name].append(1000 * (inner if isinstance(inner, float) else spent))
    await short.close()
    await whole.close()
    return {name: {"median": median(found), "p95": percentile(found, 0.95)} for name, found in times.items()}


def _timed_call(call: Callable[[Any], Any], argument: Any) -> float:
    """Seconds of a call that blocks."""
    start = time.perf_counter()
    call(argument)
    return time.perf_counter() - start


def _share(flags: Sequence[bool]) -> float:
    return round(sum(flags) / max(1, len(flags)), 4)
