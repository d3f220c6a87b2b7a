"""Writes classifier/data/spelling.json from the seed and the encoder's pieces.

``python -m scripts.fitting.write_spelling``, when the seed has changed; a test fails when the file does not agree. A
word that four rows of a language have is common: slips are taken back to it. A word that two rows have, or that is one
of the encoder's `PIECES` most probable pieces, is right as it is.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from classifier.linear.spelling import LONGEST, SHORTEST, Spelling, folded, prose
from classifier.training.dataset import Row, read_rows, seed_files

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "classifier" / "data"
TOKENIZER = ROOT / "engine" / "models" / "multilingual-e5-small" / "tokenizer.json"
#: Rows that have a word: from the first number on it is common, from the second on it is no slip.
COMMON, RIGHT = 4, 2
#: Pieces whose words are known; with all of them, slips that are words somewhere stay.
PIECES = 30_000
#: What stands for the space before a word in a piece.
_SPACE = "\u2581"


def spelling(rows: Iterable[Row], pieces: Iterable[str]) -> Spelling:
    """The words of `rows`, with those that are whole `pieces` as known."""
    counts: dict[str, Counter[str]] = {"en": Counter(), "es": Counter()}
    for row in rows:
        counts.get(row.language, Counter()).update({folded(word) for word in prose(row.text)})
    common = {
        language: sorted((word for word in found if found[word] >= COMMON), key=lambda word: (-found[word], word))
        for language, found in counts.items()
    }
    seen = (word for found in counts.values() for word in found if found[word] >= RIGHT)
    whole = (folded(piece.removeprefix(_SPACE)) for piece in pieces if piece.startswith(_SPACE))
    right = {word for word in (*seen, *whole) if word.isalpha() and word.isascii()}
    return Spelling(common, (word for word in right if SHORTEST <= len(word) <= LONGEST))


def shipped() -> Spelling:
    """Of the seed as it is."""
    pieces = json.loads(TOKENIZER.read_text(encoding="utf-8"))["model"]["vocab"][:PIECES]
    return spelling(read_rows(seed_files(DATA / "seed")), (text for text, _ in pieces))


if __name__ == "__main__":
    (DATA / "spelling.json").write_bytes(shipped().to_json() + b"\n")
