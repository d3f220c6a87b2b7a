"""What a question asks of rows of a table that the table has no word for: the colour, another thing's price."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches

from classifier.embedder import Embedder
from engine.generation.extractive.candidates import Candidate
from engine.generation.extractive.row_arithmetic.table_conditions import Words, bare
from engine.generation.extractive.row_arithmetic.table_operations import superlative
from engine.generation.extractive.row_arithmetic.table_query import is_foreign
from engine.generation.extractive.row_arithmetic.table_words import ARTICLES, is_asked_for, says_what
from engine.generation.extractive.row_arithmetic.wording import HAVING, Token, telling, tokens
from engine.text import messages
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
_BEFORE = ARTICLES | {"del", "al", "at", "to", "hay"}


def lacked_by_rows(
    question: str, quoted: Sequence[Candidate], among: Sequence[Candidate], embedder: Embedder, language: Language
) -> str:
    """That nothing was found about what a question asks of rows of a table: a colour, a wood chipper; else empty.

    A word is had by the table that the rows are of as it is written, with a slip, or by its meaning. Where no row is
    named, what is asked about has to be had as it is written, or be like a column: names of other things are like those
    of the rows. Nothing is said where a named row is told with a column that is asked for. Blocks while it encodes.

    Args:
        quoted: What is going to be told.
        among: All that was found: what it says somewhere is not said to be lacking.
    """
    if not quoted or not all(one.of_table for one in quoted):
        return ""
    words = Words(tokens(HAVING.sub(" ", folded(question))))
    foreign = is_foreign(language, quoted[0].whole)
    nouns = {at for at, _ in words.left() if _is_noun(words, at, question, foreign=foreign)}
    if not nouns:
        return ""
    said = " ".join(dict.fromkeys(text for one in among for text in (one.title, one.in_context, one.whole)))
    own = [*tokens(" ".join(dict.fromkeys(plain_words(said)))), *tokens(superlative(question))]
    joined = "".join(plain_words(folded(said)))
    taken = {at for at, one in words.left() if one.within(own) or _is_slip(one.text, own)}
    words.taken |= taken | {at for at, one in words.left() if len(one.text) >= _JOINED and one.text in joined}
    left = [at for at, one in words.left() if not (one.count or one.text.isdigit())]
    tables = {one.whole: rows_of(one.whole) for one in quoted}
    first = {row[0] for _, rows in tables.values() for row in rows.values()}
    named = {name for name in first if words.places(telling(name))}
    nouns.intersection_update(left)
    if not named:  # "on which boat is there a café" asks for a row
        nouns = {at for at in nouns if not at or words.said[at - 1].text not in _WHICH}
    if not nouns or any(_is_narrowed(one, tables[one.whole][1], named) for one in quoted):
        return ""
    columns, cells = _names_of(quoted, tables)
    cells = cells if named or foreign else [cell for cell in cells if cell not in first]
    for phrase in _runs(left):
        texts = [words.said[at].text for at in phrase]
        if nouns & set(phrase) and not (_is_like(texts, columns, embedder) or _is_like(texts, cells, embedder)):
            # What follows a noun belongs to it in English: "wood chipper"; in Spanish it may be a verb.
            last = len(phrase) if language is Language.ENGLISH else phrase.index(min(nouns & set(phrase))) + 1
            return messages.NOTHING_ABOUT[language].format(name=_as_written(question, texts[:last]))
    return ""


def _is_like(texts: Sequence[str], names: Sequence[str], embedder: Embedder) -> bool:
    """Whether one of the texts is like one of the names."""
    vectors = embedder.embed_names([*texts, *names])
    return bool(names) and float((vectors[: len(texts)] @ vectors[len(texts) :].T).max()) >= _HAD


def _is_narrowed(quoted: Candidate, rows: Collection[str], named: Collection[str]) -> bool:
    """Whether a row that is named is told with some of its columns alone: "the extra for a dress if I am in a rush"."""
    return any(quoted.text.startswith(f"{name} — ") for name in named) and quoted.text not in rows


def _as_written(question: str, phrase: Sequence[str]) -> str:
    """Folded words as the question has them: "ninos" is "niños"."""
    written = {folded(word): word for word in reversed(plain_words(question))}
    return " ".join(written.get(word, word) for word in phrase)


def _is_noun(words: Words, at: int, question: str, *, foreign: bool) -> bool:
    """Whether a word stands where a noun does; where the rows are in another language, that which is asked for."""
    if foreign:
        return is_asked_for(words.said, at, question)
    return says_what(words.said, at, question) or (at > 0 and words.said[at - 1].text in _BEFORE)


def _is_slip(word: str, own: Sequence[Token]) -> bool:
    """Whether a word is one of the others with a slip."""
    near = {one.text for one in own if len(one.text) >= _LETTERS and abs(len(one.text) - len(word)) <= 2}
    return bool(get_close_matches(word, near, n=1, cutoff=_SLIP))


def _names_of(
    quoted: Sequence[Candidate], tables: Mapping[str, tuple[list[str], dict[str, list[str]]]]
) -> tuple[list[str], list[str]]:
    """The names of columns with what the tables are called, and the cells that are told."""
    columns = [text for one in quoted for text in (one.heading, one.title)]
    cells: list[str] = []
    for whole, (named, rows) in tables.items():
        columns += map(bare, named[1:])
        told = " ".join(one.text for one in quoted if one.whole == whole)
        cells += (text for row in rows.values() if row[0] in told for text in row if not _NUMBER.fullmatch(text))
    return _distinct(columns), _distinct(cells)[:_CELLS]


def _distinct(texts: Sequence[str]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if text.strip()]


def _runs(places: Sequence[int]) -> Iterator[list[int]]:
    """Places that follow each other."""
    for _, run in itertools.groupby(enumerate(places), lambda one: one[1] - one[0]):
        yield [at for _, at in run]
