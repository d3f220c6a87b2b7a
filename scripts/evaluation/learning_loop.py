"""The learning loop over the wire.

``python scripts/evaluation/learning_loop.py [--principals N] [--wrong-only] [--poison N]``

Starts the service on a fresh folder of data, asks the messages of `examples/golden/drifted.jsonl` that are to be
corrected, corrects them by their principals, exports, trains, promotes, and asks the held-back paraphrases again. Then,
in a second folder, one principal gives wrong types to plain questions, and the decisions on a fixed set are compared.

Prints the figures of each part as JSON; the exit code is 1 when a goal is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Reads the arguments, runs both parts, prints."""
    sys.path.insert(0, str(ROOT))  # run as a file: the packages beside this folder are not on the path
    from scripts.benchmarks import learning

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--principals", type=int, default=25, help="who correct, in turn")
    parser.add_argument("--wrong-only", action="store_true", help="only what was decided wrongly is corrected")
    parser.add_argument("--poison", type=int, default=1000, help="wrong labels of one principal; 0: none")
    given = parser.parse_args()
    missed = learning.missed_goals(
        _printed("corrections", asyncio.run(learning.corrected(given.principals, wrong_only=given.wrong_only)))
    )
    if given.poison and _printed("poison", asyncio.run(learning.poisoned(given.poison)))["changed"]:
        missed.append("poison")
    sys.exit(f"missed: {', '.join(missed)}" if missed else 0)


def _printed(part: str, figures: dict[str, Any]) -> dict[str, Any]:
    """The figures, once they are printed: a part takes minutes."""
    print(json.dumps({part: figures}, indent=2, ensure_ascii=False), flush=True)
    return figures


if __name__ == "__main__":
    main()
