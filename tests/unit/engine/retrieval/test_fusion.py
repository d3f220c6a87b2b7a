from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval.fusion import DEFAULT_WEIGHTS, FusionWeights, fuse

EQUAL = FusionWeights(text=1.0, dense=1.0)

rankings = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 100).map(float)), max_size=40).map(
    lambda found: sorted(found, key=lambda item: -item[1])
)
weightings = st.builds(FusionWeights, text=st.floats(0, 2), dense=st.floats(0, 2))


def keys(ranking: list[tuple[str, float]]) -> list[str]:
    return [key for key, _ in ranking]


def test_a_result_scores_its_shares_of_the_best() -> None:
    fused = dict(fuse([("a", 8.0), ("b", 4.0)], [("b", 0.8), ("c", 0.2)], weights=EQUAL))
    assert fused["a"] == pytest.approx(1.0 + 0.25)  # not among the vectors' first: as the last of them
    assert fused["b"] == pytest.approx(0.5 + 1.0)
    assert fused["c"] == pytest.approx(0.5 + 0.25)


def test_the_weights_are_those_that_were_measured() -> None:
    assert FusionWeights(text=0.25, dense=0.75) == DEFAULT_WEIGHTS
    fused = dict(fuse([("a", 5.0), ("b", 1.0)], [("b", 0.5), ("a", 0.1)]))
    assert fused == {"b": pytest.approx(0.75 + 0.05), "a": pytest.approx(0.15 + 0.25)}


def test_shares_are_of_what_lies_above_the_floor() -> None:
    dense = [("a", 0.90), ("b", 0.85), ("c", 0.70)]
    fused = dict(fuse([], dense, weights=EQUAL, floor=0.8))
    assert fused == {"a": pytest.approx(1.0), "b": pytest.approx(0.5), "c": 0.0}
    assert dict(fuse([], dense, weights=EQUAL))["b"] == pytest.approx(0.85 / 0.9)


def test_vectors_that_find_nothing_above_the_floor_leave_the_order_to_the_words() -> None:
    dense = [("a", 0.74), ("b", 0.73), ("c", 0.72)]
    text = [("c", 9.0), ("b", 5.0), ("a", 1.0)]
    assert keys(fuse(text, dense, floor=0.75)) == ["c", "b", "a"]


def test_a_list_that_has_ended_gives_nothing_to_what_is_not_on_it() -> None:
    fused = dict(fuse([("a", 8.0)], [("b", 0.8), ("c", 0.4)], weights=EQUAL))
    assert fused["b"] == pytest.approx(1.0)
    assert fused["a"] == pytest.approx(1.0 + 0.5)
    assert fused["c"] == pytest.approx(0.5)


def test_what_both_halves_find_comes_first() -> None:
    assert keys(fuse([("a", 3.0), ("x", 2.9), ("y", 1.0)], [("b", 0.9), ("x", 0.8), ("z", 0.2)]))[0] == "x"


def test_the_heavier_half_wins_where_they_disagree() -> None:
    text, dense = [("t", 1.0), ("x", 0.0)], [("d", 1.0), ("y", 0.0)]
    assert keys(fuse(text, dense))[:2] == ["d", "t"]
    assert keys(fuse(text, dense, weights=FusionWeights(text=2.0, dense=1.0)))[:2] == ["t", "d"]


def test_a_half_that_cannot_tell_its_results_apart_leaves_the_order_to_the_other() -> None:
    dense = [("a", 0.41), ("b", 0.405), ("c", 0.40), ("d", 0.395)]
    text = [("d", 12.0), ("c", 6.0), ("b", 3.0), ("a", 1.0)]
    assert keys(fuse(text, dense)) == ["d", "c", "b", "a"]


def test_a_clear_winner_of_the_vectors_is_not_outvoted_by_words() -> None:
    dense = [("a", 0.8), ("b", 0.3), ("c", 0.3)]
    text = [("b", 9.0), ("c", 8.5), ("a", 2.0)]
    assert keys(fuse(text, dense))[0] == "a"


def test_cosines_below_zero_count_as_none() -> None:
    fused = dict(fuse([("t", 2.0)], [("d", 0.5), ("e", -0.5)], weights=EQUAL))
    assert fused == {"d": 1.0, "t": 1.0, "e": 0.0}


def test_a_half_without_any_score_keeps_its_order() -> None:
    assert keys(fuse([], [("b", -0.1), ("a", -0.2)])) == ["b", "a"]


def test_equal_scores_keep_dense_before_text() -> None:
    assert keys(fuse([("t1", 1.0), ("t2", 1.0)], [("d1", 1.0), ("d2", 1.0)], weights=EQUAL)) == ["d1", "d2", "t1", "t2"]


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
    assert all(0 <= score <= weights.text + weights.dense + 1e-9 for score in scores)


@given(rankings, rankings)
def test_exactly_what_a_half_found_is_found(text: list[tuple[int, float]], dense: list[tuple[int, float]]) -> None:
    assert {key for key, _ in fuse(text, dense)} == {key for key, _ in [*text, *dense]}


@given(rankings, rankings)
def test_the_unit_of_a_half_does_not_count(text: list[tuple[int, float]], dense: list[tuple[int, float]]) -> None:
    doubled = [(key, score * 2) for key, score in text]
    assert fuse(text, dense) == fuse(doubled, dense)


@given(rankings, rankings)
def test_what_both_halves_put_before_another_stays_before_it(
    text: list[tuple[int, float]], dense: list[tuple[int, float]]
) -> None:
    places = {key: place for place, (key, _) in enumerate(fuse(text, dense))}
    of_text, of_dense = (dict(reversed(ranking)) for ranking in (text, dense))
    both = of_text.keys() & of_dense.keys()
    for one in both:
        for other in both:
            if of_text[one] > of_text[other] and of_dense[one] > of_dense[other]:
                assert places[one] < places[other]


@given(rankings, rankings, st.integers(0, 50))
def test_the_limit_cuts_and_changes_nothing_else(
    text: list[tuple[int, float]], dense: list[tuple[int, float]], limit: int
) -> None:
    assert fuse(text, dense, limit=limit) == fuse(text, dense)[:limit]


@given(rankings)
def test_a_repeated_key_counts_where_it_came_first(ranking: list[tuple[int, float]]) -> None:
    assert [key for key, _ in fuse(ranking, [])] == list(dict.fromkeys(key for key, _ in ranking))


def by_definition(
    text: list[tuple[int, float]], dense: list[tuple[int, float]], weights: FusionWeights
) -> dict[int, float]:
    """The scores as the docstring defines them, without regard to speed."""
    shares = []
    for ranking in (text, dense):
        first = dict(reversed(ranking))
        best = max(first.values(), default=0.0) or 1.0
        shares.append({key: score / best for key, score in first.items()})
    longest = max(map(len, shares))
    total: dict[int, float] = {}
    for key in {**shares[0], **shares[1]}:
        total[key] = 0.0
        for half, weight in zip(shares, (weights.text, weights.dense), strict=True):
            last = min(half.values()) if half and len(half) == longest else 0.0
            total[key] += weight * half.get(key, last)
    return total


@given(rankings, rankings)
def test_the_scores_are_those_of_the_definition(text: list[tuple[int, float]], dense: list[tuple[int, float]]) -> None:
    fused = dict(fuse(text, dense))
    assert fused == pytest.approx(by_definition(text, dense, DEFAULT_WEIGHTS))


@pytest.mark.parametrize("length", [1, 3, 100])
def test_two_equal_halves_keep_their_order(length: int) -> None:
    ranking = [(str(place), float(length - place)) for place in range(length)]
    assert keys(fuse(ranking, ranking)) == keys(ranking)


def test_a_result_of_one_half_only_can_still_come_first() -> None:
    text = [("t", 20.0), *((f"t{place}", 2.0) for place in range(99))]
    dense = [("d0", 0.41), *((f"d{place}", 0.4) for place in range(1, 100))]
    assert keys(fuse(text, dense))[0] == "t"


def test_a_shared_second_beats_two_lonely_firsts() -> None:
    text = [("t", 10.0), ("x", 9.0), ("t2", 3.0), ("t3", 1.0)]
    dense = [("d", 0.6), ("x", 0.55), ("d2", 0.3), ("d3", 0.1)]
    assert keys(fuse(text, dense))[0] == "x"
