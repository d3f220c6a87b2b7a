"""What the words of a question say of one table: that it is this one, which column, which kind of its rows."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from engine.generation.extractive.row_arithmetic.rows import Row, called_so
from engine.generation.extractive.row_arithmetic.wording import column_stems, read, telling, tokens
from engine.text.words import is_common, stem

#: Words of the longest cell that says of what kind a row is.
_KIND_WORDS = 3
#: Letters of a word that is a part of another one, with as many but one behind it.
_COMPOUND = 4


def is_accounted(rest: str, every: Sequence[Row], column: str = "", unit: str = "", *, told: bool = False) -> bool:
    """Whether the other words of a question say nothing but which table it is, and how it asks.

    Args:
        column: What a bound is for, whose words are accounted for; with the word behind its number.
        told: Some word has told the table already.
    """
    called = tokens(called_so(every))  # "which route" does not name the "Mill route"
    words = (word for word in re.findall(r"[^\W_]+", rest) if not tokens(word)[0].within(called))
    asked = read(" ".join(words), every)
    named = column_stems(column) | ({stem(unit)} if unit else set())
    left = {stem(word) for word in asked.left if not tells(word, every)} - named
    told = told or bool(asked.columns) or tells(rest, every)
    return told and not left and not any(asked.sides) and not asked.comparing


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

    A kind is what whole cells of a column say, or what several rows are called. All rows where none is named.

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
    found: dict[str, tuple[list[Row], set[str]]] = {}
    for column in every[0].columns:
        rows: list[Row] = []
        words: set[str] = set()
        for row in every:
            cell = telling(row.of(column)) if not states(row, column) else []
            if 0 < len(cell) <= _KIND_WORDS and all(token.within(said) for token in cell):
                rows.append(row)
                words |= {token.text for token in said if token.within(cell)}
            elif cell and column in asked and f" {_plain(row.of(column))} " in f" {_plain(rest)} ":
                rows.append(row)  # what the words of grammar say of a column that is named: "all day"
                words |= {token.text for token in tokens(row.of(column))}
        if rows and len(rows) < len(every):
            found[column] = rows, words
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
    left = " ".join(word for word in re.findall(r"[^\W_]+", rest) if tokens(word)[0].text not in every_word)
    return chosen, left, list(found)


def _plain(text: str) -> str:
    return " ".join(token.text for token in tokens(text))


def states(row: Row, column: str) -> bool:
    """Whether a row states one figure in a column, and nothing else."""
    return any(cell.column == column for cell in row.cells)
