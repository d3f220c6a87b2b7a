"""Questions about an account, answered from what the request says of it, without a model.

Nothing is read out that was not asked for. Where the data does not have what is asked for, that is said by name; where
two figures may be meant, both are named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import cache, lru_cache, partial

from classifier.embedder import Embedder
from classifier.text import head_and_tail
from engine.generation.extractive.account_figures.asking.going_on import (
    SECOND,
    TURNED,
    asked_as,
    goes_on,
    points_back,
)
from engine.generation.extractive.account_figures.asking.questions import (
    COUNTING,
    Operations,
    Question,
    about,
    as_sum,
    months_alone,
    step_in,
    topic_of,
)
from engine.generation.extractive.account_figures.asking.wording import respelt
from engine.generation.extractive.account_figures.candidates.calendar import (
    by_month_told,
    by_present_month,
    by_weekday,
    by_year_told,
    names_in,
)
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.candidates.ranges import by_number
from engine.generation.extractive.account_figures.candidates.values import (
    Candidate,
    bare_name,
    followed,
    in_months,
    one_further,
    row_against,
)
from engine.generation.extractive.account_figures.composing import Account
from engine.generation.extractive.account_figures.insight import told_insight
from engine.generation.extractive.account_figures.measures import measures_of
from engine.generation.extractive.account_figures.pace import EACH_DAY, as_so_far, at_pace, without_pace
from engine.generation.extractive.account_figures.quarters import by_quarter
from engine.generation.extractive.account_figures.ranking.matching import stems_of_doing
from engine.generation.extractive.account_figures.ranking.ranker import (
    Ranker,
    asks_of_months,
    by_list,
    by_speed,
    of_speed,
)
from engine.generation.extractive.account_figures.ranking.weighing import (
    Answer,
    asks_what_follows,
    beside_missing,
    by_name,
    doubted,
    of_meant,
    weighed,
)
from engine.generation.extractive.account_figures.reading.bounded import figures_asked
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.rules.limits import as_over, asks_for_limits, over_limits, unlimited
from engine.generation.extractive.account_figures.rules.told import Rules, lacking, missing
from engine.generation.extractive.account_figures.second import of_the_first
from engine.generation.extractive.account_figures.vocabulary import narrowing
from engine.text.dates import fold
from engine.text.formats import sentences_asked
from engine.text.language import Language, language_of

#: The probability from which a question surely asks for what figures do not tell.
_SURE = 0.8
#: The probability of what rows come to from which all rows of a table are looked at.
_LIKELY = 0.5
#: Probability from which a question that names nothing asks for something of what the one before it named.
_CARRIED = 0.5
#: Operations that rows come to; of the column of the question before, where the question names none.
_ENDS = ("highest", "lowest")
_OVER_ROWS = (*_ENDS, "average", "sum", "compare")
#: Operations that say already how much there is for each day.
_EACH_DAY = ("average", "ratio")
#: Answers that are remembered: the router asks what the answer is, and the answer is asked for once more behind it.
_REMEMBERED = 32
#: Questions of a message that are answered, and those that one goes on from at most.
_PARTS, _DEPTH = 4, 4


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
        self._found = lru_cache(_REMEMBERED)(self._find)

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
        told = tuple(one for one in contexts if one.strip())
        earlier = tuple(map(head_and_tail, before))
        return self._found(query, told, earlier, language or language_of(query), self._today())

    def _find(
        self, query: str, contexts: tuple[str, ...], before: tuple[str, ...], language: Language, today: date
    ) -> Answer:
        """The answer as it is on a day: what "yesterday" is, is not remembered for the day after."""
        every = [figure for context in contexts for figure in read_figures(context)]
        figures = figures_asked(every, query, before)
        measures = measures_of(figures)
        if not measures:
            return Answer(told_insight(query), sure=False)
        account, reading = Account.of(measures), Reading(figures, *contexts, today=today)
        query = head_and_tail(query)  # more was pasted, and asks nothing
        found: list[Answer] = []
        earlier = list(before)
        for part in SECOND.split(query)[:_PARTS]:
            second = self._second(part, found[-1], language, reading) if found else None
            found.append(second or self._paced(part, earlier, account, language, reading))
            named = found[-1].text.partition(":")[0] if found[-1].sure else ""
            earlier = [*earlier, part if about(part) else named]  # "when does it leave" is about what answers it
        found.sort(key=lambda one: not one.sure)
        text = " ".join(dict.fromkeys(one.text for one in found))
        sure, likely = all(one.sure for one in found), any(one.sure or one.likely for one in found)
        carried = all(one.carried for one in found)
        return Answer(text, sure, carried, not sure and likely, found[0].of if len(found) == 1 else None)

    def _second(self, text: str, first: Answer, language: Language, reading: Reading) -> Answer | None:
        """The answer to what a question asks of the answer to the one before it in its message; None for any other."""
        if not first.sure or first.of is None:
            return None
        question = replace(self._operations.read(text, reading.today), language=language)
        return None if self._ranker.says_a_name(question, reading) else of_the_first(question, first, reading.facts)

    def _paced(
        self, text: str, before_it: Sequence[str], account: Account, language: Language, reading: Reading
    ) -> Answer:
        """The answer to one question, which may ask what comes of a number at its pace."""
        bare, asks = without_pace(text)
        plain = cache(partial(self._part, text, before_it, account, language, reading))
        if asks == EACH_DAY and (told := plain()).of is not None and told.of.operation in _EACH_DAY:
            return told
        for so_far in (False, True) if asks else ():
            answer = self._part(bare, before_it, account, language, reading, so_far=so_far)
            if paced := at_pace(answer, asks, reading.facts, reading.today, language):
                return paced
        return plain()

    def asks_over_rows(self, query: str) -> bool:
        """Whether a question asks what rows come to: the most, the least, a sum, a mean, how many, how they compare."""
        chances = self._operations.chances(query)
        return sum(chances[name] for name in (*_OVER_ROWS, "count")) >= _LIKELY

    def _part(
        self,
        text: str,
        before_it: Sequence[str],
        account: Account,
        language: Language,
        reading: Reading,
        *,
        so_far: bool = False,
    ) -> Answer:
        """The answer to one question; what it does not name is taken from the one before it.

        Args:
            so_far: It asks for what there is up to now, whatever its words are.
        """
        text, row = by_number(TURNED.sub("", respelt(text, reading.names)), language, reading.tables)
        text, quarters, absent = by_quarter(by_month_told(text, language, reading), names_in(reading), reading.today)
        text = text if quarters else by_year_told(text, language, reading, reading.today)
        if beside := self._beside(text, before_it, account, language, reading):
            return beside
        every, before_it = before_it, [one for one in before_it if about(one)]
        earlier = next(reversed(before_it), "")
        if moved := next(filter(None, (reading.elsewhere(text, one) for one in reversed(before_it))), ""):
            return replace(self._part(moved, (), account, language, reading), carried=True)
        question = replace(
            self._operations.read(text, reading.today, reading.names), language=language, row=row, quarters=quarters
        )
        question = as_so_far(question) if so_far else as_over(as_sum(question))
        if absent:
            return Answer(missing(question, account, [absent]).text, sure=False)
        if (last := earlier or next(reversed(every), "")) and reading.only_name(text):
            question = asked_as(question, self._operations.read(last, reading.today, reading.names))
        question = by_list(by_speed(question, reading), reading)
        question = by_present_month(by_weekday(question, reading.tables), reading.facts)
        question = question if sentences_asked(text) else by_name(question, reading)
        if question.turn:
            account = account.in_turn(question.turn, reading.today)
            reading = reading.in_turn(question.turn, reading.today)
        own = partial(self._on_its_own, question, earlier, before_it, account, reading)
        return self._following(question, every, account, reading, own) or own()

    def _on_its_own(
        self, question: Question, earlier: str, before_it: Sequence[str], account: Account, reading: Reading
    ) -> Answer:
        """The answer to a question by its own words, or with those of the one before it."""
        before = self._operations.read(earlier, reading.today).words if earlier else frozenset()
        if on_topic := self._on_topic(question, before_it, account, reading):
            return on_topic
        if before and not narrowing(question.topic.split()) and not self._ranker.says_a_name(question, reading):
            return self._carried(question, earlier, before, account, reading)
        if of_row := self._of_row(question, before_it, account, reading):
            return of_row
        answer = self._ranked(question, account, reading)
        if answer.sure or not before or question.words == before:
            return answer
        return self._of_that(question, earlier, account, reading) or answer

    def _of_row(
        self, question: Question, before_it: Sequence[str], account: Account, reading: Reading
    ) -> Answer | None:
        """What the row that answered the question before says in another column: "and how many donors?".

        None where the question does not go on from that, names a row or a number of its own, or asks what rows come to.
        """
        over_rows = sum(question.chances[name] for name in _OVER_ROWS) >= _CARRIED
        if not before_it or over_rows or not goes_on(question):
            return None
        of = self._part(before_it[-1], before_it[:-1], account, question.language, reading).of
        if of is None or of.table is None or len(of.rows) != 1 or of.rows[0].day is not None:
            return None
        row = of.rows[0].name
        of_it = self._ranked(replace(question, text=f"{question.text} {row}"), account, reading)
        told = of_it.of if of_it.sure else None
        same = told is not None and told.table is of.table and [one.name for one in told.rows] == [row]
        return replace(of_it, carried=True) if same else None

    def _carried(
        self, question: Question, earlier: str, before: frozenset[str], account: Account, reading: Reading
    ) -> Answer:
        """The answer to a question that names nothing, with the words of the one before it."""
        before -= reading.rows_beside(question.row)  # asked of another row
        carried = question.chances[question.operation] >= _CARRIED and question.operation != "other"
        topic = topic_of(earlier, before - stems_of_doing(earlier))
        of_before = replace(question, text=f"{question.text} {topic}", words=before)
        found = self._ranked(of_before, account, reading)
        if not found.sure and (alone := self._ranked(question, account, reading)).sure:
            return alone
        return replace(found, sure=found.sure and carried, carried=carried)

    def _beside(
        self, text: str, before_it: Sequence[str], account: Account, language: Language, reading: Reading
    ) -> Answer | None:
        """What the row before or behind that of the last answer says, or its price for another stretch of time.

        None where the question asks for anything else.
        """
        step, months = (step_in(text), months_alone(text)) if before_it else (0, 0)
        if not step and not months:
            return None
        last = self._part(before_it[-1], before_it[:-1], account, language, reading)
        if not last.sure or last.of is None:
            return None
        found = one_further(last.of, step) if step else in_months(last.of, months)
        question = replace(self._operations.read(text, reading.today), language=language)
        if found is None:
            return Answer(missing(question, account).text, sure=False) if step and last.of.table is not None else None
        return replace(of_meant(question, [found]), carried=True)

    def _following(
        self,
        question: Question,
        before_it: Sequence[str],
        account: Account,
        reading: Reading,
        own: Callable[[], Answer],
    ) -> Answer | None:
        """What a question that names nothing asks of the number answered last; None where it asks for anything else."""
        if not before_it or self._ranker.names_something(question, reading):
            return None
        last = self._part(before_it[-1], before_it[-_DEPTH:-1], account, question.language, reading)
        of = last.of if last.sure else None
        if of is None or not of.is_number:
            return None
        asked, shares, changes = question.period_alone, question.shares, question.changes
        if found := followed(of, reading.facts, asked, changes=changes, shares=shares):
            return replace(of_meant(question, [found]), carried=True)
        points = asked is not None or (shares and not changes and points_back(question.own))
        other = own() if points else None
        if (
            other is None
            or not other.sure
            or any(fact.thing & of.facts[0].thing for fact in (other.of.facts if other.of else ()))
        ):
            return other
        return Answer(lacking(question, bare_name(of.facts[0])).text, sure=False)  # rather than of another thing

    def _of_that(self, question: Question, earlier: str, account: Account, reading: Reading) -> Answer | None:
        """The answer to a question that points at the row that answered the one before it, or needs words of that."""
        text, points = question.text, points_back(question.text)
        if points and (row := reading.named_in(self._part(earlier, (), account, question.language, reading).text)):
            of_it = self._ranked(replace(question, text=f"{text} {row}"), account, reading)
            if of_it.sure or of_it.likely:
                return replace(of_it, carried=True)
        if not points and self._ranker.says_a_name(question, reading):
            return None
        both = replace(question, text=f"{text} {earlier}", words=question.words | about(earlier))
        told = self._rules.told(both, account)
        return Answer(told.text) if told.sure and not (points and question.operation == "flag") else None

    def _on_topic(
        self, question: Question, before_it: Sequence[str], account: Account, reading: Reading
    ) -> Answer | None:
        """The answer from the column that the question before was answered from; None where it is not about that.

        It is where the question names nothing of the account itself and asks for what comes of rows. For the best
        month, without a question before, it is from the only column of months.
        """
        asks = sum(question.chances[name] for name in _OVER_ROWS)
        if asks < _CARRIED or self._ranker.says_a_name(question, reading):
            return None
        of = None
        if before_it:
            of = self._part(before_it[-1], before_it[:-1], account, question.language, reading).of
        if (of is None or of.table is None) and question.operation in _ENDS and asks_of_months(question):
            of = next((Candidate("sum", (fact,), None, "", table=table) for table, fact in reading.months_alone), None)
        if of is None or of.table is None or not of.facts or not of.facts[0].rows or of_speed(question, reading, of):
            return None
        label = of.facts[0].label
        text = f"{row_against(question, of)} {question.text} {label}"
        topic = replace(question, text=text, words=about(label))
        figures = (figure for fact in of.facts for figure in fact.figures if figure is not None)
        answer = self._ranked(topic, account.within(figures), reading.within(of.table, of.facts))
        return replace(answer, carried=bool(before_it)) if answer.sure else None

    def _over_any(self, question: Question, account: Account, reading: Reading) -> str:
        """Which limits are passed, where the question asks that of all of them, or that one is none; else empty."""
        limits = ((fact.label, fact.value) for fact in reading.facts if fact.role == "limit")
        if none := unlimited(question, limits, lambda thing: self._ranker.share_said(question, reading, thing)):
            return none
        every = asks_for_limits(question) and not self._ranker.names_something(question, reading)
        return over_limits(question, account) if every else ""

    def _ranked(self, question: Question, account: Account, reading: Reading) -> Answer:
        """The likeliest of all that could be answered, or what is missing."""
        if laid := self._ranker.laid_out(question, reading) or self._over_any(question, account, reading):
            return Answer(laid)
        if meant := (
            self._ranker.of_credit(question, reading)
            or self._ranker.open_items(question, reading)
            or self._ranker.covered(question, reading)
        ):
            return of_meant(question, meant)
        told = self._rules.told(question, account)
        if years := reading.strange_years(question.text, reading.today.year):
            told = missing(question, account, years) if told.sure else told
            return Answer(told.text, sure=False)
        other = question.operation == "other" and question.chances["other"] >= _SURE
        overall = (told.sure and question.operation == "insight") or sentences_asked(question.text)
        if overall or (other and COUNTING.match(fold(question.text)) is None):
            return Answer(told.text, told.sure)
        ranked, told = self._ranker.rank(question, reading, told)
        found = weighed(question, told, ranked)
        if found is None or asks_what_follows(question, found):
            told = told if told.text and not told.sure else missing(question, account)
            return Answer(beside_missing(question, told, ranked), sure=False, likely=told.empty)
        return doubted(question, found) if self._ranker.is_no_debt(question, found.of, reading) else found
