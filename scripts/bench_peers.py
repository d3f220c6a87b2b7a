"""The engine beside what people would pick instead: ``make bench-peers``, which makes the environment that this needs.

Writes docs/benchmarks.md. A library that is not installed, or fails, is named with the reason; nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scripts.benchmarks.peers.report import Table

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Reads the arguments, measures, writes the page."""
    sys.path.insert(0, str(ROOT))  # run as a file: the packages beside this folder are not on the path
    from scripts.benchmarks.peers.report import markdown

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, nargs="+", default=[5_000, 100_000], help="sizes of the stores")
    parser.add_argument("--turns", type=int, default=60, help="turns of one caller (%(default)s)")
    parser.add_argument("--session", type=int, default=500, help="turns of the long session (%(default)s)")
    parser.add_argument("--parts", nargs="+", default=["chat", "store", "memory"], choices=["chat", "store", "memory"])
    parser.add_argument("--seconds", type=int, default=1_800, help="that one contender may take (%(default)s)")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "benchmarks.md", help="the page (%(default)s)")
    arguments = parser.parse_args()
    tables: list[Table] = []
    with tempfile.TemporaryDirectory(prefix="bench-peers-") as folder:
        for title, part, size in wanted(arguments):
            tables.append(_table(title, part, size, Path(folder), arguments.seconds))
            arguments.out.write_text(markdown(tables, _machine()), "utf-8")
    print(arguments.out.read_text("utf-8"))


#: What one has to know to read each part.
NOTES = {
    "chat": (
        "One turn after the other first, then 1, 8 and 32 callers at a time, each with a session of its own. "
        "Ours decides the type, rewrites follow-ups, searches by words and vectors, and is done when the turn "
        "is stored; LlamaIndex condenses follow-ups by the model and searches by vector; Haystack searches by "
        "both. Those two keep the conversation in memory, and encode the passages at their start, where ours "
        "reads its index."
    ),
    "store": (
        "Vectors are given, so encoding is apart. Each as its documentation begins with: LanceDB searches "
        "vectors exactly, Chroma by a graph, Qdrant's local mode exactly; Chroma and Qdrant by vectors alone. "
        "Memory is the most that the process had, the passages that it was given included."
    ),
    "memory": (
        "The same question again and again in one session. Ours are whole turns with routing and what they "
        "need; the peer is a graph of one node that appends a reply and keeps its state in SQLite."
    ),
}


def wanted(arguments: argparse.Namespace) -> list[tuple[str, str, int]]:
    """(title, part, size) of each table."""
    found = {
        "chat": [("Whole turns over the guide, 297 passages, a scripted model", "chat", arguments.turns)],
        "store": [(f"Stores, {size:,} generated passages", "store", size) for size in arguments.passages],
        "memory": [(f"A session of {arguments.session} turns", "memory", arguments.session)],
    }
    return [one for part in arguments.parts for one in found[part]]


def _table(title: str, part: str, size: int, folder: Path, seconds: int) -> Table:
    from scripts.benchmarks.harness.material import Resolution
    from scripts.benchmarks.peers.report import Table

    material = Resolution(folder, quick=False)
    figures: dict[str, dict[str, float]] = {}
    failed: dict[str, str] = {}
    for name in _contenders(part):
        data = material.guide() if part != "store" else folder
        done = _measured(part, name, size, material.fresh("own"), data, seconds)
        if isinstance(done, dict):
            figures[name] = done
        else:
            failed[name] = done
        print(f"{title}: {name}: {done}", file=sys.stderr, flush=True)
    return Table(title, NOTES[part], figures, failed)


def _contenders(part: str) -> list[str]:
    from scripts.benchmarks.peers.chats import CHATS
    from scripts.benchmarks.peers.memory import MEMORIES
    from scripts.benchmarks.peers.stores import STORES

    names: dict[str, list[str]] = {"chat": [*CHATS], "store": [*STORES], "memory": [*MEMORIES]}
    return names[part]


def _measured(part: str, name: str, size: int, own: Path, data: Path, seconds: int) -> dict[str, float] | str:
    """The figures of one contender, or why there are none."""
    from scripts.benchmarks.harness.children import command, environment

    words = command("scripts.benchmarks.peers.contender", part, name, str(size), str(own), str(data))
    apart = {"OPENBLAS_NUM_THREADS": "1", "HAYSTACK_TELEMETRY_ENABLED": "False", "ANONYMIZED_TELEMETRY": "False"}
    try:
        done = subprocess.run(
            words, cwd=own, env=environment(data) | apart, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return f"not done within {seconds} s"
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        return (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
    found: dict[str, float] = json.loads(lines[-1])
    return found


def _machine() -> str:
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} cores, load {load:.1f} at the end, Python {sys.version.split()[0]}."


if __name__ == "__main__":
    main()
