"""What tests need of a real Elasticsearch: a name of their own on it, and nothing left afterwards."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from elasticsearch import Elasticsearch

from engine.retrieval.elastic.client import Connection

VARIABLE = "TEST_ELASTICSEARCH_ADDRESS"


def address() -> str:
    """Where it listens; the test is skipped when there is none."""
    found = os.environ.get(VARIABLE, "")
    if not found:
        pytest.skip(f"no Elasticsearch: {VARIABLE} is not set")
    return found


@contextmanager
def index_of_its_own(prefix: str = "test") -> Iterator[Connection]:
    """A name that nobody else uses; what was made under it is removed at the end."""
    connection = Connection(address(), f"{prefix}-{uuid.uuid4().hex[:12]}")
    try:
        yield connection
    finally:
        with Elasticsearch(connection.url, request_timeout=60) as client:
            names = [*client.indices.get(index=f"{connection.index}-*", expand_wildcards="all")]
            if names:
                client.indices.delete(index=names)
