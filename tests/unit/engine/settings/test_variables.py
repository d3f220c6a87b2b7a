from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import ConfigurationError
from engine.settings.variables import check_lines, misspelt

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


@pytest.mark.parametrize(
    ("name", "meant"), [("OLAMA_NUM_CTX", "OLLAMA_NUM_CTX"), ("ENGIN_DATA_DIR", "ENGINE_DATA_DIR")]
)
def test_a_mistake_in_a_prefix_is_seen(name: str, meant: str) -> None:
    assert f"did you mean {meant}?" in misspelt(name, ["OLLAMA_NUM_CTX", "ENGINE_DATA_DIR"])


@pytest.mark.parametrize("name", ["MY_ENGINE_DATA_DIR", "ENGINES_DATA", "LLAMA_CTX", "HOME"])
def test_names_of_others_are_no_mistakes(name: str) -> None:
    assert misspelt(name, ["OLLAMA_NUM_CTX", "ENGINE_DATA_DIR"]) == ""


def test_a_line_that_is_no_variable_is_refused_by_its_number_and_without_its_text(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("# mine\nENGINE_DATA_DIR=here\n\nexport A='b'\n= s3cret\nENGINE_THREADS 2 x\n", "utf-8")
    with pytest.raises(ConfigurationError, match=r"\.env: line 5, 6 should be NAME=value") as raised:
        check_lines(path)
    assert "s3cret" not in str(raised.value)
    path.write_text("# mine\nENGINE_DATA_DIR=here\nEMPTY=\nALONE\n", "utf-8")
    check_lines(path)
    check_lines(tmp_path / "none")
