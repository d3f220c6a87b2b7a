from __future__ import annotations

import pytest
from elastic_transport import (
    ApiResponseMeta,
    ConnectionTimeout,
    HttpHeaders,
    NodeConfig,
    SerializationError,
    TlsError,
    TransportError,
)
from elastic_transport import ConnectionError as NoConnection
from elasticsearch import ApiError, UnsupportedProductError

from engine.errors import DependencyUnavailable
from engine.retrieval.elastic import client as ec

CANARY = "canary-5177"
META = ApiResponseMeta(200, "1.1", HttpHeaders(), 0.1, NodeConfig("http", "x", 1))


def api_error(status: int) -> ApiError:
    meta = ApiResponseMeta(status, "1.1", HttpHeaders(), 0.1, NodeConfig("http", "x", 1))
    return ApiError(CANARY, meta, {"error": {"reason": CANARY}})


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (NoConnection(CANARY), "nothing answers at ELASTICSEARCH_URL"),
        (ConnectionTimeout(CANARY), "does not answer in time"),
        (TimeoutError(CANARY), "does not answer in time"),
        (TlsError(CANARY), "certificate"),
        (SerializationError(CANARY), "not JSON"),
        (UnsupportedProductError(CANARY, META, {}), "not Elasticsearch"),
        (TransportError(CANARY), "cannot be asked"),
        (api_error(401), "ELASTICSEARCH_API_KEY"),
        (api_error(403), "privileges"),
        (api_error(404), "assistance-engine index"),
        (api_error(429), "overloaded"),
        (api_error(503), "cluster health"),
        (api_error(418), "status 418"),
    ],
)
def test_every_error_has_a_mend_and_none_of_the_servers_words(error: Exception, problem: str) -> None:
    told = ec.problem_of(error)
    assert problem in told
    assert CANARY not in told


@pytest.mark.parametrize("error", [NoConnection(CANARY), api_error(500), api_error(401)])
def test_what_a_client_raises_is_translated(error: Exception) -> None:
    with pytest.raises(DependencyUnavailable) as told, ec.translated():
        raise error
    assert told.value.dependency == "elasticsearch"
    assert CANARY not in str(told.value)


def test_other_errors_are_left_as_they_are() -> None:
    with pytest.raises(LookupError), ec.translated():
        raise LookupError


@pytest.mark.parametrize(
    ("error", "outage"),
    [
        (NoConnection("x"), True),
        (ConnectionTimeout("x"), True),
        (TimeoutError(), True),
        (api_error(429), True),
        (api_error(503), True),
        (api_error(400), False),
        (api_error(401), False),
    ],
)
def test_the_breaker_counts_what_another_question_would_meet_too(error: Exception, outage: bool) -> None:
    assert ec.is_outage(error) is outage


def test_the_key_is_not_shown() -> None:
    assert CANARY not in repr(ec.Connection("http://127.0.0.1:9200", "knowledge", CANARY))


def test_only_a_broken_connection_is_tried_again_and_once() -> None:
    options = ec.Connection("http://127.0.0.1:9200", "knowledge").options()
    assert options["max_retries"] == 1
    assert options["retry_on_timeout"] is False
    assert options["retry_on_status"] == ()
    assert options["api_key"] is None


async def test_the_key_is_sent() -> None:
    connection = ec.Connection("http://127.0.0.1:9200", "knowledge", CANARY)
    async with ec.reading_client(connection, 1.0) as reader:
        assert reader._headers["authorization"] == f"ApiKey {CANARY}"
    with ec.writing_client(connection, 1.0) as writer:
        assert writer._headers["authorization"] == f"ApiKey {CANARY}"
