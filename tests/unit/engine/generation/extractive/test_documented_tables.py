"""What tables of documents say to a question, with the bundled encoder."""

from __future__ import annotations

from contextlib import aclosing

import pytest

from classifier.decision import QueryType
from engine.domain import Evidence, Exchange, Passage, Relation
from engine.generation.extractive.answerer import ExtractiveAnswerer
from engine.generation.port import Prompt, Token
from engine.text import messages
from engine.text.language import Language
from tests.account_cases import encoder

COURSES = """| Course | Days | Price |
| --- | --- | --- |
| Pottery for beginners | Mondays | 80 € |
| Watercolour | Tuesdays and Fridays | 65 € |
| Life drawing | Wednesdays | 110 € |
| Etching | Saturdays | 95 € |"""
TALLER = """| Curso | Lunes a viernes | Sábados |
| --- | --- | --- |
| Cerámica | 17:00 a 20:00 | 10:00 a 13:00 |
| Grabado | 16:00 a 19:00 | cerrado |
| Dibujo | 18:00 a 21:00 | 11:00 a 14:00 |"""
NEAR = Evidence(1, Passage("p1", "art.md", "Art school", "Courses", COURSES))
HOURS = Evidence(2, Passage("p2", "taller.md", "Taller", "Horario", TALLER))
TALK = Evidence(
    3, Passage("p3", "art.md", "Art school", "Rules", "The most that is asked of a course is to be in time.")
)


async def answered(
    query: str,
    *evidence: Evidence,
    question: str = "",
    before: str = "",
    last: str = "Told. [9]",
    language: Language = Language.ENGLISH,
) -> str:
    prompt = Prompt(
        QueryType.RETRIEVAL,
        query,
        evidence=evidence,
        question=question,
        history=(Exchange(before, last, 9),) if before else (),
        relation=Relation.CONTEXTUAL_FOLLOW_UP if before else Relation.NEW_TOPIC_INFORMATIONAL,
        language=language,
    )
    async with aclosing(ExtractiveAnswerer(encoder()).stream(prompt)) as pieces:
        return "".join([piece.text async for piece in pieces if isinstance(piece, Token)])


@pytest.mark.parametrize(
    ("query", "said"), [("which course is the cheapest?", "65 €"), ("and the most expensive one?", "110 €")]
)
async def test_the_most_and_the_least_of_a_table_are_named(query: str, said: str) -> None:
    before = "" if query.startswith("which") else "which course is the cheapest?"
    question, last = f"{query} course" if before else "", "The least is Watercolour — Price: 65 €. [1]"
    text = await answered(query, TALK, NEAR, question=question, before=before, last=last)
    assert said in text
    assert "[1]" in text
    assert "|" not in text


async def test_the_row_and_the_column_that_are_asked_for_are_quoted_alone() -> None:
    text = await answered("¿qué horario tiene la cerámica los sábados?", HOURS, language=Language.SPANISH)
    assert "10:00 a 13:00" in text
    assert "17:00" not in text
    assert "Grabado" not in text


async def test_a_follow_up_names_the_row_and_the_question_before_it_the_column() -> None:
    text = await answered(
        "¿y el grabado?",
        HOURS,
        question="¿y el grabado? qué horario tiene la cerámica los sábados",
        before="¿qué horario tiene la cerámica los sábados?",
        language=Language.SPANISH,
    )
    assert text.endswith("Grabado — Sábados: cerrado. [2]")
    assert "Cerámica" not in text


async def test_a_name_alone_behind_a_question_of_yes_or_no_is_answered_by_its_figure() -> None:
    text = await answered(
        "and the price?",
        NEAR,
        question="and the price? is there a course in etching",
        before="is there a course in etching?",
    )
    assert "95 €" in text
    assert "Yes" not in text


PLANS = """| Plan | Price per month | Meeting hours |
| --- | --- | --- |
| Part-time | £120 | 2 |
| Full-time | £210 | 6 |"""
DEFAULTS = "| Option | Default |\n| --- | --- |\n| `retries` | 3 |\n| `backoff` | 10 |"


async def test_rows_that_one_word_may_mean_are_not_added() -> None:
    fares = """| Vehicle | Gannet Isle |
| --- | --- |
| Motorcycle, single | £11.00 |
| Motorhome up to 8 m, single | £48.00 |
| Bicycle | £2.00 |"""
    ferry = Evidence(4, Passage("p4", "ferry.md", "Ferry", "Fares", fares))
    text = await answered("¿Cuánto cuesta llevar una moto a Gannet Isle?", ferry, language=Language.SPANISH)
    assert "59" not in text
    assert "£11.00" in text


async def test_two_columns_that_the_question_does_not_put_together_are_not_multiplied() -> None:
    plans = Evidence(4, Passage("p4", "desk.md", "Desk", "Memberships", PLANS))
    text = await answered("how much would the full-time plan cost me more per month", plans)
    assert "1260" not in text
    assert "£210" in text
    packs = "| Concepto | Precio |\n| --- | --- |\n| Clase | 32 € |\n| Bono de 10 | 290 € |\n| Libro | 35 € |"
    bono = Evidence(5, Passage("p5", "escuela.md", "Escuela", "Precios", packs))
    text = await answered("cuánto me sale el bono de 10 clases de nieve", bono, language=Language.SPANISH)
    assert "2900" not in text


async def test_the_least_of_a_table_of_something_else_is_not_told() -> None:
    options = Evidence(6, Passage("p6", "queue.md", "Queue", "Options", DEFAULTS))
    rules = Evidence(7, Passage("p7", "hall.md", "Hall", "Courses", "The shortest course takes 90 minutes."))
    assert "retries" not in await answered("which course is the shortest?", rules, options)
    assert "65 €" in await answered("which course is the cheapest?", options, NEAR)


HALLS = """| Hall | Fee per month | Seats |
| --- | --- | --- |
| North hall | 40 euros | 120 |
| Garden hall | 25 euros | 60 |
| Attic | 18 euros | 35 |"""


async def test_the_least_is_told_with_the_whole_name_of_its_column() -> None:
    halls = Evidence(1, Passage("p9", "halls.md", "Halls", "Our halls", HALLS))
    text = await answered("which hall has the lowest fee?", halls)
    assert text == "The least is Attic — Fee per month: 18 euros. [1]"


@pytest.mark.parametrize(
    ("query", "language", "word"),
    [
        ("Which textbook is Watercolour taught from?", Language.ENGLISH, "“textbook”"),
        ("¿Qué horno tiene el curso de grabado?", Language.SPANISH, "«horno»"),
    ],
)
async def test_what_a_named_row_lacks_is_said_before_what_it_has(query: str, language: Language, word: str) -> None:
    text = await answered(query, NEAR if language is Language.ENGLISH else HOURS, language=language)
    assert text.startswith(messages.NOTHING_ABOUT[language].format(name=word[1:-1]))
    assert "[1]" in text or "[2]" in text


async def test_what_a_row_has_in_other_words_is_said_without_doubt() -> None:
    assert "nothing" not in await answered("How much does Watercolour cost?", NEAR)
    assert "nothing" not in await answered("On which weekday is Etching?", NEAR)
