from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval.fusion import DEFAULT_WEIGHTS, FusionWeights, fuse

EQUAL = FusionWeights(text=1.0, dense=1.0, k=60.0)

rankings = st.lists(st.tuples(st.integers(0, 30), st.floats(0, 100)), max_size=40)
weightings = st.builds(FusionWeights, text=st.floats(0, 2), dense=st.floats(0, 2), k=st.floats(0, 100))


def keys(ranking: list[tuple[str, float]]) -> list[str]:
    return [key for key, _ in ranking]


def test_a_result_scores_the_sum_of_its_reciprocal_ranks() -> None:
    fused = dict(fuse([("a", 9.0), ("b", 8.0)], [("b", 0.9), ("c", 0.8)], weights=EQUAL))
    assert fused["a"] == pytest.approx(1 / 61)
    assert fused["b"] == pytest.approx(1 / 62 + 1 / 61)
    assert fused["c"] == pytest.approx(1 / 62)


def test_the_weights_are_those_that_were_measured() -> None:
    assert FusionWeights(text=0.5, dense=1.0, k=10.0) == DEFAULT_WEIGHTS
    fused = dict(fuse([("a", 1.0)], [("b", 1.0)]))
    assert fused == {"b": pytest.approx(1 / 11), "a": pytest.approx(0.5 / 11)}


def test_what_both_halves_find_comes_first() -> None:
    assert keys(fuse([("a", 3.0), ("x", 2.0)], [("b", 0.9), ("x", 0.8)]))[0] == "x"


def test_the_heavier_half_wins_where_they_disagree() -> None:
    text, dense = [("t", 1.0)], [("d", 1.0)]
    assert keys(fuse(text, dense)) == ["d", "t"]
    assert keys(fuse(text, dense, weights=FusionWeights(text=2.0, dense=1.0))) == ["t", "d"]


def test_equal_scores_keep_dense_before_text() -> None:
    assert keys(fuse([("t1", 1.0), ("t2", 1.0)], [("d1", 1.0), ("d2", 1.0)], weights=EQUAL)) == ["d1", "t1", "d2", "t2"]


def test_a_half_of_weight_zero_is_not_there() -> None:
    fused = fuse([("t", 1.0)], [("d", 1.0)], weights=FusionWeights(text=0.0, dense=1.0))
    assert keys(fused) == ["d"]


@pytest.mark.parametrize(("limit", "count"), [(None, 3), (2, 2), (0, 0), (-1, 0), (10, 3)])
def test_the_limit_is_kept(limit: int | None, count: int) -> None:
    assert len(fuse([("a", 1.0), ("b", 1.0)], [("c", 1.0)], limit=limit)) == count


def test_nothing_fused_is_nothing() -> None:
    assert fuse([], []) == []


def test_one_half_alone_keeps_its_order() -> None:
    ranking = [("a", 3.0), ("b", 2.0), ("c", 1.0)]
    assert keys(fuse(ranking, [])) == keys(fuse([], ranking)) == ["a", "b", "c"]


@given(rankings, rankings, weightings)
def test_nothing_comes_twice_and_scores_fall(
    text: list[tuple[int, float]], dense: list[tuple[int, float]], weights: FusionWeights
) -> None:
    fused = fuse(text, dense, weights=weights)
    found = [key for key, _ in fused]
    assert len(found) == len(set(found))
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)


@given(rankings, rankings)
def test_exactly_what_a_half_found_is_found(text: list[tuple[int, float]], dense: list[tuple[int, float]]) -> None:
    assert {key for key, _ in fuse(text, dense)} == {key for key, _ in [*text, *dense]}


@given(rankings, rankings)
def test_only_the_order_counts(text: list[tuple[int, float]], dense: list[tuple[int, float]]) -> None:
    rescaled = [(key, score * 7 + 3) for key, score in text]
    assert fuse(text, dense) == fuse(rescaled, dense)


@given(rankings, rankings, st.integers(0, 50))
def test_the_limit_cuts_and_changes_nothing_else(
    text: list[tuple[int, float]], dense: list[tuple[int, float]], limit: int
) -> None:
    assert fuse(text, dense, limit=limit) == fuse(text, dense)[:limit]


@given(rankings)
def test_a_repeated_key_counts_where_it_came_first(ranking: list[tuple[int, float]]) -> None:
    distinct = list({key: (key, score) for key, score in reversed(ranking)}.values())[::-1]
    first_ranks = dict.fromkeys(key for key, _ in ranking)
    assert [key for key, _ in fuse(ranking, [])] == list(first_ranks)
    assert {key for key, _ in fuse(distinct, [])} == set(first_ranks)
