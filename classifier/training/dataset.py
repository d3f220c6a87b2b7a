"""The rows that layer 2 is trained on, and what is wrong with them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from classifier.files import filled_lines
from classifier.linear.card import OUTPUTS
from classifier.linear.features import characters
from classifier.text import words

#: The cosine of character n-grams from which two rows say the same.
NEAR_DUPLICATE = 0.95
#: The share of its type's rows from which a domain is no domain but the type itself: it is split by family instead.
BROAD_DOMAIN = 0.25
#: The ratio of the largest to the smallest type from which the set counts as out of balance.
IMBALANCE = 2.0
#: Columns that near-duplicates are compared in.
_SKETCH_COLUMNS = 1024
#: Random directions that all pairs are compared in first, and the cosine there from which they are in all columns: of a
#: pair at `NEAR_DUPLICATE` it is off by 0.012 (one standard deviation).
_DIRECTIONS, _NEAR = 64, 0.8


class DatasetError(ValueError):
    """Rows cannot be used; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled message.

    Attributes:
        text: As a user would write it.
        label: One of `OUTPUTS`: a type or the reject class.
        language: `en`, `es` or `other`.
        family: Rows of one family share a template and never sit on both sides of a split.
        domain: What the message is about.
        register: How it is written.
        weight: How much it counts in a fit.
    """

    text: str
    label: str
    language: str
    family: str
    domain: str
    register: str = "plain"
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Check:
    """What is noteworthy about a set of rows.

    Attributes:
        rows: How many there are.
        near_duplicates: Pairs of texts that say the same under one label.
        conflicts: Pairs that say the same under two labels.
        crossing: Families that stand under more than one label.
        imbalance: The largest type's rows over the smallest's, the reject class apart.
    """

    rows: int
    near_duplicates: tuple[tuple[str, str], ...]
    conflicts: tuple[tuple[str, str], ...]
    crossing: tuple[str, ...]
    imbalance: float

    @property
    def usable(self) -> bool:
        """Whether no label contradicts another, no family crosses types, and no type is far behind."""
        return not self.conflicts and not self.crossing and self.imbalance <= IMBALANCE


def read_rows(paths: Iterable[Path]) -> list[Row]:
    """The rows of JSON-lines files, in order.

    Raises:
        DatasetError: A line is not a row, or there is none at all.
    """
    rows: list[Row] = []
    for path in paths:
        lines = filled_lines(path.read_text(encoding="utf-8"))
        rows += [_row(line, f"{path}:{number}") for number, line in lines]
    if not rows:
        raise DatasetError("there are no rows to train on")
    return rows


def seed_files(folder: Path) -> list[Path]:
    """The files of a seed folder in a fixed order.

    Raises:
        DatasetError: There is none.
    """
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise DatasetError(f"{folder}: there is no .jsonl file")
    return files


def digest(rows: Sequence[Row]) -> str:
    """sha256 that names these rows, in any order."""
    lines = sorted(json.dumps([row.text, row.label, row.language, row.weight], ensure_ascii=False) for row in rows)
    return hashlib.sha256("\n".join(lines).encode("utf-8", errors="surrogatepass")).hexdigest()


def domain_groups(rows: Sequence[Row]) -> list[str]:
    """The group of each row for leaving domains out: its domain, or its family where the domain is the type itself.

    "conversation" is what most CONVERSATIONAL rows are about: leaving it out would leave the type out.
    """
    labels = Counter(row.label for row in rows)
    shares = Counter((row.label, row.domain) for row in rows)
    broad = {key for key, count in shares.items() if count > BROAD_DOMAIN * labels[key[0]]}
    return [f"family {row.family}" if (row.label, row.domain) in broad else f"domain {row.domain}" for row in rows]


def check(rows: Sequence[Row]) -> Check:
    """Near-duplicates, contradictions, families that cross types, balance."""
    families: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        families[row.family].add(row.label)
    pairs = _alike(rows)
    types = Counter(row.label for row in rows if row.label != OUTPUTS[-1])
    return Check(
        rows=len(rows),
        near_duplicates=tuple((rows[a].text, rows[b].text) for a, b in pairs if rows[a].label == rows[b].label),
        conflicts=tuple((rows[a].text, rows[b].text) for a, b in pairs if rows[a].label != rows[b].label),
        crossing=tuple(sorted(family for family, labels in families.items() if len(labels) > 1)),
        imbalance=max(types.values()) / min(types.values()) if types else 1.0,
    )


def _alike(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Pairs of rows that say the same: the same words, or n-grams of nearly the same direction, in one language."""
    sketch = np.zeros((len(rows), _SKETCH_COLUMNS), dtype=np.float32)
    for place, row in enumerate(rows):
        sparse = characters(row.text)
        sketch[place] = np.bincount(sparse.columns % _SKETCH_COLUMNS, sparse.values, _SKETCH_COLUMNS)
    sketch /= np.maximum(np.linalg.norm(sketch, axis=1, keepdims=True), 1e-9)
    exact: dict[tuple[str, ...], int] = {}
    found: set[tuple[int, int]] = set()
    for place, row in enumerate(rows):
        first = exact.setdefault(tuple(words(row.text)), place)
        if first != place:
            found.add((first, place))
    directions = np.random.default_rng(0).standard_normal((_SKETCH_COLUMNS, _DIRECTIONS), dtype=np.float32)
    short = sketch @ directions
    short /= np.maximum(np.linalg.norm(short, axis=1, keepdims=True), 1e-9)
    for start in range(0, len(rows), 512):
        near = np.argwhere(np.triu(short[start : start + 512] @ short[start:].T, 1) > _NEAR) + start
        cosines = np.einsum("ij,ij->i", sketch[near[:, 0]], sketch[near[:, 1]])
        found.update((int(left), int(right)) for left, right in near[cosines > NEAR_DUPLICATE])
    return sorted(found)


def _row(line: str, place: str) -> Row:
    """One row of a file.

    Raises:
        DatasetError: It is not one; names the place.
    """
    try:
        entry = json.loads(line)
        row = Row(
            text=entry["text"], label=entry["type"], language=entry["language"], family=entry["family"],
            domain=entry["domain"], register=entry.get("register", "plain"), weight=float(entry.get("weight", 1.0)),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DatasetError(f"{place}: is not a row of text, type, language, family and domain") from error
    if row.label not in OUTPUTS or not isinstance(row.text, str) or not row.text.strip():
        raise DatasetError(f"{place}: has no text, or a type that is none of {', '.join(OUTPUTS)}")
    if row.language not in ("en", "es", "other"):
        raise DatasetError(f"{place}: its language is none of en, es, other")
    return row
