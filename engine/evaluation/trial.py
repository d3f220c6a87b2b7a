"""A collection's questions through the retriever, in every form and by every half, as figures."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from classifier.decision import Layer, QueryType
from engine.conversation.followup.dependence import Dependence, dependence_of
from engine.conversation.followup.query_rewriting.rules import standalone
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Action, Outcome
from engine.evaluation.collection import Asked, Collection
from engine.evaluation.measures import Detection, closed, ndcg, recall
from engine.retrieval.port import Half, Retriever

#: How far down a ranking is looked.
DEPTH = 10


def conversation_of(asked: Asked) -> Conversation:
    """The turns before a question as the engine would have stored them."""
    turns = tuple(
        TurnRecord(
            f"{asked.id}-{place}", "trial", asked.id, question, answer, QueryType.RETRIEVAL, Layer.DECLARED,
            Outcome.COMPLETE, float(place), sequence=place, action=Action.FRESH, search_query=question,
        )
        for place, (question, answer) in enumerate(asked.earlier, start=1)
    )  # fmt: skip
    return Conversation(turns, len(turns))


def forms_of(asked: Asked, dependence: Dependence) -> dict[str, str]:
    """The query of each form that the question has."""
    forms = {
        "last_turn": asked.query,
        "gold": asked.gold,
        "rewrite": standalone(asked.query, conversation_of(asked), dependence).query,
        "joined": asked.joined,
    }
    return {form: query for form, query in forms.items() if query}


async def run_trial(
    collection: Collection,
    source: Retriever,
    progress: Callable[[int], None] = lambda _: None,
    needs: Callable[[str, Conversation], Dependence] = dependence_of,
) -> dict[str, Any]:
    """Asks every question in every form of every half.

    Args:
        collection: With at least one question.
        source: Over its corpus.
        progress: Told how many questions are done.
        needs: Says how much a question needs the turns before it.

    Returns:
        `questions`, `passages`, `ndcg` and `recall` by form and half, `gap_closed` by half, `fusion_gain` by form, and
        `needs_rewrite`; the last two of the forms are left out where the collection does not have them.
    """
    ndcgs: dict[str, dict[str, list[float]]] = {}
    recalls: dict[str, dict[str, list[float]]] = {}
    needed = [needs(asked.query, conversation_of(asked)) for asked in collection.asked]
    for done, (asked, dependence) in enumerate(zip(collection.asked, needed, strict=True), start=1):
        for form, query in forms_of(asked, dependence).items():
            for half in Half:
                found = await source.search(query, k=DEPTH, half=half)
                ranking = [passage.id for passage in found]
                of_form = ndcgs.setdefault(form, {}), recalls.setdefault(form, {})
                of_form[0].setdefault(half.value, []).append(ndcg(ranking, asked.relevant, DEPTH))
                of_form[1].setdefault(half.value, []).append(recall(ranking, asked.relevant, DEPTH))
        progress(done)
    means = _means(ndcgs)
    return {
        "questions": len(collection.asked),
        "passages": await source.count(),
        "ndcg": means,
        "recall": _means(recalls),
        "gap_closed": gap_closed(means),
        "fusion_gain": fusion_gain(means),
        "needs_rewrite": detection(collection.asked, needed),
    }


def _means(values: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, dict[str, float]]:
    return {form: {half: statistics.fmean(row) for half, row in halves.items()} for form, halves in values.items()}


def gap_closed(means: Mapping[str, Mapping[str, float]]) -> dict[str, float | None]:
    """By half: the share of the way from the last turn to a person's form that the engine's form goes."""
    if "gold" not in means:
        return {}
    low, reached, high = (means[form] for form in ("last_turn", "rewrite", "gold"))
    return {half: closed(low[half], reached[half], high[half]) for half in low}


def fusion_gain(means: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """By form: how far both halves together are above the better of the two; below 0 where they lose to it."""
    both, text, dense = Half.BOTH.value, Half.TEXT.value, Half.DENSE.value
    return {form: halves[both] - max(halves[text], halves[dense]) for form, halves in means.items()}


def detection(asked: Sequence[Asked], needs: Sequence[Dependence]) -> dict[str, float]:
    """Whether the engine sees that a question needs a rewrite, where a person's form says whether it does."""
    said = [(need is not Dependence.STANDALONE, one.lacks_words) for one, need in zip(asked, needs, strict=True)]
    pairs = [(need, lacks) for need, lacks in said if lacks is not None]
    if not pairs:
        return {}
    found = Detection.of((said, bool(true)) for said, true in pairs)
    return {**asdict(found), "precision": found.precision, "recall": found.recall, "f1": found.f1}
