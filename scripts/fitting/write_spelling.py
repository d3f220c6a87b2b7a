"""Writes classifier/data/spelling.json from the seed, the passages beside this file and the encoder's pieces.

``python -m scripts.fitting.write_spelling``, when the seed or the passages have changed; a test fails when the file
does not agree. A word that four texts of a language have, rows or passages, is common: slips are taken back to it. A
word that any text has, or that is one of the encoder's `PIECES` most probable pieces, is right as it is. But rows are
typed as people type: what they alone have, and is one slip away from what far more of them have, is such a slip.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from classifier.linear.spelling import ALIKE, LONGEST, SHORTEST, Spelling, folded, prose
from classifier.training.dataset import Row, read_rows, seed_files
from scripts.fitting.passages import Block, read_blocks

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "classifier" / "data"
TOKENIZER = ROOT / "engine" / "models" / "multilingual-e5-small" / "tokenizer.json"
#: Texts that have a word: from this number on it is common.
COMMON = 4
#: How many times as many rows have the word that a slip is for.
OFTENER = 4
#: Pieces whose words are known; with all of them, slips that are words somewhere stay.
PIECES = 30_000
#: What stands for the space before a word in a piece.
_SPACE = "\u2581"


def spelling(rows: Iterable[Row], passages: Iterable[Block], pieces: Sequence[str]) -> Spelling:
    """The words of `rows` and `passages`, with those that are whole `pieces` as known.

    Args:
        rows: Of the seed.
        passages: Written as documents are.
        pieces: Of the encoder, the most probable first.
    """
    typed: dict[str, Counter[str]] = {"en": Counter(), "es": Counter()}
    written: dict[str, Counter[str]] = {language: Counter() for language in typed}
    sure = _whole(pieces)
    for row in rows:
        typed.get(row.language, Counter()).update(_words(row.text))
        sure |= {folded(word) for word in prose(row.text) if folded(word) != word.casefold()}  # marked on purpose
    for block in passages:
        written[block.language].update(_words(f"{block.heading}\n{block.text}"))
    sure.update(*written.values())
    for found in typed.values():
        for slip in _slips(found, sure):
            del found[slip]
    common = {
        language: sorted((word for word in found if found[word] >= COMMON), key=lambda word: (-found[word], word))
        for language, found in ((language, typed[language] + written[language]) for language in typed)
    }
    seen = _whole(pieces[:PIECES]).union(*typed.values(), *written.values())
    right = {word for word in seen if word.isalpha() and word.isascii()}
    return Spelling(common, (word for word in right if SHORTEST <= len(word) <= LONGEST))


def _whole(pieces: Iterable[str]) -> set[str]:
    """Those of `pieces` that are words."""
    return {folded(piece.removeprefix(_SPACE)) for piece in pieces if piece.startswith(_SPACE)}


def _words(text: str) -> set[str]:
    return {folded(word) for word in prose(text)}


def _slips(found: Counter[str], sure: set[str]) -> list[str]:
    """Words of `found`, none of them `sure`, that are one slip away from one that is `OFTENER` times as frequent.

    The key beside makes a right word of another too often.
    """
    often = Spelling({"": [word for word in found if found[word] >= OFTENER] or [""]}, ())
    return [
        word
        for word in found.keys() - sure
        if any(found[one] >= OFTENER * found[word] and not _beside(word, one) for one in often.near(word, ""))
    ]


def _beside(one: str, other: str) -> bool:
    """Whether nothing but one letter is another, and does not sound alike."""
    pairs = [{letter, instead} for letter, instead in zip(one, other, strict=False) if letter != instead]
    return len(one) == len(other) and len(pairs) == 1 and pairs[0] not in map(set, ALIKE)


def shipped() -> Spelling:
    """Of the seed and the passages as they are."""
    pieces = json.loads(TOKENIZER.read_text(encoding="utf-8"))["model"]["vocab"]
    return spelling(read_rows(seed_files(DATA / "seed")), read_blocks(), [text for text, _ in pieces])


if __name__ == "__main__":
    (DATA / "spelling.json").write_bytes(shipped().to_json() + b"\n")
