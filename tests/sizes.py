"""How much of a thing a test does: little in `make test`, all that is promised in `make soak`."""

from __future__ import annotations

import os

#: Set by `scripts/soaking/tested.py`.
FULL = "TEST_FULL_SIZE"


def sized(short: int, full: int) -> int:
    """`short`, or `full` where the full size is asked for."""
    return full if os.environ.get(FULL) else short
