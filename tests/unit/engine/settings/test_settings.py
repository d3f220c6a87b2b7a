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


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ENGINE_LOGLEVEL", "ENGINE_LOG_LEVEL"),
        ("CLASSIFIER_CONFIDENCE_TRESHOLD", "CLASSIFIER_CONFIDENCE_THRESHOLD"),
        ("GENERATOR_HISTORY_TURN", "GENERATOR_HISTORY_TURNS"),
        ("OLLAMA_MODEL_NAM", "OLLAMA_MODEL_NAME"),
        ("OLLAMA_MODEL", "OLLAMA_MODEL_NAME"),
        ("ELASTICSEARCH_URI", "ELASTICSEARCH_URL"),
        ("DATABASE_URLS", "DATABASE_URL"),
        ("EMBEDDING_MODLE", "EMBEDDING_MODEL"),
        ("TOOLS_FIL", "TOOLS_FILE"),
    ],
)
def test_a_mistyped_variable_is_named_with_the_one_that_was_meant(
    monkeypatch: pytest.MonkeyPatch, name: str, meant: str
) -> None:
    monkeypatch.setenv(name, "1")
    with pytest.raises(ConfigurationError) as raised:
        load_settings()
    assert str(raised.value) == f"{name}: no such variable; did you mean {meant}? See docs/configuration.md"


def test_a_variable_like_none_of_ours_is_named_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_QQQQQQQQQQQQ", "1")
    with pytest.raises(
        ConfigurationError, match=r"^ENGINE_QQQQQQQQQQQQ: no such variable; see docs/configuration\.md$"
    ):
        load_settings()


@pytest.mark.parametrize(
    "name",
    [
        "OLLAMA_MODELS",
        "OLLAMA_ORIGINS",
        "OLLAMA_FLASH_ATTENTION",
        "OLLAMA_PORT",
        "OLLAMA_SERVICE_HOST",
        "ELASTICSEARCH_PORT_9200_TCP",
        "DATABASE_NAME",
        "TOOLS_HOME",
    ],
)
def test_variables_of_other_programs_are_left_alone(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "1")
    load_settings()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("OLLAMA_NUM_CTX", "12", "greater than or equal to 1024"),
        ("OLLAMA_NUM_CTX", "many", "whole number"),
        ("ENGINE_THREADS", "1.5", "whole number (got '1.5')"),
        ("OLLAMA_LOAD_SECONDS", "long", "should be a number (got 'long')"),
        ("EMBEDDING_DEVICE", "gpu", "should be auto, cpu, mps, xpu, cuda or one of several, as in cuda:1 (got 'gpu')"),
        ("OLLAMA_KEEP_ALIVE", "a while", "pattern"),
        ("OLLAMA_SILENCE_SECONDS", "0", "greater than 0"),
        ("OLLAMA_HOST", "ftp://localhost", "must be an address such as http"),
        ("ENGINE_GRPC_ADDRESS", "localhost", "must be host:port"),
        ("ENGINE_GRPC_ADDRESS", ":50051", "must be host:port"),
        ("ENGINE_WEB_ADDRESS", "abc", "must be host:port, such as 127.0.0.1:8080"),
        ("ENGINE_GRPC_ADDRESS", "h:65536", "must be host:port"),
        ("ENGINE_WEB_ADDRESS", "8080", "must be host:port"),
        ("ENGINE_WEB_HOSTS", "a.example.com,b.example.com:80", "must be names of hosts"),
        ("ENGINE_WEB_HOSTS", "https://a.example.com", "must be names of hosts"),
        ("ENGINE_CORS_ORIGINS", "dashboard.example.com", "must be origins such as https://"),
        ("ENGINE_CORS_ORIGINS", "https://a.example.com/page", "without a path"),
        ("ENGINE_LOG_FORMAT", "xml", "'text' or 'json'"),
        ("ENGINE_DEADLINE_SECONDS", "0", "greater than 0"),
        ("ENGINE_DEADLINE_SECONDS", "nan", "got 'nan'"),
        ("CLASSIFIER_CONFIDENCE_THRESHOLD", "1.1", "less than or equal to 1"),
        ("CLASSIFIER_MODEL_PATH", "model.pkl", "pickle files can run code"),
        ("DATABASE_URL", "postgres://localhost/x", "must be postgresql+psycopg://user:password@host:port/database"),
        ("DATABASE_URL", "sqlite:///sessions.sqlite3", "unset it for SQLite"),
        ("DATABASE_POOL_SIZE", "1", "greater than or equal to 2"),
        ("DATABASE_TIMEOUT_SECONDS", "0", "greater than or equal to 0.1"),
        ("TOOLS_FILE", "tools.json", "must name an existing JSON file; see docs/tools.md (got 'tools.json')"),
        ("ENGINE_TOOLS_DATABASE_URL", "mysql://h/x", "must begin with sqlite:/// or postgresql"),
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


def test_a_secret_is_never_said(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "postgresql+psycopg://engine:canary-5177@db/sessions"
    settings = load_settings(database_url=url)
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value() == url
    assert "canary" not in f"{settings} {describe(settings)}"
    monkeypatch.setenv("DATABASE_URL", url.replace("+psycopg", ""))
    with pytest.raises(ConfigurationError) as raised:
        load_settings()
    assert "canary" not in str(raised.value)


def test_an_empty_address_of_a_database_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "")
    assert load_settings().database_url is None


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
    monkeypatch.setenv("OLLAMA_MAX_LOADED_MODELS", "1")
    assert load_settings().ollama_num_ctx == 8192


def test_a_host_without_a_scheme_is_http() -> None:
    assert load_settings(ollama_host="localhost:11434").ollama_host == "http://localhost:11434"


def test_a_slash_at_the_end_of_the_host_is_dropped() -> None:
    assert load_settings(ollama_host="https://models.example/").ollama_host == "https://models.example"


@pytest.mark.parametrize("address", ["[::]:0", "0.0.0.0:65535", "engine:50051"])
def test_addresses(address: str) -> None:
    assert load_settings(engine_grpc_address=address).engine_grpc_address == address


def test_lists_of_the_web_are_read_at_their_commas() -> None:
    settings = load_settings(
        engine_web_address="",
        engine_web_hosts="assist.example.com , engine",
        engine_cors_origins="https://a.example.com,vscode-webview://x, http://[::1]:3000,",
    )
    assert settings.engine_web_address == ""
    assert settings.web_hosts == ("assist.example.com", "engine")
    assert settings.cors_origins == ("https://a.example.com", "vscode-webview://x", "http://[::1]:3000")
    assert load_settings(engine_cors_origins="*").cors_origins == ("*",)
    assert load_settings().web_hosts == load_settings().cors_origins == ()


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


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("http://127.0.0.1:9200", "http://127.0.0.1:9200"),
        ("http://search", "http://search:9200"),
        ("https://search/path/", "https://search:443/path"),
        ("https://user:p%40ss@search:9243", "https://user:p%40ss@search:9243"),
        ("http://[::1]:9200", "http://[::1]:9200"),
        ("", ""),
    ],
)
def test_the_address_of_elasticsearch_gets_its_port(given: str, read: str) -> None:
    assert load_settings(elasticsearch_url=given).elasticsearch_url == read


@pytest.mark.parametrize("given", ["search:9200", "ftp://search", "http://", "http://search:port", "/path"])
def test_what_is_not_an_address_is_refused(given: str) -> None:
    with pytest.raises(ConfigurationError, match="ELASTICSEARCH_URL"):
        load_settings(elasticsearch_url=given)


@pytest.mark.parametrize("name", ["Knowledge", "-x", "a b", "a/b", "a*", "", "x" * 201])
def test_what_cannot_be_the_name_of_an_index_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="ELASTICSEARCH_INDEX"):
        load_settings(elasticsearch_index=name)


def test_secrets_of_elasticsearch_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELASTICSEARCH_API_KEY", "canary-1")
    shown = describe(load_settings())
    assert shown["ELASTICSEARCH_API_KEY"] == "********"
    monkeypatch.delenv("ELASTICSEARCH_API_KEY")
    shown = describe(load_settings(elasticsearch_url="http://user:canary:2@search:9200"))
    assert shown["ELASTICSEARCH_URL"] == "http://user:********@search:9200"


def test_a_password_is_masked_in_a_refusal_too() -> None:
    with pytest.raises(ConfigurationError) as refusal:
        load_settings(elasticsearch_url="ftp://user:canary@search")
    assert "canary" not in str(refusal.value)


def test_a_key_beside_a_user_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="ELASTICSEARCH_API_KEY") as refusal:
        load_settings(elasticsearch_url="http://user:pw@search", elasticsearch_api_key="canary")
    assert "canary" not in str(refusal.value)


def test_tools_are_named_by_a_file_and_an_address(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text("{}", "utf-8")
    settings = load_settings(tools_file=tmp_path / "tools.json", engine_tools_database_url="sqlite:///x.db")
    assert settings.tools_file == tmp_path / "tools.json"
    assert settings.engine_tools_database_url is not None
    assert settings.engine_tools_database_url.get_secret_value() == "sqlite:///x.db"
    assert describe(settings)["ENGINE_TOOLS_DATABASE_URL"] == "********"


def test_an_empty_variable_of_the_tools_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLS_FILE", "")
    monkeypatch.setenv("ENGINE_TOOLS_DATABASE_URL", "")
    settings = load_settings()
    assert (settings.tools_file, settings.engine_tools_database_url) == (None, None)
    assert describe(settings)["ENGINE_TOOLS_DATABASE_URL"] == ""


def test_a_wrong_secret_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_TOOLS_DATABASE_URL", "mysql://user:canary@host/x")
    with pytest.raises(ConfigurationError) as error:
        load_settings()
    assert "canary" not in str(error.value)


@pytest.mark.parametrize(
    ("cores", "given", "turns"),
    [
        (1, {}, 2),
        (2, {}, 2),
        (64, {}, 4),
        (64, {"engine_max_turns": 9}, 9),
        (64, {"ollama_model_name": "m"}, 2),
        (64, {"ollama_model_name_conversational": "m", "ollama_num_parallel": 8}, 16),
    ],
)
def test_as_many_turns_run_as_the_model_or_the_machine_has_room_for(
    monkeypatch: pytest.MonkeyPatch, cores: int, given: dict[str, object], turns: int
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert load_settings(**given).max_turns == turns
