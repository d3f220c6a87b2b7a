from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from classifier.cascade import Cascade, judge
from classifier.decision import Decision, IntentEntry, Layer, Opinion, Query, QueryType
from classifier.evaluation.stability import (
    DEPTHS,
    SETTINGS,
    Setting,
    anchoring_gap,
    is_self_contained,
    robustness,
    sample,
)
from classifier.linear.artifact import Artifact
from classifier.linear.layer import LinearLayer
from classifier.training.dataset import Row
from classifier.training.perturbation import KINDS

R, G, C, P = QueryType
OUT = "OUT_OF_SCOPE"

ROWS = [
    Row("what does the retry policy of webhooks do", "RETRIEVAL", "en", "a", "x"),
    Row("write a function that sorts a list of invoices", "CODE_GENERATION", "en", "b", "x"),
    Row("cuántas llamadas hice durante el mes pasado", "PLATFORM", "es", "c", "x"),
    Row("qué significa el campo estado en las respuestas", "RETRIEVAL", "es", "d", "x"),
    Row("explain this", "CODE_GENERATION", "en", "e", "x"),
    Row("play some quiet music in the kitchen", OUT, "en", "f", "x"),
]
TRUTH = {row.text: row.label for row in ROWS}


class Rule:
    """Decides by a function of the query; None abstains."""

    def __init__(self, rule: Callable[[Query], QueryType | None]) -> None:
        self.rule = rule
        self.asked: list[Query] = []

    def decide_many(self, queries: Sequence[Query]) -> list[Decision]:
        self.asked += queries
        return [self.decision(query) for query in queries]

    def decision(self, query: Query) -> Decision:
        kind = self.rule(query)
        return judge(query, [Opinion(Layer.EMBEDDING, kind, 0.9, "confident" if kind else "low_confidence", best=kind)])


def right(query: Query) -> QueryType | None:
    label = TRUTH.get(query.text, OUT)
    return QueryType(label) if label in QueryType.__members__ else None


class TestSettings:
    def test_every_depth_has_each_type_and_two_mixtures(self) -> None:
        names = Counter(setting.name for setting in SETTINGS)
        assert set(names) == {*QueryType.__members__, "mixed", "reversed"}
        assert set(names.values()) == {len(DEPTHS)}
        assert {1, 3, 6, 12} <= set(DEPTHS)

    def test_a_pure_conversation(self) -> None:
        assert Setting("PLATFORM", 3).types() == [P, P, P]

    @pytest.mark.parametrize("depth", DEPTHS)
    def test_reversed_is_mixed_the_other_way_round(self, depth: int) -> None:
        assert Setting("reversed", depth).types() == Setting("mixed", depth).types()[::-1]
        assert len(Setting("mixed", depth).types()) == depth

    def test_a_long_mixture_holds_every_type(self) -> None:
        assert set(Setting("mixed", 5).types()) == set(QueryType)

    def test_what_is_self_contained(self) -> None:
        assert [is_self_contained(row) for row in ROWS] == [True, True, True, True, False, False]


class TestAnchoring:
    def test_a_router_that_ignores_history_has_no_gap(self) -> None:
        found = anchoring_gap(Rule(right), ROWS)
        assert list(found) == ["en", "es", "all"]
        assert (found["all"]["rows"], found["all"]["accuracy"], found["all"]["gap"]) == (4, 1.0, 0.0)
        assert found["all"]["flip_rate"] == 0.0
        assert set(found["en"]["by_depth"]) == {str(depth) for depth in DEPTHS}
        assert set(found["en"]["by_conversation"]) == {setting.name for setting in SETTINGS}

    def test_a_router_that_drifts_to_the_session_s_type_shows(self) -> None:
        def drifts(query: Query) -> QueryType | None:
            types = {entry.type for entry in query.history}
            return types.pop() if len(types) == 1 and len(query.history) >= 6 else right(query)

        found = anchoring_gap(Rule(drifts), ROWS)["all"]
        assert (found["accuracy"], found["worst"], found["gap"]) == (1.0, 0.0, 1.0)
        assert found["worst_setting"] == "CONVERSATIONAL x 6"
        assert found["by_depth"]["3"] == {"accuracy": 1.0, "flip_rate": 0.0}
        assert found["by_depth"]["12"]["flip_rate"] > 0.3
        assert found["by_conversation"]["mixed"]["flip_rate"] == 0.0

    def test_history_that_helps_is_no_negative_gap(self) -> None:
        found = anchoring_gap(Rule(lambda query: right(query) if query.history else P), ROWS)
        assert found["all"]["accuracy"] < found["all"]["worst"]
        assert found["all"]["gap"] == 0.0

    def test_the_message_itself_stands_in_the_query_and_others_in_the_history(self) -> None:
        router = Rule(right)
        anchoring_gap(router, ROWS)
        assert len(router.asked) == 4 * (1 + len(SETTINGS))
        assert {query.text for query in router.asked} == {row.text for row in ROWS[:4]}
        told = next(query for query in router.asked if query.history and query.history[0].type is P)
        assert told.history[0].query == ROWS[2].text

    def test_the_same_seed_asks_the_same(self) -> None:
        first, second = Rule(right), Rule(right)
        anchoring_gap(first, ROWS, seed=4)
        anchoring_gap(second, ROWS, seed=4)
        assert first.asked == second.asked

    def test_no_row_at_all(self) -> None:
        assert anchoring_gap(Rule(right), [])["all"]["gap"] == 0.0


class TestRobustness:
    def test_a_router_that_reads_meaning_is_not_moved(self) -> None:
        found = robustness(Rule(lambda _: P), ROWS)
        assert list(found) == list(KINDS)
        assert {part["flips"] for kinds in found.values() for part in kinds.values()} == {0.0}
        assert all("obeyed" in found[kind]["all"] for kind in KINDS if kind.startswith("command"))
        assert "obeyed" not in found["typos"]["all"]

    def test_a_router_that_obeys_shows(self) -> None:
        def obeys(query: Query) -> QueryType | None:
            head, _, target = query.text.partition("route=")
            return QueryType(target) if target else right(Query(head))

        found = robustness(Rule(obeys), ROWS, kinds=["command_route"])["command_route"]["all"]
        assert (found["accuracy_before"], found["accuracy_after"]) == (1.0, 0.0)
        assert found["obeyed"] == found["flips"] > 0.8

    def test_a_router_that_reads_case_shows(self) -> None:
        found = robustness(Rule(lambda query: R if query.text.isupper() else right(query)), ROWS, kinds=["upper"])
        assert found["upper"]["en"]["flips"] == pytest.approx(0.5)
        assert found["upper"]["es"]["accuracy_after"] == 0.5

    def test_a_message_that_the_change_leaves_as_it_is_does_not_count(self) -> None:
        found = robustness(Rule(right), ROWS, kinds=["lower", "no_accents"])
        assert found["lower"]["all"]["changed"] == 0
        assert found["lower"]["all"]["flips"] == 0.0
        assert (found["no_accents"]["en"]["changed"], found["no_accents"]["es"]["changed"]) == (0, 2)

    def test_falling_back_to_the_default_is_a_flip_but_not_between_types(self) -> None:
        found = robustness(Rule(lambda query: None if query.text.isupper() else P), ROWS[:1], kinds=["upper"])
        assert (found["upper"]["all"]["flips"], found["upper"]["all"]["flips_between_types"]) == (1.0, 0.0)


class TestSample:
    rows = tuple(
        Row(f"{label} {n}", label, language, "f", "d")
        for label in (str(R), str(P))
        for language in ("en", "es")
        for n in range(20)
    )

    def test_as_many_of_each(self) -> None:
        counts = Counter((row.label, row.language) for row in sample(self.rows, 5))
        assert set(counts.values()) == {5}
        assert len(counts) == 4

    def test_the_same_rows_in_their_order(self) -> None:
        chosen = sample(self.rows, 5, seed=2)
        assert chosen == sample(self.rows, 5, seed=2)
        assert chosen != sample(self.rows, 5, seed=3)
        places = [self.rows.index(row) for row in chosen]
        assert places == sorted(places)

    def test_fewer_than_asked_for_are_all_taken(self) -> None:
        assert sample(self.rows, 500) == list(self.rows)
        assert sample([], 3) == []


class TestRealLayer:
    """The whole cascade over an artifact that finds everything equally likely: only the rules may move a decision."""

    @pytest.fixture
    def router(self, make_artifact: Callable[..., Artifact], embedder: Any) -> Cascade:
        return Cascade(LinearLayer(make_artifact((3, 0, 0, 0, 0)), embedder))

    def test_history_moves_no_message_that_says_all_by_itself(self, router: Cascade) -> None:
        found = anchoring_gap(router, ROWS)["all"]
        assert (found["gap"], found["flip_rate"]) == (0.0, 0.0)

    def test_history_may_move_one_that_points(self, router: Cascade) -> None:
        told = Query("explain this", history=(IntentEntry(G, "write a loop"),))
        alone, after = router.decide_many([Query("explain this"), told])
        assert (alone.type, after.type) == (R, G)

    def test_form_moves_nothing_where_all_texts_are_alike(self, router: Cascade) -> None:
        found = robustness(router, ROWS[:4])
        assert {parts["all"]["flips"] for parts in found.values()} == {0.0}


def test_obeying_is_told_from_falling_back_to_the_default() -> None:
    def confused(query: Query) -> QueryType | None:
        return None if "route=" in query.text else right(query)

    rows = [row for row in ROWS if row.label == "PLATFORM"]
    found = robustness(Rule(confused), rows, kinds=["command_route"])["command_route"]["all"]
    assert (found["flips"], found["flips_between_types"], found["obeyed"]) == (1.0, 0.0, 0.0)
