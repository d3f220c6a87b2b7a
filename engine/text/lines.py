"""Which lines of the code that is shown a message names."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Lines before and after the ones named that are quoted with them, and lines that are quoted at most.
_AROUND = 2
_MOST = 40
#: "line 4", "lines 2-5", "líneas 2 a 5", "第 4 行".
_NAMED = re.compile(
    r"(?:\b(?:lines?|l[ií]neas?|renglon(?:es)?|rengl[oó]n)\s*(?:number|no\.?|n[uú]mero|n\.º|#)?\s*|第\s*)"
    r"(?P<first>\d{1,6})(?:\s*(?:-|–|to|through|and|a|al|y|hasta|到|至)\s*(?P<last>\d{1,6}))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines from `first` to `last`, counted from 1, both included."""

    first: int
    last: int

    def of(self, code: str) -> str:
        """Their text."""
        return "\n".join(code.splitlines()[self.first - 1 : self.last])


def lines_named(text: str) -> Lines | None:
    """The lines that a message names; None where it names none."""
    found = _NAMED.search(text)
    if found is None or int(found["first"]) < 1:
        return None
    first, last = int(found["first"]), int(found["last"] or found["first"])
    return Lines(min(first, last), max(first, last))


def quoted(code: str, named: Lines) -> str:
    """The named lines with those around them, each with its number; a mark stands before the named ones."""
    whole = code.splitlines()
    begin, end = max(named.first - 1 - _AROUND, 0), min(named.last + _AROUND, len(whole))
    width = len(str(end))
    shown = [
        f"{'>' if named.first <= place <= named.last else ' '} {place:{width}}  {line}"
        for place, line in enumerate(whole[begin:end], begin + 1)
    ]
    return "\n".join(shown[:_MOST])
