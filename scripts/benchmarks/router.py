"""What a routing decision of layer 1 and of layer 2 takes, alone and in a crowd."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from classifier.decision import DecisionLayer, Query
from classifier.embedder import Embedder
from engine import bootstrap
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.settings import Settings, load_settings
from scripts.benchmarks.harness.material import Resolution, golden_queries
from scripts.benchmarks.harness.report import Row, Section, median, percentile

CROWD = 32


def measure(material: Resolution) -> Section:
    """Microseconds of a decision over the golden questions."""
    rounds = 1 if material.quick else 5
    rows, note = asyncio.run(_measure(load_settings(engine_data_dir=material.folder, _env_file=None), rounds))
    return Section("router", rows, note)


async def _measure(settings: Settings, rounds: int) -> tuple[list[Row], str]:
    # Without the memo: the questions come again, the embedding is to be paid each time.
    embedder = OnnxEmbedder(bootstrap.MODEL_DIR, settings.engine_threads or 2)
    embedder.warm_up()
    routing = bootstrap.build_routing(settings, embedder)
    queries = [Query(text) for text in golden_queries()]
    try:
        rows = [await _row("Layer 1", routing.cascade.layers[0], queries, rounds, callers) for callers in (1, CROWD)]
        if routing.layer2 is None:
            return rows, f"layer 2: no artifact ({routing.artifact})"
        for callers in (1, CROWD):
            rows.append(await _row("Layer 2", routing.layer2, queries, rounds, callers, embedder))  # noqa: PERF401
    finally:
        await routing.close()
    return rows, f"{len(queries)} golden questions; layer 2's peer is the embedder, called directly."


async def _row(
    name: str, layer: DecisionLayer, queries: Sequence[Query], rounds: int, callers: int, peer: Embedder | None = None
) -> Row:
    times: list[float] = []
    peers: list[float] = []
    spent = 0.0
    for _ in range(rounds):
        started = time.perf_counter()
        times += await _decide(layer, queries, callers)
        spent += time.perf_counter() - started
        if peer is not None:
            peers += [_embedded(peer, texts) for texts in _batches(queries, callers)]
    more = {"p95 µs": percentile(times, 0.95), "decisions/s": len(times) / spent}
    against = (
        {"peer": median(peers), "against": "embedding alone" if callers == 1 else f"{callers} embedded at once"}
        if peers
        else {}
    )
    label = "1 caller" if callers == 1 else f"{callers} callers"
    return Row(f"{name}, {label}, p50", "µs", median(times), rounds=rounds, more=more, **against)  # type: ignore[arg-type]


async def _decide(layer: DecisionLayer, queries: Sequence[Query], callers: int) -> list[float]:
    """The microseconds of each decision, `callers` at a time."""
    waiting = iter(list(queries) * (1 if callers == 1 else 4))
    times: list[float] = []

    async def work() -> None:
        for query in waiting:
            started = time.perf_counter()
            await layer.decide(query)
            times.append((time.perf_counter() - started) * 1e6)

    await asyncio.gather(*(work() for _ in range(callers)))
    return times


def _batches(queries: Sequence[Query], size: int) -> list[list[str]]:
    """The texts in full batches: what a crowd could be served with at best."""
    texts = [query.text for query in queries]
    return [texts[at : at + size] for at in range(0, len(texts) - size + 1, size)]


def _embedded(embedder: Embedder, texts: list[str]) -> float:
    started = time.perf_counter()
    embedder.embed(texts)
    return (time.perf_counter() - started) * 1e6
