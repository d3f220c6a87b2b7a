from __future__ import annotations

from dataclasses import replace

import pytest

from classifier.decision import Layer, QueryType
from engine.conversation.followup.history_recall import (
    MANY,
    about_what_was_said,
    asks_back,
    find,
    is_about,
    recall_in,
    recall_in_another_form,
    summed_up,
)
from engine.conversation.store.port import Said, TurnRecord
from engine.domain import Outcome, Part, Recall, Relation

ASKED, ANSWERED, ITEM, TOPICS = Part.QUESTION, Part.ANSWER, Part.ITEM, Part.TOPICS


@pytest.mark.parametrize(
    ("message", "part", "place", "about"),
    [
        ("What was my first question?", ASKED, 1, ()),
        ("What's my first question?", ASKED, 1, ()),
        ("what was the very first thing I asked you?", ASKED, 1, ()),
        ("What was my last question?", ASKED, -1, ()),
        ("what did I just ask?", ASKED, -1, ()),
        ("what was my second question?", ASKED, 2, ()),
        ("What was my 3rd question?", ASKED, 3, ()),
        ("what was my second to last question", ASKED, -2, ()),
        ("what did I ask before?", ASKED, 0, ()),
        ("what have I asked so far?", ASKED, 0, ()),
        ("remind me what I asked", ASKED, 0, ()),
        ("What did I ask about loops?", ASKED, 0, ("loops",)),
        ("do you remember my first question?", ASKED, 1, ()),
        ("¿Cuál fue mi primera pregunta?", ASKED, 1, ()),
        ("cual era mi ultima pregunta", ASKED, -1, ()),
        ("¿cuál fue mi tercera pregunta?", ASKED, 3, ()),
        ("¿qué te pregunté antes?", ASKED, 0, ()),
        ("que te pregunte antes", ASKED, 0, ()),
        ("¿qué te pregunté sobre bucles?", ASKED, 0, ("bucles",)),
        ("¿qué te he preguntado hasta ahora?", ASKED, 0, ()),
        ("¿qué fue lo primero que te pregunté?", ASKED, 1, ()),
        ("cuanto te he preguntado que tardaba el tren al principio?", ASKED, 1, ()),
        ("how long did I ask you what it takes at the start", ASKED, 1, ()),
        ("What did you say about addVar?", ANSWERED, 0, ("addVar",)),
        ("what did you tell me about the first loop?", ANSWERED, 0, ("loop",)),
        ("what was your last answer?", ANSWERED, -1, ()),
        ("what was your answer to my second question?", ANSWERED, 2, ()),
        ("what did you just say?", ANSWERED, -1, ()),
        ("tell me again what you said about addVar", ANSWERED, 0, ("addVar",)),
        ("do you remember what you said about addVar?", ANSWERED, 0, ("addVar",)),
        ("¿qué me dijiste sobre addVar?", ANSWERED, 0, ("addVar",)),
        ("que me has dicho de addVar", ANSWERED, 0, ("addVar",)),
        ("¿cuál fue tu última respuesta?", ANSWERED, -1, ()),
        ("repite lo que me dijiste sobre addVar", ANSWERED, 0, ("addVar",)),
        ("what was the third item of your list?", ITEM, 3, ()),
        ("the last point of your answer", ITEM, -1, ()),
        ("give me item 2 of your list", ITEM, 2, ()),
        ("the second step you mentioned", ITEM, 2, ()),
        ("¿cuál era el tercer elemento de tu lista?", ITEM, 3, ()),
        ("y de la caldera, cual era el paso 3?", ITEM, 3, ("caldera",)),
        ("about the kiln again, what was the second step?", ITEM, 2, ("kiln",)),
        ("el punto 2 de tu lista", ITEM, 2, ()),
        ("do you remember what we talked about?", TOPICS, 0, ()),
        ("What have we discussed so far?", TOPICS, 0, ()),
        ("summarize our conversation", TOPICS, 0, ()),
        ("¿recuerdas de qué hablamos?", TOPICS, 0, ()),
        ("¿de qué hemos hablado?", TOPICS, 0, ()),
        ("¿te acuerdas de lo de antes?", TOPICS, 0, ()),
        ("resume nuestra conversación", TOPICS, 0, ()),
    ],
)
def test_what_is_asked_for(message: str, part: Part, place: int, about: tuple[str, ...]) -> None:
    assert recall_in(message) == Recall(part, place, about)


@pytest.mark.parametrize(
    "message",
    [
        "What is feature 1?",
        "What about CrossLab?",
        "What does the question mark operator do?",
        "How do I read the first item of a list in AVAP?",
        "What is the third parameter of addParam?",
        "Tell me more about the first one.",
        "Tell me more about the third item of your list",
        "Based on what you told me, calculate the cutoff",
        "According to what you said, which one is faster?",
        "Según lo que me dijiste, ¿cuál es más rápido?",
        "con lo que me has dicho, escribe un ejemplo",
        "¿qué es una pregunta parametrizada?",
        "¿qué pasa cuando el usuario pregunte algo?",
        "how do I remember a variable between requests?",
        "what is your answer format",
        "¿Cómo respondo a una petición?",
        "hello",
        "",
        "？？？？",
    ],
)
def test_what_asks_for_something_else(message: str) -> None:
    assert not asks_back(message) or recall_in(message) is None


@pytest.mark.parametrize(
    ("message", "recall"),
    [
        ("the last three as bullets please", Recall(ANSWERED, -1, count=3)),
        ("las dos ultimas respuestas en una tabla", Recall(ANSWERED, -1, count=2)),
        ("your last 2 answers in a list", Recall(ANSWERED, -1, count=2)),
        ("haz una lista con lo que me dijiste del esmalte", Recall(ANSWERED, 0, ("esmalte",), count=0)),
        ("put what you told me about glaze in a table", Recall(ANSWERED, 0, ("glaze", "table"), count=0)),
        ("the last two sentences as a list", None),
        ("make a list of the glazes", None),
        ("shorter", None),
    ],
)
def test_what_is_wished_in_another_form(message: str, recall: Recall | None) -> None:
    assert recall_in_another_form(message) == recall


@pytest.mark.parametrize(
    ("message", "topic"),
    [
        ("sum up the kiln", "kiln"),
        ("summarise the part about the raku kiln in two sentences", "raku kiln"),
        ("can you give me a short summary of glazes?", "glazes"),
        ("and what about the raku kiln in one sentence", "raku kiln"),
        ("resume lo del esmalte en una frase", "esmalte"),
        ("¿puedes resumirme en dos frases lo de los hornos?", "hornos"),
        ("hazme un resumen de los turnos", "turnos"),
        ("sum that up", ""),
        ("una frase, por favor", ""),
        ("resume tu respuesta", ""),
        ("resume lo que me dijiste del horno", ""),
        ("summarise our conversation", ""),
        ("how do I get a summary of the orders?", ""),
        ("explain the summary field", ""),
    ],
)
def test_what_is_to_be_summed_up(message: str, topic: str) -> None:
    assert summed_up(message) == topic


def test_a_turn_is_about_what_its_question_names_or_was_given() -> None:
    turn = said(1, "and its heat?", "It is hot [1].", cited=(1,), search_query="and its heat? raku kiln")
    assert is_about(turn, "raku kiln")
    assert not is_about(turn, "glaze")
    assert not is_about(replace(turn, cited=()), "raku kiln")


@pytest.mark.parametrize(
    "message", ["con lo que me has dicho, escribe un ejemplo", "Given what we said, is it allowed?"]
)
def test_what_uses_what_was_said_asks_for_something_new(message: str) -> None:
    assert recall_in(message) is None


@pytest.mark.parametrize(
    ("message", "part", "about"),
    [
        ("你剛才說了什麼？", ANSWERED, ()),
        ("我第一個問的是什麼？", ASKED, ()),
        ("我們聊過什麼？", TOPICS, ()),
        ("Tenías una respuesta sobre la hipoteca, ¿la puedo ver otra vez?", TOPICS, ("hipoteca",)),
        ("I've forgotten what you said on kilns.", ANSWERED, ("kilns",)),
        ("Which point on glazes did you make?", ANSWERED, ("glazes",)),
        ("¿Qué contestaste al hablar del esmalte?", ANSWERED, ("esmalte",)),
        ("would you repeat what I wanted to know about clay", ASKED, ("clay",)),
    ],
)
def test_whose_words_are_asked_for_is_told_by_the_person(message: str, part: Part, about: tuple[str, ...]) -> None:
    assert recall_in(message) == Recall(part, 0, about)


def said(number: int, query: str, answer: str = "It is so.", **more: object) -> TurnRecord:
    record = TurnRecord(
        f"t{number}", "ana", "s", query, answer, QueryType.RETRIEVAL, Layer.LLM, Outcome.COMPLETE, 1.0, number
    )
    return replace(record, **more)  # type: ignore[arg-type]


TURNS = tuple(
    Said.of(one)
    for one in (
        said(1, "hello", "Hello!", type=QueryType.CONVERSATIONAL),
        said(2, "What is addVar?", "It adds a variable [1].", cited=(1,)),
        said(3, "How do loops end?", "- At endLoop [1].\n- At break [2].\n- At addVar [1].", cited=(1, 2)),
        said(4, "shorter", "- At endLoop [1].", type=QueryType.CONVERSATIONAL),
        said(5, "Who made it?", "", outcome=Outcome.FAILED),
        said(6, "What did you say about loops?", "At endLoop.", relation=Relation.HISTORY_RECALL),
    )
)


@pytest.mark.parametrize(
    ("recall", "sequences"),
    [
        (Recall(ASKED, 1), [2]),
        (Recall(ASKED, 2), [3]),
        (Recall(ASKED, 3), [5]),
        (Recall(ASKED, -1), [6]),
        (Recall(ASKED, -2), [5]),
        (Recall(ASKED, 9), []),
        (Recall(ASKED, -9), []),
        (Recall(ASKED), [2, 3, 5, 6]),
        (Recall(TOPICS), [2, 3, 6]),
        (Recall(ASKED, 0, ("loops",)), [3]),
        (Recall(ANSWERED, 0, ("addVar",)), [2]),
        (Recall(ANSWERED, 0, ("addvars",)), [2]),
        (Recall(ANSWERED, 0, ("break",)), [3]),
        (Recall(ANSWERED, 0, ("CrossLab",)), []),
        (Recall(ANSWERED, 0, ("CrossLab", "laboratories", "addVar")), []),
        (Recall(ANSWERED, 2), [3]),
        (Recall(ANSWERED), [6]),
        (Recall(ITEM, 1), [4]),
        (Recall(ANSWERED, -1, count=2), [2, 3]),
        (Recall(ANSWERED, 0, ("addVar",), count=0), [2, 3]),
        (Recall(ITEM, 1, ("end", "loops")), [3]),
        (Recall(ITEM, 1, ("kiln",)), [4]),
        (Recall(ITEM, 3), [3]),
        (Recall(ITEM, -1), [4]),
        (Recall(ITEM, 4), []),
    ],
)
def test_the_turns_that_hold_it(recall: Recall, sequences: list[int]) -> None:
    assert [turn.sequence for turn in find(recall, TURNS) or ()] == sequences


def test_a_session_of_courtesies_has_its_first_message_as_its_first_question() -> None:
    assert find(Recall(ASKED, 1), TURNS[:1]) == TURNS[:1]


def test_a_question_to_the_assistant_itself_is_one() -> None:
    whoami = Said.of(said(1, "who are you?", "An assistant.", type=QueryType.CONVERSATIONAL))
    assert find(Recall(ASKED, 1), (whoami, *TURNS[1:])) == (whoami,)


def test_only_the_last_of_many_questions_are_told() -> None:
    turns = [Said.of(said(number, f"What is loop {number}?")) for number in range(1, 101)]
    assert find(Recall(ASKED), turns) == tuple(turns[-MANY:])
    assert find(Recall(ASKED, 0, ("loop",)), turns) == (turns[-1],)


@pytest.mark.parametrize(
    ("message", "about"),
    [
        ("what were the Sunday hours you told me?", ("Sunday",)),
        ("what price did you say?", ("price",)),
        ("what did you say?", ()),
        ("¿qué me dijiste de los domingos?", ("domingos",)),  # its own subject
        ("what did you say last?", ()),
    ],
)
def test_a_recall_is_about_what_it_names_of_what_was_said(message: str, about: tuple[str, ...]) -> None:
    turns = (
        said(1, "When are you open?", "On Sunday from nine to one."),
        said(2, "What does it cost?", "The price is 4 euros."),
    )
    found = about_what_was_said(recall_in(message), message, turns)
    assert found is not None
    assert found.about == about


def test_what_was_asked_is_left_as_it_is() -> None:
    asked = recall_in("what was my first question?")
    assert about_what_was_said(asked, "what was my first question?", (said(1, "First?", "Yes."),)) == asked
    assert about_what_was_said(None, "Sunday", ()) is None


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("repeat your first answer", 1),
        ("repite la segunda respuesta", 2),
        ("your penultimate reply as a list", -2),
        ("repite lo primero que me dijiste", 1),
        ("say the second thing you told me again", 2),
        ("repeat your last answer", None),  # the last one is what a wish for another form means anyway
        ("repeat the first step", None),
        ("make that shorter", None),
    ],
)
def test_an_answer_by_its_place_in_another_form(message: str, place: int | None) -> None:
    found = recall_in_another_form(message)
    assert found == (None if place is None else Recall(ANSWERED, place))
