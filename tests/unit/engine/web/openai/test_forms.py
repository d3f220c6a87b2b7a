"""Requests field by field, and the objects of responses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.errors import InvalidInput
from engine.v1 import engine_pb2 as pb
from engine.web.openai.errors import UnknownModel
from engine.web.openai.forms import Completion, Exchanged, chat_request, cited_places, finish_reason, object_of, sources

USER = {"role": "user", "content": "¿qué es addVar?"}


def body(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "assist", "messages": list(messages) or [USER], **fields}


def answer(**fields: Any) -> pb.AgentResponse:
    cited = [pb.Citation(number=1, document="a.md", heading="A > B"), pb.Citation(number=2, document="b.md")]
    return pb.AgentResponse(text="So [1], and [2], and [1].", citations=cited, outcome=pb.COMPLETE, **fields)


def test_the_last_message_is_the_question_and_the_others_are_history() -> None:
    read = chat_request(
        body(
            {"role": "system", "content": "Calls: 12."},
            {"role": "user", "content": "left without an answer"},
            {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "tool", "content": "7"},
            {"role": "assistant", "content": "three"},
            {"role": "developer", "content": "Be kind."},
            USER,
        )
    )
    assert read.query == "¿qué es addVar?"
    assert read.instructions == "Calls: 12.\n\nBe kind."
    assert read.before == (Exchanged("one\ntwo", "three"),)


@pytest.mark.parametrize(
    ("model", "type_", "context"),
    [
        ("assist", pb.QUERY_TYPE_UNSPECIFIED, ""),
        ("assist:retrieval", pb.RETRIEVAL, ""),
        ("assist:code", pb.CODE_GENERATION, ""),
        ("assist:conversational", pb.CONVERSATIONAL, ""),
        ("assist:platform", pb.PLATFORM, "Calls: 12."),
    ],
)
def test_a_model_declares_its_type_and_figures_go_to_the_platform(model: str, type_: int, context: str) -> None:
    read = chat_request(body({"role": "system", "content": "Calls: 12."}, USER) | {"model": model})
    request = read.agent_request("s-1")
    assert (request.query_type, request.extra_context, request.session_id) == (type_, context, "s-1")


def test_fields_of_the_engines_own_go_along() -> None:
    own = {"editor_content": "var x", "selected_text": "x", "extra_context": "Calls: 7", "user_info": "Ana"}
    read = chat_request(body(session_id="mine", **own))
    assert read.session_id == "mine"
    request = read.agent_request("mine")
    assert {name: getattr(request, name) for name in own} == own
    assert chat_request(body(session_id="")).session_id == ""


def test_what_only_a_model_would_need_is_read_over() -> None:
    read = chat_request(body(temperature=0.2, max_tokens=5, tools=[], n=1, response_format={"type": "text"}, user="u"))
    assert not read.stream
    assert not read.with_usage


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"model": None}, "model"),
        ({"model": 7}, "model"),
        ({"messages": None}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": ["hi"]}, "messages[0]"),
        ({"messages": [{"role": "king", "content": "hi"}]}, "messages[0].role"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": 7}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": ["hi"]}]}, "messages[0].content[0]"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages[0].content[0]"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": 7}]}]}, "messages[0].content[0].text"),
        ({"messages": [USER, {"role": "assistant", "content": "hi"}]}, "messages"),
        ({"messages": [{"role": "system", "content": "hi"}]}, "messages"),
        ({"n": 2}, "n"),
        ({"stream": "yes"}, "stream"),
        ({"stream": True, "stream_options": []}, "stream_options"),
        ({"stream": True, "stream_options": {"include_usage": 1}}, "stream_options.include_usage"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"session_id": 7}, "session_id"),
    ],
)
def test_a_wrong_field_is_named(changed: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        chat_request(body() | changed)
    assert caught.value.field == field


def test_an_unknown_model_is_told_which_there_are() -> None:
    with pytest.raises(UnknownModel, match=r"'gpt-x' is not served; there are assist, assist:retrieval"):
        chat_request(body() | {"model": "gpt-x"})


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"7", b"\xff", b"[" * 100_000])
def test_a_body_is_a_json_object(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="body"):
        object_of(data)


def test_half_of_a_character_does_not_reach_protobuf() -> None:
    read = chat_request(json.loads(json.dumps(body({"role": "user", "content": "a\ud800"}))))
    assert read.agent_request("").SerializeToString()


def test_sources_stand_below_the_text_and_places_in_it() -> None:
    assert sources(answer()) == "\n\n---\n[1] a.md — A > B\n[2] b.md"
    assert sources(pb.AgentResponse(text="x")) == ""
    places = [place["url_citation"] for place in cited_places(answer())]
    assert [(place["url"], answer().text[place["start_index"] : place["end_index"]]) for place in places] == [
        ("a.md", "[1]"),
        ("a.md", "[1]"),
        ("b.md", "[2]"),
    ]


def test_a_whole_completion() -> None:
    used = answer(usage=pb.Usage(prompt_tokens=3, completion_tokens=4))
    whole = Completion("id-1", 5, "assist").whole(used)
    assert (whole["id"], whole["object"], whole["created"], whole["model"]) == ("id-1", "chat.completion", 5, "assist")
    assert whole["usage"] == {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    assert whole["choices"][0]["message"]["content"].startswith(used.text)


def test_an_answer_that_was_cut_short_says_so() -> None:
    assert finish_reason(answer()) == "stop"
    assert finish_reason(pb.AgentResponse(outcome=pb.PARTIAL)) == "length"
