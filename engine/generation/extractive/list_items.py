"""Lists: the items or steps that are asked for alone, a list asked for as a whole, named figures as a table."""

from __future__ import annotations

import re
from dataclasses import replace

from engine.generation.extractive.candidates import Candidate
from engine.text.plain_lists import ITEM, list_name
from engine.text.sentences import row_name
from engine.text.words import asks_for_a_number, asks_how, content_stems, has_digit

#: A figure with its unit, and what is said behind it.
_FIGURE = re.compile(r"(?P<figure>\D{0,3}\d[\d.,]*(?:\s?[^\s\d,;()]+)?)(?P<rest>.*)")
#: Figures of the shortest list that is read as a table.
_LEAST = 2


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


def table_of(whole: str, heading: str) -> str:
    """The Markdown table of a list; `whole` itself where it is a table, and nothing where it states no figures.

    Args:
        whole: As `Unit.whole` has it.
        heading: What its section is about.
    """
    if whole.lstrip().startswith("|"):
        return whole
    items = [ITEM.sub("", line, count=1) for line in whole.splitlines() if ITEM.match(line)]
    names = [row_name(item) for item in items]
    stated = [item.partition(":")[2].strip(" *_`") for item in items]
    found = [_FIGURE.match(text) for text in stated]
    if not all(names) or sum(figure is not None for figure in found) < _LEAST:
        return ""
    rows = [
        (name, figure["figure"].strip(" .,;"), figure["rest"].strip(" .,;")) if figure else (name, text, "")
        for name, text, figure in zip(names, stated, found, strict=True)
    ]
    table = [(heading, list_name(whole, heading), ""), ("---", "---", "---"), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in table)
