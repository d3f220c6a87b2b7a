"""Fits layer 2's artifact: two linear heads, mixed by language, calibrated on rows whose domain they never saw.

scikit-learn and SciPy are imported inside the functions that fit; nothing else in this package needs them.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import platform
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifier import DATA
from classifier.embedder import Embedder
from classifier.linear.artifact import Artifact, Weights, write_artifact
from classifier.linear.card import LANGUAGES, OUTPUTS, Card
from classifier.linear.features import COLUMNS
from classifier.linear.memory import Memory
from classifier.linear.metrics import accepted, curves, macro_f1, score
from classifier.linear.scoring import Floats, softmax
from classifier.linear.spelling import Spelling
from classifier.training.augmentation import copies
from classifier.training.calibration import Mix, calibrate, fit_mix, fit_shortcut, halves
from classifier.training.dataset import Check, DatasetError, Row, check, digest, domain_groups
from classifier.training.embedding_cache import KnownEmbedder, unseen
from classifier.training.heads import (
    FOLDS,
    SEED,
    Features,
    features_of,
    fit_dense,
    fit_language,
    fit_sparse,
    out_of_fold,
    with_heads,
)

#: The split by which mixes, temperature and thresholds are fitted: the nearest to texts that nobody here wrote.
DOMAINS, FAMILIES = "leave_domain_out", "leave_family_out"

#: Rows from which a process of its own is worth its start and its copy of the n-grams (0.4 GB with the shipped seed).
MANY_ROWS = 5000

_LIBRARIES = ("numpy", "scikit-learn", "scipy")
_COLUMNS = (
    "rows", "macro_f1", "macro_f1_with_default", "ece", "coverage", "selective_accuracy", "false_rejects",
    "out_of_scope_recall", "out_of_scope_kept_out",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Report:
    """What a training did, for people and for the promotion gate.

    Attributes:
        artifact: What was written; its card holds the scores.
        rows: What was given.
        practised: The rows and their copies as the heads read them.
    """

    artifact: Artifact
    rows: tuple[Row, ...]
    practised: Features

    @property
    def check(self) -> Check:
        """What is noteworthy about the rows."""
        return check(self.rows)

    @property
    def scores(self) -> dict[str, Any]:
        """By split and part (`en`, `es`, `all`); of each head (`heads`); curves, domains left out (`pictures`)."""
        return self.artifact.card.scores

    def without(self, left_out: Callable[[Row], bool], base: Artifact, out_path: Path) -> Artifact:
        """Writes `base` with its heads fitted anew to the rows that are not left out, and to their copies.

        Mix, temperature and thresholds stay: some fifty numbers, which a training chooses on decisions about domains
        and families left out, and for which it fits eleven times as many heads.
        """
        kept = np.asarray([not left_out(row) for row in (*self.rows, *copies(self.rows))])
        written = [row for row in self.rows if not left_out(row)]
        card = dataclasses.replace(base.card, rows=len(written), training_sha256=digest(written))
        return write_artifact(out_path, card, with_heads(self.practised.part(kept), base.weights))

    def markdown(self) -> str:
        """The figures as a table."""
        lines = [f"| split | part | {' | '.join(_COLUMNS)} |", "|" + "---|" * (len(_COLUMNS) + 2)]
        for split in (FAMILIES, DOMAINS):
            for part, figures in self.scores[split].items():
                cells = " | ".join(str(figures.get(name, "")) for name in _COLUMNS)
                lines.append(f"| {split} | {part} | {cells} |")
        return "\n".join(lines)


def train_rows(
    rows: Sequence[Row], embedder: Embedder, out_path: Path, date: str = "", memory: Memory | None = None
) -> Report:
    """Trains on rows and writes the artifact, with what it is to remember; the same rows give the same bytes.

    The artifact that was there before is kept beside it.

    Args:
        embedder: Whose vectors the artifact is for.
        date: The day, for the card.

    Raises:
        DatasetError: There are too few rows of some output, family or domain to leave any out.
    """
    _enough(rows)
    blank = blank_weights(rows, embedder.dimensions)
    every = [*rows, *copies(rows)]
    splits = {FAMILIES: [row.family for row in every], DOMAINS: domain_groups(every)}
    practised = features_of(every, blank, KnownEmbedder(unseen(embedder)))
    held_out = _held_out(practised, splits, len(rows))
    # Copies help to fit; what is chosen and judged are the rows as they were written.
    features = practised.part(slice(len(rows)))
    mix = fit_mix(*held_out[DOMAINS], features.languages, features.truth)
    logits = mix.apply(*held_out[DOMAINS], features.languages)
    easier = mix.apply(*held_out[FAMILIES], features.languages)
    calibration = calibrate(logits, easier, features.truth)
    sparse = held_out[DOMAINS][0]
    solo = fit_mix(sparse, np.zeros_like(sparse), features.languages, features.truth)
    first = softmax(solo.apply(sparse, np.zeros_like(sparse), features.languages))
    shortcut = fit_shortcut(first, features.truth)
    judged = {name: _judged(features, heads, held_out, splits[name][: len(rows)]) for name, heads in held_out.items()}
    scores: dict[str, Any] = {name: _scores(rows, features.truth, *found) for name, found in judged.items()}
    probabilities, _, reject = judged[DOMAINS]
    scores["pictures"] = curves(features.truth, probabilities, reject)
    scores["heads"] = _head_scores(rows, features, held_out[DOMAINS], logits)
    scores["shortcut"] = _shortcut_scores(features.truth, first, shortcut)
    card = Card(
        embedder=embedder.id, dimensions=embedder.dimensions, temperature=calibration.temperature,
        thresholds=dict(zip(OUTPUTS, calibration.thresholds, strict=False)), margin=calibration.margin,
        reject_threshold=calibration.reject, training_sha256=digest(rows), rows=len(rows),
        shortcut=shortcut,
        scores=scores, date=date,
        versions={"python": platform.python_version()} | {name: metadata.version(name) for name in _LIBRARIES},
    )  # fmt: skip
    blank = dataclasses.replace(blank, memory=memory or Memory.empty())
    artifact = write_artifact(out_path, card, _mixed(with_heads(practised, blank), mix, solo))
    return Report(artifact, tuple(rows), practised)


def _enough(rows: Sequence[Row]) -> None:
    """Raises DatasetError when something cannot be left out and still be learnt."""
    for name in OUTPUTS:
        if len({row.family for row in rows if row.label == name}) < 2:
            raise DatasetError(f"there are fewer than two families of {name}")
    if min(len(set(domain_groups(rows))), len({row.family for row in rows})) < FOLDS:
        raise DatasetError(f"there are fewer than {FOLDS} families or domains")


def blank_weights(rows: Sequence[Row], dimensions: int) -> Weights:
    """Weights that know languages and the spelling, and no type yet."""
    outputs, languages = len(OUTPUTS), len(LANGUAGES)
    language, language_bias = fit_language(rows)
    return Weights(
        sparse=np.zeros((COLUMNS, outputs), np.float32), sparse_bias=np.zeros(outputs, np.float32),
        embedding=np.zeros((dimensions, outputs), np.float32), embedding_bias=np.zeros(outputs, np.float32),
        language=language, language_bias=language_bias, mix=np.zeros((languages, 2), np.float32),
        mix_bias=np.zeros((languages, outputs), np.float32), solo=np.zeros((languages, 1), np.float32),
        solo_bias=np.zeros((languages, outputs), np.float32),
        spelling=Spelling.from_json((DATA / "spelling.json").read_bytes()),
    )  # fmt: skip


def _held_out(features: Features, splits: Mapping[str, Sequence[str]], count: int) -> dict[str, tuple[Floats, Floats]]:
    """By split: what both heads, fitted on other groups, make of the first `count` rows.

    Nothing holds the interpreter here, so the n-gram head is fitted in a thread beside the other one; of many rows, for
    one of the splits, in a process of its own. Liblinear has one generator of random numbers a process, begun anew by
    each fit: two fits at a time in one process would not come out the same every time.
    """

    def sparse(pool: Executor, groups: Sequence[str]) -> Future[Floats]:
        return pool.submit(out_of_fold, features.sparse, features, groups, fit_sparse)

    with ExitStack() as pools:
        beside: Executor = pools.enter_context(ThreadPoolExecutor(1))
        elsewhere = beside
        if count >= MANY_ROWS:
            elsewhere = pools.enter_context(ProcessPoolExecutor(1, multiprocessing.get_context("spawn")))
        first, *others = splits.values()
        found = [sparse(elsewhere, first), *(sparse(beside, groups) for groups in others)]
        dense = [out_of_fold(features.vectors, features, groups, fit_dense) for groups in splits.values()]
        pairs = [(one.result()[:count], two[:count]) for one, two in zip(found, dense, strict=True)]
    return dict(zip(splits, pairs, strict=True))


def _mixed(weights: Weights, mix: Mix, solo: Mix) -> Weights:
    """The heads with how they are mixed, and how the n-gram head decides alone."""
    return dataclasses.replace(
        weights, mix=mix.weights.astype(np.float32), mix_bias=mix.bias.astype(np.float32),
        solo=solo.weights[:, :1].astype(np.float32), solo_bias=solo.bias.astype(np.float32),
    )  # fmt: skip


#: Of each row: its probabilities, shape (n, k), and whether it is decided, shape (n,); and the threshold of rejects.
Judged = tuple[Floats, NDArray[np.bool_], float]


def _judged(
    features: Features,
    heads: tuple[Floats, Floats],
    held_out: Mapping[str, tuple[Floats, Floats]],
    groups: Sequence[str],
) -> Judged:
    """What is made of rows; each half of the groups is judged by what the other half fitted."""
    hard, easy = held_out[DOMAINS], held_out[FAMILIES]
    first = halves(groups, SEED)
    probabilities, taken = np.zeros_like(heads[0]), np.zeros(len(groups), dtype=bool)
    rejects = []
    for fitted, judged in ((first, ~first), (~first, first)):
        mix = fit_mix(hard[0][fitted], hard[1][fitted], features.languages[fitted], features.truth[fitted])
        fits = [mix.apply(*logits, features.languages)[fitted] for logits in (hard, easy)]
        calibration = calibrate(fits[0], fits[1], features.truth[fitted])
        logits = mix.apply(*heads, features.languages)
        probabilities[judged] = softmax(logits[judged] / calibration.temperature)
        taken[judged] = accepted(probabilities[judged], calibration.thresholds, calibration.margin, calibration.reject)
        rejects.append(calibration.reject)
    return probabilities, taken, float(np.mean(rejects))


def _scores(
    rows: Sequence[Row], truth: NDArray[np.int64], probabilities: Floats, taken: NDArray[np.bool_], reject: float
) -> dict[str, Any]:
    """Figures by language, and of both together."""
    languages = np.asarray([row.language for row in rows])
    parts = {"en": languages == "en", "es": languages == "es", "all": np.ones(len(rows), dtype=bool)}
    return {name: score(truth[part], probabilities[part], taken[part], reject) for name, part in parts.items()}


def _head_scores(
    rows: Sequence[Row], features: Features, heads: tuple[Floats, Floats], mixed: Floats
) -> dict[str, dict[str, float]]:
    """Macro-F1 over the four types of each head alone and of the mix, by language, domains left out."""
    languages = np.asarray([row.language for row in rows])
    found: dict[str, dict[str, float]] = {}
    for name, logits in (("ngrams", heads[0]), ("embedding", heads[1]), ("mixed", mixed)):
        best = logits[:, :-1].argmax(axis=1)
        scoped = features.truth != len(OUTPUTS) - 1
        parts = {language: scoped & (languages == language) for language in ("en", "es")}
        found[name] = {part: round(macro_f1(features.truth[of], best[of]), 4) for part, of in parts.items()}
    return found


def _shortcut_scores(truth: NDArray[np.int64], alone: Floats, shortcut: float | None) -> dict[str, float]:
    """What the n-gram head decides alone of in-scope rows, how well, and what it lets in of the others."""
    if shortcut is None:
        return {}
    scoped, sure = truth != len(OUTPUTS) - 1, alone[:, :-1].max(axis=1) >= shortcut
    right = alone[:, :-1].argmax(axis=1) == truth
    return {
        "coverage": round(float(sure[scoped].mean()), 4),
        "selective_accuracy": round(float(right[scoped & sure].mean()), 4),
        "out_of_scope_let_in": round(float(sure[~scoped].mean()), 4),
    }
