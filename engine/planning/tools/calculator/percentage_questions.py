"""Questions for one percentage and one amount, whose words say what is done with them.

"How much is the 8% tax on a bill of $30?", "¿Cuánto es un producto de 40 € con un 5 % de descuento?" and "price before
10% tax if I paid £55" have no fixed form. What is added, what is taken off, and whether the whole or the part is asked
for are said by a word each; a question with any other telling word is not read.
"""

from __future__ import annotations

import re

from engine.text.numbers import PLAIN
from engine.text.words import COMMON, folded, letter_words

#: What a percentage of is added to an amount, and what is taken off it.
_ADDED = re.compile(
    r"vat|iva|igv|itbis|gst|tax(?:es)?|impuestos?|tips?|propinas?|gratuity|surcharge|recargo|markup|interest|interes(?:es)?"
)
_OFF = re.compile(r"off|discount(?:s|ed)?|descuentos?|rebajas?|rebajad[oa]s?|reduction|reduccion")
#: The amount is what is there afterwards.
_BEFORE = re.compile(r"before|without|excluding|excl|exclusive|original(?:ly)?|pretax|sin|antes|neto|net|base")
#: The whole is asked for and not the part.
_WHOLE = re.compile(
    r"with|plus|including|incl|inclusive|total|after|final|altogether|con|mas|incluid[oa]s?|incluyendo|despues|"
    r"pay(?:ing)?|pag(?:o|are|ar)|sale|saldria|queda(?:ria)?|costaria|charge"
)
#: The part is asked for of what is taken off: a saving, or the discount by its name.
_PART = re.compile(
    r"\b(?:sav(?:e|ed|ings?)|ahorr(?:o|a|aria)|descuentan|rebajan)\b|"
    r"\b(?:is|es|seria|would be) (?:the|an?|el|la|un) (?:de )?(?:discount|descuento|rebaja|reduction|reduccion)\b"
)
#: What is bought, and what is said of it in every such question.
_BOUGHT = re.compile(
    r"items?|articles?|products?|things?|something|purchase|bill|meal|dinner|lunch|order|prices?|costs?|worth|invoice|"
    r"amount|articulos?|productos?|algo|cosas?|compra|cuenta|factura|cena|comida|pedido|precios?|importe|coste|costo|"
    r"total|val(?:e|en)|cuestan?|paid|pague|pagado|calculate|work|tell|get|sell|sold|new|nuevo"
)
_ASKED = re.compile(r"\b(?:how much|what|whats|calculate|work out|price|cuant[oa]|cual|calcula|precio|total|importe)\b")
#: The amount is a border: "10% off over 50" is no question for a sum.
_BORDER = re.compile(
    r"\b(?:over|above|under|below|least|most|than|from|desde|partir|hasta|mas de|menos de|up to|every|each|cada)\b"
)
_PERCENT = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*%")


def percentage_question(numbered: str) -> str | None:
    """The expression that a question for one percentage and one amount asks for; None where it is none, or says more.

    Args:
        numbered: The question, its numbers in digits with a decimal point, without names of money.
    """
    rates, rest = _PERCENT.findall(numbered), _PERCENT.sub(" ", numbered)
    amounts = PLAIN.findall(rest)
    text = " ".join(folded(PLAIN.sub(" ", rest)).split())
    words = letter_words(text)
    if len(rates) != 1 or len(amounts) != 1 or not _ASKED.search(text) or _BORDER.search(text):
        return None
    added, off = any(map(_ADDED.fullmatch, words)), any(map(_OFF.fullmatch, words))
    if added == off or not all(map(_is_read, words)):
        return None
    sign = "-" if off else "+"
    if any(map(_BEFORE.fullmatch, words)):
        return f"{amounts[0]}/(1{sign}{rates[0]}/100)"
    if _PART.search(text) or (added and not any(map(_WHOLE.fullmatch, words))):
        return f"({rates[0]}/100)*{amounts[0]}"
    return f"{amounts[0]}*(1{sign}{rates[0]}/100)"


def _is_read(word: str) -> bool:
    """Whether a word changes nothing, or is one of those that are read."""
    read = (_ADDED, _OFF, _BEFORE, _WHOLE, _BOUGHT, _PART)
    return len(word) < 2 or word in COMMON or any(one.fullmatch(word) for one in read)
