from __future__ import annotations

from classifier.decision import IntentEntry, Layer, QueryType
from engine.conversation.history import answered, exchanges, intent_history
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Exchange, Outcome

RETRIEVAL, PLATFORM = QueryType.RETRIEVAL, QueryType.PLATFORM


def record(
    query: str,
    answer: str = "An answer.",
    *,
    type_: QueryType = RETRIEVAL,
    outcome: Outcome = Outcome.COMPLETE,
    corrected: QueryType | None = None,
) -> TurnRecord:
    return TurnRecord(
        f"id-{query}", "ana", "s", query, answer, type_, Layer.LLM, outcome, created_at=1.0, corrected_type=corrected
    )


def test_an_intent_entry_for_each_turn_oldest_first() -> None:
    conversation = Conversation((record("one"), record("two", "", type_=PLATFORM, outcome=Outcome.FAILED)), 2)
    assert intent_history(conversation) == (IntentEntry(RETRIEVAL, "one"), IntentEntry(PLATFORM, "two"))


def test_a_persons_correction_counts() -> None:
    assert intent_history(Conversation((record("one", corrected=PLATFORM),))) == (IntentEntry(PLATFORM, "one"),)


def test_intent_lines_look_as_documented() -> None:
    history = intent_history(Conversation((record("What is  addVar\nin AVAP?"), record("x" * 100, type_=PLATFORM))))
    assert [entry.line() for entry in history] == [
        '[RETRIEVAL] "What is addVar in AVAP?"',
        f'[PLATFORM] "{"x" * 60}"',
    ]


def test_turns_without_an_answer_are_no_exchange() -> None:
    whole, cut = record("one"), record("cut", "An ans", outcome=Outcome.PARTIAL)
    failed, empty = record("failed", "An", outcome=Outcome.FAILED), record("empty", "", outcome=Outcome.PARTIAL)
    conversation = Conversation((whole, failed, empty, cut), 4)
    assert answered(conversation) == (whole, cut)
    assert exchanges(conversation) == (Exchange("one", "An answer."), Exchange("cut", "An ans"))


def test_nothing_of_nothing() -> None:
    assert intent_history(Conversation()) == ()
    assert answered(Conversation()) == ()
    assert exchanges(Conversation()) == ()
