"""What speaks for a candidate answer: how much of the question it says, and whether it is of the kind asked for."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.generation.extractive.account_figures.asking.amounts import needed
from engine.generation.extractive.account_figures.asking.nearness import Nearness
from engine.generation.extractive.account_figures.asking.questions import MORE_THAN, Question
from engine.generation.extractive.account_figures.asking.synonyms import late, opposite, opposite_stems, stem_of
from engine.generation.extractive.account_figures.candidates.bounds import bound_in
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.candidates.pairing import is_priced, wholes_of
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.figure import Amount, Day, is_price
from engine.generation.extractive.account_figures.measures import LEFT, LIMIT, TOTAL, USED
from engine.generation.extractive.account_figures.ranking.forms import (
    ASKED,
    COUNTED,
    DAYS,
    EACH,
    HOW_MANY,
    HOW_MUCH,
    MONEY,
    PER,
    PLAIN,
    WHEN,
    WHO,
    WORDED,
)
from engine.generation.extractive.account_figures.ranking.matching import Matcher
from engine.generation.extractive.account_figures.vocabulary import has_word_of, roles
from engine.text.dates import fold, weekdays
from engine.text.unit_names import names as unit_names

Vectors = NDArray[np.float32]
Features = dict[str, float]
_DONE = ("left", "limit", "percent", "compare", "sum", "average", "highest", "lowest", "date", "over", "enough", "flag")


#: A whole in per cent.
_WHOLE = 100
#: Operations that answer what is left; the probability from which a kind of answer is asked for, and surely is.
_OF_REST = ("left", "enough", "over", "count", "list", "date", "rest", "difference")
_ASKS, _SURELY = 0.5, 0.8
#: The probability below which an operation is hardly asked for.
_HARDLY = 0.03
#: The probability of a number from which a question for which one may be answered with one.
_ASKED = 0.2
#: Operations that read one value out, and the weight of a word from which they have to say it.
_OF_VALUES, _OPEN = ("value", "date", "text", "flag", "any"), 0.9


#: A verb that has its meaning together with what stands behind it, and how surely any day may be what it asks for.
_LED_OUT, _VERB = re.compile(r"\b([^\W\d_]+) (?:out|up|off)\b"), 0.6


class Signs:
    """What a question looks like, held against its candidates."""

    def __init__(self, question: Question, matcher: Matcher, reading: Reading, near: Nearness) -> None:
        self._question, self._matcher, self._reading = question, matcher, reading
        self._folded = fold(question.text)
        self._near = near
        self._money = np.array([float(MONEY.search(word.folded) is not None) for word in matcher.words], np.float32)
        self._told = ["" if word.name else roles().get(word.folded, "") for word in matcher.words]  # "Meta" is a name
        each = {stem_of(word) for word in EACH.findall(self._folded)}
        self._each = np.array([float(stem_of(word.folded) in each) for word in matcher.words], np.float32)
        self._units = [unit_names().get(word.folded, "") for word in matcher.words]  # "kilos" of kg
        led = set(_LED_OUT.findall(self._folded))
        self._verbs = np.array([_VERB * (word.folded in led) for word in matcher.words], np.float32)
        self._of_use = any(roles().get(word) == USED for word in re.findall(r"[^\W\d_]+", self._folded))
        self._bound, self._rank = bound_in(question), question.rank
        self._asks = {name: 2 * chance for name, chance in question.chances.items() if chance >= _HARDLY}
        self._wanted = needed(question) is not None and self._bound is None

    def features(self, one: Candidate) -> Features:
        """The features of a candidate."""
        name = (
            f"{one.table.name} {one.facts[0].label}".strip()
            if one.table and one.facts
            else one.facts[0].label
            if one.facts
            else one.label
        )
        found = {
            **self._of_words(one),
            **self._of_kind(one),
            **self._of_roles(one),
            **self._of_rows(one),
            **self._of_pairs(one),
            **self._of_operation(one.operation),
            f"op_{one.operation}": 1.0,
        }
        return {**found, **self._near.signs(name), "unmet": float(self._unmet(one, found))}

    def _of_words(self, one: Candidate) -> Features:
        """How likely its operation is, and how much of the question it says."""
        matcher, asked = self._matcher, ASKED.get(one.operation, {one.operation: 1.0})
        chance = sum(self._question.chances.get(name, 0.0) * part for name, part in asked.items())
        labels = [fact.label for fact in one.facts] or [one.label]
        around = self._around(one)
        meant = matcher.meaning(*labels, *around)
        bare = self._told_by(one, meant)
        said = matcher.forgiven(bare) if _may_be_called_anything(one) else bare
        denied = matcher.denied(labels[0])
        second = labels[1] if len(labels) > 1 else ""
        return {
            "asked": max(math.log(chance + 1e-3), -6.0) / 3,
            "fit": matcher.share(said) * min(chance, 1.0) ** 0.33,
            "letters": matcher.share(matcher.letters(*labels, *around)),
            "meaning": matcher.share(meant),
            "rows": matcher.share(said),
            "open": matcher.unsaid(meant),
            "open_rows": matcher.unsaid(said),
            "open_bare": matcher.unsaid(bare),
            "told": matcher.told(labels[0]),
            "leaf": float((matcher.meaning(one.facts[0].leaf) * matcher.weights).max(initial=0.0))
            if one.facts
            else 0.0,
            "second": matcher.told(second) if second else 0.0,
            "two": float(bool(second)),
            "denied": float(denied.any()),
            "states": float(matcher.states(said)),
            "loose": float(one.loose),
            "family": float(one.table is not None and one.table.family),
        }

    def _of_operation(self, operation: str) -> Features:
        """The probability of each operation that the question may ask for, of a candidate of this one."""
        return {f"{operation}|{name}": chance for name, chance in self._asks.items()}

    def _of_pairs(self, one: Candidate) -> Features:
        """Whether two numbers belong together, and which of both is the whole, or the later."""
        if len(one.facts) < 2:
            return {}
        first, second = one.facts[:2]
        both = first.thing | second.thing
        whole = second.role in (TOTAL, LIMIT) or second.thing < first.thing
        nested = 1.0 if whole else -float(first.thing < second.thing)
        found = {
            "kin": len(first.thing & second.thing) / len(both) if both else 0.0,
            "second_near": max((self._near.name(second.label) - self._near.best) / 2, -2.0),
        }
        if one.operation in ("left", "percent", "over", "enough"):
            found["of_used"] = float(first.role == USED)
        if one.operation in ("share", "rest", "part"):
            found["part_nested" if one.operation == "part" else "nested"] = nested
        if one.operation == "rest":
            denies = has_word_of("denying", self._folded)
            found["rest_denied"] = float(denies or bool(self._matcher.denied(first.label).any()))
        if isinstance(one.value, Amount):
            above = one.operation in ("percent", "share") and one.value.value > _WHOLE
            found["absurd"] = float(above or (one.operation == "left" and one.value.value < 0))
        if one.operation == "ratio":
            below = self._matcher.meaning(second.label) - self._matcher.meaning(first.label)
            found["per_each"] = float((below * self._each).sum())
            found["priced_each"] = float(is_priced(first, 0) and not is_priced(second, 0))
            found["money_below"] = float(is_priced(second, 0) and not is_priced(first, 0))
        if one.operation == "cost":
            found["cost_each"] = float(PER.search(fold(second.label)) is not None or bool(first.role))
        return found

    @staticmethod
    def _around(one: Candidate) -> list[str]:
        """What its facts are told by beside their names."""
        found = [fact.unit for fact in one.facts if fact.unit] + [fact.parent for fact in one.facts]
        if one.table is not None:
            found += [one.table.name, one.table.key]
        if one.operation in ("list", "count", "highest", "lowest", "texts") or one.operation.startswith("rows_"):
            found += list(dict.fromkeys(column for row in one.rows[:1] for column in row.told))
            if one.choice is not None and one.choice.timed and one.table is not None:  # by what is of that time
                found += [column.label for column in one.table.columns if isinstance(column.value, Day)]
        return [name for name in found if name]

    def _told_by(self, one: Candidate, meant: Vectors) -> Vectors:
        """For each word, how surely the candidate answers it: by its rows, operation, roles or money, too."""
        matcher = self._matcher
        roled = {fact.role for fact in one.facts} | (
            {LIMIT, LEFT} if one.operation in ("left", "percent", "over", "enough", "used") else set()
        )
        parts = [meant, matcher.asking(WORDED.get(one.operation, (one.operation,)))]
        parts.append(np.array([float(bool(role) and role in roled) for role in self._told], np.float32))
        if any(self._units):
            units = {unit_names().get(fact.unit) for fact in one.facts}
            parts.append(np.array([float(bool(unit) and unit in units) for unit in self._units], np.float32))
        if one.choice is not None:
            parts += [matcher.meaning(*one.choice.names), matcher.letters(*one.choice.without)]
            told = [text for row in one.rows[:3] for text in row.told.values()] if len(one.rows) == 1 else []
            parts.append(matcher.letters(*told) if told else meant)
        if one.operation == "date" and not one.rows:  # "the membership" expires
            parts.append(matcher.meaning(*(f.label for f in self._reading.facts if isinstance(f.value, str))))
        if one.operation == "date" and WHEN.match(self._folded):
            parts.append(self._verbs)
        if isinstance(one.value, str):
            parts.append(matcher.meaning(one.value))
        if one.table is not None and len(one.facts) == 1 and (wholes := wholes_of(one.facts[0], one.table.columns)):
            parts.append(matcher.meaning(*wholes))  # those that are late are so many of all trains
        if one.operation == "rest":  # those without the inactive ones are the active ones
            parts.append(matcher.denied(one.facts[0].label))
        parts.append(matcher.named(self._reading.whose))  # whose the account is
        parts += [self._money] if _is_priced(one) else []
        return np.max(parts, axis=0) if matcher.words else meant

    def _of_kind(self, one: Candidate) -> Features:
        """Whether its value is of the kind that the question asks for."""
        folded, names_rows = (
            self._folded,
            one.operation in ("highest", "lowest", "list", "texts") or one.operation.startswith("rows_"),
        )
        priced = _is_priced(one)
        money = MONEY.search(folded) is not None and HOW_MANY.match(folded) is None
        number = isinstance(one.value, Amount) and one.operation != "any"
        yes_no = one.operation in ("flag", "any", "over", "enough", "compare")
        found = {
            "money": float(money and priced),
            "not_money": float(money and number and not priced),
            "many_priced": float(HOW_MANY.match(folded) is not None and priced),
            "much_no_number": float(HOW_MUCH.match(folded) is not None and not number),
            "count_unasked": float(one.operation == "count" and COUNTED.search(folded) is None),
            "extreme_day": float(one.operation in ("highest", "lowest") and isinstance(one.value, Day)),
            "much_count": float(
                one.operation == "count" and HOW_MUCH.match(folded) is not None and HOW_MANY.match(folded) is None
            ),
            "of_sum": float(one.operation == "compare" and one.table is not None and len(one.facts) > 1),
            "percent_unit": float(isinstance(one.value, Amount) and one.value.unit == "%"),
        }
        if DAYS.search(folded):
            found["days" if one.operation == "date" else "days_not"] = 1.0
        if self._rank > 1 and one.operation in ("highest", "lowest"):
            found["rank" if one.rank == self._rank else "rank_not"] = 1.0
        if WHEN.match(folded):
            found[
                "when" if isinstance(one.value, Day) or (names_rows and one.rows and one.rows[0].day) else "not_when"
            ] = 1.0
        elif one.operation == "date" and "days" not in found:
            found["when"] = -1.0
        if WHO.match(folded):
            found["who" if isinstance(one.value, str) or names_rows else "who_not"] = 1.0
        if PLAIN.match(folded):
            found["plain" if yes_no else "plain_not"] = 1.0
        if one.operation == "ratio":
            found["per"] = 1.0 if PER.search(folded) else -1.0
        if self._question.ordinal and one.operation in ("highest", "lowest"):
            in_turn = (self._question.ordinal == "last") is (one.operation == "highest") and isinstance(one.value, Day)
            found["turn"] = 1.0 if in_turn else -1.0
        return found

    def _of_roles(self, one: Candidate) -> Features:
        """Whether it is of the role and the period that the question names."""
        told = {role for role in self._told if role}
        mine = {fact.role for fact in one.facts if fact.role}
        found = {"role": float(bool(told & mine)), "role_op": float(one.operation in told)}
        if one.operation in ("value", "sum", "highest", "lowest", "average"):
            found["role_not"] = float(bool(mine) and mine <= {LIMIT, LEFT} and not told & mine)
        period = self._question.period
        facts = [f for f in one.facts if f.period.which or f.period.month or f.previous]
        if period is not None and (period.which or period.month):
            same = [
                f
                for f in facts
                if (period.month and f.period.month == period.month)
                or (period.which and not period.month and f.previous is (period.which == "previous"))
            ]
            timed = (one.choice is not None and one.choice.timed) or one.operation == "compare"
            exact = bool(same) or timed
            past = period.which == "previous" or period.month
            found["period" if exact else "period_not" if past or facts else "period_open"] = 1.0
            if facts and not same and not timed:
                found["period_other"] = 1.0
        elif facts and one.operation not in ("compare", "left", "percent", "over", "enough"):
            found["period_unasked"] = float(any(f.previous for f in facts))
        day = self._question.day
        if day is not None and day.day != self._question.today:
            met = (one.choice is not None and one.choice.timed) or (isinstance(one.value, Day) and one.value.same(day))
            met = met or any(
                weekdays().get(fold(word)) == day.day.weekday() for fact in one.facts for word in fact.words
            )
            found["day" if met else "day_not"] = 1.0
        return found

    def _unmet(self, one: Candidate, found: Features) -> bool:
        """Whether the question asks for what the candidate is not, or names something that it does not say."""
        operation, chances, period = one.operation, self._question.chances, self._question.period
        rest = LEFT in self._told and operation not in _OF_REST and all(fact.role != LEFT for fact in one.facts)
        today = period is not None and period.unit == "day" and bool(found.get("period_open"))
        unused = operation == "limit" and self._of_use
        part = self._is_part(one) and operation != "date"
        bare = operation == "flag" and not self._matcher.names_something  # "is that too many?"
        if bare or unused or rest or today or (operation in _OF_VALUES and (found["open_rows"] >= _OPEN or part)):
            return True
        if operation == "list" and one.choice is None and one.bound is None:
            return chances.get("list", 0.0) < _ASKS
        if operation in ("value", "limit") and found["not_money"]:
            return not any(figure is not None and is_price(figure) for figure in one.facts[0].figures)
        valued = sum(chances.get(name, 0.0) for name in ("value", "sum", "average", "cost")) >= _ASKED
        if operation in ("sum", "average") and WHO.match(self._folded) and not valued:  # "which month is over"
            return True
        if MORE_THAN.search(self._folded) and chances.get("compare", 0.0) >= _ASKS and one.bound is None:
            return operation not in ("compare", "difference")
        return (
            chances.get("percent", 0.0) >= _SURELY
            and not (operation == "compare" and self._question.changes)  # told with the share
            and operation not in ("percent", "share", "part")
            and not _is_share(one)
        )

    def _echoes(self, one: Candidate) -> bool:
        """Whether all that it says stands in the question."""
        names = (
            [one.value] if isinstance(one.value, str) else [row.name for row in one.rows] if one.value is None else []
        )
        words = {stem_of(word) for name in names for word in re.findall(r"[^\W_]+", name)}
        return bool(words) and words <= {stem_of(word) for word in re.findall(r"[^\W_]+", self._question.text)}

    def _is_part(self, one: Candidate) -> bool:
        """Whether it counts those of a thing in one state, and the question does not say that state."""
        said = {stem_of(word.text) for word in self._matcher.words}
        if late(self._question.text) and any(late(fact.label) for fact in one.facts):  # "arrived late" are late ones
            return False
        words = (word for fact in one.facts for word in fact.words if opposite(word)[1])
        return any(stem_of(word) not in said and not said & frozenset.union(*opposite_stems(word)) for word in words)

    def _of_rows(self, one: Candidate) -> Features:
        """Whether it is of the rows that the question names."""
        found = {
            "named": float(one.choice is not None),
            "ignores": float(one.ignores),
            "lacks": float(one.lacks),
            "rest_all": float(one.operation in ("sum", "average", "highest", "lowest") and one.choice is None),
            "echo": float(self._echoes(one)),
            "part_unsaid": float(self._is_part(one)),
            "share_many": float(one.operation == "share" and one.choice is not None and len(one.choice.groups) > 1),
            "one_row": float(one.choice is not None and len(one.choice.places) == 1),
        }
        if self._wanted:
            found["wanted" if one.asked else "wanted_not"] = 1.0
        if self._bound is not None:
            within = self._bound.dated and one.choice is not None and one.choice.timed
            found["bound" if one.bound is not None or within else "bound_not"] = 1.0
        return found

    def nothing(self, found: Sequence[tuple[Candidate | None, Features]]) -> Features:
        """The features of saying that it is not there, beside the candidates that are `found`."""
        matcher, names = self._matcher, self._reading.names
        units = [fact.unit for fact in self._reading.facts]
        parts = [matcher.meaning(*names, *units), matcher.asking(_DONE), self._money]
        parts.append(np.array([float(bool(role)) for role in self._told], np.float32))
        covered: Vectors = np.max(parts, axis=0) if matcher.words else parts[0]
        bare = covered
        if any(not table.name for table in self._reading.tables):
            covered = matcher.forgiven(covered)
        answers = [
            features for one, features in found if one is not None and one.operation != "empty" and not one.lacks
        ]
        most = {
            f"none_{name}": max((f[name] for f in answers), default=0.0)
            for name in ("rows", "fit", "told", "meaning", "leaf")
        }
        return {
            "none": 1.0,
            **self._of_operation("none"),
            "none_open": matcher.unsaid(covered),
            "none_open_bare": matcher.unsaid(bare),
            "none_least": min((f["open_rows"] for f in answers), default=1.0),
            "none_states": min((f["states"] for f in answers), default=1.0),
            "none_meant": self._near.clearest,
            "none_period": min((f.get("period_not", 0.0) + f.get("day_not", 0.0) for f in answers), default=1.0),
            "none_other": self._question.chances.get("other", 0.0),
            "none_near": min(max(self._near.general - self._near.best, -3.0), 3.0),
            "none_near_abs": min(max(self._near.best / 3, -1.0), 1.5),
            "none_bare": float(not matcher.names_something),
            "none_absent": float(bool(matcher.absent(*names))),
            **most,
        }


def _may_be_called_anything(one: Candidate) -> bool:
    """Whether it is of rows that have no name of their own."""
    table = one.table
    unnamed = table is not None and not table.name and not any(row.day and not row.told for row in table.rows)
    return unnamed and (one.choice is not None or not one.facts or one.operation in ("highest", "lowest"))


def _is_share(one: Candidate) -> bool:
    return isinstance(one.value, Amount) and one.value.unit == "%"


def _is_priced(one: Candidate) -> bool:
    return isinstance(one.value, Amount) and one.value.is_money
