"""Writes classifier/data/spelling.json from the seed, the gloss and the encoder's tokens.

``python -m scripts.write_spelling``, when the seed or the gloss has changed; a test fails when the file does not agree.
A word that four rows of a language have is common: slips are taken back to it. A word that two rows have, that the
gloss knows, or that is a token of the encoder (Devlin et al., arXiv:1810.04805; Apache-2.0) is right as it is.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from classifier.linear.gloss import Gloss
from classifier.linear.spelling import LONGEST, SHORTEST, Spelling, folded, prose
from classifier.training.dataset import Row, read_rows, seed_files

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "classifier" / "data"
TOKENIZER = ROOT / "engine" / "models" / "all-MiniLM-L6-v2" / "tokenizer.json"
#: Rows that have a word: from the first number on it is common, from the second on it is no slip.
COMMON, RIGHT = 4, 2


def spelling(rows: Iterable[Row], gloss: Gloss, tokens: Iterable[str]) -> Spelling:
    """The words of `rows`, with those of the gloss and of the tokens as known."""
    counts: dict[str, Counter[str]] = {"en": Counter(), "es": Counter()}
    for row in rows:
        counts.get(row.language, Counter()).update({folded(word) for word in prose(row.text)})
    common = {
        language: sorted((word for word in found if found[word] >= COMMON), key=lambda word: (-found[word], word))
        for language, found in counts.items()
    }
    seen = (word for found in counts.values() for word in found if found[word] >= RIGHT)
    glossed = (word for spanish in gloss.entries.values() for word in spanish.split())
    right = {word for word in (*seen, *glossed, *tokens) if word.isalpha() and word.isascii()}
    return Spelling(common, (word for word in right if SHORTEST <= len(word) <= LONGEST))


def shipped() -> Spelling:
    """Of the seed as it is."""
    gloss = Gloss.from_json((DATA / "gloss.json").read_bytes())
    tokens = json.loads(TOKENIZER.read_text(encoding="utf-8"))["model"]["vocab"]
    return spelling(read_rows(seed_files(DATA / "seed")), gloss, tokens)


if __name__ == "__main__":
    (DATA / "spelling.json").write_bytes(shipped().to_json() + b"\n")
