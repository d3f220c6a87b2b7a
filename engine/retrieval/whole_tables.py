"""The whole table whose rows are passages, for questions that no row answers: the most, a mean, what holds for some."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.domain import Passage
from engine.retrieval.port import Catalogue
from engine.text.records import is_object, is_table_file, list_of, rows_as_table, short_cells_of, table_head

#: Rows and characters of the largest table that is read whole.
MOST_ROWS, MOST_CHARS = 200, 16_000
#: Passages among those found that are parts of a table, for it to be looked at where the best is none; such tables.
_SEVERAL, _TABLES = 2, 2
#: Objects of a list for each one that is a text and no row of their table.
_MANY = 5

#: A document, what is the same for all rows of one table of it, and the first line of a table that was cut.
_Key = tuple[str, str, str]


class WholeTables:
    """Puts the rows of a table together that are passages of their own, or in several.

    Args:
        catalogue: Knows the passages of each document; may block.
        asks_over_rows: Whether a question asks what rows come to together; may block.
        asks_for_rows: Whether it may ask for some of all rows, for `answered_by` to be asked.
        rows_asked: What it wants to be listed or counted, by one word; empty for nothing of the kind.
        answered_by: Whether a whole table answers a question that goes on from an answer beyond doubt; may block.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        asks_over_rows: Callable[[str], bool],
        answered_by: Callable[[str, Passage, str], bool] = lambda _question, _table, _last: False,
        asks_for_rows: Callable[[str], bool] = lambda _question: True,
        rows_asked: Callable[[str], str] = lambda _question: "",
    ) -> None:
        self._catalogue = catalogue
        self._asks_over_rows = asks_over_rows
        self._answered_by = answered_by
        self._asks_for_rows = asks_for_rows
        self.rows_asked = rows_asked

    async def of_all_rows(self, query: str, passages: Sequence[Passage], last: str = "") -> Passage | None:
        """The table that the best passage is a row of, or that several are and that answers, as one passage.

        Args:
            query: What was asked.
            passages: Best first.
            last: The answer that it goes on from; empty without one.

        Returns:
            None where the question is for something else, no passage is a part of a table, or the table is
            too large, or has rows of running text, or cannot be told from another document of its name.

        Raises:
            EngineError: As the catalogue does.
        """
        if not any(map(_key, passages)):
            return None
        return await asyncio.to_thread(self._table, query, passages, last)

    def _table(self, query: str, passages: Sequence[Passage], last: str) -> Passage | None:
        best = passages[0]
        if is_table_file(best.document) and _key(best) and self._asks_over_rows(query):
            return self._whole(best)
        if not self._asks_for_rows(query):
            return None
        keys = Counter(filter(None, map(_key, passages)))
        likely = [key for key, count in keys.most_common() if count >= _SEVERAL or key == _key(best) or key[2]]
        for key in likely[:_TABLES]:
            whole = self._whole(next(one for one in passages if _key(one) == key))
            if whole is not None and self._answered_by(query, whole, last):
                return whole
        return None

    def _whole(self, part: Passage) -> Passage | None:
        named = [one for one in self._catalogue.documents() if one.name == part.document]
        if len(named) != 1 or named[0].passages > MOST_ROWS:
            return None
        key = _key(part)
        parts = [one for one in self._catalogue.passages_of(named[0]) if _of_table(one, part)]
        if key is None or len(parts) < 2:
            return None
        text = _joined(parts, key[2]) if key[2] else _together(parts)
        if not text or len(text) > MOST_CHARS:
            return None
        return replace(part, id=f"{part.id} (table)", text=text, heading=list_of(part.document, part.heading))


def _key(passage: Passage) -> _Key | None:
    """What all passages of a table have in common; None of a passage that is no part of one."""
    if short_cells_of(passage.document, passage.heading, passage.text):
        return passage.document, list_of(passage.document, passage.heading), ""
    head = table_head(passage.text)
    return (passage.document, passage.heading, head) if head else None


def _of_table(passage: Passage, part: Passage) -> bool:
    """Whether a passage is of the table that another one is a part of, be it one that cannot be read as a row."""
    if head := table_head(part.text):
        return passage.heading == part.heading and table_head(passage.text) == head
    of_list = list_of(passage.document, passage.heading) == list_of(part.document, part.heading)
    return of_list and is_object(passage.document, passage.heading) == is_object(part.document, part.heading)


def _together(parts: Sequence[Passage]) -> str:
    """Rows that are passages as one table; empty where one of them is no row, or two have one name.

    Some objects without a plain field beside many that have some are texts of their own: "Shop and delivery".
    """
    told = [(one, short_cells_of(one.document, one.heading, one.text)) for one in parts]
    texts = [one for one, cells in told if not cells and is_object(one.document, one.heading)]
    aside = texts if len(texts) * _MANY <= len(parts) else []
    rows = [cells for one, cells in told if one not in aside]
    return rows_as_table(rows) if len(rows) > 1 and all(rows) else ""


def _joined(parts: Sequence[Passage], head: str) -> str:
    """The pieces of a table that was cut, under its head once."""
    lines = [line for one in parts for line in one.text.splitlines() if line.lstrip().startswith("|")]
    rule = next((line for line in lines if line != head), "")
    return "\n".join([head, rule, *(line for line in lines if line not in (head, rule))])
