"""Text as the classifier compares it: cut where it is long, without marks, normalised."""

from __future__ import annotations

import re
import unicodedata

#: Characters of a long message that are read at its front and at its end. A request stands before or after what is
#: pasted, hardly ever in the middle of it.
FRONT_CHARS, END_CHARS = 700, 300

#: Words of a message that are read.
MOST_WORDS = 160

DIGIT = re.compile(r"\d")
_TOKEN = re.compile(r"[^\W_]+|[^\w\s]")
_MARKS = re.compile(r"[\u0300-\u036f]")


def is_long(text: str) -> bool:
    """Whether `text` is longer than what is read of it: most of it was pasted, not typed."""
    return len(text) > FRONT_CHARS + END_CHARS


def head_and_tail(text: str) -> str:
    """A long text as its front and its end; a short one as it is."""
    return f"{text[:FRONT_CHARS]} {text[-END_CHARS:]}" if is_long(text) else text


def unmarked(text: str) -> str:
    """`text` without the marks on its letters, decomposed: "¿cuántas?" as "¿cuantas?"."""
    return text if text.isascii() else _MARKS.sub("", unicodedata.normalize("NFD", text))


def casefolded(text: str) -> str:
    """`text` as it is compared whatever its case, accents and widths are: NFKC, case folded, without marks."""
    return unmarked(unicodedata.normalize("NFKC", text).casefold())


def words(text: str) -> list[str]:
    """The words and signs of `text`: NFKC, case folded, without accents, digits as 0."""
    return _TOKEN.findall(DIGIT.sub("0", casefolded(text)))[:MOST_WORDS]


def normalise(text: str) -> str:
    """`text` as character n-grams are taken from it: NFKC, case folded, no accents, digits as 0, single spaces.

    Accents go because half of the Spanish that is typed comes without them; measured, it costs nothing.
    """
    return f" {' '.join(DIGIT.sub('0', casefolded(head_and_tail(text))).split())} "
