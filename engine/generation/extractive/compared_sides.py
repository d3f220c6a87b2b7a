"""Both sides of what a question compares: each is told of, or it is said that nothing was found about it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

from classifier.embedder import Embedder, words_alike
from engine.generation.extractive.candidates import Candidate
from engine.generation.extractive.sentence_selection import Weighed
from engine.text import messages
from engine.text.language import Language
from engine.text.questions.comparisons import Compared, compared, figures, measure
from engine.text.words import content, folded, is_common, words

#: How like in meaning the likest word of what was found is to one of a side that something may be told of.
_LIKE = 0.5
#: Sentences of each side that are looked at for two that go together.
_MOST = 6
#: Sentences of a side that are told where each is of one side only.
_APART = 2
#: What the likeness of two such sentences counts, what a figure of what is compared by, and one logit.
_ALIKE, _FIGURE, _LOGIT = 0.2, 0.1, 0.02


def compared_in(message: str, searched: str) -> str:
    """The message where it compares, else what it was searched for, which may have its slips put right."""
    return message if compared(message) is not None else searched


def with_both_sides(question: str, prose: Sequence[Candidate], weighed: Weighed, embedder: Embedder) -> list[Candidate]:
    """`prose` with each side of what is compared, or the two sentences alone that tell which is more so.

    Two things are told of in like words: "In spring ...", "In autumn ...".
    """
    asked, score = compared(question), weighed.score
    if asked is None or not prose or prose[0] not in score:
        return list(prose)
    among = [one for one in score if not one.code]
    told = dict(zip(among, asked.told([one.in_context for one in among]), strict=True))
    sides = [[one for one in among if told[one][side]] for side in range(len(asked.sides))]
    if asked.by and all(sides):
        return _two_alike(question, asked, sides, weighed, embedder)
    best = told.get(prose[0], ())
    if not any(best) or all(best):
        return [one for one in prose if any(told.get(one, ()))] or list(prose)
    own = sides[best.index(True)]
    others = [theirs for theirs, is_own in zip(sides, best, strict=True) if theirs and not is_own]
    if not others:
        return list(prose)

    def together(one: Candidate, other: Candidate) -> float:
        return score[one] + score[other] + weighed.near(one, other)

    alike = {one: [max(theirs, key=partial(together, one)) for theirs in others] for one in prose if one in own}
    further = sorted(list(alike)[1:], key=lambda one: sum(map(partial(together, one), alike[one])), reverse=True)
    kept = [prose[0], *further[: _APART - 1]]
    return list(dict.fromkeys([*kept, *(other for one in kept for other in alike[one])]))


def _two_alike(
    question: str, asked: Compared, sides: Sequence[Sequence[Candidate]], weighed: Weighed, embedder: Embedder
) -> list[Candidate]:
    """The sentence of each side, or the one of both, that together are likest to the question and to each other."""
    score, near = weighed.score, weighed.near
    likest = [sorted(theirs, key=score.__getitem__, reverse=True)[:_MOST] for theirs in sides]
    every = list(dict.fromkeys(one for theirs in likest for one in theirs))
    logits = embedder.answers_in(question, [one.in_context for one in every])
    kind = measure(asked.by, embedder.embed)
    worth = {
        one: score[one]
        + _FIGURE * (kind in figures(one.text))
        + (0.0 if logits is None else _LOGIT * float(logits[at]))
        for at, one in enumerate(every)
    }

    def together(two: Sequence[Candidate]) -> float:
        return sum(worth[one] + _ALIKE * near(one, two[0]) for one in two)

    best = max(product(*likest), key=together)
    return sorted(dict.fromkeys(best), key=worth.__getitem__, reverse=True)


def nothing_about(question: str, among: Sequence[Candidate], embedder: Embedder, language: Language) -> str:
    """That nothing was found about one side of a comparison, where `among` tells of another; else empty.

    A word that is like one of the side's in meaning may tell of it, in this language or another.
    """
    asked = compared(question)
    if asked is None or asked.by or not among:
        return ""
    told = [any(at) for at in zip(*asked.told([one.in_context for one in among]), strict=True)]
    if all(told) or not any(told):
        return ""
    side = asked.sides[told.index(False)]
    return "" if _may_tell(side, among, embedder) else messages.NOTHING_ABOUT[language].format(name=side)


def _may_tell(side: str, among: Sequence[Candidate], embedder: Embedder) -> bool:
    """Whether something has a word that is like one of a side's in meaning."""
    said = {folded(word) for one in among for word in words(one.in_context) if not is_common(word)}
    alike = words_alike(embedder, [folded(word) for word in content(side)], sorted(said))
    return alike is None or float(alike.max()) >= _LIKE
