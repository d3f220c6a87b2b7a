"""What of the evidence may be quoted, each sentence and code block with what its section says of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain import Evidence
from engine.generation.extractive.spanned_rows import spanned_rows
from engine.text.named_rows import named_rows
from engine.text.plain_lists import list_name
from engine.text.quotation import MOST_QUOTED, in_context, is_name, own_name, quoted_units, subject_of
from engine.text.words import content_stems

#: Passages that are read.
_PASSAGES = 6
#: The rank that a section counts as at least that the question names.
_NAMED_RANK = 2
#: A word or a name as it is written.
_TOKEN = re.compile(r"[\w-]+")
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

    @property
    def in_context(self) -> str:
        """The text as its reader understands it."""
        return in_context(self.heading, self.text, self.introduced)


def candidates(evidence: Sequence[Evidence], question: str = "") -> tuple[Candidate, ...]:
    """What may be quoted of the best passages and of those that `question` names; what two both say is there once."""
    ranked = [
        (min(rank, _NAMED_RANK) if names_section(question, piece.passage.heading) else rank, piece)
        for rank, piece in enumerate(evidence)
    ]
    found: dict[str, Candidate] = {}
    for rank, piece in sorted(ranked, key=lambda one: one[0])[:_PASSAGES]:
        heading = subject_of(piece.passage)
        for unit in quoted_units(piece.passage):
            made = Candidate(
                unit.text,
                unit.code,
                piece.number,
                len(found),
                rank,
                heading,
                unit.whole,
                unit.pointer,
                unit.introduced,
                piece.passage.title,
            )
            found.setdefault(unit.text, made)
    return tuple(found.values())[:MOST_QUOTED]


def unsaid_subject(candidate: Candidate, question: str) -> str:
    """The heading that a sentence needs in front of it to say what it is about; empty where it says so itself.

    It is needed where it is a name, or has words that were asked for, and the sentence has none of its words. An item
    of a list that says what is not so ("Not covered:") needs the name of that list, and what answers a question of the
    document that question.
    """
    if candidate.code:
        return ""
    if candidate.introduced or not candidate.heading:
        return candidate.introduced
    if denied := _denying_list(candidate):
        return denied
    if is_name(candidate.heading):
        return "" if own_name(candidate.heading) in _TOKEN.findall(candidate.text) else candidate.heading
    about = content_stems(candidate.heading)
    said, asked = map(content_stems, (candidate.text, question))
    return candidate.heading if about & asked and not about & said else ""


def _denying_list(candidate: Candidate) -> str:
    """What the list is called that a candidate is an item of, where that denies what the items say."""
    if not candidate.whole or candidate.whole.startswith("|") or candidate.text == candidate.whole:
        return ""
    name = list_name(candidate.whole, candidate.heading)
    return name if _DENIES.search(name) else ""


def names_section(question: str, heading: str) -> bool:
    """Whether the question names a section by its heading: such a section is about what is asked."""
    name = own_name(heading)
    if len(name) <= 2 or name.casefold() not in question.casefold():
        return False
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE) is not None


def rows_asked_for(question: str, evidence: Sequence[Evidence], before: str = "") -> list[Candidate]:
    """The rows that `question` names by a code, a comparison or a number in their range, with all their columns.

    See `named_rows`, and `spanned_rows` of the question before.
    """
    passages = [piece.passage for piece in evidence]
    named = [(one.place, one.unit) for one in named_rows(question, passages)]
    found = named or spanned_rows(question, passages, before)
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
