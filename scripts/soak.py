"""An engine without a model under more load than it takes: ``python scripts/soak.py [--seconds N] [--only PART]``.

Then readers that stop, and callers who leave, with a model of the benchmark's own.

Prints a table; the exit code is 1 when a call came to anything but an answer or a refusal. Times are of this machine,
with whatever else runs on it.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Reads the arguments, loads, prints."""
    sys.path.insert(0, str(ROOT))  # run as a file: the packages beside this folder are not on the path
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each steady load")
    parser.add_argument("--only", choices=["load", "stalled", "cancelled"], help="one part of it")
    given = parser.parse_args()
    parts = [given.only] if given.only else ["load", "stalled", "cancelled"]
    wrong = [part for part in parts if _part(part, given.seconds)]
    sys.exit(f"failed: {', '.join(wrong)}" if wrong else 0)


def _part(name: str, seconds: float) -> bool:
    """Runs a part; whether it failed."""
    if name == "load":
        return _load(seconds)
    with tempfile.TemporaryDirectory() as folder:
        return not asyncio.run(_readers(Path(folder), cancelling=name == "cancelled"))


async def _readers(folder: Path, *, cancelling: bool) -> bool:
    from engine import telemetry
    from scripts.benchmarks import readers

    telemetry.configure_logging("text", "error")
    async with readers.running(folder, stall=30, turns=200) as engine:
        if cancelling:
            grown, seconds = await readers.cancelled(engine, 10_000)
            print(f"10,000 cancelled streams: {grown:+.1f} MB, nothing at the model after {seconds:.2f} s", flush=True)
            return seconds < 1 and grown < 5
        came = await readers.stalled(engine, stopped=100, healthy=20, asks=20)
        print(
            f"100 stalled readers: p99 of 20 others {came.alone:.0f} ms before, {came.beside:.0f} ms beside them; "
            f"ended after {came.ended:.0f} s, {came.partial} stored as partial",
            flush=True,
        )
        return came.partial == 100


def _load(seconds: float) -> bool:
    from scripts.benchmarks.harness.children import command, environment

    with tempfile.TemporaryDirectory() as folder:
        index = [*command("engine", "index"), str(ROOT / "examples" / "avap")]
        subprocess.run(index, cwd=folder, env=environment(Path(folder)), check=True, capture_output=True)
        return bool(asyncio.run(_loaded(Path(folder), seconds)))


async def _loaded(folder: Path, seconds: float) -> dict[str, int]:
    from scripts.benchmarks import overload
    from scripts.benchmarks.harness.children import child
    from scripts.benchmarks.harness.material import golden_queries

    queries, wrong = golden_queries(), dict[str, int]()
    with child(folder, "engine", "serve") as engine:
        print(overload.HEAD)
        for callers in (1, 8, 32, 128):
            started = time.perf_counter()
            ended = await overload.steady(engine.address, queries, callers, seconds)
            print(overload.row(f"{callers} callers", ended, time.perf_counter() - started), flush=True)
            wrong |= overload.faults(ended)
        for calls in (128, 512):
            started = time.perf_counter()
            ended = await overload.burst(engine.address, queries, calls)
            print(overload.row(f"{calls} at once", ended, time.perf_counter() - started), flush=True)
            wrong |= overload.faults(ended)
    return wrong


if __name__ == "__main__":
    main()
