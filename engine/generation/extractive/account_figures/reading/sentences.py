"""Figures in running text: each number, date and name with the words of its clause."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from engine.generation.extractive.account_figures.figure import (
    CURRENCY,
    MOST_FIGURES,
    SIGN,
    Amount,
    Figure,
    amounts_in,
    days_in,
    value_of,
)
from engine.generation.extractive.account_figures.reading.breakdown import breakdown
from engine.generation.extractive.account_figures.vocabulary import (
    Period,
    is_period,
    is_period_unit,
    narrowing,
    period_in,
    period_words,
    role_of,
    roles,
    without_periods,
)
from engine.text.dates import fold, months
from engine.text.language import Language
from engine.text.sentences import sentences
from engine.text.unit_names import names as unit_names
from engine.text.words import COMMON, blanked, has_digit, letter_words

#: Where a clause ends: at signs, and at "and" before another statement.
_CLAUSE = re.compile(
    rf"[;:]\s+|,\s+(?!\d)|\s+(?:and|but|while|y|pero|mientras que)\s+(?={SIGN}?[\w.,]+ \w+)|"
    rf"\s+(?=(?:at|for|por|a) (?:{SIGN}|\d[\d.,]*\s?(?:{SIGN}|{CURRENCY})))|\s+[(·•|–—]\s*|\)",
    re.IGNORECASE,
)
#: Whose the figures are that a sentence tells of.
_WHOSE = r"your|our|my|their|his|her|its|tus?|sus?|mis?|nuestr[oa]s?"
_OF = re.compile(
    r"^\s*(?:/|(?:[^\W\d_]+\s+){0,5}?(?:out )?(?:of|de)"
    r"(?:\s+up to|\s+hasta|\s+(?:a|un) (?:maximum of|total of|m[aá]ximo de|total de))?\s+"
    rf"(?:(?:{_WHOSE}|the|an?|los|las|el|la|una?)\s+)*)\s*$",
    re.IGNORECASE,
)
_BE = r"(?:are|is|were|was|have been|has been|est[aá]n?|son|fueron|han sido|sigue[n]?|se encuentran)"
#: A part of what was counted before: "5 of them failed", "3 están suspendidas".
_PART = re.compile(
    rf"\s*(?:(?:(?:of|de)\s+(?:them|these|those|which|ell[oa]s|est[oa]s|l[oa]s cuales)\s+)(?:{_BE}\s+)?|{_BE}\s+)"
    r"(?:(?:in|on|at|en)\s+(?:the\s+|el\s+|la\s+)?)?"
    r"(?P<state>[^\W\d_]+)",
    re.IGNORECASE,
)
_STATE = re.compile(rf"\b{_BE}\s+(?P<state>[^\W\d_]+)", re.IGNORECASE)
#: What so many of a thing have, which tells them from all of it: "9 pupils have unpaid bills".
_HOLDING = re.compile(
    r"\s*[^\W\d_]+(?:\s+[^\W\d_]+)?\s+(?:(?:who|that|que)\s+)?(?:(?:still|a[uú]n|todav[ií]a)\s+)?"
    r"(?:have|has|had|with|without|tienen?|con|sin)\s+(?P<what>[^\W\d_][^\d,;:.()]*)[.!]?$",
    re.IGNORECASE,
)
#: The period before one that was named: "the previous one", "la anterior".
_ONE_BEFORE = re.compile(
    r"\b(?:the (?:previous|last) one|the one before|(?P<es>(?:el|la) (?:anterior|pasad[oa])))\b", re.IGNORECASE
)
#: Words that begin another statement about what was counted.
_CLAUSE_WORDS = frozenset("that which who will would que cuales".split())  # noqa: SIM905
_QUOTED = re.compile(r"[«“\"]([^»”\"]{1,60})[»”\"]")
#: A name that a statement gives: "your plan is Pro", "the region: eu-west-1".
_IS = re.compile(
    rf"^(?:{_WHOSE}|the|el|la)\s+(?P<what>[\w ]{{2,40}}?)\s+(?:is|are|es|son|está|estan|están|has been|was|called|se llama)\s+"  # noqa: E501
    r"(?:called |named |the |el |la |llamado )?"
    r"(?P<value>[^\d,;]{1,40}?|(?-i:[A-ZÁÉÍÓÚ])[^,;]{1,40}?)(?:\s+plan)?[.!]?$",
    re.IGNORECASE,
)
#: What a statement dates that also counts something: "the next trip is a dive on 7 March for 18 guests".
_IS_ON = re.compile(
    r"(?P<what>(?:[^\W\d_]+\s+){1,6}?)(?:is|are|was|will be|takes place|es|son|fue|ser[aá]n?|tendr[aá] lugar)\b",
    re.IGNORECASE,
)
_ON_PLAN = re.compile(
    r"\b(?:al\s+|(?:on|have|has|to|tiene[sn]?|usa[sn]?|a|en|con)\s+(?:the|an?|el|la|una?|su|tu|your)\s+)(?:(?P<v1>[A-Z]\w*(?: [A-Z]\w*)?)\s+(?P<w1>plan|tier|subscription)|"  # noqa: E501
    r"(?P<w2>plan|tarifa|suscripción)\s+(?P<v2>[A-Z]\w*(?: [A-Z]\w*)?))"
)
#: The period before the one that is told of: "186 this week and 172 the week before".
_BEFORE_IT = re.compile(r"\bthe (day|week|month|quarter|year) before\b(?! (?:last|that))", re.IGNORECASE)
#: "this month's invoice": the letter alone is no word.
_POSSESSIVE = re.compile(r"(?<=[^\W\d_])['’]s\b", re.IGNORECASE)
#: A price for each stretch of time is of no month.
_FOR_EACH = re.compile(
    r"\b(?:per|each|every|cada|al|por) (?:month|mes|year|ano|week|semana|day|dia)\b|monthly|mensual|/mo"
)
#: What a sentence is about, before a colon: "Video: 73 hours in December and 58 hours in November".
_TOPIC = re.compile(r"(?P<topic>[^\W\d_][^\W_]*(?: [^\W\d_][^\W_]*){0,3}): (?=\S)")
#: A number that is told of what stands before it, and measures that: "the average wait was 11 minutes".
_TOLD_OF = re.compile(
    rf"(?P<what>.+?)\s+(?:{_BE}|fue|era|reached|averaged|alcanz[oó])\s+(?:(?:about|around|de|del|unos|unas)\s+)?$",
    re.IGNORECASE,
)
#: That something was not told: "the November hours were not recorded", "el gasto todavía no está disponible".
_UNTOLD = re.compile(
    rf"(?P<what>.+?)\s+(?:{_BE}\s+not|(?:(?:todav[ií]a|a[uú]n)\s+)?no\s+(?:{_BE}|ha sido|se (?:ha|han)))\s+(?:yet\s+)?"
    r"(?:available|recorded|known|reported|measured|disponibles?|registrad[oa]s?|conocid[oa]s?|medid[oa]s?)\b",
    re.IGNORECASE,
)
#: Words for what a thing costs, which are not the thing.
_COSTS = re.compile(
    r"costs?|priced?|prices|fees?|rates?|pays?|paid|charged?|cuestan?|precios?|tarifas?|valen?|paga[ns]?|cobran?"
)
#: Words that hold a number against one before it, and name neither.
_AGAINST = frozenset("compared versus vs frente comparado comparada".split())  # noqa: SIM905
_LEFT_OUT = COMMON | _AGAINST
#: Before the last day of a stretch within one month stands its first, which is no number: "10-16 March 2025".
_TO_DAY = re.compile(r"\s*[-–]\s*")
#: Letters of a clause that are read: a longer one is no statement, and each number is held against the whole of it.
_LONG = 2_000


def sentence_figures(text: str, language: Language) -> list[Figure]:
    """The figures of running text, in order."""
    found: list[Figure] = []
    plain = _BEFORE_IT.sub(r"the previous \1", _POSSESSIVE.sub("", " ".join(text.split())))
    kinds = [(one, breakdown(one, language)) for one in sentences(plain)]
    read = [(one.rest if one else whole, whole, one) for whole, one in kinds]
    clauses_of = [list(_clauses(one)) for one, _, _ in read]
    opening = ""
    periods = {period for clauses in clauses_of for _, period in clauses} - {""}
    for (sentence, parts_of, parts), clauses in zip(read, clauses_of, strict=True):
        before, at, first = "", 0, len(found)
        shared = _month_of_all([clause[:_LONG] for clause, _ in clauses])
        for clause, named in clauses:
            at = sentence.find(clause, at)
            inside = sentence[:at].rstrip().endswith("(")  # "£48.90 in October (4 trips)"
            said = clause[:_LONG]
            # The present period of a whole text says nothing; several tell its figures apart, or one that is over.
            period = named if len(periods) > 1 or (period_in(named) or Period()).which == "previous" else ""
            before = before or (opening if named else "")  # "Last quarter there were 160"
            around = _month_said(before, []) if inside else shared if before and not days_in(said) else ()
            found += _of_clause(said, before, sentence, language, period, around)
            before = said
            if len(found) >= MOST_FIGURES:
                return found
        opening = clauses[0][0][:_LONG] if clauses else ""
        found += parts.rows(found[first:], parts_of) if parts else ()
        if (topic := _TOPIC.match(sentence)) and fold(topic["topic"].split()[0]) not in COMMON:
            found[first:] = [_on_topic(figure, topic["topic"]) for figure in found[first:]]
    return found


def _on_topic(figure: Figure, topic: str) -> Figure:
    """A figure of a sentence with what that is about in its name, unless it says so itself."""
    if not isinstance(figure.value, Amount):
        return figure
    said = {fold(word) for name in figure.path for word in name.split()}
    own = [word for word in _words(topic, []).split() if fold(word) not in said and fold(word) not in roles()]
    named = (at for at, name in enumerate(figure.path) if not role_of(name) and not is_period(name.split()[-1]))
    at = next(named, None)
    if at is None or not own:
        return figure
    return replace(figure, path=(*figure.path[:at], " ".join([*own, figure.path[at]]), *figure.path[at + 1 :]))


def tells_by_kinds(text: str, language: Language) -> bool:
    """Whether a text of one line has counts by kinds, which are no values of what stands before the colon."""
    return "\n" not in text.strip() and any(breakdown(one, language) for one in sentences(text))


def _month_of_all(clauses: Sequence[str]) -> tuple[str, ...]:
    """The month that the first of several clauses names, and no other one does: "rent in June was 900 and gas 60"."""
    told = [_month_said(clause, [(start, end) for start, end, _ in days_in(clause)]) for clause in clauses]
    priced = any(_FOR_EACH.search(fold(clause)) for clause in clauses)
    return told[0] if told and told[0] and not any(told[1:]) and not priced else ()


def _clauses(sentence: str) -> Iterator[tuple[str, str]]:
    """The clauses of a sentence, each with the period that it names: "this week ... and the one before".

    A clause that is nothing but a period is that of the next one: "(previous week: 14 minutes)".
    """
    unit, ahead = "", ""
    for piece in _CLAUSE.split(sentence):
        clause = piece.strip()
        said = _period_said(clause)
        if said and not _words(without_periods(clause[:_LONG]), []) and not has_digit(clause):
            ahead = said
        elif clause:
            unit = next((word for word in said.split() if is_period_unit(word)), unit)
            before = _ONE_BEFORE.search(clause[:_LONG]) if unit and not said else None
            before_it = (f"{unit} anterior" if before["es"] else f"previous {unit}") if before else ""
            yield clause, said or before_it or ahead
            ahead = ""


def _of_clause(
    clause: str, before: str, sentence: str, language: Language, period: str, around: tuple[str, ...]
) -> list[Figure]:
    """The figures of a clause.

    Args:
        period: That it is of by its place from today, "last month".
        around: The month that it is of, where the clause around it says so.
    """
    dates = days_in(clause)
    firsts = {start for start, _, _ in dates}
    amounts = [one for one in amounts_in(clause, language) if not _to_day(clause, one[1], firsts)]
    found: list[Figure] = []
    if not amounts and not dates and (untold := _UNTOLD.match(clause)):
        what = without_periods(_words(untold["what"], [])).strip()
        return [Figure((*_month_said(clause, []), what), None, sentence=sentence)] if what else []
    if plan := _ON_PLAN.search(clause):
        found.append(Figure(((plan["w1"] or plan["w2"]).lower(), "name"), plan["v1"] or plan["v2"], sentence=sentence))
    elif (said := _IS.match(clause)) and not dates and not isinstance(value_of(said["value"], language), Amount):
        return [Figure((said["what"].lower(),), said["value"].strip(), sentence=sentence)]
    taken = [(start, end) for start, end, _ in amounts] + [(start, end) for start, end, _ in dates]
    if period and (at := fold(clause).find(period)) >= 0:
        taken.append((at, at + len(period)))
    words = without_periods(_words(clause, taken)).strip()
    if not any(fold(word) not in roles() for word in narrowing(words.split())):
        told = " ".join(word for word in words.split() if fold(word) in roles())
        counted = [(start, end) for start, end, _ in (*amounts_in(before, language), *days_in(before))]
        words = f"{without_periods(_words(before, counted)).strip()} {told}".strip() if before else words
    paths = _paths(clause, before, amounts, words, language)
    day = dates[0][2] if dates else None
    when = _month_said(clause, taken) or ((period,) if period else around)
    for path, (_, _, amount) in zip(paths, amounts, strict=True):
        found.append(Figure((*when, *filter(None, path)), amount, day=day, sentence=sentence))
    if dates and amounts and (is_on := _IS_ON.match(clause[: min(dates[0][0], amounts[0][0])])):
        subject = without_periods(_words(is_on["what"], [])).strip()
        found += [Figure((subject,), dates[0][2], sentence=sentence)] if subject else []
    if dates and not amounts and words:
        called = _QUOTED.search(clause)  # "«Emma» is due on 3 May, «Persuasion» on 9 May"
        what = (_verb(clause) or _verb(before) or words) if called else words
        row, listed = (called[1], (what,)) if called else ("", None)
        found.append(Figure((what,), dates[0][2], row, None, sentence, listed))
    return found


def _to_day(clause: str, end: int, firsts: AbstractSet[int]) -> bool:
    """Whether a number that ends there is the first day of a stretch whose last one begins at one of `firsts`."""
    sign = _TO_DAY.match(clause, end)
    return sign is not None and sign.end() in firsts


def _verb(clause: str) -> str:
    """What a clause says beside its quoted names and numbers."""
    return without_periods(_words(_QUOTED.sub(" ", re.sub(r"[\d/.-]+", " ", clause)), [])).strip()


def _paths(
    clause: str, before: str, amounts: Sequence[tuple[int, int, Amount]], words: str, language: Language
) -> list[tuple[str, ...]]:
    """The names of the amounts of a clause: what each counts, and its role or state."""
    nouns = ["" if one.is_money or one.unit == "%" else _noun(clause[end:]) for _, end, one in amounts]
    if len(amounts) == 1 and nouns[0] and (held := _HOLDING.match(clause[amounts[0][1] :])):
        nouns[0] = " ".join([nouns[0], *_words(held["what"], []).split()[:3]])
    found: list[tuple[str, ...]] = []

    def counted_before(place: int) -> str:
        return nouns[place - 1] if place else _counted(before, language)

    for place, (start, end, amount) in enumerate(amounts):
        noun = nouns[place]
        if fold(noun) in unit_names():
            noun = _told_of(clause[:start]) or (_told_of(before) if not _words(clause[:start], []) else "") or noun
        if per := re.match(r"\s*(?:per|por|a|each|/)\s+([^\W\d_]+)", clause[end:]) if amount.is_money else None:
            said = narrowing(_words(clause[:start], []).split())
            of = [word for word in said if not _COSTS.fullmatch(fold(word)) and word not in per[1]]
            found.append((*([" ".join(of)] if of else []), "price per", per[1].lower()))
            continue
        if place + 1 < len(amounts) and _OF.match(_between(clause[end : amounts[place + 1][0]], noun)):
            whole, state = noun or nouns[place + 1] or words, _STATE.search(clause[amounts[place + 1][1] :])
            part = state["state"].lower() if state and fold(state["state"]) not in roles() else "used"
            found.append((whole, part))
        elif place and _OF.match(_between(clause[amounts[place - 1][1] : start], nouns[place - 1])):
            state = _STATE.search(clause[end:])
            plain = state is not None and fold(state["state"]) not in roles()
            found.append((nouns[place - 1] or noun or words, "" if plain else "limit"))
        elif (part := _PART.match(clause[end:])) and (counted := counted_before(place) or noun):
            found.append((counted, part["state"].lower()))
        else:
            role = _role_said(clause) if len(amounts) == 1 and not amount.is_money else ""
            bare = not without_periods(_words(clause, [(start, end)])).strip()
            counted = counted_before(place) if (role or bare) and not noun and amount.unit in ("", "%") else ""
            counted = counted if amount.unit != "%" else ""
            measured = amount.unit if (bare or len(amounts) > 1) and not amount.is_money and amount.unit != "%" else ""
            behind = amounts[place + 1][0] if place + 1 < len(amounts) else len(clause)
            own = _words(clause[end:behind], []) if len(amounts) > 1 and amount.is_money else ""
            found.append((noun or counted or measured or own or words, role))
    return found


def _told_of(text: str) -> str:
    """What a number measures that stands at the end of a text, or of its first one: "the average wait was"."""
    told = _TOLD_OF.match(re.split(r"(?=\d)", text, maxsplit=1)[0])
    return without_periods(_words(told["what"], [])).strip() if told else ""


def _between(text: str, noun: str) -> str:
    """What stands between two amounts, without what the first one counts."""
    return re.sub(rf"^\s*{re.escape(noun)}", "", text, flags=re.IGNORECASE) if noun else text


def _role_said(clause: str) -> str:
    """The last word of a clause that says what is used, allowed or left."""
    return next((word for word in reversed(letter_words(clause)) if fold(word) in roles()), "").lower()


def _counted(before: str, language: Language) -> str:
    """What the last number of the clause before counts."""
    amounts = amounts_in(before, language)
    return _noun(before[amounts[-1][1] :]) if amounts else ""


def _month_said(clause: str, taken: list[tuple[int, int]]) -> tuple[str, ...]:
    """The month that a clause names outside of its dates, as a part of a path."""
    named = (m for m in re.finditer(r"[^\W\d_]{4,}", clause) if fold(m[0]) in months())
    return tuple(m[0].lower() for m in named if not any(start <= m.start() < end for start, end in taken))[:1]


def _period_said(clause: str) -> str:
    """The period that a clause is of by its place from today, "last month", folded; days aside."""
    said = period_words(clause[:_LONG])
    return said if " " in said else ""


def _noun(rest: str) -> str:
    """What a number counts: the words behind it, up to one that every sentence is made of."""
    found: list[str] = []
    for word in re.findall(r"[^\W\d_][^\W_]*(?:-[^\W\d_]{3,})?|[^\w\s]|\d+", rest):
        if not word[0].isalpha() or (fold(word) in COMMON and found) or fold(word) in _CLAUSE_WORDS:
            break
        if found and (is_period(word) or fold(word) in ("until", "till")):
            break
        if fold(word) not in COMMON and fold(word) not in roles() and not is_period(word):
            found.append(word.lower().replace("-", " "))
        if len(found) == 3:
            break
    return " ".join(found)


def _words(clause: str, taken: list[tuple[int, int]]) -> str:
    rest = blanked(clause, taken)
    kept = (word for word in re.findall(r"[^\W\d_][^\W_]*", rest) if fold(word) not in _LEFT_OUT)  # "B2" is a name
    return " ".join(kept).lower()
