from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from engine.errors import ConfigurationError
from engine.settings import Settings, describe, load_settings


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of ours, no `.env`."""
    for name in list(os.environ):
        if name.lower() in Settings.model_fields or name.startswith(("ENGINE_", "CLASSIFIER_", "GENERATOR_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_nothing_set_is_the_embedded_engine() -> None:
    settings = load_settings()
    assert settings.ollama_model_name == ""
    assert settings.classifier_model_path is None
    assert settings.classifier_confidence_threshold is None
    assert settings.index_dir == Path("data/index")
    assert settings.database_path == Path("data/sessions.sqlite3")
    assert (settings.generator_history_turns, settings.generator_history_answer_chars) == (3, 500)


def test_arguments_win_over_the_environment_and_that_over_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("OLLAMA_MODEL_NAME=file\nOLLAMA_NUM_CTX=2048\nENGINE_LOG_LEVEL=debug\n", "utf-8")
    monkeypatch.setenv("OLLAMA_MODEL_NAME", "environment")
    monkeypatch.setenv("OLLAMA_NUM_CTX", "4096")
    settings = load_settings(ollama_model_name="argument")
    assert (settings.ollama_model_name, settings.ollama_num_ctx, settings.engine_log_level) == (
        "argument",
        4096,
        "debug",
    )


def test_the_light_slot_is_the_main_model_unless_it_has_its_own() -> None:
    assert load_settings(ollama_model_name="big").light_model == "big"
    assert load_settings(ollama_model_name="big", ollama_model_name_conversational="small").light_model == "small"


def test_it_is_frozen() -> None:
    settings = load_settings()
    with pytest.raises(ValidationError, match="frozen"):
        settings.ollama_num_ctx = 1


@pytest.mark.parametrize("name", ["ENGINE_LOGLEVEL", "CLASSIFIER_TRESHOLD", "GENERATOR_HISTORY"])
def test_a_mistyped_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "1")
    with pytest.raises(ConfigurationError, match=rf"^{name}: no such variable; see docs/configuration\.md$"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("OLLAMA_NUM_CTX", "12", "greater than or equal to 1024"),
        ("OLLAMA_NUM_CTX", "many", "valid integer"),
        ("OLLAMA_HOST", "ftp://localhost", "must be an address such as http"),
        ("ENGINE_GRPC_ADDRESS", "localhost", "must be host:port"),
        ("ENGINE_GRPC_ADDRESS", ":50051", "must be host:port"),
        ("ENGINE_GRPC_ADDRESS", "h:65536", "must be host:port"),
        ("ENGINE_LOG_FORMAT", "xml", "'text' or 'json'"),
        ("ENGINE_DEADLINE_SECONDS", "0", "greater than 0"),
        ("ENGINE_DEADLINE_SECONDS", "nan", "got 'nan'"),
        ("CLASSIFIER_CONFIDENCE_THRESHOLD", "1.1", "less than or equal to 1"),
        ("CLASSIFIER_MODEL_PATH", "model.pkl", "pickle files can run code"),
    ],
)
def test_a_value_that_is_not_allowed_is_named_with_the_mend(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError) as raised:
        load_settings()
    assert str(raised.value).startswith(f"{name}: ")
    assert says in str(raised.value)


def test_all_problems_are_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_NOTHING", "1")
    monkeypatch.setenv("OLLAMA_NUM_CTX", "0")
    monkeypatch.setenv("ENGINE_SESSION_DAYS", "0")
    with pytest.raises(ConfigurationError) as raised:
        load_settings()
    assert [problem.split(":")[0] for problem in str(raised.value).split("; ") if ":" in problem] == [
        "ENGINE_NOTHING",
        "OLLAMA_NUM_CTX",
        "ENGINE_SESSION_DAYS",
    ]


def test_variables_of_others_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_KEEP_ALIVE", "1")
    assert load_settings().ollama_num_ctx == 8192


def test_a_host_without_a_scheme_is_http() -> None:
    assert load_settings(ollama_host="localhost:11434").ollama_host == "http://localhost:11434"


def test_a_slash_at_the_end_of_the_host_is_dropped() -> None:
    assert load_settings(ollama_host="https://models.example/").ollama_host == "https://models.example"


@pytest.mark.parametrize("address", ["[::]:0", "0.0.0.0:65535", "engine:50051"])
def test_addresses(address: str) -> None:
    assert load_settings(engine_grpc_address=address).engine_grpc_address == address


def test_describe_shows_every_variable_as_text() -> None:
    shown = describe(load_settings(ollama_model_name="m"))
    assert set(shown) == {name.upper() for name in Settings.model_fields}
    assert shown["OLLAMA_MODEL_NAME"] == "m"
    assert shown["CLASSIFIER_MODEL_PATH"] == ""
    assert shown["ENGINE_REFLECTION"] == "True"


def test_every_variable_says_what_it_means() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_labels_go_beside_the_data_unless_they_have_a_folder(tmp_path: Path) -> None:
    assert load_settings().labels_dir == Path("data/classifier_labels")
    assert load_settings(engine_data_dir=tmp_path).labels_dir == tmp_path / "classifier_labels"
    assert load_settings(classifier_export_dir=tmp_path / "x").labels_dir == tmp_path / "x"
    assert load_settings().classifier_export_threshold == 500


def test_a_threshold_of_nothing_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="CLASSIFIER_EXPORT_THRESHOLD"):
        load_settings(classifier_export_threshold=0)
