from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.retrieval.ingestion import limits
from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.ingestion.isolation import IsolatedReader
from engine.retrieval.ingestion.limits import UnusableError
from engine.retrieval.ingestion.reading import Documents, read_file
from engine.retrieval.ingestion.worker import answer_of
from engine.retrieval.port import Document, LeftOut

DOCUMENTS = Path(__file__).parents[4] / "documents"


@pytest.fixture
def reader() -> Iterator[IsolatedReader]:
    with IsolatedReader() as made:
        yield made


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page whose reading takes some processor time and memory."""
    path = tmp_path / "page.html"
    path.write_text("<p>some words here</p>" * 100_000)
    return path


def scripted(code: str) -> tuple[str, ...]:
    """A program in place of the reader's."""
    return (sys.executable, "-c", f"import os, signal, sys\nline = sys.stdin.readline()\n{code}")


@pytest.mark.parametrize("name", ["report.docx", "slides.pptx", "sheet.xlsx", "paper.pdf"])
def test_a_document_is_what_it_is_in_this_process(reader: IsolatedReader, name: str) -> None:
    here = read_file(DOCUMENTS / name, f"docs/{name}")
    assert reader(DOCUMENTS / name, f"docs/{name}") == replace(here, text="", chunks=tuple(chunk(here)))


def test_names_that_are_not_utf8_are_read(reader: IsolatedReader, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt"))
    path.write_text("coffee")
    assert reader(path, path.name).chunks == tuple(chunk(read_file(path, path.name)))


def test_one_process_reads_many_files(reader: IsolatedReader) -> None:
    reader(DOCUMENTS / "paper.pdf", "a")
    assert reader._process
    first = reader._process.pid
    with pytest.raises(UnusableError, match="damaged or locked PDF"):
        reader(DOCUMENTS / "locked.pdf", "b")
    reader(DOCUMENTS / "report.docx", "c")
    assert reader._process.pid == first


def test_what_takes_too_long_is_left_out_and_the_next_is_read(page: Path) -> None:
    with IsolatedReader(seconds=0.05) as reader:
        with pytest.raises(UnusableError, match=r"takes more than 0\.05 s") as refusal:
            reader(page, "page.html")
        assert refusal.value.keeps
    with IsolatedReader() as reader:
        assert reader(page, "page.html").chunks


def test_what_takes_too_much_memory_is_left_out_and_the_next_is_read(page: Path) -> None:
    with IsolatedReader(memory=30_000_000) as reader:
        with pytest.raises(UnusableError, match="memory") as refusal:
            reader(page, "page.html")
        assert refusal.value.keeps
        small = page.with_name("small.txt")
        small.write_text("few words")
        assert reader(small, "small.txt").chunks


def test_what_does_not_answer_is_ended(tmp_path: Path) -> None:
    reader = IsolatedReader(seconds=0.02, program=scripted("signal.pause()"))
    with pytest.raises(UnusableError, match=r"takes more than 0\.02 s"):
        reader(tmp_path / "a.txt", "a")
    assert reader._process is None


@pytest.mark.parametrize(
    "code",
    [
        "os.kill(os.getpid(), signal.SIGSEGV)",
        "os.abort()",
        "sys.exit(1)",
        "print('{\"document', end='')",
        "print('junk')",
    ],
)
def test_a_reader_that_breaks_off_costs_its_file(tmp_path: Path, code: str) -> None:
    with IsolatedReader(program=scripted(code)) as reader:
        for _ in range(2):
            with pytest.raises(UnusableError, match="broke off") as refusal:
                reader(tmp_path / "a.txt", "a")
            assert refusal.value.keeps


def test_a_reader_that_was_killed_between_two_files_is_made_anew(reader: IsolatedReader) -> None:
    reader(DOCUMENTS / "paper.pdf", "a")
    assert reader._process
    reader._process.send_signal(signal.SIGKILL)
    reader._process.wait()
    assert reader(DOCUMENTS / "paper.pdf", "a").chunks


def test_closing_ends_the_process(reader: IsolatedReader) -> None:
    reader(DOCUMENTS / "paper.pdf", "a")
    process = reader._process
    reader.close()
    reader.close()
    assert process
    assert process.returncode == -signal.SIGKILL


def test_keys_of_the_environment_stay_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ELASTICSEARCH_API_KEY", "canary")
    told = 'import json; print(json.dumps({"reason": os.environ.get("ELASTICSEARCH_API_KEY", "none"), "keeps": False}))'
    with IsolatedReader(program=scripted(told)) as reader, pytest.raises(UnusableError, match="none"):
        reader(tmp_path / "a.txt", "a")


def test_a_folder_is_read_past_what_takes_too_long(page: Path) -> None:
    (page.parent / "z.txt").write_text("few words")
    with IsolatedReader(seconds=0.6) as reader:
        documents = list(Documents([page.parent], read=reader))
    left_out, last = documents
    assert isinstance(left_out, LeftOut)
    assert isinstance(last, Document)
    assert (left_out.size, last.name) == (page.stat().st_size, f"{page.parent.name}/z.txt")


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("secret"), BaseException("a panic")])
def test_whatever_a_reader_raises_is_a_reason(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("engine.retrieval.ingestion.worker.read_file", fail)
    answer = answer_of(Path("/a"), "a", limits.MOST_MEMORY)
    assert answer["keeps"]
    assert "secret" not in answer["reason"]
    assert answer["reason"].startswith("needs more than 1500 MB") == isinstance(error, MemoryError)
