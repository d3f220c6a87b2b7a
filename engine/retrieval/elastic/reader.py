"""Asking an Elasticsearch server: within a budget, through a breaker, and only whole answers count."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from elastic_transport import TransportError
from elasticsearch import ApiError, AsyncElasticsearch, NotFoundError

from engine.retrieval.elastic.breaker import CircuitBreaker
from engine.retrieval.elastic.client import (
    Connection,
    is_outage,
    problem_of,
    problem_of_status,
    reading_client,
    unavailable,
)

Answer = TypeVar("Answer")
Hit = dict[str, Any]

#: Of the budget, the share after which the server gives up by itself.
_SERVER_SHARE = 0.9
_RESTING = "it has failed several times in a row and is left alone for some seconds"


class AbsentIndexError(Exception):
    """The index is not there."""


class RefusedSearchError(Exception):
    """The server takes the search for wrong, as it does with a vector of another length."""


class _IncompleteError(Exception):
    """The server has answered, but not with all that there is.

    Args:
        problem: For the person who mends it.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class Reader:
    """Searches, counts and looks at one alias.

    Everything raises `DependencyUnavailable` when the server does not answer as it should, and `AbsentIndexError` when
    there is no such index. The client is made in the event loop that asks, as its connections belong to one.

    Args:
        connection: Where.
        budget: Seconds that one question may take, connecting and the one retry included.
        breaker: Asked before each search.
    """

    def __init__(self, connection: Connection, *, budget: float, breaker: CircuitBreaker | None = None) -> None:
        self._connection = connection
        self._budget = budget
        self._breaker = breaker or CircuitBreaker()
        self._client: AsyncElasticsearch | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    async def search(self, searches: Sequence[dict[str, Any]], *, within: float | None = None) -> list[list[Hit]]:
        """The hits of each search, in one request.

        Args:
            searches: Bodies.
            within: Seconds, where less of the budget is left.

        Raises:
            AbsentIndexError: There is none.
            RefusedSearchError: The server takes a search for wrong.
            DependencyUnavailable: It fails, or answers from a part of the index only.
        """
        if not self._breaker.admits():
            raise unavailable(_RESTING)
        budget = self._budget if within is None else within
        header = {"index": self._connection.index, "allow_partial_search_results": False}
        limit = {"timeout": f"{max(1, int(budget * _SERVER_SHARE * 1000))}ms"}
        lines = [line for body in searches for line in (header, {**body, **limit})]

        async def ask(client: AsyncElasticsearch) -> list[list[Hit]]:
            answer = await client.msearch(searches=lines)
            return [_hits(one) for one in answer["responses"]]

        return await self._asked(ask, budget)

    async def meta(self) -> tuple[str, dict[str, Any]]:
        """The version that the alias leads to, and what it says of itself. Asked even while the breaker is open.

        Raises:
            AbsentIndexError: There is none.
            DependencyUnavailable: It fails.
        """

        async def ask(client: AsyncElasticsearch) -> tuple[str, dict[str, Any]]:
            answer = await client.indices.get_mapping(index=self._connection.index)
            name, body = next(iter(answer.body.items()))
            return name, body["mappings"].get("_meta", {})

        return await self._asked(ask, self._budget)

    async def count(self) -> int:
        """Passages.

        Raises:
            AbsentIndexError: There is none.
            DependencyUnavailable: It fails.
        """

        async def ask(client: AsyncElasticsearch) -> int:
            answer = await client.count(index=self._connection.index)
            if answer["_shards"]["failed"]:
                raise _IncompleteError("a part of the index cannot be counted")
            return int(answer["count"])

        return await self._asked(ask, self._budget)

    async def close(self) -> None:
        """Closes the connections; whoever asks afterwards is refused. Idempotent."""
        self._closed = True
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    async def _asked(self, ask: Callable[[AsyncElasticsearch], Awaitable[Answer]], budget: float) -> Answer:
        """What `ask` says, with the breaker told how it went."""
        client = self._connected()
        try:
            async with asyncio.timeout(budget):
                answer = await ask(client)
        except (AbsentIndexError, RefusedSearchError, NotFoundError) as error:
            self._breaker.succeeded()
            raise AbsentIndexError if isinstance(error, NotFoundError) else error from None
        except _IncompleteError as error:
            self._breaker.failed()
            raise unavailable(error.problem) from None
        except (TransportError, ApiError, TimeoutError) as error:
            if is_outage(error):
                self._breaker.failed()
            else:
                self._breaker.succeeded()
            raise unavailable(problem_of(error)) from error
        except (KeyError, TypeError, ValueError, StopIteration) as error:
            self._breaker.failed()
            raise unavailable(
                "it answers with what is not an answer: is ELASTICSEARCH_URL the right address?"
            ) from error
        self._breaker.succeeded()
        return answer

    def _connected(self) -> AsyncElasticsearch:
        if self._closed:
            raise unavailable("the connection has been closed")
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = reading_client(self._connection, self._budget), loop
        return self._client


def _hits(response: dict[str, Any]) -> list[Hit]:
    """The hits of one search, when it was answered from the whole index."""
    if "error" in response:
        status = int(response["status"])
        if status == 404:
            raise AbsentIndexError
        if status == 400:
            raise RefusedSearchError
        raise _IncompleteError(problem_of_status(status))
    if response["timed_out"]:
        raise _IncompleteError("it did not search the whole index in time")
    if response["_shards"]["failed"]:
        raise _IncompleteError("a part of the index cannot be searched: look at its cluster health")
    hits: list[Hit] = response["hits"]["hits"]
    return hits
