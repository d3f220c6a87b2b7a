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
_NUMBER = rf"\d{{1,2}}|{'|'.join(_COUNTS)}"
_SENTENCES = re.compile(
    rf"\b(?P<n>{_NUMBER})\s+(?:short |brief |concise |complete )?(?:sentences?|frases?|oraci[oó]n(?:es)?)\b",
    re.IGNORECASE,
)
_LAST = r"(?:last|latest|previous|[uú]ltim[oa]s|anteriores)"
#: So many sentences as the form that is wished, and the other ways to wish a summary of something.
_IN_SENTENCES = re.compile(rf"\b(?:in|en)\s+(?:\w+\s+)?{_SENTENCES.pattern}", re.IGNORECASE)
_SUMMARY = re.compile(
    r"\b(?:summari[sz]e|sum (?:\w+ )?up|res[uú]m(?:es?|ir)(?:me|nos)?)\b"
    r"|\b(?:summary|resumen)(?= (?:of|on|about|del?|sobre|acerca)\b)",
    re.IGNORECASE,
)
#: The last so many, of things that are not named or are answers.
_LAST_ONES = re.compile(
    rf"\b(?:{_LAST}\s+(?P<n>{_NUMBER})|(?P<m>{_NUMBER})\s+{_LAST})\b"
    r"(?=\W*$|\s+(?:answers?|replies|responses?|ones|respuestas|contestaciones|in|into|as|on|please|en|como|por)\b)",
    re.IGNORECASE,
)


def items(text: str) -> list[str]:
    """The items of a list in `text`, or the rows of a numbered table; empty when there is none."""
    return ["".join(found) for found in _ITEM.findall(text)]


def sentences_asked(query: str) -> int:
    """How many sentences a message asks for; 0 where it leaves that open."""
    found = _SENTENCES.search(query)
    return _count(found["n"]) if found else 0


def summary_wished(query: str) -> tuple[str, str] | None:
    """What stands before and behind the wish for a summary, or for so many sentences; None where there is none."""
    said = _IN_SENTENCES.sub(" ", query)
    found = _SUMMARY.search(said)
    if found:
        return said[: found.start()], said[found.end() :]
    return (said, "") if said != query else None


def last_counted(query: str) -> int:
    """How many of the last answers a message means, "the last two as a list"; 0 where it counts none."""
    found = _LAST_ONES.search(query)
    return _count(found["n"] or found["m"]) if found else 0


def _count(number: str) -> int:
    return int(number) if number.isdecimal() else _COUNTS[number.lower()]
