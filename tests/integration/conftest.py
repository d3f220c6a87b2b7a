"""Real servers, by the addresses that `make test-backends` gives; a test whose server is missing is skipped."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from engine.retrieval.elastic.client import Connection
from tests import elastic_backend
from tests.postgres import address, new_database


@pytest.fixture(scope="session")
def ollama() -> str:
    """The address of a real Ollama with the tiny models."""
    found = os.environ.get("TEST_OLLAMA_ADDRESS", "")
    if not found:
        pytest.skip("no Ollama: TEST_OLLAMA_ADDRESS is not set")
    return found


@pytest.fixture(scope="session")
def library(run_command: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """The AVAP guide in an index of Elasticsearch, put there by the command line."""
    with elastic_backend.index_of_its_own() as connection:
        done = run_command(
            tmp_path_factory.mktemp("data"),
            "index",
            "examples/avap",
            ELASTICSEARCH_URL=connection.url,
            ELASTICSEARCH_INDEX=connection.index,
        )
        assert done.returncode == 0, done.stderr
        yield connection


@pytest.fixture(scope="module")
def production(ollama: str, library: Connection) -> Iterator[dict[str, str]]:
    """The variables of production: Elasticsearch, Ollama and PostgreSQL, with a database of the module's own."""
    with new_database(address()) as url:
        yield {
            "ELASTICSEARCH_URL": library.url,
            "ELASTICSEARCH_INDEX": library.index,
            "DATABASE_URL": url,
            "OLLAMA_HOST": ollama,
            "OLLAMA_NUM_CTX": "4096",
        }
