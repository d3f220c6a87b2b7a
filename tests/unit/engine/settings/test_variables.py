from __future__ import annotations

import pytest

from engine.settings.variables import misspelt

KNOWN = ["ENGINE_LOG_LEVEL", "OLLAMA_MODEL_NAME", "OLLAMA_HOST"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("ENGINE_LOG_LEVEL", ""),
        ("ENGINE_LOG_LEVELS", "did you mean ENGINE_LOG_LEVEL?"),
        ("ENGINE_ZZZ", "no such variable; see"),
        ("OLLAMA_MODEL_NAM", "did you mean OLLAMA_MODEL_NAME?"),
        ("OLLAMA_HOSTS", "did you mean OLLAMA_HOST?"),
        ("OLLAMA_PORT", ""),  # Kubernetes sets it for a Service called ollama
        ("OLLAMA_NOTHING_LIKE_IT", ""),
        ("MODEL_NAME", ""),
    ],
)
def test_what_is_nearly_one_of_ours_is_told(name: str, told: str) -> None:
    problem = misspelt(name, KNOWN)
    assert told in problem
    assert bool(problem) is bool(told)
