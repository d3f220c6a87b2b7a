"""Another form of an answer: which one a message asks for, in English or Spanish, and the items of a list."""

from __future__ import annotations

import re
from enum import StrEnum

_I = re.IGNORECASE
#: Characters of a message that are looked at.
_CHARS = 400


class Form(StrEnum):
    """What an answer is to become."""

    TABLE = "table"
    LIST = "list"
    SHORTER = "shorter"
    LONGER = "longer"
    TRANSLATED = "translated"
    REPEATED = "repeated"


#: In the order in which they are tried: "a shorter list" is a list.
_FORMS: tuple[tuple[Form, re.Pattern[str]], ...] = (
    (
        Form.TRANSLATED,
        re.compile(
            r"\b(translat\w+|trad[uú]\w+|(?:in|into|to) (?:english|spanish|french|german|italian|portuguese|catalan)|"
            r"(?:en|al) (?:ingl[eé]s|espa[nñ]ol|castellano|franc[eé]s|alem[aá]n|italiano|portugu[eé]s|catal[aá]n))\b",
            _I,
        ),
    ),
    (Form.TABLE, re.compile(r"\b(table|tabla|tabular|cuadro)\b", _I)),
    (
        Form.LIST,
        re.compile(
            r"\b(lists?|bullets?|bullet points|points|itemi[sz]e|lista|listado|viñetas|puntos|enumera\w*)\b", _I
        ),
    ),
    (
        Form.SHORTER,
        re.compile(
            r"\b(short\w*|brief\w*|fewer words|less words|summar\w+|sum up|concise\w*|tl;?dr|condense|nutshell|"
            r"(?:one|a single) sentence|too long|"
            r"(?:menos|pocas) palabras|m[aá]s cort[oa]|resum\w+|res[uú]m\w+|breve\w*|acort\w+|abrevi\w+|"
            r"m[aá]s conciso|sint[eé]ti\w+|una (?:sola )?frase)\b",
            _I,
        ),
    ),
    (
        Form.LONGER,
        re.compile(
            r"\b(longer|lengthier|more detail(?:s|ed)?|more words|m[aá]s (?:larg[oa]|extens[oa]|detallad[oa]|palabras)|"
            r"m[aá]s detalles?|al[aá]rga\w*)\b",
            _I,
        ),
    ),
    (Form.REPEATED, re.compile(r"\b(repeat|again|once more|repite|repit\w+|otra vez|de nuevo)\b", _I)),
)
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(.+?)\s*$|^\s*\|\s*\d+\s*\|\s*(.+?)\s*\|\s*$", re.MULTILINE)


def form_of(message: str) -> Form | None:
    """The form that `message` asks for; None when it names none."""
    return next((form for form, pattern in _FORMS if pattern.search(message[:_CHARS])), None)


def items(text: str) -> list[str]:
    """The items of a list in `text`, or the rows of a numbered table; empty when there is none."""
    return [item or row for item, row in _ITEM.findall(text)]
