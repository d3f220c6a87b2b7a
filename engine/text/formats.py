"""The items of a list that an answer holds."""

from __future__ import annotations

import re

_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(.+?)\s*$|^\s*\|\s*\d+\s*\|\s*(.+?)\s*\|\s*$", re.MULTILINE)


def items(text: str) -> list[str]:
    """The items of a list in `text`, or the rows of a numbered table; empty when there is none."""
    return [item or row for item, row in _ITEM.findall(text)]
