"""Documents in and out by the commands, as a person and as a script use them."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from engine.retrieval.ingestion import limits
from engine.retrieval.ingestion.formats import by_suffix, office
from engine.retrieval.ingestion.formats.json_lines import JSON_LINES
from tests.conftest import command, environment
from tests.forked import ROOT, Forked


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Three notes and two files that hold nothing to index."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("tide", "moss", "kiln"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nWhat is written here is about the {name}.\n", "utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing that belongs to one")
    (folder / "picture.png").write_bytes(b"\x89PNG\0\0\0")
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def listed(run_command: Any, data: Path, **variables: str) -> dict[str, dict[str, Any]]:
    done = run_command(data, "documents", "list", "--json", **variables)
    assert done.returncode == 0, done.stderr
    return {row["document"]: row for row in map(json.loads, done.stdout.splitlines())}


def found(run_command: Any, data: Path, query: str) -> list[str]:
    done = run_command(data, "search", query, "--half", "text", "--json")
    return [hit["document"] for hit in json.loads(done.stdout)["hits"]]


def test_bad_files_are_left_out_with_a_table_and_the_rest_is_indexed(data: Path, notes: Path, run_command: Any) -> None:
    done = run_command(data, "index", str(notes))
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert lines[0] == "left out:"
    assert re.search(r"broken\.pdf +is a damaged or locked PDF", done.stderr)
    assert re.search(r"picture\.png +is neither text nor of a known format", done.stderr)
    assert lines[-1] == "3 added, 0 updated, 0 unchanged, 0 removed, 3 passages, 2 left out"
    assert set(listed(run_command, data)) == {"notes/tide.md", "notes/moss.md", "notes/kiln.md"}
    assert found(run_command, data, "kiln") == ["notes/kiln.md"]


def test_strict_is_code_1_and_indexes_all_the_same(data: Path, notes: Path, run_command: Any) -> None:
    done = run_command(data, "index", str(notes), "--strict", "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert (report["added"], report["left_out"]) == (3, 2)
    assert sorted(Path(problem["path"]).name for problem in report["problems"]) == ["broken.pdf", "picture.png"]
    (notes / "broken.pdf").unlink()
    (notes / "picture.png").unlink()
    assert run_command(data, "index", str(notes), "--strict").returncode == 0


def test_documents_are_listed_shown_added_and_removed(data: Path, notes: Path, run_command: Any) -> None:
    nothing = run_command(data, "documents", "list", "--json")
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert "the index is empty" in nothing.stderr
    added = run_command(data, "documents", "add", str(notes / "tide.md"), str(notes / "moss.md"), "--json")
    assert json.loads(added.stdout)["added"] == 2
    tide = listed(run_command, data)["tide.md"]
    assert tide["passages"] == 1
    assert tide["bytes"] == (notes / "tide.md").stat().st_size
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", tide["modified"])
    assert "tide.md  (1 passage," in run_command(data, "documents", "list").stdout

    shown = json.loads(run_command(data, "documents", "show", "tide.md", "--json").stdout)
    assert shown["contents"][0]["text"] == "What is written here is about the tide."
    assert "about the tide." in run_command(data, "documents", "show", "tide.md").stdout

    removed = run_command(data, "documents", "remove", "tide.md", "--json")
    assert [json.loads(line)["document"] for line in removed.stdout.splitlines()] == ["tide.md"]
    assert set(listed(run_command, data)) == {"moss.md"}
    assert found(run_command, data, "tide") == []
    assert (notes / "tide.md").exists()


def test_a_folder_of_documents_is_removed_by_name_or_path(data: Path, notes: Path, run_command: Any) -> None:
    for name in ("notes", str(notes)):
        run_command(data, "index", str(notes))
        assert len(run_command(data, "documents", "remove", name).stdout.splitlines()) == 3
        assert listed(run_command, data) == {}


@pytest.mark.parametrize("verb", ["show", "remove"])
def test_an_unknown_document_is_code_2(data: Path, run_command: Any, verb: str) -> None:
    done = run_command(data, "documents", verb, "nothing.md")
    assert done.returncode == 2
    assert "nothing.md: there is no such document" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_renamed_file_that_is_named_alone_leaves_no_passages_behind(
    data: Path, notes: Path, run_command: Any
) -> None:
    for name in ("tide.md", "moss.md"):
        run_command(data, "index", str(notes / name))
    (notes / "tide.md").rename(notes / "ebb.md")
    report = json.loads(run_command(data, "index", str(notes / "ebb.md"), "--json").stdout)
    assert (report["added"], report["removed"]) == (1, 1)
    assert set(listed(run_command, data)) == {"ebb.md", "moss.md"}


def test_a_removed_file_that_is_named_alone_leaves(data: Path, notes: Path, run_command: Any) -> None:
    run_command(data, "index", str(notes / "tide.md"), str(notes / "moss.md"))
    (notes / "tide.md").unlink()
    done = run_command(data, "index", str(notes / "tide.md"), "--json")
    assert json.loads(done.stdout)["removed"] == 1
    assert set(listed(run_command, data)) == {"moss.md"}
    again = run_command(data, "index", str(notes / "tide.md"))
    assert again.returncode == 2
    assert "tide.md does not exist" in again.stderr


def test_links_are_followed_only_where_that_is_said(data: Path, notes: Path, tmp_path: Path, run_command: Any) -> None:
    (tmp_path / "private.md").write_text("# Private\n\nA heron.\n", "utf-8")
    (notes / "link.md").symlink_to(tmp_path / "private.md")
    done = run_command(data, "index", str(notes))
    assert re.search(r"link\.md +is a symbolic link", done.stderr)
    assert found(run_command, data, "heron") == []
    run_command(data, "index", str(notes), "--follow-links")
    assert found(run_command, data, "heron") == ["notes/link.md"]


def recipe_of_run(docs: str = "") -> list[str]:
    """The arguments that `make run` gives the engine; also where the tests were started by make themselves."""
    outside = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    outside["DOCS"] = docs  # as make exports it
    asked = ["make", "--no-print-directory", "-n", "run", f"DOCS={docs}"]
    made = subprocess.run(asked, cwd=ROOT, env=outside, capture_output=True, text=True, check=True).stdout
    recipe = made[made.index("set --;") :].replace("exec .venv/bin/assistance-engine", "printf '%s\\n'")
    told = subprocess.run(["sh", "-c", recipe], cwd=ROOT, env=outside, capture_output=True, text=True, check=True)
    return told.stdout.splitlines()


def test_own_documents_are_served_without_the_examples(data: Path, notes: Path, run_command: Any) -> None:
    words = recipe_of_run(str(notes))
    assert words[:3] == ["serve", "--documents", str(notes)]
    assert "--index-if-empty" not in words
    run_command(data, "index", "examples/avap/en/overview.md", "README.md")
    without = words[words.index("--without") :]
    report = json.loads(run_command(data, "index", str(notes), *without, "--json").stdout)
    assert (report["added"], report["removed"]) == (3, 2)
    assert set(listed(run_command, data)) == {"notes/tide.md", "notes/moss.md", "notes/kiln.md"}


def test_the_stock_index_is_of_the_examples_alone() -> None:
    assert recipe_of_run() == ["serve", "--index-if-empty", "examples/avap"]


def test_documents_are_one_path_that_has_spaces_or_several_between_spaces(tmp_path: Path) -> None:
    spaced = tmp_path / "my  own notes"
    spaced.mkdir()
    assert recipe_of_run(str(spaced))[:4] == ["serve", "--documents", str(spaced), "--without"]
    assert recipe_of_run("docs README.md")[:5] == ["serve", "--documents", "docs", "--documents", "README.md"]


def test_a_file_that_is_named_alone_keeps_the_name_it_has_from_its_folder(
    data: Path, notes: Path, run_command: Any
) -> None:
    run_command(data, "index", str(notes))
    (notes / "tide.md").write_text("# Tide\n\nIt ebbs twice a day.\n", "utf-8")
    report = json.loads(run_command(data, "documents", "add", str(notes / "tide.md"), "--json").stdout)
    assert (report["added"], report["updated"]) == (0, 1)
    run_command(data, "documents", "remove", "notes/moss.md")
    run_command(data, "documents", "add", str(notes / "moss.md"))
    assert set(listed(run_command, data)) == {"notes/tide.md", "notes/moss.md", "notes/kiln.md"}


def test_of_what_was_never_indexed_nothing_is_said_to_stay(data: Path, notes: Path, run_command: Any) -> None:
    (notes / "map.pdf").write_bytes(b"%PDF-1.7 broken")
    told = run_command(data, "index", str(notes)).stderr
    assert re.search(r"map\.pdf +is a damaged", told)
    assert "stays" not in told


def test_nothing_is_searched_for_without_a_word(data: Path, run_command: Any) -> None:
    done = run_command(data, "search", " ")
    assert done.returncode == 2
    assert "query: is empty" in done.stderr


def on_a_terminal(data: Path, *words: str, until: str = "") -> tuple[int, str]:
    """Runs a command whose stderr is a terminal; (exit code, what it showed). Ctrl-C once it has shown `until`."""
    leader, follower = pty.openpty()
    with Path(os.devnull).open("rb") as nothing, os.fdopen(follower, "wb", buffering=0) as terminal:
        process = Forked(words, environment(data), nothing, terminal, terminal)
    shown = b""
    try:
        while process.poll() is None or select.select([leader], [], [], 0)[0]:
            if select.select([leader], [], [], 0.05)[0]:
                try:
                    shown += os.read(leader, 65_536)
                except OSError:  # how Linux says that the other end was closed
                    break
                if until and re.search(until, shown.decode("utf-8", "replace")):
                    process.send_signal(signal.SIGINT)
                    until = ""
        code = process.wait(60)
    finally:
        process.kill()
        os.close(leader)
    return code, shown.decode("utf-8", "replace")


def many(folder: Path, count: int) -> Path:
    folder.mkdir()
    for number in range(count):
        words = " ".join(f"word{number}x{place}" for place in range(12))
        (folder / f"n{number:04}.txt").write_text(f"Note {number}. {words}\n", "utf-8")
    return folder


def test_a_terminal_sees_a_bar_with_rate_and_time_left(data: Path, tmp_path: Path) -> None:
    code, shown = on_a_terminal(data, "index", str(many(tmp_path / "many", 100)))
    assert code == 0
    assert re.search(r"indexing: +\d+%\|.*\d+:\d\d<\d+:\d\d, .*B/s, \d+ documents, \d+ passages", shown)
    assert "100 added" in shown


def test_ctrl_c_keeps_what_was_complete_and_the_next_run_carries_on(
    data: Path, tmp_path: Path, run_command: Any
) -> None:
    folder = many(tmp_path / "many", 256)
    code, shown = on_a_terminal(data, "index", str(folder), until=r"[1-9]\d* documents, ")
    assert code == 130, shown
    assert "the same command carries on" in shown
    assert "Traceback" not in shown
    kept = len(listed(run_command, data))
    assert 0 < kept < 256
    report = json.loads(run_command(data, "index", str(folder), "--json").stdout)
    assert (report["unchanged"], report["added"]) == (kept, 256 - kept)


@pytest.mark.parametrize(
    "words", [["search", "kiln"], ["ask", "What is written about the kiln?"], ["documents", "list"]]
)
def test_a_damaged_index_is_told_with_its_mend(data: Path, notes: Path, run_command: Any, words: list[str]) -> None:
    run_command(data, "index", str(notes))
    vectors = next(data.rglob("*.vectors"))
    content = bytearray(vectors.read_bytes())
    content[-1] ^= 1
    vectors.write_bytes(content)
    done = run_command(data, *words)
    assert done.returncode == 3
    assert vectors.name in done.stderr
    assert "assistance-engine index --rebuild" in done.stderr
    assert "Traceback" not in done.stderr
    assert "is damaged" in run_command(data, "doctor").stdout
    assert run_command(data, "index", "--rebuild", str(notes)).returncode == 0
    assert run_command(data, *words).returncode == 0


def test_the_commands_of_the_page_do_what_it_says(data: Path, notes: Path, run_command: Any) -> None:
    page = (ROOT / "docs" / "documents.md").read_text("utf-8")
    block = page.split("```sh\n", 1)[1].split("```", 1)[0]
    (notes.parent / "more.txt").write_text("A fourth note.\n", "utf-8")
    shown = []
    for line in block.splitlines():
        program, *words = shlex.split(line, comments=True)
        assert program == "assistance-engine"
        done = run_command(data, *words, folder=notes.parent)
        assert done.returncode == 0, done.stderr
        shown.append(done.stdout)
    assert shown[1].count("\n") == 3
    assert "about the tide." in shown[2]
    assert shown[4].startswith("removed notes/tide.md")


def test_the_page_names_the_formats_and_limits_that_there_are() -> None:
    page = (ROOT / "docs" / "documents.md").read_text("utf-8")
    for suffix in (*by_suffix._READERS, *office.TEXTS, *office.SHEETS, *JSON_LINES, ".pdf"):
        assert f"`{suffix}`" in page
    named = set(re.findall(r"`(\.[a-z]+)`", page.split("| source code")[0]))
    assert named == {*by_suffix._READERS, *office.TEXTS, *office.SHEETS, *JSON_LINES, ".pdf"}
    assert f"larger than {limits.MOST_BYTES // 1_000_000} MB" in page
    assert f"{limits.MOST_SECONDS:g} s of processor time" in page
    assert f"{limits.MOST_MEMORY / 1e9:g} GB of memory" in page


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Which kiln is the cheapest?", "The least is Mobile — Price (EUR): 60."),
        ("What is the average price of the kilns?", "Price (EUR): 110 EUR on average (440 EUR over 4)."),
        ("What is the cheapest electric kiln?", "The least is Tall — Price (EUR): 90."),
        ("How much does the wide kiln cost?", "Wide — Price (EUR): 200."),
    ],
)
def test_what_the_rows_of_a_table_file_come_to(kilns: Path, run_command: Any, question: str, says: str) -> None:
    assert run_command(kilns, "ask", question).stdout.startswith(f"{says} [1]\n")


@pytest.fixture(scope="module")
def kilns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kilns")
    rows = ("Mobile,gas,60", "Tall,electric,90", "Wide,electric,200", "Low,gas,90")
    (folder / "kilns.csv").write_text("\n".join(("Kiln,Fuel,Price (EUR)", *rows)), encoding="utf-8")
    assert command(folder / "data", "index", str(folder / "kilns.csv")).returncode == 0
    return folder / "data"
