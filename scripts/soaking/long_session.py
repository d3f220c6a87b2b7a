"""What a turn of a long session costs, beside a turn of a short one in the same minute."""

from __future__ import annotations

import sqlite3
import statistics
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.client import AssistanceClient

#: Turns of both sessions that are compared, by turns; and turns of the short one before them.
_PAIRS, _BEFORE = 20, 9


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of a turn, medians.

    Attributes:
        late: Of the long session's last turns.
        early: Of the short one's.
    """

    late: float
    early: float


async def asked(address: str, queries: Sequence[str], turns: int) -> Cost:
    """Asks one session so many questions, the last of them in turn with a session that has just begun."""
    async with AssistanceClient(address) as client:

        async def seconds(session: str, place: int) -> float:
            started = time.perf_counter()
            await client.ask(queries[place % len(queries)], session_id=session)
            return time.perf_counter() - started

        for place in range(turns - _PAIRS):
            await seconds("long", place)
        for place in range(_BEFORE):
            await seconds("short", turns - _PAIRS - _BEFORE + place)
        pairs = [(await seconds("long", n), await seconds("short", n)) for n in range(turns - _PAIRS, turns)]
    late, early = (statistics.median(side) for side in zip(*pairs, strict=True))
    return Cost(late, early)


def bytes_beside_content(path: Path) -> float:
    """Bytes a turn that a store takes up beside its texts: those of callers, answers and passages."""
    texts = {
        "turns": ("query", "answer", "search_query", "extra_context"),
        "ledger": ("document", "title", "heading", "text"),
    }
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        content = 0.0
        for table, columns in texts.items():
            lengths = " + ".join(f"length(CAST({column} AS BLOB))" for column in columns)
            content += database.execute(f"SELECT total({lengths}) FROM {table}").fetchone()[0]  # noqa: S608
        (pages,), (size,) = (database.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
        (turns,) = database.execute("SELECT count(*) FROM turns").fetchone()
    return float((pages * size - content) / turns)
