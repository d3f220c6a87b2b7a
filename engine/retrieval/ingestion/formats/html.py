"""HTML pages as Markdown: the visible text, with its headings, lists and code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_INVISIBLE = "script, style, noscript, template, svg, iframe, object, [hidden]"
#: What leads to other places, on the page or off it.
_NAVIGATION = "nav, [role=navigation]"
#: What every page of a site ends with; those of an article or a section are of its text. Source: HTML Living Standard,
#: 4.3.8 "The footer element".
_FOOTERS = "footer, [role=contentinfo]"
_SECTIONING = frozenset(("article", "section", "aside", "blockquote", "details", "fieldset", "figure", "td"))
#: What somebody can be reached by is told in the footer alone.
_CONTACT = 'address, a[href^="mailto:"], a[href^="tel:"]'
_BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "details", "dd", "div", "dl", "dt", "fieldset",
        "figcaption", "figure", "footer", "form", "header", "hr", "li", "main", "nav", "ol", "p", "section", "summary",
        "table", "tbody", "thead", "tr", "ul",
    )
)  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LOOKS_LIKE_MARKUP = re.compile(r"^(#{1,6}\s|```|~~~|[=-]{3,}\s*$)")


#: Elements that a parser looks for among all that are open whenever another opens: nested by the hundred thousand, they
#: take it hours. Those that are closed by what follows them are no part of it.
_CONTAINER = re.compile(
    r"<(/?)(?:address|article|aside|blockquote|center|details|dialog|div|dl|fieldset|figcaption|figure|footer|form"
    r"|header|hgroup|listing|main|menu|nav|ol|pre|ruby|search|section|span|summary|ul)(?=[\s/>])",
    re.IGNORECASE,
)
#: How deep they may be nested. Source: what browsers build (Blink: 512).
_DEEPEST = 512
#: What makes a table one for the layout of a page, whose cells hold more than a line.
_NO_CELL = "table, h1, h2, h3, h4, h5, h6, pre"


@dataclass(slots=True)
class _Page:
    """Markdown as it comes together: finished blocks, and the line that is being written.

    Attributes:
        prefix: Of the block that is being written.
        lists: The open lists, each with the number of its next item; 0 where items have none.
        tight: The next block goes on with the last one: an item with its list, a row with its table.
        in_cell: A cell is being written, which is a line whatever blocks are in it.
        rows: Of the table that is being written.
        term: The line has a term alone, whose description goes on with it.
    """

    blocks: list[str] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    prefix: str = ""
    lists: list[int] = field(default_factory=list)
    tight: bool = False
    in_cell: bool = False
    rows: list[list[str]] | None = None
    term: bool = False

    def take_line(self) -> str:
        text = " ".join("".join(self.line).split())
        self.line = []
        return text

    def end_block(self) -> None:
        if self.in_cell:
            self.line.append(" ")
            return
        if self.term:
            return
        text = self.take_line()
        if not text:
            return
        if _LOOKS_LIKE_MARKUP.match(text):
            text = f"\\{text}"
        self.write(f"{self.prefix}{text}")
        if self.lists:
            self.prefix = "  " * len(self.lists)
            self.tight = True
        else:
            self.prefix = ""

    def write(self, block: str) -> None:
        if self.tight and self.blocks:
            self.blocks[-1:] = [self.blocks[-1], "\n", block]
        else:
            self.blocks += ["\n\n", block]

    def begin_list(self, start: int) -> None:
        self.term = False
        self.end_block()
        if not self.lists:
            self.tight = False
        self.lists.append(start)

    def end_list(self) -> None:
        self.end_block()
        if self.lists:
            self.lists.pop()
        self.prefix = "  " * len(self.lists)
        self.tight = bool(self.lists)

    def begin_item(self) -> None:
        self.end_block()
        number = self.lists[-1] if self.lists else 0
        if number:
            self.lists[-1] += 1
        self.prefix = "  " * (len(self.lists) - 1) + (f"{number}. " if number else "- ")

    def begin_term(self) -> None:
        """A term as an item, or beside the one before it that has no description of its own."""
        if self.term:
            self.line[-1] = ", "
            self.term = False
        else:
            self.begin_item()

    def end_term(self) -> None:
        if any(map(str.strip, self.line)):
            self.line.append(": ")
            self.term = True

    def end_terms(self) -> None:
        if self.term:
            self.line[-1] = ""
            self.term = False
        self.end_list()

    def end_table(self) -> None:
        rows, self.rows = self.rows or [], None
        rows = [row for row in rows if any(row)]
        width = max(map(len, rows), default=0)
        if width < 2 or len(rows) < 2:
            self.blocks += [part for row in rows for part in ("\n\n", " | ".join(row))]
            return
        rows = [[cell.replace("|", "\\|") for cell in row] + [""] * (width - len(row)) for row in rows]
        rows.insert(1, ["---"] * width)
        self.blocks += ["\n\n", "\n".join(f"| {' | '.join(row)} |" for row in rows)]


def html_to_markdown(html: str) -> tuple[str, str]:
    """Turns a page into Markdown.

    Headings become `#` lines, lists one block of `-` or numbered lines, tables Markdown tables, `pre` a fence. Scripts,
    styles and hidden elements are left out; so are navigation and the page's footer, unless that tells how somebody is
    reached, or there is nothing else.

    Returns:
        (title, Markdown); the title is the page's `title`, else its first `h1`, else empty.
    """
    title, text = _read(html, around=False)
    return (title, text) if text.strip() else _read(html, around=True)


def _read(html: str, *, around: bool) -> tuple[str, str]:
    """Title and Markdown; with what stands around the text of a page where `around` says so."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(_flattened(html))
    titles = [tree.css_first("head title"), tree.css_first("h1")]
    title = next((text for node in titles if node and (text := " ".join(node.text().split()))), "")
    for node in tree.css(_INVISIBLE if around else f"{_INVISIBLE}, {_NAVIGATION}"):
        node.decompose()
    for node in () if around else tree.css(_FOOTERS):
        if node.css_first(_CONTACT) is None and not _is_in_a_section(node):
            node.decompose()
    page = _Page()
    if tree.body is not None:
        _walk(tree.body, page)
    page.end_block()
    return title, "".join(page.blocks).lstrip("\n") + "\n"


def _is_in_a_section(node: LexborNode) -> bool:
    above = node.parent
    while above is not None:
        if above.tag in _SECTIONING:
            return True
        above = above.parent
    return False


def _flattened(html: str) -> str:
    """The page with the containers that are nested too deeply turned into line breaks."""
    depth = 0

    def count(tag: re.Match[str]) -> str:
        nonlocal depth
        closing = tag.group(1)
        if closing:
            depth -= depth > 0
        deep = depth >= _DEEPEST
        if not closing:
            depth += 1
        return f"<{closing}br" if deep else tag.group()

    return _CONTAINER.sub(count, html)


def _walk(body: LexborNode, page: _Page) -> None:
    """Writes what `body` holds. With a stack of its own: pages may be nested deeper than Python calls may."""
    stack: list[tuple[LexborNode, bool]] = [(body, False)]
    while stack:
        node, leaving = stack.pop()
        tag = node.tag or ""
        if leaving:
            _leave(tag, page)
            continue
        if (tag in _HEADINGS or tag == "pre") and not page.in_cell:
            _whole(node, tag, page)
            continue
        if tag == "-text":
            text = node.text_content or ""
            page.term = page.term and not text.strip()
            page.line += [] if page.term else [text]
        else:
            _enter(node, tag, page)
        if tag in _BLOCKS or tag in ("td", "th"):
            stack.append((node, True))
        # The last first, as the stack gives them back.
        child = node.last_child
        while child is not None:
            stack.append((child, False))
            child = child.prev


def _enter(node: LexborNode, tag: str, page: _Page) -> None:
    if tag == "br" or (tag in _BLOCKS and page.in_cell):
        page.line.append(" ")
    elif tag == "li":
        page.begin_item()
    elif tag == "dt":
        page.begin_term()
    elif tag in ("ul", "ol", "dl"):
        page.begin_list(_start(node) if tag == "ol" else 0)
    elif tag == "table" and page.rows is None:
        page.end_block()
        if all(part.css_first(_NO_CELL) is None for part in node.iter()):
            page.rows = []
    elif tag == "tr" and page.rows is not None:
        page.rows.append([])
    elif tag in ("td", "th") and page.rows:
        page.in_cell, page.line = True, []
    elif tag in _BLOCKS:
        page.end_block()


def _leave(tag: str, page: _Page) -> None:
    if tag in ("td", "th") and page.in_cell and page.rows:
        page.in_cell = False
        page.rows[-1].append(page.take_line())
    elif tag in ("ul", "ol") and not page.in_cell:
        page.end_list()
    elif tag == "dt" and not page.in_cell:
        page.end_term()
    elif tag == "dl" and not page.in_cell:
        page.end_terms()
    elif tag == "table" and page.rows is not None:
        page.in_cell = False
        page.end_table()
    else:
        page.end_block()


def _start(node: LexborNode) -> int:
    """The number of an ordered list's first item."""
    start = (node.attributes or {}).get("start") or ""
    return int(start) if start.isdecimal() and len(start) < 6 and int(start) else 1


def _whole(node: LexborNode, tag: str, page: _Page) -> None:
    """Writes a heading or a `pre`."""
    page.term = False
    page.end_block()
    if tag == "pre":
        code = node.text().strip("\n")
        mark = "```"
        while mark in code:
            mark += "`"
        if code.strip():
            page.blocks += ["\n\n", f"{mark}\n{code}\n{mark}"]
            page.tight = False
    elif text := " ".join(node.text().split()):
        page.blocks += ["\n\n", f"{'#' * _HEADINGS[tag]} {text}"]
        page.tight = False
