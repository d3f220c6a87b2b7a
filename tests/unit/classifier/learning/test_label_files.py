"""Exports on the disk."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from classifier.decision import QueryType
from classifier.learning.label_files import (
    LabelFileError,
    exported_at,
    exporting,
    label_files,
    pseudonym_key,
    read_labels,
    set_exported_at,
    write_labels,
)
from classifier.learning.labels import Label, Provenance

ONE = Label("how many calls", QueryType.PLATFORM, Provenance.CORRECTED, "p", "s", "linear-1", "2026-11-21", "en")
TWO = Label("¿qué es\u2028addVar? \ud800", QueryType.RETRIEVAL, Provenance.LAYER_3, "p", "t")


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    path = write_labels(tmp_path, [ONE, TWO])
    assert path == tmp_path / "labels-1.jsonl"
    assert read_labels(tmp_path) == [ONE, TWO]


def test_files_are_numbered_on_and_read_in_order(tmp_path: Path) -> None:
    for number in range(1, 12):
        assert write_labels(tmp_path, [Label(f"text {'x' * number}", ONE.type, ONE.provenance, "p", "s")])
    (tmp_path / "labels-x.jsonl").write_text("not one of ours", "utf-8")
    assert [path.name for path in label_files(tmp_path)] == [f"labels-{number}.jsonl" for number in range(1, 12)]
    assert [len(label.text) for label in read_labels(tmp_path)] == list(range(6, 17))


def test_a_later_file_has_the_last_word(tmp_path: Path) -> None:
    write_labels(tmp_path, [ONE])
    corrected = Label(ONE.text, QueryType.RETRIEVAL, Provenance.CORRECTED, "p", "s")
    write_labels(tmp_path, [corrected])
    assert read_labels(tmp_path) == [corrected]


def test_nothing_to_write_is_no_file(tmp_path: Path) -> None:
    assert write_labels(tmp_path, []) is None
    assert read_labels(tmp_path) == []
    assert read_labels(tmp_path / "not there") == []


def test_only_the_owner_may_read(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    with exporting(folder):
        path = write_labels(folder, [ONE])
        pseudonym_key(folder)
    set_exported_at(folder, 1.0)
    assert path
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in folder.iterdir()} == {0o600}


def test_the_key_is_made_once(tmp_path: Path) -> None:
    key = pseudonym_key(tmp_path)
    assert len(key) == 32
    assert pseudonym_key(tmp_path) == key
    assert pseudonym_key_of_another(tmp_path) != key


def pseudonym_key_of_another(folder: Path) -> bytes:
    (folder / "another").mkdir()
    return pseudonym_key(folder / "another")


@pytest.mark.parametrize("content", [None, "", "{}", "[]", '{"exported_at": "soon"}', '{"exported_at": null}'])
def test_an_unknown_time_of_the_last_export_is_never(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / ".exported.json").write_text(content, "utf-8")
    assert exported_at(tmp_path) == 0.0


def test_the_time_of_the_last_export(tmp_path: Path) -> None:
    set_exported_at(tmp_path, 12.5)
    set_exported_at(tmp_path, 13.5)
    assert exported_at(tmp_path) == 13.5


@pytest.mark.parametrize(
    "change",
    [
        {"type": "OTHER"}, {"provenance": "guess"}, {"text": 5}, {"language": "fr"}, {"more": "x"}, {"day": None},
        {"session": ["s"]},
    ],
)  # fmt: skip
def test_a_line_that_is_no_label_is_named(tmp_path: Path, change: dict[str, object]) -> None:
    path = write_labels(tmp_path, [ONE, ONE])
    assert path
    lines = path.read_text("utf-8").splitlines()
    path.write_text(f"{lines[0]}\n{json.dumps(json.loads(lines[1]) | change)}\n", "utf-8")
    with pytest.raises(LabelFileError, match=r"labels-1\.jsonl:2: "):
        read_labels(tmp_path)


@pytest.mark.parametrize("line", ["junk", "[]", "5", "{}", ""])
def test_junk_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "labels-1.jsonl").write_text(f"{line}\n", "utf-8")
    with pytest.raises(LabelFileError, match=r"labels-1\.jsonl:1: is not an exported label"):
        read_labels(tmp_path)


def test_a_write_that_is_killed_leaves_no_file_and_no_hindrance(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; import classifier.learning.label_files as f; "
        "from tests.unit.classifier.learning.test_label_files import ONE; "
        "os.fsync = lambda _: os.kill(os.getpid(), 9); f.write_labels(Path(sys.argv[1]), [ONE])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=Path(__file__).parents[4], check=False)
    assert done.returncode == -9
    assert label_files(tmp_path) == []
    assert write_labels(tmp_path, [ONE]) == tmp_path / "labels-1.jsonl"
    assert read_labels(tmp_path) == [ONE]


def test_two_exports_do_not_run_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from classifier.learning.label_files import exporting\n"
        "with exporting(Path(sys.argv[1])):\n print('held', flush=True); sys.stdin.readline()"
    )
    waiting = "import sys; from pathlib import Path; from classifier.learning.label_files import exporting\n"
    waiting += "print('asks', flush=True)\nwith exporting(Path(sys.argv[1])):\n print('got it', flush=True)"
    arguments = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": Path(__file__).parents[4]}
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], **arguments) as first:  # type: ignore[call-overload]
        assert first.stdout.readline() == "held\n"
        with subprocess.Popen([sys.executable, "-c", waiting, str(tmp_path)], **arguments) as second:  # type: ignore[call-overload]
            assert second.stdout.readline() == "asks\n"
            assert second.poll() is None
            first.stdin.write("go\n")
            first.stdin.flush()
            assert second.stdout.readline() == "got it\n"
