"""Speed of the engine, as ratios against a peer in the same run: ``python scripts/bench.py [--quick]``.

Prints a Markdown table and, as the last line, one JSON object. Machines are shared and noisy: the two sides take turns,
round by round, and medians are shown. Nothing here asserts a time; the exit code is 1 when a section failed, such as
for a token that was lost.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import Never

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Reads the arguments, measures, prints."""
    sys.path.insert(0, str(ROOT))  # run as a file: the packages beside this folder are not on the path
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the engine's own processes do
    from scripts.benchmarks import sections
    from scripts.benchmarks.harness import report

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and the small index only, under a minute")
    parser.add_argument("--only", nargs="+", choices=list(sections.SECTIONS), metavar="NAME", help="%(choices)s")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the JSON object to this file too")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, _leave)  # as Ctrl-C: children and temporary folders go
    try:
        measured = sections.measure(arguments.only or list(sections.SECTIONS), quick=arguments.quick)
    except KeyboardInterrupt:
        sys.exit(130)
    text = report.as_json(measured, quick=arguments.quick)
    if arguments.json:
        arguments.json.write_text(text + "\n", "utf-8")
    print(report.as_markdown(measured))
    print(text)
    sys.exit(any(section.error for section in measured))


def _leave(number: int, frame: object) -> Never:
    del frame
    sys.exit(128 + number)


if __name__ == "__main__":
    main()
