"""Whether any limit of an account is passed, and which are: of all limits, where a question names none of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction

from engine.generation.extractive.account_figures import phrases
from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.calculation import Usage, usage_of
from engine.generation.extractive.account_figures.composing import Account, labelled, of_usage
from engine.generation.extractive.account_figures.measures import LIMIT, Measure
from engine.generation.extractive.account_figures.vocabulary import has_word_of, role_of
from engine.text.dates import fold
from engine.text.numbers import shown_percent
from engine.text.words import letter_words

#: The probability from which a question asks whether a limit is passed.
_ASKS = 0.3
#: The probability from which a question is about a limit.
_LIKELY = 0.5
#: Values that say that there is no limit.
_UNLIMITED = re.compile(r"(?:unlimited|ilimitad[oa]s?|infinit\w*|(?:no|sin) limite?s?|∞)\b|∞")
_WHOLE = Fraction(100)
#: What is left of the other operations where a limit is asked about that is passed.
_REST = 0.2


def asks_for_limits(question: Question) -> bool:
    """Whether a question says a limit, and asks what is above it."""
    folded = fold(question.own)
    limits = any(role_of(word) == LIMIT for word in letter_words(folded))
    return limits and (has_word_of("above", folded) or question.chances.get("over", 0.0) >= _ASKS)


def as_over(question: Question) -> Question:
    """A question for how far a limit is passed, "how many over my allowance?", as one that is not for the limit."""
    if not asks_for_limits(question) or question.chances.get("over", 0.0) >= _LIKELY:
        return question
    rest = {name: chance * _REST for name, chance in question.chances.items() if name != "over"}
    return replace(question, chances={"over": 1 - sum(rest.values()), **rest})


def unlimited(question: Question, limits: Iterable[tuple[str, object]], says: Callable[[str], float]) -> str:
    """That a thing has no limit, where a question asks what is left of it or its limit; empty for any other.

    Args:
        limits: The names of limits, with their values.
        says: The share of the words of a name that the question says.
    """
    if sum(question.chances.get(name, 0.0) for name in ("left", "limit", "enough", "over", "percent")) < _LIKELY:
        return ""
    for label, value in limits:
        thing = " ".join(word for word in label.split() if not role_of(word))
        if isinstance(value, str) and _UNLIMITED.match(fold(value)) and thing and says(thing) == 1:
            return phrases.VALUE[question.language].format(label=labelled(label), value=value)
    return ""


def over_limits(question: Question, account: Account) -> str:
    """The limits that are passed, or that none is, with all shares; empty where there are none with what is used."""
    language = question.language
    told = [(measure.called, usage) for measure in account.measures if (usage := _usage(measure, account)) is not None]
    over = [(name, usage) for name, usage in told if usage.share is not None and usage.share > _WHOLE]
    if not told:
        return ""
    if not over:
        shares = ", ".join(f"{name} {shown_percent(u.share, language)}" for name, u in told if u.share is not None)
        return phrases.NONE_OVER[language].format(shares=shares)
    first, *others = (of_usage("over", usage, name, language) for name, usage in over)
    yes = phrases.MORE_OR_LESS[language][0]
    return " ".join([f"{yes}{labelled(first.removeprefix(yes))}", *(labelled(o.removeprefix(yes)) for o in others)])


def _usage(measure: Measure, account: Account) -> Usage | None:
    """What is used of a limit of the same unit; None where the account does not say both."""
    usage = usage_of(measure, account.limit_for(measure))
    if usage is None or usage.used is None or usage.limit is None or usage.used.is_money is not usage.limit.is_money:
        return None
    units = {usage.used.unit.casefold(), usage.limit.unit.casefold()} - {""}
    return usage if usage.share is not None and len(units) < 2 else None
