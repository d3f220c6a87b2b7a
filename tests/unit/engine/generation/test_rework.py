from __future__ import annotations

import pytest

from classifier.decision import QueryType
from engine.domain import Exchange
from engine.generation import wording
from engine.generation.port import Prompt
from engine.generation.rework import as_list, as_table, converse, recall, shorter
from engine.language import Language

EN, ES = Language.ENGLISH, Language.SPANISH
ANSWER = (
    "addVar adds a variable [1]. It has a type [2]. It lives as long as the session [1]. Remove it with delVar [3]."
)
HISTORY = (Exchange("What is addVar?", "It adds a variable [1]."), Exchange("And its type?", ANSWER))


def talk(query: str, *, history: tuple[Exchange, ...] = HISTORY, first: str = "What is addVar?") -> Prompt:
    return Prompt(QueryType.CONVERSATIONAL, query, history=history, first_query=first)


@pytest.mark.parametrize("query", ["Give me that as a list", "as bullet points please", "ponlo en una lista"])
def test_as_a_list(query: str) -> None:
    assert converse(talk(query)) == (
        "- addVar adds a variable [1].\n- It has a type [2].\n- It lives as long as the session [1].\n"
        "- Remove it with delVar [3]."
    )


@pytest.mark.parametrize("query", ["en menos palabras", "shorter", "summarize that", "resúmelo", "tl;dr"])
def test_shorter(query: str) -> None:
    assert converse(talk(query)) == "addVar adds a variable [1]. It has a type [2]."


@pytest.mark.parametrize("query", ["as a table", "ponlo en una tabla"])
def test_as_a_table(query: str) -> None:
    rows = converse(talk(query)).splitlines()
    assert rows[:2] == ["| # | |", "| --- | --- |"]
    assert rows[2] == "| 1 | addVar adds a variable [1]. |"
    assert len(rows) == 6


@pytest.mark.parametrize("query", ["repeat that", "otra vez"])
def test_again(query: str) -> None:
    assert converse(talk(query)) == ANSWER


@pytest.mark.parametrize("query", ["translate it into French", "explain it like a pirate"])
def test_what_needs_a_model_says_so_and_gives_the_answer_as_it_was(query: str) -> None:
    assert converse(talk(query)) == wording.NEEDS_MODEL[EN].format(answer=ANSWER)


@pytest.mark.parametrize("form", [as_list, as_table, shorter])
def test_a_rework_keeps_code_whole_or_leaves_it_out(form: type) -> None:
    code = "```avap\naddVar(x, 1)\n```\n\n[2]"
    reworked = form(f"It adds a variable. [1]\n\nFor example:\n\n{code}")
    assert (code in reworked) or ("addVar(x" not in reworked and "[2]" not in reworked)


def test_a_bar_in_a_table_is_escaped() -> None:
    assert as_table("Use a | b here.").splitlines()[2:] == ["| 1 | Use a \\| b here. |"]


def test_an_answer_with_marks_behind_the_stops_is_made_shorter_too() -> None:
    assert shorter("One is here. [1] Two is there. [2]") == "One is here. [1]"


def test_a_lone_sentence_ends_at_its_first_clause_and_keeps_its_mark() -> None:
    assert shorter("addVar adds a variable, which lives as long as the session [4].") == "addVar adds a variable. [4]"


def test_code_alone_cannot_be_shortened() -> None:
    assert shorter("```\nx\n```") == "```\nx\n```"


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("What was my first question?", wording.FIRST_QUESTION[EN].format(query="What is addVar?")),
        ("¿cuál fue mi primera pregunta?", wording.FIRST_QUESTION[ES].format(query="What is addVar?")),
        ("What was my last question?", wording.LAST_QUESTION[EN].format(query="And its type?")),
        ("What did you say?", wording.LAST_ANSWER[EN].format(answer=ANSWER)),
        ("¿de qué hablamos?", f"{wording.QUESTIONS[ES]}\n1. What is addVar?\n2. And its type?"),
    ],
)
def test_recall(query: str, says: str) -> None:
    assert recall(talk(query)) == says


def test_talk_about_what_was_asked_is_recall() -> None:
    prompt = talk("¿recuerdas mi primera pregunta?")
    assert converse(prompt) == recall(prompt) == wording.FIRST_QUESTION[ES].format(query="What is addVar?")


def test_the_first_question_may_lie_before_the_window() -> None:
    prompt = talk("What was my first question?", first="Hello there?")
    assert recall(prompt) == wording.FIRST_QUESTION[EN].format(query="Hello there?")


def test_recall_without_history() -> None:
    assert recall(talk("What was my first question?", history=(), first="")) == wording.NO_HISTORY[EN]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("hola", wording.GREETING[ES]),
        ("Hello", wording.GREETING[EN]),
        ("muchas gracias", wording.THANKS[ES]),
        ("adiós", wording.FAREWELL[ES]),
        ("what can you do?", wording.ABILITIES[EN]),
        ("ok", wording.ACKNOWLEDGED[EN]),
    ],
)
@pytest.mark.parametrize("history", [(), HISTORY])
def test_courtesies(query: str, says: str, history: tuple[Exchange, ...]) -> None:
    assert converse(talk(query, history=history)) == says


def test_a_rework_of_nothing() -> None:
    assert converse(talk("en menos palabras", history=())) == wording.NO_HISTORY[ES]
