"""Figures that a conversation has stated, put together: a share of an amount, an income held against a limit, a price.

"Calculate the exact cutoff for that family", after an answer with 85 % and one with $64,000, needs no search and no
model: it needs both figures. Only what the message asks for unmistakably is put together, and only from one share and
one amount; so many of what the last answer states one price for each are that many times the price ("5 nights, how
much is that?", after "95 € per night"). Whatever is less clear is left to the search. Numbers are exact fractions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from engine.domain import Exchange
from engine.text.numbers import without_signs
from engine.text.sentences import MARK, sentences_of_lines
from engine.text.words import folded, is_common, plain_words, stem

_I = re.IGNORECASE
#: Asks for a calculation with what has been said.
_CALCULATE = re.compile(
    r"(?<!how do i )(?<!how can i )(?<!how do you )(?<!how to )(?<!c[oó]mo )(?<!c[oó]mo se )"
    r"\b(calculate|compute|work out|figure out|"
    r"how much (?:is|would) (?:that|it|the (?:cutoff|limit|threshold))|"
    r"what(?:['’]s| is| would be) (?:the|that|their|its) (?:\w+ ){0,2}(?:cutoff|cut-off|threshold)|"
    r"calcul\w+|cu[aá]nto (?:es|ser[ií]a|da) (?:eso|el (?:l[ií]mite|tope|umbral))|"
    r"cu[aá]l (?:es|ser[ií]a) el (?:l[ií]mite|tope|umbral))\b",
    _I,
)
#: Asks whether an amount is within a limit.
_WITHIN = re.compile(
    r"\b(qualif(?:y|ies)|eligible|below|under|within|exceeds?|above|over the|too (?:much|high)|"
    r"cumplen?|califican?|elegibles?|supera|debajo|encima|excede|dentro|derecho|optar)\b",
    _I,
)
_SIGN = r"US\$|[$€£]"
_CODE = r"(?:euros?|dollars?|d[oó]lares|pounds?|libras?|EUR|USD|GBP)\b"
_DIGITS = r"[1-9]\d{0,2}(?:[.,]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?"
_AMOUNT = re.compile(rf"(?P<before>{_SIGN})\s?(?P<first>{_DIGITS})|(?P<second>{_DIGITS})\s?(?P<after>[$€£]|{_CODE})")
_SHARE = re.compile(rf"(?P<share>{_DIGITS})\s?(?:%|per\s?cent\b|por ciento\b|percent(?:age)? of\b)", _I)
#: What an amount is for one of right behind it, by how many of these a year has.
_PERIODS: tuple[tuple[int, re.Pattern[str]], ...] = tuple(
    (times, re.compile(rf"^\W{{0,3}}(?:per|a|each|every|al|a la|por|cada)?\s*/?\s*(?:{names})\b", _I))
    for times, names in (
        (12, r"month\w*|mes|mensual\w*|mo"),
        (52, r"week\w*|semana\w*|wk"),
        (1, r"year\w*|annual\w*|a[nñ]o|anual\w*|yr"),
    )
)
#: Asks what so many of a thing come to.
_COST = re.compile(r"\b(how much|cu[aá]nto|what (?:would|does|do|will)\b.*\b(?:cost|pay|be)|total|price|precio)\b", _I)
#: Words of such a question that name nothing.
_COMES = re.compile(
    r"\b(?:so|then|entonces|cost\w*|cuestan?|pay|pag\w+|cobr\w+|charge\w*|sale|saldr\w+|vale|valdr\w+|ser[ií]an?|come|total|"
    r"price|precio)\b",
    _I,
)
#: So many of a thing: one whole number with the word behind it.
_COUNT = re.compile(r"(?<![\w.,])(?P<count>\d{1,4})\s+(?P<unit>[^\W\d_]{2,})")
#: What an amount is for one of, behind it ("per night", "al día", "a day", "/mes") and before it ("price per night").
_EACH_BEHIND = re.compile(
    r"\W{0,3}(?:(?:por cada|for (?:each|every)|per|por|a la|al?|an|each|every|cada)\s+|/\s?)(?P<unit>[^\W\d_]{2,})", _I
)
_EACH_BEFORE = re.compile(r"\b(?:por cada|per|por|each|every|cada)\s+(?P<unit>[^\W\d_]{2,})", _I)
#: A price whose unit stands with the name of its column: "Energy (€/kWh): 0.148".
_IN_COLUMN = re.compile(
    rf"\((?P<sign>{_SIGN}|{_CODE})\s?/\s?(?P<unit>[^\W\d_]{{2,}})\):\s*(?P<digits>{_DIGITS})(?=\W*$)", _I
)
#: What a row is of, in brackets: "National (over 150 km): £61 per cubic metre".
_OF_ROW = re.compile(r"\([^()]*\)(?=[^():]*:)")
#: What makes a price depend on more than how many there are.
_GRADED = re.compile(
    r"\b(from|over|under|above|below|more|less|up to|until|after|first|minimum|desde|hasta|m[aá]s|menos|a partir|"
    r"primer\w*|m[ií]nimo|m[aá]ximo|discount|descuento)\b",
    _I,
)
#: What a figure is said in, of a sentence or a row: a comma inside a number ends nothing.
_CLAUSE = re.compile(r"[,;]\s+")
#: An answer that is a calculation of this kind itself.
_RESULT = re.compile(r"\d\s?%\s+(?:of|de)\s+(?:US\$|[$€£])?\s?\d[\d.,]*\s?[$€£]?\s*(?:=|is\b|es\b)")
#: What a number in common, such as the size of a family, counts against a word in common.
_NUMBERED = 3
#: Characters of a message that are looked at.
_CHARS = 400
#: Letters of the shortest word that is the beginning of another form of it.
_STEM = 4
#: The largest share, in per cent, that is taken for one.
_MOST = 1000
#: Points at what was said, so that it need not repeat a word of it.
_POINTS = re.compile(r"\b(told|said|that|those|it|dijiste|dicho|eso|esos|esas?|ese)\b", _I)
_COMMANDS = frozenset({"calcul", "comput", "what", "para", "exact", "exacto", "much", "cuanto", "cuánto"})


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as it was said.

    Attributes:
        text: As written.
        sign: The currency's, before or behind; empty for a share.
        yearly: How many of its periods a year has; 0 where it names none.
        sequence: Of the turn whose answer states it.
        number: Of the mark behind it; 0 when there is none.
    """

    value: Fraction
    text: str
    sign: str = ""
    behind: bool = False
    point: str = "."
    yearly: int = 0
    sequence: int = 0
    number: int = 0

    def like(self, value: Fraction, *, places: int = 0) -> str:
        """`value` written as this amount is, rounded half up to `places` decimals."""
        scaled = (abs(value) * 10**places + Fraction(1, 2)).__floor__()
        whole, rest = divmod(scaled, 10**places)
        grouped = f"{whole:,}" + (f".{rest:0{places}d}" if places else "")
        if self.point == ",":
            grouped = grouped.translate(str.maketrans(",.", ".,"))
        return f"{grouped} {self.sign}" if self.behind else f"{self.sign}{grouped}"


@dataclass(frozen=True, slots=True)
class Calculation:
    """What figures of the conversation come to.

    Attributes:
        share, amount: What was multiplied.
        limit: Their product, per year; of a price, for all.
        income: The amount of the message, where it asks whether it is within the limit.
        counted: The share is how many there are of what the amount is a price of.
    """

    share: Figure
    amount: Figure
    limit: Fraction
    income: Figure | None = None
    counted: bool = False

    @property
    def yearly_income(self) -> Fraction:
        """The message's amount in a year; 0 without one."""
        return self.income.value * max(self.income.yearly, 1) if self.income else Fraction(0)

    @property
    def within(self) -> bool:
        """Whether the message's amount is at or below the limit."""
        return self.yearly_income <= self.limit

    @property
    def numbers(self) -> tuple[int, ...]:
        """The marks of both figures, each once."""
        return tuple(dict.fromkeys(figure.number for figure in (self.share, self.amount) if figure.number))


def calculate_from_statements(message: str, history: Sequence[Exchange]) -> Calculation | None:
    """What `message` asks to be put together from the answers in `history`, oldest first; None when it is not clear.

    Args:
        message: In English or Spanish.
        history: Earlier questions with their answers.
    """
    message = message[:_CHARS]
    if priced := _at_a_price(message, history):
        return priced
    income = next(_amounts(message), None)
    within = income is not None and _WITHIN.search(message) is not None
    if not within and (income is not None or _CALCULATE.search(message) is None):
        return None
    shares, amounts = _said(message, history, _shares), _said(message, history, _amounts)
    if not shares or not amounts or next(_shares(message), None) is not None or not _goes_on(message, history):
        return None
    share, amount = shares[0], _base(shares[0], amounts)
    if amount.yearly > 1 or not 0 < share.value <= _MOST:
        return None
    return Calculation(share, amount, share.value / 100 * amount.value, income if within else None)


def price_of_so_many(message: str, topic: str, answer: str) -> Calculation | None:
    """So many, as `message` says, at the price for each that an answer to it states; None where that is not clear.

    Args:
        message: In English or Spanish.
        topic: What the answer is about: both together have all that the message speaks of.
        answer: With marks.
    """
    return _at_a_price(message[:_CHARS], [Exchange(topic, answer)])


def _at_a_price(message: str, history: Sequence[Exchange]) -> Calculation | None:
    """So many, as `message` says, at the price for each that the last answer states; None where that is not clear.

    The message has no other number and, beside what it counts, no word that the last question and answer have not: it
    may be of another thing then. The price stands alone in its clause, and is the only one for each of these.
    """
    counts, last = list(_COUNT.finditer(message)), history[-1] if history else None
    if last is None or len(counts) != 1 or len(re.findall(r"\d+", message)) != 1 or _COST.search(message) is None:
        return None
    count, said = counts[0], _words(f"{last.query} {last.answer}")
    rest = _words(_COMES.sub(" ", _COST.sub(" ", f"{message[: count.start()]} {message[count.end() :]}")))
    if any(not is_common(word) and not _is_said(word, said) for word in rest):
        return None
    found: list[Figure] = []
    for stated, number in _clauses(last.answer):
        clause = _of_what_is_counted(_IN_COLUMN.sub(r": \g<digits> \g<sign>/\g<unit>", stated), count["unit"])
        amount = _AMOUNT.search(clause)
        if amount is None:
            continue
        each = _EACH_BEHIND.match(clause, amount.end()) or _EACH_BEFORE.search(clause[: amount.start()])
        if each is None or stem(folded(each["unit"])) != stem(folded(count["unit"])):
            continue
        if len(re.findall(r"\d[\d.,]*", clause)) > 1 or _GRADED.search(clause) or _graded(clause, each.end()):
            return None
        found.append(replace(next(_amounts(clause)), sequence=last.sequence, number=number))
    if len({figure.value for figure in found}) != 1:
        return None
    many = Figure(Fraction(count["count"]), count[0])
    return Calculation(many, found[0], many.value * found[0].value, counted=True)


def _of_what_is_counted(clause: str, unit: str) -> str:
    """A clause without what its row is of, where that is no count of this unit: it says which row it is, no price."""
    counted = stem(folded(unit))
    return _OF_ROW.sub(
        lambda found: found[0] if counted in {stem(folded(word)) for word in plain_words(found[0])} else "", clause
    )


def _is_said(word: str, said: set[str]) -> bool:
    """Whether a word was said, be it with another ending or accent: "subir", "subirla"."""
    plain = folded(word)
    return any(one == plain or (len(word) >= _STEM and one.startswith(plain)) for one in map(folded, said))


def _graded(clause: str, end: int) -> bool:
    """Whether a price for each is also one for each of something else: "per GB per month", "por noche y persona"."""
    return _EACH_BEHIND.match(clause, end) is not None or re.match(r"\s*(?:and|y|e|&)\s", clause[end:]) is not None


def _base(share: Figure, amounts: Sequence[Figure]) -> Figure:
    """The latest amount; where that is the share of one said before, as an answer gave it, the one before."""
    latest = amounts[0]
    return next((a for a in amounts[1:] if abs(latest.value - share.value / 100 * a.value) < 1), latest)


def _goes_on(message: str, history: Sequence[Exchange]) -> bool:
    """Whether `message` is about what was said: it points at it, or has a word of it."""
    if _POINTS.search(message):
        return True
    said = {word for exchange in history for word in _words(f"{exchange.query} {exchange.answer}")}
    named = {word for word in _words(message) - _COMMANDS if len(word) > 3 or word.isdigit()}
    return bool(named & said)


def _said(message: str, history: Sequence[Exchange], read: Callable[[str], Iterator[Figure]]) -> list[Figure]:
    """One figure of each answer that states some, latest first: that of the clause nearest to the question."""
    found: list[Figure] = []
    for exchange in reversed(history):
        asked = _words(exchange.query) | _words(message)
        if _RESULT.search(exchange.answer):
            continue  # a calculation itself: what went into it was said before
        stated = [
            (sum(_NUMBERED if word.isdigit() else 1 for word in asked & _words(clause)), -place, figure)
            for place, (clause, number) in enumerate(_clauses(exchange.answer))
            for figure in (replace(f, sequence=exchange.sequence, number=number) for f in read(clause))
        ]
        found += [max(stated, key=lambda one: one[:2])[2]] if stated else []
    return found


def _clauses(answer: str) -> Iterator[tuple[str, int]]:
    """The clauses of an answer, each with the number that its sentence cites, or 0."""
    for sentence in sentences_of_lines(answer):
        mark = MARK.search(sentence)
        for clause in _CLAUSE.split(MARK.sub("", sentence)):
            yield clause, int(mark.group(1)) if mark else 0


def _amounts(text: str) -> Iterator[Figure]:
    for found in _AMOUNT.finditer(text):
        digits = found["first"] or found["second"]
        value, point = _number(digits)
        sign = found["before"] or found["after"]
        behind = found["after"] is not None
        rest = text[found.end() : found.end() + 30]
        yearly = next((times for times, pattern in _PERIODS if pattern.search(rest)), 0)
        yield Figure(value, found[0].strip(), sign, behind, point, yearly)


def _shares(text: str) -> Iterator[Figure]:
    for found in _SHARE.finditer(text):
        value, point = _number(found["share"])
        yield Figure(value, found["share"], point=point)


def _number(digits: str) -> tuple[Fraction, str]:
    """The value of written digits, and their decimal point. Groups of three are thousands, but behind a 0."""
    grouped = re.fullmatch(r"([1-9]\d{0,2}(?:([.,])\d{3})(?:\2\d{3})*)(?:([.,])(\d{1,2}))?", digits)
    if grouped:
        return Fraction(f"{without_signs(grouped[1])}.{grouped[4] or 0}"), "," if grouped[2] == "." else "."
    return Fraction(digits.replace(",", ".")), "," if "," in digits else "."


def _words(text: str) -> set[str]:
    return {word.casefold()[:6] for word in plain_words(text) if len(word) > 2 or word.isdigit()}
