"""Every RPC over the wire, with good input and bad."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from engine.client import AssistanceClient
from engine.errors import InvalidInput, NotFound
from engine.v1 import engine_pb2 as pb

SERVICE = "engine.v1.AssistanceService"


@pytest.fixture
async def channel(service: Any) -> AsyncIterator[Any]:
    async with grpc.aio.insecure_channel(service.address) as opened:
        yield opened


async def status(call: Any) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value.code(), caught.value.details() or ""


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"query": ""}, "query: is empty"),
        ({"query": " \n\t "}, "query: is empty"),
        ({"query": "x" * 40_960}, "query: has 40960 bytes; at most 32768 are allowed"),
        ({"query": "ñ" * 20_000}, "query: has 40000 bytes; at most 32768 are allowed"),
        ({"query": "hi", "query_type": 99}, "query_type: 99 is not a query type"),
        ({"query": "hi", "session_id": "s" * 201}, "session_id: has 201 bytes"),
        ({"query": "hi", "extra_context": "x" * 131_073}, "extra_context: has 131073 bytes"),
    ],
)
async def test_bad_input_names_the_field(channel: Any, fields: dict[str, Any], told: str) -> None:
    request = pb.AgentRequest(**fields).SerializeToString()
    code, text = await status(channel.unary_unary(f"/{SERVICE}/AskAgent")(request))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert text.startswith(told)


@pytest.mark.parametrize(
    "method", ["AskAgent", "Classify", "GetSession", "ListSessions", "DeleteSession", "CorrectTurn"]
)
async def test_bytes_that_are_no_request_are_refused(channel: Any, method: str) -> None:
    code, text = await status(channel.unary_unary(f"/{SERVICE}/{method}")(b"\xff\xff\xff"))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert text.startswith("request: is not a engine.v1.")


async def test_too_large_a_request_is_refused(channel: Any) -> None:
    code, text = await status(channel.unary_unary(f"/{SERVICE}/AskAgent")(b"x" * 300_000))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert text == "request: has 300000 bytes; at most 262144 are allowed"


async def test_an_error_while_streaming_is_a_status_too(channel: Any) -> None:
    call = channel.unary_stream(f"/{SERVICE}/AskAgentStream")(pb.AgentRequest(query="").SerializeToString())
    code, text = await status(call.read())
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert text.startswith("query: is empty")


async def test_a_request_id_of_the_caller_comes_back(channel: Any) -> None:
    call = channel.unary_unary(f"/{SERVICE}/Classify")(
        pb.ClassifyRequest(query="hi").SerializeToString(), metadata=(("x-request-id", "mine-7"),)
    )
    assert dict(await call.initial_metadata())["x-request-id"] == "mine-7"
    await call


async def test_a_request_id_that_could_break_a_log_line_is_replaced(channel: Any) -> None:
    call = channel.unary_unary(f"/{SERVICE}/Classify")(
        pb.ClassifyRequest(query="hi").SerializeToString(), metadata=(("x-request-id", "a b [classify] L1"),)
    )
    assert dict(await call.initial_metadata())["x-request-id"].isalnum()
    await call


async def test_the_same_request_twice_is_one_turn(client: AssistanceClient) -> None:
    request_id = uuid.uuid4().hex
    first = await client.ask("What is addVar in AVAP?", request_id=request_id)
    second = await client.ask("What is addVar in AVAP?", request_id=request_id, session_id=first.session_id)
    third = await client.ask("What is addVar in AVAP?", request_id=request_id)
    assert second.turn_id == first.turn_id == third.turn_id
    assert second.text == first.text
    assert [c.passage_id for c in third.citations] == [c.passage_id for c in first.citations]
    assert len((await client.session(first.session_id)).turns) == 1


async def test_a_dry_run_has_every_layers_opinion_and_stores_nothing(client: AssistanceClient) -> None:
    route = await client.classify("You are a direct and concise assistant. Sum up.")
    assert route.type == pb.PLATFORM
    assert route.layer == pb.PREFIX
    assert [opinion.layer for opinion in route.opinions] == [pb.PREFIX, pb.EMBEDDING]
    assert all(opinion.milliseconds > 0 for opinion in route.opinions)


async def test_a_dry_run_uses_the_history_it_is_given(client: AssistanceClient) -> None:
    entry = pb.IntentHistoryEntry(type="CODE_GENERATION", query="Write a loop")
    assert (await client.classify("explain this", history=[entry, entry])).type == pb.CODE_GENERATION


async def test_a_session_is_remembered_listed_and_forgotten(client: AssistanceClient) -> None:
    session_id = uuid.uuid4().hex
    answer = await client.ask("What is addVar in AVAP?", session_id=session_id)
    session = await client.session(session_id)
    assert [(turn.sequence, turn.query, turn.text) for turn in session.turns] == [
        (1, "What is addVar in AVAP?", answer.text)
    ]
    assert [c.passage_id for c in session.turns[0].citations] == [c.passage_id for c in answer.citations]
    assert session_id in [summary.session_id for summary in (await client.sessions()).sessions]
    assert await client.delete_session(session_id) == 1
    with pytest.raises(NotFound):
        await client.session(session_id)
    with pytest.raises(NotFound):
        await client.delete_session(session_id)


async def test_turns_of_a_session_come_in_pages(client: AssistanceClient) -> None:
    session_id = uuid.uuid4().hex
    mine = [(await client.ask("thanks", session_id=session_id)).turn_id for _ in range(5)]
    first = await client.call("GetSession", pb.GetSessionRequest(session_id=session_id, page_size=3))
    assert [turn.turn_id for turn in first.turns] == mine[:3]
    token = first.next_page_token
    rest = await client.call("GetSession", pb.GetSessionRequest(session_id=session_id, page_size=3, page_token=token))
    assert [turn.turn_id for turn in rest.turns] == mine[3:]
    assert rest.next_page_token == ""
    with pytest.raises(InvalidInput, match="page_size"):
        await client.call("GetSession", pb.GetSessionRequest(session_id=session_id, page_size=201))
    with pytest.raises(InvalidInput, match="page_token"):
        await client.call("GetSession", pb.GetSessionRequest(session_id=session_id, page_token="made up"))


@pytest.mark.parametrize(
    ("cases", "told"),
    [
        ([{}] * 501, "cases: there are 501; at most 500 are allowed"),
        ([{"query": "x" * 32_769}], "cases[0].query: has 32769 bytes"),
        ([{"query": "q"}, {"query": "q", "id": "i" * 201}], "cases[1].id: has 201 bytes"),
        ([{"query": "q", "facts": ["f"] * 101}], "cases[0].facts: there are 101; at most 100 are allowed"),
        ([{"query": "q", "relevant": [{}] * 101}], "cases[0].relevant: there are 101"),
    ],
)
async def test_an_evaluation_has_sizes_of_its_own(
    client: AssistanceClient, cases: list[dict[str, Any]], told: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        [event async for event in client.evaluate([pb.GoldenCase(**{"type": "RETRIEVAL", **case}) for case in cases])]
    assert str(caught.value).startswith(told)


async def test_sessions_come_in_pages(client: AssistanceClient) -> None:
    mine = [uuid.uuid4().hex for _ in range(3)]
    for session_id in mine:
        await client.ask("thanks", session_id=session_id)
    first = await client.sessions(page_size=2)
    second = await client.sessions(page_size=2, page_token=first.next_page_token)
    assert [s.session_id for s in first.sessions] == mine[:0:-1]
    assert second.sessions[0].session_id == mine[0]
    with pytest.raises(InvalidInput, match="page_token"):
        await client.sessions(page_token="made up")
    with pytest.raises(InvalidInput, match="page_size"):
        await client.sessions(page_size=500)


async def test_a_turn_is_corrected(client: AssistanceClient) -> None:
    answer = await client.ask("What is addVar in AVAP?")
    corrected = await client.correct_turn(answer.turn_id, "PLATFORM")
    assert (corrected.type, corrected.previous_type) == (pb.PLATFORM, pb.RETRIEVAL)
    assert (await client.session(answer.session_id)).turns[0].corrected_type == pb.PLATFORM
    related = await client.correct_turn(answer.turn_id, relation="CONTEXTUAL_FOLLOW_UP")
    assert (related.type, related.relation) == (pb.PLATFORM, pb.CONTEXTUAL_FOLLOW_UP)
    assert related.previous_relation == answer.route.relation == pb.NEW_TOPIC_INFORMATIONAL
    (turn,) = (await client.session(answer.session_id)).turns
    assert (turn.corrected_type, turn.corrected_relation) == (pb.PLATFORM, pb.CONTEXTUAL_FOLLOW_UP)
    with pytest.raises(NotFound, match="turn_id"):
        await client.correct_turn("unknown", "PLATFORM")
    with pytest.raises(InvalidInput, match="type or relation: is required"):
        await client.correct_turn(answer.turn_id, "QUERY_TYPE_UNSPECIFIED")


async def test_a_turn_is_rated_and_its_session_named(client: AssistanceClient) -> None:
    answer = await client.ask("What is addVar in AVAP?")
    rated = await client.rate_turn(answer.turn_id, "DOWN", "  it says nothing of scope\n")
    assert (rated.rating, rated.reason) == (pb.DOWN, "it says nothing of scope")
    assert await client.rename_session(answer.session_id, "  Variables \n of AVAP ") == "Variables of AVAP"
    session = await client.session(answer.session_id)
    assert (session.name, session.turns[0].rating) == ("Variables of AVAP", pb.DOWN)
    assert session.turns[0].rating_reason == "it says nothing of scope"
    (listed,) = (await client.sessions(page_size=1)).sessions
    assert (listed.session_id, listed.name) == (answer.session_id, "Variables of AVAP")
    await client.rate_turn(answer.turn_id, "RATING_UNSPECIFIED", "forgotten with the rating")
    assert (await client.session(answer.session_id)).turns[0].rating_reason == ""
    with pytest.raises(NotFound, match="turn_id"):
        await client.rate_turn("unknown", "UP")
    with pytest.raises(NotFound, match="session_id"):
        await client.rename_session("unknown", "Mine")
    with pytest.raises(InvalidInput, match="name: has 401 bytes; at most 400"):
        await client.rename_session(answer.session_id, "n" * 401)


@pytest.mark.parametrize("method", ["GetSession", "DeleteSession", "RenameSession"])
async def test_an_id_is_required(channel: Any, method: str) -> None:
    code, text = await status(channel.unary_unary(f"/{SERVICE}/{method}")(b""))
    assert (code, text) == (grpc.StatusCode.INVALID_ARGUMENT, "session_id: is required")


async def test_an_evaluation_reports_progress_and_then_figures(client: AssistanceClient) -> None:
    events = [event async for event in client.evaluate(limit=3)]
    assert [event.progress.done for event in events[:-1]] == [1, 2, 3]
    report = events[-1].report
    assert report.overall.cases == 3
    assert report.overall.hit_at_3 > 0
    assert sum(metrics.cases for metrics in report.by_type.values()) == 3


async def test_an_evaluation_of_the_callers_own_cases(client: AssistanceClient) -> None:
    case = pb.GoldenCase(
        query="What is addVar in AVAP?",
        type="RETRIEVAL",
        language="en",
        relevant=[pb.RelevantSection(document="avap/en/variables.md", heading="addVar")],
        facts=["variable"],
    )
    events = [event async for event in client.evaluate([case])]
    overall = events[-1].report.overall
    assert (overall.cases, overall.routing_accuracy, overall.hit_at_3, overall.fact_coverage) == (1, 1, 1, 1)


async def test_evaluating_leaves_no_session(client: AssistanceClient) -> None:
    async def newest() -> list[str]:  # not how many: other tests of this service may leave more than a page has
        return [one.session_id for one in (await client.sessions(page_size=3)).sessions]

    await client.ask("thanks")
    before = await newest()
    [event async for event in client.evaluate(limit=2)]
    assert await newest() == before


@pytest.mark.parametrize("name", ["", SERVICE, "index", "database", "classifier"])
async def test_health_has_a_name_for_each_part(channel: Any, name: str) -> None:
    stub: Any = health_pb2_grpc.HealthStub(channel)
    response = await stub.Check(health_pb2.HealthCheckRequest(service=name))
    assert response.status == health_pb2.HealthCheckResponse.SERVING


async def test_reflection_describes_the_service(channel: Any) -> None:
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
    request = reflection_pb2.ServerReflectionRequest(file_containing_symbol=SERVICE)
    call = stub.ServerReflectionInfo(iter([request]))
    part = await anext(aiter(call))
    files = part.file_descriptor_response.file_descriptor_proto
    described = descriptor_pb2.FileDescriptorProto.FromString(files[0])
    assert {method.name for method in described.service[0].method} >= {"AskAgent", "AskAgentStream", "EvaluateRAG"}


async def test_reflection_can_be_switched_off(guide: Any, start: Any) -> None:
    running = start(guide, ENGINE_REFLECTION="false")
    opened: Any = grpc.aio.insecure_channel(running.address)
    async with opened:
        method = opened.unary_unary("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
        code, _ = await status(method(b""))
        assert code is grpc.StatusCode.UNIMPLEMENTED


async def test_a_client_that_leaves_mid_answer_leaves_the_service_well(client: AssistanceClient) -> None:
    session_id = uuid.uuid4().hex
    stream = client.stream("What is addVar in AVAP?", session_id=session_id)
    await anext(stream)
    await stream.aclose()
    answer = await client.ask("thanks", session_id=session_id)
    assert answer.outcome == pb.COMPLETE


WEIRD = [
    "\u202eabc",
    "😀" * 50,
    "'; DROP TABLE turns; --",
    "a AND (b OR",
    "field:value~3^2 *?",
    "\x00\x01",
    "—" * 300,
    "ﷺ",
]


@pytest.mark.parametrize("text", WEIRD)
async def test_any_text_is_a_question(client: AssistanceClient, text: str) -> None:
    answer = await client.ask(text, query_type="RETRIEVAL")
    assert answer.outcome == pb.COMPLETE
    assert answer.text
