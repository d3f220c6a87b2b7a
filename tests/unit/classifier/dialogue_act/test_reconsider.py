from __future__ import annotations

from collections.abc import Sequence

import pytest

from classifier.cascade import Cascade
from classifier.decision import Decision, IntentEntry, Layer, Opinion, Query, QueryType
from classifier.dialogue_act.acts import CONTINUATIONS, ActReading, DialogueAct
from classifier.dialogue_act.reconsider import LONGEST_ACT, TALK, asked_before, is_read, reconsider
from classifier.relation.relations import LONGEST, ConversationReading, Relation, RelationReading

R, C, T, P = QueryType.RETRIEVAL, QueryType.CODE_GENERATION, QueryType.CONVERSATIONAL, QueryType.PLATFORM
DOCUMENTS = (IntentEntry(R, "What is it?"), IntentEntry(T, "thank you"))


def decided(type_: QueryType, layer: Layer = Layer.EMBEDDING) -> Decision:
    return Decision(type_, layer, 0.0 if layer is Layer.DEFAULT else 0.9, "said")


def doing(act: ActReading) -> ConversationReading:
    return ConversationReading(act, RelationReading(Relation.FOLLOW_UP, 0.8))


@pytest.mark.parametrize("act", sorted(CONTINUATIONS))
@pytest.mark.parametrize("type_", [R, C])
def test_what_goes_on_takes_the_type_of_what_it_goes_on_from(act: DialogueAct, type_: QueryType) -> None:
    query = Query("and so on", history=(IntentEntry(type_, "x"), IntentEntry(T, "thank you")))
    found = reconsider(query, decided(T), doing(ActReading(act, 0.8)))
    assert (found.type, found.layer, found.confidence) == (type_, Layer.EMBEDDING, 0.8)
    assert found.reason == ("correction" if act is DialogueAct.CORRECTION else "reference_for_more")
    assert (found.runner_up, round(found.runner_up_confidence, 6)) == (T, 0.2)


@pytest.mark.parametrize("history", [(), (IntentEntry(P, "my usage?"),), (IntentEntry(T, "hi there"),)])
def test_without_documents_before_it_stays_talk(history: tuple[IntentEntry, ...]) -> None:
    found = reconsider(Query("one more", history=history), decided(T), doing(ActReading(DialogueAct.EXAMPLE, 0.9)))
    assert (found.type, found.act.act) == (T, DialogueAct.EXAMPLE)


def test_talk_that_no_layer_was_sure_of_is_talk() -> None:
    found = reconsider(Query("much obliged"), decided(R, Layer.DEFAULT), doing(ActReading(DialogueAct.THANKS, 0.8)))
    assert (found.type, found.layer, found.reason) == (T, Layer.EMBEDDING, "dialogue_act")


@pytest.mark.parametrize("act", [act for act in DialogueAct if act not in CONTINUATIONS])
def test_a_sure_type_is_not_changed_by_talk(act: DialogueAct) -> None:
    assert reconsider(Query("x", history=DOCUMENTS), decided(R), doing(ActReading(act, 0.99))).type is R


def test_another_form_that_was_taken_for_a_doubtful_request_is_talk() -> None:
    doubtful = Decision(C, Layer.EMBEDDING, 0.6, "confident")
    form = ActReading(DialogueAct.TABLE, 0.8)
    assert reconsider(Query("x", history=DOCUMENTS), doubtful, doing(form)).type is T
    assert reconsider(Query("x"), doubtful, doing(form)).type is C
    assert reconsider(Query("x", history=DOCUMENTS), doubtful, doing(ActReading(DialogueAct.TABLE, 0.7))).type is C
    assert reconsider(Query("x", history=DOCUMENTS), doubtful, doing(ActReading(DialogueAct.THANKS, 0.8))).type is C


@pytest.mark.parametrize(
    ("act", "relation", "sure", "kept"),
    [
        (DialogueAct.LIST, Relation.STANDS_ALONE, 0.7, False),
        (DialogueAct.TRANSLATE, Relation.STANDS_ALONE, 0.7, False),
        (DialogueAct.LIST, Relation.STANDS_ALONE, 0.4, True),
        (DialogueAct.LIST, Relation.REWORDING, 0.7, True),
        (DialogueAct.LIST, Relation.FOLLOW_UP, 0.9, True),
        (DialogueAct.LIST, Relation.FOLLOW_UP, 0.99, True),
        (DialogueAct.CONVERT, Relation.FOLLOW_UP, 0.94, True),
        (DialogueAct.THANKS, Relation.STANDS_ALONE, 0.9, True),
    ],
)
def test_a_question_of_its_own_is_no_wish_for_another_form(
    act: DialogueAct, relation: Relation, sure: float, *, kept: bool
) -> None:
    doubtful = Decision(C, Layer.EMBEDDING, 0.6, "confident")
    read = ConversationReading(ActReading(act, 0.96), RelationReading(relation, sure))
    found = reconsider(Query("x", history=DOCUMENTS), doubtful, read)
    assert found.act.act is (act if kept else DialogueAct.NONE)
    assert found.type is (T if kept and act is not DialogueAct.THANKS else C)


def test_what_goes_on_from_documents_is_looked_up_though_no_layer_was_sure() -> None:
    found = reconsider(
        Query("x", history=DOCUMENTS), decided(R, Layer.DEFAULT), doing(ActReading(DialogueAct.MORE, 0.6))
    )
    assert (found.type, found.layer, found.reason) == (R, Layer.EMBEDDING, "reference_for_more")


@pytest.mark.parametrize("layer", [Layer.DECLARED, Layer.PREFIX])
def test_what_was_declared_or_known_stays(layer: Layer) -> None:
    found = reconsider(
        Query("one more", history=DOCUMENTS), decided(T, layer), doing(ActReading(DialogueAct.MORE, 1.0))
    )
    assert (found.type, found.layer) == (T, layer)


def test_an_act_that_is_not_sure_changes_nothing() -> None:
    read = ConversationReading(ActReading(DialogueAct.MORE, 0.4), RelationReading(Relation.FOLLOW_UP, 0.5))
    found = reconsider(Query("x", history=DOCUMENTS), decided(T), read)
    assert (found.type, found.act.likeliest) == (T, DialogueAct.MORE)


@pytest.mark.parametrize("relation", [Relation.FOLLOW_UP, Relation.STANDS_ALONE])
@pytest.mark.parametrize(
    ("next_", "before", "asked"), [(C, R, C), (P, R, R), (P, P, P), (None, C, C), (None, P, R), (R, P, R)]
)
def test_talk_that_asks_for_something_new_is_a_question(
    relation: Relation, next_: QueryType | None, before: QueryType, asked: QueryType
) -> None:
    talk = Decision(T, Layer.EMBEDDING, 0.9, "said", runner_up=next_, runner_up_confidence=0.05)
    read = ConversationReading(relation=RelationReading(relation, 0.8))
    found = reconsider(Query("x", history=(IntentEntry(before, "What is it?"),)), talk, read)
    assert (found.type, found.layer, found.confidence, found.reason) == (asked, Layer.EMBEDDING, 0.8, "follow_up")
    assert (found.runner_up, round(found.runner_up_confidence, 6)) == (T, 0.2)


def test_a_no_that_asks_for_something_new_is_a_question() -> None:
    talk = Decision(T, Layer.EMBEDDING, 0.9, "said", runner_up=R, runner_up_confidence=0.05)
    for sure, type_ in ((0.85, R), (0.75, T)):
        read = ConversationReading(ActReading(DialogueAct.NEGATION, 0.9), RelationReading(Relation.FOLLOW_UP, sure))
        assert reconsider(Query("x", history=DOCUMENTS), talk, read).type is type_


@pytest.mark.parametrize(
    ("act", "relation", "sure", "history"),
    [
        (DialogueAct.NONE, Relation.FOLLOW_UP, 0.55, DOCUMENTS),
        (DialogueAct.NONE, Relation.REWORDING, 0.9, DOCUMENTS),
        (DialogueAct.NONE, Relation.RECALL, 0.9, DOCUMENTS),
        (DialogueAct.NONE, Relation.COURTESY, 0.9, DOCUMENTS),
        (DialogueAct.SHORTER, Relation.FOLLOW_UP, 0.9, DOCUMENTS),
        (DialogueAct.NONE, Relation.STANDS_ALONE, 0.9, ()),
    ],
)
def test_other_talk_stays_talk(
    act: DialogueAct, relation: Relation, sure: float, history: tuple[IntentEntry, ...]
) -> None:
    read = ConversationReading(ActReading(act, 0.9), RelationReading(relation, sure))
    assert reconsider(Query("x", history=history), decided(T), read).type is T


@pytest.mark.parametrize(
    ("taken", "sure", "before", "expected"),
    [
        (P, 0.9, R, R),  # "mine has none", after a question on what the documents say
        (P, 0.97, R, P),
        (P, 0.9, C, C),
        (R, 0.9, C, C),
        (C, 0.9, R, R),
        (R, 0.9, P, R),  # nothing is known of the account: to search is the safe direction
        (R, 0.9, R, R),
    ],
)
def test_what_cannot_be_told_alone_is_of_the_type_of_what_it_follows(
    taken: QueryType, sure: float, before: QueryType, expected: QueryType
) -> None:
    query = Query("mine has none", history=(IntentEntry(before, "x"), IntentEntry(T, "thank you")))
    read = ConversationReading(ActReading(DialogueAct.NONE, 0.9), RelationReading(Relation.FOLLOW_UP, 0.7))
    decision = Decision(taken, Layer.EMBEDDING, sure, "confident")
    found = reconsider(query, decision, read)
    assert found.type is expected
    assert found.reason == ("confident" if expected is taken else "follow_up")


@pytest.mark.parametrize(
    ("relation", "sure", "layer", "figures"),
    [
        (Relation.STANDS_ALONE, 0.99, Layer.EMBEDDING, False),
        (Relation.RECALL, 0.99, Layer.EMBEDDING, False),
        (Relation.FOLLOW_UP, 0.5, Layer.EMBEDDING, False),
        (Relation.FOLLOW_UP, 0.9, Layer.LLM, False),
        (Relation.FOLLOW_UP, 0.9, Layer.EMBEDDING, True),
    ],
)
def test_what_can_be_told_alone_or_brings_its_figures_is_not_moved(
    relation: Relation, sure: float, layer: Layer, figures: bool
) -> None:
    query = Query("how much is left", history=DOCUMENTS, has_context=figures)
    read = ConversationReading(ActReading(DialogueAct.NONE, 0.9), RelationReading(relation, sure))
    assert reconsider(query, Decision(P, layer, 0.9, "confident"), read).type is P


@pytest.mark.parametrize("relation", sorted(Relation))
def test_what_no_layer_has_a_type_for_is_talk_where_its_relation_surely_is(relation: Relation) -> None:
    query, undecided = Query("right you are", history=DOCUMENTS), decided(R, Layer.DEFAULT)
    for sure, layer in ((0.95, Layer.DEFAULT), (0.85, Layer.DEFAULT), (0.95, Layer.EMBEDDING)):
        read = ConversationReading(ActReading(DialogueAct.NONE, 0.9), RelationReading(relation, sure))
        found = reconsider(query, undecided if layer is Layer.DEFAULT else decided(R), read)
        talk = relation in TALK and sure > 0.9 and layer is Layer.DEFAULT
        assert found.type is (T if talk else R)
        assert (found.reason == "dialogue_act") is talk


def test_only_short_talk_or_what_follows_a_turn_has_an_act() -> None:
    assert is_read(Query("x"), decided(T))
    assert is_read(Query("x", history=DOCUMENTS), decided(R))
    assert is_read(Query("x"), decided(R, Layer.DEFAULT))
    assert not is_read(Query("x"), decided(R))
    assert not is_read(Query("x" * (LONGEST + 1)), decided(T))
    assert not is_read(Query("  "), decided(T))


class Says:
    layer = Layer.EMBEDDING

    async def decide(self, query: Query) -> Opinion:
        return self.decide_many([query])[0]

    def decide_many(self, queries: Sequence[Query]) -> list[Opinion]:
        return [Opinion(Layer.EMBEDDING, T if "talk" in query.text else R, 0.9, "said") for query in queries]


class Reader:
    def __init__(self) -> None:
        self.asked: list[str] = []
        self.earlier: list[Sequence[str] | None] = []

    def read(self, texts: Sequence[str], earlier: Sequence[Sequence[str] | None]) -> list[ConversationReading]:
        self.asked += texts
        self.earlier += earlier
        return [doing(ActReading(DialogueAct.MORE, 0.9)) for _ in texts]


async def test_the_cascade_reads_acts_where_they_matter_alone_and_in_batches() -> None:
    reader = Reader()
    cascade = Cascade(Says(), reader=reader)
    queries = [Query("a question"), Query("talk", history=DOCUMENTS), Query("talk")]
    one_by_one = [await cascade.decide(query) for query in queries]
    assert reader.asked == ["talk", "talk"]
    assert reader.earlier == [["What is it?"], None]
    assert [decision.relation.relation for decision in one_by_one] == [None, Relation.FOLLOW_UP, Relation.FOLLOW_UP]
    assert [decision.type for decision in one_by_one] == [R, R, T]
    together = cascade.decide_many(queries)
    assert [(d.type, d.act) for d in together] == [(d.type, d.act) for d in one_by_one]


def test_a_doubtful_type_is_no_reason_to_read_what_begins_a_conversation() -> None:
    assert not is_read(Query("x"), Decision(C, Layer.EMBEDDING, 0.5, "confident"))


def test_a_long_message_has_a_relation_and_no_act() -> None:
    long = Query("x" * (LONGEST_ACT + 1), history=DOCUMENTS)
    found = reconsider(long, decided(T), doing(ActReading(DialogueAct.MORE, 0.9)))
    assert (found.type, found.act.act) == (R, DialogueAct.NONE)
    assert found.relation == RelationReading(Relation.FOLLOW_UP, 0.8)


def test_what_was_asked_before_is_what_is_no_talk() -> None:
    assert asked_before(Query("x", history=DOCUMENTS)) == ["What is it?"]
    assert asked_before(Query("x", history=DOCUMENTS[1:])) == []
    assert asked_before(Query("x")) is None


@pytest.mark.parametrize(("confidence", "type_"), [(0.95, R), (0.85, T)])
def test_what_surely_goes_on_from_a_question_is_no_courtesy(confidence: float, type_: QueryType) -> None:
    read = ConversationReading(ActReading(DialogueAct.FAREWELL, 0.8), RelationReading(Relation.FOLLOW_UP, confidence))
    found = reconsider(Query("until noon", history=DOCUMENTS), decided(R, Layer.DEFAULT), read)
    assert found.type is type_
    assert found.act.act is (DialogueAct.NONE if type_ is R else DialogueAct.FAREWELL)


@pytest.mark.parametrize("act", sorted(CONTINUATIONS))
def test_what_goes_on_from_an_answer_is_what_it_says(act: DialogueAct) -> None:
    read = ConversationReading(ActReading(act, 0.8), RelationReading(Relation.FOLLOW_UP, 0.99))
    assert reconsider(Query("x", history=DOCUMENTS), decided(T), read).act.act is act


@pytest.mark.parametrize("act", [DialogueAct.ABILITIES, DialogueAct.GREETING, DialogueAct.USER_IDENTITY])
def test_what_stands_alone_by_what_it_is_asks_nothing_of_documents(act: DialogueAct) -> None:
    talk = Decision(T, Layer.EMBEDDING, 0.98, "confident")
    for relation in (Relation.STANDS_ALONE, Relation.FOLLOW_UP):
        read = ConversationReading(ActReading(act, 0.97), RelationReading(relation, 0.88))
        assert reconsider(Query("x", history=DOCUMENTS), talk, read).type is T
    unsure = ConversationReading(ActReading(act, 0.6), RelationReading(Relation.STANDS_ALONE, 0.88))
    assert reconsider(Query("x", history=DOCUMENTS), talk, unsure).type is not T


def test_what_surely_goes_on_is_no_wish_for_something_else() -> None:
    """As "what rust version" after "how do I install it?", which sounds like a wish for the same in Rust."""
    doubtful = Decision(R, Layer.EMBEDDING, 0.98, "confident")
    read = ConversationReading(ActReading(DialogueAct.CONVERT, 0.96), RelationReading(Relation.FOLLOW_UP, 0.97))
    found = reconsider(Query("x", history=DOCUMENTS), doubtful, read)
    assert (found.act.act, found.type) == (DialogueAct.NONE, R)
