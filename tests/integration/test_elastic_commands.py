"""The commands with ELASTICSEARCH_URL: index, search, rollback, doctor and its mends, what is refused."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog

from engine.cli import main
from engine.retrieval.elastic.client import Connection
from engine.retrieval.elastic.index import ElasticIndex
from engine.retrieval.port import Document
from engine.testing import HashedWordsEmbedder
from tests import elastic_backend
from tests.conftest import environment

pytestmark = pytest.mark.backends

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def connection() -> Iterator[Connection]:
    with elastic_backend.index_of_its_own() as made:
        yield made


@pytest.fixture
def engine(
    connection: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Run]:
    """`assistance-engine` with the index of this test, in this process: starting one takes longer than what it does."""

    def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        where = {"ELASTICSEARCH_URL": connection.url, "ELASTICSEARCH_INDEX": connection.index}
        with monkeypatch.context() as patched:
            for name in set(os.environ) - set(environment(tmp_path / "data")):
                patched.delenv(name)
            for name, value in environment(tmp_path / "data", **(where | variables)).items():
                patched.setenv(name, value)
            patched.setattr("sys.argv", ["assistance-engine", *words])
            capsys.readouterr()
            with pytest.raises(SystemExit) as ended:
                main()
            code = ended.value.code
        out, err = capsys.readouterr()
        return subprocess.CompletedProcess(words, code if isinstance(code, int) else 0, out, err)

    yield run
    structlog.reset_defaults()


def test_index_search_roll_back(engine: Run, connection: Connection, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Tides\n\nThe moon raises the tides.\n", "utf-8")
    first = engine("index", str(page), "--json")
    assert (first.returncode, json.loads(first.stdout)["added"]) == (0, 1)
    assert json.loads(engine("index", str(page), "--if-empty", "--json").stdout) is None
    page.write_text("# Tides\n\nThe sun raises the tides a little.\n", "utf-8")
    assert json.loads(engine("index", str(page), "--json").stdout)["updated"] == 1

    def found() -> str:
        done = engine("search", "what raises the tides?", "--json")
        assert done.returncode == 0, done.stderr
        return str(json.loads(done.stdout)["hits"][0]["text"])

    assert "sun" in found()
    back = engine("index", "--rollback", "--json")
    assert json.loads(back.stdout) == {"version": f"{connection.index}-v1"}
    assert "moon" in found()


def test_documents_are_listed_shown_added_and_removed(engine: Run, tmp_path: Path) -> None:
    for name in ("tide", "moss"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nWhat is written here is about the {name}.\n", "utf-8")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")

    def listed() -> dict[str, int]:
        rows = map(json.loads, engine("documents", "list", "--json").stdout.splitlines())
        return {row["document"]: row["passages"] for row in rows}

    assert listed() == {}
    added = engine("documents", "add", *(str(path) for path in sorted(tmp_path.glob("*.*"))), "--json")
    report = json.loads(added.stdout)
    assert (added.returncode, report["added"], report["left_out"]) == (0, 2, 1)
    assert listed() == {"moss.md": 1, "tide.md": 1}
    shown = json.loads(engine("documents", "show", "tide.md", "--json").stdout)
    assert (shown["bytes"], shown["contents"][0]["text"]) == (
        (tmp_path / "tide.md").stat().st_size,
        "What is written here is about the tide.",
    )
    assert engine("documents", "remove", "tide.md").returncode == 0
    assert listed() == {"moss.md": 1}
    (tmp_path / "moss.md").rename(tmp_path / "fern.md")
    assert json.loads(engine("index", str(tmp_path / "fern.md"), "--json").stdout)["removed"] == 1
    assert listed() == {"fern.md": 1}
    assert engine("documents", "show", "tide.md").returncode == 2


def test_rollback_goes_alone_and_needs_a_former_version(engine: Run, tmp_path: Path) -> None:
    assert engine("index", str(tmp_path), "--rollback").returncode == 2
    refused = engine("index", "--rollback")
    assert refused.returncode == 2
    assert "no former version" in refused.stderr


def test_doctor_names_it_and_the_mend_for_an_empty_index(engine: Run, connection: Connection) -> None:
    report = engine("doctor", "--json", ELASTICSEARCH_API_KEY="canary-5177")
    assert report.returncode == 3
    told = json.loads(report.stdout)
    assert told["checks"]["elasticsearch"] == "it is empty; fill it with `assistance-engine index PATH...`"
    assert "index" not in told["checks"]
    assert told["configuration"]["ELASTICSEARCH_INDEX"] == connection.index
    assert told["configuration"]["ELASTICSEARCH_API_KEY"] == "********"
    assert "canary" not in report.stdout + report.stderr


def test_doctor_is_content_with_a_filled_index(engine: Run) -> None:
    assert engine("index", "examples/avap/en/overview.md").returncode == 0
    report = engine("doctor", "--json")
    assert report.returncode == 0, report.stderr
    assert set(json.loads(report.stdout)["checks"].values()) == {""}


def test_doctor_prints_the_mend_when_nothing_listens(engine: Run) -> None:
    report = engine("doctor", ELASTICSEARCH_URL="http://user:canary-5177@127.0.0.1:9")
    assert report.returncode == 3
    assert "nothing answers at ELASTICSEARCH_URL: is it running, and is the address right?" in report.stdout
    assert "canary" not in report.stdout + report.stderr
    assert "http://user:********@127.0.0.1:9" in report.stdout


@pytest.mark.parametrize("words", [("search", "tides"), ("doctor",), ("serve",), ("index", "examples/avap")])
def test_an_index_of_another_embedder_is_refused_with_the_mend(
    engine: Run, connection: Connection, words: tuple[str, ...]
) -> None:
    other = ElasticIndex(connection, HashedWordsEmbedder(64))
    other.index([Document("d", "", "text", "passage", "/x#d", "1")])
    done = engine(*words)
    assert done.returncode == 2
    assert "embedder hashed-words-64 instead of" in done.stderr
    assert "assistance-engine index --rebuild" in done.stderr


def test_a_server_that_is_down_is_exit_code_3(engine: Run, run_command: Run, tmp_path: Path) -> None:
    nowhere = {"ELASTICSEARCH_URL": "http://127.0.0.1:9"}
    for words in (("search", "tides"), ("index", "examples/avap"), ("index", "--rollback")):
        done = engine(*words, **nowhere)
        assert done.returncode == 3
        assert "elasticsearch: nothing answers at ELASTICSEARCH_URL" in done.stderr
    real = run_command(tmp_path / "data", "search", "tides", **nowhere)  # the process, once
    assert (real.returncode, real.stderr) == (3, engine("search", "tides", **nowhere).stderr)
