import asyncio
import itertools
from collections.abc import Sequence

import pytest

from classifier.cascade import BatchLayer, Cascade, judge
from classifier.decision import DEFAULT_TYPE, IntentEntry, Layer, Opinion, Query, QueryType
from classifier.prefix import PrefixLayer
from classifier.reasons import Reason

R, G, C, P = QueryType


class Fixed:
    """A layer with one opinion, which remembers what it was asked."""

    def __init__(
        self,
        layer: Layer,
        kind: QueryType | None,
        reason: str = "fixed",
        *,
        best: QueryType | None = None,
        editor: bool = False,
    ) -> None:
        self.layer = layer
        self.opinion = Opinion(
            layer, kind, 0.8, reason, runner_up=R, runner_up_confidence=0.1, best=kind or best, editor=editor,
            milliseconds=1.5, artifact_id="linear-1" if layer is Layer.EMBEDDING else "",
        )  # fmt: skip
        self.asked: list[Query] = []

    async def decide(self, query: Query) -> Opinion:
        self.asked.append(query)
        return self.opinion


class FixedBatch(Fixed):
    """The same for batches."""

    def decide_many(self, queries: Sequence[Query]) -> list[Opinion]:
        self.asked.extend(queries)
        return [self.opinion for _ in queries]


class Broken(FixedBatch):
    """A layer that fails."""

    async def decide(self, query: Query) -> Opinion:
        raise RuntimeError(query.text)

    def decide_many(self, queries: Sequence[Query]) -> list[Opinion]:
        raise RuntimeError(str(len(queries)))


def silent(layer: Layer, reason: str, best: QueryType | None = None) -> FixedBatch:
    return FixedBatch(layer, None, reason, best=best)


class TestOrder:
    async def test_the_first_that_does_not_abstain_decides(self) -> None:
        layers = silent(Layer.PREFIX, "no_prefix"), Fixed(Layer.EMBEDDING, P), Fixed(Layer.LLM, C)
        decision = await Cascade(*layers).decide(Query("x"))
        assert (decision.type, decision.layer, decision.confidence, decision.reason) == (
            P,
            Layer.EMBEDDING,
            0.8,
            "fixed",
        )
        assert (decision.runner_up, decision.runner_up_confidence) == (R, 0.1)
        assert decision.artifact_id == "linear-1"
        assert layers[2].asked == []

    @pytest.mark.parametrize("pattern", list(itertools.product([None, G, C], repeat=3)))
    async def test_every_pattern(self, pattern: tuple[QueryType | None, ...]) -> None:
        names = (Layer.PREFIX, Layer.EMBEDDING, Layer.LLM)
        layers = [Fixed(name, kind) for name, kind in zip(names, pattern, strict=True)]
        decision = await Cascade(*layers).decide(Query("x"))
        first = next((place for place, kind in enumerate(pattern) if kind), None)
        if first is None:
            assert (decision.type, decision.layer) == (DEFAULT_TYPE, Layer.DEFAULT)
        else:
            assert (decision.type, decision.layer) == (pattern[first], names[first])
        assert len(decision.opinions) == (3 if first is None else first + 1)

    async def test_the_receipt(self) -> None:
        layers = silent(Layer.PREFIX, "no_prefix"), silent(Layer.EMBEDDING, "low_confidence", P), Fixed(Layer.LLM, C)
        decision = await Cascade(*layers).decide(Query("x"))
        assert [opinion.layer for opinion in decision.opinions] == [Layer.PREFIX, Layer.EMBEDDING, Layer.LLM]
        assert decision.milliseconds == {"prefix": 1.5, "embedding": 1.5, "llm": 1.5}
        assert decision.artifact_id == "linear-1"

    async def test_every_layer_is_asked_and_changes_nothing(self) -> None:
        layers = Fixed(Layer.PREFIX, P), Fixed(Layer.EMBEDDING, C), Fixed(Layer.LLM, G)
        short = await Cascade(*layers).decide(Query("x"))
        full = await Cascade(*layers).decide(Query("x"), every_layer=True)
        assert (short.type, short.layer, len(short.opinions)) == (full.type, full.layer, 1) == (P, Layer.PREFIX, 1)
        assert [opinion.type for opinion in full.opinions] == [P, C, G]
        assert full.artifact_id == "linear-1"


class TestDeclared:
    @pytest.mark.parametrize("kind", list(QueryType))
    async def test_it_ends_the_matter(self, kind: QueryType) -> None:
        layer = Fixed(Layer.EMBEDDING, P)
        decision = await Cascade(layer).decide(Query("x", declared=kind))
        assert (decision.type, decision.layer, decision.confidence) == (kind, Layer.DECLARED, 1.0)
        assert decision.reason == Reason.DECLARED
        assert (decision.runner_up, decision.opinions, layer.asked) == (None, (), [])

    async def test_opinions_on_request(self) -> None:
        decision = await Cascade(Fixed(Layer.EMBEDDING, P)).decide(Query("x", declared=C), every_layer=True)
        assert (decision.type, decision.layer) == (C, Layer.DECLARED)
        assert [opinion.type for opinion in decision.opinions] == [P]

    @pytest.mark.parametrize(
        ("query", "editor"),
        [
            (Query("explain this", declared=G, has_selection=True), True),
            (Query("explain this", declared=G, history=(IntentEntry(G, "x"),)), True),
            (Query("explain this", declared=G), False),
            (Query("explain this", declared=C, has_selection=True), False),
            (Query("write a function that adds", declared=G, has_editor=True), False),
        ],
    )
    async def test_the_editor_flag(self, query: Query, editor: bool) -> None:
        assert (await Cascade().decide(query)).editor is editor


class TestDefault:
    @pytest.mark.parametrize("reason", ["low_confidence", "close_call", "out_of_scope", "timeout", "malformed"])
    async def test_it_says_why(self, reason: str) -> None:
        decision = await Cascade(silent(Layer.PREFIX, "no_prefix"), silent(Layer.EMBEDDING, reason)).decide(Query("x"))
        assert (decision.type, decision.layer, decision.confidence) == (R, Layer.DEFAULT, 0.0)
        assert decision.reason == f"default:{reason}"

    async def test_no_layer_at_all(self) -> None:
        decision = await Cascade().decide(Query("x"))
        assert (decision.type, decision.reason, decision.opinions) == (R, "default:no_layer", ())

    async def test_the_runner_up_is_what_an_abstaining_layer_held_for_best(self) -> None:
        decision = await Cascade(silent(Layer.EMBEDDING, "low_confidence", P), silent(Layer.LLM, "timeout")).decide(
            Query("x")
        )
        assert (decision.runner_up, decision.runner_up_confidence) == (P, 0.8)

    async def test_the_default_is_not_its_own_runner_up(self) -> None:
        decision = await Cascade(silent(Layer.EMBEDDING, "low_confidence", R)).decide(Query("x"))
        assert decision.runner_up is None


class TestFailures:
    async def test_a_failing_layer_has_abstained(self) -> None:
        decision = await Cascade(Broken(Layer.EMBEDDING, P), Fixed(Layer.LLM, C)).decide(Query("x"))
        assert (decision.type, decision.layer) == (C, Layer.LLM)
        assert (decision.opinions[0].layer, decision.opinions[0].reason) == (Layer.EMBEDDING, Reason.ERROR)

    async def test_all_failing_is_the_default(self) -> None:
        decision = await Cascade(Broken(Layer.EMBEDDING, P), Broken(Layer.LLM, P)).decide(Query("x"))
        assert (decision.type, decision.reason) == (R, "default:error")

    async def test_cancellation_goes_through(self) -> None:
        class Hanging(Fixed):
            async def decide(self, query: Query) -> Opinion:
                self.asked.append(query)
                await asyncio.Event().wait()
                return self.opinion

        layer = Hanging(Layer.LLM, C)
        task = asyncio.create_task(Cascade(layer).decide(Query("x")))
        while not layer.asked:  # noqa: ASYNC110  # a double keeps a plain list
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    def test_a_failing_batch_has_abstained_from_all(self) -> None:
        found = Cascade(Broken(Layer.PREFIX, P), FixedBatch(Layer.EMBEDDING, C)).decide_many([Query("a"), Query("b")])
        assert [decision.type for decision in found] == [C, C]
        assert [decision.opinions[0].reason for decision in found] == [Reason.ERROR, Reason.ERROR]


class TestEditorFlag:
    async def test_of_the_deciding_layer(self) -> None:
        assert (await Cascade(Fixed(Layer.EMBEDDING, G, editor=True)).decide(Query("x"))).editor

    async def test_also_where_a_model_decides(self) -> None:
        cascade = Cascade(silent(Layer.EMBEDDING, "low_confidence"), Fixed(Layer.LLM, G))
        assert (await cascade.decide(Query("explain this", has_selection=True))).editor
        assert not (await cascade.decide(Query("explain this"))).editor

    async def test_never_for_the_default(self) -> None:
        assert not (await Cascade().decide(Query("explain this", has_selection=True))).editor


class TestMany:
    def test_layers_are_asked_only_what_is_undecided(self) -> None:
        prefix = PrefixLayer(["Provide an insight"])
        second = FixedBatch(Layer.EMBEDDING, C)
        queries = [Query("Provide an insight"), Query("hello"), Query("x", declared=G), Query("bye")]
        found = Cascade(prefix, second).decide_many(queries)
        assert [(one.type, one.layer) for one in found] == [
            (P, Layer.PREFIX),
            (C, Layer.EMBEDDING),
            (G, Layer.DECLARED),
            (C, Layer.EMBEDDING),
        ]
        assert [query.text for query in second.asked] == ["hello", "bye"]

    def test_a_model_is_not_asked(self) -> None:
        model = Fixed(Layer.LLM, C)
        (decision,) = Cascade(silent(Layer.EMBEDDING, "low_confidence"), model).decide_many([Query("x")])
        assert (decision.reason, model.asked) == ("default:low_confidence", [])
        assert not isinstance(model, BatchLayer)

    def test_many_of_none(self) -> None:
        assert Cascade(FixedBatch(Layer.EMBEDDING, C)).decide_many([]) == []

    async def test_it_agrees_with_one_by_one(self) -> None:
        cascade = Cascade(PrefixLayer(["You have a project"]), FixedBatch(Layer.EMBEDDING, G))
        queries = [Query("You have a project"), Query("fix it", has_selection=True), Query("x", declared=C), Query("")]
        many = cascade.decide_many(queries)
        single = [await cascade.decide(query) for query in queries]
        for left, right in zip(many, single, strict=True):
            assert (left.type, left.layer, left.reason, left.editor) == (
                right.type,
                right.layer,
                right.reason,
                right.editor,
            )


def test_judging_is_pure() -> None:
    opinions = [Opinion(Layer.PREFIX, None, 0.0, "no_prefix"), Opinion(Layer.EMBEDDING, C, 0.9, "confident", best=C)]
    assert judge(Query("x"), opinions) == judge(Query("x"), opinions)
    assert judge(Query("x"), opinions).opinions == tuple(opinions)
