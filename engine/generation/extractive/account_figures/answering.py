"""Questions about an account, answered from what the request says of it, without a model.

Nothing is read out that was not asked for. Where the data does not have what is asked for, that is said by name; where
two figures may be meant, both are named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from classifier.decision import Embedder
from engine.generation.extractive.account_figures.asking.questions import Operations, Question, about, topic_of
from engine.generation.extractive.account_figures.asking.wording import respelt
from engine.generation.extractive.account_figures.candidates.ranges import by_number
from engine.generation.extractive.account_figures.composing import Account
from engine.generation.extractive.account_figures.insight import told_insight
from engine.generation.extractive.account_figures.measures import measures_of
from engine.generation.extractive.account_figures.ranking.ranker import by_speed
from engine.generation.extractive.account_figures.ranking.weighing import Ranker, Reading, weighed
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.rules.possible import (
    COUNTING,
)
from engine.generation.extractive.account_figures.rules.told import Rules, missing
from engine.text.dates import fold
from engine.text.formats import sentences_asked
from engine.text.language import Language, language_of

#: The probability from which a question surely asks for what figures do not tell, or for the most or the least.
_SURE = 0.8
#: Probability from which a question that names nothing asks for something of what the one before it named.
_CARRIED = 0.5

#: Where a second question begins: "and how much does it cost?", "y cuándo se renueva?".
_SECOND = re.compile(
    r"(?:,?\s+(?:and|n|y|e|&)\s+|[?;]\s+)(?=(?:for |at |on |de |a |por |en )?"
    r"(?:how|when|what|which|who|where|cu[aá]nt[oa]s?|cu[aá]ndo|qu[eé]|cu[aá]l(?:es)?|qui[eé]n|d[oó]nde|c[oó]mo)\b)",
    re.IGNORECASE,
)
#: A turn to the account before a question, which asks for nothing: "as to my account, when does it close".
_TURNED = re.compile(
    r"^[^?]*\b(?:account|cuenta|by the way|por cierto)\b\W*"
    r"(?=(?:how|when|what|which|cu[aá]nt[oa]s?|cu[aá]ndo|qu[eé]|cu[aá]l)\b)",
    re.IGNORECASE,
)
#: What stands for what the question before was answered with: "its weight", "what part is that".
_THAT = re.compile(r"\b(?:its?|that|those|su|sus|es[eoa]s?)\b")
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
        self._operations = Operations(embedder)
        self._rules = Rules(self._operations, embedder)
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
        earlier = [one for one in before if about(one)]
        for part in _SECOND.split(query)[:_PARTS]:
            found.append(self._part(part, earlier, account, language, reading))
            named = found[-1].text.partition(":")[0] if found[-1].sure else ""
            earlier = [*earlier, part if about(part) else named]  # "when does it leave" is about what answers it
        found.sort(key=lambda one: not one.sure)
        text = " ".join(dict.fromkeys(one.text for one in found))
        sure, likely = all(one.sure for one in found), any(one.sure or one.likely for one in found)
        return Answer(text, sure, all(one.carried for one in found), not sure and likely)

    def asks_for_an_extreme(self, query: str) -> bool:
        """Whether a question asks for the most or the least of something."""
        chances = self._operations.read(respelt(query), self._today()).chances
        return chances["highest"] + chances["lowest"] >= _SURE

    def _part(
        self, text: str, before_it: Sequence[str], account: Account, language: Language, reading: Reading
    ) -> Answer:
        """The answer to one question; what it does not name is taken from the one before it."""
        text, row = by_number(_TURNED.sub("", respelt(text)), language, reading.tables)
        earlier = next(reversed(before_it), "")
        if moved := next(filter(None, (reading.elsewhere(text, one) for one in reversed(before_it))), ""):
            return replace(self._part(moved, (), account, language, reading), carried=True)
        question = replace(self._operations.read(text, self._today(), reading.names), language=language, row=row)
        question = by_speed(question, reading)
        before = self._operations.read(earlier, self._today()).words if earlier else frozenset()
        if before and not question.words:
            bare = question
            before -= reading.rows_beside(row)  # asked of another row
            carried = question.chances[question.operation] >= _CARRIED and question.operation != "other"
            question = replace(question, text=f"{text} {topic_of(earlier, before)}", words=before)
            answer = self._ranked(question, account, reading)
            if not answer.sure and (alone := self._ranked(bare, account, reading)).sure:
                return alone
            return replace(answer, sure=answer.sure and carried, carried=carried)
        answer = self._ranked(question, account, reading)
        if answer.sure or not before or question.words == before:
            return answer
        if _THAT.search(fold(text)) and (
            row := reading.named_in(self._part(earlier, (), account, language, reading).text)
        ):
            of_it = self._ranked(replace(question, text=f"{text} {row}"), account, reading)
            if of_it.sure or of_it.likely:
                return replace(of_it, carried=True)
        both = replace(question, text=f"{text} {earlier}", words=question.words | before)
        told = self._rules.told(both, account)
        return Answer(told.text) if told.sure else answer

    def _ranked(self, question: Question, account: Account, reading: Reading) -> Answer:
        """The likeliest of all that could be answered, or what is missing."""
        if laid := self._ranker.laid_out(question, reading):
            return Answer(laid)
        told = self._rules.told(question, account)
        if years := reading.strange_years(question.text, self._today().year):
            told = missing(question, account, years) if told.sure else told
            return Answer(told.text, sure=False)
        other = question.operation == "other" and question.chances["other"] >= _SURE
        overall = (told.sure and question.operation == "insight") or sentences_asked(question.text)
        if overall or (other and COUNTING.match(fold(question.text)) is None):
            return Answer(told.text, told.sure)
        found = weighed(question, told, self._ranker.rank(question, reading, told))
        return Answer(told.text, sure=False) if found is None else Answer(found.text, found.sure, likely=found.likely)
