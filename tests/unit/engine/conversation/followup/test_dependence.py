"""What leans on the conversation, and what only looks like it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classifier.decision import Layer, QueryType
from engine.conversation.followup.dependence import (
    TURNS,
    Dependence,
    dependence_of,
    earlier,
    may_stand,
    names_its_subject,
)
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Outcome


def past(*turns: tuple[str, str], type_: QueryType = QueryType.RETRIEVAL) -> Conversation:
    records = tuple(
        TurnRecord(f"t{n}", "ana", "s", query, answer, type_, Layer.LLM, Outcome.COMPLETE, 1.0, n)
        for n, (query, answer) in enumerate(turns, start=1)
    )
    return Conversation(records, len(records))


LOANS = past(("How do student loans work?", "A lender pays the college, and the student pays it back."))


@pytest.mark.parametrize(
    "query",
    [
        "Who may apply for it?",
        "are they taxed?",
        "how long does this take",
        "what happens if she loses her job",
        "explain that",
        "Tell me more about the first one.",
        "Which is cheaper?",
        "What are the requirements?",
        "requirements?",
        "ok, and what is the limit?",
        "why?",
        "the second option",
        "in that case, what is due?",
        "¿y eso cuánto cuesta?",
        "¿qué significa eso?",
        "explícalo",
        "cuéntame más",
        "¿cuáles son los requisitos?",
        "¿quién puede pedirlos? ¿ellos también?",
    ],
)
def test_says_too_little_by_itself(query: str) -> None:
    assert dependence_of(query, LOANS) is Dependence.INCOMPLETE


@pytest.mark.parametrize(
    "query",
    [
        "Do loans need a lender with a licence?",
        "interest on student debt",
        "By the way, do banks report late payments?",
        "Great. Do banks report late payments?",
        "I read a lot. Do banks report late payments?",
    ],
)
def test_goes_on_about_the_topic_and_can_be_told_alone(query: str) -> None:
    assert dependence_of(query, LOANS) is Dependence.STANDALONE


@pytest.mark.parametrize(
    "query",
    [
        "What about CrossLab?",
        "what about mortgages",
        "What does getVar return?",
        "addVar example",
        "Is the Hudson River navigable?",
        "How do I register an endpoint?",
        "¿cómo registro un endpoint?",
        "qué hace startLoop",
        "what is a mortgage",
        "¿qué es una hipoteca?",
        "Is it possible to call an external service from inside a loop in AVAP?",
        "Does the moon turn while earth turns?",
        "write a function that returns the sum of two numbers",
    ],
)
def test_opens_a_topic_of_its_own(query: str) -> None:
    assert dependence_of(query, LOANS) is Dependence.STANDALONE


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "Is herpes a lethal disease and how is it transmitted?",
            Dependence.STANDALONE,
        ),  # "it" is named before, in the sentence
        ("How is it transmitted and is herpes lethal?", Dependence.INCOMPLETE),
        ("Can a bank raise its fees?", Dependence.STANDALONE),
        ("Can a bank raise them?", Dependence.INCOMPLETE),
        ("Is it necessary to have a lawyer for custody?", Dependence.STANDALONE),  # "it" stands for nothing
        ("Is it similar to rugby?", Dependence.INCOMPLETE),
    ],
)
def test_a_pronoun_counts_where_nothing_before_it_gives_it_a_meaning(query: str, expected: Dependence) -> None:
    assert dependence_of(query, LOANS) is expected


@pytest.mark.parametrize("query", ["Who may apply for it?", "why?", "tell me more", "explain that", ""])
def test_a_first_question_leans_on_nothing(query: str) -> None:
    assert dependence_of(query, Conversation()) is Dependence.STANDALONE


@pytest.mark.parametrize("type_", [QueryType.PLATFORM, QueryType.CONVERSATIONAL])
def test_figures_and_small_talk_are_nothing_to_lean_on(type_: QueryType) -> None:
    talk = past(("hello there", "Hello."), type_=type_)
    assert earlier(talk) == ()
    assert dependence_of("Who may apply for it?", talk) is Dependence.STANDALONE


def test_only_the_last_turns_are_looked_at() -> None:
    long = past(*((f"question {n}", "") for n in range(20)))
    assert [turn.query for turn in earlier(long)] == [f"question {n}" for n in range(20 - TURNS, 20)]


@given(st.text(max_size=300))
def test_any_text_is_judged(text: str) -> None:
    assert dependence_of(text, LOANS) in Dependence


@pytest.mark.parametrize("piece", ["it ", "and ", "this that it? ", "the first one. ", "a,b;", "¿y eso "])
def test_a_pasted_file_takes_no_time(piece: str) -> None:
    started = time.process_time()
    for _ in range(10):
        dependence_of(piece * 8000, LOANS)
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize("query", ["¿y quién lo inventó?", "¿y cuánto cuesta?", "y dónde se compra"])
def test_a_question_behind_a_spanish_and_names_no_topic(query: str) -> None:
    assert dependence_of(query, past(("What is CrossLab?", "A comparison."))) is Dependence.INCOMPLETE


@pytest.mark.parametrize("query", ["¿Y CrossLab?", "¿y el módulo de fechas?"])
def test_a_topic_behind_a_spanish_and_stands_alone(query: str) -> None:
    assert dependence_of(query, past(("¿Qué es addVar?", "Un mandato."))) is Dependence.STANDALONE


@pytest.mark.parametrize(
    ("query", "stands"),
    [
        ("what licence applies", True),
        ("¿qué licencia tiene?", True),
        ("what happens if a student dies", True),
        ("how much does a mortgage cost", True),
        ("how much is it?", False),  # points
        ("¿cuánto cuesta?", False),  # says of nothing what it costs
        ("and what licence?", False),  # goes on
        ("how does it differ from a mortgage?", False),
        ("¿en qué se diferencia de una hipoteca?", False),
        ("licences", False),  # no whole question
        ("", False),
    ],
)
def test_a_whole_question_that_may_stand_by_itself(query: str, *, stands: bool) -> None:
    assert may_stand(query) is stands


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("what is a mortgage?", True),  # nobody spoke of one
        ("¿para qué sirve Euribor?", True),
        ("q es kubernetes", True),
        ("does addLoan raise an error?", True),
        ("what is a college?", False),  # the answer did
        ("what is the rate?", False),
        ("what does it do?", False),
        ("and Euribor?", False),
    ],
)
def test_a_question_that_names_what_it_is_about(query: str, *, names: bool) -> None:
    assert names_its_subject(query, LOANS) is names
