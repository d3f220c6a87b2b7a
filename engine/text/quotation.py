"""What may be quoted of a passage, and how it is read: behind its heading, which often alone says the subject."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from operator import itemgetter

from engine.domain import Passage
from engine.text.language import SURE, Language, read_language
from engine.text.material import harmless_passage, quotable
from engine.text.records import as_table, is_field_of_object
from engine.text.sentences import Unit, units

#: Pieces of a passage that are weighed: enough to answer from, few enough to be quick.
MOST_QUOTED = 48
#: Characters of a passage whose pieces are remembered: most are shorter; at most 8 MB of them.
_REMEMBERED_CHARS = 4_000
#: Characters of a passage that its language is told from.
_LANGUAGE_CHARS = 200
#: A sentence about the document instead of its subject.
_ABOUT_ITSELF = re.compile(
    r"\W*(this (page|section|document|guide)|est[ae] (página|sección|documento|guía))\b", re.IGNORECASE
)


#: A Markdown link; the second group is there when it leads to a place that a quotation can lead to as well.
_LINK = re.compile(r"\[([^\[\]\n]+)\]\((https?:|mailto:)?[^()\s]*\)")
_WORD = re.compile(r"\w+")
#: Letters of a word that says something in a heading, and those of it that are compared.
_LONG, _BEGINNING = 4, 6
#: An entry of a table of contents: a link inside the documents, and what it leads to.
_POINTER = re.compile(r"[\W_]*\[[^\[\]\n]+\]\((?!https?:|mailto:)[^()\s]*\)[*_]*\s*[-–—:]\s")
#: Words beside links up to which a piece only points to other pages, if no dash parts them from the links.
_BESIDE_LINKS = 2
_PARTED = re.compile(r"\w\W*\s[-–—]\s|\s[-–—]\s\W*\w")
#: A heading that is a name: one word that is not written like the beginning of a sentence.
_NAME = re.compile(r"(?![^\W\d_a-z][^\W\d_A-Z]*\b)[`\w.:-]+(?:\(.*\))?")
#: Characters of the longest call that is a heading.
_CALL_CHARS = 120
#: A heading that is a call: a path with its method or without, a command with an option or what stands for a value.
_CALL = re.compile(r"(?:[A-Z]{2,8}\s+)?/[\w{<:][^\s]*|[a-z][\w.-]*(?:\s[\w.-]+){0,4}(?:\s(?:--?[a-z]|[<{\[]\w).*)")
#: Words of the shortest title in capitals: fewer may be a name or a warning.
_TITLE_WORDS = 3
#: A question that is asked in bold, as in lists of frequent questions.
_ASKED = re.compile(r"(?P<marks>\*\*|__)[^*_\n]+\?(?P=marks)")
#: Paragraphs that begin with a line of their own, for these to say what the others of each are about.
_LEAST_LED = 2
#: Languages of fences that draw something and are no code to use.
_DRAWN = re.compile(r"\s*(?:`{3,}|~{3,})\s*(?:mermaid|plantuml|puml|dot|graphviz|d2|vega|vega-lite)\b", re.IGNORECASE)


def quoted_units(passage: Passage) -> tuple[Unit, ...]:
    """The pieces of `passage` that say something by themselves.

    What introduces something, questions, titles, what tells of the page, what only points to other pages, and drawings
    do not. A question that stands alone introduces what answers it.
    """
    text = as_table(passage.document, passage.text)
    return _remembered_units(text) if len(text) <= _REMEMBERED_CHARS else _telling_units(text)


def _telling_units(text: str) -> tuple[Unit, ...]:
    return tuple(
        _unlinked(unit)
        for unit in _introduced(units(text))
        if _says_something(unit.text) and not _is_title(unit) and not (unit.code and _DRAWN.match(unit.text))
    )


def _introduced(found: Sequence[Unit]) -> Iterator[Unit]:
    """The pieces without questions; these introduce what answers them.

    One in bold introduces all up to the next one; another one on a line of its own the paragraph below it, or the list.
    One in the midst of a paragraph stands in front of the sentence behind it, and at its end is no statement. A line
    leads in a paragraph where several begin so, as lists of faults with their remedies do.
    """
    asked, before, until, answered = "", "", 0, True
    led = sum(unit.leads for unit in found) >= _LEAST_LED
    for unit, following in zip_longest(found, found[1:]):
        if _ASKED.fullmatch(unit.text) and not unit.code and not unit.whole:
            asked, until, answered = unit.text.strip("*_ "), 0, True
        elif unit.asks:
            asked, until, answered = unit.text, unit.block, False
        elif _is_asked(unit):
            goes_on = following is not None and unit.block == following.block and not following.code
            before = f"{before}{unit.text} " if goes_on else ""
        else:
            until, answered = until if answered else max(until, unit.block), True
            asked = "" if unit.block > until > 0 else asked
            told, before = replace(unit, text=f"{before}{unit.text}", leads=unit.leads and led), ""
            yield replace(told, introduced=asked) if asked and not unit.introduced else told


def _is_asked(unit: Unit) -> bool:
    """Whether a sentence of running text is a question; items and steps may be, which are what there is to check."""
    return unit.text.endswith("?") and not (unit.code or unit.whole or "\n" in unit.text)


#: A turn takes the passages that it found apart twice, and the next turns find many of them again.
_remembered_units = lru_cache(1_024)(_telling_units)


def _unlinked(unit: Unit) -> Unit:
    """`unit` with links inside the documents as their text: they lead nowhere from an answer."""
    if unit.code or "](" not in unit.text:
        return unit
    text, whole = (_LINK.sub(lambda link: link[0] if link[2] else link[1], part) for part in (unit.text, unit.whole))
    return replace(unit, text=text, whole=whole, pointer=_points(unit.text))


def _points(text: str) -> bool:
    """Whether a piece tells where something stands: an entry of a table of contents, or steps that mostly lead away."""
    lines = text.splitlines()
    if len(lines) == 1:
        return _POINTER.match(text) is not None
    return 2 * sum(any(not link[2] for link in _LINK.finditer(line)) for line in lines) >= len(lines)


def subject_of(passage: Passage) -> str:
    """The heading that stands right above the passage's text."""
    return passage.heading.rsplit(" > ", 1)[-1]


def own_name(heading: str) -> str:
    """What a section is called, without the sections around it and without a signature: `addVar` of "addVar(a, b)"."""
    return heading.rsplit(" > ", 1)[-1].partition("(")[0].strip(" `")


def is_name(heading: str) -> bool:
    """Whether a heading names something as code does, with or without a signature."""
    return _NAME.fullmatch(heading) is not None


def is_call(heading: str) -> bool:
    """Whether a heading is a call of an interface or a command, which what stands below it tells of."""
    return len(heading) <= _CALL_CHARS and _CALL.fullmatch(heading) is not None


def is_field(passage: Passage, text: str) -> bool:
    """Whether a piece of a passage is a plain field of an object that its heading names."""
    return is_field_of_object(passage.document, passage.heading, text)


def examples_of(thing: Passage, among: Iterable[Passage]) -> tuple[Passage, ...]:
    """The passages with code for what `thing` tells of: those in its language, where it has any."""
    told = tuple(one for one in among if _code(one) and _tells_of(thing, one))
    own = tuple(one for one in told if not in_two_languages(one.text, thing.text))
    return own or told


def _tells_of(thing: Passage, other: Passage) -> bool:
    """Whether `other` is of the same section or below it, or has the name of `thing`, as heading or in its code.

    Without a name it is a section of the same document that shares a word with the heading.
    """
    same, section, its = other.document == thing.document, thing.heading, other.heading
    if same and (its == section or not section or its.startswith(f"{section} > ")):
        return True
    if is_name(subject_of(thing)):
        named = re.compile(rf"(?<!\w){re.escape(own_name(section))}(?!\w)", re.IGNORECASE)
        return bool(named.fullmatch(own_name(its))) if is_name(subject_of(other)) else bool(named.search(_code(other)))
    return same and not is_name(subject_of(other)) and bool(_beginnings(section) & _beginnings(its))


def _beginnings(heading: str) -> set[str]:
    """The longer words of a heading without most of their endings."""
    return {word[:_BEGINNING] for word in _WORD.findall(heading.casefold()) if len(word) >= _LONG}


def _code(passage: Passage) -> str:
    return "\n".join(unit.text for unit in units(passage.text) if unit.code)


def in_two_languages(one: str, other: str) -> bool:
    """Whether two texts are in two languages, as far as both are sure."""
    read = [read_language(text) for text in (one, other)]
    return read[0].code != read[1].code and min(reading.margin for reading in read) >= SURE


def in_another_language(question: str, passages: Sequence[Passage]) -> set[str]:
    """The documents of `passages` that are in another of the engine's languages than `question`.

    Told from the beginnings of all passages of a document: one of them may hold names only, which read like any
    language.
    """
    asked = read_language(question)
    if asked.margin < SURE:
        return set()
    margins: dict[str, dict[str, float]] = {}
    for one in passages:
        reading, theirs = read_language(one.text[:_LANGUAGE_CHARS]), margins.setdefault(one.document, {})
        theirs[reading.code] = theirs.get(reading.code, 0.0) + reading.margin
    others = set(Language) - {asked.code}
    surest = ((document, *max(theirs.items(), key=itemgetter(1))) for document, theirs in margins.items())
    return {document for document, code, margin in surest if code in others and margin >= SURE}


def in_context(subject: str, text: str, introduced: str = "") -> str:
    """A piece of a passage as its reader understands it: behind its heading and what introduces it."""
    read = f"{introduced} {text}" if introduced else text
    return f"{subject}: {read}" if subject else read


def texts_weighed(passage: Passage) -> list[str]:
    """What an answer from a passage of an index weighs against the question; at most `MOST_QUOTED` texts."""
    read = quotable(harmless_passage(passage))
    subject = subject_of(read)
    return [in_context(subject, unit.text, unit.introduced) for unit in quoted_units(read)[:MOST_QUOTED]]


def _says_something(text: str) -> bool:
    return len(text) > 2 and not text.endswith(":") and _ABOUT_ITSELF.match(text) is None and not _only_points(text)


def _is_title(unit: Unit) -> bool:
    """Whether it is a title of plain text: several words in capitals without an end, and no item."""
    text = unit.text
    alone = not unit.code and not unit.whole and "](" not in text
    return alone and text.isupper() and text[-1].isalpha() and len(_WORD.findall(text)) >= _TITLE_WORDS


def _only_points(text: str) -> bool:
    """Whether at most two words stand beside its links: "See [the guide](guide.md)", not "MIT - [text](x)"."""
    if "](" not in text or _LINK.search(text) is None:
        return False
    beside = _LINK.sub("", text)
    return len(_WORD.findall(beside)) <= _BESIDE_LINKS and _PARTED.search(beside) is None
