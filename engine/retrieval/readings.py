"""A message that may be meant in several ways: searched for as it most likely is, and otherwise if nothing answers.

What goes on from an answer is mostly answered by the same document: its passages alone are taken where they answer
nearly as well as all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain import Passage
from engine.retrieval.answerability import THRESHOLD, AnswerabilityReader, carried_stems
from engine.retrieval.port import Retriever
from engine.retrieval.spelling import Correction, Respelling, SpeltSearch

#: Answerability from which another way to read a message is taken: surer than what is just let through.
SURE = 0.3
#: Answerability of the first way from which the message is not searched for by itself: no other way is much surer.
_PLAIN = 0.98
#: Answerability of the first way below which others are tried, and by how much, in log-odds, one of them has to be
#: answered better where the first is answered.
_UNSURE, _OTHERWISE = 0.8, 1.0
#: By how much less, in log-odds, the passages of the document that a message goes on from may answer than all.
_SAME_DOCUMENT = 1.5
#: How many times as many passages are looked through for those of that document; the first ones decide whether it has
#: to be looked at apart.
_DEEPER, _READ = 3, 5


@dataclass(frozen=True, slots=True)
class Found:
    """What a message found.

    Attributes:
        passages: Best first.
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
        alone: float | None = None,
        document: str = "",
    ) -> Found:
        """What is found for the first of `readings`, or for another one that passages answer much better.

        Args:
            message: As it was written.
            readings: At least one query, likeliest first.
            k: The most passages.
            alone: By how much, in log-odds, passages have to answer the message by itself better than the first of
                `readings` for it to be taken for a question of its own; None: it is none.
            document: The one that the message goes on from: its passages alone are taken where they answer nearly as
                well as all.
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
            if not own or all(one.document == document for one in passages[:_READ]):
                return everywhere
            within = await self._read(message, query, own, correction)
            return within if _surer(within, everywhere, -_SAME_DOCUMENT, THRESHOLD) else everywhere

        found = {readings[0]: await searched(readings[0])}
        first, known = found[readings[0]], found[readings[0]].answerability
        if alone is not None and known is not None and known < _PLAIN:
            found[message] = await searched(message)
            if _surer(found[message], first, alone):
                return found[message]
        if known is None or known >= _UNSURE:
            return first
        for query in readings:
            if query not in found:
                found[query] = await searched(query)
        best = max((found[query] for query in readings), key=lambda one: one.answerability or 0.0)
        return best if _surer(best, first, _OTHERWISE if known >= THRESHOLD else 0.0) else first

    async def _read(self, message: str, query: str, passages: Sequence[Passage], correction: Correction) -> Found:
        carried = carried_stems(query, message)
        # A correction, or a name that is put right, is rather read as it was searched for.
        own = message if carried and correction.query.startswith(message) else ""
        return Found(passages, correction, await self.answerability.read(correction.query, passages, carried, own))


def _surer(one: Found, other: Found, margin: float, least: float = SURE) -> bool:
    """Whether `one` is answered by `least`, and better than `other` by `margin` at least, in log-odds."""
    by, than = one.answerability or 0.0, other.answerability or 0.0
    return by >= least and _log_odds(by) - _log_odds(than) >= margin


def _log_odds(probability: float) -> float:
    clipped = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(clipped / (1 - clipped))
