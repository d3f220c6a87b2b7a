"""What the tools take and give, as models and as the schemas that assistants are shown."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import InvalidInput
from engine.mcp.forms import (
    Answered,
    Found,
    QuestionArguments,
    RouteTaken,
    SearchArguments,
    input_schema,
    output_schema,
    read,
)

TYPES = ["RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL", "PLATFORM"]


def test_a_question_alone_is_enough() -> None:
    asked = read(QuestionArguments, {"query": "what is it?"})
    assert (asked.query, asked.session, asked.type) == ("what is it?", "", None)
    assert (asked.editor_content, asked.selected_text, asked.extra_context) == ("", "", "")


@pytest.mark.parametrize(("session", "type_"), [("session", "type"), ("session_id", "query_type")])
def test_arguments_are_read_by_our_names_and_by_those_of_the_wire(session: str, type_: str) -> None:
    asked = read(QuestionArguments, {"query": "q", session: "s-1", type_: "PLATFORM"})
    assert (asked.session, asked.type) == ("s-1", "PLATFORM")


@pytest.mark.parametrize("type_", TYPES)
def test_every_query_type_may_be_declared(type_: str) -> None:
    assert read(QuestionArguments, {"query": "q", "type": type_}).type == type_


@pytest.mark.parametrize(
    ("arguments", "field", "problem"),
    [
        ({}, "query", "field required"),
        ({"query": None}, "query", "should be a valid string"),
        ({"query": ["a", "b"]}, "query", "should be a valid string"),
        ({"query": "q", "type": "retrieval"}, "type", "'retrieval', 'code_generation'"),
        ({"query": "q", "session": 3}, "session", "should be a valid string"),
        ({"query": "q", "selection": "code"}, "selection", "extra inputs are not permitted"),
        ({"query": "q", "x" * 500: 1}, "x" * 100, "extra inputs are not permitted"),
    ],
)
def test_the_first_wrong_argument_is_named(arguments: dict[str, Any], field: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match="the arguments are query, session, type, editor_content") as raised:
        read(QuestionArguments, arguments)
    assert raised.value.field == field
    assert problem in str(raised.value)


@pytest.mark.parametrize("k", [1, 50])
def test_a_search_gives_up_to_fifty_passages(k: int) -> None:
    assert read(SearchArguments, {"query": "q", "k": k}).k == k


@pytest.mark.parametrize("k", [0, 51, -1, "8", 2.5, True])
def test_other_numbers_of_passages_are_refused(k: object) -> None:
    with pytest.raises(InvalidInput, match=r"^k: .*; the arguments are query, k$"):
        read(SearchArguments, {"query": "q", "k": k})


def test_what_is_wrong_is_told_without_what_was_sent() -> None:
    with pytest.raises(InvalidInput) as raised:
        read(QuestionArguments, {"query": "q", "type": "canary"})
    assert "canary" not in str(raised.value)


def test_the_schema_of_a_question_has_one_name_for_each_argument() -> None:
    schema = input_schema(QuestionArguments)
    assert schema["required"] == ["query"]
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == {
        "query", "session", "type", "editor_content", "selected_text", "extra_context",
    }  # fmt: skip
    assert {"enum": TYPES, "type": "string"} in schema["properties"]["type"]["anyOf"]
    assert all(argument["description"] for argument in schema["properties"].values())


@pytest.mark.parametrize("form", [Answered, Found, RouteTaken])
def test_the_schema_of_a_result_requires_all_that_it_names(form: Any) -> None:
    schema = output_schema(form)
    assert schema["type"] == "object"
    assert set(schema["required"]) == set(schema["properties"])
