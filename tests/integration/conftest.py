"""Real servers, by the addresses that `make test-backends` gives; a test whose server is missing is skipped."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session")
def ollama() -> str:
    """The address of a real Ollama with the tiny models."""
    address = os.environ.get("TEST_OLLAMA_ADDRESS", "")
    if not address:
        pytest.skip("no Ollama: TEST_OLLAMA_ADDRESS is not set")
    return address
