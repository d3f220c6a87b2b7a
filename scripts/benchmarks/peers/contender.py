"""One contender in a process of its own: ``python -m scripts.benchmarks.peers.contender PART NAME SIZE FOLDER DATA``.

Prints one line of JSON. A process each, so that memory and start are the contender's alone.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

Figures = dict[str, float]

CALLERS = (1, 8, 32)
#: Rounds of the questions that are searched for, and of turns by each number of callers.
_SEARCHES, _TURNS = 150, 64


def store(name: str, size: int, folder: Path, data: Path) -> Figures:
    """Filling with `size` passages, and searching."""
    from scripts.benchmarks.peers.corpus import generated, recall
    from scripts.benchmarks.peers.stores import STORES

    del data
    corpus = generated(size, _SEARCHES)
    kept = STORES[name](folder)
    started = time.perf_counter()
    kept.fill(corpus)
    found: Figures = {"filled passages/s": size / (time.perf_counter() - started)}
    for hybrid in (False, True) if kept.hybrid else (False,):
        asked = list(zip(corpus.questions, corpus.asked, strict=True))
        kept.search(*asked[0], hybrid=hybrid)
        _settle()
        times, hits = [], []
        for text, vector in asked:
            begun = time.perf_counter()
            hits.append(kept.search(text, vector, hybrid=hybrid))
            times.append((time.perf_counter() - begun) * 1000)
        kind = "hybrid" if hybrid else "dense"
        found |= {f"{kind} p50 ms": _at(times, 0.5), f"{kind} p95 ms": _at(times, 0.95)}
        if not hybrid:
            found["recall of the exact ten"] = recall(hits, corpus.nearest)
    kept.close()
    disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    return found | {"MB on disk": disk, "MiB of memory": _resident()}


def chat(name: str, size: int, folder: Path, data: Path) -> Figures:
    """Whole turns: `size` of them by one caller first, each session of two turns."""
    from scripts.benchmarks.peers.chats import CHATS, passages_of

    async def run() -> Figures:
        chunks = passages_of(data)
        begun = time.perf_counter()
        answering = CHATS[name](folder, data)
        await answering.start(chunks)
        found: Figures = {"start s": time.perf_counter() - begun}
        questions = itertools.cycle(_questions())
        sessions = itertools.count()

        async def turn(session: str) -> tuple[float, float]:
            started, first = time.perf_counter(), 0.0
            async for _ in answering.answer(next(questions), session):
                first = first or time.perf_counter() - started
            return first * 1000, (time.perf_counter() - started) * 1000

        await turn("warm")
        times = [await turn(f"one-{n // 2}") for n in range(size)]
        found |= {
            "first text p50 ms": _at([one for one, _ in times], 0.5),
            "turn p50 ms": _at([t for _, t in times], 0.5),
        }
        for callers in CALLERS:
            left = iter(range(_TURNS))

            async def caller(left: Iterator[int] = left) -> None:
                session = f"many-{next(sessions)}"
                for _ in left:
                    await turn(session)

            started = time.perf_counter()
            await asyncio.gather(*(caller() for _ in range(callers)))
            found[f"turns/s at {callers}"] = _TURNS / (time.perf_counter() - started)
        await answering.close()
        return found | {"MiB of memory": _resident()}

    return asyncio.run(run())


def memory(name: str, size: int, folder: Path, data: Path) -> Figures:
    """A session of `size` turns."""
    del folder
    from scripts.benchmarks.peers.memory import measured

    return {f"turn {place} ms": value for place, value in measured(name, data, size).items()}


PARTS: dict[str, Callable[[str, int, Path, Path], Figures]] = {"store": store, "chat": chat, "memory": memory}


def main() -> None:
    """Measures one contender."""
    from engine import telemetry

    telemetry.configure_logging("text", "error")
    part, name, size, folder, data = sys.argv[1:]
    found = PARTS[part](name, int(size), Path(folder), Path(data))
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()
    os._exit(0)  # a library's threads need not end first


def _questions() -> list[str]:
    from scripts.benchmarks.harness.material import golden_queries

    return golden_queries()


def _settle() -> None:
    """Lets what a store makes in the background be made."""
    time.sleep(2.0)


def _at(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def _resident() -> float:
    """The most memory that this process has had, MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
