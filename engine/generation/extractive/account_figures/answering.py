"""Questions about an account, answered from what the request says of it, without a model.

Nothing is read out that was not asked for. Where the data does not have what is asked for, that is said by name; where
two figures may be meant, both are named.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from classifier.decision import Embedder
from engine.generation.extractive.account_figures import phrases
from engine.generation.extractive.account_figures.asking.candidates import (
    COSTS,
    COUNTING,
    asks_price,
    candidates,
    counts,
    fits,
    in_time,
    is_priced,
    named,
    names_time,
    narrowed_in,
    told_by,
    words_of,
)
from engine.generation.extractive.account_figures.asking.questions import Operations, Question, about, topic_of
from engine.generation.extractive.account_figures.asking.selection import Selection
from engine.generation.extractive.account_figures.asking.synonyms import opposite, subjects_in, uncovered
from engine.generation.extractive.account_figures.asking.wording import in_words_of, respelt
from engine.generation.extractive.account_figures.calculated import calculated
from engine.generation.extractive.account_figures.composing import (
    Account,
    day_and_month,
    feasible,
    month_name,
    rest_of,
    said,
)
from engine.generation.extractive.account_figures.figure import Amount, Day, is_price
from engine.generation.extractive.account_figures.insight import account_insight, told_insight
from engine.generation.extractive.account_figures.measures import LIMIT, Measure, measures_of
from engine.generation.extractive.account_figures.pairs import together
from engine.generation.extractive.account_figures.ranking.weighing import Ranker, Reading, weighed
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.rows import Narrowed
from engine.generation.extractive.account_figures.vocabulary import narrowing, period_words, roles, stems_of
from engine.text.dates import fold, written_date
from engine.text.formats import sentences_asked
from engine.text.language import Language, language_of

#: Names that are listed when what is asked for is not there.
_NAMES = 8
#: An operation that is less likely is given up for the next one that the data allows, down to the second probability.
_SURE, _POSSIBLE = 0.8, 0.08
#: Probability from which a question that names nothing asks for something of what the one before it named.
_CARRIED = 0.5
#: Operations that are about a limit: what is used says nothing to them.
_OF_LIMITS = ("left", "limit", "percent", "over", "enough")


#: Where a second question begins: "and how much does it cost?", "y cuándo se renueva?".
_SECOND = re.compile(
    r"(?:,?\s+(?:and|n|y|e|&)\s+|[?;]\s+)(?=(?:for |at |on |de |a |por |en )?"
    r"(?:how|when|what|which|who|where|cu[aá]nt[oa]s?|cu[aá]ndo|qu[eé]|cu[aá]l(?:es)?|qui[eé]n|d[oó]nde|c[oó]mo)\b)",
    re.IGNORECASE,
)
#: Questions of a message that are answered.
_PARTS = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """What the figures of an account say to a question.

    Attributes:
        sure: It is what was asked for; otherwise it says what is missing, or which figures may be meant.
        carried: The question names nothing itself; it asks for something of what the one before it named.
        likely: It is not sure, and gives the figure that is probably meant.
    """

    text: str
    sure: bool = True
    carried: bool = False
    likely: bool = False


class AccountFigures:
    """Answers questions from the figures that a request brings along. Blocks: call it in a worker thread.

    Args:
        embedder: Reads questions and the names of figures.
        today: What "yesterday" is counted from.
    """

    def __init__(self, embedder: Embedder, today: Callable[[], date] = date.today) -> None:
        self._embedder = embedder
        self._operations = Operations(embedder)
        self._selection = Selection(self._operations, embedder)
        self._ranker = Ranker(self._operations, embedder)
        self._today = today

    def answer(self, query: str, *contexts: str, before: Sequence[str] = (), language: Language | None = None) -> str:
        """The answer to `query`; empty where neither the contexts nor the query state a figure.

        Args:
            before: Earlier questions, latest last: what a question that names nothing goes on from.
            language: Of the answer; None: that of `query`.
        """
        return self.answered(query, *contexts, before=before, language=language).text

    def answered(
        self, query: str, *contexts: str, before: Sequence[str] = (), language: Language | None = None
    ) -> Answer:
        """The same, with whether it is what was asked for."""
        figures = [figure for context in contexts for figure in read_figures(context)]
        measures = measures_of(figures)
        if not measures:
            return Answer(told_insight(query), sure=False)
        account, language, reading = Account.of(measures), language or language_of(query), Reading(figures, *contexts)
        found: list[Answer] = []
        earlier = next((one for one in reversed(before) if about(one)), "")
        for part in _SECOND.split(query)[:_PARTS]:
            found.append(self._part(part, earlier, account, language, reading))
            earlier = part
        found.sort(key=lambda one: not one.sure)
        text = " ".join(dict.fromkeys(one.text for one in found))
        sure, likely = all(one.sure for one in found), any(one.sure or one.likely for one in found)
        return Answer(text, sure, all(one.carried for one in found), not sure and likely)

    def _part(self, text: str, earlier: str, account: Account, language: Language, reading: Reading) -> Answer:
        """The answer to one question; what it does not name is taken from the one before it."""
        text = respelt(text)
        asked = question = replace(self._operations.read(text, self._today()), language=language)
        if not sentences_asked(text):  # a summary is of all that there is
            text = in_words_of(text, language, account, self._operations.heads, self._embedder)
        question = replace(question, text=text, words=about(text))
        before = self._operations.read(earlier, self._today()).words if earlier else frozenset()
        if before and not question.words:
            carried = question.chances[question.operation] >= _CARRIED and question.operation != "other"
            question = replace(question, text=f"{text} {topic_of(earlier, before)}", words=before)
            answer = self._weighed(question, self._answered(question, account), account, reading)
            return replace(answer, sure=answer.sure and carried, carried=carried)
        answer = self._weighed(asked, self._answered(question, account), account, reading)
        if answer.sure or not before or question.words == before:
            return answer
        both = self._answered(replace(question, text=f"{text} {earlier}", words=question.words | before), account)
        return both if both.sure else answer

    def _weighed(self, question: Question, answer: Answer, account: Account, reading: Reading) -> Answer:
        """An answer by rules held against the ranking of all that could be answered."""
        years = reading.strange_years(question.text, self._today().year)
        if answer.sure and years:
            return _missing(question, account, years)
        other = question.operation == "other" and question.chances["other"] >= _SURE
        overall = (answer.sure and question.operation == "insight") or sentences_asked(question.text)
        if years or overall or (other and COUNTING.match(fold(question.text)) is None):
            return answer
        told = weighed(question, answer.text if answer.sure else "", self._ranker.rank(question, reading))
        return answer if told is None else Answer(told.text, told.sure, likely=told.likely)

    def _answered(self, question: Question, account: Account) -> Answer:
        operations = _likely(question)
        counting = COUNTING.match(fold(question.text)) is not None
        if question.operation == "other" and not counting and not sentences_asked(question.text):
            return _missing(question, account)
        if operations[0] == "insight" or sentences_asked(question.text):
            topic = narrowing(question.topic.split())
            if (not topic and not names_time(question)) or sentences_asked(question.text):
                return Answer(account_insight(question, account))
            operations = list(dict.fromkeys(["percent", *operations[1:], *list(question.chances)[1:3], "value"]))
        rivals = self._meant(question, operations, account)
        if not rivals:
            return _missing(question, account)
        if len(rivals) > 1 and (text := together(question, operations[0], rivals)):
            return Answer(text)
        if len(rivals) > 1 and not all(m.rows and counts(question, m.rows) for m in rivals):
            return _unsure(question, rivals)
        return _on(question, operations, rivals[0], account)

    def _meant(self, question: Question, operations: Sequence[str], account: Account) -> list[Measure]:
        """The measures that may as well be meant, the likeliest first; empty where the account has none."""
        among = candidates(question, operations, account)
        given = all(narrowed_in(question, measure, account).by for measure in among)
        selected = self._selection.choose(
            question,
            among,
            lambda measure: fits(question, measure),
            also=lambda measure: told_by(question, measure, account),
            given=given,
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
    told = {roles().get(word) for word in re.findall(r"[^\W\d_]+", fold(question.text))}
    if likely[0] == LIMIT and LIMIT not in told:  # what is there, not what may be
        return [*(name for name in dict.fromkeys([*likely, "value"]) if name != LIMIT), LIMIT]
    if question.chances[question.operation] >= _SURE:
        return likely[:1]
    clear = question.operation in _OF_LIMITS and question.chances[question.operation] >= _CARRIED
    return likely if clear else list(dict.fromkeys([*likely, "value"]))


def _on(question: Question, operations: Sequence[str], measure: Measure, account: Account) -> Answer:
    """The answer from one measure, or what it lacks for that."""
    language = question.language
    if all(entry.figure.value is None for entry in measure.entries):
        return Answer(phrases.EMPTY[language].format(label=measure.label), sure=False)
    narrow = narrowed_in(question, measure, account)
    needed = operations[0] == "enough" and named(question, measure)  # what it is needed for may be anything
    unsaid = [] if needed else _unsaid(question, measure, narrow, account)
    if names_time(question) and operations[0] != "compare" and not in_time(question, measure, account):
        return _not_when(question, measure)
    if unsaid:
        return _without(question, unsaid, measure, account) or _missing(question, account, unsaid)
    if operations[0] in ("value", "sum") and not measure.rows and _is_part(question, measure):
        return _missing(question, account)
    if measure.rows and not narrow.by and _names_a_row(question, operations[0], measure):
        return _not_when(question, measure)
    return Answer(*calculated(question, operations, measure, narrow, account))


def _unsaid(question: Question, measure: Measure, narrow: Narrowed, account: Account) -> list[str]:
    """The words of a question that tell one thing from another, and that its measure does not say."""
    told = (words_of(measure), narrow.names, *(entry.figure.sentence for entry in measure.entries))
    if any(isinstance(entry.figure.value, Day) for entry in measure.entries):  # "the membership" expires
        told = (*told, *(m.label for m in account.measures if isinstance(m.entries[0].figure.value, str)))
    unsaid = narrowing(uncovered(question.topic, *told, within=question.text))
    first = measure.entries[0].figure
    if (price := COSTS.search(fold(question.text))) and isinstance(first.value, Amount) and not is_priced(measure):
        return unsaid if is_price(first) else [*unsaid, price[0]]
    if not unsaid or not _whole(question, measure):
        return unsaid
    partly = " ".join(m.label for m in account.measures if not _whole(question, m))  # "emails" of "emails sent"
    return uncovered(" ".join(unsaid), partly, within=question.text)


def _whole(question: Question, measure: Measure) -> bool:
    """Whether the question says all of the measure's name."""
    return not uncovered(measure.label, question.text)


def _not_when(question: Question, measure: Measure) -> Answer:
    said = phrases.NOT_WHEN[question.language].format(label=measure.label, when=_when(question, measure))
    return Answer(said, sure=False)


def _without(question: Question, unsaid: Sequence[str], measure: Measure, account: Account) -> Answer | None:
    """The part that is in that state by another word, or a total without its other part: not inactive is active."""
    others = [m for m in account.measures if m is not measure and measure.stems <= m.stems]
    for word in unsaid:
        same, against = opposite(word)
        alike = [m for m in others if len(uncovered(" ".join(same), m.label)) < len(same)]
        if len(alike) == 1:
            return Answer(said(question, "value", alike[0], account))
        parts = [m for m in others if len(uncovered(" ".join(against), m.label)) < len(against)]
        if len(parts) == 1 and (text := rest_of(measure, parts[0], word, question.language)):
            return Answer(text)
    return None


def _is_part(question: Question, measure: Measure) -> bool:
    """Whether a measure counts those of a thing in one state, and the question is about all: "cancelled orders"."""
    return any(opposite(word)[1] for word in narrowing(uncovered(measure.label, question.text)))


def _names_a_row(question: Question, operation: str, measure: Measure) -> bool:
    """Whether a question names a row that is not there."""
    numbered = re.findall(r"(?<![\w.,/-])(?=\w*\d)[\w-]+(?![\w.,/])", question.text)
    rows = " ".join(fold(entry.figure.row) for entry in measure.entries)
    if question.day is None and re.search(r"\d", rows) and any(fold(name) not in rows for name in numbered):
        return True
    words = re.findall(r"[^\W\d_]+", question.text)
    for one, following in itertools.pairwise(words if operation == "value" else ()):  # "project X" that no row is
        if (
            _says(measure, one)
            and not _says(measure, following)
            and stems_of(following) & question.words
            and narrowing([following])
        ):
            return True
    capital = re.findall(r"(?<=[a-záéíóúñ,] )[A-ZÁÉÍÓÚÑ][\w-]+|[\"“«][^\"”»]+", question.text)
    return any(not (stems_of(name) & measure.stems) for name in capital)


def _says(measure: Measure, word: str) -> bool:
    return bool(stems_of(word) & measure.stems or subjects_in(word) & subjects_in(measure.label))


def _when(question: Question, measure: Measure) -> str:
    """The day, month, period or name that a question asks for, as it is said."""
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


def _unsure(question: Question, measures: Sequence[Measure]) -> Answer:
    names = phrases.OR[question.language].join(measure.label for measure in measures[:3])
    return Answer(phrases.UNSURE[question.language].format(names=names), sure=False)


def _missing(question: Question, account: Account, unsaid: Sequence[str] = ()) -> Answer:
    asked = unsaid or [w for w in re.findall(r"[^\W_]+(?:-[^\W_]+)*", question.text) if stems_of(w) & question.words]
    what = " ".join(dict.fromkeys(asked)) or phrases.THAT[question.language]
    names = ", ".join(dict.fromkeys(measure.label for measure in account.measures[:_NAMES]))
    return Answer(phrases.MISSING[question.language].format(what=what, names=names), sure=False)
