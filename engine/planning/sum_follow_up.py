"""A sum that goes on from the last one: "and minus 41", "divide it by 3", "súmale 100".

The last result is put where such a message leaves it out; the calculator says which of the readings is a sum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from classifier.text import unmarked
from engine.planning.fast_path import Fast, FastAnswer, fast_path

#: Characters of a message that may go on from a sum.
_LONGEST = 60
#: The end of a calculation's answer.
_RESULT = re.compile(r"[=≈] (-?\d[\d.,]*)\Z")
#: Words that stand for the last result.
_THAT = re.compile(r"\b(?:that|it|this|the result|eso|esto|ello|el resultado)\b", re.IGNORECASE)
#: What joins a message to the one before it.
_JOINED = re.compile(r"\A[\s¿¡]*(?:(?:and|now|then|ok|y|ahora|luego|vale|pues)\b[\s,]*)+", re.IGNORECASE)
#: A Spanish verb with the pronoun that stands for the last result: "súmale", "divídelo".
_ENCLITIC = re.compile(r"\A([a-z]{3,}?)(?:lo|la|le)\b")
#: Words between an operation and the number that it is done to.
_TO = ("to", "from", "of", "a", "de")


def sum_follow_up(query: str, answer: str) -> FastAnswer | None:
    """What `query` comes to when it goes on from the result that `answer` ends with; None where it does not.

    Args:
        query: The message.
        answer: The last answer of the conversation.
    """
    result = _RESULT.search(answer.strip())
    if result is None or "\n" in answer.strip() or len(query) > _LONGEST or not _words(query):
        return None
    for reading in _readings(_JOINED.sub("", query).strip(" ?!."), result[1]):
        found = fast_path(reading)
        if found is not None and found.kind is Fast.ARITHMETIC:
            return found
    return None


def _readings(text: str, result: str) -> Iterator[str]:
    """The message with the result in each place where it may be meant."""
    if _THAT.search(text):
        yield _THAT.sub(result, text, count=1)
    yield f"{result} {text}"
    bare = unmarked(text.lower())
    for said in dict.fromkeys((text, bare, _ENCLITIC.sub(r"\1", bare))):
        first, _, rest = said.partition(" ")
        yield f"{first} {result} {rest}".strip()
        for word in _TO:
            yield f"{said} {word} {result}"


def _words(text: str) -> bool:
    """Whether there is more than a number: a number alone is no operation."""
    return re.search(r"[^\W\d_]|[-+*/×÷^%]", text) is not None
