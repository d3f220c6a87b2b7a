"""Every promise of docs/guarantees.md that is a number, at its full size: ``python scripts/soak.py [--only PART ...]``.

Prints a table; the exit code is 1 when a row does not hold. Times are of this machine, with whatever else runs on it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # run as a file: the packages beside this folder are not on the path

from scripts.soaking import measured, tested  # noqa: E402
from scripts.soaking.rows import HEAD, broken  # noqa: E402

#: By name, what is run: each is given an empty folder.
PARTS = {
    "streams": measured.many_streams,
    "limit": measured.at_the_limit,
    "load": measured.steady_loads,
    "cancelled": measured.cancelled_streams,
    "stalled": measured.stalled_readers,
    "session": measured.thousand_turns,
} | {name: suite.run for name, suite in tested.SUITES.items()}


def main() -> None:
    """Reads the arguments, runs one part after the other, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(PARTS), nargs="+", help="these parts of it")
    rows = []
    print(HEAD, flush=True)
    for part in parser.parse_args().only or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            for row in PARTS[part](Path(folder)):
                rows.append(row)
                print(row, flush=True)
    if wrong := broken(rows):
        sys.exit(f"does not hold: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
