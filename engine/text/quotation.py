"""What may be quoted of a passage, and how it is read: behind its heading, which often alone says the subject."""

from __future__ import annotations

import re

from engine.domain import Passage
from engine.text.material import harmless_passage, quotable
from engine.text.sentences import Unit, units

#: Pieces of a passage that are weighed: enough to answer from, few enough to be quick.
MOST_QUOTED = 48
#: A sentence about the document instead of its subject.
_ABOUT_ITSELF = re.compile(
    r"\W*(this (page|section|document|guide)|est[ae] (página|sección|documento|guía))\b", re.IGNORECASE
)


def quoted_units(passage: Passage) -> list[Unit]:
    """The pieces of `passage` that say something by themselves: what introduces something, or the page, does not."""
    return [unit for unit in units(passage.text) if _says_something(unit.text)]


def subject_of(passage: Passage) -> str:
    """The heading that stands right above the passage's text."""
    return passage.heading.rsplit(" > ", 1)[-1]


def in_context(subject: str, text: str) -> str:
    """A piece of a passage as its reader understands it."""
    return f"{subject}: {text}" if subject else text


def texts_weighed(passage: Passage) -> list[str]:
    """What an answer from a passage of an index weighs against the question; at most `MOST_QUOTED` texts."""
    read = quotable(harmless_passage(passage))
    subject = subject_of(read)
    return [in_context(subject, unit.text) for unit in quoted_units(read)[:MOST_QUOTED]]


def _says_something(text: str) -> bool:
    return len(text) > 2 and not text.endswith(":") and _ABOUT_ITSELF.match(text) is None
