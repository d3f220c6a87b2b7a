"""A message that may be meant in several ways: searched for as it most likely is, and otherwise if nothing answers.

What goes on from an answer is mostly answered by the same document: its passages alone are taken where they answer
nearly as well as all.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from engine.domain import Passage
from engine.retrieval.answerability import THRESHOLD, AnswerabilityReader, carried_stems
from engine.retrieval.port import Retriever
from engine.retrieval.spelling import Correction, Respelling, SpeltSearch

#: Answerability from which another way to read a message is taken: surer than what is just let through.
SURE = 0.3
#: The same for the message without what it was taken to lack.
_ALONE = 0.6
#: The log-odds by which the document that a message goes on from is likelier to answer it than what is read says.
_SAME_DOCUMENT = 1.2
#: How many times as many passages are looked through for those of that document; the first ones decide whether it has
#: to be looked at apart.
_DEEPER, _READ = 6, 5


@dataclass(frozen=True, slots=True)
class Found:
    """What a message found.

    Attributes:
        passages: Best first; those in another language alone where the others do not answer.
        correction: The query as it was meant. Several readings of one message count as one search.
        answerability: None where it is not known.
    """

    passages: Sequence[Passage]
    correction: Correction
    answerability: float | None


@dataclass(frozen=True, slots=True)
class MessageSearch:
    """Searches for what a message may mean.

    Attributes:
        retriever: Searched in.
        answerability: Tells whether what was found answers.
        respelling: None: only names are put right.
    """

    retriever: Retriever
    answerability: AnswerabilityReader
    respelling: Respelling | None = None

    async def search(
        self,
        message: str,
        readings: Sequence[str],
        *,
        k: int,
        language: str,
        code_shown: bool = False,
        document: str = "",
        alone: bool = False,
    ) -> Found:
        """What is found for the first of `readings` that passages answer; for the first of all where none does.

        Args:
            message: As it was written.
            readings: At least one query, likeliest first.
            k: The most passages.
            document: The one that the message goes on from: its passages alone are taken where they answer nearly as
                well as all.
            alone: The message may say all that is needed: what it finds as it was written is taken where that surely
                answers better than the first reading, which has words of the conversation.
            language: Of the message.
            code_shown: See `SpeltSearch.search`.

        Raises:
            EngineError: As the retriever does.
        """
        searches = SpeltSearch(self.retriever, self.answerability, self.respelling)
        deep = k * _DEEPER if document else k

        async def searched(query: str) -> Found:
            passages, correction = await searches.search(query, k=deep, language=language, code_shown=code_shown)
            everywhere = await self._read(message, query, passages[:k], correction)
            own = [one for one in passages if one.document == document][:k]
            if not own:
                return everywhere
            alone = all(one.document == document for one in passages[:_READ])
            within = _likelier(everywhere if alone else await self._read(message, query, own, correction))
            return within if _answers_as_well(within, everywhere) else everywhere

        found: list[Found] = []
        for query in readings:
            found.append(await searched(query))
            if found[0].answerability is None or found[0].answerability >= THRESHOLD:
                return await self._or_alone(found[0], message, searched) if alone else found[0]
        best = max(found, key=lambda one: one.answerability or 0.0)
        if (best.answerability or 0.0) >= SURE:
            return best
        return found[0]

    async def _or_alone(self, carried: Found, message: str, searched: Callable[[str], Awaitable[Found]]) -> Found:
        """`carried`, or what the message finds without words of the conversation where that surely answers better."""
        bare = await searched(message)
        return bare if (bare.answerability or 0.0) >= max(_ALONE, carried.answerability or 0.0) else carried

    async def _read(self, message: str, query: str, passages: Sequence[Passage], correction: Correction) -> Found:
        carried = carried_stems(query, message)
        # A correction, or a name that is put right, is rather read as it was searched for.
        own = message if carried and correction.query.startswith(message) else ""
        probable, of = await self.answerability.that_answer(correction.query, passages, carried, own)
        return Found(of, correction, probable)


def _likelier(within: Found) -> Found:
    """What one document has, with how much likelier that is to answer for being gone on from."""
    if within.answerability is None:
        return within
    return replace(within, answerability=1.0 / (1.0 + math.exp(-_log_odds(within.answerability) - _SAME_DOCUMENT)))


def _answers_as_well(within: Found, everywhere: Found) -> bool:
    """Whether one document's passages answer, and as well as all."""
    one, other = within.answerability or 0.0, everywhere.answerability or 0.0
    return one >= max(THRESHOLD, other)


def _log_odds(probability: float) -> float:
    clipped = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(clipped / (1 - clipped))
