"""The linear heads of layer 2: rows as matrices, one fit a head, and what heads make of rows they were not fitted on.

scikit-learn and SciPy are imported inside the functions that fit; nothing else in this package needs them.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifier import DATA
from classifier.embedder import Embedder
from classifier.linear.artifact import LANGUAGE_COLUMNS, Weights
from classifier.linear.card import LANGUAGES, OUTPUTS
from classifier.linear.features import COLUMNS, Sparse, characters
from classifier.linear.scoring import Floats, embed, read_all
from classifier.training.dataset import Row

#: Parts that families and domains are divided into; each is left out once.
FOLDS = 5
#: Inverse strength of regularisation of the two heads, chosen on domains left out (3, 10, 30 and 1, 3, 10).
SPARSE_C, EMBEDDING_C = 10.0, 1.0
#: Rows that a column must occur in to get a weight.
LEAST_DOCUMENTS = 2
#: Every random choice begins here: the same rows give the same artifact.
SEED = 0

#: Weights, shape (columns, outputs), and biases, shape (outputs,).
Head = tuple[NDArray[np.float32], NDArray[np.float32]]
#: Fits a head on a matrix, the right outputs and the weights of its rows.
Fit = Callable[[Any, NDArray[np.int64], Floats], Head]


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

    def part(self, of: slice | NDArray[np.bool_]) -> Features:
        """Some of the rows, in their order."""
        return Features(self.sparse[of], self.vectors[of], self.languages[of], self.truth[of], self.weights[of])


def features_of(rows: Sequence[Row], weights: Weights, embedder: Embedder) -> Features:
    """The rows as matrices, read exactly as they are when serving."""
    reading = read_all([row.text for row in rows], weights)
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


def fit_language(rows: Sequence[Row]) -> Head:
    """The head that tells English, Spanish and others apart."""
    foreign = json.loads((DATA / "other_languages.json").read_bytes())["texts"]
    blocks = [characters(text) for text in [row.text for row in rows] + foreign]
    folded = [Sparse(block.columns & (LANGUAGE_COLUMNS - 1), block.values) for block in blocks]
    truth = np.asarray([LANGUAGES.index(row.language) for row in rows] + [LANGUAGES.index("other")] * len(foreign))
    return _one_against_rest(_matrix(folded, LANGUAGE_COLUMNS), truth, np.ones(len(truth)), SPARSE_C, len(LANGUAGES))


def fit_sparse(matrix: Any, truth: NDArray[np.int64], weights: Floats) -> Head:
    """The n-gram head: weights (columns, k) and biases (k,)."""
    return _one_against_rest(matrix, truth, weights, SPARSE_C, len(OUTPUTS))


def fit_dense(vectors: NDArray[np.float32], truth: NDArray[np.int64], weights: Floats) -> Head:
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


def with_heads(features: Features, base: Weights) -> Weights:
    """`base` with both heads fitted anew, on every row."""
    sparse, sparse_bias = fit_sparse(features.sparse, features.truth, features.weights)
    embedding, embedding_bias = fit_dense(features.vectors, features.truth, features.weights)
    return dataclasses.replace(
        base, sparse=sparse, sparse_bias=sparse_bias, embedding=embedding, embedding_bias=embedding_bias
    )


def out_of_fold(matrix: Any, features: Features, groups: Sequence[str], fit: Fit) -> Floats:
    """Logits of every row by a head that was fitted without the row's group, shape (n, k)."""
    from sklearn.model_selection import GroupKFold

    logits = np.zeros((len(groups), len(OUTPUTS)))
    for kept, left in GroupKFold(FOLDS, shuffle=True, random_state=SEED).split(logits, groups=groups):
        weights, bias = fit(matrix[kept], features.truth[kept], features.weights[kept])
        logits[left] = matrix[left] @ weights.astype(np.float64) + bias
    return logits
