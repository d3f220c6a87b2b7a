from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.ingestion.formats.json_records import json_to_markdown
from engine.retrieval.port import Document

REFERENCE = {
    "title": "Manual",
    "version": "1.0",
    "commands": [
        {
            "name": "addVar",
            "category": "Variables",
            "description": "Declares a variable.",
            "parameters": [
                {"name": "target", "type": "variable", "description": "Its name"},
                {"name": "value", "type": "value", "description": "What it holds", "optional": True},
            ],
            "returns": None,
            "example": 'addVar(total, 0)\naddVar(name, "Alice")',
        },
        {"name": "end", "description": "Ends a block.", "parameters": []},
    ],
}


def passages(value: Any) -> dict[str, str]:
    title, text = json_to_markdown(json.dumps(value))
    parts = chunk(Document(name="d", title=title, text=text, kind="markdown", source="/d", digest=""))
    return {part.passage.heading: part.passage.text for part in parts}


def test_every_object_of_a_list_is_a_passage() -> None:
    assert list(passages(REFERENCE)) == ["", "Commands > addVar", "Commands > end"]


def test_a_record_reads_like_a_reference() -> None:
    assert passages(REFERENCE)["Commands > addVar"] == (
        "Declares a variable.\n\n"
        "Category: Variables\n\n"
        "Parameters:\n"
        "- target (variable): Its name\n"
        "- value (value): What it holds; optional: true\n\n"
        "Example:\n```\n"
        'addVar(total, 0)\naddVar(name, "Alice")\n'
        "```"
    )


def test_what_stands_around_the_records_is_kept() -> None:
    assert "Version: 1.0" in passages(REFERENCE)[""]


def test_the_title_is_the_documents_own() -> None:
    assert json_to_markdown(json.dumps(REFERENCE))[0] == "Manual"
    assert json_to_markdown('{"name": "ISA", "x": 1}')[0] == "ISA"
    assert json_to_markdown('[{"name": "not me"}]')[0] == ""


def test_an_object_of_objects_names_its_records_by_key() -> None:
    value = {"version": 1, "instructions": {"NOP": {"opcode": 0, "description": "Nothing"}, "POP": {"opcode": 2}}}
    assert passages(value) == {
        "": "Version: 1",
        "Instructions > NOP": "Nothing\n\nOpcode: 0",
        "Instructions > POP": "Opcode: 2",
    }


def test_a_list_of_objects_alone() -> None:
    assert passages([{"id": 7, "text": "seven"}, {"text": "eight"}]) == {"7": "seven", "2": "eight"}


def test_containers_may_be_nested() -> None:
    value = {"groups": {"text": {"commands": [{"name": "upper", "description": "Big."}]}}}
    assert passages(value) == {"groups > text > Commands > upper": "Big."}


def test_sentences_are_a_list() -> None:
    rules = json.dumps({"rules": ["Towels are not lent.", "Bring a coin\nfor the locker."]})
    assert json_to_markdown(rules)[1] == "Rules:\n- Towels are not lent.\n- Bring a coin for the locker.\n"
    assert json_to_markdown(json.dumps({"days": ["Monday", "9 to 5."]}))[1] == "Days: Monday, 9 to 5.\n"


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({"a": True}, "A: true"),
        ({"a": False}, "A: false"),
        ({"a": None, "b": 1}, "B: 1"),
        ({"a": []}, "A: none"),
        ({"a": {}}, "A: none"),
        ({"a": 1.5}, "A: 1.5"),
        ({"a_long_key": "x"}, "A long key: x"),
        ({"a": [1, "two", None]}, "A: 1, two, none"),
        ({"a": {"b": 1, "c": [2, 3]}, "d": 1}, "A: b: 1; c: 2, 3"),
        ([1, 2], "1, 2"),
        ("text", "text"),
        (3, "3"),
    ],
)
def test_plain_values_are_a_line(value: Any, line: str) -> None:
    assert line in json_to_markdown(json.dumps(value))[1]


def test_one_line_examples_are_code_too() -> None:
    assert "Example:\n```\nf(x)\n```" in passages([{"name": "f", "example": "f(x)"}])["f"]


def test_a_list_of_examples_is_one_fence() -> None:
    assert "Examples:\n```\nf(1)\nf(2)\n```" in passages([{"name": "f", "examples": ["f(1)", "f(2)"]}])["f"]


def test_a_fence_in_a_value_does_not_end_the_fence_around_it() -> None:
    text = passages([{"name": "f", "example": "```\ninner\n```"}, {"name": "g", "x": 1}])
    assert list(text) == ["f", "g"]
    assert "````" in text["f"]


@pytest.mark.parametrize(
    "description", ["# not a heading", "## deep\nmore", "```\nnot closed", "title\n===", "a\n---\nb"]
)
def test_a_description_cannot_break_the_structure(description: str) -> None:
    assert list(passages([{"name": "f", "description": description}, {"name": "g", "x": 1}])) == ["f", "g"]


@pytest.mark.parametrize(
    "name", ["__init__", "a*b*c", "if(x) ... end()", "[link](x)", "has `marks`", "#", "two\nlines"]
)
def test_a_name_is_not_markup(name: str) -> None:
    expected = " ".join(name.replace("`", "'").split())
    assert list(passages([{"name": name, "x": 1}, {"name": "g", "x": 1}])) == [expected, "g"]


@pytest.mark.parametrize("text", ["", "{", "not json", '{"a": 1} trailing', "[" * 100_000])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|Extra data|nested too deeply"):
        json_to_markdown(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 99) | st.text("abc xyz\n#`-", max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["name", "description", "example", "type", "items", "kind", "id"]), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(VALUES)
def test_no_word_is_left_out(value: Any) -> None:
    _, text = json_to_markdown(json.dumps(value))
    written = set(re.findall(r"[a-z]+", text.lower()))
    assert set(re.findall(r"[a-z]+", _strings(value).lower())) <= written


def _strings(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(_strings(part) for part in value.values())
    if isinstance(value, list):
        return " ".join(_strings(part) for part in value)
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(
    ("members", "headings"),
    [
        ([{"code": 404, "says": "Not there."}, {"code": 500, "says": "Broken."}], ["Code 404", "Code 500"]),
        ([{"city": "Lugo", "days": 2}, {"city": "Vigo", "days": 2}], ["Lugo", "Vigo"]),
        ([{"days": 2, "city": "Lugo"}, {"days": 2, "city": "Vigo"}], ["Lugo", "Vigo"]),  # the first that tells apart
        ([{"days": 2}, {"days": 2}], ["1", "2"]),
        ([{"on": True, "kind": "a"}, {"on": False, "kind": "a"}], ["1", "2"]),  # yes and no are no names
        ([{"city": "Lugo"}], ["1"]),  # of one nothing has to be told apart
        ([{"city": "x" * 80}, {"city": "y" * 80}], ["1", "2"]),
        ([{"text": "Not there.", "n": 1}, {"text": "Broken.", "n": 1}], ["1", "2"]),  # what is told is no name
        ([{"code": 404, "id": "lost"}, {"code": 500, "id": "broken"}], ["lost", "broken"]),
    ],
)
def test_records_without_a_name_are_called_by_what_tells_them_apart(members: Any, headings: list[str]) -> None:
    found = passages({"title": "Errors", "kind": "list", "errors": members})
    assert [heading for heading in found if heading] == headings


def test_what_names_a_record_is_not_said_again() -> None:
    errors = [{"code": 404, "says": "Lost."}, {"code": 500, "says": "Broken."}]
    assert [*passages({"kind": "list", "errors": errors}).values()][1:] == ["Says: Lost.", "Says: Broken."]
