"""Lists of named figures ("Small: 30 pounds, two shelves") as tables, in which the most and the least are found."""

from __future__ import annotations

import re

from engine.text.plain_lists import list_name
from engine.text.sentences import row_name

#: A figure with its unit, and what is said behind it.
_FIGURE = re.compile(r"(?P<figure>\D{0,3}\d[\d.,]*(?:\s?[^\s\d,;()]+)?)(?P<rest>.*)")
_ITEM = re.compile(r"\s*[-*+•]\s+")
#: Figures of the shortest list that is read as a table.
_LEAST = 2


def table_of(whole: str, heading: str) -> str:
    """The Markdown table of a list; `whole` itself where it is a table, and nothing where it states no figures.

    Args:
        whole: As `Unit.whole` has it.
        heading: What its section is about.
    """
    if whole.lstrip().startswith("|"):
        return whole
    items = [_ITEM.sub("", line, count=1) for line in whole.splitlines() if _ITEM.match(line)]
    names = [row_name(item) for item in items]
    stated = [item.partition(":")[2].strip(" *_`") for item in items]
    found = [_FIGURE.match(text) for text in stated]
    if not all(names) or sum(figure is not None for figure in found) < _LEAST:
        return ""
    rows = [
        (name, figure["figure"].strip(" .,;"), figure["rest"].strip(" .,;")) if figure else (name, text, "")
        for name, text, figure in zip(names, stated, found, strict=True)
    ]
    table = [(heading, list_name(whole, heading), ""), ("---", "---", "---"), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in table)
