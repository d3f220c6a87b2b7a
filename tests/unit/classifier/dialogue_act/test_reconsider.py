from __future__ import annotations

from collections.abc import Sequence

import pytest

from classifier.cascade import Cascade
from classifier.decision import Decision, IntentEntry, Layer, Opinion, Query, QueryType
from classifier.dialogue_act.acts import CONTINUATIONS, ActReading, DialogueAct
from classifier.dialogue_act.reconsider import LONGEST, has_act, reconsider

R, C, T, P = QueryType.RETRIEVAL, QueryType.CODE_GENERATION, QueryType.CONVERSATIONAL, QueryType.PLATFORM
DOCUMENTS = (IntentEntry(R, "What is it?"), IntentEntry(T, "thank you"))


def decided(type_: QueryType, layer: Layer = Layer.EMBEDDING) -> Decision:
    return Decision(type_, layer, 0.0 if layer is Layer.DEFAULT else 0.9, "said")


@pytest.mark.parametrize("act", sorted(CONTINUATIONS))
@pytest.mark.parametrize("type_", [R, C])
def test_what_goes_on_takes_the_type_of_what_it_goes_on_from(act: DialogueAct, type_: QueryType) -> None:
    query = Query("and so on", history=(IntentEntry(type_, "x"), IntentEntry(T, "thank you")))
    found = reconsider(query, decided(T), ActReading(act, 0.8))
    assert (found.type, found.layer, found.confidence) == (type_, Layer.EMBEDDING, 0.8)
    assert found.reason == ("correction" if act is DialogueAct.CORRECTION else "reference_for_more")
    assert (found.runner_up, round(found.runner_up_confidence, 6)) == (T, 0.2)


@pytest.mark.parametrize("history", [(), (IntentEntry(P, "my usage?"),), (IntentEntry(T, "hi there"),)])
def test_without_documents_before_it_stays_talk(history: tuple[IntentEntry, ...]) -> None:
    found = reconsider(Query("one more", history=history), decided(T), ActReading(DialogueAct.EXAMPLE, 0.9))
    assert (found.type, found.act.act) == (T, DialogueAct.EXAMPLE)


def test_talk_that_no_layer_was_sure_of_is_talk() -> None:
    found = reconsider(Query("much obliged"), decided(R, Layer.DEFAULT), ActReading(DialogueAct.THANKS, 0.8))
    assert (found.type, found.layer, found.reason) == (T, Layer.EMBEDDING, "dialogue_act")


@pytest.mark.parametrize("act", [act for act in DialogueAct if act not in CONTINUATIONS])
def test_a_sure_type_is_not_changed_by_talk(act: DialogueAct) -> None:
    assert reconsider(Query("x", history=DOCUMENTS), decided(R), ActReading(act, 0.99)).type is R


def test_another_form_that_was_taken_for_a_doubtful_request_is_talk() -> None:
    doubtful = Decision(C, Layer.EMBEDDING, 0.6, "confident")
    form = ActReading(DialogueAct.TABLE, 0.8)
    assert reconsider(Query("x", history=DOCUMENTS), doubtful, form).type is T
    assert reconsider(Query("x"), doubtful, form).type is C
    assert reconsider(Query("x", history=DOCUMENTS), doubtful, ActReading(DialogueAct.TABLE, 0.7)).type is C
    assert reconsider(Query("x", history=DOCUMENTS), doubtful, ActReading(DialogueAct.THANKS, 0.8)).type is C


def test_what_goes_on_from_documents_is_looked_up_though_no_layer_was_sure() -> None:
    found = reconsider(Query("x", history=DOCUMENTS), decided(R, Layer.DEFAULT), ActReading(DialogueAct.MORE, 0.6))
    assert (found.type, found.layer, found.reason) == (R, Layer.EMBEDDING, "reference_for_more")


@pytest.mark.parametrize("layer", [Layer.DECLARED, Layer.PREFIX])
def test_what_was_declared_or_known_stays(layer: Layer) -> None:
    found = reconsider(Query("one more", history=DOCUMENTS), decided(T, layer), ActReading(DialogueAct.MORE, 1.0))
    assert (found.type, found.layer) == (T, layer)


def test_an_act_that_is_not_sure_changes_nothing() -> None:
    found = reconsider(Query("x", history=DOCUMENTS), decided(T), ActReading(DialogueAct.MORE, 0.4))
    assert (found.type, found.act.likeliest) == (T, DialogueAct.MORE)


def test_only_short_talk_or_what_follows_a_turn_has_an_act() -> None:
    assert has_act(Query("x"), decided(T))
    assert has_act(Query("x", history=DOCUMENTS), decided(R))
    assert has_act(Query("x"), decided(R, Layer.DEFAULT))
    assert not has_act(Query("x"), decided(R))
    assert not has_act(Query("x" * (LONGEST + 1)), decided(T))
    assert not has_act(Query("  "), decided(T))


class Says:
    layer = Layer.EMBEDDING

    async def decide(self, query: Query) -> Opinion:
        return self.decide_many([query])[0]

    def decide_many(self, queries: Sequence[Query]) -> list[Opinion]:
        return [Opinion(Layer.EMBEDDING, T if "talk" in query.text else R, 0.9, "said") for query in queries]


class Acts:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def read(self, texts: Sequence[str]) -> list[ActReading]:
        self.asked += texts
        return [ActReading(DialogueAct.MORE, 0.9) for _ in texts]


async def test_the_cascade_reads_acts_where_they_matter_alone_and_in_batches() -> None:
    acts = Acts()
    cascade = Cascade(Says(), acts=acts)
    queries = [Query("a question"), Query("talk", history=DOCUMENTS), Query("talk")]
    one_by_one = [await cascade.decide(query) for query in queries]
    assert acts.asked == ["talk", "talk"]
    assert [decision.type for decision in one_by_one] == [R, R, T]
    together = cascade.decide_many(queries)
    assert [(d.type, d.act) for d in together] == [(d.type, d.act) for d in one_by_one]
