"""The cascade: the declared type, else the first layer that does not abstain, else the stated default."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from classifier.decision import DEFAULT_TYPE, Decision, DecisionLayer, Layer, Opinion, Query, QueryType
from classifier.dialogue_act.reconsider import asked_before, is_read, reconsider
from classifier.reasons import Reason, default_reason
from classifier.references.resolve import about_editor
from classifier.relation.relations import ConversationReader


@runtime_checkable
class BatchLayer(Protocol):
    """A layer that can also decide many queries at once, in the calling thread."""

    layer: Layer

    def decide_many(self, queries: Sequence[Query]) -> list[Opinion]:
        """The opinions of `queries`, in order. May block."""
        ...


class Cascade:
    """Asks its layers in turn.

    Args:
        layers: In the order they are asked; none is fine, then everything undeclared takes the default.
        reader: Reads what a message does, and is, in its conversation; None: that is not read.
    """

    def __init__(self, *layers: DecisionLayer, reader: ConversationReader | None = None) -> None:
        self.layers = layers
        self.reader = reader

    async def decide(self, query: Query, every_layer: bool = False) -> Decision:
        """The type of one query, with its receipt. Raises nothing for what a text or a layer does.

        Args:
            query: What is to be routed.
            every_layer: Layers after the deciding one are asked too, for the receipt; they change nothing.
        """
        opinions: list[Opinion] = []
        decided = query.declared is not None
        for layer in self.layers:
            if decided and not every_layer:
                break
            opinion = await _ask(layer, query)
            opinions.append(opinion)
            decided = decided or opinion.type is not None
        decision = judge(query, opinions)
        if self.reader is None or not is_read(query, decision):
            return decision
        readings = await asyncio.to_thread(self.reader.read, [query.text], [asked_before(query)])
        return reconsider(query, decision, readings[0])

    def decide_many(self, queries: Sequence[Query]) -> list[Decision]:
        """The decisions of `queries`, in order, by the layers that decide in batches; a model is not asked.

        Blocks; for the command line and for evaluation. A layer that fails has abstained, for all it was asked.
        """
        opinions: list[list[Opinion]] = [[] for _ in queries]
        undecided = [place for place, query in enumerate(queries) if query.declared is None]
        for layer in self.layers:
            if not isinstance(layer, BatchLayer) or not undecided:
                continue
            for place, opinion in zip(undecided, _ask_many(layer, [queries[at] for at in undecided]), strict=True):
                opinions[place].append(opinion)
            undecided = [place for place in undecided if opinions[place][-1].type is None]
        decisions = [judge(query, given) for query, given in zip(queries, opinions, strict=True)]
        if self.reader is None:
            return decisions
        read = [place for place, query in enumerate(queries) if is_read(query, decisions[place])]
        texts, earlier = [queries[place].text for place in read], [asked_before(queries[place]) for place in read]
        for place, reading in zip(read, self.reader.read(texts, earlier), strict=True):
            decisions[place] = reconsider(queries[place], decisions[place], reading)
        return decisions


def judge(query: Query, opinions: Sequence[Opinion]) -> Decision:
    """The decision that follows from what was declared and what the layers said."""
    taken = next((opinion for opinion in opinions if opinion.type is not None), None)
    if query.declared is not None:
        kind, layer, confidence, reason, taken = query.declared, Layer.DECLARED, 1.0, str(Reason.DECLARED), None
    elif taken is not None and taken.type is not None:
        kind, layer, confidence, reason = taken.type, taken.layer, taken.confidence, str(taken.reason)
    else:
        last = opinions[-1].reason if opinions else Reason.NO_LAYER
        kind, layer, confidence, reason = DEFAULT_TYPE, Layer.DEFAULT, 0.0, default_reason(last)
    runner_up, chance = _runner_up(kind, layer, taken, opinions)
    return Decision(
        type=kind,
        layer=layer,
        confidence=confidence,
        reason=reason,
        runner_up=runner_up,
        runner_up_confidence=chance,
        editor=(taken is not None and taken.editor) or about_editor(query, kind),
        artifact_id=next((opinion.artifact_id for opinion in opinions if opinion.artifact_id), ""),
        milliseconds={opinion.layer.lower(): opinion.milliseconds for opinion in opinions},
        opinions=tuple(opinions),
    )


def _runner_up(
    kind: QueryType, layer: Layer, taken: Opinion | None, opinions: Sequence[Opinion]
) -> tuple[QueryType | None, float]:
    """The second best type: the deciding layer's, or for the default what an abstaining layer held for best."""
    if taken is not None:
        return taken.runner_up, taken.runner_up_confidence
    if layer is Layer.DECLARED:
        return None, 0.0
    held = [opinion for opinion in opinions if opinion.best is not None and opinion.best is not kind]
    return (held[-1].best, held[-1].confidence) if held else (None, 0.0)


async def _ask(layer: DecisionLayer, query: Query) -> Opinion:
    """One layer's opinion; a failure is an abstention with the reason `error`, which the caller logs."""
    start = time.perf_counter()
    try:
        return await layer.decide(query)
    except Exception:  # noqa: BLE001  # the boundary: whatever a layer does, the query gets routed
        spent = (time.perf_counter() - start) * 1000
        return Opinion(layer.layer, None, 0.0, Reason.ERROR, milliseconds=spent)


def _ask_many(layer: BatchLayer, queries: list[Query]) -> list[Opinion]:
    """The opinions of one layer on many queries; a failure is an abstention from all of them."""
    try:
        return layer.decide_many(queries)
    except Exception:  # noqa: BLE001  # as above
        return [Opinion(layer.layer, None, 0.0, Reason.ERROR) for _ in queries]
