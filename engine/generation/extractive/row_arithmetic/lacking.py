"""What a question asks of rows of a table that the table has no word for: the colour, another thing's price."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

from classifier.decision import Embedder, embed_names
from engine.generation.extractive.candidates import Candidate
from engine.generation.extractive.row_arithmetic.table_conditions import Words, bare
from engine.generation.extractive.row_arithmetic.table_operations import superlative
from engine.generation.extractive.row_arithmetic.table_query import is_asked_for, is_foreign, says_what
from engine.generation.extractive.row_arithmetic.wording import HAVING, Token, telling, tokens
from engine.text.language import Language
from engine.text.sentences import rows_of
from engine.text.words import folded, plain_words

#: How like a word is to a name of a table at least for the table to tell of it.
_HAD = 0.74
#: How like two spellings of one word are at least, and how many letters it has.
_SLIP, _LETTERS = 0.8, 4
#: Letters of the shortest word that may be written in two: "bed sheets".
_JOINED = 7
#: Cells that words are compared with, each of which is encoded; none that is a bare number.
_CELLS = 32
_NUMBER = re.compile(r"[\d.,\s]*")
#: What stands before what a row is.
_WHICH = frozenset(["which", "what", "que", "cual", "cuales"])
#: What stands before a noun.
_BEFORE = frozenset(["the", "a", "an", "el", "la", "los", "las", "un", "una", "del", "al", "at", "to", "hay"])


def lacked_by_rows(
    question: str, quoted: Sequence[Candidate], among: Sequence[Candidate], embedder: Embedder, language: Language
) -> str:
    """The words for what a question asks of rows of a table, which say nothing of it: "colour", "wood chipper".

    A word is had by the table that the rows are of as it is written, with a slip, or by its meaning. Where no row is
    named, what is asked about has to be had as it is written, or be like a column: names of other things are like those
    of the rows. Empty where the rows may tell it, where a named row is told with a column that is asked for, and
    where something else is quoted. Blocks while it encodes.

    Args:
        quoted: What is going to be told.
        among: All that was found: what it says somewhere is not said to be lacking.
    """
    if not quoted or not all(one.of_table for one in quoted):
        return ""
    words = Words(tokens(HAVING.sub(" ", folded(question))))
    said = " ".join(dict.fromkeys(text for one in among for text in (one.title, one.in_context, one.whole)))
    own = [*tokens(" ".join(dict.fromkeys(plain_words(said)))), *tokens(superlative(question))]
    joined = "".join(plain_words(folded(said)))
    taken = {at for at, one in words.left() if one.within(own) or _is_slip(one.text, own)}
    words.taken |= taken | {at for at, one in words.left() if len(one.text) >= _JOINED and one.text in joined}
    left = [at for at, one in words.left() if not (one.count or one.text.isdigit())]
    foreign = is_foreign(language, quoted[0].whole)
    columns, cells, first = _names_of(quoted)
    named = {name for name in first if words.places(telling(name))}
    nouns = {at for at in left if _is_noun(words, at, question, foreign=foreign)}
    if not named:  # "on which boat is there a café" asks for a row
        nouns = {at for at in nouns if not at or words.said[at - 1].text not in _WHICH}
    if not nouns:
        return ""
    if any(_is_narrowed(one, named) for one in quoted):
        return ""  # a column is what was asked for: "the extra for a silk dress if I am in a rush"
    cells = cells if named or foreign else [cell for cell in cells if cell not in first]
    for phrase in _runs(left):
        texts = [words.said[at].text for at in phrase]
        if nouns & set(phrase) and not (_is_like(texts, columns, embedder) or _is_like(texts, cells, embedder)):
            # What follows a noun belongs to it in English: "wood chipper"; in Spanish it may be a verb.
            last = len(phrase) if language is Language.ENGLISH else phrase.index(min(nouns & set(phrase))) + 1
            return _as_written(question, texts[:last])
    return ""


def _is_like(texts: Sequence[str], names: Sequence[str], embedder: Embedder) -> bool:
    """Whether one of the texts is like one of the names."""
    vectors = embed_names(embedder, [*texts, *names])
    return bool(names) and float((vectors[: len(texts)] @ vectors[len(texts) :].T).max()) >= _HAD


def _is_narrowed(quoted: Candidate, named: Collection[str]) -> bool:
    """Whether a row that is named is told with some of its columns alone."""
    _, rows = rows_of(quoted.whole)
    return any(quoted.text.startswith(f"{name} — ") for name in named) and quoted.text not in rows


def _as_written(question: str, phrase: Sequence[str]) -> str:
    """Folded words as the question has them: "ninos" is "niños"."""
    written = {folded(word): word for word in reversed(plain_words(question))}
    return " ".join(written.get(word, word) for word in phrase)


def _is_noun(words: Words, at: int, question: str, *, foreign: bool) -> bool:
    """Whether a word stands where a noun does; where the rows are in another language, that which is asked for."""
    if foreign:
        return is_asked_for(words, at, question)
    return says_what(words, at, question) or (at > 0 and words.said[at - 1].text in _BEFORE)


def _is_slip(word: str, own: Sequence[Token]) -> bool:
    """Whether a word is one of the others with a slip."""
    near = {one.text for one in own if len(one.text) >= _LETTERS and abs(len(one.text) - len(word)) <= 2}
    return any(SequenceMatcher(None, word, other).ratio() >= _SLIP for other in near)


def _names_of(quoted: Sequence[Candidate]) -> tuple[list[str], list[str], list[str]]:
    """The names of columns with what the tables are called, the cells that are told, and what all rows are called."""
    columns = [text for one in quoted for text in (one.heading, one.title)]
    cells: list[str] = []
    first: list[str] = []
    for whole in dict.fromkeys(one.whole for one in quoted):
        named, rows = rows_of(whole)
        columns += map(bare, named[1:])
        told = " ".join(one.text for one in quoted if one.whole == whole)
        cells += (text for row in rows.values() if row[0] in told for text in row if not _NUMBER.fullmatch(text))
        first += (row[0] for row in rows.values())
    return _distinct(columns), _distinct(cells)[:_CELLS], _distinct(first)


def _distinct(texts: Sequence[str]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if text.strip()]


def _runs(places: Sequence[int]) -> Iterator[list[int]]:
    """Places that follow each other."""
    for _, run in itertools.groupby(enumerate(places), lambda one: one[1] - one[0]):
        yield [at for _, at in run]
