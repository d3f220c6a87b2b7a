"""The form of a text: the items of a list that it holds, and the sentences that it asks for."""

from __future__ import annotations

import re

#: An item, the first one of a list behind the words that lead it in, or a row of a numbered table.
_ITEM = re.compile(
    r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(.+?)\s*$"
    r"|^[^\n]*?\S: 1[.)] (.+?)\s*(?=\n\s*2[.)]\s)"
    r"|^\s*\|\s*\d+\s*\|\s*(.+?)\s*\|\s*$",
    re.MULTILINE,
)

_COUNTS = {
    word: number
    for number, words in enumerate(("one una un", "two dos", "three tres", "four cuatro", "five cinco"), start=1)
    for word in words.split()
}
_SENTENCES = re.compile(
    rf"\b(?P<n>\d{{1,2}}|{'|'.join(_COUNTS)})\s+(?:short |brief |concise |complete )?(?:sentences?|frases?|oraci[oó]n(?:es)?)\b",  # noqa: E501
    re.IGNORECASE,
)


def items(text: str) -> list[str]:
    """The items of a list in `text`, or the rows of a numbered table; empty when there is none."""
    return ["".join(found) for found in _ITEM.findall(text)]


def sentences_asked(query: str) -> int:
    """How many sentences a message asks for; 0 where it leaves that open."""
    found = _SENTENCES.search(query)
    if found is None:
        return 0
    return int(found["n"]) if found["n"].isdigit() else _COUNTS[found["n"].lower()]
