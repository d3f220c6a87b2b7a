"""Arithmetic as people write it, in English, Spanish or Chinese, turned into an expression.

"what is twelve times seven", "cuánto es el 15 % de 240" and "1024 減去 768 等於多少？" are rewritten step by step into
`12 * 7`, `(15/100)*240` and `1024 - 768`. What cannot be rewritten whole is not arithmetic: nothing is guessed, and a
question that only has numbers in it is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.planning.tools.calculator.arithmetic import MAX_CHARS
from engine.planning.tools.calculator.money import without_currencies
from engine.planning.tools.calculator.numerals import chinese_to_digits, normal
from engine.planning.tools.calculator.percentage_questions import percentage_question
from engine.text.language import Language, language_of
from engine.text.numbers import in_digits, plain_numbers
from engine.text.words import has_digit

_I = re.IGNORECASE

#: What stands around a calculation without being part of it.
_POLITE = re.compile(
    r"^[\s¿¡:：]*(?:(?:please|hey|hi|hello|ok|por favor|hola|oye|請問|请问|請|请|幫我|帮我|can you|could you|would you|"
    r"me puedes|puedes|podr[ií]as|quiero saber|necesito saber|i need to know|i want to know|tell me|dime|"
    r"me dices|sabes)\b[\s,:¿]*)+",
    _I,
)
_THANKS = re.compile(r"[\s,]*\b(?:please|thanks|thank you|por favor|gracias)[\s.!?]*$", _I)
_FRAME = re.compile(
    r"^(?:what(?:['’]?s| is| are| does| would be| do you get (?:if|when) you)?|"
    r"how (?:much|many)(?: is| are| does| makes?| would be)?|"
    r"(?:the )?(?:result|value) of|calculate|compute|work out|evaluate|solve|"
    r"(?:me )?calc[uú]la(?:r|me|s)?|cu[aá]nt[oa]s? (?:es|son|da|dan|hace|hacen|vale|valen|ser[ií]an?|me da|queda)|"
    r"cu[aá]l (?:es|ser[ií]a)|(?:el )?resultado de|qu[eé] es|resuelve|"
    r"計算(?:一下)?|计算(?:一下)?|算一下|算算)\s*[:：]?\s*(?=[\d(.+a-zñáéíóú√%$€£-]|$)",
    _I,
)
_END = re.compile(
    # It begins with a blank, a sign or a word: within words, which is most of a text, it is not tried.
    r"(?=\b|[\W等是有多得]|$)"
    r"\s*(?:\bequals?(?: to)?(?: what)?|\bmakes?(?: what)?|\bis (?:what|how much)|\bplease|\bpor favor|\bgracias|"
    r"\bthanks|\bes igual a(?: cu[aá]nto)?|\bcu[aá]nto es|"
    r"等於(?:多少|幾|几|什麼|什么)?|等于(?:多少|幾|几|什么)?|是(?:多少|幾|几)|有?多少|得(?:多少|幾|几)|=)*[\s,?!.。=]*$",
    _I,
)
_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)"
_GROUP = rf"({_NUMBER[1:-1]}|\([^()]*\))"
_LIST = r"(\(?[-\d.,\s]*\d[\d.,\s]*(?:(?:,\s*|\s+)(?:and|y|e)\s+-?[\d.]+)?\)?)"
#: What is shared out, and among whom.
_BILL = (
    r"(?:(?:the|an?|la|una|el|un)\s+"
    r"(?:bill|check|cost|price|total|amount|cuenta|factura|coste?|gasto|importe)\s+(?:of|de)\s+)?"
)
_SHARERS = r"(?:\s+(?:people|persons|friends|ways|personas|amig[oa]s|partes|parts))?"
_AN = r"(?:\b(?:the|an?|el|un|del|de un|de el)\s+)?"


Rewrites = list[tuple[re.Pattern[str], str]]


def compiled(*rewrites: tuple[str, str]) -> Rewrites:
    """Patterns, in whatever case, with what each is replaced by."""
    return [(re.compile(pattern, _I), replacement) for pattern, replacement in rewrites]


def rewritten(text: str, rewrites: Iterable[tuple[re.Pattern[str], str]]) -> str:
    """`text` with each of the rewrites made, one after another."""
    for pattern, replacement in rewrites:
        text = pattern.sub(replacement, text)
    return text


#: Parts of a whole, by the number of parts; each name with what may follow it.
_PARTS = {
    2: "hal(?:f|ves)|medios?|mitad(?:es)?",
    3: "thirds?|tercios?|tercera parte",
    4: "quarters?|fourths?|cuartos?|cuarta parte",
    5: "fifths?|quintos?|quinta parte",
    6: "sixths?|sextos?|sexta parte",
    8: "eighths?|octavos?|octava parte",
    10: "tenths?|d[eé]cimos?|d[eé]cima parte",
}
_COUNTS = {1: "an?|one|una?|la", 2: "two|dos", 3: "three|tres", 4: "four|cuatro", 5: "five|cinco", 7: "seven|siete"}
_FRACTIONS = compiled(
    *(
        (rf"\b(?:the |las? )?(?:{count}|{over})\s+(?:{names}) (?:of|de|del)\s+", f"({over}/{under})*")
        for under, names in _PARTS.items()
        for over, count in _COUNTS.items()
    ),
    *((rf"\b(?:the )?(?:{names}) (?:of|de|del)\s+", f"(1/{under})*") for under, names in _PARTS.items()),
)
#: Stands in whatever one of `_FRACTIONS` matches: most texts are looked at once instead of by each of them.
_FRACTION = re.compile(rf"\b(?:{'|'.join(_PARTS.values())}) (?:of|de|del)\s", _I)
_WORDS = compiled(
    # Before number words are read: text_to_num takes "por ciento" for a hundred.
    (r"\bper\s?cent(age)?\b|\bpor cien(to)?\b|\bpct\b", " % "),
    (r"百分之\s*([\d零〇一二兩两三四五六七八九十百點点.]+)", r" \1 % "),
    (r"\ba (?=(hundred|thousand|million|dozen)\b)", ""),
    (r"(?<=\d)\s*(?:dozen|docena)s?(?: (?:of|de))?\b", "*12"),
    (r"\b(?:a |one |una )?(?:dozen|docena)s?(?: (?:of|de))?\b", "12"),
    (r"(?:the )?cube root of|(?:la )?ra[ií]z c[uú]bica (?:de|del)\s*", " cbrt of "),
    (r"(?:(?:the )?square root of|(?:la )?ra[ií]z(?: cuadrada)? (?:de|del)|√)\s*", " sqrt of "),
)
#: The same for `_WORDS`.
_WORDED = re.compile("cent|cien|pct|百分之|hundred|thousand|million|do[cz]en|root|ra[ií]z|√", _I)
#: Percentages that are asked for, added or taken off; before a plain percentage of something.
_PERCENTAGES = compiled(
    (rf"(?:what )?% (?:of|de)\s*{_GROUP}\s+(?:is|es|son|representa)\s+{_GROUP}", r"percent(\2/\1)"),
    (rf"{_GROUP}\s+(?:is|are|es|son)\s+(?:what|qu[eé]) (?:%|porcentaje) (?:of|de)\s+{_GROUP}", r"percent(\1/\2)"),
    (rf"{_GROUP}\s+(?:as an?|como) (?:%|porcentaje) (?:of|de)\s+{_GROUP}", r"percent(\1/\2)"),
    (rf"qu[eé] (?:porcentaje|tanto %) (?:de\s+)?{_GROUP}\s+(?:es|son|representan?)\s+{_GROUP}", r"percent(\2/\1)"),
    (rf"qu[eé] (?:porcentaje|tanto %) (?:es|son|representan?)\s+{_GROUP}\s+(?:de|sobre)\s+{_GROUP}", r"percent(\1/\2)"),
    (
        rf"(?:the )?(?:% )(?:change|increase|decrease|difference)\s+(?:from|between)\s+{_GROUP}\s+(?:to|and)\s+{_GROUP}",  # noqa: E501
        r"percent((\2-\1)/\1)",
    ),
    (
        (
            rf"(?:el |la )?(?:cambio|variaci[oó]n|aumento|incremento|subida|bajada|diferencia) (?:porcentual|en %)"
            rf"\s+(?:de|entre)\s+{_GROUP}\s+(?:a|y)\s+{_GROUP}"
        ),
        r"percent((\2-\1)/\1)",
    ),
    (
        rf"{_GROUP}\s+(?:with|at|con|menos)\s+{_AN}{_NUMBER}\s*%\s*(?:off|discount|de descuento|de rebaja)",
        r"\1*(1-\2/100)",
    ),
    (
        rf"{_AN}{_NUMBER}\s*%\s*(?:off|discount (?:on|of|off)|de (?:descuento|rebaja) (?:de|en|sobre|a))\s+(?:of\s+)?{_GROUP}",  # noqa: E501
        r"\2*(1-\1/100)",
    ),
    (
        rf"{_AN}{_NUMBER}\s*%\s*(?:tip|tax|vat|(?:de )?(?:propina|impuestos?|iva|igv|itbis)) (?:on|for|of|de|sobre|para)\s+{_GROUP}",  # noqa: E501
        r"(\1/100)*\2",
    ),
    (
        rf"{_GROUP}\s*(?:\+|plus|m[aá]s|with|con)\s*{_AN}{_NUMBER}\s*%(?:\s*(?:of |de |in )?(?:tip|tax|vat|iva|igv|propina|impuestos?))?\s*$",  # noqa: E501
        r"\1*(1+\2/100)",
    ),
    (
        rf"{_GROUP}\s*(?:m[aá]s|con)\s*(?:el )?(?:iva|igv|impuestos?|propina) (?:del|de)\s*{_NUMBER}\s*%\s*$",
        r"\1*(1+\2/100)",
    ),
    (rf"(?:add|sumar?|suma|a[nñ]ade|agrega)\s*{_AN}{_NUMBER}\s*%\s*(?:to|a)\s*{_GROUP}", r"\2*(1+\1/100)"),
    (
        rf"(?:increase|raise|aumentar?|incrementar?|sube|subir)\s+{_GROUP}\s+(?:(?:by|en|un)\s+)?{_AN}{_NUMBER}\s*%",
        r"\1*(1+\2/100)",
    ),
    (rf"{_GROUP}\s*(?:increased|aumentado|incrementado)\s+(?:(?:by|en|un)\s+)?{_AN}{_NUMBER}\s*%", r"\1*(1+\2/100)"),
    (
        (
            rf"(?:decrease|reduce|lower|reducir?|reduce|disminuir?|disminuye|baja|bajar|rebaja)\s+{_GROUP}\s+(?:(?:by|en|un)\s+)?"
            rf"{_AN}{_NUMBER}\s*%"
        ),
        r"\1*(1-\2/100)",
    ),
    (rf"{_GROUP}\s*(?:decreased|reduced|reducido|rebajado)\s+(?:(?:by|en|un)\s+)?{_AN}{_NUMBER}\s*%", r"\1*(1-\2/100)"),
    (rf"{_GROUP}\s*(?:-|minus|less|menos)\s*{_AN}{_NUMBER}\s*%\s*$", r"\1*(1-\2/100)"),
)
#: Stands in whatever one of them matches.
_PERCENT = re.compile("%|porcent", _I)
#: Of several numbers at once.
_ROWS = compiled(
    (rf"(?:the )?(?:average|mean) (?:of|between)\s*{_LIST}\s*$", r"mean(\1)"),
    (rf"(?:la |el )?(?:media|promedio)(?: aritm[eé]tica)? (?:de|entre)\s*{_LIST}\s*$", r"mean(\1)"),
    (rf"(?:the )?(?:sum|total) of\s*{_LIST}\s*$", r"sum(\1)"),
    (rf"(?:la |el )?(?:suma|total) (?:de|entre)\s*{_LIST}\s*$", r"sum(\1)"),
    (rf"(?:add|sum|suma|sumar)\s+{_LIST}\s*$", r"sum(\1)"),
)
_SYMBOLS = compiled(
    (rf"sqrt of\s*{_GROUP}", r" sqrt(\1) "),
    (rf"cbrt of\s*{_GROUP}", r" cbrt(\1) "),
    (rf"{_GROUP}\s*的?平方根", r" sqrt(\1) "),
    (rf"{_GROUP}\s*的\s*{_NUMBER}\s*%", r"(\1*(\2/100))"),
    (rf"{_AN}{_NUMBER}\s*%\s*(?:of|de|del)\s+", r"(\1/100)*"),
    (r"\b(?:twice|double|(?:el )?doble de)\s+", "2*"),
    (r"\b(?:triple|(?:el )?triple de|three times)\s+(?=[\d(])", "3*"),
    (rf"\bround\s+{_GROUP}\s+to\s+(\d)\s+(?:decimals?|decimal places|places)", r"round(\1,\2)"),
    (rf"\bredonde(?:a|ar)\s+{_GROUP}\s+a\s+(\d)\s+decimal(?:es)?", r"round(\1,\2)"),
    (rf"\b(?:add|suma|sumar)\s*{_GROUP}\s*(?:and|to|y|a|con)\s*{_GROUP}", r"(\1+\2)"),
    (rf"\b(?:subtract|take)\s*{_GROUP}\s*from\s*{_GROUP}", r"(\2-\1)"),
    (rf"\b(?:restar?|quita)(?:le)?\s*{_GROUP}\s*(?:a|de)\s*{_GROUP}", r"(\2-\1)"),
    (rf"\bmultipl(?:y|ica|icar)\s*{_GROUP}\s*(?:by|with|and|por|con)\s*{_GROUP}", r"(\1*\2)"),
    (
        (
            rf"\b(?:divide|dividir|split|share|reparte|repartir)\s*{_BILL}{_GROUP}\s*(?:by|between|among|amongst|entre|por)\s*"
            rf"{_GROUP}{_SHARERS}"
        ),
        r"(\1/\2)",
    ),
    (
        (
            rf"{_GROUP}\s*(?:split|shared|repartid[oa]s?)\s*"
            rf"(?:(?:by|between|among|into|in|entre|en)\s*)?{_GROUP}{_SHARERS}"
        ),
        r"(\1/\2)",
    ),
    (
        rf"\b(?:the )?(?:product of|producto de)\s*{_GROUP}\s*(?:and|y|por)\s*{_GROUP}",
        r"(\1*\2)",
    ),
    (
        rf"\b(?:the |la )?(?:difference between|diferencia entre|resta de)\s*{_GROUP}\s*(?:and|y|menos)\s*{_GROUP}",
        r"(\1-\2)",
    ),
    (
        rf"\b(?:the |el )?(?:remainder (?:of|when)|resto de(?: dividir)?)\s*{_GROUP}\s*(?:divided by|is divided by|entre|/)\s*{_GROUP}",  # noqa: E501
        r"(\1%%\2)",
    ),
    (rf"\b(?:the )?(?:square of|el cuadrado de|cuadrado de)\s*{_GROUP}", r"(\1**2)"),
    (rf"\b(?:the )?(?:cube of|el cubo de|cubo de)\s*{_GROUP}", r"(\1**3)"),
    (rf"\b(?:the |el )?factorial (?:of|de)\s*{_GROUP}", r"factorial(\1)"),
    (rf"{_GROUP}\s*(?:factorial\b|!(?!=))", r"factorial(\1)"),
    (r"\b(?:squared|al cuadrado)\b|的?平方", "**2"),
    (r"\b(?:cubed|al cubo)\b|的?立方", "**3"),
    (rf"的\s*{_NUMBER}\s*次方", r"**\1"),
    (r"\b(?:to the|a la) (\d+)(?:st|nd|rd|th|[aª])? (?:power|potencia)\b", r"**\1"),
    (r"\b(?:(?:raised )?to the power of|to the|elevado a(?: la)?)\b|\^", "**"),
    (r"\b(?:divided by|dividido (?:por|entre)|over|entre)\b|除以", "/"),
    (r"\b(?:multiplied by|multiplicado por|times|por)\b|乘以|乘上|乘", "*"),
    (r"\b(?:plus|added to|más|mas)\b|加上|加", "+"),
    (r"\b(?:minus|less|menos)\b|減去|减去|減|减", "-"),
    (rf"(?<=[\d)])\s*x\s*(?={_GROUP[1:-1]})", "*"),
    (r"\b(?:mod|módulo|modulo)\b", "%%"),
    (r"(\d)k\b", r"\1*1000"),
)
_SIGNS = r"[$€£¥]|元"
_FUNCTIONS = "sqrt|cbrt|abs|round|min|max|floor|ceil|factorial|mean|sum|percent"
_ALLOWED = re.compile(rf"(?:[\d.+\-*/()%\s,]|\b(?:{_FUNCTIONS})\b)+")
#: Before a number it is an article; text_to_num takes it for one.
_ARTICLE = re.compile(r"\b(?:un|una)\s+(?=[$€£]?\d)|\ban?\s+(?=[$€£]?[\d.,]+\s*%)", _I)
#: The same before a noun.
_INDEFINITE = re.compile(r"\b(?:un|una)\s+(?=[^\W\d_])(?!mill)", _I)
_CALL = re.compile(r"\b(?:min|max|round|mean|sum)\s*\(")
#: Numbers in a row, whose commas stand between them.
_ROW = re.compile(r"\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?){2,}(?![\d.])")
#: Digits with a sign between them that nobody wants calculated: dates, versions and addresses; and, unless they are
#: asked for, ranges, telephone numbers and what is open all day.
_NAMES = re.compile(r"\d+\.\d+\.\d|\b\d{4}-\d{1,2}-\d{1,2}\b|^\d+/\d+/\d+$")
_BARE = re.compile(r"^\+?\d+(?:-\d+)+$|^24/7$")


def expression_of(text: str, *, wanted: bool = False) -> str | None:
    """The expression that `text` asks to have calculated, as simpleeval reads it; None when there is more in it.

    Args:
        wanted: A calculation is what `text` is known to be: 24/7 alone is no ratio of hours then.
    """
    if len(text) > MAX_CHARS:
        return None
    asked = normal(text).strip().lower()
    framed = framed_in(asked)
    if _NAMES.search(framed) and not _grouped(framed):
        return None
    if _BARE.search(framed) and framed == asked and not wanted:
        return None
    numbered = digits(framed, language_of(text))
    if not has_digit(numbered):  # most questions end here
        return None
    numbered = without_currencies(numbered)
    if (symbols := _symbols(numbered)) is None and "%" in numbered:
        asked = digits(_INDEFINITE.sub("", asked), language_of(text))
        return percentage_question(without_currencies(re.sub(_SIGNS, "", asked)))
    return symbols


def framed_in(asked: str) -> str:
    """What of a question in lower case is to be calculated: without courtesies and "what is"."""
    bare = _FRAME.sub("", unpolite(asked), count=1)
    factorial = re.search(r"\d!$", bare)
    return bare if factorial else _END.sub("", bare, count=1).strip()


def unpolite(text: str) -> str:
    """`text` without the courtesies around it."""
    return _THANKS.sub("", _POLITE.sub("", text, count=1)).strip(" ¿¡:：,")


def _grouped(text: str) -> bool:
    """Whether what looks like a version is a number with groups, such as 1.250.000."""
    return re.search(r"(?<![\d.])\d{1,3}(?:\.\d{3}){2,}(?![\d.])", text) is not None


def digits(text: str, language: Language | None = None, *, ordinals: bool = True) -> str:
    """Numbers as digits with a decimal point, whatever language they are written in.

    Args:
        language: Of the text; whose decimal sign is taken where a number leaves it open.
        ordinals: Whether a word such as "second" may be a number too, which it is not where it is a unit.
    """
    language = language or language_of(text)
    for told, rewrites in ((_WORDED, _WORDS), (_FRACTION, _FRACTIONS)):
        text = rewritten(text, rewrites) if told.search(text) else text
    text = _ARTICLE.sub("", text)
    if _CALL.search(text) is None:
        text = _ROW.sub(lambda match: match[0].replace(",", ", ") if not _thousands(match[0]) else match[0], text)
        text = plain_numbers(text, language)
    if (ordinals or not has_digit(text)) and re.search(r"[a-zñáéíóú]{3}", text, _I):
        text = in_digits(text, language)
    return chinese_to_digits(text)


def _thousands(row: str) -> bool:
    return re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", row) is not None


def _symbols(text: str) -> str | None:
    """Operators as symbols; None when words are left."""
    text = " ".join(re.sub(_SIGNS, "", text).split())
    text = rewritten(text, (*(_PERCENTAGES if _PERCENT.search(text) else ()), *_ROWS, *_SYMBOLS))
    text = re.sub(r"(mean|sum)\(([^()]*)\)", _row, text)
    text = text.replace("%%", "\0")
    text = re.sub(rf"{_NUMBER}\s*%(?!\s*[\d(])", r"(\1/100)", text).replace("\0", "%")
    text = " ".join(text.split())
    return text if _ALLOWED.fullmatch(text) else None


def _row(match: re.Match[str]) -> str:
    numbers: list[str] = re.findall(r"-?\d+(?:\.\d+)?", match[2])
    return f"({'+'.join(numbers)})" if match[1] == "sum" else f"{match[1]}({', '.join(numbers)})"


def is_sum(expression: str) -> bool:
    """Whether there is anything to calculate: an operator between numbers, or a function."""
    return re.search(r"[\d)]\s*(?:\*\*|//|[-+*/%])\s*[-+]?\s*[\d(.a-z]|[a-z]\(", expression) is not None
