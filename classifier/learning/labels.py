"""Labels of stored turns: where each comes from, which of them may train layer 2, and how many of one principal's.

The way from turns to rows is `select`: layer 2's own labels go, one label a text stays, and no principal keeps more
than its share of a type. It runs when labels are exported and again when all exports are read for a training.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from classifier.decision import QueryType
from classifier.learning.scrubbing import scrub
from classifier.references.resolve import Kind, kind_of
from classifier.text import head_and_tail, normalise
from classifier.training.dataset import Row

#: The share of a type's rows that may come from one principal.
PRINCIPAL_SHARE = 0.01
#: What one principal may give to a type in any case, so that a small set is not emptied.
LEAST_OF_A_PRINCIPAL = 1
#: The register of rows that were labels.
LABEL = "label"

_SIGNS = re.compile(r"[^\w\s]|_")


class Provenance(IntEnum):
    """Where a label comes from; the higher is believed."""

    LAYER_2 = 0
    """Layer 2 decided. Never trained on: it would learn its own mistakes."""
    LAYER_1 = 1
    """A known prefix decided."""
    LAYER_3 = 2
    """A model decided."""
    ASKED_AGAIN = 3
    """The next turn says nearly the same and a person gave that one another type."""
    CORRECTED = 4
    """A person said afterwards what the type should have been."""
    DECLARED = 5
    """The caller said it with the question."""

    @property
    def trains(self) -> bool:
        """Whether layer 2 may be trained on it."""
        return self is not Provenance.LAYER_2


@dataclass(frozen=True, slots=True)
class Label:
    """One message and its type.

    Attributes:
        text: Scrubbed, and cut to what layer 2 reads of a long message.
        language: `en` or `es`, where it is known.
        relation: What a person said the message is to those before it, one of `classifier.relation`; empty: nobody did.
        earlier: The messages before it that asked something, scrubbed, a line each; only where there is a relation.
        principal: Stands for the caller; cannot be read back without the key of the export folder.
        session: Stands for the session, in the same way.
        artifact_id: The layer 2 artifact in use when the turn was routed.
        day: Of the turn, ISO 8601.
        rating: What a person thought of the answer, `UP` or `DOWN`; empty: nobody said.
        remark: Why, scrubbed.
    """

    text: str
    type: QueryType
    provenance: Provenance
    principal: str
    session: str
    artifact_id: str = ""
    day: str = ""
    language: str = ""
    relation: str = ""
    earlier: str = ""
    rating: str = ""
    remark: str = ""

    @property
    def trains(self) -> bool:
        """Whether layer 2 may be trained on it; what a layer said of an answer that was disliked may be the mistake."""
        return self.provenance.trains and (self.rating != "DOWN" or self.provenance > Provenance.LAYER_3)

    @property
    def key(self) -> str:
        """The text as duplicates are recognised."""
        return text_key(self.text)


@dataclass(frozen=True, slots=True)
class Selection:
    """What is left of labels, and why the others are not.

    Attributes:
        labels: In a fixed order.
        untrainable: Layer 2's own, and other layers' of answers that a person disliked.
        leaning: Say nothing without the conversation or the code beside them.
        duplicates: Say what another, at least as good, says.
        conflicts: The best labels of one text disagree: none of them stays.
        capped: Beyond their principal's share.
        alone: Nobody else vouches for them; counted by a training.
    """

    labels: tuple[Label, ...]
    untrainable: int = 0
    leaning: int = 0
    duplicates: int = 0
    conflicts: int = 0
    capped: int = 0
    alone: int = 0


def text_key(text: str) -> str:
    """What two texts that say the same have in common: their words, without case, accents and signs."""
    return " ".join(_SIGNS.sub(" ", normalise(text)).split()) or text.strip()


def pseudonym(value: str, key: bytes) -> str:
    """A name that stands for `value` under `key` and cannot be guessed back without it."""
    return hashlib.blake2b(value.encode("utf-8", "surrogatepass"), key=key, digest_size=12).hexdigest()


def cleaned(label: Label) -> Label:
    """The label with its text scrubbed and cut to what layer 2 reads."""
    return dataclasses.replace(label, text=head_and_tail(scrub(label.text)).strip())


def select(labels: Iterable[Label], base: Mapping[str, int]) -> Selection:
    """The labels that layer 2 may be trained on.

    Args:
        labels: Already scrubbed.
        base: By type, the rows that the training has beside them: what a principal's share is counted against.
    """
    given = list(labels)
    trained = [label for label in given if label.trains]
    alone = [label for label in trained if kind_of(label.text) is Kind.NOTHING and label.key]
    unique, conflicts = _unique(alone, lambda label: label.key, _type)
    kept = _capped(unique, base, _type)
    return Selection(
        labels=tuple(sorted(kept, key=_order)),
        untrainable=len(given) - len(trained),
        leaning=len(trained) - len(alone),
        duplicates=len(alone) - len(unique) - conflicts,
        conflicts=conflicts,
        capped=len(unique) - len(kept),
    )


def select_relations(labels: Iterable[Label], base: Mapping[str, int]) -> list[Label]:
    """The labels that the head of the relations may be trained on, with the same care as those of types.

    Args:
        labels: Already scrubbed.
        base: By relation, the rows that the training has beside them.
    """
    given = [dataclasses.replace(label, provenance=Provenance.CORRECTED) for label in labels if label.relation]
    unique, _ = _unique(given, lambda label: f"{label.key}\n{text_key(label.earlier)}", _relation)
    return sorted(_capped(unique, base, _relation), key=_order)


def latest(labels: Iterable[Label]) -> list[Label]:
    """The last word of each session on each text, of labels in the order they were exported."""
    found: dict[tuple[str, str, str], Label] = {}
    for label in labels:
        found[label.principal, label.session, label.key] = label
    return list(found.values())


def allowance(counts: Sequence[int], base: int) -> int:
    """How many rows of a type each principal may give.

    The largest number that is no more than 1 % of the type's rows once every principal is held to it, and at least 1.
    The rows that are cut away do not count, so that flooding a type does not raise the share.

    Args:
        counts: How many rows each principal offers.
        base: Rows of the type beside these.
    """
    low, high = LEAST_OF_A_PRINCIPAL, max(counts, default=LEAST_OF_A_PRINCIPAL)
    while low < high:
        middle = (low + high + 1) // 2
        rows = base + sum(min(count, middle) for count in counts)
        low, high = (middle, high) if middle <= PRINCIPAL_SHARE * rows else (low, middle - 1)
    return low


def to_rows(labels: Iterable[Label]) -> list[Row]:
    """Labels as rows to train on: what one session says of a type is a family, and the session a domain."""
    return [
        Row(
            text=label.text, label=str(label.type), language=label.language or "en",
            family=f"session {label.session} {label.type}", domain=f"session {label.session}", register=LABEL,
        )
        for label in labels
    ]  # fmt: skip


def _type(label: Label) -> str:
    return str(label.type)


def _relation(label: Label) -> str:
    return label.relation


def _unique(
    labels: Sequence[Label], key: Callable[[Label], str], said: Callable[[Label], str]
) -> tuple[list[Label], int]:
    """One label a text, the best; and how many were dropped because the best ones of a text disagree."""
    by_text: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        by_text[key(label)].append(label)
    kept, conflicts = [], 0
    for same in by_text.values():
        rank = max(label.provenance for label in same)
        best = [label for label in same if label.provenance is rank]
        if len({said(label) for label in best}) > 1:
            conflicts += len(same)
        else:
            kept.append(min(best, key=_order))
    return kept, conflicts


def _capped(labels: Sequence[Label], base: Mapping[str, int], said: Callable[[Label], str]) -> list[Label]:
    """At most its allowance of each principal and class: the best labels first, then the newest."""
    offered = Counter((said(label), label.principal) for label in labels)
    by_class: dict[str, list[int]] = defaultdict(list)
    for (kind, _), count in offered.items():
        by_class[kind].append(count)
    allowed = {kind: allowance(counts, base.get(kind, 0)) for kind, counts in by_class.items()}
    kept: list[Label] = []
    taken: Counter[tuple[str, str]] = Counter()
    for label in sorted(sorted(labels, key=_order), key=lambda entry: (entry.provenance, entry.day), reverse=True):
        place = (said(label), label.principal)
        if taken[place] < allowed[said(label)]:
            taken[place] += 1
            kept.append(label)
    return kept


def _order(label: Label) -> tuple[str, str, str, str]:
    """An order that does not depend on the one they came in."""
    return label.day, label.principal, label.session, label.text
