"""Ways to answer a question with their probabilities, and those among them that it can be asking for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.generation.extractive.account_figures.asking.questions import MORE_THAN, Question
from engine.generation.extractive.account_figures.asking.synonyms import same, stem_of
from engine.generation.extractive.account_figures.candidates.bounds import side_said
from engine.generation.extractive.account_figures.candidates.fact import Fact
from engine.generation.extractive.account_figures.candidates.pairing import amount
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.measures import LIMIT, USED
from engine.generation.extractive.account_figures.ranking.forms import EACH, MONEY, PER, WHO
from engine.generation.extractive.account_figures.ranking.signs import Features
from engine.generation.extractive.account_figures.vocabulary import roles
from engine.text.dates import fold

#: The probability that a question compares from which what one number is more than another may answer it.
COMPARED = 0.1
#: How much more of a question has to stay open for an answer to be of something else than one that leaves less.
_MORE_OPEN = 0.3
#: The probability that a question asks for a share from which it surely does, and operations that tell a change.
_SURELY, _CHANGES = 0.8, ("compare", "difference")
#: Operations over all rows of a table, which no question asks for that wants those on one side of a number.
_OVER_ALL = ("list", "texts", "count", "highest", "lowest", "sum", "average")
#: Operations that say how one number stands to its limit.
OF_LIMITS = ("over", "left", "limit", "percent")
#: Operations on two numbers, with those of the head that ask for them.
COMPARING = {
    "difference": ("compare",),
    "share": ("percent",),
    "ratio": ("average", "percent"),
    "together": ("sum", "cost"),
}


@dataclass(frozen=True, slots=True)
class Ranked:
    """A way to answer, or none, with its probability among all of its question.

    Attributes:
        text: What it says; empty where it says that nothing is there.
    """

    candidate: Candidate | None
    features: Features
    chance: float
    text: str = ""


def of_its_time(question: Question, found: list[Ranked]) -> list[Ranked]:
    """Those that are not of another month than the question names, where some are of rows of that month; else all."""
    named = question.period is not None and question.period.month
    timed = any(one.candidate and one.candidate.choice and one.candidate.choice.timed for one in found)
    if timed:  # of all rows is none of that time
        found = [one for one in found if not one.features.get("ignores") or not _counts_rows(one)]
    return [one for one in found if not one.features.get("period_not")] if timed and named else found


def _counts_rows(one: Ranked) -> bool:
    """Whether it names or counts rows."""
    return one.candidate is not None and one.candidate.operation in ("list", "count")


def asked_for(question: Question, found: list[Ranked]) -> list[Ranked]:
    """Those without what two numbers come to that the question hardly asks for: a count is no difference of counts."""
    folded = fold(question.text)
    chance = {name: sum(question.chances.get(one, 0.0) for one in of) for name, of in COMPARING.items()}
    told = {
        "difference": chance["difference"] >= COMPARED or MORE_THAN.search(folded) is not None,
        "share": chance["share"] >= COMPARED,
        "part": chance["share"] >= COMPARED,
        "together": chance["together"] >= COMPARED,
        "ratio": chance["ratio"] >= COMPARED or PER.search(folded) is not None,
    }
    if WHO.match(folded) and any(one.candidate and one.candidate.operation == "rows_over" for one in found):
        over = question.chances.get("over", 0.0) >= COMPARED  # "which month is over the budget" wants a month
        found = [o for o in found if not over or o.candidate is None or o.candidate.operation not in OF_LIMITS]
    if question.chances.get("percent", 0.0) >= _SURELY and not question.changes and chance["difference"] < COMPARED:
        found = [o for o in found if o.candidate is None or o.candidate.operation not in _CHANGES]
    each = {stem_of(word) for word in EACH.findall(folded)}
    found = [o for o in found if o.candidate is None or not _of_some(o.candidate, each)]
    found = [o for o in found if o.candidate is None or o.candidate.operation != "difference" or _may_differ(o)]
    kept = [
        o for o in found if o.candidate is None or len(o.candidate.facts) < 2 or told.get(o.candidate.operation, True)
    ]
    return _known(_of_all(folded, _of_use(folded, _as_said(folded, _within(folded, kept)))))


def _within(folded: str, found: list[Ranked]) -> list[Ranked]:
    """Those without rows on the other side of a number than the question says: "below their minimum".

    What is named behind the word for the side is what the other is held against.
    """
    above, rest = side_said(folded) or (False, "")
    behind = [stem_of(word) for word in re.findall(r"[^\W_]+", rest)]
    if not behind:
        return found

    def told(one: Ranked) -> bool | None:
        held = _held(one.candidate)
        if held is None:
            return None
        first, second = (any(same(stem_of(a), b) for a in fact.words for b in behind) for fact in held[:2])
        return None if first is second else second and held[2] is above

    on_side = [told(one) for one in found]
    meant = any(on_side)
    kept = (one for one, side in zip(found, on_side, strict=True) if side is not False)
    return [one for one in kept if not (meant and _of_all_rows(one.candidate))]


def _of_all_rows(of: Candidate | None) -> bool:
    """Whether it names, counts or ranks all rows of a table."""
    if of is None or of.table is None or of.choice is not None or of.bound is not None:
        return False
    return of.operation in _OVER_ALL and len(of.facts) < 2


def _held(of: Candidate | None) -> tuple[Fact, Fact, bool] | None:
    """The two numbers of rows of which one is held against the other, and whether it is above that."""
    if of is None or len(of.facts) < 2 or not of.rows or of.operation not in ("rows_over", "rows_under", "count"):
        return None
    first, second = of.facts[:2]
    if of.rows[0] not in first.rows or len(second.rows) != len(first.rows):
        return None
    place = first.rows.index(of.rows[0])
    one, other = amount(first.figures[place]), amount(second.figures[place])
    return (first, second, one.value > other.value) if one is not None and other is not None else None


def _as_said(folded: str, found: list[Ranked]) -> list[Ranked]:
    """Those without a difference the other way round than the question says its two names: "photos than videos"."""
    ways = {_ways(one) for one in found} - {()}
    turned = {
        way for way in ways if way[::-1] in ways and _stands(folded, way[0], way[1]) > _stands(folded, *way[::-1])
    }
    return [one for one in found if _ways(one) not in turned]


def _ways(one: Ranked) -> tuple[str, ...]:
    """The names of the two amounts that a difference is of, the one that has more or less first; empty for others."""
    of = one.candidate
    differs = of is not None and of.operation in ("difference", "compare") and len(of.parts) > 1
    return (of.parts[0][0], of.parts[1][0]) if of is not None and differs else ()


def _stands(folded: str, name: str, other: str) -> int:
    """The place in a folded text of the first word that only the first name has; behind all where there is none."""
    theirs = {stem_of(word) for word in re.findall(r"[^\W_]+", other)}
    own = [stem for word in re.findall(r"[^\W_]+", name) if (stem := stem_of(word)) not in theirs]
    places = [
        word.start() for word in re.finditer(r"[^\W_]+", folded) if any(same(stem_of(word[0]), one) for one in own)
    ]
    return min(places, default=len(folded))


def _of_use(folded: str, found: list[Ranked]) -> list[Ranked]:
    """Those of what was used where the question asks for that and not for money: else all."""
    asked = any(roles().get(word) == USED for word in re.findall(r"[^\W\d_]+", folded))
    told = {o.candidate.operation for o in found if o.candidate and any(f.role == USED for f in o.candidate.facts)}
    if not asked or MONEY.search(folded):
        return found
    return [
        o
        for o in found
        if o.candidate is None
        or o.candidate.operation not in told
        or not o.candidate.is_money
        or any(f.role == USED for f in o.candidate.facts)
    ]


def _of_all(folded: str, found: list[Ranked]) -> list[Ranked]:
    """Those without what a row uses of a limit, where the question asks for its share: "what share was sent to Lima".

    A share is of all rows unless the question says that it is of what is allowed.
    """
    shares = [o for o in found if o.candidate and o.candidate.operation == "share" and o.candidate.choice is not None]
    if not shares or any(roles().get(word) == LIMIT for word in re.findall(r"[^\W\d_]+", folded)):
        return found
    open_ = min(o.features.get("open_rows", 0.0) for o in shares)
    return [o for o in found if o.candidate is None or o.candidate.operation != "percent" or not _is_beside(o, open_)]


def _is_beside(one: Ranked, open_: float) -> bool:
    """Whether a row is held against a limit of all, or more of the question is left open than by the share of a row."""
    of = one.candidate
    of_row = of is not None and of.choice is not None and len(of.facts) > 1 and not of.facts[1].rows
    return of_row or one.features.get("open_rows", 0.0) > open_ + _MORE_OPEN


def _known(found: list[Ranked]) -> list[Ranked]:
    """Those without the lack of one value where the question says as much of the name of another that is there."""
    told: dict[str, float] = {}
    for one in found:
        of = one.candidate
        if of is not None and of.operation == "value" and of.table is None and not of.facts[0].previous:
            told[of.facts[0].role] = max(told.get(of.facts[0].role, 0.0), one.features.get("told", 0.0))
    return [o for o in found if not _is_lack(o) or o.features["told"] > told.get(_role(o), -1.0)]


def _is_lack(one: Ranked) -> bool:
    """Whether it says that a single value is not there, and the question says its name in part."""
    of = one.candidate
    lacks = of is not None and of.operation == "empty" and of.table is None and len(of.facts) == 1
    return lacks and one.features.get("told", 1.0) < 1


def _role(one: Ranked) -> str:
    return one.candidate.facts[0].role if one.candidate is not None else ""


def _of_some(one: Candidate, each: set[str]) -> bool:
    """Whether it is of some rows of a table whose rows are what a question wants a mean of: "per vehicle"."""
    key = {stem_of(word) for word in one.table.key.split()} if one.table is not None else set()
    return one.choice is not None and not one.choice.timed and any(same(a, b) for a in each for b in key)


def _may_differ(one: Ranked) -> bool:
    """Whether two columns of a row may have a difference: they are of one thing or unit, or both are asked for."""
    candidate = one.candidate
    if candidate is None or len(candidate.facts) < 2 or not candidate.facts[0].rows:
        return True
    first, second = candidate.facts[:2]
    alike = bool(first.thing & second.thing) or first.unit == second.unit != ""
    return alike or (one.features["told"] > 0 and one.features["second"] > 0)
