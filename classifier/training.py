"""Fits layer 2's artifact: two linear heads, mixed by language, calibrated on rows whose domain they never saw.

scikit-learn and SciPy are imported inside the functions that fit; nothing else in this package needs them.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifier.artifact import LANGUAGE_COLUMNS, Artifact, Weights, write_artifact
from classifier.calibration import Calibration, Mix, calibrate, fit_mix
from classifier.card import LANGUAGES, OUTPUTS, REJECT, Card
from classifier.dataset import Check, Row, check, digest, domain_groups, read_rows, seed_files
from classifier.decision import Embedder
from classifier.features import COLUMNS, Sparse, characters
from classifier.gloss import Gloss
from classifier.metrics import accepted, best_types, confusion, score
from classifier.scoring import Floats, embed, read_all, softmax

#: Parts that families and domains are divided into; each is left out once.
FOLDS = 5
#: Inverse strength of regularisation of the two heads, chosen on domains left out (3, 10, 30 and .3, 1, 10).
SPARSE_C, EMBEDDING_C = 10.0, 1.0
#: Every random choice begins here: the same rows give the same artifact.
SEED = 20240601

_DATA = Path(__file__).parent / "data"
_LIBRARIES = ("numpy", "scikit-learn", "scipy")


@dataclass(frozen=True, slots=True)
class Report:
    """What a training did, for people and for the promotion gate.

    Attributes:
        artifact: What was written.
        check: What is noteworthy about the rows.
        scores: By split (`leave_family_out`, `leave_domain_out`), then by language and by source.
        confusion: Domains left out: rows by truth, columns by the best output.
    """

    artifact: Artifact
    check: Check
    scores: dict[str, Any]
    confusion: list[list[int]] = field(default_factory=list)

    def markdown(self) -> str:
        """The figures as a table."""
        lines = ["| split | part | rows | F1 | F1 with default | ECE | coverage | selective | kept out |", "|" + "---|" * 9]
        names = ("rows", "macro_f1", "macro_f1_with_default", "ece", "coverage", "selective_accuracy", "out_of_scope_kept_out")
        for split in ("leave_family_out", "leave_domain_out"):
            for part, figures in self.scores[split].items():
                cells = [str(figures.get(name, "")) for name in names]
                lines.append(f"| {split} | {part} | {' | '.join(cells)} |")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Features:
    """Rows as matrices.

    Attributes:
        sparse: A SciPy matrix, shape (n, COLUMNS).
        vectors: Shape (n, dimensions).
        languages: Shape (n, 3): what the language head makes of each text.
        truth: Shape (n,): the right output.
        weights: Shape (n,).
    """

    sparse: Any
    vectors: NDArray[np.float32]
    languages: Floats
    truth: NDArray[np.int64]
    weights: Floats


def train(
    seed_folder: Path, embedder: Embedder, out_path: Path, labels: Sequence[Path] | None = None, date: str = ""
) -> Report:
    """Trains on a seed folder and writes the artifact.

    Args:
        seed_folder: Holds the seed's JSON-lines files.
        embedder: Whose vectors the artifact is for.
        out_path: Where the artifact goes; the one before is kept beside it.
        labels: Further JSON-lines files of labelled turns.
        date: The day, for the card.

    Raises:
        DatasetError: The rows cannot be used.
    """
    return train_rows(read_rows([*seed_files(seed_folder), *(labels or ())]), embedder, out_path, date)


def train_rows(rows: Sequence[Row], embedder: Embedder, out_path: Path, date: str = "") -> Report:
    """Trains on rows and writes the artifact; the same rows give the same bytes."""
    gloss = Gloss.from_json((_DATA / "gloss.json").read_bytes())
    language, language_bias = _fit_language(rows)
    outputs, languages = len(OUTPUTS), len(LANGUAGES)
    blank = Weights(
        sparse=np.zeros((COLUMNS, outputs), np.float32), sparse_bias=np.zeros(outputs, np.float32),
        embedding=np.zeros((embedder.dimensions, outputs), np.float32), embedding_bias=np.zeros(outputs, np.float32),
        language=language, language_bias=language_bias, mix=np.zeros((languages, 2), np.float32),
        mix_bias=np.zeros((languages, outputs), np.float32), gloss=gloss,
    )  # fmt: skip
    features, glossed = _features(rows, blank, embedder)
    splits = {"leave_family_out": [row.family for row in rows], "leave_domain_out": domain_groups(rows)}
    held_out = {name: _held_out(features, groups) for name, groups in splits.items()}
    domains = splits["leave_domain_out"]
    mix = fit_mix(*held_out["leave_domain_out"], features.languages, features.truth)
    calibration = calibrate(mix.apply(*held_out["leave_domain_out"], features.languages), features.truth)
    scores = {
        name: _scores(rows, features, heads, splits[name]) for name, heads in held_out.items()
    }  # each row judged by a mix and thresholds that never saw its group
    scores["heads"] = _head_scores(rows, features, held_out["leave_domain_out"])
    weights = _fit_all(features, blank, mix)
    card = Card(
        embedder=embedder.id, dimensions=embedder.dimensions, temperature=calibration.temperature,
        thresholds=dict(zip(OUTPUTS, calibration.thresholds, strict=False)), margin=calibration.margin,
        reject_threshold=calibration.reject, training_sha256=digest(rows), rows=len(rows), glossed_embedding=glossed,
        scores=scores, date=date,
        versions={"python": platform.python_version()} | {name: metadata.version(name) for name in _LIBRARIES},
    )  # fmt: skip
    found = mix.apply(*held_out["leave_domain_out"], features.languages).argmax(axis=1)
    _ = domains
    return Report(write_artifact(out_path, card, weights), check(rows), scores, confusion(features.truth, found))
