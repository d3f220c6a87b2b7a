"""Which of several things "the second one" is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.conversation.followup.history_recall import place_in
from engine.text.formats import items
from engine.text.words import is_name_in_code, words


@dataclass(frozen=True, slots=True)
class Item:
    """One of the things that were said.

    Attributes:
        text: As it was said: an item of a list, or a name.
        alone: It says by itself what it is about, as a name does; an item of a list needs the list's topic.
    """

    text: str
    alone: bool


def item_meant(query: str, question: str, answer: str) -> Item | None:
    """What an ordinal of `query` means: an item of the list in `answer`, else a name of `question`, else of `answer`.

    Args:
        query: The message, such as "tell me more about the second".
        question: What was asked before.
        answer: What was answered.
    """
    place = place_in(query)
    if not place:
        return None
    asked, told = list(dict.fromkeys(_names(question))), list(dict.fromkeys(_names(answer)))
    for things, alone in ((items(answer), False), (asked, True), (told, True)):
        if len(things) > 1:
            at = place - 1 if place > 0 else place
            return Item(things[at], alone) if -len(things) <= at < len(things) else None
    return None


def _names(text: str) -> Iterator[str]:
    """The names of a text that are written as only names in code are."""
    return (word for word in words(text) if is_name_in_code(word))
