"""An engine without a model under more load than it takes: ``python scripts/soak.py [--seconds N]``.

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
    seconds = parser.parse_args().seconds
    from scripts.benchmarks.harness.children import command, environment

    with tempfile.TemporaryDirectory() as folder:
        index = [*command("engine", "index"), str(ROOT / "examples" / "avap")]
        subprocess.run(index, cwd=folder, env=environment(Path(folder)), check=True, capture_output=True)
        sys.exit(bool(asyncio.run(_loaded(Path(folder), seconds))))


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
