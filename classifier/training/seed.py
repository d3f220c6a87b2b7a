"""The rows that the shipped artifact is made of, and the part of them that a promotion is judged on."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from classifier import DATA
from classifier.training.dataset import Row, read_rows, seed_files

#: One family in so many is held out. Chosen by its name, so that rows which are added move no family across.
HELD_OUT_OF = 6


def shipped_rows() -> list[Row]:
    """The rows of the shipped seed.

    Raises:
        DatasetError: A file is missing or a line is no row.
    """
    return read_rows(seed_files(DATA / "seed"))


def counts(rows: Sequence[Row]) -> Counter[str]:
    """How many rows each output has."""
    return Counter(row.label for row in rows)


def is_held_out(family: str) -> bool:
    """Whether the rows of a family are kept for judging promotions."""
    return int.from_bytes(hashlib.sha256(family.encode("utf-8", "surrogatepass")).digest()[:8]) % HELD_OUT_OF == 0
