"""What is not done yet: the rows that are open, unpaid or late, and the money that is owed.

Contexts call such a state by other words than questions do. So the state is looked for among all that a context says of
its rows and amounts, and everything else that a question names has to be named by the context too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.asking.synonyms import (
    late,
    opposite,
    opposite_stems,
    owes,
    same,
    stem_of,
    subjects_in,
    unfinished,
)
from engine.generation.extractive.account_figures.candidates.choosing import Choice, chosen
from engine.generation.extractive.account_figures.candidates.fact import Table
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.candidates.pairing import amount, is_priced, total
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.ranking.forms import HOW_MANY, HOW_MUCH, PLAIN, WHO
from engine.generation.extractive.account_figures.ranking.matching import Matcher
from engine.text.dates import fold

#: The weight of a word from which it has to be said by what answers, and how surely that says it.
_WEIGHT, _SAID = 0.35, 0.5
#: The probability from which a question asks for what no figure tells, and the same of one that asks whether.
_OTHER, _HARDLY_OTHER = 0.3, 0.5
#: What money is owed for, by the names of lists.
_BILLS = "invoices payment debt"


def open_items(question: Question, matcher: Matcher, reading: Reading) -> list[Candidate]:
    """The rows or amounts that are not done yet, where the question asks for these; several where each may be meant.

    Empty where it does not ask for them, or says more than the context has.
    """
    folded = fold(question.text)
    asks = unfinished(question.text) or late(question.text)
    least = _HARDLY_OTHER if PLAIN.match(folded) else _OTHER
    if not asks or question.chances.get("other", 0.0) >= least or HOW_MANY.match(folded):
        return []
    tables = [(t, c) for t in reading.tables if (c := _in_state(question, matcher, t)) is not None]
    if HOW_MUCH.match(folded):
        return _distinct([one for one in _owed(question, reading, tables) if _covers(matcher, one)])
    if not PLAIN.match(folded) and not WHO.match(folded):
        return []
    lists = [
        Candidate("list", (), None, t.name or t.key, rows=tuple(t.rows[p] for p in c.places), table=t, choice=c)
        for t, c in tables
    ]
    covered = [one for one in lists if _covers(matcher, one)]
    return covered or [replace(one, loose=True) for one in lists if len(lists) == 1]


def _in_state(question: Question, matcher: Matcher, table: Table) -> Choice | None:
    """The rows of a table that are in the state that the question asks for."""
    choice = None if table.family else chosen(question, matcher, table)
    return choice if choice is not None and (choice.state or choice.held) and choice.places else None


def _owed(question: Question, reading: Reading, tables: list[tuple[Table, Choice]]) -> Iterator[Candidate]:
    """The amounts of money that are owed: each that says so, or stands beside what says so, and those of open bills."""
    states = {fact.parent for fact in reading.facts if fact.parent and _says(fact.value)}
    priced_facts = [fact for fact in reading.facts if is_priced(fact, 0)]
    sentences = Counter(figure.sentence for fact in priced_facts for figure in fact.figures if figure is not None)
    for fact in priced_facts:
        sentence = fact.figures[0].sentence if fact.figures[0] is not None else ""
        told = sentences[sentence] == 1 and unfinished(sentence)
        if fact.parent in states or (not fact.previous and (told or _is_due(fact.label))):
            yield Candidate("value", (fact,), fact.value, fact.label)  # type: ignore[arg-type]
    for table, choice in tables:
        priced = [column for column in table.columns if all(is_priced(column, place) for place in choice.places)]
        amounts = [a for column in priced for place in choice.places if (a := amount(column.figures[place]))]
        bills = subjects_in(f"{table.name} {table.key}") & subjects_in(_BILLS) or any(map(_is_unpaid, choice.names))
        if len(priced) == 1 and choice.state and (bills or not owes(question.text)) and amounts:
            rows = tuple(table.rows[place] for place in choice.places)
            parts = tuple((row.name, one) for row, one in zip(rows, amounts, strict=True))
            operation = "sum" if len(rows) > 1 else "value"
            yield Candidate(operation, (priced[0],), total(amounts), priced[0].label, parts, rows, table, choice)


def _distinct(found: list[Candidate]) -> list[Candidate]:
    """The candidates, one of those that come to the same amount: one is a summary of the other."""
    return list({getattr(one.value, "value", None): one for one in reversed(found)}.values())[::-1]


def may_be_owed(one: Candidate) -> bool:
    """Whether what a candidate says may be money that is owed: no price or fee is, unless it says so."""
    names = " ".join(name for fact in one.facts for name in (fact.label, fact.parent, fact.table))
    return _is_due(names) or bool(subjects_in(names) & subjects_in(f"{_BILLS} balance"))


def _says(value: object) -> bool:
    return isinstance(value, str) and unfinished(value)


def _is_due(label: str) -> bool:
    """Whether the name of an amount says that it is owed."""
    return unfinished(label) or bool(subjects_in(label) & subjects_in("due"))


def _is_unpaid(state: str) -> bool:
    return any(same(stem_of(state), known) for known in opposite_stems("paid")[1])


def _covers(matcher: Matcher, one: Candidate) -> bool:
    """Whether a candidate says all that the question names beside the state."""
    facts = [*one.facts, *(one.table.columns if one.table is not None else ())]
    names = [name for fact in facts for name in (fact.label, fact.parent)]
    names += [one.table.name, one.table.key] if one.table is not None else []
    names += [text for row in one.rows for text in (row.name, *row.told.values())]
    said = matcher.meaning(*filter(None, names))
    asked = [unfinished(word.text) or late(word.text) or bool(opposite(word.text)[0]) for word in matcher.words]
    return all(
        word.weight < _WEIGHT or by >= _SAID or state
        for word, by, state in zip(matcher.words, said, asked, strict=True)
    )
