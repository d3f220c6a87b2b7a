"""Answers about code that a caller shows, without a model."""

from __future__ import annotations

import pytest

from classifier.decision import QueryType
from classifier.dialogue_act.acts import DialogueAct
from engine.bootstrap import MODEL_DIR
from engine.domain import Evidence, Passage
from engine.generation.extractive.shown_code.answering import ShownCode
from engine.generation.extractive.shown_code.python_outline import broken_at
from engine.generation.port import Prompt
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.text import messages
from engine.text.language import Language

EN, ES = Language.ENGLISH, Language.SPANISH
CODE, RETRIEVAL = QueryType.CODE_GENERATION, QueryType.RETRIEVAL
PYTHON = (
    'def area(width, height):\n    """The area of a rectangle."""\n    size = width * height\n    return round(size)\n'
)
AVAP = "addVar(tries, 3)\naddResult(tries)"
ADD_VAR = Evidence(2, Passage("p2", "v.md", "Variables", "Variables > addVar", "addVar sets a variable. It is short."))
OTHER = Evidence(5, Passage("p5", "x.md", "Loops", "Loops > startLoop", "startLoop repeats a block."))


@pytest.fixture(scope="module")
def shown_code() -> ShownCode:
    return ShownCode(OnnxEmbedder(MODEL_DIR, 1))


def test_python_is_told_by_its_parser_and_nothing_unrelated_is_quoted(shown_code: ShownCode) -> None:
    prompt = Prompt(CODE, "explain the selected function", evidence=(OTHER,), editor=True, selected_text=PYTHON)
    said = shown_code.answer(prompt)
    assert "`area(width, height)` is a function" in said
    assert "The area of a rectangle." in said
    assert "It calls `round`. It sets `size`. It returns `round(size)`." in said
    assert said.endswith(messages.CODE_SEEN[EN])
    assert "startLoop" not in said


def test_commands_are_told_by_the_passages_headed_with_them(shown_code: ShownCode) -> None:
    prompt = Prompt(CODE, "qué hace el código seleccionado", evidence=(OTHER, ADD_VAR), editor=True, selected_text=AVAP)
    assert shown_code.answer(prompt) == f"addVar sets a variable. [2]\n\n{messages.CODE_SEEN[ES]}"


def test_a_line_is_quoted_with_its_context(shown_code: ShownCode) -> None:
    said = shown_code.answer(Prompt(RETRIEVAL, "what happens on line 3?", editor_content=PYTHON))
    assert said.startswith("Line 3:\n\n```\n  1  def area(width, height):")
    assert "> 3      size = width * height\n" in said
    assert "It sets `size`. It stands in `area(width, height)`." in said


def test_a_line_of_commands_is_told_by_the_documents(shown_code: ShownCode) -> None:
    said = shown_code.answer(Prompt(RETRIEVAL, "¿qué pasa en la línea 1?", evidence=(ADD_VAR,), editor_content=AVAP))
    assert said.startswith("Línea 1:")
    assert "addVar sets a variable. [2]" in said


def test_a_line_that_is_not_there_is_said_to_be_none(shown_code: ShownCode) -> None:
    said = shown_code.answer(Prompt(RETRIEVAL, "what does line 9 say", selected_text=AVAP))
    assert said == messages.NO_LINE[EN].format(count=2, place=9)


@pytest.mark.parametrize(
    ("query", "act", "language"),
    [
        ("fix the failing call", DialogueAct.NONE, EN),
        ("documenta la selección", DialogueAct.NONE, ES),
        ("in the other notation", DialogueAct.CONVERT, EN),
    ],
)
def test_changing_code_needs_a_model(shown_code: ShownCode, query: str, act: DialogueAct, language: Language) -> None:
    prompt = Prompt(CODE, query, evidence=(ADD_VAR,), editor=True, selected_text=AVAP, act=act)
    assert shown_code.answer(prompt) == messages.CODE_NEEDS_MODEL[language]


def test_code_that_nothing_is_known_of_is_said_to_be_so(shown_code: ShownCode) -> None:
    prompt = Prompt(CODE, "explain this function", editor=True, selected_text="fn main() { go(); }")
    assert shown_code.answer(prompt) == messages.CODE_UNREAD[EN]


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("import os\n\ndef area(width, height:\n    return width * height\n", 3),
        ("    from math import pi\n    print(pi\n", 2),
        ("class Box:\n    def open(self):\n        if self.shut\n            return\n", 3),
    ],
)
def test_where_python_cannot_be_read_is_said(shown_code: ShownCode, code: str, place: int) -> None:
    for query, language in (("what is wrong with this code?", EN), ("explica este código", ES)):
        said = shown_code.answer(Prompt(CODE, query, editor=True, selected_text=code))
        problem = broken_at(code)
        assert problem is not None
        assert said == messages.CODE_BROKEN[language].format(place=place, problem=problem[1])


@pytest.mark.parametrize("code", ["fn main() { go(); }", "import java.util.List;\nclass A { void b( { } }", "x = 1\n"])
def test_what_is_no_python_or_is_read_has_no_such_place(code: str) -> None:
    assert broken_at(code) is None


@pytest.mark.parametrize(
    "prompt",
    [
        Prompt(CODE, "explain this function"),
        Prompt(CODE, "explain this function", selected_text="  \n"),
        Prompt(QueryType.PLATFORM, "what is on line 2 of my invoice", editor_content=PYTHON),
        Prompt(RETRIEVAL, "how do I return a value?", editor_content=PYTHON),
        Prompt(CODE, "how do I use addVar", evidence=(ADD_VAR,), editor=True, selected_text=PYTHON),
    ],
    ids=["no code", "blank code", "the account", "not about the code", "about a documented command"],
)
def test_what_is_not_about_shown_code_is_left_to_the_documents(shown_code: ShownCode, prompt: Prompt) -> None:
    assert shown_code.answer(prompt) == ""
