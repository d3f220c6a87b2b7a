from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.ingestion.formats.html import _flattened, html_to_markdown
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
    assert markdown("<ul><li>one<li><p>two</p><ol><li>nested</ol></ul>") == "- one\n- two\n  1. nested"


def test_code_is_fenced_and_kept_as_it_is() -> None:
    assert markdown("<pre><code>def f():\n\n    return 1\n</code></pre>") == "```\ndef f():\n\n    return 1\n```"


def test_a_fence_in_code_does_not_end_it() -> None:
    assert markdown("<pre>```\nx\n```</pre>") == "````\n```\nx\n```\n````"


def test_tables_are_tables() -> None:
    table = "<table><thead><tr><th>A<th>B</thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>"
    assert markdown(table) == "| A | B |\n| --- | --- |\n| 1 | 2 |"


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


def test_a_list_is_one_block_with_its_numbers() -> None:
    page = "<p>Do this:</p><ol start=3><li>one<li>two<ul><li><p>in</p><p>more</p></li></ul><li>three</ol><p>After</p>"
    assert markdown(page) == "Do this:\n\n3. one\n4. two\n  - in\n    more\n5. three\n\nAfter"


@pytest.mark.parametrize("start", ["-1", "x", "999999999999", ""])
def test_a_list_that_begins_with_nonsense_begins_with_1(start: str) -> None:
    assert markdown(f'<ol start="{start}"><li>one</ol>') == "1. one"


def test_a_cell_is_a_line_whatever_is_in_it() -> None:
    table = "<table><tr><th>A<th>B|C</tr><tr><td><p>1</p><p>2</p><td>c<ul><li>q<li>r</ul></table>"
    assert markdown(table) == "| A | B\\|C |\n| --- | --- |\n| 1 2 | c q r |"


def test_rows_that_are_shorter_are_filled() -> None:
    table = "<table><tr><td>A<td>B<td>C</tr><tr><td>1</tr></table>"
    assert markdown(table).splitlines()[-1] == "| 1 |  |  |"


def test_a_table_that_lays_out_a_page_is_no_table() -> None:
    page = "<table><tr><td><h2>Head</h2><p>text</p><td><table><tr><td>a<td>b<tr><td>1<td>2</table></table>"
    assert markdown(page) == "## Head\n\ntext\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"


@pytest.mark.parametrize("opening", ["<div>", "<ul><li>", "<blockquote class='x'>", "<section><DIV\n>"])
def test_what_is_nested_too_deeply_is_flattened(opening: str) -> None:
    """The parser never sees more than some hundred open elements, so it takes time by the length of the page."""
    page = f"<p>before</p>{(opening + 'x ') * 30_000}<p>after</p>"
    assert _flattened(page).count("<br") >= 29_000
    text = markdown(page)
    assert text.startswith("before")
    assert text.endswith("after")
    assert text.count("x") == 30_000


def test_what_is_not_nested_is_not_flattened() -> None:
    page = "<div><p>x</div>" * 5_000 + "<p>y" * 5_000
    assert _flattened(page) == page


def test_depth_is_counted_down_again() -> None:
    page = "<div>" * 600 + "</div>" * 600 + "<div>plain</div>"
    assert _flattened(page).endswith("<div>plain</div>")
    assert _flattened(page).count("<br") == _flattened(page).count("</br") == 88


NAVIGATION = '<nav><a href="#a">Boats</a> | <nav><a href="#b">Oars</a></nav></nav>'


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"{NAVIGATION}<h1>Rowing</h1><p>A skiff.</p>", "# Rowing\n\nA skiff."),
        ('<ul role="navigation"><li>Boats</ul><p>A skiff.</p><footer>Rowers Ltd. 2025.</footer>', "A skiff."),
        ('<p>A skiff.</p><div role="contentinfo"><a href="/">Home</a></div>', "A skiff."),
        ("<p>A skiff.</p><footer><address>2 Quay Lane</address></footer>", "A skiff.\n\n2 Quay Lane"),
        ('<p>A skiff.</p><footer>Call <a href="tel:5551">555 1</a></footer>', "A skiff.\n\nCall 555 1"),
        ("<article><p>A skiff.</p><footer>By Nia.</footer></article>", "A skiff.\n\nBy Nia."),
        (f"{NAVIGATION}<footer>Rowers Ltd.</footer>", "Boats |\n\nOars\n\nRowers Ltd."),  # there is nothing else
    ],
)
def test_what_stands_around_the_text_of_a_page_is_none_of_it(html: str, text: str) -> None:
    assert markdown(html) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<dl><dt>Ebb</dt><dd>The tide goes out.</dd><dt>Flood</dt><dd><p>It comes in.</p><p>Twice a day.</p></dd></dl>",
         "- Ebb: The tide goes out.\n- Flood: It comes in.\n  Twice a day."),
        ("<dl>\n <dt>Ebb</dt>\n <dt>Low water</dt>\n <dd>both</dd>\n</dl><p>after</p>", "- Ebb, Low water: both\n\nafter"),
        ("<dl><dt>Ebb</dt></dl><p>after</p>", "- Ebb\n\nafter"),
        ("<dl><dt>Ebb</dt><dd>first</dd><dd>second</dd></dl>", "- Ebb: first\n  second"),
        ("<dl><div><dt>Ebb</dt><dd>out</dd></div></dl>", "- Ebb: out"),
        ("<dl><dt>Boats</dt><dd><ul><li>one</li><li>two</li></ul></dd></dl>", "- Boats:\n  - one\n  - two"),
        ("<dl><dt>Code</dt><dd><pre>x = 1</pre></dd></dl>", "- Code:\n\n```\nx = 1\n```"),
        ("<dl><dd>no term</dd></dl>", "no term"),
    ],
)  # fmt: skip
def test_a_description_stands_behind_its_term(html: str, text: str) -> None:
    assert markdown(html) == text


def test_a_cell_with_terms_stays_a_cell() -> None:
    table = "<table><tr><td><dl><dt>a</dt><dd>b</dd></dl></td><td>c</td></tr><tr><td>1</td><td>2</td></tr></table>"
    assert markdown(table) == "| a b | c |\n| --- | --- |\n| 1 | 2 |"
