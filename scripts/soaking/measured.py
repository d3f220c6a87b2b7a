"""Rows that are figures: streams, overload, readers and callers that stop, and a long session."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from engine import telemetry
from engine.settings import Settings
from scripts.benchmarks import streams
from scripts.benchmarks.harness.children import child
from scripts.benchmarks.harness.load import SERVERS
from scripts.benchmarks.harness.material import Resolution, golden_queries
from scripts.benchmarks.harness.report import percentile
from scripts.soaking import long_session, overload, readers
from scripts.soaking.rows import Row

#: Turns that an engine without a model runs at a time, and turns that wait, where nothing is configured.
_LIMIT = (_DEFAULTS := Settings.model_construct()).max_turns + _DEFAULTS.engine_queue


def many_streams(folder: Path) -> list[Row]:
    """64 callers, 2,000 answers of 64 tokens of each type, beside bare grpc.aio."""
    rows = []
    for type_ in streams.TYPES:
        measured = asyncio.run(streams.measured(Resolution(folder, quick=False), type_, rounds=4, answers=500))
        share = measured.ratio or 0.0
        own, bare = measured.more["server CPU ms an answer"], measured.more["peer's"]
        figure = (
            f"none lost or reordered; {measured.ours:.0f} answers/s, {share:.2f} of bare grpc.aio; "
            f"{own:.1f} ms of the server's processor time an answer, {bare:.1f} ms of grpc.aio's"
        )
        rows.append(Row(f"64 streams x 64 tokens, 2,000 answers, {type_}", figure, share >= 0.2))
    return rows


def at_the_limit(folder: Path) -> list[Row]:
    """Four times as many callers as there are places, for 20 s, against one caller."""
    return [asyncio.run(_at_the_limit(Resolution(folder, quick=False)))]


async def _at_the_limit(material: Resolution) -> Row:
    queries = golden_queries()
    with child(material.guide(), SERVERS, "engine") as engine:
        await overload.steady(engine.address, queries, 1, 3)  # what is loaded by a first question is there
        alone = overload.firsts(await overload.steady(engine.address, queries, 1, 10))
        ended, late = await asyncio.gather(
            overload.steady(engine.address, queries, 4 * _LIMIT, 20), overload.lateness(20)
        )
    refused = [one for one in ended if one.code == "RESOURCE_EXHAUSTED"]
    before, beside = percentile(alone, 0.99) * 1000, percentile(overload.firsts(ended), 0.99) * 1000
    refusal = percentile([one.total for one in refused], 0.99) * 1000
    hinted = all(one.hint > 0 for one in refused)
    figure = (
        f"{len(ended) - len(refused)} answered, {len(refused)} refused{'' if hinted else ', WITHOUT a hint'}; "
        f"p99 of the first event {before:.1f} ms alone, {beside:.1f} ms; p99 of a refusal {refusal:.1f} ms; "
        f"the callers' own loop was late by {percentile(late, 0.99) * 1000:.1f} ms (p99)"
    )
    holds = hinted and not overload.faults(ended) and beside <= 1.5 * before and refusal <= 10
    return Row("four times the admission limit, 20 s", figure, holds)


def steady_loads(folder: Path) -> list[Row]:
    """1 to 128 callers and bursts of 128 and 512 calls: nothing but answers and refusals."""
    return asyncio.run(_loads(Resolution(folder, quick=False)))


async def _loads(material: Resolution) -> list[Row]:
    queries, rows = golden_queries(), []
    with child(material.guide(), "engine", "serve") as engine:
        for callers in (1, 8, 32, 128):
            started = time.perf_counter()
            ended = await overload.steady(engine.address, queries, callers, 10)
            rows.append(overload.row(f"{callers} callers, 10 s", ended, time.perf_counter() - started))
        for calls in (128, 512):
            started = time.perf_counter()
            ended = await overload.burst(engine.address, queries, calls)
            rows.append(overload.row(f"{calls} at once", ended, time.perf_counter() - started))
    return rows


def cancelled_streams(folder: Path) -> list[Row]:
    """10,000 callers who leave."""
    return [asyncio.run(_cancelled(folder))]


async def _cancelled(folder: Path) -> Row:
    telemetry.configure_logging("text", "error")
    async with readers.running(folder, stall=30, turns=200) as engine:
        grown, seconds = await readers.cancelled(engine, 10_000)
    figure = f"{grown:+.1f} MB, nothing at the model after {seconds:.2f} s"
    return Row("10,000 cancelled streams", figure, seconds < 1 and grown <= 5)


def stalled_readers(folder: Path) -> list[Row]:
    """100 readers that stop beside 20 that do not."""
    return [asyncio.run(_stalled(folder))]


async def _stalled(folder: Path) -> Row:
    telemetry.configure_logging("text", "error")
    async with readers.running(folder, stall=30, turns=200) as engine:
        came = await readers.stalled(engine, stopped=100, healthy=20, asks=20)
    figure = (
        f"p99 of the others {came.alone:.0f} ms before, {came.filling:.0f} ms while their streams fill, "
        f"{came.beside:.0f} ms beside them; "
        f"ended after {came.ended:.0f} s, {came.partial} stored as partial"
    )
    return Row("100 stalled readers, 20 healthy", figure, came.partial == 100 and came.beside <= 2 * came.alone)


def thousand_turns(folder: Path) -> list[Row]:
    """A session of 1,000 turns: what its last ones cost beside the first ones of another, and what a turn takes up."""
    data = Resolution(folder, quick=False).guide()
    with child(data, "engine", "serve") as engine:
        cost = asyncio.run(long_session.asked(engine.address, golden_queries(), turns=1000))
    extra = long_session.bytes_beside_content(data / "sessions.sqlite3")
    figure = (
        f"turns 981-1000 took {cost.late * 1000:.1f} ms, turns 10-29 of a new session in turn with them "
        f"{cost.early * 1000:.1f} ms: {cost.late / cost.early:.2f}; {extra:.0f} bytes a turn beside its content"
    )
    return [Row("a session of 1,000 turns", figure, cost.late <= 1.2 * cost.early and extra <= 2048)]
