"""Which measure a question is about, by meaning: the encoder's cosine and the words that both have.

A cosine alone says little: some names are near to every question. So each name's mean over the example questions is
taken off, and what is left is compared with the other names of the context and with things that accounts have in
general (`subjects.json`): a question that is nearer to one of those than to any name of the context asks for something
that is not there. Only differences count, so the encoder's scale does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.generation.extractive.account_figures.asking.nearness import near_to
from engine.generation.extractive.account_figures.asking.questions import Operations, Question
from engine.generation.extractive.account_figures.asking.synonyms import (
    names_called,
    same,
    subjects_in,
    uncovered,
)
from engine.generation.extractive.account_figures.figure import Amount, Day
from engine.generation.extractive.account_figures.measures import Measure
from engine.generation.extractive.account_figures.vocabulary import narrowing, stems_of

Vectors = NDArray[np.float32]
#: What a shared word counts, in standard deviations of the cosines of subjects.
_SHARED = 8.0
#: What meaning counts at most, so that it does not outdo a word of the name.
_MEANT = 1.4
#: The same where the question has a word of some name.
_MEANT_BESIDE = 0.9
#: A measure that is nearer to the question by so much than the next is the one that is meant.
_CLEAR = 0.6
#: What a synonym of a measure's name counts beside a word of it.
_SYNONYM = 0.7
#: A subject that no name of the context is about has to be nearer by so much before the question is about that.
_ABSENT = 0.5
#: So many subjects are taken for what a name is about.
_NEAR = 6


@dataclass(frozen=True, slots=True)
class Selected:
    """The measure that a question is about.

    Attributes:
        measure: None where the context has nothing of the kind.
        rivals: Others that it may as well be about, nearest first.
    """

    measure: Measure | None
    rivals: tuple[Measure, ...] = ()


class Selection:
    """Chooses measures. Blocks: call it in a worker thread.

    Args:
        operations: Its heads have the subjects that names are held against.
        embedder: Reads questions and names.
    """

    def __init__(self, operations: Operations, embedder: Embedder) -> None:
        self._operations = operations
        self._embedder = embedder

    def choose(
        self,
        question: Question,
        measures: Sequence[Measure],
        *,
        also: Callable[[Measure], str] = lambda _: "",
        given: bool = False,
    ) -> Selected:
        """The measure of `measures` that `question` is about; one of them at least is given.

        Args:
            also: What a measure is told by beside its name: its rows and units.
            given: The question names something of the context, so that one of the measures is meant.
        """
        named = [_spoken(measure) for measure in measures]
        scores, general = near_to(question.text, named, self._operations.heads.subjects, self._embedder)
        own = scores.scaled
        shared = np.array([_shared(question, measure, also(measure)) for measure in measures])
        most = _MEANT_BESIDE if shared.any() else _MEANT
        worth = np.clip(own - own.mean(), -most, most) + _SHARED * shared
        order = [int(place) for place in np.argsort(-worth, kind="stable")]
        best = order[0]
        if not given and not shared[best] and self._absent(question, named, own, general):
            return Selected(None)
        rivals = tuple(
            measures[place]
            for place in order[1:]
            if shared[place] >= shared[best]
            and (worth[best] - worth[place] < _CLEAR or _parts(question, measures[best], measures[place]))
        )
        return Selected(measures[best], rivals)

    def _absent(self, question: Question, named: Sequence[str], own: Vectors, general: Vectors) -> bool:
        """Whether the question is about a subject that no name of the context is about."""
        if not narrowing(question.topic.split()):
            return False
        nearest, best = int(np.argmax(general)), int(np.argmax(own))
        asked = subjects_in(question.topic)
        if asked and not any(asked & subjects_in(name) for name in named):  # it names a thing that no name is of
            return float(own[best] - general[nearest]) < _ABSENT
        if float(general[nearest] - own[best]) <= _ABSENT:
            return False
        every = self._operations.heads.subjects
        like = every @ self._embedder.embed_names([named[best]])[0]
        return nearest not in np.argsort(-like)[:_NEAR].tolist()


def _parts(question: Question, one: Measure, other: Measure) -> bool:
    """Whether both are parts of what is asked for, and the question tells neither: inbound and outbound calls."""
    open_words = [narrowing(uncovered(measure.label, question.text)) for measure in (one, other)]
    named = one.stems & other.stems & stems_of(question.text)
    called = subjects_in(one.label) & subjects_in(other.label) & subjects_in(question.text)
    return all(open_words) and bool(named or called)


def _spoken(measure: Measure) -> str:
    """A measure as it is read by the encoder: its name, with what its values are."""
    value = measure.entries[0].figure.value
    kind = (
        f" ({value.unit})" if isinstance(value, Amount) and value.unit else " (date)" if isinstance(value, Day) else ""
    )
    return f"{measure.label}{kind}"


def _shared(question: Question, measure: Measure, also: str) -> float:
    """How much of the measure's name the question says, from 0 to 1; a stem may be the beginning of a longer word."""
    stems = stems_of(question.text)
    shared = subjects_in(measure.label) & subjects_in(question.text)
    alike = {one for place in shared for called in names_called()[place] if called <= measure.stems for one in called}
    hits = 0.0
    for one in measure.stems:
        hits += 1 if any(same(one, other) for other in stems) else _SYNONYM * (one in alike)
    said = len(question.words) - len(uncovered(question.topic, measure.label, also, within=question.text))
    if not hits and not said:
        return 0.0
    part = hits / max(len(measure.stems), 1)
    return part * 0.5 + min(max(hits, _SYNONYM * bool(said)), 1.0) * 0.5 / (1 + len(question.words) - said)
