"""What a question asks to be put together or compared: the rows that it names, and how many of each.

A question is understood where each of its words is accounted for: by a row, by a column, by a heading above them, or by
the way of asking. What leaves a word over asks for more than the rows say.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from engine.generation.extractive.account_figures.vocabulary import light_words, vocabulary
from engine.generation.extractive.row_arithmetic.rows import CURRENCY_SAID, Row
from engine.text.words import asks_how, begins_alike, content_stems, folded, is_common, one_word, plain_words, stem

_I = re.IGNORECASE
#: What stands between the sides of a comparison, and between what belongs to one side.
_OR = re.compile(
    r"\s(?:or|o|u|vs\.?|versus|than|against|que|(?:instead|in place) of|rather than|frente a|en (?:vez|lugar) de|"
    r"(?:compared|comparad[oa]s?) (?:with|to|con|a)|respecto (?:a|al|de))\s",
    _I,
)
_AND = re.compile(r"[,;:?]|(?<=\s)(?:and|y|e|plus|with|con|[+&])(?=\s)", _I)
#: Asks for an amount, and for a length of time.
AMOUNT = re.compile(
    r"\b(?:how much|cu[aá]nto|cost\w*|cuest\w*|costar\w*|prices?|precios?|total|together|altogether|sum|suman?|"
    r"junt[oa]s)\b",
    _I,
)
LONG = re.compile(r"\b(?:how long|last|lasts|takes?|dur(?:a|an|ar[aá]n?)|tardan?|tardar[aá]n?)\b", _I)
#: Compares: words of grammar, and of differences.
_COMPARING = re.compile(
    r"\b(?P<more>more|less|fewer|m[aá]s|menos|better|mejor|peor|mayor|menor)\b|\b(?P<er>[^\W\d_]{3,}er)\b|"
    r"\b(?P<noun>differ\w*|diferenci\w*|compar(?!t)\w+|sav(?:e|es|ed|ing|ings)|ahorr\w+)\b",
    _I,
)
#: Words that compare and say nothing of what is compared, folded.
BARE = frozenset(["more", "less", "fewer", "mas", "menos"])
DIFFERENCE = re.compile(r"\b(?:differ\w*|diferenci\w*|compar(?!t)\w+)\b", _I)
SAVES = re.compile(r"\b(?:sav(?:e|es|ed|ing|ings)|ahorr\w+)\b", _I)
#: Words that ask for the most or the least: "the shortest", "el más barato".
SUPERLATIVE = re.compile(
    r"\b[^\W\d_]{3,}est\b|\b(?:the|which) (?:most|least)\b(?:\s[^\W\d_]+)?|"
    r"(?:m[aá]s|menos)\s+[^\W\d_]+(?!.*\sque\s)|\b[^\W\d_]+\s(?:m[aá]s|menos)(?=\W*$)",
    _I,
)
_REASON = re.compile(r"\b(?:why|por\s?qu[eé])\b", _I)
#: Words of such questions that name nothing.
_ASKING = re.compile(
    r"cost\w*|cuest\w*|prices?|priced|precios?|total|together|juntos?|juntas?|sum|queremos|quieren|please|porfa\w*|"
    r"separad[oa]s?|separately|by|por|in|en|all|each|cheap|which|long|lasts?|suelt[oa]s?|it|would|come|both|amb[oa]s|two|dos"
)
#: What a verb or a possessive is shortened to: "what's".
_SHORTENED = re.compile(r"(?<=\w)['’](?:s|m|d|re|ve|ll|t)(?!\w)", _I)
#: What somebody does with a thing, which says nothing of the thing: "can I rent", "puedo dormir".
_DOING = re.compile(
    r"\b(?:can|could|may|do|does|should)\s+(?:i|we|you|one|they)\s+(?P<can>[a-z]+)|"
    r"\b(?:puedo|podemos|puedes|puede|pueden)\s+(?P<puedo>[^\W\d_]+[aei]r)(?![^\W\d_])|"
    r"\bto\s+(?P<to>rent|hire|buy|book|order|get)\b",
    _I,
)
#: What a thing is, and the name and number of its model behind it.
_MODEL = re.compile(r"(?P<thing>[^\W\d_]+(?:\s[^\W\d_A-ZÁÉÍÓÚÑ]+)*)(?=.*\d)(?:\s[A-ZÁÉÍÓÚÑ\d]\S*)+")
#: Says that there is something, or that it has to be.
HAVING = re.compile(
    r"\b(?:requir\w+|includ\w+|accept\w*|allow\w*|offer\w*|necesit\w+|requier\w+|incluy\w+|acept\w+|admit\w+)"
)
#: Inside a name, and no word of it: "Lis du Val".
_PARTICLE = re.compile(r"(?<=\s)[a-z]{2}(?=\s)")
EACH = re.compile(r"\b(?:each|apiece|cada|respectively|respectivamente)\b", _I)
#: Stretches of time that prices of things are for, beside those of accounts.
_SHORTER = {"hour": "hour|hourly|hora", "night": "night|nightly|noche"}
#: Names taken apart that are kept: a question is held against the same rows many times.
_KEPT = 8_192


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a question or of a name.

    Attributes:
        count: The number that it is; 0 for none.
    """

    text: str
    count: int = 0

    def like(self, other: Token) -> bool:
        """Whether both are forms of one word."""
        if self.text == other.text or (self.count and self.count == other.count):
            return True
        return not (self.count or other.count) and one_word(self.text, other.text)

    def within(self, words: Iterable[Token]) -> bool:
        """Whether some of the words are a form of this one."""
        return any(self.like(word) for word in words)


@dataclass(frozen=True, slots=True)
class Operand:
    """So many of what a row tells of.

    Attributes:
        column: The column that its part of the question names; empty for none.
        exact: It says how many: "breakfast", "two adults", not "adults" of the row "Adult".
    """

    row: Row
    count: int = 1
    column: str = ""
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart.

    Attributes:
        sides: The rows that are named, by the sides of a comparison; one side where nothing is compared.
        columns: The columns that are named outside of what names a row.
        comparing: The words that compare; empty where none does.
        left: Words that nothing accounts for.
        each: It asks for each of several.
        told: A word of it is one of a heading.
    """

    sides: tuple[tuple[Operand, ...], ...]
    columns: tuple[str, ...] = ()
    comparing: str = ""
    left: tuple[str, ...] = ()
    each: bool = False
    told: bool = False


def tokens(text: str) -> list[Token]:
    """The words of a text as they are compared."""
    return list(_tokens(text))


@lru_cache(_KEPT)
def _tokens(text: str) -> tuple[Token, ...]:
    return tuple(Token(word, _count(word)) for word in map(folded, plain_words(_SHORTENED.sub(" ", text))))


def denies(folded_text: str) -> bool:
    """Whether a folded text says that something is not so, or leaves something out."""
    return re.search(rf"\b(?:{'|'.join(vocabulary()['denying'])}|except|excepto|salvo|but)\b", folded_text) is not None


def asks_for_more(question: str) -> bool:
    """Whether a question asks for the reason of something, or how it is done, which no cell says."""
    return asks_why(question) or (asks_how(question) and AMOUNT.search(question) is None)


def asks_why(question: str) -> bool:
    """Whether a question asks for the reason of something."""
    return _REASON.search(question) is not None


def column_stems(column: str) -> frozenset[str]:
    """The words of the name of a column that say something, be it written as in code."""
    return content_stems(column.replace("_", " "))


def without_doing(question: str, rows: Sequence[Row]) -> str:
    """A question for things without what somebody would do with them: "which bikes can I ride for 8 euros".

    It stays where what is above a table says it too: "where can I sleep" below "Where to sleep".
    """
    rest = question
    for found in reversed(list(_DOING.finditer(question))):
        verb = next(name for name, word in found.groupdict().items() if word)
        rest = f"{rest[: found.start(verb)]}{rest[found.end(verb) :]}"
    doing = [token for token in tokens(question) if not token.within(tokens(rest))]
    return question if any(token.within(tokens(row.about)) for row in rows for token in doing) else rest


def _count(word: str) -> int:
    if word.isdecimal():
        return int(word) if len(word) <= 4 else 0
    return _counts().get(word, 0)


@cache
def _counts() -> dict[str, int]:
    """Numbers by their words, without those that only point at something: "one", "another"."""
    return {word: n for words, n in vocabulary()["counts"].items() if n > 1 for word in words.split("|")}


def read(question: str, rows: Sequence[Row]) -> Asked:
    """Takes a question apart by the rows of one document."""
    sides: list[tuple[Operand, ...]] = []
    columns: list[str] = []
    left: list[Token] = []
    text = f" {question.strip()} "
    for side in _OR.split(text):
        operands: list[Operand] = []
        for part in _parts(side, rows):
            named = _named(part, rows)
            if named is None:
                rest, of = part, rows
            else:
                operand, rest = named
                of = [operand.row]
                operands.append(operand)
            column, rest = _column(rest, of)
            if named is not None and column:
                operands[-1] = Operand(operand.row, operand.count, column, operand.exact)
            elif column:
                columns.append(column)
            left += rest
        sides.append(tuple(operands))
    if sides and not columns and not any(one.column for side in sides for one in side):
        column, left = _column(left, _rows(sides))  # its words stand apart: "the price of the basic plan a month"
        columns += [column] if column else []
    comparing = words_comparing(question, rows)
    told = [token for row in _rows(sides) or rows for token in tokens(row.about) if _says(token)]
    compared = set(map(folded, comparing))
    unaccounted = tuple(
        token.text
        for token in left
        if token.count or not (asks(token.text) or is_told(token, told) or token.text in compared)
    )
    kept = tuple(side for side in sides if side) or ((),)
    each = EACH.search(question) is not None
    of_heading = any(_says(token) and is_told(token, told) for token in left)
    return Asked(kept, tuple(dict.fromkeys(columns)), " ".join(comparing), unaccounted, each, of_heading)


def _rows(sides: Iterable[Sequence[Operand]]) -> list[Row]:
    return [operand.row for side in sides for operand in side]


def _parts(side: str, rows: Sequence[Row]) -> list[list[Token]]:
    """The parts of a side, apart where it lists several things; not at a word that a row or a column is called."""
    called = {token.text for row in rows for name in (row.name, *row.columns) for token in tokens(name)}
    parts: list[list[Token]] = [[]]
    begin = 0
    for cut in [*_AND.finditer(side), None]:
        if cut is not None and folded(cut[0].strip()) in called and not is_common(cut[0].strip()):
            continue
        parts[-1] += tokens(side[begin : cut.start() if cut else len(side)])
        if cut is not None:
            parts.append([])
            begin = cut.end()
    return [part for part in parts if part]


def _named(part: Sequence[Token], rows: Sequence[Row]) -> tuple[Operand, list[Token]] | None:
    """The row that a part names, and its other words; None where it names none, or it is not sure which."""
    best: list[tuple[tuple[int, bool], Row, str, set[int], int]] = []
    named = [(row, called) for row in rows for called in (row.name, row.says_what) if called]
    for row, called in named:
        name = tokens(called)
        own = telling(called)
        places = {at for at, token in enumerate(part) if token.within(name)}
        said = {at for at in places if part[at].within(own)}
        if any(not part[at].count for at in said) and _covers([part[at] for at in said], called):
            whole = all(any(part[at].like(one) for at in places) for one in telling(called.partition("(")[0]))
            best.append(((len(said), whole), row, called, places, min(at for at in said if not part[at].count)))
    most = max((one[0] for one in best), default=None)
    likeliest = [one[1:] for one in best if one[0] == most]
    if len(likeliest) != 1:
        return None
    row, name_said, places, first = likeliest[0]
    around = [token for called in (row.about, *row.columns) for token in tokens(called)]  # "two tickets for adults"
    before = (
        at for at in range(first - 1, -1, -1) if at not in places and (part[at].count or not part[at].within(around))
    )
    at = next((at for at in before if _says(part[at])), -1)
    counted = at >= 0 and part[at].count > 0
    article = first > 0 and part[first - 1].text in ("a", "an", "un", "una", "the", "el", "la", "one", "uno")
    written = {one.text for one in tokens(name_said)}
    several = any(part[place].text.endswith("s") and part[place].text not in written for place in places)
    exact = counted or article or not several
    rest = [token for place, token in enumerate(part) if place not in places and not (counted and place == at)]
    return Operand(row, part[at].count if counted else 1, exact=exact), rest


def _says(token: Token) -> bool:
    return bool(token.count) or token.text.isdigit() or not is_common(token.text)


def telling(name: str) -> list[Token]:
    """The words of a name that say something; all in front of brackets where none there does: "Solo", "AM"."""
    bare, _, bracketed = _PARTICLE.sub(" ", name).partition("(")
    every = tokens(bare)
    return [*(list(filter(_says, every)) or every), *filter(_says, tokens(bracketed))]


def _covers(said: Sequence[Token], name: str) -> bool:
    """Whether words name a row: half of what its name begins with, or of all of it, or all in front of a model's name.

    "Band saw Rondo 300" is the band saw.
    """
    bare = re.split(r"[(,]", name)[0]
    head = list(itertools.takewhile(_says, tokens(bare)))
    parts = (head, telling(bare))
    if any(some and 2 * sum(one.within(said) for one in some) >= len(some) for some in parts):
        return True
    model = _MODEL.fullmatch(bare.strip())
    return model is not None and all(one.within(said) for one in telling(model["thing"]))


def _column(words: Sequence[Token], rows: Sequence[Row]) -> tuple[str, list[Token]]:
    """The column of these rows that words name, and the words that do not: the one whose whole name is said."""
    said: dict[str, tuple[bool, set[int]]] = {}
    for column in dict.fromkeys(column for row in rows for column in row.columns):
        column_said = CURRENCY_SAID.sub(" ", column.replace("_", " "))
        name = [token for token in tokens(column_said) if len(token.text) > 1]
        had = {at for at, word in enumerate(words) if word.within(name)}
        if name and all(any(words[at].like(token) for at in had) for token in telling(column_said)):
            said[column] = (all(any(words[at].like(token) for at in had) for token in name), had)
    if not said:
        return _periodic(words, rows)
    best = max((whole, len(had)) for whole, had in said.values())
    found = [column for column, (whole, had) in said.items() if (whole, len(had)) == best]
    taken = said[found[0]][1]
    if len(found) != 1 or any(had - taken for _, had in said.values()):
        return "", list(words)
    return found[0], [word for at, word in enumerate(words) if at not in taken]


def _periodic(words: Sequence[Token], rows: Sequence[Row]) -> tuple[str, list[Token]]:
    """The only column for a period that words name by another word: "al mes", "Cuota mensual"."""
    columns = dict.fromkeys(column for row in rows for column in row.columns)
    told = [at for at, word in enumerate(words) if stretch_of(word)] if columns else []
    period = stretch_of(words[told[0]]) if told else ""
    found = [column for column in columns if period and period in map(stretch_of, tokens(column))]
    found = [column for column in found if not _counts_a_thing(column, rows)]
    if len(told) != 1 or len(found) != 1:
        return "", list(words)
    return found[0], [word for at, word in enumerate(words) if at not in told]


def _counts_a_thing(column: str, rows: Sequence[Row]) -> bool:
    """Whether a column for a period has so many of a thing in it, "Credits per month", and no amount for that time."""
    things = (one for one in telling(column) if not (stretch_of(one) or AMOUNT.fullmatch(one.text)))
    cells = [cell for row in rows if (cell := row.cell(column)) is not None]
    return any(things) and not any(cell.kind == "money" for cell in cells)


def stretch_of(word: Token) -> str:
    """The stretch of time that a word is or is for: `day` of "daily"; empty for any other word."""
    units: dict[str, str] = vocabulary()["periods"] | _SHORTER
    forms = (word.text, stem(word.text))
    return next((unit for unit, forms_of in units.items() if any(re.fullmatch(forms_of, one) for one in forms)), "")


def words_comparing(question: str, rows: Sequence[Row] = ()) -> list[str]:
    """The words that compare, with the one that is compared by behind "more": "más barato"."""
    called = {token.text for row in rows for name in (row.name, row.about, *row.columns) for token in tokens(name)}
    columns = [
        token for column in dict.fromkeys(name for row in rows for name in row.columns) for token in tokens(column)
    ]
    found: list[str] = []
    for match in _COMPARING.finditer(question):
        if match["er"] and (is_common(match[0]) or AMOUNT.fullmatch(match[0]) or folded(match[0]) in called):
            continue
        if match["er"] and Token(folded(match[0])).within(columns):  # to "water" what has a column "Watering"
            continue
        found.append(match[0])
        if match["more"] and (behind := re.match(r"\s+([^\W\d_]+)", question[match.end() :])):
            word = folded(behind[1])
            found += [behind[1]] if not is_common(word) and word not in called else []
        if found[-1] == match["more"] and (verb := re.search(r"([^\W\d_]+)\s+$", question[: match.start()])):
            word = folded(verb[1])
            found[-1:] = [verb[1], match[0]] if not is_common(word) and word not in called else [match[0]]  # "dura más"
    return found


def asks(word: str) -> bool:
    """Whether a folded word is of the way of asking, and names nothing."""
    return (
        is_common(word)
        or word in light_words()
        or word in vocabulary()["asking"]
        or _ASKING.fullmatch(word) is not None
    )


def is_told(token: Token, told: Sequence[Token]) -> bool:
    """Whether a word is one of the headings, be it in another form: "hire", "hiring"."""
    return any(token.like(one) or begins_alike(token.text, one.text) for one in told)
