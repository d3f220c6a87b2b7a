"""How well an answer stands on the passages that it cites: every sentence of it is held against them.

A sentence is supported where its figures and names stand in what it cites, exactly, and a sentence there means much the
same. It is no proof: what contradicts its passage in the passage's own words is not told from what repeats it.

Source: the question that is asked of a sentence is that of "attributable to identified sources" (Rashkin et al., 2023).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from classifier.decision import Embedder, QueryType, unrelated_cosine
from engine.domain import Evidence, Grounding, Unsupported
from engine.generation.extractive.sentence_selection import likeness
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


def quoted(model: str, cited: Sequence[int]) -> Grounding:
    """That of an answer without a model: every sentence that cites a passage is the passage's own.

    Args:
        model: As on the receipt.
        cited: What the answer cites.
    """
    return Grounding(1.0) if model == EXTRACTIVE and cited else Grounding()


class Grounder:
    """Holds answers against what they cite.

    Args:
        embedder: Compares sentences; called in the caller's thread.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def ground(self, answer: str, citations: Sequence[Evidence], prompt: Prompt) -> Grounding:
        """What of `answer` its passages support. Blocks: call it in a worker thread.

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
        known = _known(prompt)
        passages = {piece.number: piece for piece in citations}
        marked = []
        for statement in said:
            cited = [passages[number] for number in statement.cited if number in passages]
            if reason := self.lacks(statement.text, cited or list(citations), known):
                marked.append(Unsupported(statement.start, statement.end, reason if cited else "uncited"))
        return Grounding(1 - len(marked) / len(said) if said else None, tuple(marked))

    def supporting(self, answer: str, prompt: Prompt) -> tuple[int, ...]:
        """The passages of `prompt` that support sentences of an answer without marks. Blocks, as `ground` does.

        Returns:
            The session's numbers, those that support most sentences first, at most `_MOST_CITED`.
        """
        known, found = _known(prompt), Counter[int]()
        for statement in statements(answer):
            alike = {
                piece.number: self._alike(statement.text, [piece], _told([piece]))
                for piece in prompt.evidence
                if not self.lacks(statement.text, [piece], known)
            }
            if alike:
                found[max(alike, key=lambda number: alike[number])] += 1
        return tuple(number for number, _ in found.most_common(_MOST_CITED))

    def lacks(self, text: str, cited: Sequence[Evidence], known: str) -> str:
        """Why passages do not support a sentence; empty where they do. Blocks, as `ground` does.

        Args:
            text: The sentence, without marks.
            known: What needs no passage.
        """
        told = _told(cited)
        given = f"{told} {known}"
        if _numbers(text) - _numbers(given):
            return "figure"
        if _names(text) - _stems(given):
            return "name"
        return "" if self._alike(text, cited, told) >= SUPPORTED else "meaning"

    def _alike(self, text: str, cited: Sequence[Evidence], told: str) -> float:
        """How much a sentence of the passages means and says what `text` does, from 0 to 1 and a little more."""
        pieces = list(dict.fromkeys(piece for one in cited for piece in _pieces(one)))
        vectors = self._embedder.embed([text, *pieces])
        nearest = likeness(vectors[1:] @ vectors[0], unrelated_cosine(self._embedder)).max(initial=np.float32(0))
        own = [stem(word) for word in content(text)]
        among = _stems(told)
        return float(nearest) + _SHARED * sum(word in among for word in own) / len(own)


def _known(prompt: Prompt) -> str:
    """What needs no passage, since the conversation holds it."""
    return " ".join([prompt.query, *(f"{turn.query} {turn.answer}" for turn in prompt.history)])


def _told(cited: Sequence[Evidence]) -> str:
    return " ".join(f"{one.passage.title} {one.passage.heading} {one.passage.text}" for one in cited)


def _pieces(evidence: Evidence) -> Iterator[str]:
    """The sentences of a passage, each step of a list for itself too."""
    for text in texts_weighed(evidence.passage):
        yield text
        if "\n" in text:
            yield from (line for line in text.splitlines() if line.strip())


def _numbers(text: str) -> set[str]:
    return {found.lstrip("0") or "0" for found in _NUMBER.findall(plain_numbers(text, language_of(text)))}


def _names(text: str) -> set[str]:
    """Stems of names: in code, or with a capital letter where no sentence begins."""
    code = [word for span in _CODE.findall(text) for word in words(span) if not word.isdigit() and len(word) > 1]
    rest = words(_CODE.sub(" ", text))
    proper = [word for word in rest[1:] if word[0].isupper() and not is_common(word)]
    shouted = [word for word in rest[:1] if len(word) > 1 and word.isupper()]
    return {stem(word) for word in (*code, *proper, *shouted, *(word for word in rest if is_name_in_code(word)))}


def _stems(text: str) -> set[str]:
    return {stem(part) for word in words(text) for part in (word, *re.split(r"[.&/+#-]", word)) if part}
