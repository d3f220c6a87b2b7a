"""What the words of a question say of one table: that it is this one, which column, which kind of its rows."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from engine.generation.extractive.row_arithmetic.rows import Row, called_so
from engine.generation.extractive.row_arithmetic.table_operations import superlative
from engine.generation.extractive.row_arithmetic.wording import (
    Token,
    denies,
    read,
    telling,
    tokens,
)
from engine.text.unit_names import names as unit_names
from engine.text.words import folded, is_common, plain_words, stem

#: Words of the longest cell that says of what kind a row is.
_KIND_WORDS = 3
#: What stands between several things that one cell says: "pine and oak", "Chile (Andes)", "Leeds, England".
_SEVERAL = re.compile(r"[,;:/()]|\s[-–—+&]\s|\s(?:and|or|y|e|o|u)\s", re.IGNORECASE)
#: Asks for what a cell says as a whole.
_ONLY = re.compile(r"\b(?:only|just|solely|purely|solo|solamente|unicamente)\b")
#: Leaves a choice.
_EITHER = re.compile(r"\b(?:or|o|u)\b")
#: A participle in front of what a cell says: "grown in Chile", "hecho de roble".
_PARTICIPLE = re.compile(
    r"\b(?:[a-z]{2,}(?:ed|en|wn|ade|lt|ung|ught)\s+(?=(?:from|in|by|of|with|at)\b)|"
    r"[a-z]{2,}(?:ad|id|ch|st)[oa]s?\s+(?=(?:del?|en|por|con|al?)\b))"
)
#: Letters of a word that is a part of another one, with as many but one behind it.
_COMPOUND = 4
ARTICLES = frozenset(["el", "la", "los", "las", "un", "una", "the", "a", "an"])
#: What stands before words that say what a row has to be.
_RESTRICTING = frozenset(
    ["for", "with", "without", "in", "from", "of", "by", "para", "con", "sin", "en", "de", "por", "a"]
)
#: What stands beside the noun that says what is asked for.
_BEFORE_NOUN = frozenset(["which", "what", "many", "que", "cual", "cuales", "cuantos", "cuantas"])


def columns_named(rest: str, every: Sequence[Row]) -> tuple[str, ...]:
    """The columns that the words of a question name, beside the one that the names of the rows stand in."""
    called = tokens(called_so(every))
    return read(" ".join(one.text for one in tokens(rest) if not one.within(called)), every).columns


def tells(rest: str, every: Sequence[Row]) -> bool:
    """Whether a word of a question is one of what the table itself is called, or begins one: "tools" of a toolshed."""
    own = [stem(token.text) for token in (*tokens(called_so(every)), *tokens(every[0].heading))]
    said = [stem(token.text) for token in tokens(rest) if not is_common(token.text)]
    return any(
        one == other or (len(one) >= _COMPOUND and other.startswith(one) and len(other) >= len(one) + _COMPOUND - 1)
        for one in said
        for other in own
    )


def kind_named(rest: str, every: Sequence[Row], names: Collection[str]) -> tuple[list[Row], str, list[str]] | None:
    """The rows of the kind that words name, the other words, and what says so; None where it is not clear.

    That are columns, and in brackets words of names.

    A kind is what cells of a column say, as a whole or as one of several things, or what several rows are called. All
    rows where none is named.

    Args:
        names: Words that tell something though they are common, folded.
    """
    about = [token for called in (every[0].about, *every[0].columns) for token in tokens(called)]
    said = [
        token
        for token in tokens(rest)
        if (not is_common(token.text) or token.text in names) and not token.within(about)
    ]
    asked = columns_named(rest, every)
    found = _saying(every, said, rest, asked)
    taken = [words for _, words in found.values()]
    if any(one & other for at, one in enumerate(taken) for other in taken[at + 1 :]):
        return None
    named = [token for token in said if not any(token.text in words for words in taken)]
    for token in named:  # "which lamps" of "Desk lamp", "Floor lamp" and others
        rows = [row for row in every if token.within(tokens(row.says_what or row.name))]
        if 1 < len(rows) < len(every):
            found[f"({token.text})"] = rows, {token.text}
    chosen = [row for row in every if all(row in rows for rows, _ in found.values())]
    every_word = set().union(*(words for _, words in found.values()))
    rest = _PARTICIPLE.sub(" ", rest) if found else rest
    left = " ".join(word for word in plain_words(rest) if tokens(word)[0].text not in every_word)
    return chosen, left, list(found)


def _saying(
    every: Sequence[Row], said: Sequence[Token], rest: str, asked: Collection[str]
) -> dict[str, tuple[list[Row], set[str]]]:
    """The rows whose cells say words of a question, and these words, by the column.

    A cell says them as a whole, or as one of several things where no other column says them as a whole.
    """
    wholes: dict[str, set[str]] = {}
    found: dict[str, tuple[list[Row], set[str]]] = {}
    for column in every[0].columns:
        had: list[tuple[Row, set[str]]] = []
        bare = {row.of(column) for row in every if _worded(row.of(column), rest)} if column in asked else set[str]()
        for row in every:
            cell = row.of(column) if row.cell(column) is None else ""
            whole = _words_of(cell, said)
            wholes.setdefault(column, set()).update(whole)
            parts = [] if _ONLY.search(rest) or len(telling(cell)) > 2 * _KIND_WORDS else _SEVERAL.split(cell)
            words = whole.union(*(_words_of(part, said) for part in parts))
            words = words or {
                word for one in bare if one in (cell, *map(str.strip, parts)) for word in _worded(one, rest)
            }
            had += [(row, words)] if words else []
        every_word = set().union(*(words for _, words in had))
        # "Light and sturdy", where some are both.
        both = [row for row, words in had if words == every_word and _EITHER.search(rest) is None]
        if 0 < len(had) < len(every):
            found[column] = both or [row for row, _ in had], every_word
    return {
        column: (rows, words)
        for column, (rows, words) in found.items()
        if words <= wholes[column] or not any(words & wholes[other] for other in found if other != column)
    }


def says(cell: str, words: Sequence[Token]) -> bool:
    """Whether a cell says something, as a whole or as one of several things, that all of these words are."""
    parts = [cell, *_SEVERAL.split(cell)] if len(telling(cell)) <= 2 * _KIND_WORDS else []
    return any(len(_words_of(part, words)) == len({word.text for word in words}) for part in parts)


def _words_of(thing: str, said: Sequence[Token]) -> set[str]:
    """The words that say what a cell, or a part of it, says as a whole; none where they do not, or it denies it."""
    own = telling(thing) if not denies(folded(thing)) else []
    if not 0 < len(own) <= _KIND_WORDS or not all(token.within(said) for token in own):
        return set()
    return {token.text for token in said if token.within(own)}


def same_unit(word: str, name: str) -> bool:
    """Whether the name of a column has the unit that a word is too: "kilo" of "Price per kg", "minutes" of "(min)"."""
    unit = unit_names().get(word.casefold())
    return unit is not None and unit in {unit_names().get(one) for one in plain_words(name.casefold())}


def _worded(thing: str, rest: str) -> list[str]:
    """The words of a cell that a question has as they are, be they of grammar: "all day"."""
    own, said = ([token.text for token in tokens(text)] for text in (thing, rest))
    return own if own and f" {' '.join(own)} " in f" {' '.join(said)} " else []


def is_asked_for(said: Sequence[Token], at: int, question: str) -> bool:
    """Whether a word is the noun that says what is asked for, be it the first, or a number."""
    one = said[at]
    before = said[at - 1].text if at else ""
    if before == "que" and at > 1 and said[at - 2].text not in (*_RESTRICTING, "y"):
        before = ""  # "el más caro que tenéis"
    articled = before in ARTICLES
    told = {token.text for token in tokens(superlative(question))}
    behind = said[at + 1].text if at + 1 < len(said) else ""
    beside = before in told or (articled and behind in told and behind in ("mas", "menos"))
    begins = not at and behind in _RESTRICTING  # "steps for ..."
    return begins or bool(one.count) or one.text.isdigit() or before in _BEFORE_NOUN or beside


def says_what(said: Sequence[Token], at: int, question: str) -> bool:
    """Whether a word says what is asked for, or what it has to be."""
    return is_asked_for(said, at, question) or restricts(said, at)


def restricts(said: Sequence[Token], at: int) -> bool:
    """Whether a word says what a row has to be: "for children", "de la alcaldesa"."""
    place = at - 1
    while place >= 0 and said[place].text in ARTICLES:
        place -= 1
    return place >= 0 and said[place].text in _RESTRICTING
