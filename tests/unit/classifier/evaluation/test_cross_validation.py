from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from classifier.decision import QueryType
from classifier.embedder import Embedder
from classifier.evaluation import cross_validation
from classifier.evaluation.cross_validation import domain_folds, fit_heads, out_of_fold
from classifier.linear.artifact import Artifact
from classifier.prefix import PrefixLayer
from classifier.training.dataset import Row, domain_groups


class TestFolds:
    def test_each_row_is_left_out_once_and_no_domain_stands_on_both_sides(self, small_rows: list[Row]) -> None:
        groups = domain_groups(small_rows)
        seen: Counter[int] = Counter()
        for kept, left in domain_folds(small_rows, 4):
            seen.update(left)
            assert not {groups[place] for place in kept} & {groups[place] for place in left}
            assert len(kept) + len(left) == len(small_rows)
        assert seen == Counter(range(len(small_rows)))

    def test_the_same_folds_each_time(self, small_rows: list[Row]) -> None:
        assert list(domain_folds(small_rows, 3)) == list(domain_folds(small_rows, 3))

    def test_more_folds_than_domains_are_refused(self, small_rows: list[Row]) -> None:
        with pytest.raises(ValueError, match="number of"):
            list(domain_folds(small_rows, 100))


@pytest.fixture
def base(make_artifact: Callable[..., Artifact]) -> Artifact:
    return make_artifact(shortcut=None, reject_threshold=0.9)


class TestOutOfFold:
    def test_heads_are_fitted_without_the_rows_they_judge(
        self, small_rows: list[Row], embedder: Any, base: Artifact
    ) -> None:
        fitted: list[set[str]] = []

        def fit(rows: Sequence[Row], embedder: Embedder, path: Path) -> Artifact:
            fitted.append({row.text for row in rows})
            return fit_heads(base)(rows, embedder, path)

        told: list[int] = []
        found = out_of_fold(small_rows, embedder, 3, fit=fit, progress=told.append)
        assert [outcome.row for outcome in found] == small_rows
        assert told == [1, 2, 3]
        for (_, left), texts in zip(domain_folds(small_rows, 3), fitted, strict=True):
            assert not {small_rows[place].text for place in left} & texts
        scoped = [outcome for outcome in found if outcome.scoped]
        assert sum(outcome.best == outcome.row.label for outcome in scoped) > 0.6 * len(scoped)

    def test_layers_before_are_asked_first(self, small_rows: list[Row], embedder: Any, base: Artifact) -> None:
        found = out_of_fold(
            small_rows, embedder, 2, [PrefixLayer(["what is storage"])], lambda rows, *_: fixed(rows, base)
        )
        first = next(outcome for outcome in found if outcome.row.text == "what is storage")
        assert (first.best, first.confidence, first.reason) == (QueryType.PLATFORM, 1.0, "prefix")

    def test_only_the_heads_change(self, small_rows: list[Row], embedder: Any, base: Artifact, tmp_path: Path) -> None:
        made = fit_heads(base)(small_rows, embedder, tmp_path / "heads.npz")
        assert made.card.thresholds == base.card.thresholds
        assert np.array_equal(made.weights.mix, base.weights.mix)
        assert np.array_equal(made.weights.language, base.weights.language)
        assert made.weights.sparse.any()
        assert made.weights.embedding.any()

    def test_the_whole_training_is_the_training(
        self, small_rows: list[Row], embedder: Any, base: Artifact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[int] = []

        class Report:
            artifact = base

        def train_rows(rows: Sequence[Row], *_: object) -> Report:
            asked.append(len(rows))
            return Report()

        monkeypatch.setattr(cross_validation, "train_rows", train_rows)
        assert cross_validation.fit_artifact(small_rows, embedder, tmp_path / "all.npz") is base
        assert asked == [len(small_rows)]


def fixed(rows: Sequence[Row], artifact: Artifact) -> Artifact:
    """As if trained."""
    assert rows
    return artifact
