from collections.abc import Sequence

import numpy as np
import pytest

from classifier.linear.artifact import LANGUAGE_COLUMNS, Weights
from classifier.linear.card import LANGUAGES, OUTPUTS
from classifier.linear.features import COLUMNS, characters
from classifier.linear.language import LanguageHead
from classifier.linear.scoring import read_all, softmax
from classifier.training.dataset import Row
from classifier.training.heads import FOLDS, Features, features_of, fit_dense, fit_language, fit_sparse, out_of_fold
from tests.unit.classifier.conftest import DIMENSIONS, CountingEmbedder, plain_weights


@pytest.fixture(scope="module")
def weights() -> Weights:
    return plain_weights()


@pytest.fixture(scope="module")
def made(small_rows: Sequence[Row], weights: Weights) -> Features:
    return features_of(small_rows, weights, CountingEmbedder())


class TestFeatures:
    def test_shapes(self, made: Features, small_rows: Sequence[Row]) -> None:
        count = len(small_rows)
        assert made.sparse.shape == (count, COLUMNS)
        assert made.vectors.shape == (count, DIMENSIONS)
        assert made.languages.shape == (count, len(LANGUAGES))
        assert made.truth.shape == made.weights.shape == (count,)

    def test_they_are_what_serving_reads(self, made: Features, small_rows: Sequence[Row], weights: Weights) -> None:
        reading = read_all([small_rows[3].text], weights)
        dense = np.zeros(COLUMNS, dtype=np.float32)
        np.add.at(dense, reading.sparse[0].columns, reading.sparse[0].values)
        assert made.sparse[3].toarray()[0] == pytest.approx(dense)
        assert made.languages[3] == pytest.approx(reading.languages[0])

    def test_the_truth_is_the_label(self, made: Features, small_rows: Sequence[Row]) -> None:
        assert [OUTPUTS[place] for place in made.truth] == [row.label for row in small_rows]

    @pytest.mark.parametrize("masked", [False, True])
    def test_a_part_of_the_rows(self, made: Features, masked: bool) -> None:
        part = made.part(np.arange(len(made.truth)) < 7 if masked else slice(7))
        assert part.sparse.shape[0] == len(part.vectors) == len(part.languages) == len(part.truth) == 7
        assert (part.sparse != made.sparse[:7]).nnz == 0
        assert np.array_equal(part.weights, made.weights[:7])


class TestFits:
    @pytest.mark.parametrize("kind", ["sparse", "dense"])
    def test_a_head_learns_its_rows(self, made: Features, kind: str) -> None:
        matrix, fit = (made.sparse, fit_sparse) if kind == "sparse" else (made.vectors, fit_dense)
        found, bias = fit(matrix, made.truth, made.weights)
        assert found.dtype == bias.dtype == np.float32
        assert found.shape == (matrix.shape[1], len(OUTPUTS))
        assert ((matrix @ found + bias).argmax(axis=1) == made.truth).mean() > 0.9

    def test_columns_of_one_row_alone_say_nothing(self, made: Features) -> None:
        found, _ = fit_sparse(made.sparse, made.truth, made.weights)
        rare = np.bincount(made.sparse.indices, minlength=COLUMNS) == 1
        assert rare.any()
        assert not found[rare].any()

    def test_the_same_rows_give_the_same_head(self, made: Features) -> None:
        first, second = (fit_sparse(made.sparse, made.truth, made.weights) for _ in range(2))
        assert np.array_equal(first[0], second[0])
        assert np.array_equal(first[1], second[1])

    def test_a_row_without_weight_does_not_count(self, made: Features) -> None:
        light = made.weights.copy()
        wrong = made.truth.copy()
        light[:40], wrong[:40] = 1e-9, 4
        spoiled, clean = (
            fit_sparse(made.sparse, wrong, light),
            fit_sparse(made.sparse[40:], made.truth[40:], made.weights[40:]),
        )
        left = (made.sparse @ spoiled[0] + spoiled[1]).argmax(axis=1)
        right = (made.sparse @ clean[0] + clean[1]).argmax(axis=1)
        assert (left == right).mean() > 0.95

    def test_languages_are_told_apart(self, small_rows: Sequence[Row]) -> None:
        found, bias = fit_language(small_rows)
        assert found.shape == (LANGUAGE_COLUMNS, len(LANGUAGES))
        texts = [next(row.text for row in small_rows if row.language == language) for language in ("es", "en")]
        chars = [characters(text) for text in texts]
        best = softmax(LanguageHead(found, bias).logits(chars)).argmax(axis=1)
        assert [LANGUAGES[place] for place in best] == ["es", "en"]


class TestOutOfFold:
    def test_every_row_is_judged_by_a_head_that_never_saw_its_group(self, made: Features) -> None:
        groups = [f"group {place % 10}" for place in range(len(made.truth))]
        seen: list[set[int]] = []

        def fit(matrix: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            seen.append(set(matrix[:, 0].astype(int).tolist()))
            return np.zeros((1, len(OUTPUTS)), np.float32), np.full(len(OUTPUTS), len(seen), np.float32)

        places = np.arange(len(groups), dtype=float)[:, None]
        logits = out_of_fold(places, made, groups, fit)
        assert len(seen) == FOLDS
        for place, group in enumerate(groups):
            fold = int(logits[place, 0]) - 1
            assert place not in seen[fold]
            assert not any(groups[other] == group for other in seen[fold])

    def test_the_shape(self, made: Features) -> None:
        groups = [f"group {place % 10}" for place in range(len(made.truth))]
        assert out_of_fold(made.vectors, made, groups, fit_dense).shape == (len(groups), len(OUTPUTS))
