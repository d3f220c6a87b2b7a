from __future__ import annotations

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from engine.retrieval.ingestion.formats import by_suffix
from engine.retrieval.ingestion.formats.by_suffix import Content, content_of
from engine.retrieval.ingestion.formats.decoding import decode
from engine.retrieval.ingestion.limits import UnusableError


def pdf(*pages: str, title: str = "", password: str = "") -> bytes:
    import io

    writer = PdfWriter()
    for text in pages:
        page = writer.add_blank_page(300, 300)
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        resources = DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})})
        page[NameObject("/Resources")] = resources
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode())
        page[NameObject("/Contents")] = stream
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"plain", "plain"),
        ("ñandú 😀".encode(), "ñandú 😀"),
        (b"caf\xe9", "café"),
        (b"\xef\xbb\xbfmark", "mark"),
        ("wide ñ".encode("utf-16"), "wide ñ"),
        ("wider ñ".encode("utf-32"), "wider ñ"),
        (b"\xfe\xff\x00a\x00b", "ab"),
        (b"", ""),
        (b"x" * 10_000 + b"\0end", "x" * 10_000 + "\ufffdend"),
    ],
)
def test_bytes_become_text(content: bytes, text: str) -> None:
    assert decode(content) == text


@pytest.mark.parametrize("content", [b"\0", b"GIF89a\0\0", b"\x7fELF\x02\x01\x01\0"])
def test_binary_is_no_text(content: bytes) -> None:
    assert decode(content) is None
    for suffix in (".png", ".md"):
        with pytest.raises(UnusableError, match="neither text nor of a known format"):
            content_of(suffix, content)


@pytest.mark.parametrize(
    ("suffix", "kind"),
    [
        (".md", "markdown"),
        (".MD", "markdown"),
        (".markdown", "markdown"),
        (".txt", "text"),
        ("", "text"),
        (".unknown", "text"),
        (".py", "code:python"),
        (".avap", "code"),
        (".RS", "code:rust"),
        (".yaml", "code"),
        (".rst", "markdown"),
        (".html", "markdown"),
        (".htm", "markdown"),
    ],
)
def test_the_suffix_tells_the_kind(suffix: str, kind: str) -> None:
    content = content_of(suffix, b"some words")
    assert content is not None
    assert content.kind == kind
    assert content.text.strip() == "some words"


def test_markdown_brings_its_title() -> None:
    assert content_of(".md", b"# The *title*\n\ntext") == Content("The title", "# The *title*\n\ntext", "markdown")


def test_code_is_not_looked_into() -> None:
    assert content_of(".py", b"# not a title") == Content("", "# not a title", "code:python")


def test_code_whose_grammar_is_not_installed_has_no_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_suffix, "is_installed", lambda language: language != "rust")
    assert content_of(".rs", b"fn main() {}").kind == "code"
    assert content_of(".py", b"pass").kind == "code:python"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b"int decide(int a);", "code:c"),
        (b"#include <x.h>\nnamespace a {\n}", "code:cpp"),
        (b"template <class T>\nint decide(T a);", "code:cpp"),
        (b"struct a {\n  public:\n  int b;\n};", "code:cpp"),
        (b"/* the class of a thing */\nint class_of(int a);", "code:c"),
    ],
)
def test_a_header_is_of_the_language_that_it_is_written_in(text: bytes, kind: str) -> None:
    assert content_of(".h", text).kind == kind


def test_html_becomes_markdown() -> None:
    content = content_of(".html", b"<title>T</title><h2>H</h2><p>x</p>")
    assert content == Content("T", "## H\n\nx\n", "markdown")


def test_json_becomes_markdown() -> None:
    content = content_of(".json", b'{"title": "T", "items": [{"name": "a", "description": "d"}]}')
    assert content is not None
    assert (content.title, content.kind) == ("T", "markdown")
    assert "`a`" in content.text


@pytest.mark.parametrize("content", [b"// comment\n{}", b"{broken", b""])
def test_json_that_is_none_is_kept_as_it_is(content: bytes) -> None:
    assert content_of(".json", content) == Content("", content.decode(), "code")


def test_lone_surrogates_of_json_are_replaced() -> None:
    content = content_of(".json", b'{"title": "a\\ud800", "x": "b\\udc00"}')
    assert content is not None
    (content.title + content.text).encode()


def test_a_pdf_is_read_page_by_page() -> None:
    content = content_of(".pdf", pdf("First page", "Second page", title="Manual"))
    assert content is not None
    assert (content.title, content.kind) == ("Manual", "markdown")
    assert content.text.strip().split("\n\n") == ["First page", "Second page"]


def test_a_pdf_without_text_has_none() -> None:
    content = content_of(".pdf", pdf(""))
    assert content is not None
    assert content.text.strip() == ""


@pytest.mark.parametrize("content", [b"", b"not a pdf", pdf("x")[:200], pdf("x", password="secret")])
def test_a_damaged_or_locked_pdf_is_refused(content: bytes) -> None:
    with pytest.raises(UnusableError, match="damaged or locked"):
        content_of(".pdf", content)
