"""Headings with a number, and questions that name them by it: version 2.4.0, section 3.1, article 12, week 7."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from engine.domain import Passage
from engine.text.words import content_stems, folded, stem, words

#: Words for one kind of section in the engine's languages; another word stands for itself.
_KINDS = tuple(
    frozenset(kind.split())
    for kind in (
        "version versions release releases update actualizacion v",
        "section sections seccion secciones apartado apartados epigrafe §",
        "chapter chapters capitulo capitulos",
        "article articles articulo articulos art",
        "paragraph parrafo",
        "part parte",
        "appendix apendice annex anexo",
        "clause clausula",
        "rule regla norma",
        "point punto item",
        "step paso",
    )
)
_VERSION = _KINDS[0]
#: What joins a number to one before it, which says of what both are.
_JOINS = frozenset("and or to than vs versus with y e o u a con que".split())  # noqa: SIM905
#: Those whose headings often begin with the number alone.
_BARE = tuple(kind for kind in _KINDS if not kind & {"step", "part", "appendix"})
#: Numbers of so many parts are versions or the like wherever they stand; those of fewer need a word that says of what.
_SURE_PARTS = 3
#: Characters of a question that are looked at: more was pasted.
_CHARS = 1_000
_NUMBER = r"(?P<version>v\.?)?(?P<number>\d{1,6}(?:\.\d{1,6})*)(?![\w%€$£]|[.,]\d)"
_NAMED = re.compile(
    rf"(?:(?<![^\W_])(?P<label>[^\W\d_]{{1,24}}|§)\.?\s?)?(?<![\w.,€$£/-]){_NUMBER}(?:\s(?P<behind>[^\W\d_]{{1,24}}))?",
    re.IGNORECASE,
)
#: A heading's number stands at its beginning, behind two words at most, or anywhere with so many parts.
_FIRST = re.compile(rf"[\W_]*(?:(?:[^\W\d_]+\s)?(?P<label>[^\W\d_]+|§)\.?\s?)?{_NUMBER}", re.IGNORECASE)
_ANYWHERE = re.compile(rf"(?<![\w.,/-]){_NUMBER}", re.IGNORECASE)
#: A number in front of a heading that would be read as that of an item of a list.
_ITEM = re.compile(r"^\s*\d{1,3}[.)]\s+(?=\S)")
#: What asks for all that something says.
_FRAME = frozenset(
    map(
        stem,
        """
        what what's whats which is are does do did say says said tell tells me us about in of on the a an show read give
        explain describe content contents text please and
        que cual dice dicen pone trata es son dime di cuentame explicame muestrame sobre en de del la el lo los las un
        contenido texto favor por hay y
        """.split(),  # noqa: SIM905
    )
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number that a question or a heading has.

    Attributes:
        parts: What its points part.
        label: The word in front of it, folded; empty where it has none.
    """

    parts: tuple[str, ...]
    label: str = ""

    @property
    def kind(self) -> frozenset[str]:
        """The words that may stand in front of it, to say what its label says; none without a label."""
        named = frozenset({self.label, stem(self.label)} if self.label else ())
        return next((kind for kind in _KINDS if self.label in kind), named)

    @property
    def form(self) -> tuple[frozenset[str], bool]:
        """What the numbers of headings that stand side by side have in common."""
        return self.kind, len(self.parts) > 1


def unnumbered(heading: str) -> str:
    """A heading without the number in front of it that would make an item of a list of it: "5. Returns"."""
    return _ITEM.sub("", heading)


def numbers_named(question: str) -> tuple[Number, ...]:
    """The numbers by which a question may name sections, in order, with what stands in front of them."""
    found: list[Number] = []
    for one in _NAMED.finditer(question[:_CHARS]):
        label, behind = folded(one["label"] or ""), folded(one["behind"] or "")
        parts = tuple(one["number"].split("."))
        label = "version" if one["version"] else label
        label = found[-1].label if found and (not label or label in _JOINS) else label
        label = behind if behind in _VERSION and label not in _VERSION else label
        if label or len(parts) >= _SURE_PARTS:
            found.append(Number(parts, label))
    return tuple(found)


def heading_named(numbers: Sequence[Number], passage: Passage) -> str:
    """The heading above a passage that `numbers` name, or its document's title; empty where none is named."""
    return next((heading for heading, _ in _named(numbers, passage)), "")


def of_named_sections(numbers: Sequence[Number], passages: Sequence[Passage]) -> list[bool]:
    """Which passages may tell of what `numbers` name; all of them where no heading has one.

    Of a document with such a heading those below one of the same form with another number do not, unless they say
    the number themselves.
    """
    forms: dict[str, set[tuple[frozenset[str], bool]]] = {}
    for passage in passages:
        for _, number in _named(numbers, passage):
            forms.setdefault(passage.document, set()).add(number.form)
    return [
        bool(heading_named(numbers, passage))
        or not any(number.form in forms.get(passage.document, ()) for number in _all_numbers(passage))
        or any(_says(number, passage.text) for number in numbers)
        for passage in passages
    ]


def asks_for_a_section(question: str, passages: Sequence[Passage]) -> bool:
    """Whether a question is for all that a section says which it names by its number: "what does article 12 say?"."""
    numbers = numbers_named(question)
    found = [passage for passage in passages if heading_named(numbers, passage)]
    if not found:
        return False
    said = {stem(word) for one in found for word in words(f"{one.title} {one.document}")}
    said |= {stem(word) for number in numbers for word in (number.label, *number.kind)} | _FRAME
    return all(stem(word) in said or word[-1].isdigit() for word in words(question))


def names_with_number(question: str, passages: Sequence[Passage]) -> bool:
    """Whether a question is of headings below one that it names by its number alone: "what was fixed in 2.4.0?"."""
    numbers = numbers_named(question)
    asked = {word for word in content_stems(question) if not word[-1].isdigit()}
    asked -= {stem(word) for number in numbers for word in number.kind if number.kind in _KINDS}
    for passage in passages:
        if named := heading_named(numbers, passage):
            below = passage.heading.partition(named)[2]
            left = asked - content_stems(passage.title)
            if left and left <= content_stems(below):
                return True
    return False


def _named(numbers: Sequence[Number], passage: Passage) -> Iterator[tuple[str, Number]]:
    """The headings above a passage that are named, with their numbers."""
    for heading in (*passage.heading.split(" > "), passage.title) if numbers else ():
        for number in _numbers_of(heading):
            if any(_names(asked, number, passage.title) for asked in numbers):
                yield heading, number


def _all_numbers(passage: Passage) -> Iterator[Number]:
    return chain.from_iterable(map(_numbers_of, passage.heading.split(" > ")))


def _says(number: Number, text: str) -> bool:
    return re.search(rf"(?<![\w.,]){re.escape('.'.join(number.parts))}(?!\w|[.,]\d)", text) is not None


def _numbers_of(heading: str) -> Iterator[Number]:
    """The number that a heading begins with, and those that are surely such."""
    if first := _FIRST.match(heading):
        label = "version" if first["version"] else folded(first["label"] or "")
        yield Number(tuple(first["number"].split(".")), label)
    for other in _ANYWHERE.finditer(heading):
        parts = tuple(other["number"].split("."))
        if len(parts) >= _SURE_PARTS:
            yield Number(parts)


def _names(asked: Number, number: Number, title: str) -> bool:
    """Whether a number that a question has is a heading's; a version is named by its beginning too, 2.4.1 by 2.4."""
    if asked.parts != number.parts[: len(asked.parts)]:
        return False
    if len(asked.parts) >= _SURE_PARTS:
        return True
    is_version = number.kind == _VERSION or (not number.label and len(number.parts) > 1)
    if asked.kind == _VERSION:
        return is_version or (len(number.parts) > 1 and number.kind not in _KINDS)
    if is_version and stem(asked.label) in content_stems(title):
        return True
    if asked.parts != number.parts:
        return False
    return bool(asked.kind & number.kind) or (not number.label and asked.kind in _BARE)
