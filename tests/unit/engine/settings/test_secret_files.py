from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from engine.errors import ConfigurationError
from engine.settings import Settings, load_settings
from engine.settings.secret_files import file_variable, read_secrets
from engine.settings.settings import _SECRETS

ROOT = Path(__file__).resolve().parents[4]
URL = "postgresql+psycopg://engine:canary0123@postgres:5432/engine"


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.removesuffix("_FILE").lower() in Settings.model_fields:
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_a_secret_is_what_is_in_its_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ending: str) -> None:
    (tmp_path / "url").write_bytes(f"{URL}{ending}".encode())
    monkeypatch.setenv("DATABASE_URL_FILE", str(tmp_path / "url"))
    url = load_settings().database_url
    assert url is not None
    assert url.get_secret_value() == URL


def test_every_secret_may_be_in_a_file_and_the_page_names_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = (ROOT / "docs/configuration.md").read_text("utf-8")
    assert set(re.findall(r"`(\w+_FILE)`", page)) == {file_variable(name) for name in _SECRETS} | {"TOOLS_FILE"}
    for name in _SECRETS:
        value = URL if name.endswith("database_url") else "secret"
        (tmp_path / name).write_text(value, "utf-8")
        monkeypatch.setenv(file_variable(name), str(tmp_path / name))
    settings = load_settings()
    assert all(getattr(settings, name).get_secret_value() in (URL, "secret") for name in _SECRETS)


def test_the_variable_may_be_in_a_dotenv_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("k-1\n", "utf-8")
    (tmp_path / ".env").write_text(f"ELASTICSEARCH_API_KEY_FILE={tmp_path / 'key'}\n", "utf-8")
    assert load_settings().elasticsearch_api_key.get_secret_value() == "k-1"


def test_both_are_one_too_many(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "url").write_text(URL, "utf-8")
    monkeypatch.setenv("DATABASE_URL_FILE", str(tmp_path / "url"))
    monkeypatch.setenv("DATABASE_URL", URL)
    with pytest.raises(ConfigurationError, match=r"DATABASE_URL_FILE: DATABASE_URL is set too") as caught:
        load_settings()
    assert "canary" not in str(caught.value)


def test_a_file_that_holds_no_secret_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n", "utf-8")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "none", tmp_path / "empty", tmp_path / "binary", tmp_path):
        found, problems = read_secrets(["engine_token"], {"ENGINE_TOKEN_FILE": str(path)})
        assert found == {}
        assert problems == [
            f"ENGINE_TOKEN_FILE: {path} must be a file in UTF-8 that can be read and holds the secret alone"
        ]


def test_a_wrong_value_in_a_file_is_not_quoted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "url").write_text("mysql://canary0123@host", "utf-8")
    monkeypatch.setenv("DATABASE_URL_FILE", str(tmp_path / "url"))
    with pytest.raises(ConfigurationError, match=r"DATABASE_URL: must be postgresql\+psycopg") as caught:
        load_settings()
    assert "canary" not in str(caught.value)


def test_a_file_variable_of_what_is_no_secret_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_DATA_DIR_FILE", "x")
    with pytest.raises(ConfigurationError, match=r"ENGINE_DATA_DIR_FILE: no such variable"):
        load_settings()
