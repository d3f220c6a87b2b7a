"""What the rows of a table come to, where the reading of account figures is sure: the most or least, a sum, a mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.domain import Relation
from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.vocabulary import light_words
from engine.generation.extractive.candidates import Candidate
from engine.generation.extractive.list_items import table_of
from engine.generation.port import Prompt
from engine.text.words import content, content_stems, folded, letter_words, stem

#: Passages whose tables are looked through.
_NEAREST = 3
#: The probability from which what a table says is told rather than the sentences of the document.
_SURE = 0.8
#: Operations over rows.
_TOGETHER = ("highest", "lowest", "average", "sum")
#: Lines of the shortest table of which a row is the most or the least: names, rule and two rows.
_LEAST_LINES = 4
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
#: How a figure was worked out: "(10 × 290 €)".
_MEAN = re.compile(r" (?:over|entre) \d+\)")
_WORKING = re.compile(r"\([^()]*\d[^()]*\)")


@dataclass(frozen=True, slots=True)
class RowsTogether:
    """Asks the tables of documents what their rows come to. Blocks: call it in a worker thread."""

    figures: AccountFigures

    def looked_up(self, prompt: Prompt, among: Sequence[Candidate]) -> Candidate | None:
        """What the rows of a table come to, which none of them says, where a question asks for that.

        It is a table of the nearest passages that has a word of the question.
        """
        near = [one for one in among if one.rank < _NEAREST and table_of(one.whole, one.heading)]
        asked = {prompt.query, prompt.question or prompt.query}  # "the third one" is a row
        if not near or not all(map(self.figures.asks_over_rows, asked)):
            return None
        told_of = [one for one in near if _is_told_of(prompt.question or prompt.query, one)]
        for row in {one.whole: one for one in told_of}.values():
            table = table_of(row.whole, row.heading)
            if len(table.splitlines()) < _LEAST_LINES:
                continue
            if (said := self._said(prompt, table, row.title)) and _states_a_cell(said, table):
                return replace(row, text=said)
        return None

    def _said(self, prompt: Prompt, table: str, title: str) -> str:
        follows = prompt.relation is Relation.CONTEXTUAL_FOLLOW_UP
        before = [exchange.query for exchange in prompt.history] if follows else []
        query = _without_title(prompt.query, title, table)
        found = self.figures.answered(query, table, before=before, language=prompt.spoken)
        together = found.of is not None and found.of.operation in _TOGETHER
        surely = together and found.sure and found.chance >= _SURE and not is_put_together(found.text, table)
        return _with_whole_column(found.text, table) if surely else ""


#: What stands between a question and the name of the document that it is asked of.
_OF_DOCUMENT = r"(?:\s+(?:in|at|of|for|from|en|de|del|para)(?:\s+(?:the|el|la|los|las))?)?"


def _without_title(question: str, title: str, table: str) -> str:
    """A question without the words by which it names the document, which no cell has: "the pools of Fernhill"."""
    own = {stem(folded(word)) for word in letter_words(title)} - content_stems(table)
    said = [word for word in dict.fromkeys(letter_words(question)) if stem(folded(word)) in own]
    for word in said:
        question = re.sub(rf"{_OF_DOCUMENT}\s*\b{re.escape(word)}\b", "", question)
    return question.strip()


def _with_whole_column(text: str, table: str) -> str:
    """A text that begins with a part of the name of one column with all of it: "Fee per hour, Hall: 20 €"."""
    label = re.split(r"[,:]", text, maxsplit=1)[0]
    columns = [cell.strip() for cell in table.partition("\n")[0].strip(" |").split("|")]
    longer = [one for one in columns if one.casefold().startswith(f"{label.casefold()} ")]
    whole = len(longer) == 1 and label.casefold() not in map(str.casefold, columns)
    return f"{longer[0]}{text[len(label) :]}" if whole else text


def _is_told_of(question: str, row: Candidate) -> bool:
    """Whether a table or its heading has one of the words that say what a question is about, where it has any."""
    asked = {stem(word) for word in content(question) if folded(word) not in light_words()}
    return not asked or bool(asked & content_stems(f"{row.heading} {row.whole}"))


def _states_a_cell(text: str, table: str) -> bool:
    """Whether a text states more of a table than names of its rows and columns."""
    behind_names = [
        cell.strip().casefold() for row in table.splitlines()[2:] for cell in row.strip(" |").split("|")[1:]
    ]
    return any(character.isdigit() for character in text) or any(
        cell and cell in text.casefold() for cell in behind_names
    )


def is_put_together(text: str, table: str) -> bool:
    """Whether a text states a figure that no cell has, made from two others: "1260 (6 × 210)", "less (32 against 290)".

    In an account two figures that are multiplied belong together. The rows and columns of a document do not, unless
    the question names them (`row_arithmetic`). A sum of a column, and its average, are of that column.
    """
    working = " ".join(one for one in _WORKING.findall(text) if one not in table)
    stated = {_value(number) for number in _NUMBER.findall(table)}
    made = [number for number in _NUMBER.findall(_WORKING.sub(" ", text)) if _value(number) not in stated]
    return bool(made and working) and " + " not in working and _MEAN.search(working) is None


def _value(number: str) -> str:
    """A number without the sign of its decimals and the zeros behind: 5,00 and 5 are one."""
    whole, point, rest = number.replace(",", ".").partition(".")
    return f"{whole}{point}{rest}".rstrip("0").rstrip(".") if point else whole
