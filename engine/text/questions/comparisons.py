"""What a question sets side by side: "the difference between X and Y", "which is faster, X or Y", "¿X o Y?"."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from engine.text.words import asks_yes_or_no, content, folded, is_name_in_code, stem, words

_I = re.IGNORECASE
_COMPARES = re.compile(r"\b(?:difference|differ|different|compar(?!t)\w+|diferenci\w*|distint\w+|distingue\w*)\b", _I)
_VERSUS = re.compile(r"\s(?:versus|vs)\b", _I)
_BETWEEN = re.compile(r"\b(?:between|entre|compar(?!t)\w+|distinguen? a)\b", _I)
#: What stands between the sides where the verb does: "how does X compare with Y".
_COMPARED_WITH = re.compile(r"\bcompar(?!t)\w+\s(?:with|to|against|con|a)\s", _I)
_AND = re.compile(r"\s(?:and|or|y|e|o|u|vs\.?|versus|with|con|from|to|than|frente a|respecto a)\s", _I)
_ARTICLE = r"(?:the|an?|el|l[ao]s?|un[oa]?)\b"
#: A comparative, by the grammar of both languages, with no number behind it: those that hold are asked for then.
_COMPARATIVE = re.compile(
    rf"\b(?:more|less|fewer|m[aá]s|menos)\b(?!\s+(?:(?:than|de)\s+)?\d)(?:\s+(?!than\b|que\b|{_ARTICLE})[^\W\d_]+)?|"
    r"\b(?:better|worse|mejor(?:es)?|peor(?:es)?|mayor(?:es)?|menor(?:es)?)\b|"
    rf"(?<!\bthe\s)(?<!\ba\s)\b[^\W\d_]{{3,}}er\b(?=\s*(?:[,:;?]|$|than\s(?!\d)|{_ARTICLE}|(?:to|per|by|in)\s|(?-i:[A-ZÁÉÍÓÚÑ])))",
    _I,
)
#: What figures of a kind are called in both languages, and their units; without these, what else is compared by.
_MEASURES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("money", ("price", "cost", "precio"), r"€|euros?|eur|dollars?|d[oó]lares|usd|pounds|libras|gbp|pesos"),
    (
        "time",
        ("length of time", "speed", "duration", "duración"),
        r"s|secs?|seconds?|segundos?|mins?|minut\w+|h|hrs?|hours?|horas?|days?|d[ií]as?|weeks?|semanas?",
    ),
    ("mass", ("weight", "peso"), r"k?g|kilos?|(?:kilo)?gram\w*|lbs?|tonn?es|toneladas?"),
    (
        "length",
        ("size", "length", "tamaño", "altura"),
        r"[ckm]?m²?|(?:kilo|centi|mili|milli)?met(?:er|re|ro)s?|feet|ft|inches",
    ),
    ("volume", ("capacity", "capacidad"), r"m?l|lit(?:er|re|ro)s?|gallons?"),
    ("warmth", ("temperature", "temperatura"), r"°?\s?[cf]|degrees|grados"),
    ("age", ("age", "year", "antigüedad"), r"years?|a[nñ]os?"),
    ("power", ("strength", "power", "potencia"), ""),
    ("quality", ("quality", "health", "calidad"), ""),
    ("noise", ("noise", "ruido"), ""),
)
#: How figures of a measure are written beside a number with its unit behind it.
_ALSO = {"money": r"|[€$£]\s?\d", "age": r"|\b(?:1[5-9]|20)\d\d\b"}
_FIGURES = tuple(
    (name, re.compile(rf"\d\s?(?:{units})(?![^\W\d_])" + _ALSO.get(name, ""), _I))
    for name, _, units in _MEASURES
    if units
)
#: How much likelier a measure is than the next one, as a cosine, for it to be what is compared by.
_CLEAR = 0.003
#: One with what it is of, where there is no other: "the river" is none.
_THE_MORE = re.compile(r"(?<=\bthe\s)[^\W\d_]{3,}er\b(?=\s[^\W\d_])", _I)
_OR = re.compile(r",?\s(?:or|o|u)\s", _I)
_THAN = re.compile(r"\s(?:than|que)\s", _I)
_CLAUSE = re.compile(r"[,:;?¿]")
_WHICH = re.compile(r"\b(?:which|what|who|qu[eé]|cu[aá]l(?:es)?|qui[eé]n(?:es)?)\b", _I)
_ARTICLED = re.compile(rf"\W*\b{_ARTICLE}\s+([^\W\d_]{{3,}})", _I)
_EDGES = " \t\n.,:;?!¿¡\"'“”«»"
#: Characters of the longest question that compares, and the most that one does; more was pasted.
_QUESTION_CHARS, _MOST = 400, 6
#: Letters by which two forms of a word are told to be one.
_BEGINNING = 6


@dataclass(frozen=True, slots=True)
class Compared:
    """What a question compares.

    Attributes:
        sides: As they are written, two or more.
        by: The comparative: "faster"; empty where every difference is asked for.
    """

    sides: tuple[str, ...]
    by: str = ""

    @property
    def own(self) -> tuple[frozenset[str], ...]:
        """The words of each side that no other one has, by their beginnings."""
        every = [frozenset(words_compared(side)) for side in self.sides]
        return tuple(one.difference(*(other for other in every if other is not one)) for one in every)

    def told(self, texts: Sequence[str]) -> list[tuple[bool, ...]]:
        """Whether each text tells of each side: it has most of the side's own words, those that few texts have first.

        "Full and guest members": what has "guest" tells of the second, and what has "members" need not.
        """
        said = [beginnings(text) for text in texts]
        counts = Counter(word for one in said for word in one)
        weights = [{word: math.log(1 + len(said) / counts[word]) for word in own if counts[word]} for own in self.own]
        return [tuple(_has_most(one, side) for side in weights) for one in said]


def differs(question: str) -> bool:
    """Whether a question speaks of a difference."""
    return _COMPARES.search(question) is not None


def compared(question: str) -> Compared | None:
    """What `question` compares; None where it compares nothing, or it is not clear what."""
    if len(question) > _QUESTION_CHARS:
        return None
    says_so = _COMPARES.search(question) or _VERSUS.search(question)
    found = _apart(question) if says_so else _by_a_property(question)
    if found is None or not 2 <= len(found.sides) <= _MOST or not all(found.own):
        return None
    return found


def words_compared(side: str) -> tuple[str, ...]:
    """The words of content of a side, in order, by their beginnings; of one without any the first word."""
    return tuple(_beginning(word) for word in list(content(side)) or words(side)[:1])


def beginnings(text: str) -> frozenset[str]:
    """The words of a text of two letters and more, by their beginnings, to be held against those of a side."""
    return frozenset(_beginning(word) for word in words(text) if len(folded(word)) > 1)


def measure(comparative: str, embed: Callable[[Sequence[str]], Any]) -> str:
    """What two things are compared by, a name of `figures`; empty where it is not clear, or something else.

    Args:
        comparative: "faster", "más barato".
        embed: Texts to unit vectors, shape (n, dimensions).
    """
    names = [(kind, name) for kind, called, _ in _MEASURES for name in called]
    asked, *vectors = embed([comparative, *(name for _, name in names)])
    likeness: dict[str, float] = {}
    for (kind, _), vector in zip(names, vectors, strict=True):
        likeness[kind] = max(likeness.get(kind, -1.0), float(asked @ vector))
    (first, best), (_, second) = sorted(likeness.items(), key=itemgetter(1), reverse=True)[:2]
    return first if best - second >= _CLEAR and first in dict(_FIGURES) else ""


def figures(text: str) -> frozenset[str]:
    """The measures that a text states figures of."""
    return frozenset(name for name, pattern in _FIGURES if pattern.search(text))


def _has_most(said: Collection[str], weights: Mapping[str, float]) -> bool:
    return 2 * sum(weight for word, weight in weights.items() if word in said) >= sum(weights.values()) > 0


def _beginning(word: str) -> str:
    return folded(word) if is_name_in_code(word) else stem(word)[:_BEGINNING]


def _apart(question: str) -> Compared:
    """The sides where a word says that these are compared."""
    with_ = _COMPARED_WITH.split(question, maxsplit=1)
    if len(with_) == 2 and any(content(with_[0])):
        return Compared(_said(with_))
    told = _COMPARES.sub(" ", _BETWEEN.split(question, maxsplit=1)[-1])
    return Compared(_said(_AND.split(f" {told} ")))


def _by_a_property(question: str) -> Compared | None:
    """The two that it is asked of which is more so; None without a comparative between two."""
    found = _COMPARATIVE.search(question) or _THE_MORE.search(question)
    if found is None or not (_WHICH.search(question) or asks_yes_or_no(question)):
        return None
    cut = _OR.search(question)
    if cut is None:
        cut = _THAN.search(question, found.end() - 1)
        if cut is not None and _WHICH.search(question[: cut.start()]):  # "which are longer than the tour"
            return None
    if cut is None or _OR.search(question, cut.end()):
        return None
    before, behind = _CLAUSE.split(question[: cut.start()])[-1], _CLAUSE.split(question[cut.end() :])[0]
    first, second = before.partition(found[0]), behind.partition(found[0])
    # "which is faster, the train" and "the bus the faster one": each side stands next to what is between both.
    return Compared(_said([_named(first[2], first[0]), _named(second[0], second[2])]), found[0])


def _named(part: str, otherwise: str) -> str:
    """The part of a question that names a side: the second one where the first names nothing."""
    return part if any(_naming(part)) else otherwise


def _naming(side: str) -> list[str]:
    """The words that name a side: its words of content, else the one behind an article, such as "the big one"."""
    found = _ARTICLED.match(side)
    return list(content(side)) or ([found[1]] if found else [])


def _said(parts: Sequence[str]) -> tuple[str, ...]:
    """The parts that name something, from the first word on that does."""
    named = ((part, next(iter(_naming(part)), "")) for part in parts)
    return tuple(part[part.find(word) :].strip(_EDGES) for part, word in named if word)
