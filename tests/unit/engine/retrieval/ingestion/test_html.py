from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.ingestion.html import html_to_markdown
from engine.retrieval.ingestion.sections import sections
from engine.retrieval.port import Document


def markdown(body: str) -> str:
    return html_to_markdown(f"<!doctype html><html><body>{body}</body></html>")[1].strip()


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> My  page </title><h1>Other</h1>", "My page"),
        ("<h1>First <b>one</b></h1><h1>Second</h1>", "First one"),
        ("<title></title><h1>Head</h1>", "Head"),
        ("<svg><title>picture</title></svg><h1>Head</h1>", "Head"),
        ("<p>none</p>", ""),
        ("", ""),
    ],
)
def test_the_title(html: str, title: str) -> None:
    assert html_to_markdown(html)[0] == title


@pytest.mark.parametrize("level", range(1, 7))
def test_headings_become_headings(level: int) -> None:
    assert markdown(f"<h{level}>A <code>b</code>\n c</h{level}>") == f"{'#' * level} A b c"


def test_paragraphs_are_apart_and_white_space_is_one() -> None:
    assert markdown("<p>one\n  two</p><p>three<br>four</p>tail") == "one two\n\nthree four\n\ntail"


def test_inline_elements_do_not_break_words() -> None:
    assert markdown("<p>bo<b>ld</b> and <a href=x>li<i>nk</i></a>.</p>") == "bold and link."


def test_lists_become_items() -> None:
    assert markdown("<ul><li>one<li><p>two</p><ol><li>nested</ol></ul>") == "- one\n\n- two\n\n- nested"


def test_code_is_fenced_and_kept_as_it_is() -> None:
    assert markdown("<pre><code>def f():\n\n    return 1\n</code></pre>") == "```\ndef f():\n\n    return 1\n```"


def test_a_fence_in_code_does_not_end_it() -> None:
    assert markdown("<pre>```\nx\n```</pre>") == "````\n```\nx\n```\n````"


def test_rows_of_tables_are_lines() -> None:
    table = "<table><thead><tr><th>A<th>B</thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>"
    assert markdown(table) == "A | B\n\n1 | 2"


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>secret()</script>",
        "<style>secret</style>",
        "<noscript>secret</noscript>",
        "<template><p>secret</p></template>",
        "<p hidden>secret</p>",
        "<!-- secret -->",
        "<svg><text>secret</text></svg>",
        "<iframe>secret</iframe>",
    ],
)
def test_what_is_not_seen_is_not_read(hidden: str) -> None:
    assert markdown(f"<p>before</p>{hidden}<p>after</p>") == "before\n\nafter"


@pytest.mark.parametrize("text", ["# number", "## two", "```", "~~~", "===", "---"])
def test_text_that_looks_like_markup_stays_text(text: str) -> None:
    assert sections(markdown(f"<p>{text}</p><h2>Real</h2><p>x</p>"))[-1].path == ("Real",)


def test_entities_are_characters() -> None:
    assert markdown("<p>a &lt; b &amp;&nbsp;c &#241;</p>") == "a < b & c ñ"


def test_a_page_becomes_passages_under_its_headings() -> None:
    title, text = html_to_markdown("<title>T</title><h1>T</h1><p>a</p><h2>Use</h2><p>b</p><pre># c</pre>")
    parts = chunk(Document(name="p.html", title=title, text=text, kind="markdown", source="/p", digest=""))
    assert [(part.passage.heading, part.passage.text) for part in parts] == [("", "a"), ("Use", "b\n\n```\n# c\n```")]


def test_deep_nesting_is_read() -> None:
    assert markdown("<div>" * 3_000 + "deep" + "</div>" * 3_000) == "deep"


@pytest.mark.parametrize("html", ["", "<", "</p></div>", "<p", "<html><head></head></html>", "<!doctype html>", "\x00"])
def test_broken_pages_are_read_as_far_as_they_go(html: str) -> None:
    html_to_markdown(html)


@settings(deadline=None)
@given(
    st.lists(st.text("abcxyz", min_size=1, max_size=8), max_size=12),
    st.sampled_from(["p", "div", "li", "td", "span", "h2", "pre", "section", "blockquote"]),
)
def test_no_visible_word_is_lost(words: list[str], tag: str) -> None:
    text = markdown("".join(f"<{tag}>{word}</{tag}>" for word in words))
    assert "".join(words) == "".join(character for character in text if character.isalpha())
