"""The whole table of a file whose rows are passages, for questions that no row answers: the most, a mean, how many."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.domain import Passage
from engine.retrieval.port import Catalogue
from engine.text.records import cells_of, rows_as_table

#: Rows and characters of the largest table that is read whole.
MOST_ROWS, MOST_CHARS = 200, 16_000


class WholeTables:
    """Puts the rows of a table file together.

    Args:
        catalogue: Knows the passages of each document; may block.
        asks_over_rows: Whether a question asks what rows come to together; may block.
    """

    def __init__(self, catalogue: Catalogue, asks_over_rows: Callable[[str], bool]) -> None:
        self._catalogue = catalogue
        self._asks_over_rows = asks_over_rows

    async def of_all_rows(self, query: str, passages: Sequence[Passage]) -> Passage | None:
        """The table that the best passage is a row of, as one passage.

        Args:
            query: What was asked.
            passages: Best first.

        Returns:
            None where the question is for something else, the best passage is no row of a table file, or the table is
            too large, or has rows of running text, or cannot be told from another document of its name.

        Raises:
            EngineError: As the catalogue does.
        """
        if not passages or not cells_of(passages[0].document, passages[0].text):
            return None
        return await asyncio.to_thread(self._table, query, passages[0])

    def _table(self, query: str, best: Passage) -> Passage | None:
        if not self._asks_over_rows(query):
            return None
        named = [one for one in self._catalogue.documents() if one.name == best.document]
        if len(named) != 1 or named[0].passages > MOST_ROWS:
            return None
        of_sheet = [one for one in self._catalogue.passages_of(named[0]) if one.heading == best.heading]
        rows = [cells_of(one.document, one.text) for one in of_sheet]
        if len(rows) < 2 or not all(rows):
            return None
        text = rows_as_table(rows)
        return replace(best, id=f"{best.id} (table)", text=text) if len(text) <= MOST_CHARS else None
