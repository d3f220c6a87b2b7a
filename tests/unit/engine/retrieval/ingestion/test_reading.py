from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.errors import InvalidInput
from engine.retrieval.ingestion import reading
from engine.retrieval.ingestion.reading import index_roots, read_documents
from engine.retrieval.port import Document


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    (root / "sub" / "deep").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "b.md").write_text("# Bee\n\ntext b")
    (root / "a.txt").write_text("text a")
    (root / "sub" / "code.py").write_text("x = 1")
    (root / "sub" / "deep" / "page.html").write_text("<title>Page</title><p>text page</p>")
    (root / ".hidden.md").write_text("hidden")
    (root / ".git" / "config").write_text("hidden too")
    return root


def read(*paths: Path | str) -> list[Document]:
    return list(read_documents(paths))


def names(*paths: Path | str) -> list[str]:
    return [document.name for document in read(*paths)]


def skipped(*paths: Path | str) -> dict[str, str]:
    reasons: dict[str, str] = {}
    list(read_documents(paths, on_skip=lambda path, reason: reasons.update({path.name: reason})))
    return reasons


def json_lines(path: Path, *values: Any) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def test_a_folder_is_read_whole_and_in_order(docs: Path) -> None:
    assert names(docs) == ["docs/a.txt", "docs/b.md", "docs/sub/code.py", "docs/sub/deep/page.html"]


def test_documents_carry_title_kind_and_source(docs: Path) -> None:
    found = {document.name: document for document in read(docs)}
    assert found["docs/b.md"].title == "Bee"
    assert found["docs/a.txt"].title == "a.txt"
    assert found["docs/sub/deep/page.html"].title == "Page"
    assert found["docs/sub/code.py"].kind == "code"
    assert found["docs/b.md"].source == str(docs / "b.md")
    assert found["docs/b.md"].text == "# Bee\n\ntext b"


def test_a_file_is_named_by_its_file_name(docs: Path) -> None:
    (only,) = read(docs / "sub" / "code.py")
    assert (only.name, only.source) == ("code.py", str(docs / "sub" / "code.py"))


def test_a_hidden_file_that_is_named_is_read(docs: Path) -> None:
    assert names(docs / ".hidden.md") == [".hidden.md"]


def test_relative_paths_and_dots_are_resolved(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(docs)
    assert names(".")[:2] == ["docs/a.txt", "docs/b.md"]
    assert names("sub/../b.md") == ["b.md"]
    assert read("b.md")[0].source == str(docs / "b.md")


def test_strings_and_paths_are_the_same(docs: Path) -> None:
    assert read(str(docs)) == read(docs)


def test_the_digest_is_of_the_content(docs: Path) -> None:
    before = {document.name: document.digest for document in read(docs)}
    (docs / "b.md").write_text("# Bee\n\nother")
    after = {document.name: document.digest for document in read(docs)}
    assert {name for name in before if before[name] != after[name]} == {"docs/b.md"}
    assert all(len(digest) == len(hashlib.sha256().hexdigest()) for digest in after.values())


def test_nothing_is_read_twice(docs: Path) -> None:
    assert names(docs, docs / "b.md", docs / "sub") == names(docs)


def test_documents_come_one_by_one(docs: Path) -> None:
    documents = read_documents([docs])
    assert isinstance(documents, Iterator)
    assert next(documents).name == "docs/a.txt"
    (docs / "b.md").write_text("# Changed meanwhile\n\nx")
    assert next(documents).title == "Changed meanwhile"


def test_a_missing_path_is_named_before_anything_is_read(docs: Path) -> None:
    with pytest.raises(InvalidInput, match=r"path: .*nowhere does not exist"):
        read_documents([docs, docs / "nowhere"])


def test_links_are_followed_and_loops_end(docs: Path) -> None:
    (docs / "sub" / "loop").symlink_to(docs, target_is_directory=True)
    (docs / "again.md").symlink_to(docs / "b.md")
    (docs / "broken.md").symlink_to(docs / "gone")
    outside = docs.parent / "outside"
    outside.mkdir()
    (outside / "o.md").write_text("outside")
    (docs / "linked").symlink_to(outside, target_is_directory=True)
    found = names(docs)
    assert "docs/linked/o.md" in found
    assert sum("text b" in document.text for document in read(docs)) == 1
    assert len(found) == 5


def test_what_is_left_out_is_reported(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 1_000_000)
    (docs / "image.png").write_bytes(b"\x89PNG\0\0")
    (docs / "empty.md").write_text(" \n")
    (docs / "large.txt").write_text("x" * 1_000_001)
    (docs / "broken.md").symlink_to(docs / "gone")
    os.mkfifo(docs / "pipe")
    assert skipped(docs) == {
        "image.png": "is neither text nor of a known format",
        "empty.md": "holds no text",
        "large.txt": "is larger than 1 MB",
        "broken.md": "is not a file that can be read",
        "pipe": "is not a file that can be read",
    }


def test_what_is_left_out_needs_no_listener(docs: Path) -> None:
    (docs / "image.png").write_bytes(b"\x89PNG\0\0")
    assert len(names(docs)) == 4


@pytest.mark.parametrize(("content", "reason"), [(b"\0", "neither text"), (b"", "holds no text")])
def test_a_named_file_that_cannot_be_indexed_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "file.txt").write_bytes(content)
    with pytest.raises(InvalidInput, match=rf"file\.txt .*{reason}"):
        read(tmp_path / "file.txt")


def test_a_damaged_pdf_is_named(docs: Path) -> None:
    (docs / "broken.pdf").write_bytes(b"%PDF-1.4 no more")
    with pytest.raises(InvalidInput, match=r"broken\.pdf is a damaged or locked PDF"):
        read(docs)


def test_a_folder_that_cannot_be_read_is_named(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Not by taking the right away: root reads everything.
    listed = os.scandir

    def scandir(path: str) -> Any:
        if str(path).endswith("deep"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(InvalidInput, match=r"deep cannot be read \(Permission denied\)"):
        read(docs)


def test_a_file_that_cannot_be_read_is_named(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_bytes(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    with pytest.raises(InvalidInput, match=r"a\.txt cannot be read \(Permission denied\)"):
        read(docs)


def test_a_name_that_is_not_utf8_is_still_a_name(docs: Path) -> None:
    Path(os.fsdecode(os.fsencode(docs) + b"/caf\xe9.md")).write_text("coffee")
    document = next(document for document in read(docs) if document.text == "coffee")
    (document.name + document.source + document.title).encode()


def test_json_lines_are_kept_whole(tmp_path: Path) -> None:
    path = json_lines(
        tmp_path / "set.jsonl",
        {"id": "one", "title": "First", "text": "text one\n\nmore"},
        {"_id": "two", "text": "text two"},
        {"id": 3, "title": None, "text": "text three"},
    )
    one, two, three = read(path)
    assert one == Document(
        name="one", title="First", text="text one\n\nmore", kind="passage", source=f"{path}#one", digest=one.digest
    )
    assert (two.name, two.title, two.source) == ("two", "", f"{path}#two")
    assert three.name == "3"


def test_json_lines_in_a_folder_are_found(docs: Path) -> None:
    json_lines(docs / "set.jsonl", {"id": "one", "text": "x"})
    assert "one" in names(docs)


def test_blank_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "a", "text": "x"}\r\n\r\n  \n{"id": "b", "text": "y"}')
    assert names(path) == ["a", "b"]


def test_a_large_file_of_json_lines_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 200)
    path = json_lines(tmp_path / "set.jsonl", *({"id": n, "text": "x" * 50} for n in range(20)))
    assert len(read(path)) == 20


def test_the_same_line_twice_is_read_once(tmp_path: Path) -> None:
    line = {"id": "a", "text": "x"}
    assert names(json_lines(tmp_path / "set.jsonl", line, line)) == ["a"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{broken", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "not an object"),
        ('"text"', "not an object"),
        ('{"text": "x"}', "no `id`"),
        ('{"id": "", "text": "x"}', "no `id`"),
        ('{"id": true, "text": "x"}', "no `id`"),
        ('{"id": [1], "text": "x"}', "no `id`"),
        ('{"id": "b"}', "no `text`"),
        ('{"id": "b", "text": 5}', "no `text`"),
        ('{"id": "b", "text": "x", "title": 5}', "no `text`, or a `title`"),
        ('{"id": "a", "text": "another"}', "used before"),
        ('{"id": "b", "text": "' + "x" * 2_000 + '"}', "longer than"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, problem: str) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 1_000 if "longer" in problem else 1_000_000)
    path = tmp_path / "set.jsonl"
    path.write_text(f'{{"id": "a", "text": "x"}}\n\n{line}\n')
    documents = read_documents([path])
    assert next(documents).name == "a"
    with pytest.raises(InvalidInput, match=r"set\.jsonl, line 3: ") as refusal:
        next(documents)
    assert problem in str(refusal.value)


def test_lone_surrogates_in_json_lines_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text('{"id": "a\\ud800", "title": "\\udc00", "text": "x\\ud800y"}\n')
    (only,) = read(path)
    (only.name + only.title + only.text + only.source).encode()


def test_roots_are_folders_and_files_of_json_lines(docs: Path, tmp_path: Path) -> None:
    path = json_lines(tmp_path / "set.jsonl")
    assert index_roots([docs, docs / "b.md", path]) == [str(docs), str(path)]
