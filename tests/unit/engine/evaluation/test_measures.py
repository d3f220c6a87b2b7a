from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluation.measures import Detection, closed, gained_share, known_mean, ndcg, recall


def test_the_best_order_is_worth_one() -> None:
    assert ndcg(["b", "a", "x"], {"a": 1.0, "b": 2.0}) == pytest.approx(1.0)


def test_a_relevant_passage_counts_less_further_down() -> None:
    assert ndcg(["x", "a"], {"a": 1.0}) == pytest.approx(1 / math.log2(3))
    assert ndcg(["x", "y"], {"a": 1.0}) == 0.0
    assert ndcg([], {"a": 1.0}) == 0.0


def test_what_lies_deeper_than_a_reader_looks_counts_nothing() -> None:
    assert ndcg(["x", "a"], {"a": 1.0}, k=1) == 0.0
    assert recall(["x", "a"], {"a": 1.0}, k=1) == 0.0


def test_more_relevant_passages_than_places_are_no_fault() -> None:
    assert ndcg(["a", "b"], {"a": 1.0, "b": 1.0, "c": 1.0}, k=2) == pytest.approx(1.0)


def test_recall_is_the_share_that_was_found() -> None:
    assert recall(["a", "x", "b"], {"a": 1.0, "b": 3.0, "c": 1.0, "d": 1.0}) == 0.5


@given(st.permutations(list("abcdef")), st.dictionaries(st.sampled_from("abcxyz"), st.floats(0.5, 3), min_size=1))
def test_shares_lie_between_nothing_and_all(ranking: list[str], relevant: dict[str, float]) -> None:
    assert 0.0 <= ndcg(ranking, relevant) <= 1.0 + 1e-9
    assert 0.0 <= recall(ranking, relevant) <= 1.0


@pytest.mark.parametrize(
    ("low", "reached", "high", "share"), [(0.2, 0.3, 0.4, 0.5), (0.2, 0.1, 0.4, -0.5), (0.4, 0.4, 0.4, None)]
)
def test_the_share_of_a_gap(low: float, reached: float, high: float, share: float | None) -> None:
    found = closed(low, reached, high)
    assert found is None if share is None else found == pytest.approx(share)


def test_decisions_are_counted_against_the_truth() -> None:
    pairs = [(True, True)] * 3 + [(True, False)] + [(False, True)] * 2 + [(False, False)] * 4
    found = Detection.of(pairs)
    assert found == Detection(hits=3, false_alarms=1, misses=2, rejections=4)
    assert (found.precision, found.recall) == (0.75, 0.6)
    assert found.f1 == pytest.approx(2 * 0.75 * 0.6 / 1.35)


def test_nothing_decided_is_worth_nothing() -> None:
    found = Detection.of([])
    assert (found.precision, found.recall, found.f1) == (0.0, 0.0, 0.0)


def test_a_ranking_of_gains_is_a_share_of_the_best_one() -> None:
    assert gained_share([1, 1], [1, 1]) == 1.0
    assert gained_share([0, 1], [1]) == pytest.approx(1 / math.log2(3))
    assert gained_share([], [1]) == 0.0
    assert gained_share([1, 0, 2], [2, 1]) == pytest.approx((1 + 2 / 2) / (2 + 1 / math.log2(3)))


@pytest.mark.parametrize(
    ("values", "mean"), [([1.0, None, 0.0], 0.5), ([True, False, True, True], 0.75), ([None], 0.0)]
)
def test_a_mean_is_of_what_is_known(values: list[float | bool | None], mean: float) -> None:
    assert known_mean(values) == mean
