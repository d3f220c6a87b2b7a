"""The commands of the learning loop, as far as they need no training."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner, Result

from classifier.decision import Layer, QueryType
from engine.cli import cli
from engine.conversation.store.port import TurnRecord
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Outcome
from engine.errors import ConfigurationError


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with three turns: one declared, one corrected, one of layer 2."""
    for name in ("CLASSIFIER_EXPORT_DIR", "CLASSIFIER_MODEL_PATH", "CLASSIFIER_EXPORT_THRESHOLD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ENGINE_DATA_DIR", str(tmp_path))
    asyncio.run(stored(tmp_path / "sessions.sqlite3"))
    return tmp_path


async def stored(path: Path) -> None:
    store = SqlSessionStore(path)
    for name, layer in (("declared", Layer.DECLARED), ("corrected", Layer.EMBEDDING), ("guessed", Layer.EMBEDDING)):
        await store.append(
            TurnRecord(
                name, "local", "s", f"what of the {name} walrus", "An answer.", QueryType.RETRIEVAL, layer,
                Outcome.COMPLETE, 1_790_000_000.0,
            )
        )  # fmt: skip
    await store.correct("local", "corrected", QueryType.PLATFORM)
    await store.close()


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


def test_labels_are_exported_now_whatever_the_threshold(data: Path) -> None:
    done = run("labels", "export")
    path = data / "classifier_labels" / "labels-1.jsonl"
    assert done.stdout == f"2 labels written to {path}\n"
    assert "untrainable: 1" in done.stderr
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert run("labels", "export").stdout == "nothing new to export\n"


def test_an_export_as_json_says_what_was_left_out(data: Path) -> None:
    found = json.loads(run("labels", "export", "--json").stdout)
    assert found == {
        "path": str(data / "classifier_labels" / "labels-1.jsonl"), "written": 2, "trainable": 2, "untrainable": 1,
        "leaning": 0, "duplicates": 0, "conflicts": 0, "capped": 0,
    }  # fmt: skip
    assert json.loads(run("labels", "export", "--json").stdout)["path"] is None


def test_a_folder_of_its_own(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLASSIFIER_EXPORT_DIR", str(data / "elsewhere"))
    run("labels", "export")
    assert (data / "elsewhere" / "labels-1.jsonl").exists()


def test_a_broken_export_is_named(data: Path) -> None:
    run("labels", "export")
    (data / "classifier_labels" / "labels-1.jsonl").write_text("junk\n", "utf-8")
    for words in (("labels", "export"), ("train",)):
        done = run(*words)
        assert isinstance(done.exception, ConfigurationError)
        assert "labels-1.jsonl:1: is not an exported label" in str(done.exception)


def test_a_folder_that_cannot_be_made_is_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data / "file").write_text("x", "utf-8")
    monkeypatch.setenv("CLASSIFIER_EXPORT_DIR", str(data / "file" / "labels"))
    done = run("labels", "export")
    assert isinstance(done.exception, ConfigurationError)
    assert str(done.exception).startswith("CLASSIFIER_EXPORT_DIR: ")


def test_a_seed_without_rows_is_named(data: Path) -> None:
    (data / "seed").mkdir()
    done = run("train", "--seed", str(data / "seed"))
    assert isinstance(done.exception, ConfigurationError)
    assert "there is no .jsonl file" in str(done.exception)


@pytest.mark.parametrize(
    ("auth", "words", "lone"),
    [("", (), True), ("", ("--no-lone",), False), ("keys", (), False), ("keys", ("--lone",), True)],
)
def test_what_one_alone_says_counts_where_identity_is_off_or_it_is_asked_for(
    data: Path, monkeypatch: pytest.MonkeyPatch, auth: str, words: tuple[str, ...], lone: bool
) -> None:
    taken: list[bool] = []

    def usable(*_: object, lone: bool) -> NoReturn:
        taken.append(lone)
        raise ConfigurationError("that is all")

    monkeypatch.setenv("ENGINE_AUTH", auth)
    monkeypatch.setattr("classifier.learning.promotion.usable_labels", usable)
    run("train", *words)
    assert taken == [lone]


def test_a_replay_under_a_file_that_is_no_artifact_is_refused(data: Path) -> None:
    (data / "a.npz").write_bytes(b"junk")
    done = run("replay", "--artifact", str(data / "a.npz"))
    assert isinstance(done.exception, ConfigurationError)
    assert run("replay").exit_code == 2


@pytest.mark.parametrize("words", [("labels",), ("labels", "export"), ("train",), ("replay",)])
def test_every_command_has_help(words: tuple[str, ...]) -> None:
    done = run(*words, "--help")
    assert done.exit_code == 0
    assert "Usage: " in done.stdout
