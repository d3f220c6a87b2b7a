"""What a turn costs late in a session against early in one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from classifier.decision import QueryType
from engine import bootstrap
from engine.answering.nodes import Models
from engine.answering.ports import fold
from engine.conversation.store.port import TurnRecord
from engine.domain import Evidence, Turn
from engine.settings import load_settings
from engine.testing import ScriptedModel
from scripts.benchmarks.harness.material import Resolution, seed_queries
from scripts.benchmarks.harness.report import Row, Section, median, percentile

EARLY, LATE = 10, 1_000
TYPES = (QueryType.RETRIEVAL, QueryType.CONVERSATIONAL)
#: Pieces of evidence that each earlier turn put into the session's ledger.
_PIECES = 3
_NOTE = (
    f"whole turns without the wire, the type declared; the earlier turns were put into the store as copies of a real "
    f"one, each with {_PIECES} pieces of evidence; the peer is turn {EARLY} of other sessions."
)


def measure(material: Resolution) -> Section:
    """Milliseconds of turn 1,000 and of turn 10, by type."""
    rounds = 8 if material.quick else 40
    return Section("turns", asyncio.run(_measure(material.guide(), rounds)), _NOTE)


async def _measure(data: Path, rounds: int) -> list[Row]:
    async with _engine(data) as engine:
        query = "What is addVar in AVAP?"
        await fold(engine.answers.answer(Turn(query, "pattern", declared=QueryType.RETRIEVAL)))
        pattern = await engine.store.session("local", "pattern")
        pieces = list(pattern.evidence.values())
        for type_ in TYPES:
            await _fill(engine, pattern.turns[0], pieces, f"late-{type_}", LATE - 1)
            for number in range(rounds):
                await _fill(engine, pattern.turns[0], pieces, f"early-{type_}-{number}", EARLY - 1)
        return [await _row(engine, type_, rounds) for type_ in TYPES]


@asynccontextmanager
async def _engine(data: Path) -> AsyncIterator[bootstrap.Engine]:
    model = ScriptedModel("It creates a variable [1], and updates it [2].")
    settings = load_settings(engine_data_dir=data, _env_file=None)
    async with bootstrap.engine(settings, models=Models(model, model)) as engine:
        yield engine


async def _fill(
    engine: bootstrap.Engine, pattern: TurnRecord, pieces: list[Evidence], session: str, turns: int
) -> None:
    """Gives a session as many turns, each with evidence of its own."""
    for place in range(turns):
        numbers = tuple(range(place * _PIECES + 1, (place + 1) * _PIECES + 1))
        found = [
            replace(piece, number=number, passage=replace(piece.passage, id=f"{session}-{number}"))
            for number, piece in zip(numbers, pieces * _PIECES, strict=False)
        ]
        turn_id = f"{session}-{place}"
        record = replace(pattern, turn_id=turn_id, session_id=session, sequence=0, shown=numbers, cited=numbers[:1])
        await engine.store.append(record, found)


async def _row(engine: bootstrap.Engine, type_: QueryType, rounds: int) -> Row:
    early: list[float] = []
    late: list[float] = []
    queries = iter(seed_queries(type_))
    for number in range(rounds):
        early.append(await _turn(engine, Turn(next(queries), f"early-{type_}-{number}", declared=type_)))
        late.append(await _turn(engine, Turn(next(queries), f"late-{type_}", declared=type_)))
    more = {"p95 ms": percentile(late, 0.95), f"turn {EARLY} p95 ms": percentile(early, 0.95)}
    return Row(f"Turn {LATE:,}, {type_}", "ms", median(late), median(early), f"turn {EARLY}", rounds, more)


async def _turn(engine: bootstrap.Engine, turn: Turn) -> float:
    """Milliseconds of a whole turn, stored."""
    started = time.perf_counter()
    await fold(engine.answers.answer(turn))
    return (time.perf_counter() - started) * 1000
