"""What a question asks to be done with rows of a table: to list, count or add them up, the most, the least, a mean."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from classifier.embedder import Embedder
from engine.generation.extractive.account_figures.asking.questions import AVERAGE, Operations
from engine.generation.extractive.account_figures.candidates.bounds import bound_said
from engine.generation.extractive.row_arithmetic.wording import AMOUNT, LONG, SUPERLATIVE, Token, tokens
from engine.text.language import Language
from engine.text.questions.comparisons import measure
from engine.text.words import asks_something, folded, is_common

#: Nothing that is asked of a day is answered here.
_TODAY = date(2000, 1, 1)
#: The probability from which an operation is asked for; the same where no superlative words are found, where some are,
#: and for what has other signs.
_SURE, _BEYOND_DOUBT, _WORDED, _LIKELY = 0.5, 0.8, 0.25, 0.4
#: The probability from which superlative words are sure to ask for the most, or the least.
_CERTAIN = 0.8
#: Characters of the longest question that is about rows; more was pasted.
QUESTION_CHARS = 400
#: Operations that tell rows.
LISTING = ("list", "count")
#: Words of the longest message that names things and asks nothing.
_FEW_WORDS = 10
#: Asks for rows, not for a figure of one or for how many there are.
_WHICH = re.compile(
    r"^\W*(?:(?:and|y|but|pero|so|ok)\s+)*(?:(?:in|at|en|a|for|para)\s+)?"
    r"(?:which|what|who|where|list|show|give|tell|name|find|que|quien(?:es)?|cuales?|donde|lista\w*|dime|dame|muestra\w*|enumera\w*|"
    r"(?:is|are) there any|hay algun\w*|do you have any|teneis algun\w*)\b"
)
#: Asks for something else than rows all the same.
_NOT_WHICH = re.compile(r"\b(?:how (?:much|many|long|often)|cuant[oa]s?|when|why|cuando|por que|mean|significa)\b")
#: Asks for all of something.
LISTS = re.compile(
    r"^\W*(?:(?:and|y)\s+)?(?:which|what|list|show|give|tell|que|cuales|lista\w*|dime|dame|muestra\w*|enumera\w*)\b"
)
#: The same with the noun that says of what: "what are the limits of ...", "dame todos los comandos".
_LISTED = re.compile(
    r"^\W*(?:(?:and|y)\s+)?(?:(?:which|what|que|cuales)(?:\s(?:are|were|son|hay))?"
    r"|(?:list|show|give|tell|lista|listame|dime|dame|muestra\w*|enumera\w*)(?:\s(?:me|us|nos))?)"
    r"(?:\s(?:all|of|the|your|our|todos|todas|l[oa]s|vuestr[oa]s|tus))*\s(?P<what>[^\W\d_]+)"
)
#: Asks what something is, rather than which rows are so.
DEFINES = re.compile(r"^\W*(?:(?:and|y)\s+)?(?:what\W?s?\s(?:is|was|does)|what\W?s|que (?:es|era))\b")
#: Asks how many rows there are, and what several of them cost.
_HOW_MANY = re.compile(r"\b(?:how many|cuant[oa]s|number of|numero de)\b")
HOW_MUCH = re.compile(r"^\W*(?:(?:and|y)\s+)?(?:how much (?:are|do)|cuanto (?:cuestan|valen))\b")
#: Asks for two figures added up, and how two differ.
_PLUS = re.compile(r"\b(?:plus|mas)\b|\+")
_THAN = re.compile(r"\b(?:than|que|differ\w*|diferenci\w*|between|entre|compar\w+|frente)\b")
IN_TOTAL = re.compile(r"\b(?:altogether|together|junt[oa]s|total|in all|sum|suman?)\b")
_MEAN = re.compile(r"\bmean\b")
#: What is left of asking for a mean once the column is named.
MEAN_WORDS = re.compile(r"\b(?:average|avg|mean|promedio|medi[oa])\b")
_MOST = re.compile(r"\b(?:m[aá]s|menos|most|least)\s+(?!de\b|que\b|than\b)(?:a\s+)?[^\W\d_]+", re.IGNORECASE)
_THAN_SO_MANY = re.compile(r"\s(?:de|que|than)$", re.IGNORECASE)
#: Behind words that compare: "más caros de 16 euros" are several.
_SO_MANY = re.compile(r"\s+(?:de|que|than)\s+\W?\d", re.IGNORECASE)
_SPANISH = re.compile(r"\b(?:m[aá]s|menos)\b", re.IGNORECASE)
#: What stands in front of the most, and not of a comparison ("are there longer ones?"), where no word is a superlative.
_THE = re.compile(
    r"\b(?:cu[aá]l(?:es)?|qu[eé]|qui[eé]n|el|la|los|las|lo)\b|"
    # "Barco con más plazas", "modelo más barato", and not "¿hay barcos con más plazas?".
    r"^\W*(?!hay\b|alg[uú]n|tien|ten[eé]|quier|busc|necesit|otr|un[oa]?s?\b)[^\W\d_]{3,}\s(?:con\s)?(?=m[aá]s\b|menos\b)",
    re.IGNORECASE,
)
#: What is the fastest, or comes most often, takes the least time.
SPEED = re.compile(r"fast|quick|r[aá]pid|often|menudo|frecuente|(?P<slow>slow|lent)", re.IGNORECASE)
_LEAST = re.compile(r"\b(?:least|menos)\b", re.IGNORECASE)


def operation_of(question: str, language: Language, operations: Operations) -> str:
    """What a question asks to be done with rows; empty for nothing of the kind."""
    chances = operations.chances(question)
    asked = folded(question)
    if chances["highest"] + chances["lowest"] >= (_WORDED if superlative(question) else _BEYOND_DOUBT):
        return "highest" if chances["highest"] >= chances["lowest"] else "lowest"
    signs = (
        (next(iter(chances)) == "compare" and _THAN.search(asked), "compare"),
        (chances["compare"] >= _SURE and _PLUS.search(asked), "sum"),  # "judo más yoga"
        (AVERAGE.search(asked) or _MEAN.search(asked), "average"),
        (IN_TOTAL.search(asked) or (chances["sum"] >= _SURE and not _HOW_MANY.search(asked)), "sum"),
        (_HOW_MANY.search(asked), "count"),
        (asks_for_rows(question) or chances["list"] >= _LIKELY, "list"),
        (AMOUNT.search(question) and not LONG.search(question), "cost"),
        (bound_said(question, language), "list"),
    )
    return next((name for sign, name in signs if sign), "")


def asks_for_the_most(
    question: str, operation: str, operations: Operations, embedder: Embedder, *, timed: bool, years: bool
) -> bool:
    """Whether the most of a column is asked for by `highest` or `lowest`.

    Args:
        timed: Its figures are lengths of time: what is the slowest takes the most.
        years: They are years: what is the oldest is of the least.
    """
    told = superlative(question)
    sure = is_most(told, timed=timed, operations=operations) if told else None
    most = operation == "highest" if sure is None else sure
    return most is not (years and measure(told, embedder.embed) == "age")


def asks_for_rows(question: str) -> bool:
    """Whether a question may ask which rows a condition holds for."""
    asked = folded(question)
    begins = _HOW_MANY.search(asked) or HOW_MUCH.match(asked)
    other = _NOT_WHICH.search(asked[begins.end() :] if begins else asked)
    return other is None and (begins is not None or _WHICH.search(asked) is not None or _names_several(question))


def asks_which(question: str) -> bool:
    """Whether a question asks which of several it is, and not how far they differ."""
    asked = folded(question)
    return _WHICH.search(asked) is not None and _NOT_WHICH.search(asked) is None


def _names_several(question: str) -> bool:
    """Whether a message is a few words without a question, one of them in the plural: "lamps from Italy"."""
    said = tokens(question)
    several = any(one.text.endswith("s") and not is_common(one.text) for one in said)
    return several and 1 < len(said) <= _FEW_WORDS and not asks_something(question)


@lru_cache(256)
def superlative(question: str) -> str:
    """The superlative words of a question; empty without any."""
    said = [one for one in SUPERLATIVE.finditer(question) if not _THAN_SO_MANY.search(one[0])]
    said = [one for one in (*said, *_MOST.finditer(question)) if not _SO_MANY.match(question, one.end())]
    found = (
        one[0]
        for one in said
        if not is_common(one[0]) and (_SPANISH.search(one[0]) is None or _THE.search(question[: one.end()]))
    )
    return next(found, "")


def is_most(told: str, *, timed: bool, operations: Operations) -> bool | None:
    """Whether superlative words ask for the most; None where they are not sure to ask for either.

    They are read in a question of their own: other words of the question may sound like the most ("high season").
    """
    if timed and (speed := SPEED.search(told)):
        return (speed["slow"] is not None) is (_LEAST.search(told) is None)
    frame = "which is the {}" if _SPANISH.search(told) is None else "cuál es el {}"
    if _SPANISH.match(told):
        told = in_the_masculine(told)
    elif _SPANISH.search(told):
        frame = "cuál es el que {}"
    chances = operations.read(frame.format(told), _TODAY).chances
    sure = [name for name in ("highest", "lowest") if chances[name] >= _CERTAIN]
    return sure[0] == "highest" if sure else None


def in_the_masculine(told: str) -> str:
    """Superlative words as most examples have them: "más cara", "más baratos"."""
    return re.sub(r"(?:a|as|os)$", "o", told) if _SPANISH.match(told) else told


def listed(question: str) -> Token | None:
    """The word behind "which" or "list all"."""
    found = _LISTED.match(folded(question))
    return None if found is None else tokens(found["what"])[0]


def rows_asked(question: str) -> str:
    """What a question wants to be listed or counted, by one word; empty where it wants nothing of the kind."""
    asks = len(question) <= QUESTION_CHARS and asks_for_rows(question)
    of = (listed(question) or counted(question)) if asks else None
    return of.text if of is not None and not is_common(of.text) else ""


def counted(question: str) -> Token | None:
    """The word behind "how many"."""
    found = re.search(_HOW_MANY.pattern + r"\W+(?:of the |de l[oa]s )?(?P<what>[^\W\d_]+)", folded(question))
    return None if found is None else tokens(found["what"])[0]
