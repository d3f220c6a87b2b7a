"""Layer 2 against semantic-router's IndexedRouter on the same encoder and rows.

``python scripts/evaluation/compare_routers.py`` needs the extra `bench` in an environment of its own. Prints a
table of quality, domains left out, a table of times, and as the last line one JSON object. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Reads the arguments, compares, prints."""
    sys.path.insert(0, str(ROOT))  # run as a file: the packages beside this folder are not on the path
    # Before NumPy: on a busy machine, threads that wait for one another made the peer three times slower.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from classifier.evaluation.stability import sample
    from classifier.training.embedding_cache import KnownEmbedder
    from classifier.training.seed import shipped_rows
    from engine.retrieval.embedding.onnx import OnnxEmbedder
    from engine.routing.fitted_layers import IntentEmbedder
    from scripts.benchmarks import peer_router

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=4, help="ways to leave domains out (%(default)s)")
    parser.add_argument("--each", type=int, default=0, help="rows of a type and language to judge a fold; 0: all")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each side (%(default)s)")
    parser.add_argument(
        "--artifacts", type=Path, help="folder of ours, one for each fold; fitted into it where missing"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the JSON object to this file too")
    arguments = parser.parse_args()
    rows = shipped_rows()
    # One for each side: what one has begun would spare the other half of its encoding.
    encoder, ours = (OnnxEmbedder(ROOT / "engine" / "models" / "multilingual-e5-small", threads=2) for _ in range(2))
    intent = IntentEmbedder(ours, ROOT / "classifier" / "data" / "held_out.npz")
    known = KnownEmbedder(intent)
    with tempfile.TemporaryDirectory(prefix="routers-") as folder:
        splits = peer_router.splits(rows, known, arguments.folds, arguments.artifacts or Path(folder))
    quality = peer_router.compare(splits, known, KnownEmbedder(encoder), arguments.each)
    texts = [row.text for row in sample(splits[0].left, 20)]
    times = asyncio.run(peer_router.pace(splits[0], intent, encoder, texts, arguments.rounds))
    found = {
        "rows": len(rows),
        "folds": arguments.folds,
        "each": arguments.each,
        "quality": quality,
        "milliseconds": times,
    }
    show(quality, times)
    if arguments.json:
        arguments.json.write_text(json.dumps(found) + "\n", "utf-8")
    print(json.dumps(found))


def show(quality: dict[str, dict[str, float]], times: dict[str, dict[str, float]]) -> None:
    """Prints the tables; a time's ratio is to the peer's awaited call."""
    columns = dict.fromkeys(name for figures in quality.values() for name in figures)
    print(f"| router | {' | '.join(columns)} |\n{'|---' * (len(columns) + 1)}|")
    for name, figures in quality.items():
        print(f"| {name} | {' | '.join(str(figures.get(column, '')) for column in columns)} |")
    against = times["IndexedRouter, awaited"]["median"]
    print("\n| milliseconds | median | p95 | median / peer's |\n|---|---|---|---|")
    for name, figures in times.items():
        print(f"| {name} | {figures['median']:.2f} | {figures['p95']:.2f} | {figures['median'] / against:.2f} |")


if __name__ == "__main__":
    main()
