"""Names of shown code, its parts and its faults, told without a model."""

from __future__ import annotations

import pytest

from classifier.decision import QueryType
from engine.bootstrap import MODEL_DIR
from engine.domain import Evidence, Passage
from engine.generation.extractive.shown_code.answering import ShownCode
from engine.generation.extractive.shown_code.named_things import inventory, named_in
from engine.generation.port import Prompt
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.text import messages
from engine.text.language import Language

EN, ES = Language.ENGLISH, Language.SPANISH
CODE, RETRIEVAL = QueryType.CODE_GENERATION, QueryType.RETRIEVAL
SHOP = '''\
import csv
from pathlib import Path


class Till:
    """Takes money."""

    def open(self, float=20):
        self.cash = float
        return self.cash

    def close(self):
        return round(self.cash, 2)


def totals(path, skip=1):
    rows = list(csv.reader(Path(path).open()))
    return sum(int(row[1]) for row in rows[skip:])
'''
AVAP = """\
// greets somebody
addParam(name, guest)
addVar(text, `hello ${guest}`)
if(guest, , !=)
  addResult(text)
end()
"""
ROUND = Evidence(3, Passage("p", "x.md", "Maths", "Maths > round", "round cuts decimals."))


@pytest.fixture(scope="module")
def shown_code() -> ShownCode:
    return ShownCode(OnnxEmbedder(MODEL_DIR, 1))


@pytest.mark.parametrize(
    ("query", "code", "told"),
    [
        ("what does totals give back?", SHOP, "It returns `sum((int(row[1]) for row in rows[skip:]))`."),
        ("which methods has Till got?", SHOP, "Its methods are `open`, `close`."),
        ("¿qué hace la clase Till?", SHOP, "Su docstring dice: «Takes money.»"),
        ("what is the default of skip?", SHOP, "`skip` is a parameter of `totals(path, skip=1)`."),
        ("in which line is text used?", AVAP, "`text` stands in lines 3, 5."),
        ("¿en qué línea se llama a addParam?", AVAP, "`addParam` está en la línea 2."),
    ],
)
def test_a_name_of_the_code_is_told_with_its_lines(shown_code: ShownCode, query: str, code: str, told: str) -> None:
    said = shown_code.answer(Prompt(RETRIEVAL, query, editor_content=code))
    assert told in said
    assert said.endswith("```")


def test_the_lines_are_quoted_with_their_numbers(shown_code: ShownCode) -> None:
    said = shown_code.answer(Prompt(RETRIEVAL, "where is guest used?", editor_content=AVAP))
    assert "2  addParam(name, guest)\n3  addVar(text, `hello ${guest}`)\n4  if(guest, , !=)\n" in said


def test_what_documents_describe_is_left_to_them_unless_its_place_is_asked_for() -> None:
    assert named_in("what does addVar do?", AVAP, {"addVar"}) is None
    assert named_in("what does addVar do?", AVAP, set()) is not None
    found = named_in("in which line is addVar?", AVAP, {"addVar"})
    assert found is not None
    assert found.lines == (3,)


@pytest.mark.parametrize(
    "query",
    [
        "what does a variable cost?",  # a word of the language, that the code has as a name too
        "how do I open a file with the text of a letter?",
        "which names are there?",
        "is there a problem?",
    ],
)
def test_words_of_ordinary_language_are_no_names(query: str) -> None:
    assert named_in(query, AVAP.replace("guest", "a"), set()) is None


def test_a_definition_of_the_code_goes_before_a_section_of_its_name(shown_code: ShownCode) -> None:
    code = "def round(value):\n    return int(value)\n"
    prompt = Prompt(RETRIEVAL, "what does round return?", evidence=(ROUND,), editor_content=code)
    assert "It returns `int(value)`." in shown_code.answer(prompt)


def test_all_that_python_has() -> None:
    seen = inventory(SHOP)
    assert seen.lines == 18
    assert seen.imports == ("csv", "pathlib.Path")
    assert seen.defines == ("Till", "totals(path, skip=1)")
    assert set(seen.calls) >= {"round", "list", "csv.reader", "sum"}
    assert "rows" in seen.names


def test_all_that_commands_have() -> None:
    seen = inventory(AVAP)
    assert (seen.lines, seen.imports, seen.defines) == (6, (), ())
    assert seen.calls == ("addParam", "addVar", "if", "addResult", "end")
    assert seen.names == ("name", "guest", "text")


@pytest.mark.parametrize(
    ("query", "code", "told"),
    [
        ("how many lines are there in this file?", SHOP, "The code that is shown has 18 lines."),
        ("which packages does the script import?", SHOP, "It imports `csv`, `pathlib.Path`."),
        ("¿qué variables tiene el fragmento?", AVAP, "A sus llamadas se les pasa `name`, `guest`, `text`."),
    ],
)
def test_its_parts_are_listed(shown_code: ShownCode, query: str, code: str, told: str) -> None:
    assert told in shown_code.answer(Prompt(RETRIEVAL, query, editor_content=code))


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def f(:\n    return 1\n", "Python's parser stops at line 1"),
        (SHOP, messages.CODE_READ[EN]),
        (AVAP, messages.FAULTS_NEED_MODEL[EN]),
    ],
)
def test_faults_are_told_as_far_as_a_parser_sees_them(shown_code: ShownCode, code: str, told: str) -> None:
    assert told in shown_code.answer(Prompt(RETRIEVAL, "are there mistakes in my code?", editor_content=code))


def test_what_documents_are_asked_is_not_answered_from_the_code(shown_code: ShownCode) -> None:
    for query in ("how do I read a cookie of the request?", "which command makes a list?"):
        assert shown_code.answer(Prompt(RETRIEVAL, query, editor_content=SHOP)) == ""


def test_a_change_of_code_that_is_shown_needs_a_model(shown_code: ShownCode) -> None:
    said = shown_code.answer(Prompt(CODE, "write a docstring for the class", editor_content=SHOP))
    assert said == messages.CODE_NEEDS_MODEL[EN]


def test_what_stands_inside_a_definition_is_told_of_it_alone(shown_code: ShownCode) -> None:
    said = shown_code.answer(Prompt(RETRIEVAL, "in which line is the return of totals?", editor_content=SHOP))
    assert "`return` stands in line 18." in said


def test_a_fault_of_a_name_is_no_wish_to_have_it_told(shown_code: ShownCode) -> None:
    said = shown_code.answer(Prompt(RETRIEVAL, "is there a mistake in totals?", editor_content=SHOP))
    assert said == messages.CODE_READ[EN]


def test_parts_are_told_where_the_message_sounds_like_asking_for_abilities(shown_code: ShownCode) -> None:
    prompt = Prompt(QueryType.CONVERSATIONAL, "¿qué funciones hay en el archivo?", editor_content=SHOP)
    assert "Define `Till`, `totals(path, skip=1)`." in shown_code.parts(prompt)
    assert shown_code.parts(Prompt(QueryType.CONVERSATIONAL, "what can you do for me?", editor_content=SHOP)) == ""
    assert shown_code.parts(Prompt(QueryType.CONVERSATIONAL, "¿qué funciones hay en el archivo?")) == ""
