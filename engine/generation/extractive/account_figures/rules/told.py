"""What rules say to a question: which measure it is about, what it asks of it, and what is missing for that.

What they say speaks for the candidate that says the same (`ranking`); the names of what is missing are theirs.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from classifier.embedder import Embedder
from engine.generation.extractive.account_figures import phrases
from engine.generation.extractive.account_figures.asking.questions import COUNTING, Operations, Question
from engine.generation.extractive.account_figures.asking.synonyms import opposite, uncovered
from engine.generation.extractive.account_figures.composing import (
    Account,
    counted,
    day_and_month,
    each,
    feasible,
    labelled,
    month_name,
    rest_of,
    row_name,
    said,
    with_figures,
)
from engine.generation.extractive.account_figures.figure import Amount, Day, is_price
from engine.generation.extractive.account_figures.insight import account_insight
from engine.generation.extractive.account_figures.measures import LEFT, LIMIT, USED, Measure
from engine.generation.extractive.account_figures.rules.possible import (
    COSTS,
    asks_price,
    candidates,
    counts,
    in_time,
    is_priced,
    named,
    names_time,
    narrowed_in,
    told_by,
    words_of,
)
from engine.generation.extractive.account_figures.rules.rows import Narrowed
from engine.generation.extractive.account_figures.rules.selection import Selection
from engine.generation.extractive.account_figures.vocabulary import (
    narrowing,
    period_in,
    period_words,
    roles,
    stems_of,
    vocabulary,
)
from engine.text.dates import fold, written_date
from engine.text.formats import sentences_asked
from engine.text.language import Language
from engine.text.words import has_digit, letter_words

#: "How many do I have": a limit answers that.
_OWNS = re.compile(r"\b(?:(?:do|did) (?:i|we|you) (?:have|start|get)|are there|tengo|tenemos|hay|incluye|tiene)\b")
#: Operations that the name of a single figure may tell: "peak per hour", "average wait".
_SUPERLATIVES = ("average", "highest", "lowest")
#: Names that are listed when what is asked for is not there.
_NAMES = 8
#: Words by which what is missing is called at most; more of them are no name, but most of the question.
_WORDS = 3
#: An operation that is less likely is given up for the next one that the data allows, down to the second probability.
_SURE, _POSSIBLE = 0.8, 0.08
#: The probability from which an operation that is about a limit is clear.
_CLEAR = 0.5
#: Operations that are about a limit: what is used says nothing to them.
_OF_LIMITS = ("left", "limit", "percent", "over", "enough")


@dataclass(frozen=True, slots=True)
class Told:
    """What the rules say to a question.

    Attributes:
        sure: It is an answer; otherwise it says what is missing, or which figures may be meant.
        untimed: What is missing is a figure of the time that is asked for.
        empty: The context has what is asked for, without a value.
        missing: What the context has no figure of, where that is what it says.
        names: All that it has figures of, then.
    """

    text: str = ""
    sure: bool = False
    untimed: bool = False
    empty: bool = False
    missing: str = ""
    names: tuple[str, ...] = ()

    def naming(self, nearest: Sequence[str], language: Language) -> str:
        """The text, with the names of what there is in the order in which `nearest`, labels of facts, have them."""
        if not self.missing:
            return self.text
        labels = [frozenset(label.casefold().split()) for label in dict.fromkeys(nearest)]

        def place(name: str) -> int:
            words = frozenset(name.casefold().split())
            return next((at for at, label in enumerate(labels) if words <= label), len(labels))

        names = ", ".join(sorted(self.names, key=place)[:_NAMES])
        return phrases.MISSING[language].format(what=self.missing, names=names)


class Rules:
    """Says what rules make of questions. Blocks while it encodes.

    Args:
        operations: Its examples are what a name's mean is taken over.
        embedder: Reads the names of measures.
    """

    def __init__(self, operations: Operations, embedder: Embedder) -> None:
        self._selection = Selection(operations, embedder)

    def told(self, question: Question, account: Account) -> Told:
        """The answer by rules, or what is missing."""
        operations = _likely(question)
        counting = COUNTING.match(fold(question.text)) is not None
        if question.operation == "other" and not counting and not sentences_asked(question.text):
            return missing(question, account)
        if operations[0] == "insight" or sentences_asked(question.text):
            topic = narrowing(question.topic.split())
            if (not topic and not names_time(question)) or sentences_asked(question.text):
                return Told(account_insight(question, account), sure=True)
            operations = list(dict.fromkeys(["percent", *operations[1:], *list(question.chances)[1:3], "value"]))
        rivals = self._meant(question, operations, account)
        if not rivals:
            return missing(question, account)
        if len(rivals) > 1 and not all(m.rows and counts(question, m.rows) for m in rivals):
            return _unsure(question, rivals)
        return _on(question, operations, rivals[0], account)

    def _meant(self, question: Question, operations: Sequence[str], account: Account) -> list[Measure]:
        """The measures that may as well be meant, the likeliest first; empty where the account has none."""
        among = candidates(question, operations, account)
        if not among:
            return []
        given = all(narrowed_in(question, measure, account).by for measure in among)
        selected = self._selection.choose(
            question, among, also=lambda measure: told_by(question, measure, account), given=given
        )
        if selected.measure is None:
            return []
        rivals = [selected.measure, *selected.rivals]
        if len(rivals) > 1:  # what cannot answer is not what is meant, a part is not the whole, a count no price
            rivals = [measure for measure in rivals if feasible(operations[0], measure, account)] or rivals
            rivals = [m for m in rivals if not narrowing(uncovered(m.label, question.text))] or rivals
            rivals = [m for m in rivals if is_priced(m) is asks_price(question)] or rivals
        return rivals


def _likely(question: Question) -> list[str]:
    """The operations that the question may mean: one where it is clear, else those that are as likely, a value last."""
    likely = [name for name, chance in question.chances.items() if chance >= _POSSIBLE]
    told = {roles().get(word) for word in letter_words(fold(question.text))}
    if likely[0] == LIMIT and LIMIT not in told:  # what is there, not what may be
        return [*(name for name in dict.fromkeys([*likely, "value"]) if name != LIMIT), LIMIT]
    if question.chances[question.operation] >= _SURE:
        return likely[:1]
    clear = question.operation in _OF_LIMITS and question.chances[question.operation] >= _CLEAR
    return likely if clear else list(dict.fromkeys([*likely, "value"]))


def _on(question: Question, operations: Sequence[str], measure: Measure, account: Account) -> Told:
    """The answer from one measure, or what it lacks for that."""
    language = question.language
    if all(entry.figure.value is None for entry in measure.entries):
        return Told(phrases.EMPTY[language].format(label=measure.label), empty=True)
    narrow = narrowed_in(question, measure, account)
    needed = operations[0] == "enough" and named(question.text, measure)  # what it is needed for may be anything
    unsaid = [] if needed else _unsaid(question, measure, narrow, account)
    timed = names_time(question) and operations[0] != "compare" and not _is_month(question, measure)
    if timed and not in_time(question, measure, account):
        return _not_when(question, measure)
    if unsaid:
        return _without(question, unsaid, measure, account) or missing(question, account, unsaid)
    several = len(question.months) > 1  # one month is not what several come to
    if operations[0] in ("value", "sum") and not measure.rows and (several or _is_part(question, measure)):
        return missing(question, account)
    if measure.rows and not narrow.by and _names_a_row(question, operations[0], measure):
        return _not_when(question, measure)
    text, sure = calculated(question, operations, measure, narrow, account)
    return Told(text, sure) if text else missing(question, account)


def _unsaid(question: Question, measure: Measure, narrow: Narrowed, account: Account) -> list[str]:
    """The words of a question that tell one thing from another, and that its measure does not say."""
    told = (words_of(measure), narrow.names, *dict.fromkeys(entry.figure.sentence for entry in measure.entries))
    if any(isinstance(entry.figure.value, Day) for entry in measure.entries):  # "the membership" expires
        told = (*told, *(m.label for m in account.measures if isinstance(m.entries[0].figure.value, str)))
    unsaid = narrowing(uncovered(question.topic, *told, within=question.text))
    first = measure.entries[0].figure
    if (price := COSTS.search(fold(question.text))) and isinstance(first.value, Amount) and not is_priced(measure):
        return unsaid if is_price(first) else [*unsaid, price[0]]
    if not unsaid or not _whole(question, measure):
        return unsaid
    partly = " ".join(m.label for m in account.measures if not _whole(question, m))  # "emails" of "emails sent"
    states = [word for word in unsaid if opposite(word)[0] or fold(word) in vocabulary()["late"]]
    return list(dict.fromkeys([*states, *uncovered(" ".join(unsaid), partly, within=question.text)]))


def _whole(question: Question, measure: Measure) -> bool:
    """Whether the question says all of the measure's name."""
    return not uncovered(measure.label, question.text)


def _is_month(question: Question, measure: Measure) -> bool:
    """Whether a figure is called by the month that is asked for alone: `"usage": {"may": 12}`."""
    period = question.period
    return period is not None and bool(period.month) and period_in(measure.label) == period


def _not_when(question: Question, measure: Measure) -> Told:
    said = phrases.NOT_WHEN[question.language].format(label=measure.called, when=_when(question, measure))
    return Told(said, untimed=True)


def lacking(question: Question, name: str) -> Told:
    """That there is nothing of this name of the period, or the whole, that the question asks for."""
    language = question.language
    if question.period_alone is not None:
        when = period_words(question.own) or question.own.strip(" ?¿")
        return Told(phrases.NOT_WHEN[language].format(label=name, when=when), untimed=True)
    return Told(phrases.NOT_KNOWN[language].format(label=name, needed=phrases.NEEDED[language]["percent"]))


def _without(question: Question, unsaid: Sequence[str], measure: Measure, account: Account) -> Told | None:
    """The part that is in that state by another word, or a total without its other part: not inactive is active."""
    others = [m for m in account.measures if m is not measure and measure.stems <= m.stems]
    for word in unsaid:
        same, against = opposite(word)
        alike = [m for m in others if len(uncovered(" ".join(same), m.label)) < len(same)]
        if len(alike) == 1:
            return Told(said(question, "value", alike[0], account), sure=True)
        parts = [m for m in others if len(uncovered(" ".join(against), m.label)) < len(against)]
        if len(parts) == 1 and (text := rest_of(measure, parts[0], word, question.language)):
            return Told(text, sure=True)
    return None


def _is_part(question: Question, measure: Measure) -> bool:
    """Whether a measure counts those of a thing in one state, and the question is about all: "cancelled orders"."""
    return any(opposite(word)[1] for word in narrowing(uncovered(measure.label, question.text)))


def _names_a_row(question: Question, operation: str, measure: Measure) -> bool:
    """Whether a question names a row that is not there."""
    numbered = re.findall(r"(?<![\w.,/-])(?=\w*\d)[\w-]+(?![\w.,/])", question.text)
    rows = " ".join(fold(entry.figure.row) for entry in measure.entries)
    if question.day is None and has_digit(rows) and any(fold(name) not in rows for name in numbered):
        return True
    words = letter_words(question.text)
    for one, following in itertools.pairwise(words if operation == "value" else ()):  # "project X" that no row is
        if (
            named(one, measure)
            and not named(following, measure)
            and stems_of(following) & question.words
            and narrowing([following])
        ):
            return True
    capital = re.findall(r"(?<=[a-záéíóúñ,] )[A-ZÁÉÍÓÚÑ][\w-]+|[\"“«][^\"”»]+", question.text)
    return any(not (stems_of(name) & measure.stems) for name in capital)


def _when(question: Question, measure: Measure) -> str:
    """The day, month, period or name that a question asks for, as it is said."""
    if question.day_said:
        return question.day_said
    if question.day is not None:
        return (
            written_date(question.day.day, question.language)
            if question.day.whole
            else day_and_month(question.day.day, question.language)
        )
    if question.period is not None and question.period.month:
        return month_name(question.period.month, question.language)
    if named := period_words(question.text):
        return named
    open_words = uncovered(question.topic, measure.label, within=question.text)
    return " ".join(open_words[-2:]) or phrases.THAT[question.language]


def _unsure(question: Question, measures: Sequence[Measure]) -> Told:
    names = phrases.OR[question.language].join(with_figures(measure, question.language) for measure in measures[:3])
    return Told(phrases.UNSURE[question.language].format(names=names))


def missing(question: Question, account: Account, unsaid: Sequence[str] = ()) -> Told:
    """That there is no figure of the words of the question that are `unsaid`, or of all, with names that there are."""
    words = re.findall(r"[^\W_]+(?:-[^\W_]+)*", question.text)
    asked = list(dict.fromkeys(unsaid or [word for word in words if stems_of(word) & question.words]))
    what = " ".join(asked) if 0 < len(asked) <= _WORDS else phrases.THAT[question.language]
    names = tuple(dict.fromkeys(filter(None, (measure.called for measure in account.measures))))
    told = Told(missing=what, names=names)
    return replace(told, text=told.naming((), question.language))


def calculated(
    question: Question, operations: Sequence[str], measure: Measure, narrow: Narrowed, account: Account
) -> tuple[str, bool]:
    """The answer of the likeliest operation that the context says enough for, and whether there is one.

    Empty where it is read out and the rows that have it are not named.
    """
    language, operation, label = question.language, operations[0], measure.label
    rows = list(narrow.rows) if narrow.by else measure.rows
    if rows and counts(question, rows):
        return counted(rows, language), True
    if operation == "flag" and narrow.called and rows[0].figure.listed and not isinstance(rows[0].figure.value, bool):
        names = ", ".join(dict.fromkeys(row_name(row, language) for row in rows))  # that there are is told by which
        listed = phrases.VALUE[language].format(label=labelled(rows[0].figure.listed[-1]), value=names)
        return f"{phrases.ANY[language][0]}: {listed}", True
    if narrow.by and len(rows) == 1:
        measure = measure.of_row(rows[0], row_name(rows[0], language))
        operations = [*operations, "value"]
    elif rows:
        measure = replace(measure, entries=tuple(rows)) if narrow.by else measure
        if narrow.called and len({row.figure.row for row in rows}) == 1:  # one row in several months
            measure = replace(measure, label=f"{measure.label}, {rows[0].figure.row}")
        operations = _over_rows(operations, measure, narrow)
    if operation in _SUPERLATIVES and _is_told(operation, measure):
        operations = [*operations[1:], "value"]
    operations = ["left" if one == "enough" else one for one in operations]
    also = ("limit",) if operation == "sum" else ()  # "how many in total" of what has no rows
    able = next((one for one in (*operations, *also) if _able(question, one, measure, account)), None)
    if able is None:
        needed = phrases.NEEDED[language].get(operation, phrases.THAT[language])
        return phrases.NOT_KNOWN[language].format(label=measure.called, needed=needed), False
    text = said(question, able, measure, account)
    if not text and narrow.by:  # what several rows say is no value, and is said of each
        return each(measure.rows, label, language), True
    return text, True


def _over_rows(operations: Sequence[str], measure: Measure, narrow: Narrowed) -> list[str]:
    """The operations as they are done on several rows: a value is their sum, where no figure stands beside them."""
    plain = not narrow.by and any(not e.figure.row and e.role in ("", USED) for e in measure.entries)
    if plain:
        return ["value"] if operations[0] == "sum" else list(operations)
    return ["sum" if one == "value" else one for one in operations]


def _is_told(operation: str, measure: Measure) -> bool:
    """Whether the name of a measure says that it is an average or a peak itself."""
    words = {fold(word) for word in measure.label.split()}
    return bool(words & set(vocabulary()["superlatives"][operation]))


def _able(question: Question, operation: str, measure: Measure, account: Account) -> bool:
    """Whether that can be said of the measure; a limit is not what was used of it."""
    told = {entry.role for entry in measure.entries}
    if operation == "value" and told in ({LIMIT}, {LEFT}):
        asked = {roles().get(word) for word in letter_words(fold(question.text))}
        return (LEFT in told or _OWNS.search(fold(question.text)) is not None) and USED not in asked
    return feasible(operation, measure, account)
