"""Layer 2: a trained linear model over n-grams and the embedding, calibrated, with a class for "none of these"."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from classifier.decision import Layer, Opinion, Query, QueryType
from classifier.embedder import Embedder
from classifier.linear.artifact import Artifact
from classifier.linear.card import LANGUAGES, OUTPUTS, REJECT, Card
from classifier.linear.language import is_chinese
from classifier.linear.memory import Recalled
from classifier.linear.metrics import given_in_scope, leads
from classifier.linear.scoring import Floats, Scorer
from classifier.reasons import Reason
from classifier.references.resolve import resolve

#: Queries that are scored at once; more wait for the next batch, so that none waits for a long one.
MOST_AT_ONCE = 64
#: The probability of "neither English nor Spanish" from which layer 2 stays silent, unless the text is Chinese: the
#: encoder has the pieces of these three languages.
OTHER_LANGUAGE = 0.9

#: The share of right types among paraphrases that got one from an alike message that is vouched for.
VOUCHED = 0.98

_REJECT = OUTPUTS.index(REJECT)


class LinearLayer:
    """Decides by a trained artifact, or abstains with a reason.

    `decide` never computes on the event loop: queries are handed to one worker thread. The first goes at once; those
    that arrive while the thread is busy go together as the next batch, so a crowd shares its embedding calls and a
    single caller waits for nobody.

    Args:
        artifact: The model.
        embedder: The one its card names.
        threshold: Layer 2 abstains below it; None takes the card's own threshold for each type.

    Raises:
        ValueError: The artifact was trained for another embedder, or the threshold is no share.
    """

    layer = Layer.EMBEDDING

    def __init__(self, artifact: Artifact, embedder: Embedder, threshold: float | None = None) -> None:
        if threshold is not None and not 0.0 <= threshold <= 1.0:
            raise ValueError("the threshold is not between 0 and 1")
        self._scorer = Scorer(artifact, embedder)
        self._embedder = embedder
        self._threshold = threshold
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="classifier-linear")
        self._waiting: list[tuple[Query, asyncio.Future[Opinion]]] = []
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def artifact(self) -> Artifact:
        """The model in use."""
        return self._scorer.artifact

    def swap(self, artifact: Artifact) -> None:
        """Uses another artifact from the next batch on; the one in hand is finished with the old one.

        Raises:
            ValueError: It was trained for another embedder; the old one stays.
        """
        self._scorer = Scorer(artifact, self._embedder)

    async def decide(self, query: Query) -> Opinion:
        """The layer's opinion, with the best type also when it abstains.

        Raises:
            RuntimeError: The layer is closed.
        """
        if self._closed:
            raise RuntimeError("the layer is closed")
        start = time.perf_counter()
        future: asyncio.Future[Opinion] = asyncio.get_running_loop().create_future()
        self._waiting.append((query, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain())
        opinion = await future
        return _timed(opinion, (time.perf_counter() - start) * 1000)

    def decide_many(self, queries: Sequence[Query]) -> list[Opinion]:
        """The opinions of `queries`, in order. Blocks; for batches and worker threads."""
        start = time.perf_counter()
        scorer = self._scorer
        texts = [query.text for query in queries]
        probabilities, reading = scorer.probabilities(texts)
        recalled = self._recall(reading.plain, scorer.artifact)
        opinions = [
            resolve(query, _remembered(self._opinion(query, row, language, scorer.artifact), told))
            for query, row, language, told in zip(queries, probabilities, reading.languages, recalled, strict=True)
        ]
        each = (time.perf_counter() - start) * 1000 / max(1, len(queries))
        return [_timed(opinion, each) for opinion in opinions]

    async def close(self) -> None:
        """Lets the batch in hand end, cancels what waits, and gives the thread back. Idempotent."""
        self._closed = True
        for _, future in self._waiting:
            future.cancel()
        self._waiting.clear()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        self._worker.shutdown(wait=True)

    async def _drain(self) -> None:
        """Scores what waits, batch after batch, until nothing does."""
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            batch = [(query, future) for query, future in batch if not future.done()]  # the caller may have gone
            if not batch:
                continue
            try:
                opinions = await loop.run_in_executor(self._worker, self.decide_many, [query for query, _ in batch])
            except Exception as error:  # noqa: BLE001  # an embedder's failure belongs to those who wait for it
                _fail([future for _, future in batch], error)
                continue
            for (_, future), opinion in zip(batch, opinions, strict=True):
                if not future.done():
                    future.set_result(opinion)

    def _recall(self, plain: Sequence[str], artifact: Artifact) -> list[Recalled | None]:
        """What is remembered of messages like these, in order; the embedder is asked only where anything is."""
        memory = artifact.weights.memory
        if not len(memory):
            return [None] * len(plain)
        return memory.recall(self._embedder.embed_queries(plain), self._embedder.unrelated)

    def _opinion(self, query: Query, row: Floats, language: Floats, artifact: Artifact) -> Opinion:
        """What one row of probabilities says."""
        types = given_in_scope(row[None])[0]
        first, second = (int(place) for place in np.argsort(-types, kind="stable")[:2])
        best = QueryType(OUTPUTS[first])
        reason = self._reason(query.text, best, row, language, artifact.card)
        return Opinion(
            layer=Layer.EMBEDDING,
            type=best if reason is Reason.CONFIDENT else None,
            confidence=float(types[first]),
            reason=reason,
            runner_up=QueryType(OUTPUTS[second]),
            runner_up_confidence=float(types[second]),
            best=best,
            artifact_id=artifact.id,
        )

    def _reason(self, text: str, best: QueryType, row: Floats, language: Floats, card: Card) -> Reason:
        """Why the best type is taken, or not."""
        threshold = card.thresholds[best] if self._threshold is None else self._threshold
        if not any(character.isalpha() for character in text):
            return Reason.NO_WORDS
        if language[LANGUAGES.index("other")] >= OTHER_LANGUAGE and not is_chinese(text):
            return Reason.OTHER_LANGUAGE
        if row[_REJECT] >= card.reject_threshold:
            return Reason.OUT_OF_SCOPE
        if given_in_scope(row[None])[0].max() < threshold:
            return Reason.LOW_CONFIDENCE
        return Reason.CLOSE_CALL if leads(row[None])[0] < card.margin else Reason.CONFIDENT


def _remembered(opinion: Opinion, recalled: Recalled | None) -> Opinion:
    """`opinion`, or what people have said of a like message.

    Against a sure opinion more than one person has to say so, of a message that says nearly the same.
    """
    if recalled is None or opinion.type is recalled.type:
        return opinion
    if opinion.type is not None and not (recalled.vouched and recalled.alike):
        return opinion
    same, sure = opinion.best is recalled.type, max(recalled.likeness, VOUCHED * (recalled.vouched and recalled.alike))
    return dataclasses.replace(
        opinion,
        type=recalled.type,
        best=recalled.type,
        confidence=sure,
        reason=Reason.REMEMBERED,
        runner_up=opinion.runner_up if same else opinion.best,
        runner_up_confidence=min(opinion.runner_up_confidence if same else opinion.confidence, 1.0 - sure),
    )


def _fail(futures: Sequence[asyncio.Future[Opinion]], error: Exception) -> None:
    """Gives `error` to everyone who still waits."""
    for future in futures:
        if not future.done():
            future.set_exception(error)


def _timed(opinion: Opinion, milliseconds: float) -> Opinion:
    """The same opinion with its wall time."""
    return Opinion(
        opinion.layer, opinion.type, opinion.confidence, opinion.reason, opinion.runner_up,
        opinion.runner_up_confidence, opinion.editor, milliseconds, opinion.best, opinion.artifact_id,
    )  # fmt: skip
