"""PDF files as Markdown: text by pypdf, headings by their size, tables by where their cells stand."""

from __future__ import annotations

import io
import itertools
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.retrieval.analysis import well_formed
from engine.retrieval.ingestion.limits import UnusableError

if TYPE_CHECKING:
    from pypdf import PageObject

#: How much larger than most of the text a heading is, at least.
_HEADING_RATIO = 1.15
_HEADING_CHARS = 200
_DEEPEST = 4
#: In heights of a line: how far two pieces of one line may stand apart, up or down, and across.
_LEVEL, _GAP = 0.4, 1.0
#: In heights of a line: how far the next line of the same paragraph may be.
_LEADING = 1.8
#: In heights of a line: how far the next line of the same heading may be.
_HEADING_LEADING = 1.4
_MARK = re.compile(r"[•▪◦‣·*–-]|\(?(?:\d{1,3}|[a-zA-Z])[.)]?")
_LOOKS_LIKE_MARKUP = re.compile(r"#{1,6}\s|```|~~~|[=-]{3,}\s*$|\|")


@dataclass(slots=True)
class _Cell:
    """Text without a gap in it, from `x` to about `end`."""

    text: str
    x: float
    end: float


@dataclass(slots=True)
class _Line:
    """Text at one height, cut where there is a gap.

    Attributes:
        cells: With more than one it may be a row of a table.
        y: Of the first piece.
        size: Height of the letters of its longest piece, in points.
        longest: Characters of that piece.
    """

    y: float
    size: float
    cells: list[_Cell] = field(default_factory=list)
    longest: int = 0

    @property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)

    def holds(self, x: float, y: float) -> bool:
        """Whether what begins at (x, y) goes on with this line."""
        return abs(y - self.y) <= _LEVEL * self.size and x >= self.cells[-1].x

    def add(self, text: str, x: float, size: float) -> None:
        """Puts a piece behind the others."""
        end = x + sum(_width(character) for character in text) * size
        if not self.cells or x - self.cells[-1].end > _GAP * size:
            self.cells.append(_Cell(text, x, end))
        else:
            last = self.cells[-1]
            last.text, last.end = f"{last.text} {text}", end
        if len(text) > self.longest:
            self.longest, self.size = len(text), size

    def is_row(self) -> bool:
        """Whether it may be one of a table, and no point of a list."""
        return len(self.cells) > 1 and not (len(self.cells) == 2 and _MARK.fullmatch(self.cells[0].text))

    def aligned(self, other: _Line) -> bool:
        """Whether both have as many cells, and some other than the first begin or end at the same place."""
        pairs = list(zip(self.cells, other.cells, strict=False))[1:]
        same = any(min(abs(a.x - b.x), abs(a.end - b.end)) <= self.size for a, b in pairs)
        return len(self.cells) == len(other.cells) and same


def pdf_to_markdown(content: bytes) -> tuple[str, str]:
    """(title, Markdown) of a PDF; a scanned one holds no text.

    Raises:
        UnusableError: It is damaged or locked.
    """
    from pypdf import PdfReader

    # It reports every oddity of a file as a warning, page by page; a file is either readable or not.
    logging.getLogger("pypdf").setLevel(logging.ERROR)
    try:
        reader = PdfReader(io.BytesIO(content))
        title = str(reader.metadata.title or "") if reader.metadata else ""
        pages = [_lines(page) for page in reader.pages]
    except Exception as error:  # damaged files make it raise whatever its parser stumbles over
        raise UnusableError("is a damaged or locked PDF", keeps=True) from error
    return _clean(title), _clean("\n\n".join(_blocks(pages))) + "\n"


def _clean(text: str) -> str:
    return well_formed(text).replace("\0", "").strip()


def _lines(page: PageObject) -> list[_Line]:
    """The lines of a page, in the order in which the file draws them."""
    lines: list[_Line] = []

    def visit(text: str, outer: Sequence[float], inner: Sequence[float], _font: Any, size: float) -> None:
        written = " ".join(text.split())
        if not written:
            return
        x = inner[4] * outer[0] + inner[5] * outer[2] + outer[4]
        y = inner[4] * outer[1] + inner[5] * outer[3] + outer[5]
        height = abs(size) * abs(inner[0] * inner[3] - inner[1] * inner[2]) ** 0.5 or 1.0
        height *= abs(outer[0] * outer[3] - outer[1] * outer[2]) ** 0.5 or 1.0
        if not (lines and lines[-1].holds(x, y)):
            lines.append(_Line(y, height))
        lines[-1].add(written, x, height)

    page.extract_text(visitor_text=visit)
    return lines


def _blocks(pages: Sequence[list[_Line]]) -> Iterator[str]:
    """Markdown blocks: headings, tables, paragraphs."""
    sizes: Counter[float] = Counter()
    for line in itertools.chain.from_iterable(pages):
        sizes[_rounded(line.size)] += len(line.text)
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    ranks = sorted((size for size in sizes if size >= _HEADING_RATIO * body), reverse=True)
    for page in pages:
        for kind, group in itertools.groupby(_grouped(page, body), key=lambda found: found[0]):
            lines = [line for _, line in group]
            if kind == "heading":
                yield from _headings(lines, ranks)
            elif kind == "row" and len(lines) > 1:
                yield _table(lines)
            else:
                yield from _paragraphs(lines)


def _grouped(page: list[_Line], body: float) -> Iterator[tuple[str, _Line]]:
    """Each line with what it is: `heading`, `row` or `text`."""
    for place, line in enumerate(page):
        beside = page[max(place - 1, 0) : place] + page[place + 1 : place + 2]
        if _rounded(line.size) >= _HEADING_RATIO * body and len(line.text) <= _HEADING_CHARS and _named(line.text):
            yield "heading", line
        elif line.is_row() and any(other.is_row() and line.aligned(other) for other in beside):
            yield "row", line
        else:
            yield "text", line


def _headings(lines: Sequence[_Line], ranks: Sequence[float]) -> Iterator[str]:
    """One heading for each line, or for several of one size that stand close."""
    written: list[str] = []
    for line, after in zip(lines, [*lines[1:], None], strict=True):
        written.append(line.text)
        size = _rounded(line.size)
        close = after and _rounded(after.size) == size and 0 < line.y - after.y <= _HEADING_LEADING * line.size
        if not close:
            yield f"{'#' * min(ranks.index(size) + 1, _DEEPEST)} {' '.join(written)}"
            written = []


def _table(lines: Sequence[_Line]) -> str:
    width = max(len(line.cells) for line in lines)
    rows = [[cell.text.replace("|", "\\|") for cell in line.cells] for line in lines]
    rows = [row + [""] * (width - len(row)) for row in rows]
    rows.insert(1, ["---"] * width)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _paragraphs(lines: Sequence[_Line]) -> Iterator[str]:
    written: list[str] = []
    for before, line in zip([None, *lines], lines, strict=False):
        if before and not 0 <= before.y - line.y <= _LEADING * max(line.size, before.size):
            yield "\n".join(written)
            written = []
        written.append(f"\\{line.text}" if _LOOKS_LIKE_MARKUP.match(line.text) else line.text)
    yield "\n".join(written)


def _width(character: str) -> float:
    """Of a letter, in heights: pypdf says where a piece begins and not where it ends. About that of Helvetica."""
    if character in " iljtfrI.,;:'!|()[]":
        return 0.29
    if character in "mwMW@%":
        return 0.85
    if ord(character) > 0x2E7F:  # Chinese, Japanese, Korean
        return 1.0
    return 0.68 if character.isupper() else 0.55


def _named(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _rounded(size: float) -> float:
    """To half points: what is drawn with one size comes out with several in the last digits."""
    return round(size * 2) / 2
