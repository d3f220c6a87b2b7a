"""English or Spanish: which of the two a text is written in, for the words the engine says itself."""

from __future__ import annotations

import re
from enum import StrEnum

_WORD = re.compile(r"[^\W\d_]+")
# fmt: off
#: Common words that only one of the two languages has.
_SPANISH = frozenset(
    [
        "el", "la", "los", "las", "un", "una", "unos", "unas", "de", "del", "al", "y", "o", "que", "qué",
        "cómo", "como", "cuál", "cuáles", "cuánto", "cuántas", "cuántos", "cuanto", "cuantas", "dónde",
        "donde", "cuándo", "cuando", "quién", "por", "para", "con", "sin", "es", "son", "está", "están",
        "ser", "estar", "hay", "tengo", "tiene", "tienes", "puedo", "puede", "mi", "mis", "tu", "tus", "su",
        "sus", "me", "te", "se", "lo", "le", "les", "esto", "eso", "este", "esta", "ese", "esa", "más", "mas",
        "menos", "pero", "si", "sí", "en", "hola", "gracias", "dame", "dime", "haz", "hazlo", "explica",
        "explícame", "significa", "diferencia", "entre", "sobre", "primera", "primero", "pregunta",
        "preguntar", "respuesta", "palabras", "lista", "tabla", "mes", "llamadas", "cuenta", "consumo", "uso",
        "hace", "hacer", "escribe", "crea", "código", "ejemplo", "sirve", "usar", "funciona", "corto",
        "corta", "resume", "resumen", "resúmelo", "tradúcelo", "inglés", "español", "repite", "adiós", "vale",
        "perfecto", "muchas", "buenos", "buenas", "días", "ya", "has", "han", "dijiste", "dicho", "pregunté",
        "fue", "era", "antes", "anterior", "último", "última", "tarde", "noche", "favor",
    ]
)
_ENGLISH = frozenset(
    [
        "the", "a", "an", "of", "and", "or", "that", "what", "how", "which", "much", "many", "where", "when",
        "who", "by", "for", "with", "without", "is", "are", "be", "been", "there", "have", "has", "can",
        "could", "do", "does", "did", "my", "your", "his", "its", "their", "me", "you", "it", "this", "these",
        "those", "more", "less", "but", "if", "in", "on", "to", "from", "hello", "hi", "thanks", "thank",
        "give", "tell", "make", "explain", "mean", "difference", "between", "about", "first", "question",
        "answer", "words", "list", "table", "month", "calls", "account", "usage", "write", "create", "code",
        "example", "use", "work", "works", "short", "shorter", "summarize", "translate", "repeat", "bye",
        "okay", "great", "was", "were", "before", "previous", "last", "please", "not",
    ]
)
# fmt: on


class Language(StrEnum):
    """A language that the engine speaks itself."""

    ENGLISH = "en"
    SPANISH = "es"


def language_of(text: str) -> Language:
    """The language of `text`; English where nothing speaks for Spanish.

    Function words decide: they are frequent, short and not shared by documentation terms such as command names.
    """
    if "¿" in text or "¡" in text or "ñ" in text.casefold():
        return Language.SPANISH
    words = [word.casefold() for word in _WORD.findall(text[:2000])]
    spanish = sum(word in _SPANISH for word in words)
    english = sum(word in _ENGLISH for word in words)
    if spanish == english:
        return Language.SPANISH if any(c in "áéíóú" for c in text.casefold()) else Language.ENGLISH
    return Language.SPANISH if spanish > english else Language.ENGLISH
