"""An answer by rules held against the ranking: which of both is given, or that neither is sure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.generation.extractive.account_figures import phrases
from engine.generation.extractive.account_figures.ranking.facts import Reading
from engine.generation.extractive.account_figures.ranking.ranker import Ranked, Ranker
from engine.generation.extractive.account_figures.ranking.saying import text_of
from engine.generation.extractive.account_figures.ranking.terms import Question, fold

__all__ = ["SURE", "Ranker", "Reading", "alike", "weighed"]

#: The probability from which the likeliest candidate is the answer, where the rules have none and where they have
#: another one. Of 290 candidates of .85 or more, contexts left out, 272 were right; of 388 of .75 or more, 346.
SURE = 0.85
#: The probability from which it is said with a word of doubt where the rules have none.
_LIKELY = 0.4
#: The same where it leaves a word of the question open that weighs as much, or figures hardly tell what is asked, or
#: where the rules have another answer, which is a third as likely at most.
_LIKELIER, _OPEN = 0.75, 0.35
#: The probability from which the two likeliest together are said as what may be meant.
_EITHER = 0.35
#: The weight of a word that an answer leaves open from which it is not said as one that may be meant.
_UNSAID = 0.55
#: The part of its probability that another answer has from which both are named where the rules have none.
_RIVAL = 0.7
#: That of the answer by rules from which it is sure. Of 303 answers by rules to questions that others asked, 91 in 100
#: were right where it is .6 or more, 71 from .3 on, 64 from .1 on, 27 below.
_AGREED = 0.2
#: The same where the question probably asks for another operation: where its own has this logarithm of a probability at
#: most, as `Signs` scales it (.3 of a probability).
_AGREED_OF_OTHER, _OTHER = 0.35, -0.4
#: The share of its words from which a question is all said by an answer.
_SAID = 0.95
#: The probability below which an answer by rules is held up by nothing; that of another, and of all others together,
#: from which it is doubted then.
_HELD, _DOUBTED, _OTHERS = 0.1, 0.45, 0.8
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")


class Weighed(NamedTuple):
    """Which answer is given.

    Attributes:
        sure: It is what was asked for.
        likely: It is not sure, and gives the figure that is probably meant.
    """

    text: str
    sure: bool
    likely: bool


def weighed(question: Question, told: str, ranked: Sequence[Ranked]) -> Weighed | None:
    """Which answer is given; None for what the rules say.

    Args:
        told: The answer by rules; empty where they have none.
    """
    chances: dict[str, float] = {}
    first: dict[str, Ranked] = {}
    for one in ranked:
        text = text_of(one.candidate, question) if one.candidate is not None and not one.candidate.missing else ""
        chances[text] = chances.get(text, 0.0) + one.chance
        first.setdefault(text, one)
    best = max(chances, key=lambda text: chances[text])
    met = bool(best) and not first[best].features.get("unmet")
    dated = bool(best) and _is_date(first[best]) and chances[best] >= SURE
    named = bool(best) and not _of_another_time(question, first[best]) and (met or dated)
    if not told:
        return _untold(question, best, chances, first[best], named=named, met=met)
    held = sum(chance for text, chance in chances.items() if text and alike(told, text))
    agreed = held >= _least_agreed(told, first)
    if best and alike(told, best):
        longer = len(best) > len(told) and _extreme(ranked, best, question)
        return _said(question, best if longer else told, agreed)
    if best and _of_rules(told, first[best]):
        return None
    if named and met and chances[best] >= SURE:
        return Weighed(best, sure=True, likely=False)
    if named and chances[best] >= _LIKELIER and held < chances[best] / 3:
        return _said(question, best, sure=False)
    return _doubt(question, told, best, chances, first) or _said(question, told, agreed)


def _untold(
    question: Question, best: str, chances: Mapping[str, float], ranked: Ranked, *, named: bool, met: bool
) -> Weighed | None:
    """The likeliest answer where the rules have none, or the two likeliest."""
    unsaid = question.operation == "other" or ranked.features.get("open_rows", 0.0) >= _OPEN
    rival = max((chance for text, chance in chances.items() if text not in ("", best)), default=0.0)
    named = named and not ranked.features.get("states")
    if named and chances[best] >= (_LIKELIER if unsaid else _LIKELY) and rival < _RIVAL * chances[best]:
        return _said(question, best, chances[best] >= SURE and met)
    return _either(question, chances) if named and met and ranked.features.get("open_rows", 0.0) < _UNSAID else None


def _either(question: Question, chances: Mapping[str, float]) -> Weighed | None:
    """The two likeliest answers as what may be meant; None where neither, or that there is none, is as likely."""
    likeliest = sorted((text for text in chances if text), key=lambda text: -chances[text])[:2]
    both = sum(chances[text] for text in likeliest)
    if len(likeliest) < 2 or question.operation == "other" or both < _EITHER or both < chances.get("", 0.0):
        return None
    return _unsure(question, *likeliest)


def _unsure(question: Question, *texts: str, likely: bool = False) -> Weighed:
    """Answers by name, of which one may be meant."""
    names = phrases.OR[question.language].join(text.rstrip(".") for text in texts if text)
    return Weighed(phrases.UNSURE[question.language].format(names=names), sure=False, likely=likely)


def _said(question: Question, text: str, sure: bool) -> Weighed:
    """An answer, with a word of doubt where it is not sure."""
    return Weighed(text if sure else phrases.LIKELY[question.language].format(answer=text), sure=sure, likely=not sure)


def _least_agreed(told: str, first: Mapping[str, Ranked]) -> float:
    """The probability from which an answer by rules is sure: more where its operation is hardly what is asked for.

    A question that names things and nothing else asks for no operation.
    """
    mine = [one for text, one in first.items() if text and alike(told, text)]
    likeliest = max(mine, key=lambda one: one.chance, default=None)
    signs = likeliest.features if likeliest is not None else {}
    other = signs.get("asked", 0.0) < _OTHER and signs.get("rows", 1.0) < _SAID
    return _AGREED_OF_OTHER if other else _AGREED


def _of_rules(told: str, best: Ranked) -> bool:
    """Whether the rules know better: states and names, and which whole a share is of."""
    share = best.candidate is not None and best.candidate.operation == "share" and "%" in told
    return share or bool(best.features.get("states"))


def _doubt(
    question: Question, told: str, best: str, chances: Mapping[str, float], first: Mapping[str, Ranked]
) -> Weighed | None:
    """Both answers by name, where the one by rules is held up by nothing; None where it is."""
    mine = [text for text in chances if text and alike(told, text)]
    held = sum(chances[text] for text in mine)
    others = 1 - held - chances.get("", 0.0)
    timed = not mine or not first[mine[0]].features.get("not_when")
    likely = (bool(best) and chances[best] > _DOUBTED) or others >= _OTHERS
    if timed and (held >= _HELD or not likely):
        return None
    return _unsure(question, told, best, likely=True)


def _is_date(one: Ranked) -> bool:
    return one.candidate is not None and one.candidate.operation == "date"


def _of_another_time(question: Question, one: Ranked) -> bool:
    """Whether the question names a time that this one is not of."""
    today = question.period is not None and question.period.unit == "day" and one.features.get("period_open")
    return bool(today) or any(one.features.get(sign) for sign in ("period_not", "day_not"))


def _extreme(ranked: Sequence[Ranked], text: str, question: Question) -> bool:
    """Whether a text names the row of a highest or lowest value, with what the row says."""
    return any(
        one.candidate is not None
        and one.candidate.operation in ("highest", "lowest")
        and text_of(one.candidate, question) == text
        for one in ranked[:3]
    )


def alike(one: str, other: str) -> bool:
    """Whether two answers come to the same: their first numbers behind the name, or else their words."""
    if {_denied(one), _denied(other)} == {True, False}:
        return False
    first, second = (_NUMBER.findall(text.partition(": ")[2] or text) for text in (one, other))
    if first and second:
        same: bool = first[0].strip(".,") == second[0].strip(".,")
        return same
    mine, others = (set(re.findall(r"[^\W\d_]{2,}", fold(text.partition(": ")[2] or text))) for text in (one, other))
    return not first and not second and 2 * len(mine & others) >= max(len(mine), len(others), 1)


def _denied(text: str) -> bool | None:
    """Whether an answer says no; None where it says neither yes nor no."""
    said = re.match(r"\w+", text)
    words = [answers.index(said[0]) for answers in phrases.ANY.values() if said and said[0] in answers]
    return bool(words[0]) if words else None
