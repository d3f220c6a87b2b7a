"""Which words a follow-up gets from the turns before it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classifier.decision import Layer, QueryType
from engine.conversation.followup.dependence import Dependence, dependence_of
from engine.conversation.followup.query_rewriting import rules
from engine.conversation.followup.query_rewriting.rules import CARRIED, Rewrite, correct
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Outcome, Relation


def needs_rewrite(query: str, conversation: Conversation) -> bool:
    return dependence_of(query, conversation) is not Dependence.STANDALONE


def standalone(query: str, conversation: Conversation) -> Rewrite:
    return rules.standalone(query, conversation, dependence_of(query, conversation))


def turn(number: int, query: str, answer: str = "", type_: QueryType = QueryType.RETRIEVAL) -> TurnRecord:
    return TurnRecord(f"t{number}", "ana", "s", query, answer, type_, Layer.LLM, Outcome.COMPLETE, 1.0, number)


def past(*turns: TurnRecord) -> Conversation:
    return Conversation(turns, len(turns))


EMPIRE = past(turn(1, "why was the eastern roman empire called byzantine", "After Byzantium, its first name."))


def test_a_follow_up_carries_what_the_question_before_was_about() -> None:
    found = standalone("What was its religion?", past(turn(1, "How large was the Byzantine Empire?")))
    assert found == Rewrite("What was its religion? large Byzantine Empire", (1,))


def test_in_spanish_too() -> None:
    found = standalone("¿y eso cuánto cuesta?", past(turn(4, "¿Qué es el seguro de hipoteca?", "Cubre el préstamo.")))
    assert found == Rewrite("¿y eso cuánto cuesta? seguro hipoteca", (4,))


def test_a_question_that_stands_alone_stays_as_it_is() -> None:
    assert standalone("What about CrossLab?", EMPIRE) == Rewrite("What about CrossLab?")


def test_a_question_in_full_on_the_topic_stays_as_it_is() -> None:
    query = "Did the empire have a navy with sailing ships?"
    assert not needs_rewrite(query, EMPIRE)
    assert standalone(query, EMPIRE) == Rewrite(query)


def test_a_first_question_stays_as_it_is() -> None:
    assert not needs_rewrite("Who was he?", Conversation())
    assert standalone("Who was he?", Conversation()) == Rewrite("Who was he?")


def test_no_more_than_a_few_words_are_carried() -> None:
    long = past(turn(1, "which of alpha beta gamma delta epsilon zeta eta theta"))
    found = standalone("Which is cheaper?", long)
    assert found.query.split()[3:] == ["alpha", "beta", "gamma"]
    assert len(found.query.split()) == 3 + CARRIED


def test_the_latest_question_comes_first() -> None:
    two = past(turn(1, "Who founded the Ottoman dynasty?"), turn(2, "How is sickle cell anaemia treated?"))
    found = standalone("Will it kill me?", two)
    assert found == Rewrite("Will it kill me? sickle cell anaemia", (2,))


def test_an_earlier_question_fills_up_what_the_latest_does_not_have() -> None:
    two = past(turn(1, "Who founded the Ottoman dynasty?"), turn(2, "When was it dissolved?"))
    found = standalone("Why did it fall?", two)
    assert found == Rewrite("Why did it fall? founded Ottoman dissolved", (1, 2))


def test_words_that_the_answer_repeats_come_before_the_others() -> None:
    answer = "Retail banks and mortgage brokers sell it."
    asked = turn(1, "where could somebody quickly buy cheap mortgage insurance from retail banks", answer)
    found = standalone("How is it taxed?", past(asked))
    assert found.query == "How is it taxed? mortgage retail banks"


def test_a_name_in_the_answer_is_carried_where_there_is_room() -> None:
    asked = turn(1, "name the viceroy", "The viceroy was Lord Linlithgow. He came from Scotland.")
    assert standalone("what did he do?", past(asked)).query == "what did he do? viceroy Lord Linlithgow"


@pytest.mark.parametrize(
    "answer",
    [
        "I do not have any information about Lord Linlithgow.",
        "Sorry, I can't find an answer about Lord Linlithgow.",
        "No tengo información sobre Lord Linlithgow.",
    ],
)
def test_an_answer_that_knows_nothing_names_nothing(answer: str) -> None:
    assert standalone("what did he do?", past(turn(1, "name the viceroy", answer))).query == "what did he do? viceroy"


def test_what_the_message_says_is_not_said_twice() -> None:
    found = standalone("Which cell is it?", past(turn(1, "How are sickle cells treated?")))
    assert found.query == "Which cell is it? sickle treated"


def test_turns_that_were_not_about_documents_give_nothing() -> None:
    chat = turn(2, "shorter sentences with fewer adjectives", type_=QueryType.CONVERSATIONAL)
    found = standalone("Will it kill me?", past(turn(1, "sickle cell anaemia"), chat))
    assert found == Rewrite("Will it kill me? sickle cell anaemia", (1,))


def test_nothing_to_carry_leaves_the_message_as_it_is() -> None:
    assert standalone("Will it kill me?", past(turn(1, "and what is this?"))) == Rewrite("Will it kill me?")


def test_the_whole_message_is_kept_however_long_it_is() -> None:
    query = "what is it? " + "x" * 5000
    assert standalone(query, EMPIRE).query.startswith(query)


@given(st.text(max_size=80), st.lists(st.tuples(st.text(max_size=80), st.text(max_size=80)), max_size=4))
def test_a_rewrite_is_the_message_and_words_of_the_turns_that_it_names(
    query: str, turns: list[tuple[str, str]]
) -> None:
    conversation = past(*(turn(n, asked, answer) for n, (asked, answer) in enumerate(turns, start=1)))
    found = standalone(query, conversation)
    assert found.query.startswith(query)
    assert bool(found.carried_from) == (found.query != query)
    assert set(found.carried_from) <= {record.sequence for record in conversation.recent}
    assert needs_rewrite(query, conversation) or found == Rewrite(query)
    assert standalone(query, conversation) == found


def test_a_turn_without_a_sequence_is_still_leaned_on() -> None:
    fresh = replace(EMPIRE.recent[0], sequence=0)
    assert standalone("What was its religion?", past(fresh)).carried_from == (0,)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("no, I was asking about refunds", "How do I export refunds?"),
        ("perdón, hablaba de las devoluciones", "How do I export devoluciones?"),
        ("actually it was sales of shoes that I meant", "How do I export sales of shoes?"),
        ("exportRow, not importRow", "How do I export importRow?"),
        ("no", "no"),
    ],
)
def test_a_correction_takes_the_place_of_what_was_said(message: str, expected: str) -> None:
    asked = past(turn(1, "How do I export orders?"))
    assert correct(message, asked).query == expected


def test_a_name_takes_the_place_of_a_name() -> None:
    asked = past(turn(1, "When does readFile fail in a loop?"))
    assert correct("I mean openFile", asked).query == "When does openFile fail in a loop?"
    assert correct("I mean openFile", Conversation()).query == "I mean openFile"


PRICE = past(turn(1, "How much is the cabin with 4 beds in August?", "It is 90 a night."))


@pytest.mark.parametrize(
    ("message", "asked_before"),
    [
        ("and the boat house?", "How much is the cabin with 4 beds in August"),
        ("what about the one for 12?", "How much is the cabin with beds in August"),
        ("and in October?", "How much is the cabin with 4 beds"),
        ("and with a dog?", "How much is the cabin in August"),
        ("And Lisa's?", "How much is the cabin with 4 beds in August"),
    ],
)
def test_a_piece_of_a_sentence_asks_the_question_before_of_something_else(message: str, asked_before: str) -> None:
    assert rules.carry_over(message, PRICE) == Rewrite(f"{message} {asked_before}", (1,))


def test_a_contracted_article_stands_for_its_preposition() -> None:
    asked = past(turn(3, "¿Cuánto dura la batería de la linterna?"))
    assert standalone("¿Y del faro grande?", asked) == Rewrite("¿Y del faro grande? Cuánto dura la batería", (3,))


@pytest.mark.parametrize(
    ("message", "before"),
    [
        ("and why does it rain?", "Where is the cabin?"),  # a question of its own
        ("and that one?", "Where is the cabin?"),  # names nothing
        ("and the boat house?", "wooden cabin"),  # nothing was asked in full
        ("and the boat house?", f"Is it so that {'very old ' * 8} cabins are warm?"),  # much was
    ],
)
def test_else_a_few_words_are_carried(message: str, before: str) -> None:
    found = rules.carry_over(message, past(turn(1, before)))
    assert len(found.query.split()) <= len(message.split()) + CARRIED


def test_a_piece_asks_a_whole_question_without_what_that_was_searched_for_with() -> None:
    before = replace(
        turn(2, "does the boat need a licence?"), search_query="does the boat need a licence? cabin beds August"
    )
    found = rules.carry_over("and the canoe?", past(*PRICE.recent, before))
    assert found == Rewrite("and the canoe? does the boat need a licence", (2,))


def test_a_piece_after_a_piece_asks_the_same_again() -> None:
    before = replace(turn(2, "and in October?"), search_query="and in October? How much is the cabin")
    found = rules.carry_over("and in June?", past(*PRICE.recent, before))
    assert found == Rewrite("and in June? and How much is the cabin", (2,))


FERRY = turn(1, "how long is the night ferry to Vigo")
CABIN = replace(turn(2, "and the price of a cabin"), relation=Relation.CONTEXTUAL_FOLLOW_UP)


@pytest.mark.parametrize(
    ("query", "conversation", "expected"),
    [
        ("are there showers", past(FERRY), ("are there showers night ferry Vigo", "are there showers")),
        ("is it safe", past(FERRY), ("is it safe night ferry Vigo",)),  # alone it would point at nothing
        (
            "are there showers",
            past(FERRY, CABIN),
            ("are there showers price cabin", "are there showers night ferry Vigo", "are there showers"),
        ),
        ("and a cabin?", past(FERRY, CABIN), ("and a cabin? price", "and a cabin? night ferry Vigo", "and a cabin?")),
        ("are there showers", past(), ("are there showers",)),
    ],
)
def test_what_lacks_something_may_be_read_otherwise(
    query: str, conversation: Conversation, expected: tuple[str, ...]
) -> None:
    assert rules.other_readings(query, conversation) == expected


@pytest.mark.parametrize(
    ("answer", "carried"),
    [
        ("The route was planned by Ada Quirk, of Vigo.", "Ada Quirk"),
        ("Night \u2014 Height: 4 m; Width: 9 m.", ""),
        ("Open. Warning: Mind the gap.", ""),
    ],
)
def test_a_name_of_an_answer_stands_within_a_sentence(answer: str, carried: str) -> None:
    found = rules.carry_over("who was that?", past(turn(1, "and the tunnel?", answer))).query
    assert found == " ".join(filter(None, ["who was that?", "tunnel", carried]))
