"""Lists: the items or steps that are asked for alone, a list asked for as a whole."""

from __future__ import annotations

from dataclasses import replace

from engine.generation.extractive.candidates import Candidate
from engine.text.plain_lists import ITEM
from engine.text.words import asks_for_a_number, asks_how, content_stems, has_digit


def narrowed(question: str, quoted: Candidate) -> Candidate:
    """Steps that are quoted as the one that has what is asked for; `quoted` where none has, or several.

    It is the one with most of the question's words, which not every step has; where a number is asked for, one with a
    figure. What asks how something is done is answered by all steps. A list whose items could have been quoted apart
    stays whole.
    """
    lines = quoted.text.splitlines()
    items = [line for line in lines if ITEM.match(line)]
    if len(items) < 2 or quoted.whole or asks_how(question):
        return quoted
    asked = content_stems(question)
    had = [len(asked & content_stems(item)) for item in items]
    most = [item for item, count in zip(items, had, strict=True) if count == max(had) > 0]
    if asks_for_a_number(question):
        figured = [item for item in most if has_digit(ITEM.sub("", item, count=1))]
        most = figured or most
    # "Which paths are there?" asks for all of "There are three paths", though one alone is called a path.
    led_in = content_stems(" ".join(line for line in lines if line not in items))
    one = len(most) == 1 and bool(asked & content_stems(most[0]) - led_in)
    return replace(quoted, text=ITEM.sub("", most[0], count=1)) if one else quoted
