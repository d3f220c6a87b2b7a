import asyncio
import dataclasses
import threading
from collections.abc import AsyncIterator, Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.decision import IntentEntry, Layer, Query, QueryType
from classifier.linear.artifact import Artifact
from classifier.linear.card import OUTPUTS
from classifier.linear.layer import MOST_AT_ONCE, VOUCHED, LinearLayer
from classifier.linear.memory import ALIKE, SPEAKS_FOR, Memory
from classifier.reasons import Reason
from tests.unit.classifier.conftest import CountingEmbedder

MakeArtifact = Callable[..., Artifact]
MakeLayer = Callable[..., LinearLayer]
#: Too long and too plain for any rule of reference.
TEXT = "one message that stands entirely on its own feet"
#: Nearly the same, and one that it speaks for without saying nearly the same.
NEARLY = f"{TEXT} today"
LESS_ALIKE = "another message that stands in line on its second foot"


class GatedEmbedder(CountingEmbedder):
    """Waits until it is told to go on, so that a test decides what is busy when."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.entered = threading.Event()
        self.threads: set[str] = set()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.threads.add(threading.current_thread().name)
        self.entered.set()
        assert self.gate.wait(10)
        return super().embed(texts)


class FailingEmbedder(CountingEmbedder):
    """Fails as often as it is told to."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.times:
            self.times -= 1
            raise RuntimeError("the model is gone")
        return super().embed(texts)


@pytest.fixture
async def make_layer(make_artifact: MakeArtifact) -> AsyncIterator[MakeLayer]:
    layers = []

    def make(
        bias: Sequence[float] = (0, 0, 0, 5, 0),
        embedder: CountingEmbedder | None = None,
        threshold: float | None = None,
        **card: object,
    ) -> LinearLayer:
        layer = LinearLayer(make_artifact(bias, **card), embedder or CountingEmbedder(), threshold)
        layers.append(layer)
        return layer

    yield make
    for layer in layers:
        await layer.close()


class TestMemory:
    """An artifact that remembers TEXT, and one that is sure, or not, of what its heads make of it."""

    @pytest.fixture
    def told(self, make_artifact: MakeArtifact, embedder: CountingEmbedder) -> Callable[..., LinearLayer]:
        def make(bias: Sequence[float], *, vouched: bool) -> LinearLayer:
            memory = Memory.of(embedder.embed([TEXT]), ["CODE_GENERATION"], np.asarray([vouched]))
            made = make_artifact(bias)
            return LinearLayer(
                dataclasses.replace(made, weights=dataclasses.replace(made.weights, memory=memory)), CountingEmbedder()
            )

        return make

    @pytest.mark.parametrize(
        ("bias", "vouched", "asked", "type_", "reason"),
        [
            ((0, 0, 0, 5, 0), True, NEARLY, QueryType.CODE_GENERATION, Reason.REMEMBERED),
            ((0, 0, 0, 5, 0), True, LESS_ALIKE, QueryType.PLATFORM, Reason.CONFIDENT),
            ((0, 0, 0, 5, 0), False, NEARLY, QueryType.PLATFORM, Reason.CONFIDENT),
            ((0, 0, 0, 1, 0), False, NEARLY, QueryType.CODE_GENERATION, Reason.REMEMBERED),
            ((0, 0, 0, 1, 0), True, LESS_ALIKE, QueryType.CODE_GENERATION, Reason.REMEMBERED),
            ((0, 5, 0, 0, 0), True, NEARLY, QueryType.CODE_GENERATION, Reason.CONFIDENT),
        ],
    )
    def test_one_alone_or_a_less_alike_message_is_believed_where_the_heads_are_not_sure(
        self,
        told: Callable[..., LinearLayer],
        bias: Sequence[float],
        vouched: bool,
        asked: str,
        type_: QueryType,
        reason: Reason,
    ) -> None:
        near, far = CountingEmbedder().embed([asked, TEXT])
        cosine = float(near @ far)
        assert cosine > SPEAKS_FOR
        assert (cosine < ALIKE) is (asked == LESS_ALIKE)
        (opinion,) = told(bias, vouched=vouched).decide_many([Query(f"Hello, {asked}")])
        assert (opinion.type, opinion.best, opinion.reason) == (type_, type_, reason)
        if reason is Reason.REMEMBERED:
            assert opinion.runner_up is QueryType.PLATFORM
            assert SPEAKS_FOR < opinion.confidence < 1
            assert (vouched and asked != LESS_ALIKE) is (opinion.confidence >= VOUCHED)
            assert opinion.runner_up_confidence <= 1 - opinion.confidence

    def test_another_message_is_decided_by_the_heads(self, told: Callable[..., LinearLayer]) -> None:
        other = "how dry must barley be before the vault will take it"
        (opinion,) = told((0, 0, 0, 5, 0), vouched=True).decide_many([Query(other)])
        assert (opinion.type, opinion.reason) == (QueryType.PLATFORM, Reason.CONFIDENT)


class TestOpinions:
    async def test_confident(self, make_layer: MakeLayer) -> None:
        layer = make_layer((0, 1, 0, 5, 0))
        opinion = await layer.decide(Query(TEXT))
        assert (opinion.type, opinion.best, opinion.reason) == (
            QueryType.PLATFORM,
            QueryType.PLATFORM,
            Reason.CONFIDENT,
        )
        assert opinion.layer is Layer.EMBEDDING
        assert 0.9 < opinion.confidence < 1
        assert opinion.runner_up is QueryType.CODE_GENERATION
        assert 0 < opinion.runner_up_confidence < 0.1
        assert opinion.artifact_id == layer.artifact.id
        assert opinion.milliseconds > 0
        assert not opinion.editor

    @pytest.mark.parametrize("place", range(4))
    async def test_every_type_may_be_the_best(self, make_layer: MakeLayer, place: int) -> None:
        bias = [0.0] * 5
        bias[place] = 5.0
        assert (await make_layer(bias).decide(Query(TEXT))).type == OUTPUTS[place]

    async def test_low_confidence_keeps_the_best(self, make_layer: MakeLayer) -> None:
        opinion = await make_layer((0, 0.5, 0, 1, 0)).decide(Query(TEXT))
        assert (opinion.type, opinion.best, opinion.reason) == (None, QueryType.PLATFORM, Reason.LOW_CONFIDENCE)
        assert 0.25 < opinion.confidence < 0.6

    async def test_close_call(self, make_layer: MakeLayer) -> None:
        layer = make_layer((0, 2.9, 0, 3, 0), margin=0.2, thresholds=dict.fromkeys(OUTPUTS[:-1], 0.3))
        opinion = await layer.decide(Query(TEXT))
        assert (opinion.type, opinion.best, opinion.reason) == (None, QueryType.PLATFORM, Reason.CLOSE_CALL)

    async def test_the_reject_class_may_be_too_close(self, make_layer: MakeLayer) -> None:
        opinion = await make_layer((0, 0, 0, 5, 5.2)).decide(Query(TEXT))
        assert (opinion.type, opinion.best, opinion.reason) == (None, QueryType.PLATFORM, Reason.CLOSE_CALL)
        assert opinion.confidence > 0.9  # given that it is in scope at all

    async def test_out_of_scope(self, make_layer: MakeLayer) -> None:
        opinion = await make_layer((0, 0, 0, 2, 6)).decide(Query(TEXT))
        assert (opinion.type, opinion.best, opinion.reason) == (None, QueryType.PLATFORM, Reason.OUT_OF_SCOPE)

    async def test_the_threshold_is_each_type_s_own(self, make_layer: MakeLayer) -> None:
        thresholds = dict.fromkeys(OUTPUTS[:-1], 0.5) | {"PLATFORM": 0.999}
        assert (await make_layer((0, 0, 0, 5, 0), thresholds=thresholds).decide(Query(TEXT))).type is None
        assert (
            await make_layer((5, 0, 0, 0, 0), thresholds=thresholds).decide(Query(TEXT))
        ).type is QueryType.RETRIEVAL

    async def test_a_configured_threshold_stands_above_the_card(self, make_layer: MakeLayer) -> None:
        assert (await make_layer(threshold=0.999).decide(Query(TEXT))).reason == Reason.LOW_CONFIDENCE
        low = make_layer((0, 0.5, 0, 1, 0), threshold=0.0, margin=0.0)
        assert (await low.decide(Query(TEXT))).type is QueryType.PLATFORM

    @pytest.mark.parametrize("threshold", [-0.1, 1.1])
    def test_a_threshold_is_a_share(
        self, make_artifact: MakeArtifact, embedder: CountingEmbedder, threshold: float
    ) -> None:
        with pytest.raises(ValueError, match="between 0 and 1"):
            LinearLayer(make_artifact(), embedder, threshold)

    @pytest.mark.parametrize("text", ["", " ", ".", "？？？？", "!!! ...", "🙂"])
    async def test_no_words(self, make_layer: MakeLayer, text: str) -> None:
        assert (await make_layer().decide(Query(text))).reason == Reason.NO_WORDS

    @pytest.mark.parametrize("text", ["거실 불을 켜 줘", "Включи свет на кухне", "電気を消して"])
    async def test_another_language(self, make_layer: MakeLayer, text: str) -> None:
        opinion = await make_layer().decide(Query(text))
        assert (opinion.type, opinion.reason) == (None, Reason.OTHER_LANGUAGE)

    async def test_chinese_is_decided(self, make_layer: MakeLayer) -> None:
        assert (await make_layer().decide(Query("打开客厅的灯"))).reason is not Reason.OTHER_LANGUAGE

    @pytest.mark.parametrize("text", ["\x00", "\ud800 x", "a" * 200_000, "x\u0301" * 500, "<script>", "'; DROP TABLE"])
    async def test_no_text_raises(self, make_layer: MakeLayer, text: str) -> None:
        assert (await make_layer().decide(Query(text))).best is not None

    async def test_evidence_resolves_what_words_cannot(self, make_layer: MakeLayer) -> None:
        opinion = await make_layer().decide(Query("explain this", has_selection=True))
        assert (opinion.type, opinion.reason) == (QueryType.CODE_GENERATION, Reason.REFERENCE_TO_CODE)
        assert opinion.editor
        assert opinion.artifact_id
        assert opinion.milliseconds > 0

    @pytest.mark.parametrize("kind", list(QueryType))
    async def test_history_never_changes_what_stands_alone(self, make_layer: MakeLayer, kind: QueryType) -> None:
        layer = make_layer((0, 1, 0, 5, 0))
        history = (IntentEntry(kind, "an earlier one"),) * 12
        with_history, without = layer.decide_many([Query(TEXT, history=history), Query(TEXT)])
        assert dataclasses.replace(with_history, milliseconds=0) == dataclasses.replace(without, milliseconds=0)


class TestBatches:
    async def test_decide_and_decide_many_agree(self, make_layer: MakeLayer) -> None:
        layer = make_layer()
        queries = [Query(f"{TEXT} {number}") for number in range(5)]
        many = layer.decide_many(queries)
        single = [await layer.decide(query) for query in queries]
        assert [found.confidence for found in many] == pytest.approx([found.confidence for found in single])

    def test_many_of_none(self, make_artifact: MakeArtifact, embedder: CountingEmbedder) -> None:
        assert LinearLayer(make_artifact(), embedder).decide_many([]) == []

    async def test_a_crowd_shares_batches(self, make_layer: MakeLayer) -> None:
        embedder = CountingEmbedder()
        layer = make_layer(embedder=embedder)
        await asyncio.gather(*(layer.decide(Query(f"{TEXT} {number}")) for number in range(32)))
        assert len(embedder.calls) <= 3
        assert sum(len(call) for call in embedder.calls) == 32

    async def test_everybody_gets_the_answer_to_their_own_query(self, make_layer: MakeLayer) -> None:
        layer = make_layer()
        texts = [TEXT, "explain this", ".", "거실 불을 켜 줘"] * 20
        found = await asyncio.gather(*(layer.decide(Query(text, has_selection=True)) for text in texts))
        expected = [
            Reason.CONFIDENT,
            Reason.REFERENCE_TO_CODE,
            Reason.NO_WORDS,
            Reason.OTHER_LANGUAGE,
        ]
        assert [opinion.reason for opinion in found] == expected * 20

    async def test_who_comes_while_it_is_busy_goes_with_the_next_batch(self, make_layer: MakeLayer) -> None:
        embedder = GatedEmbedder()
        layer = make_layer(embedder=embedder)
        first = asyncio.create_task(layer.decide(Query(TEXT)))
        while not embedder.entered.is_set():  # noqa: ASYNC110  # set by the worker thread
            await asyncio.sleep(0)
        rest = [asyncio.create_task(layer.decide(Query(f"{TEXT} {number}"))) for number in range(10)]
        await asyncio.sleep(0)
        embedder.gate.set()
        await asyncio.gather(first, *rest)
        assert [len(call) for call in embedder.calls] == [1, 10]

    async def test_the_event_loop_is_never_blocked(self, make_layer: MakeLayer) -> None:
        embedder = GatedEmbedder()
        layer = make_layer(embedder=embedder)
        task = asyncio.create_task(layer.decide(Query(TEXT)))
        while not embedder.entered.is_set():  # noqa: ASYNC110  # set by the worker thread
            await asyncio.sleep(0)
        turns = 0
        for _ in range(100):  # the loop turns while the worker waits
            await asyncio.sleep(0)
            turns += 1
        assert turns == 100
        assert not task.done()
        embedder.gate.set()
        assert (await task).type is QueryType.PLATFORM
        assert {name.split("_")[0] for name in embedder.threads} == {"classifier-linear"}

    async def test_a_batch_is_never_larger_than_it_may_be(self, make_layer: MakeLayer) -> None:
        layer = make_layer()
        found = await asyncio.gather(*(layer.decide(Query(TEXT)) for _ in range(MOST_AT_ONCE * 2 + 5)))
        assert len(found) == MOST_AT_ONCE * 2 + 5

    async def test_a_caller_who_has_gone_does_not_stop_the_others(self, make_layer: MakeLayer) -> None:
        embedder = GatedEmbedder()
        layer = make_layer(embedder=embedder)
        tasks = [asyncio.create_task(layer.decide(Query(TEXT))) for _ in range(4)]
        while not embedder.entered.is_set():  # noqa: ASYNC110  # set by the worker thread
            await asyncio.sleep(0)
        tasks[0].cancel()
        late = asyncio.create_task(layer.decide(Query(TEXT)))
        await asyncio.sleep(0)
        late.cancel()
        await asyncio.sleep(0)
        embedder.gate.set()
        found = await asyncio.gather(*tasks, late, return_exceptions=True)
        assert [isinstance(one, asyncio.CancelledError) for one in found] == [True, False, False, False, True]
        assert (await layer.decide(Query(TEXT))).type is QueryType.PLATFORM

    async def test_a_failure_reaches_its_batch_and_no_other(self, make_layer: MakeLayer) -> None:
        layer = make_layer(embedder=FailingEmbedder(times=1))
        with pytest.raises(RuntimeError, match="the model is gone"):
            await layer.decide(Query(TEXT))
        assert (await layer.decide(Query(TEXT))).type is QueryType.PLATFORM


class TestLife:
    async def test_close_is_clean_and_twice_is_fine(self, make_layer: MakeLayer) -> None:
        layer = make_layer()
        await layer.decide(Query(TEXT))
        await layer.close()
        await layer.close()
        with pytest.raises(RuntimeError, match="closed"):
            await layer.decide(Query(TEXT))

    async def test_close_lets_the_batch_in_hand_end_and_cancels_the_rest(self, make_layer: MakeLayer) -> None:
        embedder = GatedEmbedder()
        layer = make_layer(embedder=embedder)
        first = asyncio.create_task(layer.decide(Query(TEXT)))
        while not embedder.entered.is_set():  # noqa: ASYNC110  # set by the worker thread
            await asyncio.sleep(0)
        second = asyncio.create_task(layer.decide(Query(TEXT)))
        await asyncio.sleep(0)
        closing = asyncio.create_task(layer.close())
        await asyncio.sleep(0)
        embedder.gate.set()
        await closing
        assert (await first).type is QueryType.PLATFORM
        with pytest.raises(asyncio.CancelledError):
            await second

    async def test_its_thread_ends_with_it(self, make_layer: MakeLayer) -> None:
        layer = make_layer()
        await layer.decide(Query(TEXT))
        assert any(thread.name.startswith("classifier-linear") for thread in threading.enumerate())
        await layer.close()
        assert not any(thread.name.startswith("classifier-linear") for thread in threading.enumerate())

    async def test_another_artifact_takes_over(self, make_artifact: MakeArtifact, make_layer: MakeLayer) -> None:
        layer = make_layer((5, 0, 0, 0, 0))
        before = await layer.decide(Query(TEXT))
        layer.swap(make_artifact((0, 0, 5, 0, 0)))
        after = await layer.decide(Query(TEXT))
        assert (before.type, after.type) == (QueryType.RETRIEVAL, QueryType.CONVERSATIONAL)
        assert before.artifact_id != after.artifact_id == layer.artifact.id

    async def test_an_artifact_for_another_embedder_does_not(
        self, make_artifact: MakeArtifact, make_layer: MakeLayer
    ) -> None:
        layer = make_layer()
        other = make_artifact((5, 0, 0, 0, 0))
        strange = dataclasses.replace(other, card=dataclasses.replace(other.card, embedder="another"))
        before = layer.artifact
        with pytest.raises(ValueError, match="another"):
            layer.swap(strange)
        assert layer.artifact is before
