"""Which way to answer is meant: a log-linear model over the candidates of a question, fitted to rows.

The probability of a candidate is proportional to exp(w·f(question, candidate)). That nothing is there is a candidate
too, so that doubt is weighed against each answer.

Source:
    Berant and Liang 2014, Semantic Parsing via Paraphrasing, section 4.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from classifier.head_files import check, read_arrays, write_arrays
from engine.generation.extractive.account_figures.asking.amounts import counts_what_costs, needed
from engine.generation.extractive.account_figures.asking.nearness import Nearness
from engine.generation.extractive.account_figures.asking.questions import Operations, Question
from engine.generation.extractive.account_figures.asking.synonyms import owes, same, stem_of, uncovered
from engine.generation.extractive.account_figures.candidates.bounds import bound_in
from engine.generation.extractive.account_figures.candidates.choosing import chosen
from engine.generation.extractive.account_figures.candidates.fact import Fact, Table
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.candidates.named import of_two_named, row_of_cell
from engine.generation.extractive.account_figures.candidates.tables import (
    DAY,
    PAIRED,
    RATES,
    of_rows,
)
from engine.generation.extractive.account_figures.candidates.values import (
    Candidate,
    afforded,
    bare_name,
    beyond_limits,
    has_its_own,
    of_credit,
    of_goal,
    of_so_many,
    of_stretch,
    of_two,
    of_value,
)
from engine.generation.extractive.account_figures.figure import TIMES
from engine.generation.extractive.account_figures.ranking.forms import (
    DAYS,
    EACH,
    MONTHLY,
    RATE,
    SPEED,
    WHICH_MONTH,
    WHO,
)
from engine.generation.extractive.account_figures.ranking.layout import layout
from engine.generation.extractive.account_figures.ranking.matching import Matcher, Places, without_names
from engine.generation.extractive.account_figures.ranking.ranked import Ranked, asked_for, of_its_time
from engine.generation.extractive.account_figures.ranking.signs import Features, Signs
from engine.generation.extractive.account_figures.ranking.unfinished import may_be_owed, open_items
from engine.generation.extractive.account_figures.rules.told import Told
from engine.generation.extractive.account_figures.saying import alike, text_of
from engine.generation.extractive.account_figures.vocabulary import (
    Period,
    is_period,
    months_asked,
    months_told,
    narrowing,
)
from engine.text.dates import fold
from engine.text.language import Language

Vectors = NDArray[np.float32]
#: The fitted weights. All features are shares, probabilities or standard deviations, whatever the encoder's scale.
SHIPPED = Path(__file__).parent / "ranking.npz"
_WHAT = "The ranking of the account questions"
_MEND = "fit it anew with scripts/fitting/account/figure_ranking.py, or restore the file from the release"
_ANY_ENCODER = "any"
#: Operations of questions for yes or no that money may be asked for with; the share of a name, and of probability, from
#: which it is.
_YES_NO, _NAMED = ("enough", "flag", "over"), 0.5
#: Questions that are remembered with the names that they were held against: each is asked for what it says some times.
_REMEMBERED = 8
#: What a word of a question has to count before it says a name.
SAID = 0.3


class Ranker:
    """Ranks the candidates of questions. Blocks while it encodes.

    Args:
        operations: Its heads have the subjects that names are held against.
        embedder: Reads questions and names; one that remembers names reads each context once.
        weights: By feature; None: those that ship.
    """

    def __init__(self, operations: Operations, embedder: Embedder, weights: Mapping[str, float] | None = None) -> None:
        self._operations, self._embedder, self._given = operations, embedder, weights
        self._matched = lru_cache(_REMEMBERED)(self._match)

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """Read at the first question."""
        return load_weights() if self._given is None else self._given

    @cached_property
    def _places(self) -> Places:
        return Places(self._operations.heads, self._embedder)

    def rank(self, question: Question, reading: Reading, told: Told) -> tuple[list[Ranked], Told]:
        """The candidates of `question`, the likeliest first; None among them stands for what is not there.

        Returns:
            With what the rules say: they are not sure of a candidate that the question cannot be asking for.
        """
        every, told = self.featured(question, reading, told)
        found = asked_for(question, of_its_time(question, every))
        if _agrees(every) and not _agrees(found):
            told = Told()
        scores = np.array([sum(self.weights.get(n, 0.0) * v for n, v in one.features.items()) for one in found])
        odds = np.exp(scores - scores.max())
        ranked = (replace(one, chance=float(odd)) for one, odd in zip(found, odds / odds.sum(), strict=True))
        return sorted(ranked, key=lambda one: -one.chance), told

    def featured(self, question: Question, reading: Reading, told: Told) -> tuple[list[Ranked], Told]:
        """The candidates with their features, and what each says; not yet ranked.

        Args:
            told: What the rules say: that they say the same speaks for a candidate.

        Returns:
            With what the rules say, of rows that are taken together where the question asks for that.
        """
        ways = self._ways(question, reading)
        texts = ["" if one is None or one.missing else text_of(one, question) for one, _ in ways]
        if not {one.table for one, _ in ways if one is not None} <= {None, *reading.tables}:
            told = _of_groups(question, told, [(one, text) for (one, _), text in zip(ways, texts, strict=True)])
        ranked = [
            Ranked(one, {**features, **of_rules(one, text, told, features)}, 0.0, text)
            for (one, features), text in zip(ways, texts, strict=True)
        ]
        return ranked, told

    def laid_out(self, question: Question, reading: Reading) -> str:
        """Rows in an order, or side by side, where the question wants them so; empty otherwise."""
        lay = layout(question) if reading.tables else None
        if lay is None:
            return ""
        matcher = self._matcher(question, reading)
        return next(filter(None, (lay(question, matcher, table) for table in reading.tables)), "")

    def open_items(self, question: Question, reading: Reading) -> list[Candidate]:
        """The row of a code, or the rows or amounts that are not done yet, where the question asks for these."""
        matcher = self._matcher(question, reading)
        coded = [one for table in reading.tables if (one := row_of_cell(question, matcher, table)) is not None]
        return coded if len(coded) == 1 else open_items(question, matcher, reading)

    def of_credit(self, question: Question, reading: Reading) -> list[Candidate]:
        """What is left of a credit limit or to a goal, or used of it, where the question names nothing else."""
        asked = question.of_limit
        limits = [fact for fact in reading.facts if fact.role == "limit"]
        if not asked:
            return []
        found = of_goal(reading.facts, asked, needed(question)) if question.of_goal else []
        if not found and (len(limits) <= 1 or question.of_credit):
            found = of_credit(reading.facts, asked, needed(question))
        bare = replace(question, words=frozenset(word for word in question.words if not word.startswith("credit")))
        named = self.says_a_name if question.of_goal else self.names_something  # one gets to a goal
        return [] if found and named(bare, reading) else found

    def covered(self, question: Question, reading: Reading) -> list[Candidate]:
        """Whether money that the question names covers an amount that it names, where it asks for yes or no."""
        matcher = self._matcher(question, reading)
        named = [fact for fact in reading.facts if matcher.told(bare_name(fact)) >= _NAMED]
        return list(afforded(named)) if sum(question.chances[name] for name in _YES_NO) >= _NAMED else []

    def is_no_debt(self, question: Question, one: Candidate | None, reading: Reading) -> bool:
        """Whether a question asks what is owed, naming nothing else, and a candidate says something else."""
        asks = one is not None and owes(question.own) and not self.says_a_name(question, reading)
        return asks and one is not None and not may_be_owed(one)

    def says_a_name(self, question: Question, reading: Reading) -> bool:
        """Whether the question says a word of a name of the context, or another word for it."""
        matcher = self._matcher(question, reading)
        return bool((matcher.letters(*reading.names) * matcher.weights).max(initial=0.0) >= SAID)

    def share_said(self, question: Question, reading: Reading, name: str) -> float:
        """The share of the words of a name that the question says."""
        return self._matcher(question, reading).told(name)

    def names_something(self, question: Question, reading: Reading) -> bool:
        """Whether the question names a thing beside roles and periods, whether the context has it or not."""
        topic = " ".join(narrowing(question.topic.split()))
        bare = replace(question, text=topic)
        return bool(topic) and (self.says_a_name(bare, reading) or self._matcher(bare, reading).names_something)

    def _matcher(self, question: Question, reading: Reading) -> Matcher:
        return self._matched(question.text, question.language, tuple(reading.names))

    def _match(self, text: str, language: Language, names: tuple[str, ...]) -> Matcher:
        matcher = Matcher(text, language, self._operations.heads, self._embedder, self._places)
        matcher.learn(names)
        return matcher

    def _ways(self, question: Question, reading: Reading) -> list[tuple[Candidate | None, Features]]:
        matcher = self._matcher(question, reading)
        near = self._near(question, reading)
        form = Signs(question, matcher, reading, near)
        found: list[tuple[Candidate | None, Features]] = [
            (one, form.features(one))
            for one in candidates(question, matcher, reading.facts, reading.tables, near.names)
        ]
        return [*found, (None, form.nothing(found))]

    def _near(self, question: Question, reading: Reading) -> Nearness:
        columns = [f"{t.name} {c.label}".strip() for t in reading.tables for c in t.columns]
        names = dict.fromkeys(
            [*(f.label for f in reading.facts), *columns, *(t.name for t in reading.tables if t.name)]
        )
        return Nearness.of(without_names(question.text), list(names), self._operations.heads.subjects, self._embedder)


def _per(price: Fact) -> Period:
    """The stretch of time that a price is for; none where its name has a thing, too: "per desk per month"."""
    things = any(not is_period(word) for word in EACH.findall(fold(price.label)))
    return Period() if things else price.period


def _of_groups(question: Question, told: Told, found: Sequence[tuple[Candidate | None, str]]) -> Told:
    """What the rules say, which see each row alone, of rows that are taken together; nothing where that is unclear.

    Args:
        found: The candidates with what they say.
    """
    name, asked = told.text.partition(": ")[0], question.operation
    ways = [(one.operation, text) for one, text in found if one is not None and text]
    same = [text for operation, text in ways if operation == asked and text.partition(": ")[0] == name]
    same = same or [text for operation, text in ways if operation == "value" and alike(told.text, text)]
    return replace(told, text=same[0]) if told.sure and len(same) == 1 else Told()


def _agrees(found: Sequence[Ranked]) -> bool:
    """Whether one of the candidates says what the rules surely say."""
    return any("rules" in one.features for one in found)


def candidates(
    question: Question, matcher: Matcher, facts: Sequence[Fact], tables: Sequence[Table], near: Mapping[str, float]
) -> list[Candidate]:
    """All ways to answer `question`.

    Args:
        near: How near the labels of facts are to the question.
    """
    found: list[Candidate] = []
    wanted = needed(question)
    stretch = months_asked(question.text)
    told = any(months_told(fact.label) == stretch for fact in facts)
    for fact in facts:
        found += [*of_value(fact), *of_so_many(fact, wanted)]
        if stretch and not told and wanted is None and not fact.previous and (months := months_told(fact.label)):
            found += of_stretch(fact, Fraction(stretch, months))
    nearest = sorted(facts, key=lambda fact: -near.get(fact.label, 0.0))[:PAIRED] if len(facts) > PAIRED else facts
    rates = question.chances.get("average", 0.0) >= RATES
    for one, other in itertools.permutations(nearest, 2):
        if not has_its_own(other, one, facts):
            found += of_two(one, other, wanted, rates=rates)
    found += [*beyond_limits(nearest), *of_two_named(question, matcher, nearest)]
    bound, named = bound_in(question), cache(partial(chosen, question, matcher))  # a pivot table is there both ways
    for table in tables:
        found += of_rows(question, matcher, table, facts, tables, named, bound)
    found = [o for o in found if o.operation != "count" or o.label != DAY or DAYS.search(fold(question.text))]
    found = [o for o in found if o.operation != "cost" or not o.asked or counts_what_costs(question, _per(o.facts[0]))]
    if rate := RATE.search(fold(question.text)):  # of another number, and not of what all rows have of the same
        part = stem_of(rate["of"] or rate["de"])
        shares = [one for one in found if one.operation == "share" and len(one.facts) > 1]
        found = [one for one in shares if any(same(part, word) for word in one.facts[0].thing)] or found
    if SPEED.search(fold(question.text)) and question.operation in ("highest", "lowest"):
        found = [one for one in found if one.operation == question.operation and _is_time(one.facts[0])] or found
    return _by_months(question, matcher, _of_months(question, found))


def asks_of_months(question: Question) -> bool:
    """Whether a question says a word for months."""
    return MONTHLY.search(fold(question.text)) is not None


def by_speed(question: Question, reading: Reading) -> Question:
    """A question for the slowest or the fastest as one for the longest or the shortest, where times are told."""
    speed, ends = SPEED.search(fold(question.text)), ("highest", "lowest")
    if (
        speed is None
        or question.operation not in ends
        or not any(_is_time(c) for t in reading.tables for c in t.columns)
    ):
        return question
    wanted, other = ends if speed["slow"] else ends[::-1]
    both = sum(question.chances[name] for name in ends)
    rest = {name: chance for name, chance in question.chances.items() if name not in ends}
    return replace(question, chances={wanted: both, **rest, other: 0.0})


def of_speed(question: Question, reading: Reading, of: Candidate) -> bool:
    """Whether a question asks for the slowest or the fastest, and times are told that a candidate is none of."""
    timed = any(_is_time(column) for table in reading.tables for column in table.columns)
    return timed and SPEED.search(fold(question.text)) is not None and not any(map(_is_time, of.facts))


def by_list(question: Question, reading: Reading) -> Question:
    """A question of what there is of a list as one for its rows: "what do I have on loan" of loans."""
    topic, words = question.topic, len(question.text.split())
    asked = [t for t in reading.tables if t.name and not t.family and not t.monthly and not uncovered(topic, t.name)]
    told = any(len(uncovered(question.text, c.label)) < words for t in asked for c in t.columns if c.label != t.name)
    plain = topic and not told and WHO.match(fold(question.text)) and question.operation in ("value", "text")
    if not asked or not plain or question.period or question.day:
        return question
    both = question.chances["value"] + question.chances["text"]
    rest = {name: chance for name, chance in question.chances.items() if name != "list"}
    return replace(question, chances={"list": question.chances["list"] + both, **rest, "value": 0.0, "text": 0.0})


def _is_time(fact: Fact) -> bool:
    return all(unit in TIMES for unit in fact.unit.split()) and fact.unit != ""


def _of_months(question: Question, found: list[Candidate]) -> list[Candidate]:
    """Those of several months that the question names together, where there are any; else all."""
    asked = set(question.months)
    of = [(one, {fact.period.month for fact in one.facts} - {0}) for one in found if asked]
    several = any(months >= asked for _, months in of)
    return [one for one, months in of if not months or months >= asked] if several else found


def _by_months(question: Question, matcher: Matcher, found: list[Candidate]) -> list[Candidate]:
    """Those of rows by months where the question asks for one, without counts of rows where it names several."""
    told = any(
        one.table is not None and one.table.monthly and matcher.told(one.facts[0].label) for one in found if one.facts
    )
    if question.operation in ("highest", "lowest") and WHICH_MONTH.search(fold(question.text)):
        found = [one for one in found if one.table is not None and one.table.monthly] or found
    return [one for one in found if one.operation != "count"] if question.months and told else found


def of_rules(one: Candidate | None, text: str, told: Told, found: Features) -> Features:
    """Whether the rules say what a candidate says, or that nothing is there; and how much of the question that says.

    Args:
        found: The other features of the candidate.
    """
    if one is None and not told.sure:
        return {"rules_silent": 1.0, "rules_untimed": float(told.untimed)}
    if one is None or not text or not told.sure or not alike(told.text, text):
        return {}
    said = {
        "rules_closed": 1.0 - min(found["open_rows"], 1.0),
        "rules_told": found["told"],
        "rules_meant": found["meant"],
    }
    return {"rules": 1.0, f"rules|{one.operation}": 1.0, **said}


def save_weights(weights: Mapping[str, float], path: Path = SHIPPED) -> None:
    """Writes the weights of the features to `path`."""
    write_arrays(path, _ANY_ENCODER, tuple(weights), {"weights": np.array(list(weights.values()), np.float32)})


def load_weights(path: Path = SHIPPED) -> dict[str, float]:
    """The weights of the features.

    Raises:
        HeadError: There is no such file, or it is damaged.
    """
    stored = read_arrays(path, _ANY_ENCODER, ("weights",), _WHAT, _MEND)
    check(stored.arrays["weights"].shape == (len(stored.names),), path, _WHAT, _MEND)
    return dict(zip(stored.names, stored.arrays["weights"].tolist(), strict=True))
