"""A message that may be meant in several ways: searched for as it most likely is, and otherwise if nothing answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain import Passage
from engine.retrieval.answerability import THRESHOLD, AnswerabilityReader, carried_stems
from engine.retrieval.port import Retriever
from engine.retrieval.spelling import Correction, Respelling, SpeltSearch

#: Answerability from which another way to read a message is taken: surer than what is just let through.
SURE = 0.3


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
    ) -> Found:
        """What is found for the first of `readings` that passages answer; for the first of all where none does.

        Args:
            message: As it was written.
            readings: At least one query, likeliest first.
            k: The most passages.
            language: Of the message.
            code_shown: See `SpeltSearch.search`.

        Raises:
            EngineError: As the retriever does.
        """
        searches = SpeltSearch(self.retriever, self.answerability, self.respelling)
        found: list[Found] = []
        for query in readings:
            passages, correction = await searches.search(query, k=k, language=language, code_shown=code_shown)
            found.append(await self._read(message, query, passages, correction))
            if found[0].answerability is None or found[0].answerability >= THRESHOLD:
                return found[0]
        best = max(found, key=lambda one: one.answerability or 0.0)
        return best if (best.answerability or 0.0) >= SURE else found[0]

    async def _read(self, message: str, query: str, passages: Sequence[Passage], correction: Correction) -> Found:
        carried = carried_stems(query, message)
        # A correction, or a name that is put right, is rather read as it was searched for.
        own = message if carried and correction.query.startswith(message) else ""
        return Found(passages, correction, await self.answerability.read(correction.query, passages, carried, own))
