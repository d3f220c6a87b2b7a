from __future__ import annotations

from dataclasses import replace

import pytest

from classifier.decision import Layer, QueryType
from engine.conversation.followup.coverage import covers, has_more, has_new_code, referent_of, topic_of
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Action, Evidence, Origin, Outcome, Passage

RETRIEVAL, TALK, PLATFORM = QueryType.RETRIEVAL, QueryType.CONVERSATIONAL, QueryType.PLATFORM
ASKED = TurnRecord(
    "t1",
    "ana",
    "s",
    "What is addParam?",
    "addParam reads a value of the request. [1]",
    RETRIEVAL,
    Layer.LLM,
    Outcome.COMPLETE,
    1.0,
    1,
    action=Action.FRESH,
    search_query="What is addParam?",
    shown=(1, 2),
    cited=(1,),
)
ADD = Passage(
    "add",
    "doc.md",
    "Request",
    "addParam",
    "addParam reads a value of the request. Its parameters are the name and the variable. It looks in 3 places.",
)
OTHER = Passage("other", "doc.md", "Dates", "getDateTime", "getDateTime has a time zone. Returns a date.")
SHOWN = (Evidence(1, ADD, Origin.LEDGER), Evidence(2, OTHER, Origin.LEDGER))
PAST = Conversation((ASKED,), 1, 2)


@pytest.mark.parametrize(
    "query", ["What are its parameters?", "How many places does it look in?", "does it read the request?"]
)
def test_a_question_is_covered_by_a_passage_that_has_its_words(query: str) -> None:
    assert covers(query, PAST, ASKED, SHOWN)


@pytest.mark.parametrize(
    "query",
    [
        "Does it have a time zone?",  # the words of a passage about something else
        "Who wrote it?",
        "When was it released?",
        "How much does it cost?",
        "why?",
        "Where is it?",
        "Can it be encrypted?",
        "¿y cuánto cuesta?",
    ],
)
def test_a_question_that_no_passage_answers_is_searched_for(query: str) -> None:
    assert not covers(query, PAST, ASKED, SHOWN)


def test_a_number_that_is_asked_for_has_to_be_there() -> None:
    bare = replace(ADD, text="addParam looks in places.")
    assert not covers("How many places does it look in?", PAST, ASKED, (Evidence(1, bare),))


def test_nothing_shown_covers_nothing() -> None:
    assert not has_more("addParam", PAST, ASKED, ())
    assert not covers("What are its parameters?", PAST, ASKED, ())


def test_more_a_second_time_needs_something_unsaid() -> None:
    told = replace(
        ASKED, sequence=2, query="tell me more", answer=ADD.text, action=Action.HISTORY, search_query="", searches=0
    )
    past = Conversation((ASKED, told), 2, 2)
    assert not has_more("addParam", past, told, SHOWN)
    long = replace(ADD, text=f"{ADD.text} {' '.join(f'addParam treats word{n} apart.' for n in range(12))}")
    assert has_more("addParam", past, told, (Evidence(1, long),))
    elsewhere = replace(OTHER, text=" ".join(f"word{n}" for n in range(50)))
    assert not has_more("addParam", past, told, (Evidence(2, elsewhere),))


def test_the_topic_is_what_was_searched_for() -> None:
    told = replace(ASKED, sequence=2, query="tell me more", search_query="")
    assert topic_of(Conversation((ASKED, told), 2), told) == "What is addParam?"
    assert topic_of(Conversation((told,), 2), told) == "tell me more"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ((), 1),
        ((replace(ASKED, sequence=2, type=TALK, shown=(), cited=()),), 1),
        ((replace(ASKED, sequence=2, type=TALK, shown=(1,), cited=(1,)),), 2),
        ((replace(ASKED, sequence=2, search_query="x"),), 2),
        ((replace(ASKED, sequence=2, type=PLATFORM, shown=(), cited=()),), None),
        ((replace(ASKED, sequence=2, shown=(), cited=()),), None),
        ((replace(ASKED, sequence=2, outcome=Outcome.FAILED, cited=()),), None),
    ],
)
def test_the_turn_that_a_follow_up_refers_to(after: tuple[TurnRecord, ...], expected: int | None) -> None:
    turn = referent_of(Conversation((ASKED, *after), 2))
    assert (turn and turn.sequence) == expected


def test_a_first_message_refers_to_nothing() -> None:
    assert referent_of(Conversation()) is None


def test_code_that_no_answer_has_shown_is_new() -> None:
    block = "```avap\naddParam(a, b)\n```"
    evidence = (Evidence(1, replace(ADD, text=f"addParam reads.\n\n{block}")),)
    assert has_new_code("an example?", PAST, ASKED, evidence)
    shown = Conversation((replace(ASKED, answer=f"It reads.\n\n{block}"),), 1)
    assert not has_new_code("an example?", shown, ASKED, evidence)
    assert not has_new_code("an example?", PAST, ASKED, SHOWN)
    assert not has_new_code("an example?", PAST, ASKED, ())


def test_code_of_something_else_is_no_example() -> None:
    dated = Evidence(2, replace(OTHER, text="getDateTime returns a date.\n\n```avap\ngetDateTime(x)\n```"))
    assert not has_new_code("an example?", PAST, ASKED, (SHOWN[0], dated))
    assert has_new_code("an example?", PAST, ASKED, (dated,))
    assert not has_new_code("an example of randomString?", PAST, ASKED, (dated,))
