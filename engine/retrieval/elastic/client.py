"""The clients of an Elasticsearch server, and one table from what they raise to the engine's errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from elastic_transport import ConnectionError as NoConnection
from elastic_transport import ConnectionTimeout, HttpxAsyncHttpNode, SerializationError, TlsError, TransportError
from elasticsearch import ApiError, AsyncElasticsearch, Elasticsearch, UnsupportedProductError

from engine.errors import DependencyUnavailable

#: The dependency's name in errors and in the health service.
DEPENDENCY = "elasticsearch"
#: Connections of one replica: as many searches may be under way at once.
_CONNECTIONS = 64
#: Statuses of a server that cannot do its work now; a breaker counts them, a bulk request is sent again.
BUSY = frozenset({429, 502, 503, 504})

#: What to look at, by status. The server's own words are never passed on: they can quote a query or a key.
_BY_STATUS = {
    400: "it refuses the request (400): is it Elasticsearch 9.3 or newer?",
    401: "it refuses the key (401): set ELASTICSEARCH_API_KEY",
    403: "the key may not do this (403): give ELASTICSEARCH_API_KEY the privileges of docs/elasticsearch.md",
    404: "the index is not there (404): fill it with `assistance-engine index PATH...`",
    429: "it is overloaded (429): give it time, or more machines",
    503: "it cannot serve now (503): look at its cluster health",
}

#: What to look at, by what the client raises; the first that fits.
_BY_KIND: tuple[tuple[type[Exception], str], ...] = (
    (UnsupportedProductError, "what answers at ELASTICSEARCH_URL is not Elasticsearch"),
    (ConnectionTimeout, "it does not answer in time"),
    (TimeoutError, "it does not answer in time"),
    (TlsError, "no secure connection to ELASTICSEARCH_URL: look at its certificate"),
    (NoConnection, "nothing answers at ELASTICSEARCH_URL: is it running, and is the address right?"),
    (SerializationError, "it answers with what is not JSON: is ELASTICSEARCH_URL the right address?"),
)


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the index is.

    Attributes:
        url: Of one node or of the balancer before them.
        index: The alias that is read; versions are called `index-v1`, `index-v2` ...
        api_key: Empty where the server asks for none. Not shown by `repr`.
    """

    url: str
    index: str
    api_key: str = field(default="", repr=False)

    def options(self) -> dict[str, Any]:
        """What both clients are made with: one retry, and only where the connection broke."""
        return {
            "hosts": self.url,
            "api_key": self.api_key or None,
            "max_retries": 1,
            "retry_on_timeout": False,
            "retry_on_status": (),
            "connections_per_node": _CONNECTIONS,
        }


def reading_client(connection: Connection, seconds: float) -> AsyncElasticsearch:
    """The client for searches; it belongs to the event loop that it is used in first.

    Args:
        connection: Where.
        seconds: That one request may take.
    """
    return AsyncElasticsearch(**connection.options(), node_class=HttpxAsyncHttpNode, request_timeout=seconds)


def writing_client(connection: Connection, seconds: float) -> Elasticsearch:
    """The client for indexing: it blocks, as indexing does.

    Args:
        connection: Where.
        seconds: That one request may take.
    """
    return Elasticsearch(**connection.options(), request_timeout=seconds)


def unavailable(problem: str) -> DependencyUnavailable:
    """The error of this dependency, saying `problem`."""
    return DependencyUnavailable(DEPENDENCY, problem)


def problem_of(error: Exception) -> str:
    """What `error` means to the person who can mend it, without the server's own words."""
    if isinstance(error, ApiError) and not isinstance(error, UnsupportedProductError):
        return problem_of_status(error.status_code)
    return next((problem for kind, problem in _BY_KIND if isinstance(error, kind)), "it cannot be asked")


def problem_of_status(status: int) -> str:
    """The same for a status of HTTP."""
    return _BY_STATUS.get(status, f"it answers with status {status}")


def is_outage(error: Exception) -> bool:
    """Whether `error` says that the server cannot do its work now, whatever it is asked."""
    return not isinstance(error, ApiError) or error.status_code in BUSY


@contextmanager
def translated() -> Iterator[None]:
    """Turns what a client raises within into `DependencyUnavailable`."""
    try:
        yield
    except (TransportError, ApiError) as error:
        raise unavailable(problem_of(error)) from error
