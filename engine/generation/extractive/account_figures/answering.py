"""Questions about an account, answered from what the request says of it, without a model.

Nothing is read out that was not asked for. Where the data does not have what is asked for, that is said by name; where
two figures may be meant, none is given.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from classifier.decision import Embedder
from engine.generation.extractive.account_figures import phrases
from engine.generation.extractive.account_figures.composing import Account, feasible, of_entry, rows_asked, said
from engine.generation.extractive.account_figures.figure import Amount, Day
from engine.generation.extractive.account_figures.insight import account_insight, told_insight
from engine.generation.extractive.account_figures.measures import USAGE, Measure, measures_of, stems_of
from engine.generation.extractive.account_figures.questions import Operations, Question
from engine.generation.extractive.account_figures.reading import read_figures
from engine.generation.extractive.account_figures.selection import Selection, subjects_in
from engine.text.dates import fold, written_date
from engine.text.language import Language
from engine.text.words import COMMON

#: Names that are listed when what is asked for is not there.
_NAMES = 8
#: An operation that leads by less is given up for the next one that the data allows.
_WEAK = 1.6
#: What the form of a question counts for a measure, in standard deviations.
_FORM = 1.2
_HOW_MANY = re.compile(r"\W*(?:and |y )?(?:how (?:many|much)|cuant[oa]s?)\b")
_PRICE = re.compile(
    r"\bhow much (?:is|are|was|were|does|do|did)\b|\b(?:cost|price|pay|cuesta|cuestan|vale|precio|pago)\b"
)
_WHO = re.compile(r"\W*(?:and |y )?(?:who|whose|quien|de quien)\b")
#: Subjects that answer "who".
_PEOPLE = "owner administrator users members employees"
_WHEN = re.compile(r"\W*(?:and |y )?(?:until |hasta |desde |since )?(?:when|cuando)\b")
_WHICH = re.compile(r"\W*(?:and |y )?(?:which|who|whose|what(?! is| are|s\b)|que|quien|como|where|donde)\b")
_OVER_ALL = ("highest", "lowest", "average", "compare", "list")
_NUMBERS = ("left", "limit", "percent", "over", "compare", "sum", "average", "highest", "lowest")


class AccountFigures:
    """Answers questions from the figures that a request brings along. Blocks: call it in a worker thread.

    Args:
        embedder: Reads questions and the names of figures.
        today: What "yesterday" is counted from.
    """

    def __init__(self, embedder: Embedder, today: Callable[[], date] = date.today) -> None:
        self._operations = Operations(embedder)
        self._selection = Selection(self._operations, embedder)
        self._today = today

    def answer(self, query: str, *contexts: str, before: Sequence[str] = (), language: Language | None = None) -> str:
        """The answer to `query`; empty where neither the contexts nor the query state a figure.

        Args:
            before: Earlier questions, latest last: what a question that names nothing goes on from.
            language: Of the answer; None: that of `query`.
        """
        measures = measures_of([figure for context in contexts for figure in read_figures(context)])
        if not measures:
            return told_insight(query)
        question = self._operations.read(query, self._today())
        question = replace(question, language=language or question.language)
        if not question.words and before and (earlier := self._operations.read(before[-1], self._today())).words:
            question = replace(question, text=f"{query} {before[-1]}", words=earlier.words)
        account = Account(tuple(measures))
        return self._answered(question, account)

    def _answered(self, question: Question, account: Account) -> str:
        operations = _likely(question)
        if operations[0] == "insight":
            return account_insight(question, account)
        candidates = _candidates(question, operations, account)
        given = all(measure.rows and rows_asked(question, measure) for measure in candidates)
        selected = self._selection.choose(question, candidates, lambda measure: _fits(question, measure), given=given)
        if selected.measure is None:
            return _missing(question, account)
        rivals = [selected.measure, *selected.rivals]
        if len(rivals) > 1 and len(operations) == 1:  # what cannot answer is not what is meant
            rivals = [measure for measure in rivals if feasible(operations[0], measure, account)] or rivals
        if len(rivals) > 1:
            return _unsure(question, rivals)
        return _on(question, operations, rivals[0], account) or _missing(question, account)


def _likely(question: Question) -> list[str]:
    """The operations that the question may mean: one where it is clear, else those that are as likely, a value last."""
    if question.margin >= _WEAK:
        return [question.operation]
    first = question.operations[: 3 if question.margin < _WEAK / 2 else 2]
    return list(dict.fromkeys([*first, "value"]))


def _candidates(question: Question, operations: Sequence[str], account: Account) -> list[Measure]:
    """The measures that the question may be about: of the kind that it asks for, and able where it names none."""
    every = [m for m in account.measures if "limit" in operations or m.label != USAGE or len(m.entries) > 1]
    every = every or list(account.measures)
    kinds = [m for m in every if _is_of(_kind(question, operations), m)] or every
    if listed := [m for m in kinds if m.rows and question.day is None and rows_asked(question, m)]:
        return listed
    if _PRICE.search(fold(question.text)) and (priced := [m for m in kinds if _is_price(m) and _named(question, m)]):
        return priced
    if _asks_before(question):
        kinds = [
            m for m in kinds if any(e.period.which == "previous" for e in m.entries) and _named(question, m)
        ] or kinds
    if any(_named(question, measure) for measure in kinds) or question.words:
        return kinds
    return [m for m in kinds if any(feasible(operation, m, account) for operation in operations[:1])] or kinds


def _kind(question: Question, operations: Sequence[str]) -> tuple[type, ...]:
    """The kinds of value that answer the question."""
    if operations[0] == "date" and (len(operations) == 1 or _WHEN.match(fold(question.text))):
        return (Day,)
    if (operations[0] in _NUMBERS and len(operations) == 1) or _HOW_MANY.match(fold(question.text)):
        return (Amount,)
    if operations == ["flag"]:
        return (bool, str)
    return (Amount, bool, str, *((Day,) if "date" in operations else ()))


def _is_price(measure: Measure) -> bool:
    value = measure.entries[0].figure.value
    return isinstance(value, Amount) and value.is_money


def _is_of(kinds: tuple[type, ...], measure: Measure) -> bool:
    values = [entry.figure.value for entry in measure.entries]
    return any(value is None or isinstance(value, kinds) for value in values)


def _fits(question: Question, measure: Measure) -> float:
    """What the form of a question speaks for a measure: prices for "how much is", names for "which"."""
    value, folded = measure.entries[0].figure.value, fold(question.text)
    if _PRICE.search(folded) and isinstance(value, Amount):
        return _FORM if _is_price(measure) else 0.0
    if _WHO.match(folded) and subjects_in(measure.label) & subjects_in(_PEOPLE):
        return _FORM
    if _WHICH.match(folded):
        return _FORM if isinstance(value, str) and not measure.rows else 0.0
    return 0.0


def _named(question: Question, measure: Measure) -> bool:
    return bool(stems_of(question.text) & measure.stems or subjects_in(question.text) & subjects_in(measure.label))


def _on(question: Question, operations: Sequence[str], measure: Measure, account: Account) -> str:
    """The answer from one measure; empty where it has none to that question."""
    language, operation = question.language, operations[0]
    if all(entry.figure.value is None for entry in measure.entries):
        return phrases.EMPTY[language].format(label=measure.label)
    if measure.rows and operation not in _OVER_ALL:
        rows = rows_asked(question, measure)
        if len(rows) == 1:
            return of_entry(rows[0], measure, language)
        if not rows and _names_a_row(question, operation, measure):
            return phrases.NOT_WHEN[language].format(label=measure.label, when=_when(question, measure))
        operations = [*operations, "sum"] if operation != "value" else ["sum", "value"]
    if (
        _asks_before(question)
        and operation not in _OVER_ALL
        and not any(e.period.which == "previous" for e in measure.entries)
    ):
        return phrases.NOT_WHEN[language].format(label=measure.label, when=_when(question, measure))
    also = ("limit",) if operation == "sum" else ()  # "how many in total" of what has no rows
    able = next((one for one in (*operations, *also) if feasible(one, measure, account)), None)
    if able is None:
        needed = phrases.NEEDED[language].get(operation, phrases.THAT[language])
        return phrases.NOT_KNOWN[language].format(label=measure.label, needed=needed)
    return said(question, able, measure, account)


def _asks_before(question: Question) -> bool:
    return question.period is not None and question.period.which == "previous"


def _names_a_row(question: Question, operation: str, measure: Measure) -> bool:
    """Whether a question names a row that is not there: a day, a month, or a name."""
    if question.day is not None or (question.period is not None and question.period.month):
        return True
    words = re.findall(r"[^\W\d_]+", question.text)
    for one, following in itertools.pairwise(words if operation == "value" else ()):  # "project X" that no row is
        if _says(measure, one) and not _says(measure, following) and stems_of(following) & question.words:
            return True
    capital = re.findall(r"(?<=[a-záéíóúñ,] )[A-ZÁÉÍÓÚÑ][\w-]+|[\"“«][^\"”»]+", question.text)
    return any(not (stems_of(name) & measure.stems) for name in capital)


def _says(measure: Measure, word: str) -> bool:
    return bool(stems_of(word) & measure.stems or subjects_in(word) & subjects_in(measure.label))


def _when(question: Question, measure: Measure) -> str:
    if question.day is not None:
        return written_date(question.day.day, question.language) if question.day.whole else _day_text(question)
    known = measure.stems
    words = [
        w for w in re.findall(r"[^\W\d_][\w-]*", question.text) if not stems_of(w) & known and fold(w) not in COMMON
    ]
    return " ".join(words[-2:]) or phrases.THAT[question.language]


def _day_text(question: Question) -> str:
    from babel.dates import format_skeleton

    day = question.day.day if question.day is not None else date.today()  # noqa: DTZ011  # the caller has a day
    return str(format_skeleton("MMMMd", day, locale=str(question.language)))


def _unsure(question: Question, measures: Sequence[Measure]) -> str:
    names = phrases.OR[question.language].join(measure.label for measure in measures[:3])
    return phrases.UNSURE[question.language].format(names=names)


def _missing(question: Question, account: Account) -> str:
    asked = [w for w in re.findall(r"[^\W_]+(?:-[^\W_]+)*", question.text) if stems_of(w) & question.words]
    what = " ".join(dict.fromkeys(asked)) or phrases.THAT[question.language]
    names = ", ".join(dict.fromkeys(measure.label for measure in account.measures[:_NAMES]))
    return phrases.MISSING[question.language].format(what=what, names=names)
