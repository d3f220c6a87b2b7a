"""reStructuredText to Markdown: what is cut and read of it, without what is for its processors alone.

Source: docutils, reStructuredText Markup Specification and Directives; Sphinx for the directives of manuals.
"""

from __future__ import annotations

import csv
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence

from engine.retrieval.ingestion.formats.rst_tables import grid_table, markdown_table, simple_table

_MARK = r"""(?:={3,}|-{3,}|~{3,}|\^{3,}|"{3,}|'{3,}|`{3,}|\#{3,}|\*{3,}|\+{3,}|:{3,}|\.{3,}|_{3,})"""
_MARKS = re.compile(rf"{_MARK}[ \t]*")
_EXPLICIT = re.compile(r"(?P<indent>[ ]*)\.\.(?:[ ]+(?P<rest>.*))?")
_DIRECTIVE = re.compile(r"(?P<name>[\w:.+-]+?)[ ]?::(?:[ ]+(?P<argument>.*))?")
_SUBSTITUTION = re.compile(r"^[ ]*\.\. \|([^|\n]+)\|[ ]+replace::[ ]*(.*)$", re.MULTILINE)
_ADDRESS = re.compile(r"^[ ]*\.\. _`?([^`:\n]+)`?:[ ]+(\S+)[ ]*$", re.MULTILINE)
_REFERENCE = re.compile(r"\|([^|\n]+)\|")
_FOOTNOTE = re.compile(r"\[(?P<name>[^\]]+)\][ ]+(?P<text>.*)")
_OPTION = re.compile(r"[ ]*:[\w-]+:")
_ROLE = re.compile(r":(?P<role>[\w:+.-]+):`~?(?P<text>[^`]+)`")
_LINK = re.compile(r"(?<!`)`(?P<text>[^`<]+?)(?:[ ]*<(?P<target>[^`>]+)>)?`__?(?![\w`])")
_TARGET = re.compile(r"(?s)(?P<text>.+?)[ ]*<[^>]+>\Z")
_AUTO_NUMBER = re.compile(r"^([ ]*)#\.(?=[ ])")
_MARKDOWN_HEADING = re.compile(r"^[ ]{0,3}(?=#{1,6}[ ])")
_ITEM = re.compile(r"[ ]*(?:[-*+]|#\.|\d+[.)])[ ]+")
_CODE = frozenset(
    ("code", "code-block", "sourcecode", "parsed-literal", "literalinclude", "prompt", "doctest", "testcode")
)
_WITHOUT_TEXT = frozenset(
    ("contents", "currentmodule", "default-role", "highlight", "include", "index", "meta", "raw", "role", "sectnum")
) | {"toctree"}
#: Directives whose argument says how or where what they hold is shown; those whose argument is its title.
_PLACED = frozenset({"container", "figure", "image", "only", "grid", "tab-set", "class", "rst-class"})
_TITLED = frozenset({"admonition", "centered", "rubric", "sidebar", "topic", "tab-item"})
_LABELS = {
    "seealso": "See also:",
    "versionadded": "Added in",
    "versionchanged": "Changed in",
    "deprecated": "Deprecated since",
}
#: Directives within directives that are read.
_DEPTH = 20
_PROSE_ROLES = frozenset({"ref", "doc", "term", "numref", "abbr", "guilabel", "menuselection", "strong", "emphasis"})


def rst_to_markdown(text: str) -> str:
    """Titles as headings, directives as what they show, literal blocks as fences, tables as those of Markdown.

    Comments, labels and directives that show nothing are left out; what is not known stays as it is.
    """
    lines = [line.expandtabs(8).rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    addresses = {name.casefold(): address for name, address in _ADDRESS.findall(text)}
    return "\n".join(_Converter(dict(_SUBSTITUTION.findall(text)), addresses).convert(lines))


class _Converter:
    """Converts one text.

    Args:
        replaced: What stands in place of substitutions, by name.
        addresses: Those of links, by name in small letters.
    """

    def __init__(self, replaced: dict[str, str], addresses: dict[str, str]) -> None:
        self._styles: list[str] = []
        self._depth = 0
        self._replaced, self._addresses = replaced, addresses

    def convert(self, lines: Sequence[str], *, titled: bool = True) -> list[str]:
        """The lines as Markdown.

        Args:
            lines: Without tabs.
            titled: Whether there may be titles: there are none within directives.
        """
        made: list[str] = []
        place = 0
        while place < len(lines):
            length, found = self._explicit(lines, place) or (self._title(lines, place) if titled else None) or (0, [])
            if not length:
                length, found = _table(lines, place, self._inline) or self._line(lines, place)
            made += found
            place += length
        return made

    def _title(self, lines: Sequence[str], place: int) -> tuple[int, list[str]] | None:
        """A title is a line with one of a punctuation mark below it, as long at least, and perhaps the same above.

        Levels come in the order of first use.
        """
        over = lines[place] if _MARKS.fullmatch(lines[place]) else ""
        title, under = ([*lines[place + bool(over) : place + bool(over) + 2], "", ""])[:2]
        wide = len(under) >= len(title.strip()) and _MARKS.fullmatch(under)
        if not wide or not title.strip() or _MARKS.fullmatch(title) or (over and over != under):
            return None
        if not over and (title[0] == " " or (place and _MARKS.fullmatch(lines[place - 1]))):
            return None
        style = under[0] * (2 if over else 1)
        if style not in self._styles:
            self._styles.append(style)
        level = min(self._styles.index(style) + 1, 6)
        return 2 + bool(over), [f"{'#' * level} {self._inline(title.strip())}"]

    def _explicit(self, lines: Sequence[str], place: int) -> tuple[int, list[str]] | None:
        """What begins with two points: a directive, a comment, a label, a footnote."""
        found = _EXPLICIT.fullmatch(lines[place])
        if found is None:
            return None
        indent, rest = found["indent"], found["rest"] or ""
        end = _end_of_block(lines, place + 1, len(indent))
        body = textwrap.dedent("\n".join(lines[place + 1 : end])).split("\n")
        length = end - place
        if note := _FOOTNOTE.fullmatch(rest):
            shown = [f"[{note['name']}] {self._inline(note['text'])}", *self._inner(body)]
        elif directive := _DIRECTIVE.fullmatch(rest):
            shown = self._directive(directive["name"], directive["argument"] or "", body)
        else:
            return length, [""]  # a comment, a label, a substitution
        return length, [*(f"{indent}{line}" if line else "" for line in shown), ""]

    def _directive(self, name: str, argument: str, body: list[str]) -> list[str]:
        body = body[next((at for at, line in enumerate(body) if not _OPTION.match(line)), len(body)) :]
        if name in _WITHOUT_TEXT or name.startswith("auto"):
            return []
        if name in _CODE or name == "math":
            code, language = (body, argument) if name in _CODE else ([argument, *body], name)
            return _fence(code, language) if "".join(code).strip() else []
        rows = _rows(name, body)
        if rows:
            return [*([self._inline(argument), ""] if argument else []), *markdown_table(rows, self._inline)]
        inside = self._inner(body)
        if name in _PLACED:
            return inside
        head = self._head(name, argument)
        if not argument and inside and inside[0].strip():
            return [f"{head} {inside[0].strip()}", *inside[1:]]
        return [head, *inside]

    def _head(self, name: str, argument: str) -> str:
        """What stands above what a directive holds."""
        if ":" in name or argument.endswith(")"):
            return f"`{argument}`"  # a signature of a manual
        if name in _TITLED:
            return self._inline(argument)
        label = _LABELS.get(name, f"{name.replace('-', ' ').capitalize()}:")
        return f"{label} {self._inline(argument)}".strip()

    def _inner(self, lines: list[str]) -> list[str]:
        """What a directive holds; as it stands where there are too many around it."""
        if self._depth >= _DEPTH:
            return lines
        self._depth += 1
        made = self.convert(lines, titled=False)
        self._depth -= 1
        return made

    def _line(self, lines: Sequence[str], place: int) -> tuple[int, list[str]]:
        """A line of text; a literal block below it where it ends in two colons."""
        line = lines[place]
        indent = len(line) - len(line.lstrip())
        item = _ITEM.match(line)
        if line.endswith("::"):
            end = _end_of_block(lines, place + 1, item.end() - 1 if item else indent)
            if "".join(lines[place + 1 : end]).strip():
                shown = line[:-2].rstrip() + ("" if line.strip() == "::" or line[:-2].endswith(" ") else ":")
                prefix = " " * (item.end() if item else indent)
                fence = [f"{prefix}{part}" if part else "" for part in _fence(lines[place + 1 : end], "")]
                return end - place, [*([self._inline(shown)] if shown.strip() else []), "", *fence, ""]
        text = self._inline(_AUTO_NUMBER.sub(r"\g<1>1.", line))
        return 1, [_MARKDOWN_HEADING.sub("    ", text)]

    def _inline(self, text: str) -> str:
        if "|" in text:
            text = _REFERENCE.sub(lambda m: self._replaced.get(m[1], m[0]), text)
        if "`" not in text:
            return text
        text = _ROLE.sub(_shown_role, text)
        return _LINK.sub(self._link, text)

    def _link(self, match: re.Match[str]) -> str:
        text = match["text"].strip()
        address = match["target"] or self._addresses.get(text.casefold(), "")
        return f"{text} ({address})" if address else text


def _shown_role(match: re.Match[str]) -> str:
    role, text = match["role"].rpartition(":")[2], match["text"]
    titled = _TARGET.fullmatch(text)
    text = titled["text"] if titled else text
    return text if role in _PROSE_ROLES else f"`{text}`"


def _end_of_block(lines: Sequence[str], place: int, indent: int) -> int:
    """Behind the lines from `place` on that are blank or deeper than `indent`, without the blank ones at their end."""
    end = place
    for at in range(place, len(lines)):
        if lines[at]:
            if len(lines[at]) - len(lines[at].lstrip()) <= indent:
                break
            end = at + 1
    return end


def _fence(lines: Sequence[str], language: str) -> list[str]:
    code = textwrap.dedent("\n".join(lines)).strip("\n")
    marks = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`{3,}", code)), 3)
    return [f"{marks}{language.split(maxsplit=1)[0] if language.split() else ''}", *code.split("\n"), marks]


def _table(lines: Sequence[str], place: int, shown: Callable[[str], str]) -> tuple[int, list[str]] | None:
    found = grid_table(lines, place) or simple_table(lines, place)
    return (found[0], ["", *markdown_table(found[1], shown), ""]) if found else None


def _rows(directive: str, body: list[str]) -> list[list[str]]:
    """The rows of a table that is written as a list, or as CSV."""
    if directive == "csv-table":
        return [row for row in csv.reader(line for line in body if line.strip()) if row]
    return list(_listed(body)) if directive == "list-table" else []


def _listed(body: list[str]) -> Iterator[list[str]]:
    row: list[str] = []
    for line in body:
        if line.startswith("* "):
            if row:
                yield row
            row, line = [], f"  {line[2:]}"  # noqa: PLW2901  # the first cell stands behind the mark of the row
        if line.startswith(("  - ", "  -")):
            row.append(line[4:].strip())
        elif row and line.strip():
            row[-1] = f"{row[-1]} {line.strip()}"
    if row:
        yield row
