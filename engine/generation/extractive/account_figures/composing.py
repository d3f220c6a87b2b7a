"""The sentence that answers a question from the measure that was chosen for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction

from engine.generation.extractive.account_figures import phrases
from engine.generation.extractive.account_figures.asking.questions import MORE_THAN, Question, months_in
from engine.generation.extractive.account_figures.asking.synonyms import uncovered
from engine.generation.extractive.account_figures.calculation import (
    Usage,
    amounts,
    in_period,
    two_periods,
    usage_of,
)
from engine.generation.extractive.account_figures.figure import Amount, Day, Figure, Value
from engine.generation.extractive.account_figures.measures import LIMIT, USAGE, Entry, Measure, is_passed_over
from engine.text.dates import fold, months, written_date
from engine.text.language import Language
from engine.text.numbers import shown_percent
from engine.text.words import plain_words

#: Parts of a sum that are named at most.
_MOST = 12


@dataclass(frozen=True, slots=True)
class Account:
    """The measures of a context.

    Attributes:
        beside: What the context says of the rows of lists, as words, by list and row.
        limit: A limit of nothing in particular, such as a monthly quota.
    """

    measures: tuple[Measure, ...]
    beside: Mapping[tuple[tuple[str, ...] | None, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, measures: Sequence[Measure]) -> Account:
        """The account of these measures."""
        beside: dict[tuple[tuple[str, ...] | None, str], str] = {}
        for figure in (entry.figure for measure in measures for entry in measure.entries if entry.figure.row):
            leaf = next(reversed(figure.path), "")  # a row of a list without names has none
            told = figure.value if isinstance(figure.value, str) else leaf if figure.value is True else ""
            beside[figure.listed, figure.row] = f"{beside.get((figure.listed, figure.row), '')} {told}"
        return cls(tuple(measures), beside)

    def within(self, figures: Iterable[Figure]) -> Account:
        """The account of the measures that have one of these figures."""
        paths = {(figure.listed, figure.path) for figure in figures}
        return Account.of(
            [m for m in self.measures if any((e.figure.listed, e.figure.path) in paths for e in m.entries)]
        )

    def in_turn(self, which: str, today: date) -> Account:
        """The account without the days that are of the other turn by their names."""
        kept = [[e for e in m.entries if not is_passed_over(e.figure, which, today)] for m in self.measures]
        return Account.of([replace(m, entries=tuple(e)) for m, e in zip(self.measures, kept, strict=True) if e])

    def told(self, entry: Entry) -> str:
        """What else the context says of the row of an entry, as words."""
        return self.beside.get((entry.figure.listed, entry.figure.row), "")

    @property
    def limit(self) -> Entry | None:
        """A limit that the context has without saying of what; None where there are several."""
        found = [
            entry
            for measure in self.measures
            for entry in measure.entries
            if entry.role == LIMIT and len(measure.entries) == 1 and _says_nothing(measure.label)
        ]
        return found[0] if len(found) == 1 else None

    def limit_for(self, measure: Measure) -> Entry | None:
        """That limit, where the measure has none of its own and nothing else could be meant by it."""
        free, value = self.limit, measure.first("")
        if (
            free is None
            or value is None
            or not isinstance(value.figure.value, Amount)
            or measure.first(LIMIT) is not None
        ):
            return None
        if free.period.unit:
            timed = [
                m for m in self.measures if any(e.period.unit == free.period.unit for e in m.entries if e is not free)
            ]
            return free if measure in timed or not timed else None
        plain = [m for m in self.measures if (one := m.first("")) and isinstance(one.figure.value, Amount)]
        return free if plain == [measure] else None


def _says_nothing(label: str) -> bool:
    words = {fold(word) for word in label.split()}
    return words <= {USAGE, "monthly", "daily", "weekly", "yearly", "mensual", "diario", "semanal", "anual", "diaria"}


def feasible(operation: str, measure: Measure, account: Account) -> bool:
    """Whether the context says enough of the measure for that operation."""
    numbers = amounts(measure.rows)
    values = [entry.figure.value for entry in measure.entries]
    if operation in ("left", "limit", "percent", "over", "enough"):
        usage = usage_of(measure, account.limit_for(measure))
        money = operation == "enough" and any(isinstance(value, Amount) and value.is_money for value in values)
        known = (
            {"left": usage.left, "enough": usage.left, "limit": usage.limit}.get(operation, usage.share)
            if usage is not None
            else None
        )
        return known is not None or money
    if operation == "compare":
        return two_periods(measure) is not None or _in_time([entry for entry, _ in numbers])
    if operation in ("sum", "average", "highest", "lowest"):
        return len(numbers) > 1
    if operation == "date":
        return any(isinstance(e.figure.value, Day) or (e.figure.day and not e.figure.row) for e in measure.entries)
    if operation == "flag":
        return any(isinstance(value, bool) for value in values) or owed(measure)
    return bool(measure.rows) if operation == "list" else operation not in ("insight", "other")


def _in_time(rows: Sequence[Entry]) -> bool:
    """Whether rows are of several days or months, so that the last one goes on from the one before."""
    days = {entry.figure.day.day if entry.figure.day else month_of(entry) for entry in rows}
    return len(days) > 1 and all(days)


def said(question: Question, operation: str, measure: Measure, account: Account) -> str:
    """The answer of that operation on that measure, which has to be feasible."""
    language = question.language
    usage = usage_of(measure, account.limit_for(measure))
    label = labelled(measure.called)
    if operation == "limit" and (bound := measure.first(LIMIT)) is not None:
        own = fold(bound.figure.name).split()  # "classes attended" of "classes included" are classes
        label = labelled(" ".join(word for word in measure.called.split() if fold(word) in own)) or label
    if operation in ("left", "limit", "percent", "over") and usage is not None:
        return of_usage(operation, usage, label, language)
    if operation == "compare":
        return _compared(question, measure, label)
    if operation in ("sum", "average", "highest", "lowest"):
        return _over_rows(operation, measure.rows, label, language)
    return _stated(question, operation, measure) or _value(question, measure, usage, language)


def _stated(question: Question, operation: str, measure: Measure) -> str:
    """Whether there is some of an amount, the day that stands beside it, or the names of rows; empty for a value."""
    language = question.language
    if operation == "flag" and owed(measure) and not only_names(question.own, measure.label):
        value = measure.entries[0].figure.value
        holds = phrases.ANY[language][isinstance(value, Amount) and value.value == 0]
        return f"{holds}: {shown(value, language)} ({measure.label})."
    told: str = ", ".join(_rows_named(measure.rows)) if operation == "list" else ""
    if operation == "date" and not any(isinstance(entry.figure.value, Day) for entry in measure.entries):
        told = next((shown(e.figure.day, language) for e in measure.entries if e.figure.day and not e.figure.row), "")
    return phrases.VALUE[language].format(label=labelled(measure.label), value=told) if told else ""


def of_usage(operation: str, usage: Usage, label: str, language: Language) -> str:
    """What is used of a limit, left of it, or above it; what the context does not state is said with its parts."""
    used, limit, left = (shown(one, language) for one in (usage.used, usage.limit, usage.left))
    share = shown_percent(usage.share, language) if usage.share is not None else ""
    known = {"label": label, "used": used, "limit": limit, "left": left, "share": share}
    if usage.used and usage.limit and usage.used.value > usage.limit.value:
        known["over"] = shown(usage.used.like(usage.used.value - usage.limit.value), language)
        if operation == "left" and operation not in usage.given:
            return phrases.NONE_LEFT[language].format(**known)
    derived = {"left": phrases.LEFT, "limit": phrases.LIMIT, "used": phrases.USED}
    if operation in derived:
        template = phrases.VALUE if operation in usage.given else derived[operation]
        return template[language].format(**known, value=known[operation])
    if usage.used is None or usage.limit is None:
        return phrases.SHARE_GIVEN[language].format(**known)
    if operation == "percent":
        return phrases.SHARE[language].format(**known)
    if "over" in known:
        return phrases.OVER[language].format(**known)
    return phrases.NOT_OVER[language].format(**known)


def _compared(question: Question, measure: Measure, label: str) -> str:
    both = two_periods(measure, question.period, months_in(question.own))
    if both is None:
        rows = amounts(measure.rows)
        if not _in_time([entry for entry, _ in rows]):
            return ""
        both = (rows[-1][0], rows[-2][0])
    month = question.period.month if question.period is not None else 0
    alone = _IN.search(fold(question.own)) is not None and not months_in(question.own)
    if alone and month and both[1].period.month == month and MORE_THAN.search(fold(question.own)) is None:
        both = both[::-1]  # "how much more in November" has that month first
    now, before = (entry.figure.value for entry in both)
    if not isinstance(now, Amount) or not isinstance(before, Amount):
        return ""
    return yes_or_no(question, now.value - before.value) + of_difference(label, now, before, question.language)


def of_difference(label: str, now: Amount, before: Amount, language: Language, *, earlier: bool = True) -> str:
    """How much more or less one amount is than another, with the share where that is the same at an earlier time."""
    difference, share = now.value - before.value, ""
    if before.value > 0 and earlier:
        share = f", {'+' if difference > 0 else '−'}{shown_percent(abs(difference) / before.value * 100, language)}"
    template = phrases.SAME if not difference else phrases.MORE if difference > 0 else phrases.FEWER
    said = template[language].format(
        label=label,
        difference=shown(now.like(abs(difference)), language),
        now=shown(now, language),
        before=shown(before, language),
        share=share,
    )
    return said if earlier else said.replace(phrases.BEFORE[language], "")


def yes_or_no(question: Question, difference: Fraction) -> str:
    """What "did I use more?" is answered with; empty for questions of how much or which."""
    folded = fold(question.own or question.text)
    asked = re.search(r"\b(?:(more|mas|higher|mayor|up|better|mejor)|less|fewer|lower|menos|menor|down)\b", folded)
    if asked is None or re.match(r"\W*(?:(?:and|y)\W+)?(?:how|what|which|by|cuant|que|cual|en cuanto|compar)", folded):
        return ""
    return phrases.MORE_OR_LESS[question.language][(difference <= 0) if asked[1] else (difference >= 0)]


#: Asks how much more there is at a time.
_IN = re.compile(r"\b(?:how (?:much|many)|cuant[oa]s?)\b.*\b(?:more|less|fewer|mas|menos)\b.*\b(?:in|en)\b")
#: What stands before a name that is all that a question says.
_JOINED = re.compile(
    r"\b(?:(?:what|how) about|que tal|and|but|y|e|pero|the|of|in|at|for|ones?|el|la|lo|los|las|del?|en|para|con)\b"
)


def only_names(text: str, label: str) -> bool:
    """Whether a text says a name and nothing else: "and berths?" asks how many, not whether there are any."""
    bare = without_joints(text)
    return bool(plain_words(bare)) and not uncovered(bare, label)


def without_joints(text: str) -> str:
    """A folded text without the words that lead a name in: "and the large one?" is large."""
    return _JOINED.sub(" ", fold(text))


def month_of(entry: Entry) -> int:
    """The month that an entry is of, by its number; 0 for none."""
    if entry.figure.day is not None:
        return entry.figure.day.day.month
    return entry.period.month or months().get((fold(entry.figure.row).split() or [""])[0], 0)


def of_sum(label: str, parts: Sequence[Amount], language: Language) -> str:
    """The sum of amounts of one unit, with the first of them."""
    total = sum((part.value for part in parts), Fraction(0))
    told = " + ".join(shown(part, language) for part in parts[:_MOST]) + (" + …" if len(parts) > _MOST else "")
    return phrases.SUM[language].format(label=labelled(label), sum=shown(parts[0].like(total), language), parts=told)


def of_mean(label: str, parts: Sequence[Amount], language: Language) -> str:
    """The mean of amounts of one unit, to two decimals."""
    total = sum((part.value for part in parts), Fraction(0))
    mean, whole = (shown(parts[0].like(one), language) for one in (round(total / len(parts), 2), total))
    return phrases.MEAN[language].format(label=labelled(label), mean=mean, sum=whole, count=len(parts))


def of_extreme(label: str, value: Value, row: str, language: Language, *, most: bool, rank: int = 1) -> str:
    """The largest or smallest value, or one of a later rank, with its row."""
    template = phrases.HIGHEST if most else phrases.LOWEST
    template = phrases.RANKED["highest" if most else "lowest"] if rank > 1 else template
    return template[language].format(label=labelled(label), value=shown(value, language), row=row, rank=rank)


def _over_rows(operation: str, rows: Sequence[Entry], label: str, language: Language) -> str:
    found = amounts(rows)
    if operation in ("sum", "average"):
        return (of_sum if operation == "sum" else of_mean)(label, [amount for _, amount in found], language)
    most = operation == "highest"
    entry, amount = (max if most else min)(found, key=lambda one: one[1].value)
    return of_extreme(label, amount, row_name(entry, language), language, most=most)


def _value(question: Question, measure: Measure, usage: Usage | None, language: Language) -> str:
    entries = [entry for entry in measure.entries if not entry.figure.row]
    if question.period is not None and (found := in_period(measure, question.period)):
        entries = found
    elif current := [entry for entry in entries if entry.period.which != "previous"]:
        entries = current
    if not entries:
        return ""
    chosen = next((one for one in entries if one.role not in ("limit", "left")), entries[0])
    if chosen.role in ("limit", "left") and usage is not None and usage.used is not None and len(entries) > 1:
        known = {name: shown(getattr(usage, name), language) for name in ("used", "limit", "left")}
        return phrases.USED[language].format(label=labelled(measure.called), **known)
    return of_entry(chosen, measure, language)


def of_entry(entry: Entry, measure: Measure, language: Language) -> str:
    """One figure, with its name."""
    label, value = labelled(measure.called), entry.figure.value
    if value is None:
        return phrases.EMPTY[language].format(label=measure.label)
    if isinstance(value, bool):
        return (phrases.YES if value else phrases.NO)[language].format(label=measure.label)
    if entry.figure.row:
        label = f"{label}, {row_name(entry, language)}"
    elif entry.role in measure.untold and entry.role in phrases.ROLES[language]:
        label = f"{label} ({phrases.ROLES[language][entry.role]})"
    return phrases.VALUE[language].format(label=label, value=shown(value, language))


def owed(measure: Measure) -> bool:
    """Whether a measure is one amount without a limit, so that there is some of it or none."""
    return len(measure.entries) == 1 and isinstance(measure.entries[0].figure.value, Amount) and not measure.rows


def _rows_named(rows: Sequence[Entry]) -> list[str]:
    texts = {e.figure.value for e in rows if isinstance(e.figure.value, str)}
    values = [str(e.figure.value) if isinstance(e.figure.value, str) and len(texts) > 1 else e.figure.row for e in rows]
    return list(dict.fromkeys(values))


def row_name(entry: Entry, language: Language) -> str:
    """What names the row of an entry: its day in the language, or its name, with its month."""
    day, month = entry.figure.day, entry.period.month
    name = shown(day, language) if day is not None and day.written == entry.figure.row else entry.figure.row
    return f"{name}, {month_name(month, language)}" if month else name


def each(rows: Sequence[Entry], label: str, language: Language) -> str:
    """What each of several rows says."""
    told = "; ".join(f"{row_name(row, language)}: {shown(row.figure.value, language)}" for row in rows)
    return phrases.VALUE[language].format(label=labelled(label), value=told)


def counted(rows: Sequence[Entry], language: Language) -> str:
    """How many rows of a list there are."""
    label = (rows[0].figure.listed or ("",))[-1]
    count = len({(row.figure.row, row.figure.day) for row in rows})
    return phrases.COUNT[language].format(label=labelled(label), count=count)


def day_and_month(day: date, language: Language) -> str:
    """A day without its year, as the language writes it."""
    from babel.dates import format_skeleton

    return str(format_skeleton("MMMMd", day, locale=str(language)))


def month_name(month: int, language: Language) -> str:
    """A month as the language calls it."""
    from babel.dates import get_month_names

    return str(get_month_names("wide", locale=str(language))[month])


def rest_of(total: Measure, part: Measure, what: str, language: Language) -> str:
    """What a total comes to without one of its parts; empty where both are no numbers of one unit."""
    whole, less = (next((e.figure.value for e in m.entries if e.role in ("", "used")), None) for m in (total, part))
    if not isinstance(whole, Amount) or not isinstance(less, Amount):
        return ""
    if whole.unit != less.unit or less.value > whole.value:
        return ""
    rest, all_, taken = (shown(one, language) for one in (whole.like(whole.value - less.value), whole, less))
    return phrases.REST[language].format(
        label=labelled(total.label), what=what, rest=rest, whole=all_, less=taken, part=part.label
    )


def labelled(label: str) -> str:
    """A name at the beginning of a sentence."""
    return f"{label[:1].upper()}{label[1:]}"


def with_figures(measure: Measure, language: Language) -> str:
    """A measure by its name, with its figures where it is no list."""
    there = [] if measure.rows else [entry for entry in measure.entries if entry.figure.value is not None]
    names = phrases.ROLES[language] if len({one.role for one in there}) == len(there) > 1 else {}
    figures = [f"{names.get(one.role, '')} {shown(one.figure.value, language)}".strip() for one in there]
    return f"{measure.called} ({', '.join(figures)})" if figures else measure.called


def shown(value: Value, language: Language) -> str:
    """A value as the language writes it."""
    if isinstance(value, Amount):
        return value.shown(language)
    if isinstance(value, Day):
        if value.month:
            return f"{month_name(value.day.month, language)} {value.day.year}"
        if value.whole:
            return written_date(value.day, language)
        return value.written or written_date(value.day, language)
    if isinstance(value, bool):
        return phrases.NO_OR_YES[language][value]
    return "" if value is None else str(value)
