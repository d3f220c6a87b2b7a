from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from engine.errors import InvalidInput
from engine.retrieval.ingestion import limits
from engine.retrieval.ingestion.formats import by_suffix
from engine.retrieval.ingestion.reading import Documents, gone_beside, index_roots, read_file
from engine.retrieval.port import Document, LeftOut


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


def read(*paths: Path | str, follow_links: bool = False) -> list[Document]:
    return [one for one in Documents(paths, follow_links=follow_links) if isinstance(one, Document)]


def names(*paths: Path | str, follow_links: bool = False) -> list[str]:
    return [document.name for document in read(*paths, follow_links=follow_links)]


def left_out(*paths: Path | str) -> list[LeftOut]:
    return [one for one in Documents(paths) if isinstance(one, LeftOut)]


def reasons(*paths: Path | str) -> dict[str, str]:
    return {Path(one.path).name: one.reason for one in left_out(*paths)}


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
    assert found["docs/sub/code.py"].kind == "code:python"
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
    documents = iter(Documents([docs]))
    next(documents)
    (docs / "b.md").write_text("# Changed meanwhile\n\nx")
    second = next(documents)
    assert isinstance(second, Document)
    assert second.title == "Changed meanwhile"


def test_sizes_and_times_are_known(docs: Path) -> None:
    os.utime(docs / "b.md", (1_700_000_000, 1_700_000_000))
    documents = Documents([docs])
    assert documents.size == sum(
        path.stat().st_size for path in docs.rglob("*") if path.is_file() and "/." not in str(path)
    )
    bee = next(one for one in documents if isinstance(one, Document) and one.title == "Bee")
    assert (bee.size, bee.modified) == (13, 1_700_000_000)


def test_a_missing_path_is_named_before_anything_is_read(docs: Path) -> None:
    with pytest.raises(InvalidInput, match=r"path: .*nowhere does not exist"):
        Documents([docs, docs / "nowhere"])


@pytest.fixture
def linked(docs: Path) -> Path:
    """`docs` with links: to itself, to a file in it, to nothing, and to a folder and a file outside."""
    outside = docs.parent / "outside"
    outside.mkdir()
    (outside / "o.md").write_text("outside")
    (docs / "sub" / "loop").symlink_to(docs, target_is_directory=True)
    (docs / "sub" / "endless").symlink_to(docs / "sub" / "endless")
    (docs / "again.md").symlink_to(docs / "b.md")
    (docs / "broken.md").symlink_to(docs / "gone")
    (docs / "linked").symlink_to(outside, target_is_directory=True)
    (docs / "secret.txt").symlink_to("/etc/hostname")
    return docs


def test_links_are_not_followed(linked: Path) -> None:
    assert names(linked) == ["docs/a.txt", "docs/b.md", "docs/sub/code.py", "docs/sub/deep/page.html"]
    told = reasons(linked)
    assert set(told) == {"linked", "secret.txt", "broken.md", "endless"}  # what is read anyway takes nothing away
    assert all("symbolic link" in reason and "--follow-links" in reason for reason in told.values())


def test_links_are_followed_where_that_is_allowed_and_loops_end(linked: Path) -> None:
    (linked / "secret.txt").unlink()
    found = names(linked, follow_links=True)
    assert "docs/linked/o.md" in found
    assert sum("text b" in document.text for document in read(linked, follow_links=True)) == 1
    assert len(found) == 5


def test_a_link_that_is_named_is_read(linked: Path) -> None:
    assert names(linked / "linked") == ["outside/o.md"]
    assert names(linked / "again.md") == ["again.md"]


def test_what_is_left_out_has_its_reason(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_BYTES", 1_000_000)
    (docs / "image.png").write_bytes(b"\x89PNG\0\0")
    (docs / "empty.md").write_text(" \n")
    (docs / "large.txt").write_text("x" * 1_000_001)
    (docs / "broken.pdf").write_bytes(b"%PDF-1.4 no more")
    os.mkfifo(docs / "pipe")
    assert reasons(docs) == {
        "image.png": "is neither text nor of a known format",
        "empty.md": "holds no text",
        "large.txt": "is larger than 1 MB",
        "broken.pdf": "is a damaged or locked PDF",
        "pipe": "is not a file that can be read",
    }
    assert len(names(docs)) == 4
    assert sum(one.size for one in left_out(docs)) == 1_000_001 + 16 + 6 + 2


def test_a_named_file_that_cannot_be_indexed_is_left_out_too(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\0")
    (tmp_path / "b.txt").write_bytes(b"")
    (tmp_path / "c.txt").write_text("text")
    paths = [tmp_path / "a.bin", tmp_path / "b.txt", tmp_path / "c.txt"]
    assert names(*paths) == ["c.txt"]
    assert list(reasons(*paths)) == ["a.bin", "b.txt"]


def test_only_what_may_hold_something_else_tomorrow_is_kept(docs: Path) -> None:
    (docs / "broken.pdf").write_bytes(b"%PDF-1.4 no more")
    (docs / "empty.md").write_text("")
    assert {Path(one.path).name: one.keeps for one in left_out(docs)} == {"broken.pdf": True, "empty.md": False}


def test_a_folder_that_cannot_be_read_is_left_out(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Not by taking the right away: root reads everything.
    listed = os.scandir

    def scandir(path: str) -> Any:
        if str(path).endswith("deep"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    (only,) = left_out(docs)
    assert (only.source, only.reason, only.keeps) == (
        str(docs / "sub" / "deep"),
        "cannot be read (Permission denied)",
        True,
    )
    assert names(docs) == ["docs/a.txt", "docs/b.md", "docs/sub/code.py"]


def test_a_file_that_cannot_be_read_is_left_out(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_bytes = Path.read_bytes

    def refuse(self: Path) -> bytes:
        if self.name == "a.txt":
            raise PermissionError(13, "Permission denied")
        return read_bytes(self)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert reasons(docs) == {"a.txt": "cannot be read (Permission denied)"}
    assert names(docs)[0] == "docs/b.md"


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
    assert (one.name, one.title, one.text, one.kind) == ("one", "First", "text one\n\nmore", "passage")
    assert (one.source, one.size) == (f"{path}#one", len(path.read_bytes().splitlines(keepends=True)[0]))
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
    monkeypatch.setattr(limits, "MOST_BYTES", 200)
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
        ('{"id": "a", "text": "another"}', "id of a line before it"),
        ('{"id": "b", "text": "' + "x" * 2_000 + '"}', "longer than"),
    ],
)
def test_a_bad_line_is_left_out_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, problem: str
) -> None:
    monkeypatch.setattr(limits, "MOST_BYTES", 1_000 if "longer" in problem else 1_000_000)
    path = tmp_path / "set.jsonl"
    path.write_text(f'{{"id": "a", "text": "x"}}\n\n{line}\n{{"id": "z", "text": "z"}}\n')
    assert names(path) == ["a", "z"]
    (only,) = left_out(path)
    assert only.path == f"{path}, line 3"
    assert problem in only.reason
    assert not only.keeps


def test_lone_surrogates_in_json_lines_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text('{"id": "a\\ud800", "title": "\\udc00", "text": "x\\ud800y"}\n')
    (only,) = read(path)
    (only.name + only.title + only.text + only.source).encode()


def test_roots_are_what_was_given(docs: Path, tmp_path: Path) -> None:
    assert index_roots([docs, docs / "b.md"]) == [str(docs), str(docs / "b.md")]


def test_what_was_renamed_beside_a_named_file_is_gone(docs: Path) -> None:
    lines = json_lines(docs / "set.jsonl", {"id": "x#1", "text": "x"})
    sources = [str(docs / "a.txt"), str(docs / "old.txt"), str(docs / "sub" / "old.py"), f"{lines}#x#1"]
    assert gone_beside([docs / "b.md"], sources) == [str(docs / "old.txt")]
    lines.unlink()
    assert gone_beside([docs / "b.md"], sources) == [str(docs / "old.txt"), f"{lines}#x#1"]
    assert gone_beside([docs / "sub"], sources) == []  # a folder's own documents leave by its root
    assert gone_beside([docs / "gone.md"], sources)[0] == str(docs / "old.txt")


def test_code_is_read_anew_once_a_grammar_of_it_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("def decide():\n    pass\n")
    here = read_file(path, "a.py")
    monkeypatch.setattr(by_suffix, "is_installed", lambda _: False)
    assert here.digest != read_file(path, "a.py").digest
