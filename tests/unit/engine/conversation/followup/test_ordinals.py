from __future__ import annotations

from dataclasses import replace

import pytest

from classifier.decision import Layer, QueryType
from engine.conversation.followup.ordinals import Item, item_meant, listed
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Outcome, Part, Recall

LIST = "- Install it [1].\n- Index a folder [2].\n- Ask [3]."
TABLE = "| Kiln | Heat |\n|---|---|\n| Ember | 900 |\n| Flare | 1200 |"
ROWS = "Kilns: Ember — Heat: 900. [1] Flare — Heat: 1200; Shelves: 4. [1] Glow — Heat: 700. [2]"

HEADED = "readAll: Reads a table. [1] read_row(place): Reads a row. [2]\n\n```\nopen_it(x)\nreadAll(x)\nclose_it(x)\n```\n\n[1]"


def said(number: int, query: str, answer: str) -> TurnRecord:
    return TurnRecord(
        f"t{number}", "ana", "s", query, answer, QueryType.RETRIEVAL, Layer.LLM, Outcome.COMPLETE, 1.0, number
    )


def meant(query: str, *turns: TurnRecord) -> Item | None:
    return item_meant(query, Conversation(turns=len(turns), recent=turns))


@pytest.mark.parametrize(
    ("query", "question", "answer", "text", "alone"),
    [
        ("more on the second one", "How do I begin?", LIST, "Index a folder", False),
        ("háblame del tercero", "¿Cómo empiezo?", LIST, "Ask", False),
        ("el último, por favor", "¿Cómo empiezo?", LIST, "Ask", False),
        ("number 2?", "readFile or openFile?", "They differ.", "openFile", True),
        ("the first of these", "Which are there?", "Use readFile, then closeFile.", "readFile", True),
        ("the last", "Which are there?", "Use readFile, then closeFile.", "closeFile", True),
        ("and the 2nd?", "Which kilns are there?", TABLE, "Flare", False),
        ("¿y la última?", "¿Qué hornos hay?", ROWS, "Glow", False),
        ("and the second?", "difference between ReadAll and ReadOne", "ReadOne: One row. [1]", "ReadOne", True),
        ("¿y el primero?", "¿en qué se diferencian el pino y el roble?", "Ambos arden. [1]", "pino", True),
        ("the second one", "How do I read?", HEADED, "read_row", True),
    ],
)
def test_what_an_ordinal_means(query: str, question: str, answer: str, text: str, *, alone: bool) -> None:
    found = meant(query, said(1, question, answer))
    assert found is not None
    assert (found.text, found.alone) == (text, alone)


@pytest.mark.parametrize(
    ("query", "question", "answer"),
    [
        ("the fifth one", "How do I begin?", LIST),
        ("tell me more", "How do I begin?", LIST),
        ("the second one", "What is it?", "A thing."),
        ("the second one", "What is readFile?", "It reads."),
        ("How long does it last?", "How do I begin?", LIST),  # no ordinal
        ("Who wrote the second largest file?", "How do I begin?", LIST),  # of a noun of its own
        ("What is the first of May called?", "How do I begin?", LIST),
        ("¿Qué es lo primero que se indexa?", "¿Cómo empiezo?", LIST),
        ("¿Cuál es la última versión del motor?", "¿Cómo empiezo?", LIST),
        ("does it include the last number?", "How do I count?", HEADED),  # the noun is a common one
        ("¿y la primera vez?", "¿Cómo empiezo?", LIST),
        ("is the last one counted?", "How do I count?", "count_up: From 1 on. [1]\n\n```\ncount_up(x)\nstop_it()\n```"),
    ],
)
def test_what_none_of_them_is_meant_by(query: str, question: str, answer: str) -> None:
    assert meant(query, said(1, question, answer)) is None


@pytest.mark.parametrize(
    ("query", "whole"),
    [
        ("How long does the second one take?", "How long does Index a folder take?"),
        ("Who needs the third?", "Who needs Ask?"),
        ("¿Cuánto tarda el segundo en acabar?", "¿Cuánto tarda Index a folder en acabar?"),
        ("¿El segundo cuánto tarda?", "¿Index a folder cuánto tarda?"),
        ("¿Cuándo hace falta hablar del primero?", "¿Cuándo hace falta hablar de Install it?"),
        ("and the second one?", ""),
        ("¿y la tercera?", ""),
        ("what about the last one?", ""),
    ],
)
def test_a_message_is_read_with_it_in_its_place(query: str, whole: str) -> None:
    found = meant(query, said(1, "How do I begin?", LIST))
    assert found is not None
    assert found.query == whole


def test_an_item_with_a_name_is_called_by_it() -> None:
    passes = "- Day pass: 12 euros, for one line\n- Season pass: 90 euros, for all lines until October [1]."
    found = meant("when does the second one end?", said(1, "Which passes are there?", passes))
    assert found is not None
    assert found.query == "when does Season pass end?"
    assert found.text.startswith("Season pass: 90")


def test_it_is_of_the_latest_turn_that_told_several_things() -> None:
    turns = (said(1, "Which kilns are there?", ROWS), said(2, "How do I begin?", LIST), said(3, "Is it safe?", "Yes."))
    latest, before = (meant("who made the second one?", *told) for told in (turns, (turns[0], turns[2])))
    assert latest is not None
    assert before is not None
    assert [(one.text, one.sequence) for one in (latest, before)] == [("Index a folder", 2), ("Flare", 1)]


@pytest.mark.parametrize(
    ("query", "place"),
    [("Which was the third one?", 3), ("¿Cuál era la segunda?", 2), ("and what's the last one?", -1)],
)
def test_what_it_is_is_said_again(query: str, place: int) -> None:
    found = meant(query, said(1, "How do I begin?", LIST))
    assert found is not None
    assert found.recall == Recall(Part.ITEM, place)
    named = meant(query, replace(said(1, "readFile, openFile or seekFile?", "They differ."), sequence=2))
    assert named is None or named.recall is None


@pytest.mark.parametrize(
    ("answer", "things"),
    [
        (LIST, ["Install it [1].", "Index a folder [2].", "Ask [3]."]),
        (TABLE, ["Ember", "Flare"]),
        (ROWS, ["Ember", "Flare", "Glow"]),
        ("It is so. [1] That — as said: no row [2]", []),
        ("A thing.", []),
    ],
)
def test_the_things_that_an_answer_lists(answer: str, things: list[str]) -> None:
    assert listed(answer) == things or len(listed(answer)) < 2 > len(things)
