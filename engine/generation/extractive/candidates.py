"""What of the evidence may be quoted, each sentence and code block with what its section says of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from engine.domain import Evidence
from engine.generation.extractive.spanned_rows import spanned_rows
from engine.text.dates import find_dates, fold, months
from engine.text.plain_lists import list_name
from engine.text.questions.named_rows import beside_codes, named_rows, rows_called
from engine.text.questions.numbered_headings import heading_named, numbers_named, of_named_sections
from engine.text.quotation import (
    MOST_QUOTED,
    in_context,
    is_call,
    is_field,
    is_name,
    own_name,
    quoted_units,
    subject_of,
)
from engine.text.sentences import Unit
from engine.text.words import asks_for_a_date, content_stems, folded

#: Passages that are read.
_PASSAGES = 6
#: The rank that a section counts as at least that the question names.
_NAMED_RANK = 2
#: A word or a name as it is written.
_TOKEN = re.compile(r"[\w-]+")
#: The first word of a sentence, whole where hyphens join it; "size (pixels): ..." is a label too.
_BEGINNING = re.compile(r"\W*(?P<word>\w+(?:-\w+)*)[^\w\s:(]{0,2}(?:\s?\([^()]{0,40}\))?(?P<label>:\s)?")
_YEAR = re.compile(r"\b\d{4}\b")
#: A code of letters and a number ("E-42"), and a name in capitals as of a variable, which a question may write small.
_NUMBERED = re.compile(r"(?<![\w-])(?P<family>[a-z]{1,8})[-_]?(?P<own>\d{2,6}[a-z]?)(?![\w-])", re.IGNORECASE)
_CAPITALS = r"(?<![\w-])(?P<family>[A-Z][A-Z\d]+)(?P<own>(?:_[A-Z\d]+)+)(?![\w-])"
#: Codes of a family that are told of from which one that is not is taken for missing.
_FAMILY = 2
#: What a list is called whose items are not so.
_DENIES = re.compile(
    r"\b(?:not|no|never|without|nunca|jam[aá]s|sin|exclu\w*|except\w*|salvo|prohib\w*|forbidden)\b|n['’]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence, a list of steps or a code block that may be quoted.

    Attributes:
        number: Of its passage in the session.
        place: The order in which it is read: passage, then position in it.
        rank: Of its passage in the search.
        heading: What its section is about.
        whole: The table or list that it is a part of.
        pointer: It says what stands on another page.
        introduced: The line that introduces a block of code; the question of the document that a sentence answers.
        title: Of its document.
        numbered: The heading above it that the question names by its number.
        leads: It names what the rest of its paragraph is about; see `Unit.leads`.
        block: The paragraph of its passage; see `Unit.block`.
        of_object: It is a field of an object that its heading names.
        similarity: That of its passage to the question; see `Passage.similarity`.
    """

    text: str
    code: bool
    number: int
    place: int
    rank: int
    heading: str = ""
    whole: str = ""
    pointer: bool = False
    introduced: str = ""
    title: str = ""
    numbered: str = ""
    leads: bool = False
    block: int = 0
    of_object: bool = False
    similarity: float = 0.0

    @property
    def of_table(self) -> bool:
        """Whether it is a row of a table, or a whole one."""
        return self.whole.lstrip().startswith("|")

    @property
    def in_context(self) -> str:
        """The text as its reader understands it."""
        return in_context("" if self.text == self.heading else self.heading, self.text, self.introduced)


def candidates(evidence: Sequence[Evidence], question: str = "") -> tuple[Candidate, ...]:
    """What may be quoted of the best passages and of those that `question` names; what two both say is there once.

    Sections with another number than the one that it names ("version 2.4.0") are left out.
    """
    numbers = numbers_named(question)
    told = of_named_sections(numbers, [piece.passage for piece in evidence])
    ranked = [
        (min(rank, _NAMED_RANK) if names_section(question, piece.passage.heading) else rank, piece)
        for rank, piece in enumerate(piece for piece, is_told in zip(evidence, told, strict=True) if is_told)
    ]
    found: dict[str, Candidate] = {}
    for rank, piece in sorted(ranked, key=lambda one: one[0])[:_PASSAGES]:
        heading, numbered = subject_of(piece.passage), heading_named(numbers, piece.passage)
        dated = [Unit(numbered)] if asks_for_a_date(question) and says_a_date(numbered) else []
        for unit in (*dated, *quoted_units(piece.passage)):
            made = Candidate(
                unit.text,
                unit.code,
                piece.number,
                len(found),
                rank,
                numbered if unit in dated else heading,
                unit.whole,
                unit.pointer,
                unit.introduced,
                piece.passage.title,
                numbered,
                unit.leads,
                unit.block,
                is_field(piece.passage, unit.text),
                piece.passage.similarity or 0.0,
            )
            # What two objects say alike, such as a price, is said of each of them.
            found.setdefault(f"{heading}: {unit.text}" if made.of_object else unit.text, made)
    return tuple(found.values())[:MOST_QUOTED]


def first_places(among: Sequence[Candidate]) -> dict[int, int]:
    """The place of the first sentence of each passage, by the passage's number."""
    return {one.number: one.place for one in reversed(among) if not one.code}


def says_a_date(text: str) -> bool:
    """Whether a text names a whole date, to the day or the month."""
    told = fold(text)
    if _YEAR.search(told) and not months().keys().isdisjoint(_TOKEN.findall(told)):
        return True
    return any(one.whole for one in find_dates(told, date.min.replace(year=2_000)))


def elsewhere(question: str, among: Sequence[Candidate]) -> set[int]:
    """The passages of what the question does not name, where it names another: a section by its number, a document.

    A document is named by a word of its title.
    """
    if any(one.numbered for one in among):
        return {one.number for one in among if not one.numbered}
    asked = content_stems(question)
    named = {title: bool(asked & content_stems(title)) for title in {one.title for one in among}}
    return {one.number for one in among if not named[one.title]} if any(named.values()) else set()


def as_subject(asked: Collection[str], candidate: Candidate) -> float:
    """How much a sentence's beginning says of whether it tells what something is, -1 to 1.

    What something is stands in the sentence whose subject it is, and not in one with a label, such as a parameter's;
    what else is asked of it may stand behind the label ("Colour: red."). The fewer words the question has beside that
    thing, the more it asks what it is.

    Args:
        asked: The question's words of content, folded.
        candidate: The sentence.
    """
    begins = _BEGINNING.match(candidate.text)
    if candidate.code or begins is None or not asked:
        return 0.0
    named = folded(begins["word"]) in asked
    if begins["label"] and not (named and len(asked) > 1):
        return -1.0 / len(asked)
    return 1.0 / len(asked) if named else 0.0


def _says_its_name(candidate: Candidate, question: str) -> bool:
    """Whether a sentence, or the question where a call is asked for, has the name of what its heading names."""
    if is_call(candidate.heading):
        return candidate.heading in f"{candidate.text}\n{question}"
    name = own_name(candidate.heading)
    if candidate.of_object:
        return name.casefold() in candidate.text.casefold()
    return name in _TOKEN.findall(candidate.text)


def unsaid_subject(candidate: Candidate, question: str) -> str:
    """The heading that a sentence needs in front of it to say what it is about; empty where it says so itself.

    It is needed where it is a name or a call, that of an object, or has words that were asked for, and the sentence has
    none of its words. An item of a list that says what is not so ("Not covered:") needs the name of that list, and what
    answers a question of the document that question.
    """
    if candidate.code:
        return ""
    if candidate.introduced or not candidate.heading:
        return candidate.introduced
    if denied := _denying_list(candidate):
        return denied
    if is_call(candidate.heading) or candidate.of_object or is_name(candidate.heading):
        return "" if _says_its_name(candidate, question) else candidate.heading
    about = content_stems(candidate.heading)
    said, asked = map(content_stems, (candidate.text, question))
    return candidate.heading if about & asked and not about & said else ""


def _denying_list(candidate: Candidate) -> str:
    """What the list is called that a candidate is an item of, where that denies what the items say."""
    if not candidate.whole or candidate.of_table or candidate.text == candidate.whole:
        return ""
    name = list_name(candidate.whole, candidate.heading)
    return name if _DENIES.search(name) else ""


def names_section(question: str, heading: str) -> bool:
    """Whether the question names a section by its heading: such a section is about what is asked."""
    name = own_name(heading)
    if len(name) <= 2 or name.casefold() not in question.casefold():
        return False
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE) is not None


def lacks_code(question: str, among: Sequence[Candidate]) -> bool:
    """Whether all codes that a question names are missing where others of their families are told of.

    "E-42" is, where "E-40" and "E-41" stand in `among`; what is told of these does not answer for it.
    """
    asked = _codes(question, re.IGNORECASE)
    if not asked:
        return False
    texts = {text for one in among for text in (one.heading, one.whole or one.text)}  # a table is there once a row
    told = _codes("\n".join(texts))
    families = Counter(family for family, _ in told)
    return all(code not in told and families[code[0]] >= _FAMILY for code in asked)


def _codes(text: str, written: re.RegexFlag = re.NOFLAG) -> set[tuple[str, str]]:
    """The codes in a text, each with its family first, small.

    Args:
        written: Whether names in capitals may be written small.
    """
    found = (*_NUMBERED.finditer(text), *re.finditer(_CAPITALS, text, written))
    return {(one["family"].casefold(), one["own"].casefold()) for one in found}


def rows_of_a_code(question: str, evidence: Sequence[Evidence]) -> list[Candidate]:
    """The rows that `question` names by a code, where it says nothing else that is not in their table or above it."""
    rows, said = rows_asked_for(question, evidence), beside_codes(question)
    titles = {piece.number: piece.passage.title for piece in evidence}
    told = said is not None and all(
        said <= content_stems(f"{titles[row.number]} {row.heading} {row.whole}") for row in rows
    )
    return rows if told else []


def rows_asked_for(
    question: str, evidence: Sequence[Evidence], before: str = "", going_on: Collection[int] = ()
) -> list[Candidate]:
    """The rows that `question` names by a code, a comparison or a number in their range, with all their columns.

    See `named_rows`, and `spanned_rows` of the question before.

    Args:
        question: As it was written.
        evidence: Best first.
        before: The question that it goes on from; empty for one that stands alone.
        going_on: Numbers of passages of the documents that were answered from then; ranges of others mean other things.
    """
    named = [(one.place, one.unit) for one in named_rows(question, [piece.passage for piece in evidence])]
    if named:
        return _as_candidates(named, evidence)
    near = [piece for piece in evidence if piece.number in going_on] or evidence
    return _as_candidates(spanned_rows(question, [piece.passage for piece in near], before), near)


def rows_compared(question: str, evidence: Sequence[Evidence]) -> list[Candidate]:
    """The rows that `question` compares by a property, with all their columns; see `rows_called`."""
    passages = [piece.passage for piece in evidence]
    return _as_candidates([(one.place, one.unit) for one in rows_called(question, passages)], evidence)


def _as_candidates(found: Iterable[tuple[int, Unit]], evidence: Sequence[Evidence]) -> list[Candidate]:
    return [
        Candidate(
            unit.text,
            code=False,
            number=evidence[at].number,
            place=place,
            rank=at,
            heading=subject_of(evidence[at].passage),
            whole=unit.whole,
        )
        for place, (at, unit) in enumerate(found)
    ]
