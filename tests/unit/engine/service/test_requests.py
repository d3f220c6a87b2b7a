from __future__ import annotations

from typing import Any

import pytest

from classifier.decision import IntentEntry, QueryType
from engine.domain import Relation
from engine.errors import InvalidInput
from engine.service import requests
from engine.v1 import engine_pb2 as pb


def turn(**fields: Any) -> Any:
    return requests.turn(pb.AgentRequest(**({"query": "hi"} | fields)), principal="me", deadline=None)


def test_every_field_arrives() -> None:
    made = turn(
        session_id="s",
        editor_content="e",
        selected_text="t",
        extra_context="c",
        user_info="u",
        query_type="PLATFORM",
        request_id="r",
    )
    assert (made.query, made.session_id, made.principal, made.request_id) == ("hi", "s", "me", "r")
    assert (made.editor_content, made.selected_text, made.extra_context, made.user_info) == ("e", "t", "c", "u")
    assert made.declared is QueryType.PLATFORM


def test_no_type_is_for_the_engine_to_decide() -> None:
    assert turn().declared is None


def test_a_caller_without_a_session_gets_a_new_one_each_time() -> None:
    assert len({turn().session_id for _ in range(5)} | {""}) == 6


@pytest.mark.parametrize("query", ["", " ", "\n\t", "\u2003"])
def test_a_blank_query_is_refused(query: str) -> None:
    with pytest.raises(InvalidInput, match="query: is empty"):
        turn(query=query)


@pytest.mark.parametrize(
    "field", ["query", "extra_context", "editor_content", "selected_text", "user_info", "session_id", "request_id"]
)
def test_a_field_may_be_as_long_as_its_limit_and_no_longer(field: str) -> None:
    most = requests.LIMITS[field]
    turn(**{field: "x" * most})
    with pytest.raises(InvalidInput, match=f"{field}: has {most + 1} bytes; at most {most} are allowed"):
        turn(**{field: "x" * (most + 1)})


def test_bytes_count_not_characters() -> None:
    with pytest.raises(InvalidInput, match="session_id: has 202 bytes"):
        turn(session_id="ñ" * 101)


@pytest.mark.parametrize("number", [5, 99, -1])
def test_an_unknown_type_names_those_that_are_known(number: int) -> None:
    with pytest.raises(InvalidInput, match=r"query_type: .* is not a query type; allowed are .*PLATFORM \(4\)"):
        turn(query_type=number)


def test_history_that_is_given_wins_over_that_of_the_session() -> None:
    stored = (IntentEntry(QueryType.RETRIEVAL, "old"),)
    request = pb.ClassifyRequest(query="x", history=[pb.IntentHistoryEntry(type="PLATFORM", query="new")])
    assert requests.classify_query(request, stored).history == (IntentEntry(QueryType.PLATFORM, "new"),)
    assert requests.classify_query(pb.ClassifyRequest(query="x"), stored).history == stored


def test_history_without_a_type_is_refused_by_place() -> None:
    history = [pb.IntentHistoryEntry(type="PLATFORM"), pb.IntentHistoryEntry(query="x")]
    with pytest.raises(InvalidInput, match=r"history\[1\].type: is required"):
        requests.classify_query(pb.ClassifyRequest(query="x", history=history), ())


def test_evidence_beside_the_text_is_seen_by_presence() -> None:
    query = requests.classify_query(
        pb.ClassifyRequest(query="x", selected_text="a", editor_content=" ", extra_context="c"), ()
    )
    assert (query.has_selection, query.has_editor, query.has_context) == (True, False, True)


@pytest.mark.parametrize(("size", "result"), [(0, 50), (1, 1), (200, 200)])
def test_the_size_of_a_page(size: int, result: int) -> None:
    assert requests.page_size(pb.ListSessionsRequest(page_size=size)) == result


@pytest.mark.parametrize("size", [-1, 201])
def test_too_large_a_page_is_refused(size: int) -> None:
    with pytest.raises(InvalidInput, match="page_size: must be from 1 to 200"):
        requests.page_size(pb.ListSessionsRequest(page_size=size))


@pytest.mark.parametrize(
    ("given", "type_", "relation"),
    [
        ({"type": "PLATFORM"}, QueryType.PLATFORM, None),
        ({"relation": "HISTORY_RECALL"}, None, Relation.HISTORY_RECALL),
        ({"type": "PLATFORM", "relation": "NEW_TOPIC_PROCEDURAL"}, QueryType.PLATFORM, Relation.NEW_TOPIC_PROCEDURAL),
    ],
)
def test_a_correction_is_of_the_type_or_the_relation_or_both(
    given: dict[str, Any], type_: QueryType | None, relation: Relation | None
) -> None:
    assert requests.correction(pb.CorrectTurnRequest(turn_id="t", **given)) == ("t", type_, relation)


def test_a_correction_says_what_it_needs() -> None:
    with pytest.raises(InvalidInput, match="rating: 7 is not a rating; allowed are UP"):
        requests.rating(pb.RateTurnRequest(turn_id="t", rating=7))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="turn_id: is required"):
        requests.correction(pb.CorrectTurnRequest(type="PLATFORM"))
    with pytest.raises(InvalidInput, match="type or relation: is required"):
        requests.correction(pb.CorrectTurnRequest(turn_id="t"))
    with pytest.raises(InvalidInput, match=r"relation: 9 is not a relation; allowed are .*HISTORY_RECALL"):
        requests.correction(pb.CorrectTurnRequest(turn_id="t", relation=9))  # type: ignore[arg-type]


def test_golden_cases_are_checked_by_place() -> None:
    good = pb.GoldenCase(query="q", type="RETRIEVAL")
    assert requests.golden_cases(pb.EvaluateRagRequest(cases=[good]))[0].type is QueryType.RETRIEVAL
    for bad, field in ((pb.GoldenCase(type="RETRIEVAL"), "query"), (pb.GoldenCase(query="q"), "type")):
        with pytest.raises(InvalidInput, match=rf"cases\[1\].{field}"):
            requests.golden_cases(pb.EvaluateRagRequest(cases=[good, bad]))


def test_a_negative_limit_is_refused() -> None:
    assert requests.limit(pb.EvaluateRagRequest()) == 0
    with pytest.raises(InvalidInput, match="limit"):
        requests.limit(pb.EvaluateRagRequest(limit=-1))
