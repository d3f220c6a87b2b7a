from __future__ import annotations

from dataclasses import fields, replace

import pytest

from classifier.decision import Decision, Layer, QueryType
from engine.answering.records import HELD, answer_of, citations_of, held, record_of
from engine.conversation.history import in_hand
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Action, Answer, Evidence, Outcome, Passage, PlanMode, Relation, Route, Turn, Usage

TURN = Turn("¿qué es addVar?", "s-1", principal="ana", request_id="r-1")
ROUTE = Route(
    Decision(
        QueryType.RETRIEVAL, Layer.EMBEDDING, 0.91, "confident", QueryType.CODE_GENERATION, 0.06, editor=True,
        artifact_id="a-1",
    ),
    Relation.NEW_TOPIC_INFORMATIONAL,
    Action.FRESH,
    PlanMode.SINGLE_RETRIEVAL,
    search_query="addVar",
    model="qwen3",
    milliseconds={"total": 9.5},
    relation_confidence=0.75,
    relation_reason="relation_head",
)  # fmt: skip


def evidence(number: int, id_: str) -> Evidence:
    return Evidence(number, Passage(id_, "doc.md", "Title", "Heading", f"Text of {id_}."))


ANSWER = Answer(
    "Adds a variable [1]. It has a type [2].",
    "s-1",
    "t-1",
    ROUTE,
    (evidence(1, "p7"), evidence(2, "p4")),
    searches=1,
    usage=Usage(120, 14),
    timings={"total": 9.5},
    outcome=Outcome.PARTIAL,
)


def stored() -> TurnRecord:
    return record_of(TURN, ANSWER, created_at=5.0, shown=(4, 6, 7), cited=(7, 4))


def test_an_answer_comes_back_from_its_record_as_it_was_given() -> None:
    assert answer_of(stored(), [evidence(7, "p7"), evidence(4, "p4")]) == ANSWER


def test_the_record_holds_the_turn_and_what_was_shown() -> None:
    record = stored()
    assert (record.principal, record.session_id, record.request_id, record.query) == ("ana", "s-1", "r-1", TURN.query)
    assert (record.shown, record.cited, record.created_at, record.sequence) == ((4, 6, 7), (7, 4), 5.0, 0)
    assert (record.corrected_type, record.corrected_relation) == (None, None)


def test_no_field_of_a_record_is_forgotten() -> None:
    record = stored()
    empty = {f.name for f in fields(record) if not getattr(record, f.name)}
    # `extra_context` is kept of PLATFORM turns; people correct and rate a turn later.
    later = {"corrected_type", "corrected_relation", "rating", "rating_reason"}
    assert empty == {"sequence", "extra_context", *later}


def test_citations_are_numbered_as_they_stand_in_the_text() -> None:
    assert citations_of(stored(), {7: evidence(7, "p7"), 4: evidence(4, "p4")}) == ANSWER.citations


def test_evidence_that_is_gone_leaves_the_others_their_place() -> None:
    assert [piece.number for piece in citations_of(stored(), {4: evidence(4, "p4")})] == [2]


@pytest.mark.parametrize(
    ("type_", "context", "kept"),
    [
        (QueryType.PLATFORM, '{"calls": 7}', '{"calls": 7}'),
        (QueryType.PLATFORM, "x" * HELD, "x" * HELD),
        (QueryType.PLATFORM, "x" * (HELD + 1), ""),
        (QueryType.PLATFORM, "", ""),
        (QueryType.RETRIEVAL, '{"calls": 7}', '{"calls": 7}'),
        (QueryType.CODE_GENERATION, '{"calls": 7}', '{"calls": 7}'),
    ],
)
def test_what_was_said_of_the_account_is_kept_of_any_turn(type_: QueryType, context: str, kept: str) -> None:
    decision = replace(ROUTE.decision, type=type_)
    turn = replace(TURN, extra_context=context)
    assert held(turn) == kept
    answer = replace(ANSWER, route=replace(ROUTE, decision=decision))
    assert record_of(turn, answer, created_at=5.0, shown=(), cited=()).extra_context == kept


def test_the_last_thing_said_of_the_account_is_in_hand() -> None:
    said = [replace(stored(), extra_context=context) for context in ("calls: 7", "calls: 9", "", " ")]
    assert in_hand(Conversation(tuple(said), 4)) == "calls: 9"
    assert in_hand(Conversation(tuple(said[2:]), 2)) == ""
    assert in_hand(Conversation()) == ""
