"""How well an answer stands on the passages that it cites: every sentence of it is held against them.

A sentence is supported where its figures and names stand in what it cites, exactly, and a sentence there means much the
same. It is no proof: what contradicts its passage in the passage's own words is not told from what repeats it.

Source: the question that is asked of a sentence is that of "attributable to identified sources" (Rashkin et al., 2023).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter

import numpy as np

from classifier.decision import QueryType
from classifier.embedder import Embedder, likeness
from engine.domain import Evidence, Grounding, Unsupported
from engine.generation.port import EXTRACTIVE, Prompt
from engine.generation.statements import statements
from engine.text.language import language_of
from engine.text.numbers import plain_numbers
from engine.text.quotation import texts_weighed
from engine.text.words import content, is_common, is_name_in_code, stem, words

#: What shared words count beside likeness in meaning, and what both have to come to (figures: docs/grounding.md).
_SHARED, SUPPORTED = 0.264, 0.66
#: Passages that an answer is said to be from where it names none itself.
_MOST_CITED = 3
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w])")
_CODE = re.compile(r"`([^`\n]+)`")
_FENCE = re.compile(r"`{3}|~{3}")
#: What parts of a word are joined by.
_JOINED = re.compile(r"[.&/+#-]")
#: Texts whose stems are kept: answers are held against the same passages turn by turn.
_MOST_READ = 512


def quoted(model: str, cited: Sequence[int]) -> Grounding:
    """That of an answer without a model: every sentence that cites a passage is the passage's own.

    Args:
        model: As on the receipt.
        cited: What the answer cites.
    """
    return Grounding(1.0) if model == EXTRACTIVE and cited else Grounding()


class _Read:
    """The figures and words of a text, each read once however many sentences are held against it."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def numbers(self) -> set[str]:
        return _numbers(self._text)

    @cached_property
    def stems(self) -> frozenset[str]:
        return _stems(self._text)


class _Said(_Read):
    """A sentence without marks."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    @cached_property
    def names(self) -> set[str]:
        return _names(self.text)

    @cached_property
    def content(self) -> list[str]:
        """Stems of what it is about, in order."""
        return [stem(word) for word in content(self.text)]


class _Source(_Read):
    """A passage that sentences are held against.

    Attributes:
        texts: What an index keeps vectors of.
    """

    def __init__(self, evidence: Evidence) -> None:
        passage = evidence.passage
        super().__init__(f"{passage.title} {passage.heading} {passage.text}")
        self.texts = texts_weighed(passage)

    @property
    def steps(self) -> list[str]:
        """The steps of its lists, which no index has vectors of; lines of code are no statements."""
        lists = [text for text in self.texts if "\n" in text and not _FENCE.search(text)]
        return [line for text in lists for line in text.splitlines() if line.strip()]


@dataclass(frozen=True, slots=True)
class _Held:
    """A sentence after it was held against passages.

    Attributes:
        lacks: Why they do not support it; empty where they do.
        support: How much they mean and say the same, 0 to 1 and a little more; 0 where figures or names are missing.
    """

    lacks: str
    support: float = 0.0


#: A sentence and what it is held against.
_Claim = tuple[_Said, Sequence[_Source]]


class Grounder:
    """Holds answers against what they cite.

    Args:
        embedder: Compares sentences; called in the caller's thread.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def ground(self, answer: str, citations: Sequence[Evidence], prompt: Prompt) -> Grounding:
        """What of `answer` its passages support. Blocks where there are citations: call it in a worker thread then.

        A sentence without a mark is held against everything that the answer cites. In an answer that had to be made
        from passages and cites none, every sentence is marked.

        Args:
            citations: Numbered as in the answer.
            prompt: What it was made from; figures and names that the conversation holds need no passage.
        """
        said = statements(answer)
        if not citations:
            must = prompt.type.searches and prompt.type is not QueryType.PLATFORM
            return Grounding(None, tuple(Unsupported(s.start, s.end, "uncited") for s in said) if must else ())
        passages = {piece.number: _Source(piece) for piece in citations}
        cited = [[passages[number] for number in one.cited if number in passages] for one in said]
        claims = [(_Said(one.text), own or list(passages.values())) for one, own in zip(said, cited, strict=True)]
        held = self._held(claims, _Read(_known(prompt)))
        marked = [
            Unsupported(one.start, one.end, found.lacks if own else "uncited")
            for one, own, found in zip(said, cited, held, strict=True)
            if found.lacks
        ]
        return Grounding(1 - len(marked) / len(said) if said else None, tuple(marked))

    def supporting(self, answer: str, prompt: Prompt) -> tuple[int, ...]:
        """The passages of `prompt` that support sentences of an answer without marks. Blocks, as `ground` does.

        Returns:
            The session's numbers, those that support most sentences first, at most `_MOST_CITED`.
        """
        sources = [_Source(piece) for piece in prompt.evidence]
        said = [_Said(one.text) for one in statements(answer)]
        held = self._held([(one, [source]) for one in said for source in sources], _Read(_known(prompt)))
        found = Counter[int]()
        for start in range(0, len(held), len(sources)):
            of_one = zip(prompt.evidence, held[start : start + len(sources)], strict=True)
            alike = {piece.number: one.support for piece, one in of_one if not one.lacks}
            if alike:
                found[max(alike, key=lambda number: alike[number])] += 1
        return tuple(number for number, _ in found.most_common(_MOST_CITED))

    def lacks(self, text: str, cited: Sequence[Evidence], known: str) -> str:
        """Why passages do not support a sentence; empty where they do. Blocks, as `ground` does.

        Args:
            text: The sentence, without marks.
            known: What needs no passage.
        """
        return self._held([(_Said(text), [_Source(one) for one in cited])], _Read(known))[0].lacks

    def _held(self, claims: Sequence[_Claim], known: _Read) -> list[_Held]:
        """Sentences held against passages: figures and names first, then the meaning of those that have them all.

        The steps of lists are looked at for those that no whole text of their passages supports.
        """
        unnamed, support = [_unnamed(*claim, known) for claim in claims], [0.0] * len(claims)
        for texts_of in (attrgetter("texts"), attrgetter("steps")):
            places = [at for at, lacks in enumerate(unnamed) if not lacks and support[at] < SUPPORTED]
            for at, found in zip(places, self._supports([claims[at] for at in places], texts_of), strict=True):
                support[at] = max(support[at], found)
        return [
            _Held(lacks or ("" if found >= SUPPORTED else "meaning"), found)
            for lacks, found in zip(unnamed, support, strict=True)
        ]

    def _supports(self, claims: Sequence[_Claim], texts_of: Callable[[_Source], list[str]]) -> list[float]:
        """How much a text of their passages means and says what sentences do; all texts are embedded together."""
        among = [[text for source in sources for text in texts_of(source)] for _, sources in claims]
        texts = list(
            dict.fromkeys(chain((said.text for (said, _), found in zip(claims, among, strict=True) if found), *among))
        )
        if not texts:
            return [0.0] * len(claims)
        place, vectors = {text: at for at, text in enumerate(texts)}, self._embedder.embed(texts)
        floor = self._embedder.unrelated
        support = []
        for (said, sources), found in zip(claims, among, strict=True):
            own = place.get(said.text, 0)
            cosines = vectors[[place[text] for text in found]] @ vectors[own] if found else np.zeros(1, "f4")
            support.append(float(likeness(cosines, floor).max()) + _shared(said, sources))
        return support


def _shared(said: _Said, sources: Sequence[_Source]) -> float:
    """What the words count that `said` has in common with its passages."""
    had = frozenset[str]().union(*(source.stems for source in sources))
    return _SHARED * sum(word in had for word in said.content) / len(said.content)


def _unnamed(said: _Said, sources: Sequence[_Source], known: _Read) -> str:
    """What of `said` stands in none of `sources` and was not said before; empty where all of it does."""
    if said.numbers and said.numbers.difference(*(one.numbers for one in (known, *sources))):
        return "figure"
    if said.names and said.names.difference(*(one.stems for one in (known, *sources))):
        return "name"
    return ""


def _known(prompt: Prompt) -> str:
    """What needs no passage, since the conversation holds it."""
    return " ".join([prompt.query, *(f"{turn.query} {turn.answer}" for turn in prompt.history)])


def _numbers(text: str) -> set[str]:
    return {found.lstrip("0") or "0" for found in _NUMBER.findall(plain_numbers(text, language_of(text)))}


def _names(text: str) -> set[str]:
    """Stems of names: in code, or with a capital letter where no sentence begins."""
    code = [word for span in _CODE.findall(text) for word in words(span) if not word.isdigit() and len(word) > 1]
    rest = words(_CODE.sub(" ", text))
    proper = [word for word in rest[1:] if word[0].isupper() and not is_common(word)]
    shouted = [word for word in rest[:1] if len(word) > 1 and word.isupper()]
    return {stem(word) for word in (*code, *proper, *shouted, *(word for word in rest if is_name_in_code(word)))}


@lru_cache(_MOST_READ)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(part) for word in set(words(text)) for part in (word, *_JOINED.split(word)) if part)
