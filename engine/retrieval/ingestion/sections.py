"""The structure of Markdown: sections under their headings, and the fences that are too long for one passage."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

#: Characters of the headings without text of their own that are joined to the next one beside them.
_JOINED_HEADING_CHARS = 200
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_DASHES = re.compile(r"[ \t]{0,3}\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?")
_BEGINS = re.compile(r"[ ]{0,3}(?:[-*+]|\d{1,9}[.)]|#{1,6})\s")
_MARKUP = re.compile(r"[\\`*_\[\]<>&!~]")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the text up to the next one.

    Attributes:
        path: The headings that lead to it, outermost first, without markup; empty before the first heading.
        level: Of its own heading, 1 to 6; 0 before the first heading.
        text: Without the heading's own line.
    """

    path: tuple[str, ...]
    level: int
    text: str


@functools.cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Tables are off: a table is a paragraph to us, and no block starts inside one either way.
    return MarkdownIt("commonmark").disable("inline")


@functools.cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def with_unix_newlines(text: str) -> str:
    """The text with every line ended as Markdown's line numbers count them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def sections(text: str) -> list[Section]:
    """Splits Markdown at its headings; those inside fences, lists and quotes are text.

    A heading without text and without headings below it joins the next one beside it ("a / b"), as in references that
    describe several names at once; when there is none, it is its section's text itself. So no word is lost.

    Source: CommonMark 0.31 for what a heading is. YAML front matter, which CommonMark does not know, is text.
    """
    return with_own_text(list(_raw_sections(with_unix_newlines(text))))


def with_own_text(found: list[Section]) -> list[Section]:
    """Sections that each have a text, made of such as may have none; see `sections`."""
    result: list[Section] = []
    joined = ""
    for section, following in zip(found, [*found[1:], None], strict=True):
        path = (*section.path[:-1], f"{joined} / {section.path[-1]}") if joined else section.path
        alone, joined = joined, ""
        if section.text.strip():
            result.append(Section(path, section.level, section.text))
        elif not section.path or (following and following.level > section.level):
            if alone:  # the one beside it leads to headings below it, whose paths name that one only
                result.append(Section((*section.path[:-1], alone), section.level, alone))
        elif following and following.level == section.level and len(path[-1]) <= _JOINED_HEADING_CHARS:
            joined = path[-1]
        else:
            # Its own words; those of the heading above where it has none.
            result.append(Section(path, section.level, next((name for name in reversed(path) if name), "")))
    return result


def first_title(text: str) -> str:
    """The first heading of level 1, without markup; empty when there is none."""
    return next((s.path[-1] for s in _raw_sections(with_unix_newlines(text)) if s.level == 1 and s.path[-1]), "")


def _raw_sections(text: str) -> Iterator[Section]:
    lines = text.split("\n")
    tokens = _blocks(text)
    for token in tokens:
        if token.type == "hr" and not token.level and token.map:
            # A thematic break divides what the headings divide already, and says nothing where it is shown.
            lines[token.map[0]] = ""
    path: list[tuple[int, str]] = []
    start, level = 0, 0
    for token, content in itertools.pairwise(tokens):
        if token.type != "heading_open" or token.level or not token.map:
            continue
        yield Section(tuple(name for _, name in path), level, "\n".join(lines[start : token.map[0]]))
        start, level = token.map[1], int(token.tag[1])
        path = [*(above for above in path if above[0] < level), (level, _plain(content.content))]
    yield Section(tuple(name for _, name in path), level, "\n".join(lines[start:]))


def _blocks(text: str) -> list[Token]:
    """Block tokens, whose line numbers are those of `text`."""
    matter = _FRONT_MATTER.match(text)
    if matter:
        text = "\n" * matter.group().count("\n") + text[matter.end() :]
    return _parser().parse(text)


def _plain(markup: str) -> str:
    """A heading as it is read: code, links and emphasis without their marks."""
    if not _MARKUP.search(markup):
        return " ".join(markup.split())
    children = _inline_parser().parseInline(markup)[0].children or []
    text = "".join(" " if child.type.endswith("break") else child.content for child in children)
    return " ".join(text.split()) or markup.strip()


def split_long_fences(text: str, limit: int) -> Iterator[tuple[str, str]]:
    """Cuts Markdown around the fences that are longer than `limit` characters.

    Yields:
        (opening line, content) for such a fence, ("", text) for what lies between.
    """
    lines = with_unix_newlines(text).split("\n")
    start = 0
    for token in _blocks("\n".join(lines)) if "```" in text or "~~~" in text else ():
        if token.type != "fence" or token.level or not token.map or len(token.content) <= limit:
            continue
        first, end = token.map
        yield "", "\n".join(lines[start:first])
        closed = end - first > 1 and lines[end - 1].strip().startswith(token.markup)
        yield lines[first], "\n".join(lines[first + 1 : end - 1 if closed else end])
        start = end
    yield "", "\n".join(lines[start:])


def split_long_tables(text: str, limit: int) -> Iterator[tuple[str, str]]:
    """Cuts Markdown around the tables that are longer than `limit` characters.

    Args:
        text: Without fences that are longer than `limit`: what looks like a long table in it is one.
        limit: Characters.

    Yields:
        (head with the line below it, rows) for such a table, ("", text) for what lies between.

    Source: GitHub Flavored Markdown, "Tables": a row of names, a row of dashes, rows up to an empty line.
    """
    lines = with_unix_newlines(text).split("\n")
    start = end = 0
    for place in range(1, len(lines)):
        if place <= end or "|" not in lines[place - 1] or not _DASHES.fullmatch(lines[place]):
            continue
        end = next((at for at in range(place + 1, len(lines)) if not lines[at].strip()), len(lines))
        if sum(map(len, lines[place - 1 : end])) > limit:
            yield "", "\n".join(lines[start : place - 1])
            yield "\n".join(lines[place - 1 : place + 1]), "\n".join(lines[place + 1 : end])
            start = end
    yield "", "\n".join(lines[start:])


def segments(text: str, most: int, *, markdown: bool) -> Iterator[str]:
    """Cuts a text into pieces of at most `most` characters, at the best borders that there are in the second half.

    The splitters take time by the square of what they are given. A border is, of Markdown, where a block or a list item
    begins; otherwise, or where there is none, an empty line, a line, a blank, and within an endless word any place.
    """
    borders = iter(_borders(text) if markdown and len(text) > most else ())
    start, border = 0, 0
    while len(text) - start > most:
        best = 0
        while border <= start + most:
            best = border if border > start + most // 2 else 0
            border = next(borders, len(text) + most)
        end = best or _cut(text, start + most // 2, start + most)
        yield text[start:end]
        start = end
    yield text[start:]


def _cut(text: str, first: int, last: int) -> int:
    for mark in ("\n\n", "\n", " "):
        found = text.rfind(mark, first, last)
        if found >= 0:
            return found + len(mark)
    return last


def _borders(text: str) -> Iterator[int]:
    """Where paragraphs, headings and list items begin, in characters; none within a fence."""
    fenced, place, after_empty = "", 0, True
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fenced:
            fenced = "" if mark and mark.group(1).startswith(fenced) else fenced
        elif after_empty or mark or _BEGINS.match(line):
            yield place
            fenced = mark.group(1) if mark else ""
        after_empty = not line.strip()
        place += len(line) + 1


def fence_of(opening: str) -> str:
    """The marks that close the fence which `opening` opens."""
    match = _FENCE.match(opening)
    return match.group(1) if match else "```"
