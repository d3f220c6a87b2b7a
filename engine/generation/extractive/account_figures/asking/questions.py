"""What a question wants of the figures: how much is left, what share is used, when, which one, compared with what.

The rows of `operations.json` are examples in both languages, and a head on the encoder is fitted to them (`heads`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property

from classifier.embedder import Embedder
from engine.generation.extractive.account_figures.asking.heads import SHIPPED, FigureHeads, by_its_word, numbers_of
from engine.generation.extractive.account_figures.asking.wording import without_named_days
from engine.generation.extractive.account_figures.figure import CURRENCY, Day, without_amounts
from engine.generation.extractive.account_figures.vocabulary import (
    GOALS,
    Period,
    has_word_of,
    is_period,
    months_asked,
    ordinal,
    period_in,
    rank,
    role_of,
    roles,
    stems_of,
    vocabulary,
    without_periods,
    without_stretch,
)
from engine.text.dates import BETWEEN_ENDS, find_dates, fold, months
from engine.text.language import Language, language_of
from engine.text.words import COMMON, blanked, has_digit, letter_words, plain_words, stem

#: How much likelier a word that names a role ("limit", "remaining") makes asking for that, and "more than" comparing.
_TOLD = 5.0
#: "More kilometres than": a comparison, whatever is compared.
MORE_THAN = re.compile(r"\b(?:more|less|fewer|higher|lower|mas|menos|mayor|menor)\b.*\b(?:than|que)\b")

#: Asks for a number, and not for how long something takes.
COUNTING = re.compile(r"\W*(?:and |y )?(?:how (?:many|much)|cuant[oa]s)\b")
#: Asks for the difference of two things by its name.
_DIFFERENCE = re.compile(r"\b(?:difference|diferencia)\b")
#: Asks how much one thing is more than another.
_BY_HOW_MUCH = re.compile(r"\b(?:how (?:much|many) (?:more|less|fewer)\b.*\bthan|cuant[oa]s? (?:mas|menos)\b.*\bque)\b")
#: Asks for a reason, which no figure is; how likely that makes "other" beside all that a figure may be.
_WHY, _REASON = re.compile(r"\W*(?:and |y |but |pero |so )?(?:why|how come|por que)\b"), 50.0
#: Says itself what it asks for; "what is the ... of" is near to asking for one value.
AVERAGE = re.compile(r"\b(?:average|avg|promedio|de media|(?:precio|coste|peso|tiempo|valor) medio)\b")
#: "Paid courses", "cursos de pago"; not what was paid for, or by whom.
_PAID = re.compile(r"\b(?:paid (?!for|by|on|in|to|at|out|off|so)[a-z]|de pago\b)")
_BETWEEN = re.compile(r"\b(?:between|entre)\b")
_WORD, _LETTERS = re.compile(r"[^\W\d_]+"), 3
#: What stands before the first month of a stretch that goes on until today.
_SINCE = re.compile(r"\b(?:since|desde|a partir de)\W+(?:[^\W\d_]+\W+)?(?P<month>[^\W\d_]+)", re.IGNORECASE)

_WHEN, _TURNS = (
    re.compile(r"\b(?:when|cuando|what da(?:y|te)|que (?:dia|fecha))\b"),
    (("next", "to_come"), ("last", "in_past")),
)
#: The probability from which a question asks for a change or a share.
_PROBABLY = 0.5


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    Attributes:
        chances: Probabilities of the operations, the likeliest first.
        period: The period that it names.
        day: The day that it names.
        today: The day that it is asked on.
        words: The stems of its words that no operation is told by: what it is about.
        row: The row of a context whose range holds its number, which is no part of its text then.
        own: Its own text, where `text` has words of an earlier question too.
        days: All days that it names, those of a stretch too; `day` is the first of them.
        day_said: How it names them, where that is by the day of the week.
        quarters: The rows of the quarters that it names, in its order, or from the last one where it names a stretch.
    """

    text: str
    language: Language
    chances: Mapping[str, float]
    period: Period | None
    day: Day | None
    words: frozenset[str]
    today: date
    row: str = ""
    own: str = ""
    days: tuple[Day, ...] = ()
    day_said: str = ""
    quarters: tuple[str, ...] = ()

    @property
    def topic(self) -> str:
        """Those words as they are written."""
        return topic_of(self.text, self.words)

    @property
    def months(self) -> tuple[int, ...]:
        """The months that it names where these are several: "in May and June", "from March to July", "since March"."""
        since = _since(self.text)
        return _stretch(months()[fold(since["month"])], self.today.month) if since else months_in(self.text)

    @property
    def ordinal(self) -> str:
        """`first`, `last` or `next` where it asks for one of several that are in order; empty otherwise."""
        bare = plain_words(without_periods(fold(self.text)))
        return next(filter(None, map(ordinal, bare)), "")

    @property
    def rank(self) -> int:
        """The place in an order that it asks for: 2 for the second largest, 1 for the largest."""
        return max(map(rank, plain_words(fold(self.text))), default=1)

    @property
    def paid(self) -> bool:
        """Whether it asks for things that cost something: what costs 0 is not paid."""
        return _PAID.search(fold(self.text)) is not None

    def names(self, label: str) -> bool:
        """Whether it says this whole name of a value."""
        return bool(stems_of(label)) and f" {fold(label)} " in f" {fold(bare_words(self.text))} "

    @property
    def of_limit(self) -> str:
        """What it asks of a limit, or of credit, that it names; empty where it names none."""
        told = {role_of(word) for word in letter_words(fold(self.own))}
        used = "used" in told and self.operation in ("value", "limit", "percent")
        return "" if "limit" not in told and not self.of_credit else "percent" if used else self.operation

    @property
    def of_credit(self) -> bool:
        """Whether it says credit."""
        return re.search(r"\bcredit", fold(self.own)) is not None

    @property
    def of_goal(self) -> bool:
        """Whether it says that there is something to be reached."""
        return any(word in GOALS for word in letter_words(fold(self.own)))

    @property
    def turn(self) -> str:
        """`next` where it asks when something is to come, `last` where it asks when it was; empty for any other."""
        said = [name for name, kind in _TURNS if has_word_of(kind, fold(self.own))]
        return said[0] if _WHEN.search(fold(self.own)) and len(said) == 1 and not self.ordinal else ""

    @property
    def period_alone(self) -> Period | None:
        """The period that is all that it asks for: "and last month?", "y antes?"; None where it says more."""
        words = plain_words(fold(self.own))
        if step_in(" ".join(word for word in words if not is_period(word))) < 0:
            return Period("", "previous")
        return None if plain_words(_PRONOUN.sub("", without_periods(fold(self.own)))) else period_in(self.own)

    @property
    def changes(self) -> bool:
        """Whether it asks how much something has changed."""
        told = has_word_of("changing", fold(self.own))
        asked = ("compare", *(("percent", "value") if told else ()))
        return sum(self.chances[name] for name in asked) >= _PROBABLY

    @property
    def shares(self) -> bool:
        """Whether it asks for a share, and names nothing that is used, a limit or left."""
        told = {role_of(word) for word in letter_words(fold(self.own))}
        return self.chances["percent"] >= _PROBABLY and not told & {"used", "limit", "left"}

    @property
    def operation(self) -> str:
        """The likeliest operation."""
        return next(iter(self.chances))


def as_sum(question: Question) -> Question:
    """A question for all "between October and December" as one for a sum: a difference is told by a word for it."""
    named = len(question.months) > 1 or len(question.days) > 1 or len(question.quarters) > 1
    between = _BETWEEN.search(fold(question.own)) is not None and not _compares(question.own)
    if not named or not between or question.operation != "compare":
        return question
    rest = {name: chance for name, chance in question.chances.items() if name not in ("compare", "sum")}
    both = question.chances["compare"] + question.chances.get("sum", 0.0)
    return replace(question, chances={"sum": both, **rest, "compare": 0.0})


#: Asks for an amount.
_AMOUNT = re.compile(r"\b(?:how (?:much|many)|cuant[oa]s?|total)\b")
#: Words that two numbers are compared by.
_COMPARING = re.compile(
    r"\b(?:more|less|fewer|higher|lower|mas|menos|mayor|menor|difference|diferencia|compar\w+|vari\w+|gap)\b"
)
#: What stands for a thing that was named before, or asks for it: "the one", "what about".
_PRONOUN = re.compile(
    r"\b(?:the|that|this|one|what|about|how|and|in|of|el|la|los|las|lo|un[oa]?|e[ns]|del?|y|mes|month|que)\b"
)
_BACK = re.compile(r"\b(?:before|previous|prior|preceding|anterior|antes|previ[oa])\b")
_ON = re.compile(r"\b(?:after|next|following|despues|siguiente|posterior)\b")


def differs(folded: str) -> bool:
    """Whether a folded text asks for a difference by that word."""
    return _DIFFERENCE.search(folded) is not None


def step_in(text: str) -> int:
    """-1 for a text that asks for the one before, and nothing else; 1 for the one behind; 0 for any other."""
    folded = fold(text)
    for step, words in ((-1, _BACK), (1, _ON)):
        if words.search(folded) and not plain_words(_PRONOUN.sub("", words.sub("", folded))):
            return step
    return 0


def months_alone(text: str) -> int:
    """The months for which a text wants a price, where it says nothing else: "and in euros a month?"; else 0."""
    rest = _PRONOUN.sub("", without_stretch(re.sub(rf"\b{CURRENCY}", "", text, flags=re.IGNORECASE)))
    return months_asked(text) if not plain_words(rest) else 0


def topic_of(text: str, stems: frozenset[str]) -> str:
    """The words of a text that have one of these stems, as they are written."""
    words = plain_words(text)
    return " ".join(dict.fromkeys(word for word in words if stem(fold(word)) in stems))


class Operations:
    """Tells operations by the head.

    Args:
        embedder: Reads each question; may block.
        heads: None: those that ship.
    """

    def __init__(self, embedder: Embedder, heads: FigureHeads | None = None) -> None:
        self._embedder, self._given = embedder, heads

    @cached_property
    def heads(self) -> FigureHeads:
        """Read at the first question."""
        return FigureHeads.load(SHIPPED, self._embedder.name_id) if self._given is None else self._given

    def read(self, text: str, today: date, names: Iterable[str] = ()) -> Question:
        """Takes a question apart.

        Args:
            names: What a context calls things: one of several words asks for nothing, "low" in "low cost".
        """
        bare = bare_words(text)
        words = bare.split()
        since = _since(text)  # asks for what there was since, not when
        bare = bare_words(f"{text[: since.start()]} {text[since.end() :]}") if since else bare
        unnamed = _without_names(bare, names)
        chances = self.heads.read(self._embedder.embed([unnamed])[0])
        if unnamed != bare and next(iter(chances)) == "other":  # nothing is left that asks
            chances = self.heads.read(self._embedder.embed([bare])[0])
        ranked = _ranked(chances, text, bare, words)
        days = _days(without_named_days(text, names), today)
        day = next(iter(days), None)
        return Question(text, language_of(text), ranked, period_in(text), day, about(text), today, own=text, days=days)

    def chances(self, query: str) -> dict[str, float]:
        """The probabilities of what a query asks of documents, the likeliest first, by what routed it.

        In capitals alone it is read in small letters, as the examples are.
        """
        typed = query if query != query.upper() else query.casefold()
        bare = bare_words(query)
        read = self.heads.read_query(numbers_of(self._embedder, [typed])[0])
        read["average"] += _REASON * bool(AVERAGE.search(fold(query)))
        return _ranked(read, query, bare, bare.split())


def _ranked(chances: dict[str, float], text: str, bare: str, words: Iterable[str]) -> dict[str, float]:
    """The probabilities of a head with what single words tell for sure, the likeliest first."""
    chances = by_its_word(chances, fold(bare))
    told = {roles().get(fold(word), "") for word in words}
    told |= {"compare"} if MORE_THAN.search(fold(text)) else {"sum"} if "total" in told else set()
    odds = {name: chance * (_TOLD if name in told else 1.0) for name, chance in chances.items()}
    odds["compare"] += _REASON * bool(_BY_HOW_MUCH.search(fold(text)) and not told & {"limit", "left"})
    odds["other"] += _REASON * bool(_WHY.match(fold(text)))
    return {name: odd / sum(odds.values()) for name, odd in sorted(odds.items(), key=lambda one: -one[1])}


def _without_names(bare: str, names: Iterable[str]) -> str:
    """The words of a question without the names in it that have several words, none of them for a role."""
    kept = bare
    for name in names:
        called = bare_words(name)
        words = called.split()
        told = len(words) > 1 and all(map(str.isalpha, words)) and not any(map(role_of, words))
        if told and f" {fold(called)} " in f" {fold(kept)} ":
            start = f" {fold(kept)} ".find(f" {fold(called)} ")
            kept = " ".join(f"{kept[:start]} {kept[start + len(called) :]}".split())
    return kept or bare


def bare_words(text: str) -> str:
    """A question as its operation is told by: words in lower case, without punctuation."""
    return " ".join(re.findall(r"[^\W_]+|%", text.casefold()))


def about(text: str) -> frozenset[str]:
    """The stems of the words of a question that say what it is about; dates and periods are none of them."""
    folded = fold(without_amounts(text))
    folded = blanked(folded, ((named.start, named.end) for named in find_dates(folded, date(2000, 1, 1))))
    told = {stem(word) for word in roles()} | {stem(name) for name in months()}
    bare = re.sub(r"\b(?:daily|weekly|monthly|yearly|diari[oa]|semanal|mensual|anual)\b", " ", without_periods(folded))
    told |= vocabulary()["ordinals"].keys() | {stem(word) for word in vocabulary()["asking"]}
    return frozenset(w for w in stems_of(bare) if w not in told and not w[0].isdigit())


def _days(text: str, today: date) -> tuple[Day, ...]:
    """The days that a question names, and those between two of them; "yesterday" is counted from `today`."""
    folded = fold(text)
    named = find_dates(folded, today, ahead=False)
    days = [Day(one.day, one.whole or not has_digit(folded[one.start : one.end])) for one in named]
    ends = re.fullmatch(ends_in(text), folded[named[0].end : named[1].start]) if len(named) == 2 else None
    length = (days[1].day - days[0].day).days if ends else 0
    return tuple(replace(days[0], day=days[0].day + timedelta(at)) for at in range(length + 1)) if length else (*days,)


def months_in(text: str) -> tuple[int, ...]:
    """The months that a question names where it names several, those between two of them too."""
    named = months_named(text)
    return named if len(named) > 1 else ()


def months_named(text: str) -> tuple[int, ...]:
    """The months that a text names, those between two of them too."""
    return tuple(dict.fromkeys((*(months()[fold(match[0])] for match in _months_said(text)), *months_between(text))))


def months_between(text: str) -> tuple[int, ...]:
    """The months of a stretch that a question names by its ends: "Jan to Apr", "de marzo a mayo"."""
    for one, other in itertools.pairwise(_months_said(text)):
        if re.fullmatch(ends_in(text), fold(text[one.end() : other.start()])):
            return _stretch(months()[fold(one[0])], months()[fold(other[0])])
    return ()


def ends_in(text: str, *, bare: bool = False) -> str:
    """What stands between the ends of a stretch: "and" too, "how much between May and July", if it compares nothing.

    Args:
        bare: Also where no amount is asked for.
    """
    folded = fold(text)
    between = _BETWEEN.search(folded) and (bare or _AMOUNT.search(folded)) and not _compares(text)
    return rf"{BETWEEN_ENDS.pattern}|\W*(?:and|y)\W*(?:(?:the|el|la)\b\W*)?" if between else BETWEEN_ENDS.pattern


def _compares(text: str) -> bool:
    """Whether a text has a word for a difference or a change."""
    folded = fold(text)
    return _COMPARING.search(folded) is not None or has_word_of("changing", folded)


def _since(text: str) -> re.Match[str] | None:
    """Where a text names the month since which something is asked for; None where it names none, or several."""
    found = _SINCE.search(text)
    return found if found and _is_month(found["month"]) and len(_months_said(text)) == 1 else None


def _stretch(first: int, last: int) -> tuple[int, ...]:
    """The months from one to another, both of them too."""
    return tuple((month - 1) % 12 + 1 for month in range(first, first + (last - first) % 12 + 1))


def _months_said(text: str) -> list[re.Match[str]]:
    return [match for match in _WORD.finditer(text) if _is_month(match[0])]


def _is_month(word: str) -> bool:
    """Whether a word names a month; one that is a word of its own as well does if it is written as a name."""
    return fold(word) in months() and (len(word) > _LETTERS or word[0].isupper() or fold(word) not in COMMON)
