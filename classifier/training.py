"""Fits layer 2's artifact: two linear heads, mixed by language, calibrated on rows whose domain they never saw.

scikit-learn and SciPy are imported inside the functions that fit; nothing else in this package needs them.
"""

from __future__ import annotations

import dataclasses
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifier.artifact import LANGUAGE_COLUMNS, Artifact, Weights, write_artifact
from classifier.calibration import Mix, calibrate, fit_mix, fit_shortcut, halves
from classifier.card import LANGUAGES, OUTPUTS, Card
from classifier.dataset import Check, DatasetError, Row, check, digest, domain_groups, read_rows, seed_files
from classifier.decision import Embedder
from classifier.features import COLUMNS, Sparse, characters
from classifier.gloss import Gloss
from classifier.metrics import accepted, confusion, macro_f1, score
from classifier.scoring import Floats, embed, read_all, softmax

#: Parts that families and domains are divided into; each is left out once.
FOLDS = 8
#: Inverse strength of regularisation of the two heads, chosen on domains left out (3, 10, 30 and 1, 3, 10).
SPARSE_C, EMBEDDING_C = 10.0, 1.0
#: Rows that a column must occur in to get a weight.
LEAST_DOCUMENTS = 2
#: Every random choice begins here: the same rows give the same artifact.
SEED = 0
#: The split by which mixes, temperature and thresholds are fitted: the nearest to texts that nobody here wrote.
DOMAINS, FAMILIES = "leave_domain_out", "leave_family_out"

#: Weights, shape (columns, outputs), and biases, shape (outputs,).
Head = tuple[NDArray[np.float32], NDArray[np.float32]]

_DATA = Path(__file__).parent / "data"
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
        check: What is noteworthy about the rows.
        confusion: Domains left out: rows by truth, columns by the best output.
    """

    artifact: Artifact
    check: Check
    confusion: list[list[int]]

    @property
    def scores(self) -> dict[str, Any]:
        """By split and then by part (`en`, `es`, `all`); `heads` has the macro-F1 of each head alone."""
        return self.artifact.card.scores

    def markdown(self) -> str:
        """The figures as a table."""
        lines = [f"| split | part | {' | '.join(_COLUMNS)} |", "|" + "---|" * (len(_COLUMNS) + 2)]
        for split in (FAMILIES, DOMAINS):
            for part, figures in self.scores[split].items():
                cells = " | ".join(str(figures.get(name, "")) for name in _COLUMNS)
                lines.append(f"| {split} | {part} | {cells} |")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Features:
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
    """Trains on rows and writes the artifact; the same rows give the same bytes.

    Raises:
        DatasetError: There are too few rows of some output, family or domain to leave any out.
    """
    _enough(rows)
    blank = _blank(rows, embedder)
    splits = {FAMILIES: [row.family for row in rows], DOMAINS: domain_groups(rows)}
    features, glossed = _best_features(rows, blank, embedder, splits[DOMAINS])
    held_out = {name: _held_out(features, groups) for name, groups in splits.items()}
    mix = fit_mix(*held_out[DOMAINS], features.languages, features.truth)
    logits = mix.apply(*held_out[DOMAINS], features.languages)
    easier = mix.apply(*held_out[FAMILIES], features.languages)
    calibration = calibrate(logits, easier, features.truth)
    sparse = held_out[DOMAINS][0]
    solo = fit_mix(sparse, np.zeros_like(sparse), features.languages, features.truth)
    first = softmax(solo.apply(sparse, np.zeros_like(sparse), features.languages))
    shortcut = fit_shortcut(first, features.truth)
    scores: dict[str, Any] = {
        name: _scores(rows, features, heads, held_out, splits[name]) for name, heads in held_out.items()
    }
    scores["heads"] = _head_scores(rows, features, held_out[DOMAINS], logits)
    scores["shortcut"] = _shortcut_scores(features.truth, first, shortcut)
    card = Card(
        embedder=embedder.id, dimensions=embedder.dimensions, temperature=calibration.temperature,
        thresholds=dict(zip(OUTPUTS, calibration.thresholds, strict=False)), margin=calibration.margin,
        reject_threshold=calibration.reject, training_sha256=digest(rows), rows=len(rows), glossed_embedding=glossed,
        shortcut=shortcut,
        scores=scores, date=date,
        versions={"python": platform.python_version()} | {name: metadata.version(name) for name in _LIBRARIES},
    )  # fmt: skip
    artifact = write_artifact(out_path, card, _fit_all(features, blank, mix, solo))
    return Report(artifact, check(rows), confusion(features.truth, logits.argmax(axis=1)))


def _enough(rows: Sequence[Row]) -> None:
    """Raises DatasetError when something cannot be left out and still be learnt."""
    for name in OUTPUTS:
        if len({row.family for row in rows if row.label == name}) < 2:
            raise DatasetError(f"there are fewer than two families of {name}")
    if min(len(set(domain_groups(rows))), len({row.family for row in rows})) < FOLDS:
        raise DatasetError(f"there are fewer than {FOLDS} families or domains")


def _blank(rows: Sequence[Row], embedder: Embedder) -> Weights:
    """Weights that know languages and the gloss, and no type yet."""
    outputs, languages = len(OUTPUTS), len(LANGUAGES)
    language, language_bias = _fit_language(rows)
    return Weights(
        sparse=np.zeros((COLUMNS, outputs), np.float32), sparse_bias=np.zeros(outputs, np.float32),
        embedding=np.zeros((embedder.dimensions, outputs), np.float32), embedding_bias=np.zeros(outputs, np.float32),
        language=language, language_bias=language_bias, mix=np.zeros((languages, 2), np.float32),
        mix_bias=np.zeros((languages, outputs), np.float32), solo=np.zeros((languages, 1), np.float32),
        solo_bias=np.zeros((languages, outputs), np.float32),
        gloss=Gloss.from_json((_DATA / "gloss.json").read_bytes()),
    )  # fmt: skip


def _best_features(
    rows: Sequence[Row], blank: Weights, embedder: Embedder, groups: Sequence[str]
) -> tuple[Features, bool]:
    """The rows as matrices, with Spanish embedded as it is or as its gloss, whichever leaves the better head."""
    found = []
    for glossed in (True, False):
        features = _features(rows, blank, embedder, glossed)
        spanish = features.languages.argmax(axis=1) == LANGUAGES.index("es")
        spanish &= features.truth != len(OUTPUTS) - 1
        dense = _out_of_fold(features.vectors, features, groups, _fit_dense)
        f1 = macro_f1(features.truth[spanish], dense[spanish, :-1].argmax(axis=1))
        found.append((f1, features, glossed))
    _, features, glossed = max(found, key=lambda entry: entry[0])
    return features, glossed


def _features(rows: Sequence[Row], weights: Weights, embedder: Embedder, glossed: bool) -> Features:
    """The rows as matrices, read exactly as they are when serving."""
    reading = read_all([row.text for row in rows], weights, glossed)
    return Features(
        sparse=_matrix(reading.sparse, COLUMNS),
        vectors=embed(embedder, reading.sentences),
        languages=reading.languages,
        truth=np.asarray([OUTPUTS.index(row.label) for row in rows]),
        weights=np.asarray([row.weight for row in rows]),
    )


def _matrix(texts: Sequence[Sparse], columns: int) -> Any:
    """Sparse vectors as one SciPy matrix; values of one column add up."""
    from scipy.sparse import csr_matrix

    starts = np.cumsum([0, *(len(text.columns) for text in texts)])
    values = np.concatenate([text.values for text in texts])
    matrix = csr_matrix((values, np.concatenate([text.columns for text in texts]), starts), (len(texts), columns))
    matrix.sum_duplicates()
    return matrix


def _fit_language(rows: Sequence[Row]) -> Head:
    """The head that tells English, Spanish and others apart."""
    foreign = json.loads((_DATA / "other_languages.json").read_bytes())["texts"]
    blocks = [characters(text) for text in [row.text for row in rows] + foreign]
    folded = [Sparse(block.columns & (LANGUAGE_COLUMNS - 1), block.values) for block in blocks]
    truth = np.asarray([LANGUAGES.index(row.language) for row in rows] + [LANGUAGES.index("other")] * len(foreign))
    return _one_against_rest(_matrix(folded, LANGUAGE_COLUMNS), truth, np.ones(len(truth)), SPARSE_C, len(LANGUAGES))


def _fit_sparse(matrix: Any, truth: NDArray[np.int64], weights: Floats) -> Head:
    """The n-gram head: weights (columns, k) and biases (k,)."""
    return _one_against_rest(matrix, truth, weights, SPARSE_C, len(OUTPUTS))


def _fit_dense(vectors: NDArray[np.float32], truth: NDArray[np.int64], weights: Floats) -> Head:
    """The embedding head: weights (dimensions, k) and biases (k,)."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=EMBEDDING_C, class_weight="balanced", max_iter=500)
    model.fit(vectors.astype(np.float64), truth, sample_weight=weights)
    return model.coef_.T.astype(np.float32), model.intercept_.astype(np.float32)


def _one_against_rest(matrix: Any, truth: NDArray[np.int64], weights: Floats, strength: float, outputs: int) -> Head:
    """A logistic regression for each output: as good as one softmax on n-grams, and fifty times as fast to fit.

    The dual problem has a variable a row, where the primal one has a hundred thousand columns. Columns of one row alone
    are left at zero: they say nothing of other rows.
    """
    from sklearn.linear_model import LogisticRegression

    common = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]) >= LEAST_DOCUMENTS)
    found, biases = np.zeros((matrix.shape[1], outputs), np.float32), np.zeros(outputs, np.float32)
    for output in range(outputs):
        model = LogisticRegression(
            C=strength,
            solver="liblinear",
            dual=True,
            class_weight="balanced",
            random_state=SEED,
            tol=1e-3,
            max_iter=2000,
        )
        model.fit(matrix[:, common], truth == output, sample_weight=weights)
        found[common, output] = model.coef_[0]
        biases[output] = model.intercept_[0]
    return found, biases


def _out_of_fold(matrix: Any, features: Features, groups: Sequence[str], fit: Any) -> Floats:
    """Logits of every row by a head that was fitted without the row's group, shape (n, k)."""
    from sklearn.model_selection import GroupKFold

    logits = np.zeros((len(groups), len(OUTPUTS)))
    for kept, left in GroupKFold(FOLDS, shuffle=True, random_state=SEED).split(logits, groups=groups):
        weights, bias = fit(matrix[kept], features.truth[kept], features.weights[kept])
        logits[left] = matrix[left] @ weights.astype(np.float64) + bias
    return logits


def _held_out(features: Features, groups: Sequence[str]) -> tuple[Floats, Floats]:
    """Out-of-fold logits of both heads."""
    sparse = _out_of_fold(features.sparse, features, groups, _fit_sparse)
    return sparse, _out_of_fold(features.vectors, features, groups, _fit_dense)


def _fit_all(features: Features, blank: Weights, mix: Mix, solo: Mix) -> Weights:
    """Both heads on every row."""
    sparse, sparse_bias = _fit_sparse(features.sparse, features.truth, features.weights)
    embedding, embedding_bias = _fit_dense(features.vectors, features.truth, features.weights)
    return dataclasses.replace(
        blank, sparse=sparse, sparse_bias=sparse_bias, embedding=embedding, embedding_bias=embedding_bias,
        mix=mix.weights.astype(np.float32), mix_bias=mix.bias.astype(np.float32),
        solo=solo.weights[:, :1].astype(np.float32), solo_bias=solo.bias.astype(np.float32),
    )  # fmt: skip


def _scores(
    rows: Sequence[Row],
    features: Features,
    heads: tuple[Floats, Floats],
    held_out: Mapping[str, tuple[Floats, Floats]],
    groups: Sequence[str],
) -> dict[str, Any]:
    """Figures by language, and of both together; each half of the groups is judged by what the other half fitted."""
    hard, easy = held_out[DOMAINS], held_out[FAMILIES]
    first = halves(groups, SEED)
    probabilities, taken = np.zeros_like(heads[0]), np.zeros(len(rows), dtype=bool)
    rejects = []
    for fitted, judged in ((first, ~first), (~first, first)):
        mix = fit_mix(hard[0][fitted], hard[1][fitted], features.languages[fitted], features.truth[fitted])
        fits = [mix.apply(*logits, features.languages)[fitted] for logits in (hard, easy)]
        calibration = calibrate(fits[0], fits[1], features.truth[fitted])
        logits = mix.apply(*heads, features.languages)
        probabilities[judged] = softmax(logits[judged] / calibration.temperature)
        taken[judged] = accepted(probabilities[judged], calibration.thresholds, calibration.margin, calibration.reject)
        rejects.append(calibration.reject)
    languages = np.asarray([row.language for row in rows])
    parts = {"en": languages == "en", "es": languages == "es", "all": np.ones(len(rows), dtype=bool)}
    reject = float(np.mean(rejects))
    return {name: score(features.truth[part], probabilities[part], taken[part], reject) for name, part in parts.items()}


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
