"""Which of the ranked answers is given, whether with a word of doubt, or that none is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.generation.extractive.account_figures import phrases
from engine.generation.extractive.account_figures.asking.going_on import points_back
from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.ranking.ranked import Ranked
from engine.generation.extractive.account_figures.rules.told import Told
from engine.generation.extractive.account_figures.saying import NUMBER, alike, as_asked, text_of
from engine.generation.extractive.account_figures.vocabulary import months_asked

#: The probability from which the likeliest answer is given, and the same where the rules say it too.
SURE, AGREED = 0.66, 0.2
#: The probability from which it is said with a word of doubt, and the same where it leaves a word of the question open
#: that weighs as much as `_OPEN`, or where figures hardly tell what is asked. Of 817 questions of strangers 99 are
#: answered right with doubt with these and `_EITHER` (86 at .38, .65 and .35), and of 103 whose answer is not there 67
#: are told so (69; 28 November 2026).
_LIKELY, _LIKELIER, _OPEN = 0.3, 0.38, 0.35
#: The probability from which an answer is held against the others for saying the same in other words.
_COUNTED = 1e-4
#: Ranked answers among which that of the rules is looked for.
_LOOKED_AT = 20
#: The part of its probability that another answer has from which both are named; what both have to have together; and
#: the weight of a word that stays open from which neither is.
_RIVAL, _EITHER, _UNSAID = 0.7, 0.12, 0.55
#: The probability from which the likeliest answer is told beside that there is none, if it is likelier than that. Of
#: questions of strangers that are answered with what is missing, 25 are told rightly what is there so, 26 another
#: figure than what is there, and 5 one though none is (28 November 2026; from .1 on 33, 49 and 8).
_NEAREST = 0.3
#: The same where its name is meant by so much among the names of the context: of what two hands asked and was refused,
#: by .5 four are told rightly so, and one is told though none is there (28 November 2026); by .4 two more of what two
#: other hands asked, none wrongly, and as many of a third hand as by .5 (29 November 2026).
_MEANT, _NEARLY = 0.4, 0.15
#: The weight of a word from which it names something, operations that read a value out, and ends that a name may say.
_CLOSED, _VALUES = 0.1, ("value", "date", "text", "limit", "left")
#: The probability of another kind of question below which a value that it names may answer it.
_PLAIN = 0.5
#: The probability of an operation from which a question surely asks for that.
_ASKED = 0.8
_ENDS = {"highest": "max", "lowest": "min"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the figures of an account say to a question.

    Attributes:
        sure: It is what was asked for; otherwise it says what is missing, or which figures may be meant.
        carried: The question names nothing itself; it asks for something of what the one before it named.
        likely: It is not sure, and gives the figure that is probably meant.
        of: The candidate that it says, where one of them was the likeliest.
    """

    text: str
    sure: bool = True
    carried: bool = False
    likely: bool = False
    of: Candidate | None = field(default=None, compare=False, repr=False)


def weighed(question: Question, told: Told, ranked: Sequence[Ranked]) -> Answer | None:
    """Which answer is given; None where the figures have none.

    Args:
        told: What the rules say.
        ranked: The ways to answer, the likeliest first.
    """
    chances: dict[str, float] = {}
    first: dict[str, Ranked] = {}
    for one in ranked:
        text = one.text
        if text not in chances and one.chance >= _COUNTED:
            text = next((t for t in chances if _same(text, t) or _of_same_row(one, first[t])), text)
        chances[text] = chances.get(text, 0.0) + one.chance
        first.setdefault(text, one)
    best, *others = sorted(chances, key=lambda text: -chances[text])
    chance, signs = chances[best], first[best].features
    if told.sure and best and alike(told.text, best):
        more = _of(first[best], "highest", "lowest", "enough")  # what the row of an extreme says, whether it is enough
        return _said(question, best if more else told.text, sure=chance >= AGREED, of=first[best].candidate)
    fits = bool(best) and not _is_strange(question, signs)
    exact = fits and chance >= _LIKELY and not told.untimed and _is_named(question, first[best])
    met, dated = not signs.get("unmet"), _of(first[best], "date") and chance >= SURE
    if fits and met and (chance >= SURE or told.sure or exact):
        if chance < SURE and not exact:
            return _beside_rules(question, told, first[best], chance, ranked)
        return _said(question, best, sure=True, of=first[best].candidate)
    if told.sure and ("%" in told.text or question.chances.get("percent", 0.0) < SURE):
        return _said(question, told.text, sure=False)
    rival = next((text for text in others if text), "")
    beside = chances[rival] if rival else 0.0
    open_ = signs.get("open_rows", 0.0)
    least = _LIKELIER if question.operation == "other" or open_ >= _OPEN else _LIKELY
    if fits and (chance >= least if met else dated) and beside < _RIVAL * chance:
        return _said(question, best, sure=False, of=first[best].candidate)
    meant = fits and met and rival and question.operation != "other" and open_ < _UNSAID
    return _unsure(question, best, rival) if meant and chance + beside >= max(_EITHER, chances.get("", 0.0)) else None


def beside_missing(question: Question, told: Told, ranked: Sequence[Ranked]) -> str:
    """What is missing, with the nearest figure where one is likely, or the nearest names."""
    chances: dict[str, float] = {}
    for one in ranked:
        chances[one.text] = chances.get(one.text, 0.0) + one.chance
    none = chances.pop("", 0.0)
    best = max(chances, key=lambda text: chances[text], default="")
    signs = next((one.features for one in ranked if one.text == best), {})
    chance = chances.get(best, 0.0)
    meant = signs.get("meant", 0.0) >= _MEANT
    likely = chance >= max(_NEAREST, none) or (chance >= _NEARLY and meant)
    # Where the rules say what is missing of that very name, it is the part asked for, unless all words are in another
    # language than the name.
    foreign = meant and chance >= _NEAREST and len(told.missing.split()) == len(question.words)
    other = signs.get("told") != 1 or foreign
    if not told.missing or not likely or not other or _is_strange(question, signs):
        facts = (one.candidate.facts[0].label for one in ranked if one.candidate is not None and one.candidate.facts)
        return told.naming(list(facts), question.language)
    return phrases.NEAREST[question.language].format(what=told.missing, answer=as_asked(best, question))


def asks_what_follows(question: Question, found: Answer) -> bool:
    """Whether a question asks what follows from what was said, and is told that there is some amount of something."""
    if not points_back(question.own) or question.chances[question.operation] >= _ASKED:
        return False
    yes_no = re.match(r"(?:.*: )?(?:Yes|No|Sí): ", found.text) is not None
    told = found.of is None or found.of.operation not in ("text", "date", "list")
    return yes_no if told else question.operation in ("flag", "enough")


def _same(one: str, other: str) -> bool:
    """Whether two answers say the same, or the same of a name that is the other's with some words more."""
    (name, _, said), (called, _, told) = one.partition(": "), other.partition(": ")
    numbers = NUMBER.findall(said)
    worked = len(numbers) > 1 and numbers == NUMBER.findall(told)  # the same from the same, whatever that is called
    if one == other or not said or (said != told and not worked):
        return one == other
    mine, theirs = (frozenset(re.findall(r"[^\W_]+", text.casefold())) for text in (name, called))
    return mine <= theirs or theirs <= mine


def _of_same_row(one: Ranked, other: Ranked) -> bool:
    """Whether both name the rows of a time, or one names the only one that the other says something of."""
    names = [o.candidate for o in (one, other) if o.candidate is not None and o.candidate.choice is not None]
    if len(names) < 2 or not all(of.choice is not None and of.choice.timed for of in names):
        return False
    lists = sum(of.operation == "list" for of in names)
    return names[0].rows == names[1].rows and (lists == 2 or (lists == 1 and len(names[0].rows) == 1))


def _beside_rules(question: Question, told: Told, best: Ranked, chance: float, ranked: Sequence[Ranked]) -> Answer:
    """What is given where the rules say another answer than the likeliest, which is not sure: one of both, or both."""
    by_rules = [one for one in ranked[:_LOOKED_AT] if one.text and alike(told.text, one.text)]
    priced = any(not one.features.get("not_money") for one in by_rules)
    if priced and best.features.get("not_money"):  # money is asked for
        return _said(question, told.text, sure=False)
    unasked = by_rules and all(one.features.get("unmet") for one in by_rules) and chance >= _LIKELIER
    of = best.candidate  # "a year" asks for so many months of a price
    unasked = unasked or (of is not None and of.operation == "cost" and of.asked and months_asked(question.text) > 0)
    if unasked:
        return _said(question, best.text, sure=False)
    return _unsure(question, told.text, best.text, likely=True)


def by_name(question: Question, reading: Reading) -> Question:
    """A question for how all stands as one for a value, where it says the whole name of one: "my balance right now"."""
    told = (f for f in reading.facts if f.value is not None and not isinstance(f.value, str | bool))
    if question.operation != "insight" or not any(question.names(fact.label) for fact in told):
        return question
    rest = {name: chance for name, chance in question.chances.items() if name not in ("value", "insight")}
    value = question.chances["value"] + question.chances["insight"]
    return replace(question, chances={"value": value, **rest, "insight": 0.0})


def _is_named(question: Question, one: Ranked) -> bool:
    """Whether a value is asked for by its whole name, and by nothing else that names a thing."""
    of, end = one.candidate, _ENDS.get(question.operation, "")
    if of is None or of.table is not None or len(of.facts) != 1 or of.operation not in _VALUES:
        return False
    plain = question.operation in _VALUES or (end != "" and end in of.label.lower())
    plain = plain or (question.operation == "other" and question.chances["other"] < _PLAIN)
    closed = one.features.get("open_rows", 1.0) < _CLOSED and not one.features.get("unmet")
    return plain and closed and (question.names(of.label) or (one.features["told"] == 1 and bool(of.facts[0].thing)))


def doubted(question: Question, found: Answer) -> Answer:
    """The same with a word of doubt."""
    return _said(question, found.text, sure=False, of=found.of)


def of_meant(question: Question, found: Sequence[Candidate]) -> Answer:
    """The answer from candidates that are surely of the kind asked for, with a word of doubt where several are."""
    texts = [text_of(one, question) for one in found]
    if len(texts) > 1:
        return _unsure(question, *texts[:3], likely=True)
    return _said(question, texts[0], sure=not found[0].loose, of=found[0])


def _unsure(question: Question, *texts: str, likely: bool = False) -> Answer:
    """Answers by name, of which one may be meant."""
    names = phrases.OR[question.language].join(text.rstrip(".") for text in texts)
    return Answer(phrases.UNSURE[question.language].format(names=names), sure=False, likely=likely)


def _said(question: Question, text: str, *, sure: bool, of: Candidate | None = None) -> Answer:
    """An answer, with a word of doubt where it is not sure."""
    text = as_asked(text, question)
    text = text if sure else phrases.LIKELY[question.language].format(answer=text)
    return Answer(text, sure, likely=not sure, of=of)


def _is_strange(question: Question, signs: Mapping[str, float]) -> bool:
    """Whether the question names a time, a thing or a state that this one is not of."""
    today = question.period is not None and question.period.unit == "day" and signs.get("period_open")
    return bool(today) or any(signs.get(sign) for sign in ("period_not", "day_not", "states"))


def _of(one: Ranked, *operations: str) -> bool:
    """Whether an answer is of one of these operations."""
    return one.candidate is not None and one.candidate.operation in operations
