"""HTML pages as Markdown: the visible text, with its headings, lists and code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_INVISIBLE = "script, style, noscript, template, svg, iframe, object, [hidden]"
_BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "details", "dd", "div", "dl", "dt", "fieldset",
        "figcaption", "figure", "footer", "form", "header", "hr", "li", "main", "nav", "ol", "p", "section", "summary",
        "table", "tbody", "thead", "tr", "ul",
    )
)  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LOOKS_LIKE_MARKUP = re.compile(r"^(#{1,6}\s|```|~~~|[=-]{3,}\s*$)")


@dataclass(slots=True)
class _Page:
    """Markdown as it comes together: finished blocks, and the line that is being written."""

    blocks: list[str] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    prefix: str = ""

    def end_block(self) -> None:
        text = " ".join("".join(self.line).split())
        if text:
            self.blocks.append(self.prefix + (f"\\{text}" if _LOOKS_LIKE_MARKUP.match(text) else text))
        self.line, self.prefix = [], ""


def html_to_markdown(html: str) -> tuple[str, str]:
    """Turns a page into Markdown.

    Headings become `#` lines, list items `-` lines, table rows lines with ` | ` between cells, `pre` a fence. Scripts,
    styles and hidden elements are left out.

    Returns:
        (title, Markdown); the title is the page's `title`, else its first `h1`, else empty.
    """
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(html)
    titles = [tree.css_first("head title"), tree.css_first("h1")]
    title = next((text for node in titles if node and (text := " ".join(node.text().split()))), "")
    for node in tree.css(_INVISIBLE):
        node.decompose()
    page = _Page()
    if tree.body is not None:
        _walk(tree.body, page)
    page.end_block()
    return title, "\n\n".join(page.blocks) + "\n"


def _walk(body: LexborNode, page: _Page) -> None:
    """Writes what `body` holds. With a stack of its own: pages may be nested deeper than Python calls may."""
    stack: list[tuple[LexborNode, bool]] = [(body, False)]
    while stack:
        node, leaving = stack.pop()
        tag = node.tag or ""
        if leaving or tag in _HEADINGS or tag == "pre":
            _end(node, tag, page)
            continue
        if tag == "-text":
            page.line.append(node.text_content or "")
        elif tag == "br":
            page.line.append(" ")
        elif tag == "li":
            page.end_block()
            page.prefix = "- "
        elif tag in ("td", "th"):
            page.line.append(" | " if "".join(page.line).strip() else "")
        elif tag in _BLOCKS and "".join(page.line).strip():
            page.end_block()
        if tag in _BLOCKS:
            stack.append((node, True))
        stack.extend((child, False) for child in reversed(list(node.iter(include_text=True))))


def _end(node: LexborNode, tag: str, page: _Page) -> None:
    """Ends the block of `node`; a heading or a `pre` is written whole."""
    page.end_block()
    if tag == "pre":
        code = node.text().strip("\n")
        mark = "```"
        while mark in code:
            mark += "`"
        if code.strip():
            page.blocks.append(f"{mark}\n{code}\n{mark}")
    elif tag in _HEADINGS and (text := " ".join(node.text().split())):
        page.blocks.append(f"{'#' * _HEADINGS[tag]} {text}")
